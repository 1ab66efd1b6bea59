"""How long a run would take with several workers: a simulation of the command and its workers.

The command draws facts, hands out calls and takes in what comes, and writes the SQLite files;
workers write, verify and compare words, write the upload, and look at parts of the org in the
check. What each of these takes by itself was measured; who waits for whom is played through, call
by call. The writer is the embedded one: a model's words are waited for, whoever asks.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.plan import Plan, PlanNode
from pipeline.text_table import aligned
from pipeline.write.worker_words import A_CALL, AHEAD

SMALL = (0.01,) * 16
FEW = (0.02,) * 4


@dataclass(frozen=True, slots=True)
class SpreadCosts:
    """Processor seconds that each piece of a run takes.

    The usual ones were measured on the shoe company at scales 1 and 3, on one core of a server of
    2026. `check_parts` and `upload_parts` are the shares of the check's parts and, by their bytes,
    of the upload's files: no part is shared out among workers.
    """

    to_start: float = 0.7
    to_start_a_worker: float = 1.0
    a_row_drawn: float = 13e-6
    a_token_written: float = 11.4e-6
    a_token_compared: float = 1.6e-6
    a_batch_kept: float = 2.2e-3
    a_batch_sent: float = 1.0e-3
    a_record_filed: float = 6.2e-6
    a_record_uploaded: float = 8.4e-6
    a_hidden_row_filed: float = 3.2e-6
    a_record_checked: float = 53e-6
    check_parts: tuple[float, ...] = (0.20, 0.16, 0.16, 0.08, 0.08, 0.06, 0.05, 0.03, 0.02, *SMALL)
    upload_parts: tuple[float, ...] = (0.26, 0.16, 0.13, 0.10, 0.07, 0.06, 0.05, 0.05, 0.04, *FEW)


USUAL_COSTS = SpreadCosts()

# Beyond that a machine is no limit: the command is, long before.
MOST_WORKERS = 100_000

MEGABYTES_TO_START = 145
MEGABYTES_A_THOUSAND_RECORDS = 0.21


@dataclass(frozen=True, slots=True)
class SpreadRun:
    """A run with so many workers, 0 for a single process: seconds, and the command's megabytes.

    `command` and `workers` are processor seconds, `wall` is what passes where each has a core.
    """

    processes: int
    wall: float
    command: float
    workers: float
    megabytes: float


@dataclass(slots=True)
class _Play:
    """The play: the moment that the command has come to, and when each worker is free."""

    free: list[float]
    now: float
    command: float
    worked: float

    def alone(self, seconds: float) -> None:
        """The command computes; no worker has anything to do."""
        self.now += seconds
        self.command += seconds

    def hand_out(self, seconds: float) -> float:
        """A worker that is free takes a piece of work; returns when it is done."""
        begun = max(self.now, heapq.heappop(self.free))
        heapq.heappush(self.free, begun + seconds)
        self.worked += seconds
        return begun + seconds

    def wait(self, moment: float) -> None:
        """The command waits for a worker."""
        self.now = max(self.now, moment)

    def calls(self, number: int, own: float, work: float) -> None:
        """Calls of `work` seconds each, of which some are under way at a time.

        Each takes the command `own` seconds, half of them to send it.
        """
        under_way: list[float] = []
        most = len(self.free) * AHEAD
        for _ in range(number):
            if len(under_way) == most:
                self._take(heapq.heappop(under_way), own / 2)
            self.alone(own / 2)
            heapq.heappush(under_way, self.hand_out(work))
        while under_way:
            self._take(heapq.heappop(under_way), own / 2)

    def _take(self, come: float, seconds: float) -> None:
        self.wait(come)
        self.alone(seconds)


def play(plan: Plan, workers: int, costs: SpreadCosts = USUAL_COSTS) -> SpreadRun:
    """The run of a plan with so many workers; 0 is a single process."""
    if workers == 0:
        return _by_one_process(plan, costs)
    start = costs.to_start
    a_worker = costs.to_start_a_worker
    ready = [start + a_worker] * workers
    acted = _Play(ready, start, start, workers * a_worker)
    for node in plan.nodes:
        acted.alone(node.records * costs.a_row_drawn)
        if node.mini_batches:
            _write(acted, node, costs)
    records, hidden = rows_of(plan)
    uploaded = records * costs.a_record_uploaded
    checked = records * costs.a_record_checked
    parts = [acted.hand_out(share * uploaded) for share in costs.upload_parts]
    acted.alone(records * costs.a_record_filed)
    parts += [acted.hand_out(share * checked) for share in costs.check_parts]
    acted.alone(hidden * costs.a_hidden_row_filed)
    wall = max(acted.now, *parts)
    return SpreadRun(workers, wall, acted.command, acted.worked, _megabytes(records))


def spread_text(plan: Plan, workers: int, costs: SpreadCosts = USUAL_COSTS) -> str:
    """The run in one process and with 1, 2, 4 and so on up to so many workers, a line each."""
    counts = [0]
    while counts[-1] < workers:
        counts.append(min(max(counts[-1] * 2, 1), workers))
    runs = [play(plan, count, costs) for count in counts]
    rows = [("workers", "seconds", "times as fast", "command's CPU s", "workers' CPU s", "MB")]
    for run in runs:
        cells = (run.wall, runs[0].wall / run.wall, run.command, run.workers, run.megabytes)
        rows.append((str(run.processes or "none"), *_told(cells)))
    return "\n".join(aligned(rows, right=range(6)))


def _told(cells: Sequence[float]) -> tuple[str, str, str, str, str]:
    wall, fold, command, workers, megabytes = cells
    return (
        f"{wall:,.0f}",
        f"{fold:.1f}",
        f"{command:,.0f}",
        f"{workers:,.0f}",
        f"{megabytes:,.0f}",
    )


def _by_one_process(plan: Plan, costs: SpreadCosts) -> SpreadRun:
    records, hidden = rows_of(plan)
    a_token = costs.a_token_written + costs.a_token_compared
    a_record = costs.a_record_filed + costs.a_record_uploaded + costs.a_record_checked
    seconds = costs.to_start
    seconds += (records + hidden) * costs.a_row_drawn
    seconds += tokens_of(plan) * a_token
    seconds += plan.mini_batches * costs.a_batch_kept
    seconds += records * a_record
    seconds += hidden * costs.a_hidden_row_filed
    return SpreadRun(0, seconds, seconds, 0.0, _megabytes(records))


def _write(acted: _Play, node: PlanNode, costs: SpreadCosts) -> None:
    """The words of an object type: no call holds more batches than there are for each worker."""
    size = min(A_CALL, max(node.mini_batches // len(acted.free), 1))
    number = -(-node.mini_batches // size)
    own = node.mini_batches * (costs.a_batch_kept + costs.a_batch_sent) / number
    acted.calls(number, own, node.tokens_out * costs.a_token_written / number)
    acted.wait(acted.hand_out(node.tokens_out * costs.a_token_compared))


def rows_of(plan: Plan) -> tuple[int, int]:
    """How many records the plan makes, and how many hidden rows."""
    records = sum(node.records for node in plan.nodes if node.kind == "object")
    return records, sum(node.records for node in plan.nodes) - records


def tokens_of(plan: Plan) -> int:
    """About how many tokens the words of a plan have."""
    return sum(node.tokens_out for node in plan.nodes)


def _megabytes(records: int) -> float:
    return MEGABYTES_TO_START + records / 1000 * MEGABYTES_A_THOUSAND_RECORDS
