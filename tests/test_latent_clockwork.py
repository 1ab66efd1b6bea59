"""The clock of e-mail threads and chats: shifts, nights, silences and bounds."""

import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.clockwork import (
    LAST_SECONDS,
    LONGEST_WAIT,
    ChatPause,
    MailSender,
    ThreadClock,
    awake,
    chat_end,
    chat_times,
    chat_wait,
    email_times,
    squeezed,
)
from latent.local_time import local_of
from latent.work_calendar import (
    HOUR,
    ShiftKey,
    WorkCalendars,
    WorkPeriod,
    moment_of,
    seconds_of,
)
from schemas.country import load_country

HOLIDAYS = load_country("en_US").holidays
PERIOD = WorkPeriod(datetime(2022, 1, 1), datetime(2022, 12, 31), frozenset(), HOLIDAYS)
DENVER, NEW_YORK = ZoneInfo("America/Denver"), ZoneInfo("America/New_York")
EARLY = WorkCalendars(PERIOD).of(ShiftKey("America/Denver", 8, 16.5, 0, 0))
MONDAY = seconds_of(datetime(2022, 3, 7, 12))
END = seconds_of(datetime(2022, 12, 31, 23))
CUSTOMER = MailSender(None)
DICE = st.integers(0, 2**32).map(random.Random)
MANY = settings(max_examples=200, deadline=None)


def clock(pace: float = 1.0, leaves: int = END, end: int = END) -> ThreadClock:
    """A thread of a customer in New York with an agent in Denver, begun on a Monday."""
    return ThreadClock(MONDAY, 2.0, pace, (EARLY,), (leaves,), NEW_YORK, end)


def senders(messages: int) -> list[MailSender]:
    """Customer and agent in turn."""
    return [CUSTOMER if place % 2 == 0 else MailSender(0) for place in range(messages)]


@MANY
@given(dice=DICE, messages=st.integers(1, 11), pace=st.floats(0.2, 4))
def test_mails_rise_and_agents_send_theirs_in_their_shift(
    dice: random.Random,
    messages: int,
    pace: float,
) -> None:
    """Moments rise strictly from the creation, and each of an agent's is covered by the shift."""
    times = email_times(dice, clock(pace), senders(messages))
    assert times[0] == MONDAY
    assert all(before < after for before, after in zip(times, times[1:], strict=False))
    assert all(EARLY.covers(moment) for moment in times[1::2])


@MANY
@given(dice=DICE, messages=st.integers(2, 11), hours=st.integers(30, 400))
def test_nothing_is_sent_behind_the_end(dice: random.Random, messages: int, hours: int) -> None:
    """What would be late is sent in haste, or pressed together."""
    end = MONDAY + hours * HOUR
    assert email_times(dice, clock(3.0, end=end), senders(messages))[-1] <= end


@MANY
@given(dice=DICE, days=st.integers(3, 12))
def test_nobody_sends_mails_after_their_last_day(dice: random.Random, days: int) -> None:
    """An agent's mails lie before they leave; the next agent's may come later."""
    late = MONDAY + days * 24 * HOUR
    thread = ThreadClock(MONDAY, 2.0, 2.0, (EARLY, EARLY), (late, END), NEW_YORK, END)
    steps = [CUSTOMER, MailSender(0), CUSTOMER, MailSender(0), CUSTOMER, MailSender(1)]
    assert email_times(dice, thread, steps)[3] <= late


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_last_second_is_in_time(seed: int) -> None:
    """Nobody hurries whose mail goes out in the last second of their last day, or of the period."""
    for messages in (2, 3):
        free = email_times(random.Random(seed), clock(), senders(messages))
        left = clock(leaves=free[1])
        over = clock(end=free[-1])
        assert email_times(random.Random(seed), left, senders(messages)) == free
        assert email_times(random.Random(seed), over, senders(messages)) == free


@MANY
@given(dice=DICE)
def test_nobody_asks_for_news_within_most_of_a_day(dice: random.Random) -> None:
    """A patient customer writes twenty hours later at the earliest, others after two minutes."""
    thread = [CUSTOMER, MailSender(0), MailSender(None, patient=True), MailSender(0), CUSTOMER]
    times = email_times(dice, clock(0.2), thread)
    assert times[2] - times[1] >= 20 * HOUR
    assert times[4] - times[3] >= 120


@MANY
@given(dice=DICE, hour=st.integers(0, 23))
def test_a_customer_does_not_write_at_night(dice: random.Random, hour: int) -> None:
    """By the customer's own clock it is six at least, on the same day."""
    moment = seconds_of(datetime(2022, 7, 4) + timedelta(hours=hour))
    found = local_of(moment_of(awake(dice, moment, NEW_YORK)), NEW_YORK)
    before = local_of(moment_of(moment), NEW_YORK)
    assert found.hour >= 6 and found.date() == before.date()
    assert found == before or before.hour < 6


def test_a_busy_desk_lets_chats_wait() -> None:
    """Many chats are taken at once, some wait for minutes, none longer than half an hour."""
    rng = random.Random(1)
    usual = sorted(chat_wait(rng, 1.0) for _ in range(2000))
    busy = sorted(chat_wait(rng, 3.0) for _ in range(2000))
    assert sum(wait <= 20 for wait in usual) > 700
    assert usual[1900] > 5 * usual[1000]
    assert busy[1000] > 2 * usual[1000]
    assert busy[-1] <= LONGEST_WAIT


