"""The hours that people work, as intervals in UTC, and sums of working time.

A shift is drawn as wall clock of a site's time zone: two spells with a break between them, on five
days of the week, on few holidays. Knows no people and no cases.
"""

from bisect import bisect_right
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from latent.holidays import FreeDay, holidays_between, is_closed
from pipeline.world.tables import Array
from schemas.country import PublicHolidays

HOUR = 3600
NOON = time(12)

# The break that halves a shift: an hour, four hours after its start.
BREAK_AFTER = 4.0
BREAK_HOURS = 1.0

# Calendars go on behind the period, so that a case of its last days still has working hours to be
# answered in; what lies there is pulled back into the period.
DAYS_BEHIND = 60

ORDINARY_WEEKS = (0,)
SATURDAY_WEEKS = (1, 2, 3)
SUNDAY_WEEKS = (4, 5)
DAYS_OFF = (
    (5, 6),
    (1, 6),
    (2, 6),
    (3, 6),
    (3, 5),
    (4, 5),
)
"""The two weekdays (0 is Monday) on which the people of each week don't work.

Mondays, when most customers write, are nobody's day off.
"""

DUTY_GROUPS = 4
"""On a holiday on which the desk is not closed, one group of four is on duty."""


class ShiftKey(NamedTuple):
    """What tells the shifts of two people apart: zone, hours (local), days off and duty group.

    `week` is the row of the days off in DAYS_OFF.
    """

    zone: str
    start: float
    end: float
    week: int
    duty: int


@dataclass(frozen=True, slots=True)
class WorkPeriod:
    """The days for which calendars are made, and what keeps a desk closed on some of them.

    `closed` names the holidays on which nobody works, where the country leaves that to the trade.
    """

    first: datetime
    last: datetime
    closed: frozenset[str]
    holidays: PublicHolidays


@dataclass(frozen=True, slots=True)
class WorkCalendar:
    """Spells of work in the order of time; seconds since 1970 in UTC.

    `worked` is the working time before each spell, with the whole at the end. Before `begun` there
    is no work: people with the same spells share them, whenever each of them came.
    """

    starts: list[int]
    ends: list[int]
    worked: list[int]
    begun: int = 0

    def covers(self, moment: int) -> bool:
        """Whether there is work at a moment."""
        spell = bisect_right(self.starts, moment) - 1
        return spell >= 0 and self.begun <= moment < self.ends[spell]

    def after(self, moment: int, seconds: float) -> int:
        """The moment at which so many seconds have been worked since another one.

        It lies in a spell of work, or behind all of them where they are too few.
        """
        wanted = self._before(moment) + max(seconds, 1.0)
        # The spell in which the sum is reached; at a border it is the later one.
        spell = bisect_right(self.worked, wanted) - 1
        if spell >= len(self.starts):
            behind_all = max(moment, self.ends[-1])
            return behind_all + int(seconds)
        into_spell = wanted - self.worked[spell]
        return self.starts[spell] + int(into_spell)

    def waits(self, moments: Array, seconds: int = 0) -> Array:
        """How long after each moment there is work, or so many seconds have been worked.

        Where there is none yet it is a second more.
        """
        starts = np.array(self.starts)
        ends = np.array(self.ends)
        worked = np.array(self.worked)
        there = np.maximum(moments, self.begun)
        spell = np.searchsorted(starts, there, side="right") - 1
        covered = (spell >= 0) & (there < ends[spell]) & (moments >= self.begun)
        until = np.minimum(there, ends[spell])
        in_spell = worked[spell] + until - starts[spell]
        before = np.where(spell < 0, worked[0], in_spell)
        wanted = before + max(seconds, 1)
        later = np.searchsorted(worked, wanted, side="right") - 1
        beyond = later >= len(starts)
        later = np.where(beyond, 0, later)
        reached = starts[later] + wanted - worked[later]
        found = np.where(beyond, ends[-1], reached)
        wait = np.maximum(found - moments, 0)
        return np.asarray(np.where(covered & (seconds == 0), 0, wait))

    def since(self, moment: int) -> "WorkCalendar":
        """The same calendar for somebody who is not there before a moment."""
        return self if moment <= self.starts[0] else replace(self, begun=moment)

    def _before(self, moment: int) -> int:
        """The working time until a moment; until they came, for somebody who is not there yet."""
        moment = max(moment, self.begun)
        spell = bisect_right(self.starts, moment) - 1
        if spell < 0:
            return self.worked[0]
        until = min(moment, self.ends[spell])
        into_spell = until - self.starts[spell]
        return self.worked[spell] + into_spell


