"""What the pieces of a run take on this machine now, from two small runs of the same company.

Each is made by a process of its own with two workers. What a worker does is timed piece by piece;
what else the workers take, they take to start, and the rest is the command's. Processor seconds
count, so that it matters little what else the machine has to do. Nothing of the runs is kept.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.compute.processes import process_pool
from pipeline.compute.timed import TimedExecutor, TimedPiece
from pipeline.config import RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.making import RunObserver
from pipeline.plan import Plan, make_plan
from pipeline.run import embedded_writers, make_org, records_of
from pipeline.run_folder import RunFolder
from pipeline.spread import USUAL_COSTS, SpreadCosts, play, rows_of, tokens_of

# Records of the two runs: so many that starting weighs little, so few that both take a minute at
# most. The difference between them tells what a record takes, the rest what it takes to begin.
FEWER, MORE = 10_000, 60_000
WORKERS = 2
KINDS: Mapping[str, str] = {
    "pipeline.write.worker_words.written_words": "written",
    "pipeline.write.worker_words.unlike_in": "compared",
    "pipeline.upload_files._object_files": "uploaded",
    "pipeline.check._looked_at": "checked",
}
"""What a worker's function does."""


@dataclass(frozen=True, slots=True)
class TrialTimes:
    """The processor seconds of a small run: the command's, those of a worker that has nothing to
    do, and those of each piece of work.
    """

    command: float
    a_worker: float
    pieces: tuple[TimedPiece, ...]

    def of(self, kind: str) -> list[float]:
        """The seconds of each piece of a kind, the largest first."""
        found = [piece.seconds for piece in self.pieces if KINDS.get(piece.work) == kind]
        return sorted(found, reverse=True)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A small run: what was planned, and what it took."""

    plan: Plan
    times: TrialTimes


def measured_costs(ask: RunRequest) -> SpreadCosts:
    """What each piece of a company's run takes here; two small runs of it take about a minute."""
    usual = replace(ask, scale=1.0, sets={})
    whole = records_of(load_job(usual))
    fewer = _trial(replace(usual, scale=FEWER / whole))
    more = _trial(replace(usual, scale=MORE / whole))
    return costs_of(fewer.plan, fewer.times, more.plan, more.times)


def costs_of(small: Plan, taken: TrialTimes, large: Plan, taken_more: TrialTimes) -> SpreadCosts:
    """The costs by which both runs are told; the command's keep their usual ratios.

    What the command begins by takes it the same time in all runs; a worker has its own start.
    """
    usual = USUAL_COSTS
    told = play(small, WORKERS).command
    told_more = play(large, WORKERS).command
    speed = (taken_more.command - taken.command) / (told_more - told)
    tokens = tokens_of(large)
    records, _ = rows_of(large)

    def all_of(kind: str) -> float:
        return sum(taken_more.of(kind))

    return SpreadCosts(
        to_start=taken_more.command - speed * (told_more - usual.to_start),
        to_start_a_worker=taken_more.a_worker,
        a_row_drawn=usual.a_row_drawn * speed,
        a_token_written=all_of("written") / tokens,
        a_token_compared=all_of("compared") / tokens,
        a_batch_kept=usual.a_batch_kept * speed,
        a_batch_sent=usual.a_batch_sent * speed,
        a_record_filed=usual.a_record_filed * speed,
        a_record_uploaded=all_of("uploaded") / records,
        a_hidden_row_filed=usual.a_hidden_row_filed * speed,
        a_record_checked=all_of("checked") / records,
        check_parts=_shares(taken_more.of("checked")),
        upload_parts=_shares(taken_more.of("uploaded")),
    )


def _shares(seconds: Sequence[float]) -> tuple[float, ...]:
    whole = sum(seconds)
    return tuple(part / whole for part in seconds)


def _trial(ask: RunRequest) -> _Trial:
    """A run in a process of its own."""
    with process_pool(1) as pool, tempfile.TemporaryDirectory(prefix="orgweave-") as folder:
        times = pool.submit(timed_run, ask, Path(folder) / "run").result()
    return _Trial(make_plan(load_job(ask)), times)


def timed_run(ask: RunRequest, out: Path) -> TrialTimes:
    """Makes an org and tells what it took, this process's start with it."""
    with process_pool(WORKERS) as pool:
        executor = TimedExecutor(pool)
        job, run = load_job(ask), RunFolder(out)
        with locked(out), Ledger(run.ledger_file) as ledger:
            make_org(job, run, ledger, embedded_writers, RunObserver(), executor)
    worked = sum(piece.seconds for piece in executor.pieces if piece.work in KINDS)
    spent = os.times()
    workers = spent.children_user + spent.children_system
    a_worker = (workers - worked) / WORKERS
    pieces = tuple(executor.pieces)
    return TrialTimes(time.process_time(), a_worker, pieces)
