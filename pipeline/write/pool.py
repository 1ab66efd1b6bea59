"""Work done side by side, a bounded number at once, with results in the order of what was given."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def together(*work: Coroutine[None, None, object]) -> None:
    """Does all of it at once.

    The first error is raised when all has ended, so that nothing under way is lost.
    """
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


async def side_by_side(
    given: Iterable[T],
    work: Callable[[T], Coroutine[None, None, R]],
    most: int,
) -> list[R]:
    """The results in the order of what was given, at most `most` of them at work at once.

    The first error is raised when all that had begun has ended.
    """
    done: dict[int, R] = {}

    async def keep(piece: tuple[int, T]) -> None:
        place, own = piece
        done[place] = await work(own)

    await all_done(list(enumerate(given)), keep, most)
    return [done[place] for place in sorted(done)]


async def all_done(
    given: Sequence[T],
    work: Callable[[T], Coroutine[None, None, None]],
    most: int,
) -> None:
    """Does it as `side_by_side` does, where nothing comes of it that has to be kept."""
    # All workers take from one iterator: each piece is done once, by whoever is free.
    queue: Iterator[T] = iter(given)

    async def worker() -> None:
        for piece in queue:
            await work(piece)

    await together(*(worker() for _ in range(min(most, len(given)))))
