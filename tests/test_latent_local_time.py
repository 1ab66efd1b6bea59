"""Wall clocks against UTC."""

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from latent.local_time import local_of, to_local, to_utc, utc_of

ZONES = ("America/New_York", "America/Phoenix", "America/Los_Angeles", "Pacific/Honolulu", "UTC")


def test_summer_and_winter_differ_where_clocks_are_changed() -> None:
    """Eight in New York is noon in UTC in July, and one o'clock in January; Phoenix never moves."""
    local = np.array(["2021-07-01T08:00:00", "2021-01-01T08:00:00"] * 2, dtype="datetime64[s]")
    zones = np.array(["America/New_York"] * 2 + ["America/Phoenix"] * 2, dtype=object)
    hours = [moment.hour for moment in to_utc(local, zones).tolist()]
    assert hours == [12, 13, 15, 15]


@given(
    st.datetimes(min_value=datetime(2019, 1, 1), max_value=datetime(2025, 1, 1)),
    st.sampled_from(ZONES),
)
def test_there_and_back_is_the_same_moment(moment: datetime, zone: str) -> None:
    """A moment shown on a wall clock and read from it is the same, but in the doubled hour."""
    shown = local_of(moment, ZoneInfo(zone))
    back = utc_of(shown, ZoneInfo(zone))
    assert back == moment or local_of(back, ZoneInfo(zone)) == shown


def test_columns_go_both_ways() -> None:
    """Columns are turned row by row, each by its own zone."""
    zones = np.array(["America/New_York", "UTC"], dtype=object)
    moments = np.array(["2021-07-01T12:00:00"] * 2, dtype="datetime64[s]")
    shown = to_local(moments, zones)
    assert [moment.hour for moment in shown.tolist()] == [8, 12]
    assert (to_utc(shown, zones) == moments).all()
