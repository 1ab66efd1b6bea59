"""Where a run's processor time goes: `python -m tests.stage_times shoes 1 FOLDER` prints JSON.

A timer of the system interrupts the run after each few milliseconds of processor time, and what is
under way then is told from the stack. Nothing of the run is changed. In one process; the peak of
memory is that of the whole run.
"""

import json
import resource
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from pipeline.config import RunRequest
from pipeline.run import generate

EVERY = 0.004  # seconds of processor time

STAGES = {
    ("latent", "draw"): "facts",
    ("objects.py", "draw_facts"): "facts",
    ("objects.py", "finish"): "facts",
    ("work.py", "build_work"): "units",
    ("work.py", "columns"): "units",
    ("likeness.py", "verify_unlike"): "likeness",
    ("object_writing.py", "nearest"): "texts to keep clear of",
    ("object_writing.py", "_answered"): "words",
    ("sql_tables.py", "add_table"): "org",
    ("store.py", "add_latent"): "hidden causes",
    ("upload_files.py", "files"): "upload",
    ("check.py", "_findings"): "check: invariants",
    ("check.py", "_diversity"): "check: diversity",
    ("check.py", "_realism"): "check: realism",
    ("check.py", "_conversations"): "check: conversations",
    ("check.py", "_effects"): "check: effects",
    ("check.py", "_filled"): "check: filled cells",
}
"""File (or room) and function -> the stage; the outermost such call on the stack counts."""

FUNCTIONS = frozenset(function for _, function in STAGES)

OTHER = "other"


class StageTimes:
    """Seconds of processor time by stage."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._before = time.process_time()

    def tick(self, number: int, frame: FrameType | None) -> None:
        """Counts the time since the last tick for what is under way."""
        now = time.process_time()
        self.seconds[stage_of(frame)] += now - self._before
        self._before = now


def stage_of(frame: FrameType | None) -> str:
    """The stage of a stack."""
    found = OTHER
    while frame is not None:
        function = frame.f_code.co_name
        if function in FUNCTIONS:
            room, _, name = frame.f_code.co_filename.rpartition("/")
            found = STAGES.get((name, function), found)
            found = STAGES.get((room.rpartition("/")[2], function), found)
        frame = frame.f_back
    return found


def main(company: str, scale: str, out: str) -> None:
    """Makes the company and prints what it took."""
    times = StageTimes()
    signal.signal(signal.SIGPROF, times.tick)
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    made = generate(RunRequest(company, scale=float(scale)), Path(out))
    signal.setitimer(signal.ITIMER_PROF, 0)
    told = {
        "seconds": time.process_time(),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "records": sum(made.counts.values()),
        "stages": dict(times.seconds),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