@MANY
@given(dice=DICE, pace=st.floats(0.1, 9))
def test_a_long_chat_line_takes_longer_than_a_short_one(dice: random.Random, pace: float) -> None:
    """Whatever the pace, forty words mostly take longer to type than two; time only goes on."""
    lines = [ChatPause(False, 2), ChatPause(True, 40), ChatPause(False, 2), ChatPause(False, 2)]
    longer = 0
    for _ in range(20):
        first, long, short, again = chat_times(dice, MONDAY, lines, pace, 40.0)
        assert first == MONDAY
        assert first < long < short < again
        longer += long - first > short - long
    assert longer > 12


@MANY
@given(dice=DICE)
def test_what_is_at_hand_takes_no_typing(dice: random.Random) -> None:
    """A text that an agent keeps is sent sooner than one that they type, as a rule."""
    seconds = {}
    for canned in (True, False):
        lines = [ChatPause(False, 2), ChatPause(True, 12, canned=canned)]
        drawn = [chat_times(dice, MONDAY, lines, 1.0, 40.0) for _ in range(40)]
        seconds[canned] = sorted(last - first for first, last in drawn)[20]
    assert seconds[True] < seconds[False]


@MANY
@given(dice=DICE)
def test_who_waits_in_vain_waits_for_a_minute_at_least(dice: random.Random) -> None:
    """Nobody asks whether somebody is still there right after the own line."""
    asks = ChatPause(True, 4, goes_on=True, in_vain=True)
    first, asked = chat_times(dice, MONDAY, [ChatPause(True, 9), asks], 1.0, 40.0)
    assert asked - first >= 60


@MANY
@given(dice=DICE)
def test_who_asks_for_a_minute_takes_it(dice: random.Random) -> None:
    """What an agent asks a visitor to wait for is not there within seconds."""
    answer = ChatPause(True, 2, goes_on=True, announced=True)
    asked, back = chat_times(dice, MONDAY, [ChatPause(True, 4), answer], 0.75, 40.0)
    assert back - asked >= 40


@MANY
@given(dice=DICE)
def test_a_chat_ends_after_its_last_line_and_later_for_the_silent(dice: random.Random) -> None:
    """A quarter to three minutes pass; three to ten where the window waits for somebody."""
    assert 15 <= chat_end(dice, MONDAY, END, idle=False) - MONDAY <= 180
    assert 180 <= chat_end(dice, MONDAY, END, idle=True) - MONDAY <= 600


@pytest.mark.parametrize(("bound", "end"), [(5, 5), (0, 0), (-60, 0)])
def test_a_chat_ends_by_its_bound_but_never_before_its_last_line(bound: int, end: int) -> None:
    """Whoever leaves or a period that ends cuts the wait, not the words."""
    dice = random.Random(1)
    assert chat_end(dice, MONDAY, MONDAY + bound, idle=True) == MONDAY + end


@pytest.mark.parametrize("span", [1, 50, 5000])
def test_where_no_room_is_left_order_counts_for_more_than_the_end(span: int) -> None:
    """Pressed together, moments still rise by a second at least."""
    times = [MONDAY, MONDAY + 10_000, MONDAY + 20_000, MONDAY + 30_000]
    pressed = squeezed(random.Random(1), times, MONDAY + span)
    assert pressed[0] == MONDAY
    assert all(before < after for before, after in zip(pressed, pressed[1:], strict=False))


def test_nobody_works_before_they_are_there() -> None:
    """A calendar since a moment is the same behind it, and begins in the middle of a spell."""
    ten = seconds_of(datetime(2022, 3, 7, 17))
    since = EARLY.since(ten)
    assert since.after(MONDAY - 30 * HOUR, 60) == ten + 60
    assert since.after(ten, 3 * HOUR) == EARLY.after(ten, 3 * HOUR)
    assert since.after(ten + 40 * HOUR, HOUR) == EARLY.after(ten + 40 * HOUR, HOUR)
    assert not since.covers(ten - 1) and since.covers(ten)
    assert EARLY.since(0) is EARLY


def test_a_managers_word_takes_minutes() -> None:
    """Nobody has asked a manager within a minute."""
    lines = [ChatPause(agent=False, words=5), ChatPause(agent=True, words=8, asked_around=True)]
    for seed in range(20):
        said, answered = chat_times(random.Random(seed), 0, lines, 1.0, 40.0)
        assert answered - said >= 80


@pytest.mark.parametrize(
    ("times", "end", "pressed"),
    [
        ([0, 60, 100], 100, [0, 60, 100]),
        ([0, 50_000, 100_000], 90, [0, 45, 90]),
        ([0, 998, 999, 1000], 100, [0, 99, 100, 101]),
        ([0, 500, 1000], 1, [0, 1, 3]),
        ([0, 500, 1000], -9, [0, 1, 3]),
        ([700, 1200, 1700], 790, [700, 745, 790]),
    ],
)
def test_what_is_late_is_pressed_together(times: list[int], end: int, pressed: list[int]) -> None:
    """The waits keep their proportions as far as there is a second for each message, and what is
    in time stays as it is.
    """
    assert squeezed(random.Random(1), times, end) == pressed


@pytest.mark.parametrize("seed", range(9))
def test_what_is_pressed_together_ends_shortly_before_the_end(seed: int) -> None:
    """Where there is room for it: not in the last second, and not long before."""
    start, middle, last = squeezed(random.Random(seed), [500, 50_500, 100_500], 60_500)
    earliest, latest = (60_500 - seconds for seconds in reversed(LAST_SECONDS))
    assert start == 500 and earliest <= last <= latest
    assert middle == 500 + (last - 500) // 2
