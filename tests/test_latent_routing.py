"""Routing: how often cases are passed on, to whom, and which stay open."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.rota import FAR_AHEAD, Rota
from latent.routing import Handover, Staffing, leaving, next_agent, transfers_a_case
from latent.work_calendar import WorkCalendar
from pipeline.world.org import Org
from pipeline.world.streams import stream
from pipeline.world.tables import table
from tests.latent_orgs import SEEDS, drawn

FIRST_DAY, LATER = np.datetime64("2020-01-01"), np.datetime64("2021-01-01")
MANY = settings(max_examples=200, deadline=None)


ALWAYS = WorkCalendar([0], [2**40], [0, 2**40])
NEVER = WorkCalendar([2**39], [2**40], [0, 2**39])


def staffing(
    mastered: list[bool],
    joined: list[np.datetime64] | None = None,
    left: list[np.datetime64] | None = None,
    tier: list[int] | None = None,
    working: list[bool] | None = None,
) -> Staffing:
    """Agents of equal workload, who master the one issue or don't."""
    size = len(mastered)
    rota = Rota(
        kinds=[NEVER, ALWAYS],
        kind=np.array(working or [True] * size, dtype=np.int64),
        joined=np.array(joined or [FIRST_DAY] * size, dtype="datetime64[D]"),
        left=np.array(left or [FAR_AHEAD] * size, dtype="datetime64[D]"),
        tier=np.array(tier or [1] * size),
        made=np.zeros(size, dtype=np.int64),
    )
    skilled = np.array(mastered)[:, None]
    nobody = table(
        "Skill.specialists",
        agent=np.zeros(0, dtype=np.int64),
        issue=np.zeros(0, dtype=np.int64),
        half=np.zeros(0, dtype=np.int64),
        first=np.zeros(0, dtype="datetime64[D]"),
        last=np.zeros(0, dtype="datetime64[D]"),
    )
    return Staffing(
        mastered=skilled,
        since=np.full((size, 1), FIRST_DAY),
        knack=np.ones((size, 1)),
        specialists=nobody,
        workload=np.ones(size),
        rota=rota,
    )


def wanted(
    day: np.datetime64,
    skilled: bool,
    before: tuple[int, ...] = (),
    until: np.datetime64 | None = None,
    chats: bool = False,
) -> Handover:
    """Somebody for the one issue at noon of a day."""
    noon = int(day.astype("datetime64[s]").astype(np.int64)) + 12 * 3600
    return Handover(noon, day if until is None else until, 0, skilled, chats, before=before)


@MANY
@given(cases=st.integers(1, 60), share=st.floats(0, 3), seed=st.integers(0, 2**32))
def test_there_are_exactly_as_many_transfers_as_asked_for(
    cases: int,
    share: float,
    seed: int,
) -> None:
    """Transfers sum to their number, even one, even more than there are cases."""
    asked = round(cases * share)
    assert transfers_a_case(stream(seed, "hops"), np.ones(cases), asked).sum() == asked


@pytest.mark.parametrize("transfers", [1, 5, 13, 50, 100])
def test_a_few_cases_are_passed_on_twice(transfers: int) -> None:
    """Eight transfers in a hundred are second ones; no case is passed on three times for that."""
    hops = transfers_a_case(stream(1, "hops"), np.ones(200), transfers)
    assert (hops == 2).sum() == round(0.08 * transfers)
    assert hops.max() <= 2


def test_no_cases_have_no_transfers() -> None:
    """Without cases the transfers that are asked for can't be, and nothing goes on for ever."""
    assert transfers_a_case(stream(1, "hops"), np.ones(0), 5).tolist() == []


@pytest.mark.parametrize("skilled", [True, False])
@pytest.mark.parametrize("place", [0, 3])
def test_the_only_agent_who_fits_gets_the_case(skilled: bool, place: int) -> None:
    """Whoever alone masters the issue (or alone doesn't) is chosen, be it the first of the list."""
    mastered = [not skilled] * 4
    mastered[place] = skilled
    found = next_agent(stream(1, "agent"), staffing(mastered), wanted(LATER, skilled))
    assert found == place


