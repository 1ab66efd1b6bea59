"""How many processes a run is worth, and who computes it then."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipeline.compute.executor import Executor, InProcess
from schemas.errors import BadInput

# Starting workers costs a second; up to so many records a run or a check takes little longer.
WORTH_WORKERS = 100_000
# Words take longer than anything else: two workers make the shoe company (52,000 records) in 0.72
# of the time that it takes alone.
WORTH_WRITING_BESIDE = 40_000
# Each worker takes some 100 MB and two open files; a system gives a process 1,024 of these.
MOST_JOBS = 256
# Where a model's calls are waited for, workers start meanwhile; a smaller org is made sooner alone.
WORTH_BESIDE_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class Workers:
    """Who shall compute: `jobs` processes, None for all cores where that pays.

    They are this machine's own, or with `on_ray` a Ray cluster's: one that is started here, or the
    one at `ray_address`.
    """

    jobs: int | None = 1
    on_ray: bool = False
    ray_address: str = ""


ONE_PROCESS = Workers()


@contextmanager
def executor_of(wanted: Workers, records: int, worth: int = WORTH_WORKERS) -> Iterator[Executor]:
    """Whoever computes for a run over so many records; raises BadInput for no number of jobs.

    From `worth` records on all cores do, where nobody says how many.
    """
    jobs = wanted.jobs
    if jobs is not None and jobs < 1:
        raise BadInput(f"--jobs {jobs}: must be at least 1")
    if jobs is not None and jobs > MOST_JOBS:
        raise BadInput(f"--jobs {jobs}: must be at most {MOST_JOBS}")
    if wanted.on_ray:
        # Here and below: a run in one process needs none of it.
        from pipeline.compute.ray_cluster import ray_cluster

        with ray_cluster(jobs or cores(), wanted.ray_address) as cluster:
            yield cluster
        return
    workers = jobs
    if workers is None:
        workers = cores() if records >= worth else 1
    if workers == 1:
        yield InProcess()
        return
    from pipeline.compute.processes import process_pool

    with process_pool(workers) as pool:
        yield pool


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
