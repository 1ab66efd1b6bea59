"""Work done side by side, a bounded number at once, with results in the order of what was given."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def together(*work: Coroutine[None, None, object]) -> None:
    """All of it at once; the first error is raised when all has ended, so that nothing under way is
    lost.
    """
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


async def side_by_side(
    items: Iterable[T], work: Callable[[T], Coroutine[None, None, R]], most: int
) -> list[R]:
    """The results in the items' order, at most `most` at work at once; the first error is raised
    when all that had begun has ended.
    """
    listed = list(items)
    queue: Iterator[tuple[int, T]] = iter(enumerate(listed))
    done: dict[int, R] = {}

    async def worker() -> None:
        for at, item in queue:
            done[at] = await work(item)

    await together(*(worker() for _ in range(min(most, len(listed)))))
    return [done[at] for at in sorted(done)]
