"""What reduced solvers are made of: other windows, the top of some values, mean hours."""

from datetime import date, datetime

import pytest

from orgweave.benchmark.instance import NOTHING, Answer, Parameters
from orgweave.benchmark.org_facts import OrgCase, OrgFacts
from orgweave.benchmark.shortcuts import (
    WINDOWS,
    OtherWindow,
    all_years,
    in_other_windows,
    mean_hours,
    one_before,
    second_half,
    top,
    twelve_months,
    window_in,
)
from orgweave.benchmark.windows import TimeWindow

SPRING = TimeWindow(datetime(2022, 3, 1), datetime(2022, 6, 1), period="the spring of 2022")
ASKED: Parameters = {"start": "2022-03-01T00:00:00Z", "end": "2022-06-01T00:00:00Z", "n": 3}


def case(owner: str, hours: int, closed: bool = True) -> OrgCase:
    """A case of an agent that was closed after so many hours, or is open."""
    end = datetime(2022, 3, 1, hours) if closed else None
    created = datetime(2022, 3, 1)
    ordered = date(2022, 2, 27)
    spent = float(hours) if closed else 0.0
    return OrgCase(
        "c",
        "a",
        owner,
        "i",
        "p",
        "TX",
        created,
        end,
        ordered,
        "Subject",
        "Words",
        hours=spent,
    )


def test_the_window_of_a_question_is_read_from_its_parameters() -> None:
    """Both ends are moments without a zone, as the org's cases have them."""
    window = window_in(ASKED)
    assert (window.start, window.end) == (SPRING.start, SPRING.end)


@pytest.mark.parametrize(
    ("other", "start", "end"),
    [
        (twelve_months, datetime(2021, 6, 1), datetime(2022, 6, 1)),
        (one_before, datetime(2021, 11, 29), datetime(2022, 3, 1)),
        (second_half, datetime(2022, 4, 16), datetime(2022, 6, 1)),
        (all_years, datetime(1970, 1, 1), datetime(2100, 1, 1)),
    ],
)
def test_another_window_skips_the_questions_own(
    other: OtherWindow,
    start: datetime,
    end: datetime,
) -> None:
    """Each of them is what somebody takes who reads the question only half."""
    found = other(SPRING)
    assert (found.start, found.end) == (start, end)


def test_a_solver_is_asked_in_every_other_window() -> None:
    """The other parameters of the question stay, and its own window is never asked for."""
    seen: list[Parameters] = []

    def solver(facts: OrgFacts | None, wanted: Parameters) -> Answer:
        seen.append(wanted)
        return (str(wanted["start"]),)

    reduced = in_other_windows(solver)
    answers = {skips: solve(None, ASKED) for skips, solve in reduced.items()}
    assert set(answers) == set(WINDOWS)
    assert len(set(answers.values())) == len(WINDOWS)
    assert all(wanted["n"] == 3 for wanted in seen)
    for wanted in seen:
        assert (wanted["start"], wanted["end"]) != (ASKED["start"], ASKED["end"])


def test_of_equals_the_first_in_the_alphabet_is_on_top() -> None:
    """A shortcut always answers: where two are equal it guesses, the same way each time."""
    values = {"zoe": 2.0, "ann": 2.0, "bob": 1.0}
    assert top(values) == ("ann",)
    assert top(values, largest=False) == ("bob",)
    assert top({}) == NOTHING


def test_mean_hours_are_those_of_enough_cases() -> None:
    """Who has fewer cases than asked for has no mean; an open case counts as no hour."""
    cases = [case("ann", 2), case("ann", 4), case("bob", 1), case("cyd", 9, closed=False)]
    assert mean_hours(cases, lambda case: case.owner) == {"ann": 3.0, "bob": 1.0, "cyd": 0.0}
    assert mean_hours(cases, lambda case: case.owner, least=2) == {"ann": 3.0}


def test_an_orders_age_is_counted_in_whole_days() -> None:
    """A case of March 1 on an order of February 27 comes two days after it."""
    assert case("ann", 5).days == 2
