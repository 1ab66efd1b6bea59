"""Latent variables together: exact counts at any seed, lawful outcomes, stories whose times and
owners agree, draws that depend on nothing but the seed.
"""

import numpy as np
import pytest

from latent.policy_violation import OF_POLICIES
from latent.registry import LATENT
from pipeline.graph import in_order
from pipeline.world.tables import NONE
from tests.latent_orgs import SEEDS, drawn, limits_of, same

BREACHES = {"late_grant", "unlisted_grant"}


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_are_exact(seed: int) -> None:
    """Orders, items, cases, chats and messages are as many as asked for, whatever the seed."""
    org = drawn(seed)
    asked = org.setting.counts
    tables = {
        "Order": "ShoppingHabit.orders",
        "OrderItem": "ShoppingHabit.items",
        "Case": "CaseStory.cases",
        "LiveChatTranscript": "CaseStory.chats",
        "EmailMessage": "CaseStory.messages",
    }
    assert {name: org.table(made).size for name, made in tables.items()} == {
        name: asked[name] for name in tables
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_closed_cases_are_exactly_the_profiles_share(seed: int) -> None:
    """As many cases are closed as the profile's rate says, to the case."""
    org = drawn(seed)
    cases = org.table("CaseStory.cases")
    assert int(cases["is_closed"].sum()) == round(cases.size * org.setting.profile.rates.closed)


@pytest.mark.parametrize("seed", SEEDS)
def test_transfers_are_within_a_tenth_of_the_profiles_share(seed: int) -> None:
    """Transfers in the history are within 10 % of the profile's rate."""
    org = drawn(seed)
    transfers = int((org.table("CaseStory.history")["old"] != NONE).sum())
    wanted = org.table("CaseStory.cases").size * org.setting.profile.rates.transfers
    assert abs(transfers - wanted) <= max(0.1 * wanted, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_granted_is_lawful_unless_the_ending_is_a_breach(seed: int) -> None:
    """A grant is listed and within its limit, a late grant listed but beyond it, an unlisted one
    not listed; the rest grants nothing.
    """
    org = drawn(seed)
    limits, cases = limits_of(org), org.table("CaseStory.cases")
    for issue, ending, granted, days in zip(
        cases["issue"],
        cases["ending"],
        cases["granted"],
        cases["days"],
        strict=True,
    ):
        limit = limits.get((int(issue), str(granted)))
        match ending:
            case "granted" | "granted_other":
                assert limit is not None and days <= limit
            case "late_grant":
                assert limit is not None and days > limit
            case "unlisted_grant":
                assert granted and limit is None
            case _:
                assert granted == ""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_refusal_stands_only_where_every_listed_option_is_too_late(seed: int) -> None:
    """A case declined for its date is beyond the limit of each option listed for its issue."""
    org = drawn(seed)
    limits, cases = limits_of(org), org.table("CaseStory.cases")
    too_late = org.table("PolicyViolation.outcomes")["refusal"] == "late"
    declined = (cases["ending"] == "declined") & too_late
    assert all(
        days > limit
        for issue, days in zip(cases["issue"][declined], cases["days"][declined], strict=True)
        for (at, _), limit in limits.items()
        if at == issue
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_breaches_are_the_profiles_share_and_name_the_broken_article(seed: int) -> None:
    """As many closed cases are in breach as the profile says: of the issue's article by the grant,
    or, in somewhat more of them, of a policy's by one term that is not the article's.
    """
    org = drawn(seed)
    outcomes, cases = org.table("PolicyViolation.outcomes"), org.table("CaseStory.cases")
    articles, terms = org.table("IssueSolution.articles"), org.table("PolicyViolation.terms")
    breach = outcomes["article"] != NONE
    wanted = round(int(cases["is_closed"].sum()) * org.setting.profile.rates.violations)
    assert abs(int(breach.sum()) - wanted) <= 1
    of_issue = np.isin(outcomes["ending"].astype(str), list(BREACHES))
    assert np.array_equal(
        outcomes["article"][of_issue],
        org.table("IssueSolution.by_issue")["article"][cases["issue"]][of_issue],
    )
    broken = terms["broken"]
    assert np.array_equal(broken, terms["told"] != terms["stated"])
    assert sorted(terms["case"][broken]) == np.flatnonzero(breach & ~of_issue).tolist()
    assert abs(int(broken.sum()) - OF_POLICIES * int(breach.sum())) <= 1
    keys = articles["key"][outcomes["article"][terms["case"][broken]]]
    assert keys.tolist() == terms["policy"][broken].tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_mostly_skilled_agents_close(seed: int) -> None:
    """Six of seven closed cases or more were closed by an agent who masters the issue."""
    org = drawn(seed)
    cases, issues = org.table("CaseStory.cases"), org.table("Solution.issues").size
    mastered = org.table("Skill.skills")["mastered"].reshape(-1, issues)[
        cases["owner"], cases["issue"]
    ]
    assert mastered[cases["is_closed"]].mean() >= 0.8


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_said_before_creation_or_after_close(seed: int) -> None:
    """Every mail and chat line lies between its case's creation and its close, and they rise in
    time.
    """
    org = drawn(seed)
    cases, messages, turns = (
        org.table("CaseStory.cases"),
        org.table("CaseStory.messages"),
        org.table("CaseStory.turns"),
    )
    said = (
        (messages["case"], messages["at"]),
        (org.table("CaseStory.chats")["case"][turns["chat"]], turns["at"]),
    )
    for case, at in said:
        closed = cases["closed"][case]
        assert (at >= cases["created"][case]).all()
        assert (np.isnat(closed) | (at <= closed)).all()
        assert (at[1:] > at[:-1])[case[1:] == case[:-1]].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_case_history_is_consistent(seed: int) -> None:
    """A history is its creation, a chain of different owners that ends with the case's, and the
    close of a closed case, in time.
    """
    org = drawn(seed)
    cases, history = org.table("CaseStory.cases"), org.table("CaseStory.history")
    for case in range(cases.size):
        rows = np.flatnonzero(history["case"] == case)
        events, at = [str(event) for event in history["event"][rows]], history["at"][rows]
        old, new = history["old"][rows], history["new"][rows]
        owners = [
            int(agent)
            for agent, event in zip(new, events, strict=True)
            if event == "Owner Assignment"
        ]
        assert events == [
            "Case Creation",
            *["Owner Assignment"] * len(owners),
            *(["Case Closed"] if cases["is_closed"][case] else []),
        ]
        assert [int(agent) for agent in old[1 : len(owners) + 1]] == [NONE, *owners[:-1]]
        assert len(set(owners)) == len(owners) and owners[-1] == cases["owner"][case]
        assert at[0] == cases["created"][case] <= at[1] == cases["accepted"][case]
        assert (at[2:] > at[1:-1]).all()
        assert not cases["is_closed"][case] or at[-1] == cases["closed"][case]


@pytest.mark.parametrize("seed", SEEDS)
def test_agents_are_told_only_after_they_have_taken_over(seed: int) -> None:
    """Each agent's mail is sent at a moment at which that agent owned the case."""
    org = drawn(seed)
    history, messages = org.table("CaseStory.history"), org.table("CaseStory.messages")
    assigned = {
        (int(case), int(agent)): at
        for case, agent, at in zip(history["case"], history["new"], history["at"], strict=True)
        if agent != NONE
    }
    ended = {
        (int(case), int(agent)): at
        for case, agent, at in zip(history["case"], history["old"], history["at"], strict=True)
        if agent != NONE
    }
    mine = [
        (int(case), int(agent), at)
        for case, agent, at, mail in zip(
            messages["case"],
            messages["agent"],
            messages["at"],
            messages["incoming"],
            strict=True,
        )
        if not mail
    ]
    assert all(
        assigned[case, agent] <= at and at < ended.get((case, agent), np.datetime64("2100-01-01"))
        for case, agent, at in mine
    )


def test_one_seed_gives_one_org() -> None:
    """Two draws of one seed are equal in every table; another seed's cases differ."""
    first, again = drawn(3), drawn.__wrapped__(3)
    assert first.tables.keys() == again.tables.keys()
    assert all(same(first.table(name), again.table(name)) for name in first.tables)
    assert not same(first.table("CaseStory.cases"), drawn(4).table("CaseStory.cases"))


def test_a_variable_draws_the_same_alone_and_out_of_order() -> None:
    """Each variable drawn again from finished tables, last one first, gives what it gave in the
    run.
    """
    org = drawn(5)
    for name in reversed([name for name in in_order(org.setting.schema) if name in LATENT]):
        for made in LATENT[name].draw(org):
            assert same(made, org.table(made.name)), made.name


def test_drawing_one_node_anew_leaves_what_does_not_depend_on_it() -> None:
    """Another salt on ResponseTime changes its paces but no order, case, assignment or outcome."""
    before, after = drawn(5), drawn(5, "ResponseTime")
    assert not same(before.table("ResponseTime.agents"), after.table("ResponseTime.agents"))
    assert all(
        same(before.table(name), after.table(name))
        for name in (
            "ShoppingHabit.orders",
            "ComplaintHabit.cases",
            "Routing.assignments",
            "PolicyViolation.outcomes",
        )
    )


def test_every_variable_draws_the_tables_it_declares() -> None:
    """What a variable draws has the tables and columns that it says it draws."""
    org = drawn(0)
    for name, variable in LATENT.items():
        made = [table for table in org.tables if table.startswith(f"{name}.")]
        # A variable of another trade is drawn only where a schema reads it.
        assert made or name in ("Holding", "Subscription"), name
        for short, columns in variable.tables.items() if made else ():
            assert set(org.table(f"{name}.{short}").columns) == set(columns), f"{name}.{short}"
