"""Periods of time that a query names: a month, quarter or season of a year, or a rolling one that
ends on `today` at 00:00Z.

A window is [start, end). Seasons are three whole months; the winter of 2021 runs from December 2021
to the end of February 2022.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
QUARTERS = ("first", "second", "third", "fourth")
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "winter": 12}
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
SPANS = {"day": (30, 150), "week": (5, 20), "month": (2, 12), "quarter": (2, 4)}


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """[start, end) and its name in a query: `period` for a named one, `interval` and `today` for a
    rolling one.
    """

    start: datetime
    end: datetime
    period: str = ""
    interval: str = ""

    @property
    def today(self) -> date:
        """The day a rolling window ends on."""
        return self.end.date()

    @property
    def parameters(self) -> dict[str, str]:
        """As an instance's parameters name it."""
        named = (
            {"period": self.period}
            if self.period
            else {"interval": self.interval, "today": self.today.isoformat()}
        )
        return {"start": stamp(self.start), "end": stamp(self.end), **named}

    @property
    def forms(self) -> tuple[str, ...]:
        """The ways in which a wording may name it."""
        return _period_forms(self.period) if self.period else interval_forms(self.interval)

    def holds(self, moment: datetime, closed: bool = False) -> bool:
        """Whether a moment lies in it; with `closed` its very end does too."""
        return self.start <= moment < self.end or (closed and moment == self.end)

    def with_today(self) -> "TimeWindow":
        """The reading of a rolling window in which all of today counts."""
        return (
            self
            if self.period
            else TimeWindow(self.start, self.end + timedelta(days=1), interval=self.interval)
        )


def stamp(moment: datetime) -> str:
    """`2022-01-01T00:00:00Z`."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def named_windows(first: date, last: date) -> list[TimeWindow]:
    """Every month, quarter and season that lies whole between two days."""
    found = []
    for year in range(first.year, last.year + 1):
        found += [_named(year, month, 1, f"{MONTHS[month - 1]} {year}") for month in range(1, 13)]
        found += [
            _named(year, 3 * at + 1, 3, f"the {QUARTERS[at]} quarter of {year}") for at in range(4)
        ]
        found += [
            _named(year, month, 3, f"the {season} of {year}") for season, month in SEASONS.items()
        ]
    return [
        window
        for window in found
        if window.start.date() >= first and window.end.date() <= last + timedelta(days=1)
    ]


def rolling_window(
    rng: Random,
    first: date,
    last: date,
    units: tuple[str, ...] = tuple(SPANS),
    months: tuple[int, int] | None = None,
) -> TimeWindow | None:
    """One that lies between two days; None where the draw fell outside.

    `today` is never later than a month's 28th, so that month arithmetic is plain.
    """
    unit = rng.choice(units)
    low, high = months if months and unit == "month" else SPANS[unit]
    count = rng.randint(low, high)
    today = first + timedelta(days=rng.randint(30, max((last - first).days, 30)))
    if today.day > LAST_SAFE_DAY or today > last:
        return None
    start = before(today, unit, count)
    return (
        TimeWindow(_midnight(start), _midnight(today), interval=f"{count} {unit}s")
        if start >= first
        else None
    )


def window_like(
    rng: Random, period: str, interval: str, first: date, last: date
) -> TimeWindow | None:
    """Another window of the same kind: a month, quarter or season elsewhere, or as many units
    before another day; None where it fell outside.
    """
    if period:
        kind = kind_of(period)
        return rng.choice(
            [window for window in named_windows(first, last) if kind_of(window.period) == kind]
        )
    count, unit = interval.split(" ")
    today = first + timedelta(days=rng.randint(1, max((last - first).days, 1)))
    start = before(today, unit.removesuffix("s"), int(count))
    return (
        TimeWindow(_midnight(start), _midnight(today), interval=interval)
        if start >= first and today.day <= LAST_SAFE_DAY
        else None
    )


def kind_of(period: str) -> str:
    """`month`, `quarter` or `season`."""
    return "quarter" if "quarter" in period else "season" if period.startswith("the ") else "month"


def rolling_around(rng: Random, today: date, after: date, by: date) -> TimeWindow | None:
    """One that ends on `today` and starts later than `after`, no later than `by`; None where no
    number of units does.
    """
    if today.day > LAST_SAFE_DAY:
        return None
    spans = [(unit, count) for unit, (low, high) in SPANS.items() for count in range(low, high + 1)]
    fitting = [(unit, count) for unit, count in spans if after < before(today, unit, count) <= by]
    if not fitting:
        return None
    unit, count = rng.choice(fitting)
    return TimeWindow(
        _midnight(before(today, unit, count)), _midnight(today), interval=f"{count} {unit}s"
    )


def before(day: date, unit: str, count: int) -> date:
    """The day so many days, weeks, calendar months or quarters earlier; a day that the month lacks
    becomes its last.
    """
    if unit in ("day", "week"):
        return day - timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 - count * (3 if unit == "quarter" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, _length(year, month + 1)))


def interval_forms(interval: str) -> tuple[str, ...]:
    """`6 weeks` also as `six weeks`, `6-week`, `six-week`; one day, week or month also with an
    article.
    """
    count, unit = interval.split(" ")
    single = unit.removesuffix("s")
    word = NUMBERS[int(count)] if int(count) < len(NUMBERS) else count
    forms = [f"{count} {unit}", f"{word} {unit}", f"{count}-{single}", f"{word}-{single}"]
    return tuple([*forms, f"a {single}"] if int(count) == 1 else forms)


def _period_forms(period: str) -> tuple[str, ...]:
    plain = period.removeprefix("the ")
    words = plain.split(" ")
    forms = [plain]
    if "quarter" in words:
        number, year = QUARTERS.index(words[0]) + 1, words[-1]
        forms += [f"Q{number} {year}", f"Q{number} of {year}"]
    elif len(words) > 2:
        forms += [f"{words[0]} {words[-1]}"]
    return tuple(forms)


def _named(year: int, month: int, months: int, period: str) -> TimeWindow:
    start = datetime(year, month, 1)
    after = year * 12 + month - 1 + months
    return TimeWindow(start, datetime(after // 12, after % 12 + 1, 1), period=period)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _length(year: int, month: int) -> int:
    following = date(year + month // 12, month % 12 + 1, 1)
    return (following - timedelta(days=1)).day
