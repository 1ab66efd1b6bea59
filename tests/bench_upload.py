"""`python -m tests.bench_upload`: the whole shoe company into an empty CRM in a process of its own:
time, calls, and three kills with -9.

The CRM is `serve --empty --writable`, so the seconds are mostly its own; calls are what a real one
would count against the day's limit.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from orgweave.load.sender import BULK_FROM
from tests.figures import Figures
from tests.upload_kills import Crm, killed_and_continued, served
from tests.upload_orgs import differences

RECORDS = 40_600
MOST_SECONDS, MOST_CALLS, MOST_CALLS_AGAIN = 120, 200, 30


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    figure = Figures()
    with tempfile.TemporaryDirectory(prefix="orgweave-upload-") as folder:
        org = Path(folder) / "shoes"
        subprocess.run(
            [sys.executable, "-m", "pipeline", "generate", "--company", "shoes", "--out", str(org)],
            check=True,
            capture_output=True,
        )
        for says, more in (
            ("no external id field", ()),
            ("an external id field", ("--external-id", "Synth_Id__c")),
        ):
            print(says)
            with served(org, *more) as crm:
                started = time.perf_counter()
                calls = _calls(crm, org, Path(folder) / f"{len(more)}.jsonl")
                figure("seconds for all records", time.perf_counter() - started, MOST_SECONDS, "s")
                figure("calls for all records", calls, MOST_CALLS, "calls")
                figure(
                    "calls of the same command again",
                    _calls(crm, org, Path(folder) / f"{len(more)}.jsonl"),
                    MOST_CALLS_AGAIN,
                    "calls",
                )
            with served(org, *more) as crm:
                idmap = Path(folder) / f"killed{len(more)}.jsonl"
                moments = killed_and_continued(crm, org, idmap, seed=7 + len(more), records=RECORDS)
                wrong = differences(crm.client(), org, idmap)
                print(
                    f"  killed at {', '.join(f'{moment:,}' for moment in moments)} lines of the id"
                    f" map and continued; {'; '.join(wrong[:3])}"
                )
                figure("records lost, doubled or different", len(wrong), 0, "records")
    figure.end()


def _calls(crm: Crm, org: Path, idmap: Path) -> int:
    """The calls that a whole upload made, as it reports them."""
    said, _ = crm.upload(org, idmap, BULK_FROM).communicate()
    found = re.search(r"with ([\d,]+) calls", said)
    if found is None:
        raise SystemExit(said)
    return int(found[1].replace(",", ""))


if __name__ == "__main__":
    main()
