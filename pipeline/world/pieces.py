"""Work in pieces that know nothing of one another, for whoever draws a table.

Who does them is not the table's business: here they are done in turn, and a run with workers has
these do them. What comes of a piece depends on its arguments alone.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")


class Pieces(Protocol):
    """Does the pieces of some work."""

    def each(self, work: Callable[[S, P], T], shared: S, pieces: Iterable[P]) -> Iterator[T]:
        """Yields what comes of each piece, in their order; `shared` is what all of them take.

        The work is a function of a module.
        """


class InTurn:
    """Does one piece after the other, each when its result is asked for."""

    def each(self, work: Callable[[S, P], T], shared: S, pieces: Iterable[P]) -> Iterator[T]:
        """Yields what comes of each piece."""
        for piece in pieces:
            yield work(shared, piece)
