"""The pieces of a table's drawing, done by an executor's workers."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from pipeline.compute.executor import Executor
from pipeline.world.pieces import InTurn, Pieces

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")

# Pieces that each worker has before it: while it does one, the next one is on its way.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class SpreadPieces:
    """Has an executor's workers do the pieces, some of them ahead of what is asked for.

    It waits for what they find: whoever asks is in a thread of its own.
    """

    executor: Executor

    def each(self, work: Callable[[S, P], T], shared: S, pieces: Iterable[P]) -> Iterator[T]:
        """Yields what comes of each piece, in their order."""
        sent_value = self.executor.share(shared)
        under_way: deque[Future[T]] = deque()
        for piece in pieces:
            if len(under_way) == self.executor.workers * AHEAD:
                yield under_way.popleft().result()
            under_way.append(self.executor.submit(work, sent_value, piece))
        while under_way:
            yield under_way.popleft().result()


def pieces_by(executor: Executor) -> Pieces:
    """Who does pieces of work: the executor's workers, or this process where there are none."""
    return SpreadPieces(executor) if executor.workers > 1 else InTurn()
