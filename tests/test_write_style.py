"""The outer form of texts, and how people write dates."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.write.style import (
    Habit,
    ended,
    habit_of,
    sentences,
    tidy,
    typed_number,
    written_date,
)


@pytest.mark.parametrize(
    ("raw", "tidied"),
    [
        ("it took 1 days", "It took 1 day"),
        ("it took 21 days", "It took 21 days"),
        ("a 18-day wait and a 30-day limit", "An 18-day wait and a 30-day limit"),
        (
            "a 8-day limit, a 11-day one, a 80-day one",
            "An 8-day limit, an 11-day one, an 80-day one",
        ),
        ("a offer of a one-time gift", "An offer of a one-time gift"),
        ("there's no a full refund here", "There's no full refund here"),
        ("done. thanks! ok? yes", "Done. Thanks! Ok? Yes"),
        ("call at 5 p.m. on Friday, i.e. tomorrow", "Call at 5 p.m. on Friday, i.e. tomorrow"),
        ("well... maybe", "Well... maybe"),
        ("one ,  two .", "One, two."),
        ("it is done..", "It is done."),
        ("first \n second", "First\nSecond"),
        ("", ""),
    ],
)
def test_texts_are_tidied(raw: str, tidied: str) -> None:
    """White space, capitals, articles and single days come right; abbreviations end no sentence."""
    assert tidy(raw) == tidied


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="ab 18.,!?\n-days", max_size=40))
def test_tidying_twice_changes_nothing_more(text: str) -> None:
    """A tidy text without runs of end marks stays as it is."""
    once = tidy(re.sub(r"[.,!?]+\s*(?=[.,!?])", "", text))
    assert tidy(once) == once


@pytest.mark.parametrize(
    ("text", "closed"),
    [("so be it", "so be it."), ("why?", "why?"), ("Hello,", "Hello,"), ("", "")],
)
def test_sentences_get_an_end_mark(text: str, closed: str) -> None:
    """A period is put where no mark stands."""
    assert ended(text) == closed


def test_a_person_writes_dates_the_same_way_everywhere() -> None:
    """Habits follow from the name alone, and people differ."""
    assert habit_of("Rosa Lindgren") == habit_of("Rosa Lindgren")
    assert len({habit_of(f"Person {number}") for number in range(50)}) == 3


def test_a_date_is_written_as_the_person_writes_dates() -> None:
    """The habit decides the form of the date; what is no date stays."""
    assert [written_date("March 3, 2021", Habit(form)) for form in (0, 1, 2)] == [
        "March 3, 2021",
        "Mar 3, 2021",
        "3/3/2021",
    ]
    assert written_date("some day", Habit(2)) == "some day"


def test_a_text_is_cut_into_its_sentences() -> None:
    """Each end mark ends a sentence, a line break no less than a space behind it."""
    assert sentences("No. Never!\nWhy? Well") == ["No.", "Never!", "Why?", "Well"]
    assert sentences("") == [""]


def test_people_leave_the_zeros_of_a_number_out() -> None:
    """Most type the number alone, a few copy all of it, and each does so always."""
    typed = [typed_number("00000417", f"Person {number}") for number in range(200)]
    assert set(typed) == {"417", "#417", "00000417"}
    assert typed.count("00000417") < len(typed) / 4
    assert typed == [typed_number("00000417", f"Person {number}") for number in range(200)]


def test_a_number_of_a_single_digit_keeps_its_zeros() -> None:
    """Nobody can look up a seven."""
    assert typed_number("00000007", "Rosa Lindgren") == "00000007"
