"""When a channel is used: its weekdays, its hours, and the days on which it is closed.

Takes the figures from the trade (`buying.visits`). Knows no customers and no orders.
"""

import numpy as np

from latent.draws import pick
from latent.local_time import to_utc
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array
from schemas.buying import Visit

THURSDAY = 3  # the weekday of 1970-01-01, from which numpy counts days
SECONDS_A_DAY = 86_400
SECONDS_AN_HOUR = 3600

# A day that was drawn without regard to weekdays moves by up to three, to one that suits the
# channel: the week keeps its sum, and no day is left out.
NEAR = np.arange(-3, 4)

# On the web the evening counts most, in a shop the afternoon: the hump lies late in the hours.
DAY_SHAPE = (2.6, 1.9)
NOON = np.timedelta64(12 * SECONDS_AN_HOUR, "s")


def visit_of(setting: RunContext, channel: str) -> Visit:
    """When a channel is used; at any hour where the trade says nothing of it."""
    return setting.world.trade.buying.visits.get(channel, Visit())


def open_days(
    rng: Stream,
    org: Org,
    days: Array,
    channels: Array,
    earliest: Array | None = None,
    levels: Array | None = None,
) -> Array:
    """The days, each moved by up to three so that it suits the weekdays of its channel.

    No day leaves the period or goes before `earliest`. `levels` has a number for each day of the
    period: a day moves to one of the same number if one will do. It stays where no other will.
    """
    setting = org.setting
    first = setting.first_day if earliest is None else earliest
    near = days[:, None] + NEAR.astype("timedelta64[D]")
    low = np.broadcast_to(np.asarray(first), days.shape)[:, None]
    inside = (near >= low) & (near <= setting.last_day)
    weights = np.zeros(near.shape)
    closed = org.table("ClosedDays.days")["day"]
    for channel in np.unique(channels.astype(str)):
        rows = channels == channel
        weights[rows] = busyness(setting, channel, near[rows], closed)
    weights *= inside
    if levels is not None:
        place = np.clip((near - setting.first_day).astype(int), 0, len(levels) - 1)
        alike = weights * (levels[place] == levels[place[:, [len(NEAR) // 2]]])
        weights = np.where(alike.sum(axis=1, keepdims=True) > 0, alike, weights)
    usable = weights.sum(axis=1) > 0
    moved = near[np.arange(len(days)), pick(rng, weights)] if len(days) else days
    return np.where(usable, moved, days)


def moments(
    rng: Stream,
    setting: RunContext,
    days: Array,
    channels: Array,
    zones: Array,
) -> Array:
    """A moment in UTC (datetime64[s]) on each day, at an hour at which the channel is used.

    The clock is the customer's. `days` are days of UTC: what happens late on a western evening
    belongs to the next one.
    """
    noon = days.astype("datetime64[s]") + NOON
    offset = (_offsets(noon, zones) / np.timedelta64(1, "s")).astype(int)
    points = rng.beta(*DAY_SHAPE, size=len(days))
    start = np.zeros(len(days))
    end = np.zeros(len(days))
    for channel in np.unique(channels.astype(str)):
        rows = channels == channel
        visit = visit_of(setting, channel)
        opens, closes = (hour * SECONDS_AN_HOUR for hour in visit.hours)
        start[rows] = opens
        # A shop's day is one day: it ends before midnight of UTC does.
        midnight = SECONDS_A_DAY - 1 - offset[rows]
        end[rows] = np.minimum(closes, midnight) if visit.staffed else closes
    local = np.round(start + (end - start) * points).astype(int)
    seconds = (local + offset) % SECONDS_A_DAY
    return np.asarray(days.astype("datetime64[s]") + seconds.astype("timedelta64[s]"))


def _offsets(noon: Array, zones: Array) -> Array:
    """How far UTC is ahead of each zone's clock at noon of a day; asked once a day and zone."""
    keys = np.array([f"{moment} {zone}" for moment, zone in zip(noon, zones, strict=True)])
    if not len(keys):
        return np.zeros(0, dtype="timedelta64[s]")
    _, rows, back = np.unique(keys, return_index=True, return_inverse=True)
    return np.asarray((to_utc(noon[rows], zones[rows]) - noon[rows])[back])


def busyness(setting: RunContext, channel: str, days: Array, closed: Array) -> Array:
    """How busy a channel is on each day (any shape); 0 where it is closed, as on `closed` days."""
    visit = visit_of(setting, channel)
    weekday = (days.astype(int) + THURSDAY) % 7
    busy = np.array(visit.weekdays, dtype=float)[weekday]
    if visit.staffed:
        busy = np.where(np.isin(days, closed), 0.0, busy)
    return np.asarray(busy)
