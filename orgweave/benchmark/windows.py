"""Periods of time that a query names: a month, quarter or season of a year, or a rolling one that
ends on `today` at 00:00 UTC; and what happened in them.

A window is [start, end). Seasons are three whole months; the winter of 2021 runs from December 2021
to the end of February 2022.
"""

from bisect import bisect_left, bisect_right
from calendar import month_name, monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Generic, TypeVar

QUARTERS = ("first", "second", "third", "fourth")
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "winter": 12}
"""The first month of each season."""
NUMBERS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
LAST_SAFE_DAY = 28
"""The last day that every month has: `today` is never later, so that month arithmetic is plain."""
Spans = Mapping[str, tuple[int, int]]
"""How many of each unit a window has at least and at most."""
SPANS: Spans = {"day": (30, 150), "week": (5, 20), "month": (2, 12), "quarter": (2, 4)}
"""How many of each unit a rolling window has at least and at most: from a month to a year, so that
there are cases enough in it to have a best, and not all of the org's.
"""
FIRST_TODAY = 30
"""The days after the org's first one before which no `today` is drawn: no window fits before."""
WINDOWS_KEPT = 20_000
"""More windows than are looked at in an org of eight years: what only they decide is made once."""
MOVE_DAYS = 7
"""By so many days a rolling window is moved at a time."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """[start, end) and its name in a query: `period` for a named one, `interval` for a rolling
    one.
    """

    start: datetime
    end: datetime
    period: str = ""
    interval: str = ""

    @property
    def today(self) -> date:
        """The day that a rolling window ends on."""
        return self.end.date()

    @property
    def name(self) -> str:
        """What a seed query calls it."""
        return self.period or self.interval

    @property
    def parameters(self) -> dict[str, str]:
        """The window as an instance's parameters name it."""
        ends = {"start": stamp(self.start), "end": stamp(self.end)}
        if self.period:
            return {**ends, "period": self.period}
        return {**ends, "interval": self.interval, "today": self.today.isoformat()}

    @property
    def forms(self) -> tuple[str, ...]:
        """The ways in which a wording may name it."""
        return period_forms(self.period) if self.period else interval_forms(self.interval)

    def holds(self, moment: datetime, closed: bool = False) -> bool:
        """Whether a moment lies in it; with `closed` its very end does too."""
        if closed and moment == self.end:
            return True
        return self.start <= moment < self.end

    @property
    def end_of_today(self) -> datetime:
        """The end on the reading of a rolling window in which all of today counts."""
        return self.end if self.period else self.end + timedelta(days=1)

    def with_today(self) -> "TimeWindow":
        """The reading of a rolling window in which all of today counts."""
        if self.period:
            return self
        return TimeWindow(self.start, self.end_of_today, interval=self.interval)


class Timeline(Generic[T]):
    """Things that happened, in the order of time, so that those of a window are found at once.

    Example: `Timeline(cases, lambda case: case.created).within(window)`.
    """

    def __init__(self, items: Iterable[T], moment: Callable[[T], datetime]) -> None:
        self._items = sorted(items, key=moment)
        self._moments = [moment(item) for item in self._items]

    def within(self, window: TimeWindow, closed: bool = False) -> Sequence[T]:
        """What happened in [start, end); with `closed` in [start, end]."""
        begin, end = self.span(window, closed)
        return self._items[begin:end]

    @property
    def items(self) -> Sequence[T]:
        """All of them in the order of time."""
        return self._items

    def span(self, window: TimeWindow, closed: bool = False) -> tuple[int, int]:
        """The places of what happened in it: equal for windows in which the same happened."""
        find_end = bisect_right if closed else bisect_left
        return bisect_left(self._moments, window.start), find_end(self._moments, window.end)


@lru_cache(maxsize=WINDOWS_KEPT)
def stamp(moment: datetime) -> str:
    """`2022-01-01T00:00:00Z`."""
    return f"{moment.isoformat(timespec='seconds')}Z"


@lru_cache(maxsize=8)  # an org's period never changes, and every draw asks for it
def named_windows(first: date, last: date) -> tuple[TimeWindow, ...]:
    """Every month, quarter and season that lies whole between two days."""
    found = []
    for year in range(first.year, last.year + 1):
        for month in range(1, 13):
            found.append(
                _named(
                    year,
                    month,
                    1,
                    f"{month_name[month]} {year}",
                )
            )
        for place, quarter in enumerate(QUARTERS):
            found.append(
                _named(
                    year,
                    3 * place + 1,
                    3,
                    f"the {quarter} quarter of {year}",
                )
            )
        for season, month in SEASONS.items():
            found.append(_named(year, month, 3, f"the {season} of {year}"))
    after = last + timedelta(days=1)
    return tuple(
        window for window in found if window.start.date() >= first and window.end.date() <= after
    )


@lru_cache(maxsize=8)  # asked for as often as all of them
def windows_of_kind(kind: str, first: date, last: date) -> tuple[TimeWindow, ...]:
    """The named windows between two days that are months, quarters or seasons, by `kind`."""
    windows = named_windows(first, last)
    return tuple(window for window in windows if period_kind(window.period) == kind)


def rolling_window(
    rng: Random,
    first: date,
    last: date,
    spans: Spans = SPANS,
) -> TimeWindow | None:
    """A rolling window between two days; None where the draw fell outside."""
    days = max((last - first).days, FIRST_TODAY)
    today = first + timedelta(days=rng.randint(FIRST_TODAY, days))
    return None if today > last else rolling_before(rng, today, first, spans)


