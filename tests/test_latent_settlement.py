"""What is arranged with a remedy: its day comes later, its sum is the price's, its size fits."""

from datetime import date

import numpy as np
import pytest

from latent.settlement import WINDOWS, told_of
from tests.latent_orgs import drawn
from verifiers.course import hours_of


def test_only_what_is_granted_has_facts() -> None:
    """Nothing is told of a remedy that nobody gets, and something of each that shoes have."""
    org = drawn(1)
    cases = org.table("CaseStory.cases")
    told = told_of(org, org.table("ComplaintHabit.cases"))
    for granted, kinds in zip(cases["granted"], told, strict=True):
        assert bool(kinds) == bool(granted)


def test_a_day_comes_after_the_arrangement_and_is_a_working_day() -> None:
    """Nobody ships on a Sunday, or before it is arranged; what goes back has ten days at least."""
    cases = drawn(1).table("CaseStory.cases")
    days = 0
    for due, back, settled in zip(cases["due"], cases["back_by"], cases["settled"], strict=True):
        if np.isnat(due):
            continue
        days += 1
        arranged = settled.astype("datetime64[D]")
        day: date = due.item()
        assert day.weekday() < 5 and due >= arranged - np.timedelta64(1, "D")
        assert np.isnat(back) or (back - arranged).astype(int) >= 9
    assert days > 50


@pytest.mark.parametrize("seed", [4, 6])
def test_a_day_that_is_told_has_not_come_yet(seed: int) -> None:
    """Who asks days later how much it is does not hear of a day that is over."""
    org = drawn(seed)
    cases, mails = org.table("CaseStory.cases"), org.table("CaseStory.messages")
    told = 0
    for case, moment, beats in zip(mails["case"], mails["at"], mails["beats"], strict=True):
        due = cases["due"][case]
        if "option.tell." in beats and not np.isnat(due):
            told += 1
            assert due >= moment.astype("datetime64[D]") - np.timedelta64(1, "D")
    assert told > 30


def test_a_sum_is_told_where_money_goes_back() -> None:
    """A refund without a sum is told of by nobody."""
    org = drawn(1)
    told = told_of(org, org.table("ComplaintHabit.cases"))
    for kinds, back in zip(told, org.table("CaseStory.cases")["back"], strict=True):
        assert bool(back) or not {"refund", "credit"} & set(kinds)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_has_two_hours(window: str) -> None:
    """Both ends can be held against what an agent writes."""
    assert len(hours_of(window)) == 2
