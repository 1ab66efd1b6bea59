"""The clock of conversations: office hours, nights, pauses and the period's end."""

import random
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.clockwork import awake, chat_times, email_times, office_hours, squeezed

MONDAY = datetime(2022, 3, 7)
FRIDAY = MONDAY + timedelta(days=4)
DICE = st.integers(0, 2**32).map(random.Random)
MOMENTS = st.datetimes(datetime(2022, 1, 1), datetime(2023, 12, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)
MANY = settings(max_examples=200, deadline=None)


def clock(day: datetime, hour: int, minute: int = 0) -> datetime:
    """A moment of a day."""
    return day.replace(hour=hour, minute=minute)


@pytest.mark.parametrize("moment", [clock(MONDAY, 8), clock(MONDAY, 12), clock(FRIDAY, 17, 59)])
def test_a_moment_in_office_hours_stays(moment: datetime) -> None:
    """From eight to just before six on weekdays an agent answers at once."""
    assert office_hours(random.Random(1), moment) == moment


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (clock(MONDAY, 7, 59), MONDAY),
        (clock(MONDAY, 18), MONDAY + timedelta(days=1)),
        (clock(FRIDAY, 18), MONDAY + timedelta(days=7)),
        (clock(FRIDAY + timedelta(days=1), 12), MONDAY + timedelta(days=7)),
        (clock(FRIDAY + timedelta(days=2), 3), MONDAY + timedelta(days=7)),
    ],
)
def test_any_other_moment_waits_for_the_next_office_morning(
    moment: datetime, day: datetime
) -> None:
    """Before eight the same weekday, else the next one, two minutes to three hours after eight."""
    for seed in range(50):
        answered = office_hours(random.Random(seed), moment)
        assert clock(day, 8, 2) <= answered <= clock(day, 11)


@pytest.mark.parametrize("hour", [6, 12, 23])
def test_a_customer_writes_at_any_hour_of_the_day(hour: int) -> None:
    """From six on a moment stays."""
    assert awake(random.Random(1), clock(MONDAY, hour)) == clock(MONDAY, hour)


def test_a_customer_does_not_write_at_night() -> None:
    """Before six a moment waits for the same morning, ten minutes to four hours after six."""
    for seed in range(50):
        written = awake(random.Random(seed), clock(MONDAY, 5, 59))
        assert clock(MONDAY, 6, 10) <= written <= clock(MONDAY, 10)


@MANY
@given(dice=DICE, created=MOMENTS, turns=st.lists(st.booleans(), min_size=1, max_size=11))
def test_mails_rise_from_creation_to_the_end(
    dice: random.Random, created: datetime, turns: list[bool]
) -> None:
    """The first mail is the case's creation, each later one is later, none is behind the end."""
    end = datetime(2023, 12, 31, 23, 59, 59)
    times = email_times(dice, created, 30.0, turns, [False] * len(turns), end)
    assert times[0] == created and len(times) == len(turns) and times[-1] <= end
    assert all(before < after for before, after in zip(times, times[1:], strict=False))


@MANY
@given(dice=DICE)
def test_nobody_answers_within_two_minutes_nor_asks_for_news_within_the_hour(
    dice: random.Random,
) -> None:
    """Even in a short case a mail takes two minutes, and a follow-up twenty hours."""
    created, end = clock(MONDAY, 9), datetime(2023, 1, 1)
    times = email_times(dice, created, 0.1, [False, True, False], [False, False, True], end)
    assert times[1] - times[0] >= timedelta(minutes=2)
    assert times[2] - times[1] >= timedelta(hours=20)


@MANY
@given(dice=DICE, pace=st.floats(0.01, 50))
def test_chat_lines_come_every_half_minute_to_three(dice: random.Random, pace: float) -> None:
    """However fast or slow the agent, a chat's pace stays within its bounds."""
    times = chat_times(dice, MONDAY, 12, pace)
    assert timedelta(seconds=70) <= times[0] - MONDAY <= timedelta(seconds=260)
    factor = min(max(pace, 0.6), 2.2)
    for before, after in zip(times, times[1:], strict=False):
        assert 18 * factor - 1 <= (after - before).total_seconds() <= 95 * factor + 1


@MANY
@given(dice=DICE, first=MOMENTS, gaps=st.lists(st.integers(60, 10**6), min_size=1, max_size=10))
def test_what_runs_past_the_end_is_pressed_together(
    dice: random.Random, first: datetime, gaps: list[int]
) -> None:
    """Times that end in time stay; others keep their order and end in time where there is room."""
    times = [first]
    for gap in gaps:
        times.append(times[-1] + timedelta(seconds=gap))
    assert squeezed(dice, times, times[-1]) == times
    early = times[-1] - timedelta(seconds=1)
    pressed = squeezed(dice, times, early)
    assert pressed[0] == first and pressed[-1] <= early
    assert pressed == sorted(pressed)
    # Ten minutes a message, or all that is left where that is less.
    least = min(timedelta(minutes=10 * len(times)), early - first)
    assert pressed[-1] - first >= least - timedelta(seconds=1)


def test_where_no_room_is_left_order_counts_for_more_than_the_end() -> None:
    """Three mails of a case created at the end itself follow one another by a second."""
    times = [MONDAY, MONDAY + timedelta(hours=1), MONDAY + timedelta(hours=2)]
    pressed = squeezed(random.Random(1), times, MONDAY)
    assert [(moment - MONDAY).total_seconds() for moment in pressed] == [0, 1, 3]