def test_an_agent_works_from_their_first_day_on() -> None:
    """On the day of joining an agent may get a case, on the day before not."""
    desk = staffing([True, True], [LATER, LATER + 1])
    assert next_agent(stream(1, "agent"), desk, wanted(LATER, True)) == 0
    for seed in range(20):
        found = next_agent(stream(seed, "agent"), desk, wanted(LATER, False))
        assert found == 0  # nobody is unskilled, so anyone at work


def test_nobody_gets_a_case_twice_while_somebody_has_not_had_it() -> None:
    """Those who had the case are left out, whether or not they fit; at last it goes back, but never
    to its owner.
    """
    desk = staffing([True, False, True])
    assert next_agent(stream(1, "agent"), desk, wanted(LATER, True, (0,))) == 2
    assert next_agent(stream(1, "agent"), desk, wanted(LATER, True, (0, 2))) == 1
    assert next_agent(stream(1, "agent"), desk, wanted(LATER, True, (0, 1, 2))) in (0, 1)
    assert next_agent(stream(1, "agent"), staffing([True]), wanted(LATER, True, (0,))) is None


def test_an_open_case_goes_back_rather_than_to_somebody_who_leaves() -> None:
    """Where all who stay have had a case that stays open, the first of them gets it again."""
    soon = LATER + np.timedelta64(5, "D")
    desk = staffing([True] * 3, left=[FAR_AHEAD, FAR_AHEAD, soon])
    for before, heir in (((0, 1), 0), ((2, 1, 0), 1), ((0,), 1)):
        asked = wanted(LATER, True, before, until=FAR_AHEAD)
        assert next_agent(stream(1, "agent"), desk, asked) == heir


def test_where_nobody_is_at_work_anyone_gets_the_case() -> None:
    """A case is never without an owner, even before the first agent has joined; but nobody who
    hasn't joined is passed one.
    """
    desk = staffing([False, False], [LATER, LATER])
    assert next_agent(stream(1, "agent"), desk, wanted(FIRST_DAY, True)) in (0, 1)
    assert next_agent(stream(1, "agent"), desk, wanted(FIRST_DAY, True, (0,))) is None


def test_a_case_goes_up_if_it_can() -> None:
    """After a first-tier agent a senior is far likelier, and nobody passes a case down."""
    desk = staffing([True] * 4, tier=[1, 1, 2, 3])
    rng = stream(1, "agent")
    after_first = [next_agent(rng, desk, wanted(LATER, True, (0,))) for _ in range(200)]
    assert sum(agent in (2, 3) for agent in after_first) > 150
    assert {next_agent(rng, desk, wanted(LATER, True, (2,))) for _ in range(50)} == {3}


def test_a_mail_goes_to_somebody_who_stays_long_enough() -> None:
    """Who leaves before the day until which they are wanted gets no case, unless nobody stays."""
    soon = LATER + np.timedelta64(5, "D")
    desk = staffing([True, True], left=[soon, FAR_AHEAD])
    for seed in range(20):
        asked = wanted(LATER, True, until=LATER + np.timedelta64(40, "D"))
        assert next_agent(stream(seed, "agent"), desk, asked) == 1
    assert leaving(stream(1, "agent"), desk, wanted(LATER, True)) == 0


def test_a_chat_goes_to_somebody_on_shift() -> None:
    """Mails wait in the queue for whoever comes first; a chat needs somebody who is there."""
    desk = staffing([True, True], working=[False, True])
    for seed in range(20):
        assert next_agent(stream(seed, "agent"), desk, wanted(LATER, True, chats=True)) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_transfers_are_exactly_the_profiles_share(seed: int) -> None:
    """Assignments beyond the first of each case are as many as the profile's rate says."""
    org = drawn(seed)
    assignments, cases = org.table("Routing.assignments"), org.table("ComplaintHabit.cases")
    asked = round(cases.size * org.setting.profile.rates.transfers)
    assert int((assignments["step"] > 0).sum()) == asked
    assert assignments.size == cases.size + asked


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reason_of_an_assignment_is_true(seed: int) -> None:
    """Who keeps a case is well routed if skilled; who passes it on is unskilled or overloaded."""
    org = drawn(seed)
    rows = org.table("Routing.assignments")
    mastered = mastered_by_row(org)
    last = np.append(rows["case"][1:] != rows["case"][:-1], True)
    steps = np.arange(rows.size) - np.flatnonzero(rows["step"] == 0)[rows["case"]]
    assert (rows["step"] == steps).all()
    told = np.select(
        [last & mastered, last, mastered],
        ["well_routed", "kept_unskilled", "overloaded_agent"],
        "unskilled_agent",
    )
    # Where nobody fits anyone is taken, and the reason tells what was looked for.
    kept = rows["reason"] != "agent_left"
    assert (rows["reason"] == told)[kept].mean() > 0.8