class WorkCalendars:
    """The calendars of a period; what they share is found out once."""

    def __init__(self, period: WorkPeriod) -> None:
        first = period.first.date()
        last = period.last.date() + timedelta(days=DAYS_BEHIND)
        self.period = period
        self.days = np.arange(np.datetime64(first), np.datetime64(last) + 1)
        self.free = holidays_between(period.holidays, first, last)
        self._midnights: dict[str, Array] = {}

    def of(self, key: ShiftKey) -> WorkCalendar:
        """The calendar of all people with the same shift."""
        if key.zone not in self._midnights:
            self._midnights[key.zone] = _midnights(self.days, key.zone)
        worked_days = _works_on(self.days, key, self.free, self.period)
        midnights = self._midnights[key.zone][worked_days]
        start, pause, again, close = _bounds(key)
        # Two spells a day: until the break, and from its end on.
        starts = _in_turn(midnights + start, midnights + again)
        ends = _in_turn(midnights + pause, midnights + close)
        sums = np.cumsum(ends - starts)
        worked = np.concatenate([[0], sums])
        return WorkCalendar(starts.tolist(), ends.tolist(), worked.tolist())


def _in_turn(first: Array, second: Array) -> Array:
    """Two columns of the same days as a single one: both of the first day, then of the next."""
    both = np.stack([first, second], axis=1)
    return both.ravel()


def _bounds(key: ShiftKey) -> list[int]:
    """Start, break, end of the break and end, in seconds since midnight."""
    pause = min(key.start + BREAK_AFTER, key.end)
    again = min(pause + BREAK_HOURS, key.end)
    hours = (key.start, pause, again, key.end)
    return [round(hour * HOUR) for hour in hours]


def _works_on(days: Array, key: ShiftKey, free: list[FreeDay], period: WorkPeriod) -> Array:
    """Whether each day is a working day of the shift."""
    # 1970-01-01 was a Thursday, weekday 3.
    weekdays = (days.astype(np.int64) + 3) % 7
    works = ~np.isin(weekdays, DAYS_OFF[key.week])
    for place, holiday in enumerate(free):
        closed = is_closed(period.holidays, period.closed, holiday)
        group = place % DUTY_GROUPS
        on_duty = group == key.duty and not closed
        if not on_duty:
            works &= days != np.datetime64(holiday.day)
    return np.asarray(works)


def _midnights(days: Array, name: str) -> Array:
    """The seconds in UTC of each day's local midnight.

    Clocks change at two in the morning, before anybody works: noon's distance from UTC counts.
    """
    zone = ZoneInfo(name)
    noons = [datetime.combine(day, NOON, zone).timestamp() for day in days.tolist()]
    return np.array(noons, dtype=np.int64) - NOON.hour * HOUR


def seconds_of(moment: datetime) -> int:
    """A moment without a zone of its own, in UTC, as seconds since 1970."""
    in_utc = moment.replace(tzinfo=UTC)
    return int(in_utc.timestamp())


def moment_of(seconds: int) -> datetime:
    """The moment in UTC of so many seconds since 1970, without a zone of its own."""
    in_utc = datetime.fromtimestamp(seconds, UTC)
    return in_utc.replace(tzinfo=None)
