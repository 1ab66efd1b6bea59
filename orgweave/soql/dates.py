"""Relative date literals as half-open ranges around a clock.

Weeks begin on Sunday, fiscal years in January; all in UTC.

Example at 2021-03-03T10:00Z: `span("LAST_N_MONTHS", 2, clock)` is 2021-01-01T00:00Z up to, and
without, 2021-03-01T00:00Z.
LAST_N_DAYS and LAST_90_DAYS end with the current second, as the CRM documents it; all others end at
a midnight.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

DateStep = Callable[[datetime, int], datetime]


@dataclass(frozen=True, slots=True)
class Relative:
    """A literal's unit and where it lies: `first` and `last` are units from the current one; None
    stands for n.
    """

    unit: str
    first: int | None
    last: int | None
    counted: bool = False
    past: bool = True


@dataclass(frozen=True, slots=True)
class Span:
    """From `start`, included, to `end`, not included."""

    start: datetime
    end: datetime


def span(name: str, count: int | None, clock: datetime) -> Span:
    """The range that a literal means at that clock; raises OverflowError or ValueError where it
    leaves the calendar.
    """
    literal, n = RELATIVE[name], count or 0
    sign = -1 if literal.past else 1
    first = sign * n if literal.first is None else literal.first
    last = sign * n if literal.last is None else literal.last
    today = clock.replace(hour=0, minute=0, second=0, microsecond=0)
    start, step = UNITS[literal.unit]
    here = start(today)
    if literal.unit == "DAY" and last == 0 and first < 0:
        return Span(step(here, first), clock.replace(microsecond=0) + timedelta(seconds=1))
    return Span(step(here, first), step(here, last + 1))


def in_utc(clock: datetime) -> datetime:
    """The clock in UTC; a naive one is taken to be in UTC."""
    return clock.replace(tzinfo=UTC) if clock.tzinfo is None else clock.astimezone(UTC)


def _months(day: datetime, count: int) -> datetime:
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return day.replace(year=year, month=month + 1)


UNITS: dict[str, tuple[Callable[[datetime], datetime], DateStep]] = {
    "DAY": (lambda day: day, lambda day, n: day + timedelta(days=n)),
    "WEEK": (
        lambda day: day - timedelta(days=day.isoweekday() % 7),
        lambda day, n: day + timedelta(days=7 * n),
    ),
    "MONTH": (lambda day: day.replace(day=1), _months),
    "QUARTER": (
        lambda day: day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1),
        lambda day, n: _months(day, 3 * n),
    ),
    "YEAR": (lambda day: day.replace(day=1, month=1), lambda day, n: _months(day, 12 * n)),
}
"""Unit -> the beginning of the one that holds a day, and n of them further."""

PLAIN = {
    "WEEK": "WEEK",
    "MONTH": "MONTH",
    "QUARTER": "QUARTER",
    "YEAR": "YEAR",
    "FISCAL_QUARTER": "QUARTER",
    "FISCAL_YEAR": "YEAR",
}
RELATIVE: dict[str, Relative] = {
    "YESTERDAY": Relative("DAY", -1, -1),
    "TODAY": Relative("DAY", 0, 0),
    "TOMORROW": Relative("DAY", 1, 1),
    "LAST_90_DAYS": Relative("DAY", -90, 0),
    "NEXT_90_DAYS": Relative("DAY", 1, 90),
    "LAST_N_DAYS": Relative("DAY", None, 0, counted=True),
    "NEXT_N_DAYS": Relative("DAY", 1, None, counted=True, past=False),
    "N_DAYS_AGO": Relative("DAY", None, None, counted=True),
    **{f"LAST_{name}": Relative(unit, -1, -1) for name, unit in PLAIN.items()},
    **{f"THIS_{name}": Relative(unit, 0, 0) for name, unit in PLAIN.items()},
    **{f"NEXT_{name}": Relative(unit, 1, 1) for name, unit in PLAIN.items()},
    **{f"LAST_N_{name}S": Relative(unit, None, -1, counted=True) for name, unit in PLAIN.items()},
    **{
        f"NEXT_N_{name}S": Relative(unit, 1, None, counted=True, past=False)
        for name, unit in PLAIN.items()
    },
    **{f"N_{name}S_AGO": Relative(unit, None, None, counted=True) for name, unit in PLAIN.items()},
}
"""Every relative date literal by its name."""
