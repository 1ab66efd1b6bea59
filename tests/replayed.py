"""How soon a run would be over on so many cores: a real run with workers, recorded and replayed.

    python -m tests.replayed shoes 3 2 FOLDER

Prints JSON. The run is recorded by processor seconds: what the command spends between handing out a
piece of work and taking another one's result, and what each piece takes its worker. These are then
played again in the order in which they came, command and workers sharing the cores evenly. What
else the machine had to do does not count, and when who waits for whom is as it was.
"""

import json
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from pipeline.compute.jobs import cores
from pipeline.compute.processes import process_pool
from pipeline.compute.timed import OverExecutor
from pipeline.config import RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.making import RunObserver
from pipeline.run import embedded_writers, make_org
from pipeline.run_folder import RunFolder

P = ParamSpec("P")
T = TypeVar("T")
SENT, TAKEN = "sent", "taken"


@dataclass(frozen=True, slots=True)
class Handing:
    """The command hands out a piece of work or takes its result, so many seconds after it began."""

    at: float
    what: str
    piece: int


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run's handings in their order, and processor seconds: the command's, those of each piece,
    and what it takes to start a worker.
    """

    handings: Sequence[Handing]
    command: float
    pieces: Sequence[float]
    to_start: float


class NotedFuture(Future[T]):
    """A result that tells when somebody takes it."""

    def __init__(self, taken: Callable[[], None]) -> None:
        super().__init__()
        self._taken = taken

    def result(self, timeout: float | None = None) -> T:
        """The result, as soon as it is there."""
        found = super().result(timeout)
        self._taken()
        return found


@dataclass(slots=True)
class RecordingExecutor(OverExecutor):
    """An Executor over another one's workers, which writes down who hands what to whom."""

    handings: list[Handing] = field(default_factory=list)
    pieces: list[float] = field(default_factory=list)

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """The result to come."""
        piece = len(self.pieces)
        self.pieces.append(0.0)
        result: NotedFuture[T] = NotedFuture(partial(self._note, TAKEN, piece))
        self._note(SENT, piece)
        timed: Callable[..., tuple[T, float]] = timed_work
        sent = self.inner.submit(timed, work, *arguments, **named)
        sent.add_done_callback(partial(self._take, piece, result))
        return result

    def _take(self, piece: int, result: Future[T], sent: Future[tuple[T, float]]) -> None:
        error = sent.exception()
        if error is not None:
            result.set_exception(error)
            return
        found, self.pieces[piece] = sent.result()
        result.set_result(found)

    def _note(self, what: str, piece: int) -> None:
        self.handings.append(Handing(time.process_time(), what, piece))


def timed_work(work: Callable[..., T], *arguments: object, **named: object) -> tuple[T, float]:
    """What a worker does: the work, and the processor seconds that it took."""
    started = time.process_time()
    found = work(*arguments, **named)
    return found, time.process_time() - started


def recorded(ask: RunRequest, workers: int, out: Path) -> RecordedRun:
    """A run with so many workers, in this process."""
    job, run = load_job(ask), RunFolder(out)
    with process_pool(workers) as pool:
        executor = RecordingExecutor(pool)
        with locked(out), Ledger(run.ledger_file) as ledger:
            make_org(job, run, ledger, embedded_writers, RunObserver(), executor)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    to_start = (used.ru_utime + used.ru_stime - sum(executor.pieces)) / workers
    return RecordedRun(executor.handings, time.process_time(), executor.pieces, to_start)


@dataclass(slots=True)
class _Worker:
    """A worker: seconds left of what it does, and which piece that is, None for its start."""

    left: float = 0.0
    piece: int | None = None


@dataclass(slots=True)
class Replay:
    """A run that is played again: the wall seconds so far, the command's own, and who does what."""

    run: RecordedRun
    workers: int
    wall: float = 0.0
    spent: float = 0.0
    busy: list[_Worker] = field(default_factory=list)
    queue: deque[int] = field(default_factory=deque)
    done: set[int] = field(default_factory=set)
    handings: deque[Handing] = field(default_factory=deque)
    started: bool = False

    def __post_init__(self) -> None:
        self.handings.extend(self.run.handings)

    def over(self, number: int) -> float:
        """The wall seconds on so many cores."""
        while self.handings or self.spent < self.run.command:
            waits = self._hand()
            active = len(self.busy) + (not waits)
            speed = min(1.0, number / active)
            steps = [worker.left for worker in self.busy]
            if not waits:
                until = self.handings[0].at if self.handings else self.run.command
                steps.append(max(until, self.spent) - self.spent)
            self._pass(min(steps), speed, waits)
        return self.wall

    def _hand(self) -> bool:
        """Does what the command hands out and takes now; tells whether it waits for a result."""
        while self.handings and self.handings[0].at <= self.spent:
            handing = self.handings[0]
            if handing.what == TAKEN and handing.piece not in self.done:
                break
            self.handings.popleft()
            if handing.what == SENT:
                self.queue.append(handing.piece)
                self._start()
        while self.queue and len(self.busy) < self.workers:
            piece = self.queue.popleft()
            self.busy.append(_Worker(self.run.pieces[piece], piece))
        return bool(self.handings) and self.handings[0].at <= self.spent

    def _start(self) -> None:
        """Starts the workers, with the first piece that is sent."""
        if not self.started:
            self.started = True
            self.busy = [_Worker(self.run.to_start) for _ in range(self.workers)]

    def _pass(self, seconds: float, speed: float, waits: bool) -> None:
        """Lets so many processor seconds of everybody at work pass."""
        self.wall += seconds / speed
        if not waits:
            self.spent += seconds
        for worker in self.busy:
            worker.left -= seconds
            if worker.left <= 0 and worker.piece is not None:
                self.done.add(worker.piece)
        self.busy = [worker for worker in self.busy if worker.left > 0]


def main(company: str, scale: str, workers: str, out: str) -> None:
    """Records a run and prints what it would take on this machine's cores."""
    number = int(workers)
    run = recorded(RunRequest(company, scale=float(scale)), number, Path(out))
    told: dict[str, Any] = {
        "wall": Replay(run, number).over(cores()),
        "command": run.command,
        "workers": sum(run.pieces) + number * run.to_start,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
