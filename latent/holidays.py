"""The federal holidays of the United States, day by day.

Knows the calendar's rules only; who works on a holiday stands in the trade.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

SATURDAY, SUNDAY = 5, 6

FIXED = {
    "New Year's Day": (1, 1),
    "Juneteenth": (6, 19),
    "Independence Day": (7, 4),
    "Veterans Day": (11, 11),
    "Christmas Day": (12, 25),
}
"""Holiday -> month and day. One on a weekend is kept on the nearest weekday as well."""

FLOATING = {
    "Martin Luther King Jr. Day": (1, 0, 3),
    "Presidents' Day": (2, 0, 3),
    "Memorial Day": (5, 0, -1),
    "Labor Day": (9, 0, 1),
    "Columbus Day": (10, 0, 2),
    "Thanksgiving Day": (11, 3, 4),
}
"""Holiday -> month, weekday (0 is Monday) and which one of the month; -1 is the last."""

OBSERVED = " (observed)"
"""What the name of a weekday ends in that is free for a holiday on a weekend."""

FIRST_JUNETEENTH = 2021
"""The year in which Juneteenth became a federal holiday."""

NAMES = (*FIXED, *FLOATING)


@dataclass(frozen=True, slots=True)
class FreeDay:
    """A day on which a holiday is kept."""

    name: str
    day: date


def holidays_between(first: date, last: date) -> list[FreeDay]:
    """The holidays kept from one day to another, both included, in the order of time."""
    found = []
    # New Year's Day of the year after may be kept on the last day of December.
    for year in range(first.year, last.year + 2):
        found += [free for free in _of_year(year) if first <= free.day <= last]
    return sorted(found, key=lambda free: free.day)


def kept_between(names: Collection[str], first: date, last: date) -> list[FreeDay]:
    """The days on which holidays of these names are kept, those of a weekend on weekdays too."""
    found = holidays_between(first, last)
    return [free for free in found if free.name.removesuffix(OBSERVED) in names]


def _of_year(year: int) -> Iterator[FreeDay]:
    for name, (month, number) in FIXED.items():
        if name == "Juneteenth" and year < FIRST_JUNETEENTH:
            continue
        day = date(year, month, number)
        yield FreeDay(name, day)
        if _kept_on(day) != day:
            yield FreeDay(f"{name}{OBSERVED}", _kept_on(day))
    for name, (month, weekday, place) in FLOATING.items():
        yield FreeDay(name, _nth(year, month, weekday, place))


def _kept_on(day: date) -> date:
    """The nearest weekday."""
    if day.weekday() == SATURDAY:
        return day - timedelta(days=1)
    if day.weekday() == SUNDAY:
        return day + timedelta(days=1)
    return day


def _nth(year: int, month: int, weekday: int, place: int) -> date:
    """The n-th such weekday of a month; the last one for -1."""
    if place < 0:
        after = date(year + month // 12, month % 12 + 1, 1)
        back = (after.weekday() - weekday - 1) % 7 + 1
        return after - timedelta(days=back)
    first = date(year, month, 1)
    ahead = (weekday - first.weekday()) % 7
    return first + timedelta(days=ahead + 7 * (place - 1))
