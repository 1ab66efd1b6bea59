"""When the accounts of a company's users were made, last used and last changed.

It knows who the people are and from when to when they work, and no case.
"""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from latent.local_time import utc_of
from latent.org_chart import Workplace
from latent.work_calendar import DAYS_OFF
from latent.workers import AUTOMATED, SERVICE_KINDS, SYSTEM, Worker
from pipeline.world.org import RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array

# Users are made in the morning of their first day. Those who were there before are made when the
# CRM goes live, in one batch at the period's first moment.
MADE_AT = (7.5, 9.5)

# Service people log in on every day they work, others every few days (exponential, in days).
USUAL_ABSENCE = {True: 0.5, False: 6.0}
LOGGED_IN_AT = (8.0, 16.0)

# An account is switched off in the last hour of its person's last day, a Friday; what was
# forgotten then is done on Monday. Chosen by eye.
SWITCHED_OFF_AT = (16.5, 18.0)
FORGOTTEN = 0.3
DAYS_TO_MONDAY = 3


def made(
    setting: RunContext,
    rng: Stream,
    people: list[Worker],
    sites: list[Workplace],
) -> Array:
    """When each user was made."""
    hours = rng.uniform(*MADE_AT, size=len(people))
    go_live = datetime.combine(setting.profile.period.start, time())
    moments = []
    for person, site, hour in zip(people, sites, hours.tolist(), strict=True):
        joined = person.tenure.joined
        moments.append(go_live if joined <= 0 else _at(setting, site, joined, hour))
    return np.array(moments, dtype="datetime64[s]")


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
    for person, site, hour, absence in zip(people, sites, hours, absences, strict=True):
        if person.given == AUTOMATED:
            moments.append(np.datetime64("NaT"))
            continue
        usual = USUAL_ABSENCE[person.kind in SERVICE_KINDS]
        day = person.tenure.left
        if day is None:
            away = 0 if person.kind == SYSTEM else int(absence * usual)
            day = max(_last_working_day(setting, person, length - away), person.tenure.joined)
        moments.append(_at(setting, site, day, hour))
    return np.array(moments, dtype="datetime64[s]")


def _last_working_day(setting: RunContext, person: Worker, day: int) -> int:
    """The day itself, or the last day before on which the person works."""
    start = setting.profile.period.start
    while (
        person.kind != SYSTEM and (start + timedelta(days=day)).weekday() in DAYS_OFF[person.week]
    ):
        day -= 1
    return day
