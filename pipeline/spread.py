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
    a_record_joined: float = 20e-6
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
    """The play: the moment that the command has come to, and when each worker is free.

    `spare` are seconds of work that the command does whenever it would wait for a worker.
    """

    free: list[float]
    now: float
    command: float
    worked: float
    spare: float = 0.0

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
        """The command waits for a worker, and does meanwhile what there is to do."""
        done = min(max(moment - self.now, 0.0), self.spare)
        self.spare -= done
        self.command += done
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
    left = _make(acted, plan, costs)
    records, _ = rows_of(plan)
    uploaded = records * costs.a_record_uploaded
    checked = records * costs.a_record_checked
    parts = [acted.hand_out(share * uploaded) for share in costs.upload_parts]
    acted.alone(left)
    parts += [acted.hand_out(share * checked) for share in costs.check_parts]
    wall = max(acted.now, *parts)
    return SpreadRun(
        workers,
        wall,
        acted.command,
        acted.worked,
        _megabytes(records),
    )


def play_in_shards(
    plan: Plan,
    shards: int,
    measured: int,
    workers: int,
    costs: SpreadCosts = USUAL_COSTS,
) -> SpreadRun:
    """The run of a plan that is made in so many shards; 0 workers are a single process.

    A check takes its measures in `measured` of them, which is what a single process holds most for.
    """
    records, _ = rows_of(plan)
    seconds = _made_by_one(plan, costs)
    joined = records * costs.a_record_joined
    checked = records * costs.a_record_checked * measured / shards
    if workers == 0:
        seconds += costs.to_start + joined + checked
        held = _megabytes(records * measured // shards)
        return SpreadRun(0, seconds, seconds, 0.0, held)
    start, a_worker = costs.to_start, costs.to_start_a_worker
    acted = _Play(
        [start + a_worker] * workers,
        start,
        start,
        workers * a_worker,
    )
    # The others take from the first one the words of what all have in common.
    acted.wait(acted.hand_out(seconds / shards))
    others = [acted.hand_out(seconds / shards) for _ in range(shards - 1)]
    acted.wait(max(others, default=acted.now))
    acted.alone(joined)
    parts = [acted.hand_out(share * checked) for share in costs.check_parts]
    wall = max(acted.now, *parts)
    return SpreadRun(
        workers,
        wall,
        acted.command,
        acted.worked,
        MEGABYTES_TO_START,
    )


def _made_by_one(plan: Plan, costs: SpreadCosts) -> float:
    """What it takes to make all files of an org, without its check."""
    records, hidden = rows_of(plan)
    seconds = (records + hidden) * costs.a_row_drawn
    seconds += tokens_of(plan) * (costs.a_token_written + costs.a_token_compared)
    seconds += plan.mini_batches * costs.a_batch_kept
    seconds += records * (costs.a_record_filed + costs.a_record_uploaded)
    seconds += hidden * costs.a_hidden_row_filed
    return seconds


def spread_text(
    plan: Plan,
    workers: int,
    costs: SpreadCosts = USUAL_COSTS,
    shards: int = 1,
    measured: int = 1,
) -> str:
    """The run in one process and with 1, 2, 4 and so on up to so many workers, a line each.

    It may be made in `shards`, in `measured` of which a check takes its measures.
    """
    counts = [0]
    while counts[-1] < workers:
        counts.append(min(max(counts[-1] * 2, 1), workers))
    runs = []
    for count in counts:
        if shards > 1:
            runs.append(play_in_shards(plan, shards, measured, count, costs))
        else:
            runs.append(play(plan, count, costs))
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
    records, _ = rows_of(plan)
    seconds = costs.to_start + _made_by_one(plan, costs)
    seconds += records * costs.a_record_checked
    return SpreadRun(0, seconds, seconds, 0.0, _megabytes(records))


def _make(acted: _Play, plan: Plan, costs: SpreadCosts) -> float:
    """Makes all tables; returns the seconds of the SQLite files' writing that are left then.

    What no text needs is drawn, and the files are written, while the last texts are waited for.
    """
    written = [node for node in plan.nodes if node.mini_batches]
    needed = _needed_for(plan, written)
    records, hidden = rows_of(plan)
    rest = sum(node.records for node in plan.nodes if node.name not in needed)
    last = written[-1].records if written else 0
    later = rest * costs.a_row_drawn + hidden * costs.a_hidden_row_filed
    later += (records - last) * costs.a_record_filed
    for node in plan.nodes:
        if node.name in needed:
            acted.alone(node.records * costs.a_row_drawn)
        if node.mini_batches:
            if node is written[-1]:
                acted.spare = later
            _write(acted, node, costs)
    left = acted.spare if written else later
    return left + last * costs.a_record_filed


def _needed_for(plan: Plan, written: Sequence[PlanNode]) -> set[str]:
    """The nodes that written ones are made from, and these themselves."""
    reads = {node.name: node.reads for node in plan.nodes}
    needed: set[str] = set()
    waiting = [node.name for node in written]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += reads.get(name, ())
    return needed


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
