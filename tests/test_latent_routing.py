"""Routing: how often cases are passed on, to whom, and which stay open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.routing import Staffing, next_agent, transfers_a_case
from pipeline.world.org import Org
from pipeline.world.streams import stream
from tests.latent_orgs import SEEDS, drawn

FIRST_DAY, LATER = np.datetime64("2020-01-01"), np.datetime64("2021-01-01")
MANY = settings(max_examples=200, deadline=None)


def staffing(mastered: list[bool], joined: list[np.datetime64] | None = None) -> Staffing:
    """Agents of equal workload, who master the one issue or don't."""
    days = joined or [FIRST_DAY] * len(mastered)
    return Staffing(
        np.array(mastered)[:, None],
        np.ones(len(mastered)),
        np.array(days, dtype="datetime64[D]"),
    )


@MANY
@given(cases=st.integers(1, 60), share=st.floats(0, 3), seed=st.integers(0, 2**32))
def test_there_are_exactly_as_many_transfers_as_asked_for(
    cases: int, share: float, seed: int
) -> None:
    """Transfers sum to their number, even one, even more than there are cases."""
    wanted = round(cases * share)
    assert transfers_a_case(stream(seed, "hops"), cases, wanted).sum() == wanted


@pytest.mark.parametrize("transfers", [1, 5, 13, 50, 100])
def test_a_few_cases_are_passed_on_twice(transfers: int) -> None:
    """Eight transfers in a hundred are second ones; no case is passed on three times for that."""
    hops = transfers_a_case(stream(1, "hops"), 200, transfers)
    assert (hops == 2).sum() == round(0.08 * transfers)
    assert hops.max() <= 2


def test_no_cases_have_no_transfers() -> None:
    """Without cases the transfers that are asked for can't be, and nothing goes on for ever."""
    assert transfers_a_case(stream(1, "hops"), 0, 5).tolist() == []


@pytest.mark.parametrize("skilled", [True, False])
@pytest.mark.parametrize("place", [0, 3])
def test_the_only_agent_who_fits_gets_the_case(skilled: bool, place: int) -> None:
    """Whoever alone masters the issue (or alone doesn't) is chosen, be it the first of the list."""
    mastered = [not skilled] * 4
    mastered[place] = skilled
    found = next_agent(stream(1, "agent"), staffing(mastered), LATER, 0, skilled, [])
    assert found == place


def test_an_agent_works_from_their_first_day_on() -> None:
    """On the day of joining an agent may get a case, on the day before not."""
    desk = staffing([True, True], [LATER, LATER + 1])
    assert next_agent(stream(1, "agent"), desk, LATER, 0, True, []) == 0
    for seed in range(20):
        found = next_agent(stream(seed, "agent"), desk, LATER, 0, False, [])
        assert found == 0  # nobody is unskilled, so anyone at work


def test_nobody_gets_a_case_twice() -> None:
    """Those who had the case are left out, whether or not they fit; at last nobody is left."""
    desk = staffing([True, False, True])
    assert next_agent(stream(1, "agent"), desk, LATER, 0, True, [0]) == 2
    assert next_agent(stream(1, "agent"), desk, LATER, 0, True, [0, 2]) == 1
    assert next_agent(stream(1, "agent"), desk, LATER, 0, True, [0, 1, 2]) is None


def test_where_nobody_is_at_work_anyone_gets_the_case() -> None:
    """A case is never without an owner, even before the first agent has joined."""
    desk = staffing([False, False], [LATER, LATER])
    assert next_agent(stream(1, "agent"), desk, FIRST_DAY, 0, True, [0]) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_transfers_are_exactly_the_profiles_share(seed: int) -> None:
    """Assignments beyond the first of each case are as many as the profile's rate says."""
    org = drawn(seed)
    assignments, cases = org.table("Routing.assignments"), org.table("ComplaintHabit.cases")
    wanted = round(cases.size * org.setting.profile.rates.transfers)
    assert int((assignments["step"] > 0).sum()) == wanted
    assert assignments.size == cases.size + wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reason_of_an_assignment_is_true(seed: int) -> None:
    """Who keeps a case is well routed if skilled; who passes it on is unskilled or overloaded."""
    org = drawn(seed)
    rows = org.table("Routing.assignments")
    mastered = mastered_by_row(org)
    last = np.append(rows["case"][1:] != rows["case"][:-1], True)
    steps = np.arange(rows.size) - np.flatnonzero(rows["step"] == 0)[rows["case"]]
    assert (rows["step"] == steps).all()
    wanted = np.select(
        [last & mastered, last, mastered],
        ["well_routed", "kept_unskilled", "overloaded_agent"],
        "unskilled_agent",
    )
    # Where nobody fits anyone is taken, and the reason tells what was looked for.
    assert (rows["reason"] == wanted).mean() > 0.97


def test_most_transfers_come_from_agents_who_lack_the_skill() -> None:
    """Nine of ten transfers or more are from an agent who does not master the issue."""
    unskilled = []
    for seed in SEEDS:
        org = drawn(seed)
        rows = org.table("Routing.assignments")
        passed_on = np.append(rows["case"][1:] == rows["case"][:-1], False)
        unskilled.append((~mastered_by_row(org))[passed_on].mean())
    assert np.mean(unskilled) > 0.85


def test_a_case_that_stays_open_is_a_late_e_mail_case() -> None:
    """No chat stays open, and open cases are younger than closed ones by far."""
    for seed in SEEDS:
        org = drawn(seed)
        cases, closed = org.table("ComplaintHabit.cases"), org.table("Routing.cases")["closed"]
        assert (cases["channel"][~closed] == "email").all()
        age = (org.setting.last_day - cases["created"].astype("datetime64[D]")).astype(int)
        assert np.median(age[~closed]) < 120 < np.median(age[closed])


def mastered_by_row(org: Org) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Whether the agent of each assignment masters the case's issue."""
    rows, issues = org.table("Routing.assignments"), org.table("Solution.issues").size
    mastered = org.table("Skill.skills")["mastered"].reshape(-1, issues) == 1
    return mastered[rows["agent"], org.table("ComplaintHabit.cases")["issue"][rows["case"]]]
