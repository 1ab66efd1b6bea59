"""Happenings in the order of time, so that those of a window are found at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from orgweave.benchmark.windows import TimeWindow

T = TypeVar("T")


class Timeline(Generic[T]):
    """Items with a moment each: `Timeline(cases, lambda case: case.created).within(window)`."""

    def __init__(self, items: Iterable[T], moment: Callable[[T], datetime]) -> None:
        self._items = sorted(items, key=moment)
        self._moments = [moment(item) for item in self._items]

    def within(self, window: TimeWindow, closed: bool = False) -> Sequence[T]:
        """Those in [start, end); with `closed` in [start, end]."""
        end = (
            bisect_right(self._moments, window.end)
            if closed
            else bisect_left(self._moments, window.end)
        )
        return self._items[bisect_left(self._moments, window.start) : end]