def window_like(
    rng: Random,
    period: str,
    interval: str,
    first: date,
    last: date,
) -> TimeWindow | None:
    """Another window of the same kind; None where the draw fell outside.

    A month, quarter or season elsewhere, or as many units before another day.
    """
    if period:
        return rng.choice(windows_of_kind(period_kind(period), first, last))
    count, unit = interval.split(" ")
    days = max((last - first).days, 1)
    today = first + timedelta(days=rng.randint(1, days))
    start = before(today, unit.removesuffix("s"), int(count))
    if start < first or today.day > LAST_SAFE_DAY:
        return None
    return _rolling(start, today, interval)


def shifted(
    window: TimeWindow,
    moves: int,
    first: date,
    last: date,
) -> TimeWindow | None:
    """The window so many moves later, or earlier where they are negative; None where that is
    outside of the period, or `today` is none to count back from.

    A rolling window moves by weeks; a named one to the next month, quarter or season alone.
    """
    if window.period:
        if abs(moves) != 1:
            return None
        alike = windows_of_kind(period_kind(window.period), first, last)
        place = alike.index(window) + moves
        return alike[place] if 0 <= place < len(alike) else None
    count, unit = window.interval.split(" ")
    today = window.today + timedelta(days=MOVE_DAYS * moves)
    start = before(today, unit.removesuffix("s"), int(count))
    if start < first or today > last or today.day > LAST_SAFE_DAY:
        return None
    return _rolling(start, today, window.interval)


def other_lengths(
    rng: Random,
    window: TimeWindow,
    first: date,
    spans: Spans,
    most: int,
) -> list[TimeWindow]:
    """So many rolling windows at most with the same end and another length that begin no earlier
    than a day.
    """
    today, own_start = window.today, window.start.date()
    lengths = []
    for unit, (low, high) in spans.items():
        for count in range(low, high + 1):
            start = before(today, unit, count)
            if start >= first and start != own_start:
                lengths.append((start, f"{count} {unit}s"))
    drawn = rng.sample(lengths, min(most, len(lengths)))
    return [_rolling(start, today, interval) for start, interval in drawn]


def rolling_before(
    rng: Random,
    today: date,
    first: date,
    spans: Spans = SPANS,
) -> TimeWindow | None:
    """A rolling window that ends on a day; None where it would start too early, or where the day is
    none to count back from.
    """
    unit = rng.choice(tuple(spans))
    low, high = spans[unit]
    count = rng.randint(low, high)
    start = before(today, unit, count)
    safe = today.day <= LAST_SAFE_DAY and start >= first
    return _rolling(start, today, f"{count} {unit}s") if safe else None


def rolling_windows(
    rng: Random,
    today: date,
    first: date,
    spans: Spans,
    most: int,
) -> Iterator[TimeWindow]:
    """So many rolling windows that end on a day at most, of any unit and length; none where the day
    is none to count back from.
    """
    lengths: list[tuple[str, int]] = []
    for unit, (low, high) in spans.items():
        lengths += [(unit, count) for count in range(low, high + 1)]
    if today.day > LAST_SAFE_DAY:
        return
    for unit, count in rng.sample(lengths, min(most, len(lengths))):
        start = before(today, unit, count)
        if start >= first:
            yield _rolling(start, today, f"{count} {unit}s")


def period_kind(period: str) -> str:
    """`month`, `quarter` or `season`."""
    if "quarter" in period:
        return "quarter"
    return "season" if period.startswith("the ") else "month"


@lru_cache(maxsize=WINDOWS_KEPT)
def before(
    day: date,
    unit: str,
    count: int,
) -> date:
    """The day so many days, weeks, calendar months or quarters earlier; a day that the month lacks
    becomes its last.
    """
    if unit == "day":
        return day - timedelta(days=count)
    if unit == "week":
        return day - timedelta(weeks=count)
    months = 3 * count if unit == "quarter" else count
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    _, length = monthrange(year, month + 1)
    return date(year, month + 1, min(day.day, length))


def interval_forms(interval: str) -> tuple[str, ...]:
    """`6 weeks` also as `six weeks`, `6-week`, `six-week`; one day, week or month also with an
    article.
    """
    count, unit = interval.split(" ")
    single = unit.removesuffix("s")
    word = NUMBERS[int(count)] if int(count) < len(NUMBERS) else count
    forms = (f"{count} {unit}", f"{word} {unit}", f"{count}-{single}", f"{word}-{single}")
    return (*forms, f"a {single}") if int(count) == 1 else forms


def period_forms(period: str) -> tuple[str, ...]:
    """`the third quarter of 2021` also as `Q3 2021`, `the summer of 2021` also as `summer 2021`."""
    plain = period.removeprefix("the ")
    words = plain.split(" ")
    year = words[-1]
    if "quarter" in words:
        number = QUARTERS.index(words[0]) + 1
        return plain, f"Q{number} {year}", f"Q{number} of {year}"
    if len(words) > 2:
        return plain, f"{words[0]} {year}"
    return (plain,)


def _named(
    year: int,
    month: int,
    months: int,
    period: str,
) -> TimeWindow:
    following = year * 12 + month - 1 + months
    end = datetime(following // 12, following % 12 + 1, 1)
    return TimeWindow(
        datetime(year, month, 1),
        end,
        period=period,
    )


@lru_cache(maxsize=WINDOWS_KEPT)  # as long as it is one object, it is found again at once
def _rolling(
    start: date,
    today: date,
    interval: str,
) -> TimeWindow:
    return TimeWindow(
        _midnight(start),
        _midnight(today),
        interval=interval,
    )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)
