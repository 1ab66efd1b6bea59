"""When the accounts of a company's users were made, last used and last changed.

It knows who the people are and from when to when they work, and no case.
"""

from collections.abc import Collection
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from latent.holidays import FreeDay, closed_between
from latent.local_time import utc_of
from latent.org_chart import ADMINISTRATOR, Workplace
from latent.work_calendar import DAYS_OFF
from latent.workers import AUTOMATED, SERVICE_KINDS, SYSTEM, Worker
from pipeline.world.org import RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array

# Users are made in the morning of their first day. Those who were there before are made before the
# CRM is used: who runs it and its programs some weeks before, all others in one morning, ten at a
# time as its form takes them. Chosen by eye.
MADE_AT = (7.5, 9.5)
ADMINS_AHEAD = (38, 16.8)  # days, and the hour of UTC
OTHERS_AHEAD = (13, 14.6)
AT_A_TIME = 10
SECONDS_A_FORM = (150, 420)

# Service people log in on every day they work, others every few days (exponential, in days).
USUAL_ABSENCE = {True: 0.5, False: 6.0}
LOGGED_IN_AT = (8.0, 16.0)

# An account is switched off in the last hour of its person's last day, a Friday; what was
# forgotten then is done on Monday. Chosen by eye.
SWITCHED_OFF_AT = (16.5, 18.0)
FORGOTTEN = 0.3
DAYS_TO_MONDAY = 3

SATURDAY = 5
MINUTES_AN_HOUR = 60
SECONDS_A_MINUTE = 60


def made(
    setting: RunContext,
    rng: Stream,
    people: list[Worker],
    sites: list[Workplace],
) -> Array:
    """When each user was made."""
    hours = rng.uniform(*MADE_AT, size=len(people))
    forms = setting.stream("Workforce", "forms")
    first, others = _ahead(setting, forms, *ADMINS_AHEAD), _ahead(setting, forms, *OTHERS_AHEAD)
    moments = []
    typed = 0
    for person, site, hour in zip(people, sites, hours.tolist(), strict=True):
        joined = person.tenure.joined
        if joined > 0:
            moments.append(_at(setting, site, joined, hour))
        elif person.kind == SYSTEM or person.profile == ADMINISTRATOR:
            moments.append(first)
        else:
            if typed and typed % AT_A_TIME == 0:
                others += timedelta(seconds=int(forms.integers(*SECONDS_A_FORM)))
            moments.append(others)
            typed += 1
    return np.array(moments, dtype="datetime64[s]")


def _ahead(setting: RunContext, rng: Stream, days: int, hour: float) -> datetime:
    """About an hour of the last working day, so many days before the period."""
    first = setting.profile.period.start
    free = {free.day for free in _closed(setting, first - timedelta(days=2 * days), first)}
    day = first - timedelta(days=days)
    while day.weekday() >= SATURDAY or day in free:
        day -= timedelta(days=1)
    minutes = int(hour * MINUTES_AN_HOUR) + int(rng.integers(MINUTES_AN_HOUR))
    seconds = int(rng.integers(SECONDS_A_MINUTE))
    return datetime.combine(day, time()) + timedelta(minutes=minutes, seconds=seconds)


def _closed(setting: RunContext, first: date, last: date) -> list[FreeDay]:
    closed_on = setting.world.trade.staff.closed_on
    return closed_between(setting.country.holidays, closed_on, first, last)


def _at(setting: RunContext, site: Workplace, day: int, hour: float) -> datetime:
    """A local hour of a day of the period, as a moment in UTC within the period."""
    period = setting.profile.period
    local = datetime.combine(period.start, time()) + timedelta(days=day, seconds=round(hour * 3600))
    moment = utc_of(local, ZoneInfo(site.zone))
    first = datetime.combine(period.start, time())
    last = datetime.combine(period.end, time(23, 59, 59))
    return min(max(moment, first), last)


def touched(
    setting: RunContext,
    created: Array,
    people: list[Worker],
    sites: list[Workplace],
) -> Array:
    """When each account last had to be changed: made, or switched off after its person left."""
    rng = setting.stream("Workforce", "switched off")
    hours = rng.uniform(*SWITCHED_OFF_AT, size=len(people)).tolist()
    forgotten = rng.random(len(people)) < FORGOTTEN
    moments = created.copy()
    for row, (person, site) in enumerate(zip(people, sites, strict=True)):
        if person.tenure.left is not None:
            day = person.tenure.left + DAYS_TO_MONDAY * int(forgotten[row])
            moments[row] = _at(setting, site, day, hours[row])
    return np.asarray(moments)


def last_logins(
    setting: RunContext,
    rng: Stream,
    people: list[Worker],
    sites: list[Workplace],
) -> Array:
    """When each user was last there; never for the program that the CRM itself is."""
    length = int((setting.last_day - setting.first_day).astype(int))
    hours = rng.uniform(*LOGGED_IN_AT, size=len(people)).tolist()
    absences = rng.exponential(1.0, size=len(people)).tolist()
    moments: list[datetime | np.datetime64] = []
    period = setting.profile.period
    closed = {free.day for free in _closed(setting, period.start, period.end)}
    for person, site, hour, absence in zip(people, sites, hours, absences, strict=True):
        if person.given == AUTOMATED:
            moments.append(np.datetime64("NaT"))
            continue
        usual = USUAL_ABSENCE[person.kind in SERVICE_KINDS]
        day = person.tenure.left
        if day is None:
            away = 0 if person.kind == SYSTEM else int(absence * usual)
            there = _last_working_day(setting, person, length - away, closed)
            day = max(there, person.tenure.joined)
        moments.append(_at(setting, site, day, hour))
    return np.array(moments, dtype="datetime64[s]")


def _last_working_day(
    setting: RunContext,
    person: Worker,
    day: int,
    closed: Collection[date],
) -> int:
    """The day itself, or the last day before on which the person works."""
    start = setting.profile.period.start
    while person.kind != SYSTEM and _is_free(start + timedelta(days=day), person, closed):
        day -= 1
    return day


def _is_free(day: date, person: Worker, closed: Collection[date]) -> bool:
    return day.weekday() in DAYS_OFF[person.week] or day in closed
