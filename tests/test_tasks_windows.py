"""Time windows of tasks: named and rolling, how a query may call them,
and which moments they hold.
"""

from datetime import date, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.benchmark.choice import edges
from orgweave.benchmark.product_questions import ProductCases
from orgweave.benchmark.windows import (
    SPANS,
    TimeWindow,
    before,
    interval_forms,
    named_windows,
    other_lengths,
    rolling_window,
    shifted,
)

FIRST, LAST = date(2020, 1, 1), date(2023, 12, 31)


def named(period: str):
    """The window of that name."""
    return next(window for window in named_windows(FIRST, LAST) if window.period == period)


@pytest.mark.parametrize(
    ("period", "start", "end"),
    [
        ("March 2021", datetime(2021, 3, 1), datetime(2021, 4, 1)),
        ("the fourth quarter of 2021", datetime(2021, 10, 1), datetime(2022, 1, 1)),
        ("the summer of 2022", datetime(2022, 6, 1), datetime(2022, 9, 1)),
        ("the winter of 2021", datetime(2021, 12, 1), datetime(2022, 3, 1)),
    ],
)
def test_a_named_period_is_whole_months(period: str, start: datetime, end: datetime) -> None:
    """A season is three whole months; the winter of a year begins in its December."""
    assert (named(period).start, named(period).end) == (start, end)


def test_no_named_period_leaves_the_orgs_own() -> None:
    """The winter of the last year would run into the next one, so it is not asked about."""
    assert not [
        window for window in named_windows(FIRST, LAST) if window.period == "the winter of 2023"
    ]
    assert all(
        window.start.date() >= FIRST and window.end <= datetime(2024, 1, 1)
        for window in named_windows(FIRST, LAST)
    )


@pytest.mark.parametrize(
    ("unit", "count", "day"),
    [
        ("day", 3, date(2021, 3, 28)),
        ("week", 1, date(2021, 3, 24)),
        ("month", 1, date(2021, 2, 28)),
        ("quarter", 1, date(2020, 12, 31)),
        ("month", 13, date(2020, 2, 29)),
    ],
)
def test_months_go_back_on_the_calendar(unit: str, count: int, day: date) -> None:
    """A month back from the 31st is the last day of a shorter month."""
    assert before(date(2021, 3, 31), unit, count) == day


@given(st.integers(min_value=0, max_value=10_000))
def test_a_rolling_window_lies_in_the_period_and_ends_at_midnight_of_today(seed: int) -> None:
    """It never begins before the org does, and `today` is no later than a 28th."""
    window = rolling_window(Random(seed), FIRST, LAST)
    if window is not None:
        assert FIRST <= window.start.date() < window.today <= LAST
        assert window.today.day <= 28
        assert window.end == datetime.combine(window.today, datetime.min.time())


def test_the_end_of_a_window_is_outside_it() -> None:
    """[start, end): the first moment of the next month is not in the month, unless the end is read
    as closed.
    """
    march, edge = named("March 2021"), datetime(2021, 4, 1)
    assert (
        march.holds(datetime(2021, 3, 1))
        and not march.holds(edge)
        and march.holds(edge, closed=True)
    )


def test_a_windows_end_is_read_as_open_closed_and_with_all_of_today() -> None:
    """What happens at 00:00 of today is in two of three readings of a rolling window, what happens
    at the next 00:00 in none; of a named one only the closed reading takes the end in.
    """
    day = timedelta(days=1)
    rolling = TimeWindow(datetime(2021, 3, 1), datetime(2021, 3, 15), interval="14 days")
    assert inside(rolling, rolling.end) == [False, True, True]
    assert inside(rolling, rolling.end + day) == [False, False, False]
    assert inside(named("March 2021"), datetime(2021, 4, 1)) == [False, True, False]


def inside(window: TimeWindow, moment: datetime) -> list[bool]:
    """Whether a moment lies in a window, for each reading of its end."""
    return [reading.holds(moment, closed) for reading, closed in edges(window)]


def test_a_wording_may_spell_numbers_and_shorten_quarters() -> None:
    """`6 weeks` may stand as six weeks, `the third quarter of 2021` as Q3 2021."""
    assert {"six weeks", "6-week"} <= set(interval_forms("6 weeks"))
    assert "Q3 2021" in named("the third quarter of 2021").forms


def test_a_window_next_to_another_is_as_long_and_of_its_kind() -> None:
    """A rolling window moves by weeks, a month to the next one alone; none leaves the period."""
    weeks = TimeWindow(datetime(2021, 3, 1), datetime(2021, 3, 15), interval="2 weeks")
    moved = shifted(weeks, -1, FIRST, LAST)
    assert moved is not None
    assert (moved.start, moved.end) == (datetime(2021, 2, 22), datetime(2021, 3, 8))
    last = TimeWindow(datetime(2021, 3, 1), datetime(2021, 3, 15), interval="2 weeks")
    assert shifted(last, 1, FIRST, date(2021, 3, 22)) is not None
    assert shifted(last, 1, FIRST, date(2021, 3, 21)) is None
    assert shifted(named("January 2021"), 1, FIRST, LAST) == named("February 2021")
    assert shifted(named("January 2020"), -1, FIRST, LAST) is None
    assert shifted(named("January 2021"), 2, FIRST, LAST) is None


@given(st.integers(0, 2**32), st.lists(st.integers(0, 40), min_size=1, max_size=8))
def test_a_products_cases_are_found_on_every_reading_of_a_windows_end(
    seed: int, days: list[int]
) -> None:
    """The places of its cases are those on each reading in turn, the plain one first, none twice.

    Cases lie around the window's end, to the midnight and a day later too.
    """
    window = rolling_window(Random(seed), FIRST, LAST)
    if window is None:
        return
    moments = sorted(window.end + timedelta(hours=12 * (day - 20)) for day in days)
    own = ProductCases("01t", tuple(moments), ("a",) * len(moments))
    for each in (window, named("March 2021")):
        spans = [own.span(edge, closed) for edge, closed in edges(each)]
        assert own.edge_spans(each) == tuple(dict.fromkeys(spans))


@given(st.integers(0, 2**32))
def test_windows_of_other_lengths_differ_in_length_alone(seed: int) -> None:
    """They end where the window ends, begin in the period, none twice, and no more than asked."""
    rng = Random(seed)
    window = rolling_window(rng, FIRST, LAST)
    if window is None:
        return
    found = other_lengths(rng, window, FIRST, SPANS, 12)
    assert len(set(found)) == len(found) <= 12
    for other in found:
        assert other.end == window.end and other.start != window.start
        assert other.start.date() >= FIRST
        count, unit = other.interval.split(" ")
        assert other.start.date() == before(window.today, unit.removesuffix("s"), int(count))
