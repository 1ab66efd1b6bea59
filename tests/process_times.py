"""What a run's command and its workers take: `python -m tests.process_times shoes 3 2 FOLDER`.

Prints JSON with processor seconds. Workers count when they have ended, with the run.
"""

import json
import resource
import sys
from pathlib import Path

from pipeline.compute.jobs import Workers
from pipeline.config import RunRequest
from pipeline.run import generate


def main(company: str, scale: str, jobs: str, out: str) -> None:
    """Makes the company and prints what it took."""
    generate(RunRequest(company, scale=float(scale)), Path(out), workers=Workers(int(jobs)))
    print(
        json.dumps(
            {"command": _spent(resource.RUSAGE_SELF), "workers": _spent(resource.RUSAGE_CHILDREN)}
        )
    )


def _spent(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
