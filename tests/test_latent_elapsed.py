"""Spans and days are told as people tell them: the farther back, the rougher."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.elapsed import nth_in_words, roughly_dated, span_of, told_ago, told_day

pytestmark = pytest.mark.quick

TODAY = date(2021, 7, 2)
DAYS = st.integers(0, 340)


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, ""),
        (1, "a day"),
        (10, "ten days"),
        (11, "two weeks"),
        (63, "nine weeks"),
        (70, "more than two months"),
    ],
)
def test_a_span_is_told_in_days_then_weeks_then_months(days: int, words: str) -> None:
    """Hours beside the days don't count, up to half a day: who has waited for 40 says two days."""
    assert span_of(timedelta(days=days)) == words
    assert span_of(timedelta(days=days, hours=11)) == words


def test_forty_hours_are_two_days() -> None:
    """A day is the nearest one, and less than a day is none."""
    assert span_of(timedelta(hours=40)) == "two days"
    assert span_of(timedelta(hours=23)) == ""


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-3, "today"),
        (0, "today"),
        (1, "yesterday"),
        (2, "two days ago"),
        (11, "two weeks ago"),
        (66, "nine weeks ago"),
        (67, "two months ago"),
        (310, "ten months ago"),
        (400, "about a year ago"),
    ],
)
def test_a_day_is_told_by_how_long_ago_it_was(days: int, words: str) -> None:
    """What is not past yet is today; what is older than ten months, about a year."""
    assert told_ago(days) == words


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-1, "today"),
        (0, "today"),
        (1, "yesterday"),
        (3, "a few days ago"),
        (6, "about a week ago"),
        (8, "last week"),
        (14, "about two weeks ago"),
        (27, "about four weeks ago"),
        (50, "in mid-May"),
        (60, "in early May"),
    ],
)
def test_a_purchase_is_dated_roughly(days: int, words: str) -> None:
    """Days first, then weeks, then a part of a month by its name."""
    assert roughly_dated(days, TODAY - timedelta(days=days), TODAY) == words


def test_parts_of_a_month_begin_on_the_11th_and_the_21st() -> None:
    """Early, mid and late share out a month."""
    parts = []
    for day in (10, 11, 20, 21):
        bought = date(2021, 5, day)
        parts.append(roughly_dated((TODAY - bought).days, bought, TODAY))
    assert parts == ["in early May", "in mid-May", "in mid-May", "in late May"]


def test_the_year_is_told_where_the_month_would_be_taken_for_a_later_one() -> None:
    """A month of last year needs its year only where it is long ago."""
    long_ago, lately = date(2020, 9, 3), date(2020, 12, 24)
    today = date(2021, 6, 1)
    assert roughly_dated((today - long_ago).days, long_ago, today) == "in early September 2020"
    assert roughly_dated((today - lately).days, lately, today) == "in late December"


@given(days=DAYS)
def test_any_span_has_words(days: int) -> None:
    """No number of days falls between the ways of telling."""
    day = TODAY - timedelta(days=days)
    for words in (told_ago(days), roughly_dated(days, day, TODAY)):
        assert words
        assert " no " not in f" {words} "
        assert " one " not in f" {words} "


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "first"), (9, "ninth"), (10, "10th"), (11, "11th"), (21, "21st"), (103, "103rd")],
)
def test_places_in_a_row_are_words_up_to_the_ninth(number: int, words: str) -> None:
    """From the tenth on they are figures with their ending."""
    assert nth_in_words(number) == words


def test_the_teens_of_every_hundred_end_alike() -> None:
    """It is the 111th and the 212th, and the 121st and the 222nd."""
    told = [nth_in_words(number) for number in (111, 212, 313, 121, 222, 323)]
    assert told == ["111th", "212th", "313th", "121st", "222nd", "323rd"]


def test_a_day_of_the_last_week_has_its_name() -> None:
    """Today and yesterday have names of their own."""
    told = [told_day(TODAY, back) for back in range(4)]
    assert told == ["today", "yesterday", "on Wednesday", "on Tuesday"]
