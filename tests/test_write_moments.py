"""When texts are written stands in a prompt by the customer's clock."""

import pytest

from pipeline.write.moments import exact_waits, told_moments
from verifiers.near_days import local_moment

NEW_YORK = "America/New_York"


def test_a_day_is_told_once_and_an_hour_where_time_has_passed() -> None:
    """Lines of a chat that follow at once have no time, and a new day is told as a whole."""
    moments = ("2021-03-02T14:05:00", "2021-03-02T14:06:00", "2021-03-02T14:08:00")
    parts = [{"at": moment} for moment in (*moments, "2021-03-04T05:00:00")]
    assert told_moments(parts, NEW_YORK) == [
        "Tuesday, March 2, 2021, 9:05 AM",
        "",
        "9:08 AM",
        "Thursday, March 4, 2021, 12:00 AM",
    ]


@pytest.mark.parametrize(
    ("moment", "zone"), [("", NEW_YORK), ("2021-03-02T14:05:00", ""), (None, None)]
)
def test_an_unknown_moment_is_not_told(moment: str | None, zone: str | None) -> None:
    """Without a moment or the customer's zone nobody knows what the clock shows."""
    assert local_moment(moment, zone) is None
    assert told_moments([{"at": moment}], zone) == [""]


@pytest.mark.parametrize(
    ("day", "waited", "told"),
    [("03-13", "two weeks", "11 days"), ("03-19", "two weeks", "17 days"), ("03-05", "x", "x")],
)
def test_a_long_wait_is_told_to_the_day(day: str, waited: str, told: str) -> None:
    """Two weeks may be eleven days or seventeen: a writer is told which."""
    parts = [{"at": "2021-03-02T14:00:00"}, {"at": f"2021-{day}T15:00:00", "waited": waited}]
    assert exact_waits(parts) == [None, told]


def test_a_wait_without_moments_is_told_as_it_is() -> None:
    """In toy data that knows no moments the words stay."""
    assert exact_waits([{}, {"waited": "two weeks"}]) == [None, "two weeks"]
