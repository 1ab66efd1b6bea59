"""From the clock on a wall to UTC, in which the CRM keeps every moment.

People live by local time: they write in the evening, and agents work from eight to six. All such
times are drawn as local time and stored in UTC, daylight saving time included. Knows no people.
"""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np

from pipeline.world.tables import Array


def to_utc(local: Array, zones: Array) -> Array:
    """The moments (datetime64[s]) of wall clocks in time zones, one zone a row.

    >>> to_utc(np.array(["2021-07-01T08:00:00"], "datetime64[s]"), np.array(["America/New_York"]))
    array(['2021-07-01T12:00:00'], dtype='datetime64[s]')
    """
    known = {name: ZoneInfo(name) for name in set(map(str, zones))}
    moments = []
    for moment, zone in zip(local.astype("datetime64[s]").tolist(), zones, strict=True):
        moments.append(utc_of(moment, known[str(zone)]))
    return np.array(moments, dtype="datetime64[s]")


def to_local(moments: Array, zones: Array) -> Array:
    """What wall clocks in the zones show at moments in UTC (datetime64[s]), one zone a row."""
    known = {name: ZoneInfo(name) for name in set(map(str, zones))}
    shown = []
    for moment, zone in zip(moments.astype("datetime64[s]").tolist(), zones, strict=True):
        shown.append(local_of(moment, known[str(zone)]))
    return np.array(shown, dtype="datetime64[s]")


def utc_of(local: datetime, zone: ZoneInfo) -> datetime:
    """The moment, without a zone of its own, at which a wall clock in `zone` shows `local`."""
    return local.replace(tzinfo=zone).astimezone(UTC).replace(tzinfo=None)


def local_of(moment: datetime, zone: ZoneInfo) -> datetime:
    """What a wall clock in `zone` shows at a moment in UTC."""
    return moment.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
