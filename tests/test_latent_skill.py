"""Who masters what since when, and who is a specialist."""

import numpy as np
import pytest

from latent.skill import Specialist, always_there, fitness
from pipeline.world.tables import table
from tests.latent_orgs import drawn, with_columns

APRIL, JULY = np.datetime64("2022-04-01"), np.datetime64("2022-07-01")
NEVER = np.datetime64("NaT", "D")


def fit(*chosen: tuple[np.datetime64, np.datetime64]) -> list[float]:
    """How fit four people are from April to June: one who is there, one who came in the middle, one
    who left before, and one who serves nobody; the first is a specialist in the eras given.
    """
    people = table(
        "Workforce.people",
        tier=np.array([1, 1, 1, 0]),
        joined=np.array([APRIL, APRIL + 45, APRIL - 90, APRIL], "datetime64[D]"),
        left=np.array([NEVER, NEVER, APRIL - 1, NEVER], "datetime64[D]"),
    )
    eras = [Specialist(0, 0, 0, first, last) for first, last in chosen]
    weights: list[float] = fitness(people, eras, APRIL, JULY - 1).tolist()
    return weights


def test_a_specialist_is_there_in_their_time() -> None:
    """Who is there all the time is fitter than who comes later, and who left or serves nobody."""
    whole, later, gone, outside = fit()
    assert whole == 1.0 > later > 0.0 == gone == outside


def test_whoever_is_a_specialist_already_is_less_fit_for_another_issue() -> None:
    """That counts from the first day to the last one; what was before or comes after does not."""
    assert fit((APRIL - 90, APRIL - 1)) == fit((JULY, JULY + 90)) == fit()
    for first, last in ((APRIL - 90, APRIL), (JULY - 1, JULY + 90), (APRIL - 9, JULY + 9)):
        assert fit((first, last))[0] < fit()[0] and fit((first, last))[1:] == fit()[1:]


@pytest.mark.parametrize("seed", range(3))
def test_a_specialist_masters_the_issue_from_the_first_day_as_one(seed: int) -> None:
    """Nobody unlearns: who mastered it before has mastered it since then."""
    org = drawn(seed)
    issues = org.table("Solution.issues").size
    skills, special = org.table("Skill.skills"), org.table("Skill.specialists")
    agent, issue = special["agent"], special["issue"]
    assert skills["mastered"].reshape(-1, issues)[agent, issue].all()
    since = skills["since"].reshape(-1, issues)[agent, issue]
    assert (since <= special["first"]).all()
    assert (since < special["first"]).any()


@pytest.mark.parametrize("seed", range(3))
def test_specialists_follow_one_another_without_a_gap(seed: int) -> None:
    """Each issue has two at any time, or as many as there are, one a half, over the whole period;
    the next ones begin on the day after.
    """
    org = drawn(seed)
    special, setting = org.table("Skill.specialists"), org.setting
    for issue in range(org.table("Solution.issues").size):
        first, last = (special[name][special["issue"] == issue] for name in ("first", "last"))
        begins, ends = np.unique(first), np.unique(last)
        assert begins[0] <= setting.first_day and ends[-1] >= setting.last_day
        assert (begins[1:] == ends[:-1] + 1).all()
        half = special["half"][special["issue"] == issue]
        assert all(sorted(half[first == day].tolist()) in ([0], [0, 1]) for day in begins)


def test_who_serves_on_every_day_is_always_there() -> None:
    """From the first day to the last; where nobody does, everyone who serves stands for them."""
    org = drawn(1)
    first, never = org.setting.first_day, np.datetime64("NaT", "D")
    people = table(
        "Workforce.people",
        tier=np.array([1, 1, 0, 2, 1]),
        joined=np.array([first, first + 1, first, first - 40, first]),
        left=np.array([never, never, never, never, first + 99]),
    )
    assert always_there(org, people).tolist() == [True, False, False, True, False]
    later = with_columns(people, joined=people["joined"] + 50)
    assert always_there(org, later).tolist() == [True, True, False, True, True]