def test_most_transfers_come_from_agents_who_lack_the_skill() -> None:
    """Most transfers are from an agent who does not master the issue; the others from leavers."""
    unskilled = []
    for seed in SEEDS:
        org = drawn(seed)
        rows = org.table("Routing.assignments")
        passed_on = np.append(rows["case"][1:] == rows["case"][:-1], False)
        unskilled.append((~mastered_by_row(org))[passed_on].mean())
    assert np.mean(unskilled) > 0.55


def test_a_case_that_stays_open_is_a_late_e_mail_case() -> None:
    """No chat stays open, and open cases are younger than closed ones by far.

    A company has a dozen open ones, so their age is measured over all companies.
    """
    ages: list[int] = []
    for seed in SEEDS:
        org = drawn(seed)
        cases, closed = org.table("ComplaintHabit.cases"), org.table("Routing.cases")["closed"]
        assert (cases["channel"][~closed] == "email").all()
        age = (org.setting.last_day - cases["created"].astype("datetime64[D]")).astype(int)
        assert np.median(age[~closed]) < np.median(age[closed]) / 2 > 60
        ages.extend(age[~closed].tolist())
    assert np.median(ages) < 80


def mastered_by_row(org: Org) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Whether the agent of each assignment masters the case's issue."""
    rows, issues = org.table("Routing.assignments"), org.table("Solution.issues").size
    skills, cases = org.table("Skill.skills"), org.table("ComplaintHabit.cases")
    mastered = skills["mastered"].reshape(-1, issues) == 1
    agent, issue = rows["agent"], cases["issue"][rows["case"]]
    since = skills["since"].reshape(-1, issues)[agent, issue]
    day = cases["created"].astype("datetime64[D]")[rows["case"]]
    return mastered[agent, issue] & (since <= day)


def test_the_specialist_of_a_category_gets_the_issue_for_a_time() -> None:
    """Of two specialists the one of the product's half is given the case, until others follow."""
    desk = staffing([True] * 12)
    now = table(
        "Skill.specialists",
        agent=np.array([3, 7, 5]),
        issue=np.array([0, 0, 0]),
        half=np.array([0, 1, 0]),
        first=np.array([FIRST_DAY, FIRST_DAY, LATER]),
        last=np.array([LATER - 1, LATER - 1, FAR_AHEAD]),
    )
    desk = replace(desk, specialists=now)
    rng = stream(1, "specialists")
    found = {}
    for day, category in ((FIRST_DAY, 0), (FIRST_DAY, 1), (LATER, 0)):
        asked = replace(wanted(day, True), category=category)
        agents = [next_agent(rng, desk, asked) for _ in range(200)]
        found[(day, category)] = max(set(agents), key=agents.count)
    assert found == {(FIRST_DAY, 0): 3, (FIRST_DAY, 1): 7, (LATER, 0): 5}


def test_what_is_not_learned_yet_is_passed_on() -> None:
    """Who masters an issue from next year on counts as unskilled until then."""
    desk = replace(staffing([True, True]), since=np.array([[FIRST_DAY], [LATER]]))
    assert desk.masters(0, FIRST_DAY).tolist() == [True, False]
    assert desk.masters(0, LATER).tolist() == [True, True]


def test_a_desk_that_grows_is_no_busier_for_it() -> None:
    """Load is against what the desk plans for: the last third of cases has that of the first."""
    first, last = [], []
    for seed in SEEDS:
        org = drawn(seed)
        order = np.argsort(org.table("ComplaintHabit.cases")["created"], kind="stable")
        load = org.table("Routing.cases")["load"][order]
        first.append(load[: len(load) // 3].mean())
        last.append(load[-(len(load) // 3) :].mean())
    assert 0.8 < np.mean(last) / np.mean(first) < 1.25
