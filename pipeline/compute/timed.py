"""An executor that tells what each piece of work took of its worker's processor.

The processor's clock is not moved by what else a machine has to do. Knows no kind of work.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ParamSpec, TypeVar

from pipeline.compute.executor import Executor

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TimedPiece:
    """A piece of work by the name of its function, and the processor seconds that it took."""

    work: str
    seconds: float


@dataclass(slots=True)
class OverExecutor:
    """What an Executor over another one's workers has from that one."""

    inner: Executor

    @property
    def workers(self) -> int:
        """As many as the other one has."""
        return self.inner.workers

    def share(self, value: T) -> T:
        """What the other one has stand for the value."""
        return self.inner.share(value)


@dataclass(slots=True)
class TimedExecutor(OverExecutor):
    """An Executor over another one's workers; `pieces` are what these have done."""

    pieces: list[TimedPiece] = field(default_factory=list)

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """The result to come."""
        result: Future[T] = Future()
        timed: Callable[..., tuple[T, float]] = _timed
        sent = self.inner.submit(timed, work, *arguments, **named)
        sent.add_done_callback(partial(self._take, work, result))
        return result

    def _take(
        self, work: Callable[..., Any], result: Future[T], sent: "Future[tuple[T, float]]"
    ) -> None:
        """Notes what a piece took, and hands its result on."""
        if sent.cancelled():
            result.cancel()
            return
        error = sent.exception()
        if error is not None:
            result.set_exception(error)
            return
        came, seconds = sent.result()
        name = f"{work.__module__}.{work.__qualname__}"
        self.pieces.append(TimedPiece(name, seconds))
        result.set_result(came)


def _timed(work: Callable[..., T], *arguments: object, **named: object) -> tuple[T, float]:
    """What a worker does: the work, between two looks at the clock."""
    started = time.process_time()
    done = work(*arguments, **named)
    return done, time.process_time() - started
