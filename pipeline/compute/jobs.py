"""How many processes a run is worth, and who computes it then."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.compute.executor import Executor, InProcess
from pipeline.compute.processes import process_pool
from schemas.errors import BadInput

# Starting workers costs a second; up to so many records a run or a check takes little longer.
WORTH_WORKERS = 100_000


@contextmanager
def executor_of(jobs: int | None, records: int) -> Iterator[Executor]:
    """Whoever computes for a run over so many records.

    `jobs` is the number of processes; None takes all cores where that pays. Raises BadInput for a
    number below 1.
    """
    if jobs is not None and jobs < 1:
        raise BadInput(f"--jobs {jobs}: must be at least 1")
    workers = jobs
    if workers is None:
        workers = cores() if records >= WORTH_WORKERS else 1
    if workers == 1:
        yield InProcess()
        return
    with process_pool(workers) as pool:
        yield pool


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
