"""On which days people begin to work and leave: on days of work, and not all on the same one.

A part of Workforce. Most begin on a Monday or on the first of a month, and most leave on a Friday
or on its last day; what falls on a weekend or a holiday is passed over. Knows no seats.
"""

from datetime import date

import numpy as np

from latent.holidays import closed_between
from latent.tenure import Tenure
from pipeline.world.org import RunContext
from pipeline.world.tables import Array

DAYS_A_WEEK = 7
FRIDAY = 4
DAY = np.timedelta64(1, "D")

# Of ten people six begin on a Monday and two on the first of a month, the others in between; they
# leave likewise. Chosen by eye.
ON_MONDAYS = 0.6
BY_THE_MONTH = 0.2


def on_working_days(
    setting: RunContext,
    tenure: Tenure,
) -> Tenure:
    """The same time in a seat, from a day of work to another one, within the period."""
    first = setting.first_day
    length = int((setting.last_day - first).astype(int))
    free = _closed(setting)
    # The seat and the first day tell people apart, so that no day depends on other people's.
    rng = setting.stream("Workforce", f"days of {tenure.seat} from {tenure.joined}")
    begins, leaves = rng.random(2).tolist()
    joined, left = tenure.joined, tenure.left
    if joined > 0:
        begun = _begun(first + joined * DAY, begins, free)
        joined = min(int((begun - first) / DAY), length)
    if left is not None:
        over = _over(first + left * DAY, leaves, free)
        left = min(int((over - first) / DAY), length)
    return Tenure(tenure.seat, joined, left)


def _begun(
    day: np.datetime64,
    point: float,
    free: Array,
) -> np.datetime64:
    """The first day of whoever was to begin on a day, at it or later."""
    if point < ON_MONDAYS:
        day = day + (-_weekday(day) % DAYS_A_WEEK) * DAY
    elif point < ON_MONDAYS + BY_THE_MONTH:
        day = (day.astype("datetime64[M]") + 1).astype("datetime64[D]")
    return np.datetime64(np.busday_offset(day, 0, roll="forward", holidays=free))


def _over(
    day: np.datetime64,
    point: float,
    free: Array,
) -> np.datetime64:
    """The last day of whoever was to leave on a day, in the same week or month."""
    if point < ON_MONDAYS:
        day = day - ((_weekday(day) - FRIDAY) % DAYS_A_WEEK) * DAY
    elif point < ON_MONDAYS + BY_THE_MONTH:
        day = (day.astype("datetime64[M]") + 1).astype("datetime64[D]") - DAY
    return np.datetime64(np.busday_offset(day, 0, roll="backward", holidays=free))


def _closed(setting: RunContext) -> Array:
    period, closed_on = setting.profile.period, setting.world.trade.staff.closed_on
    found = closed_between(setting.country.holidays, closed_on, period.start, period.end)
    return np.array([free.day for free in found], dtype="datetime64[D]")


def _weekday(day: np.datetime64) -> int:
    """0 for a Monday."""
    return date.fromisoformat(str(day)).weekday()
