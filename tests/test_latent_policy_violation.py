"""Outcomes of cases: what the article allows, what breaks it, and who breaks it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.policy_terms import KnownTerm, breakable_terms, coming_to_mind, told_with
from latent.policy_violation import breach, lawful, refused, thought_of
from pipeline.world.streams import stream
from schemas.articles import PolicyTerm
from tests.latent_orgs import SEEDS, drawn, limits_of
from tests.trade_orgs import drawn_company

LIMITS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([7, 30, 90]), min_size=1)
SEEDS_OF_STREAMS = st.integers(0, 2**32)
MANY = settings(max_examples=300, deadline=None)


@MANY
@given(limits=LIMITS, days=st.integers(0, 100), seed=SEEDS_OF_STREAMS)
def test_a_lawful_outcome_grants_what_is_in_time_and_nothing_else(
    limits: dict[str, int],
    days: int,
    seed: int,
) -> None:
    """The limit's own day is in time; where all is too late the case is declined."""
    outcome = lawful(stream(seed, "lawful"), limits, days)
    match outcome.ending:
        case "granted":
            assert outcome.wish in ("", outcome.granted)
        case "granted_other":
            assert days > limits[outcome.wish] == outcome.wish_limit
        case ending:
            assert ending == "declined" and days > max(limits.values())
            assert limits[outcome.wish] == outcome.wish_limit and outcome.granted_limit == 0
    assert bool(outcome.granted) == (min(days, max(limits.values())) == days)
    if outcome.granted:
        assert days <= limits[outcome.granted] == outcome.granted_limit


def test_on_the_limits_day_an_option_is_granted_a_day_later_declined() -> None:
    """Thirty days means thirty days."""
    for seed in range(20):
        assert lawful(stream(seed, "edge"), {"refund": 30}, 30).ending == "granted"
        assert lawful(stream(seed, "edge"), {"refund": 30}, 31).ending == "declined"
        assert breach(stream(seed, "edge"), {"refund": 30}, 30, ["gift"]).ending != "late_grant"


def test_nobody_has_new_shoes_mended_while_they_can_have_others() -> None:
    """An option comes to mind from its day on, or where nothing else is in time."""
    limits, from_day = {"refund": 30, "repair": 200}, {"refund": 0, "repair": 45}
    assert list(thought_of(limits, 10, from_day)) == ["refund"]
    assert list(thought_of(limits, 40, from_day)) == ["refund", "repair"]
    assert list(thought_of(limits, 60, from_day)) == ["refund", "repair"]


@MANY
@given(
    limits=LIMITS,
    days=st.integers(0, 100),
    unlisted=st.sampled_from([[], ["x"], ["x", "y"]]),
    seed=SEEDS_OF_STREAMS,
)
def test_a_breach_grants_what_is_late_or_not_listed_where_it_can(
    limits: dict[str, int],
    days: int,
    unlisted: list[str],
    seed: int,
) -> None:
    """A late grant is beyond its limit, an unlisted one has no limit; lawful only if neither is."""
    outcome = breach(stream(seed, "breach"), limits, days, unlisted)
    late = [key for key, limit in limits.items() if days > limit]
    if outcome.ending == "late_grant":
        assert outcome.wish == outcome.granted in late
        assert outcome.wish_limit == outcome.granted_limit == limits[outcome.granted]
    elif outcome.ending == "unlisted_grant":
        assert outcome.granted in unlisted and outcome.wish in ("", outcome.granted)
        assert outcome.wish_limit == outcome.granted_limit == 0
    else:
        assert outcome.ending == "granted" and not late and not unlisted
        assert days <= limits[outcome.granted]


def test_both_breaches_happen_and_wishes_are_not_always_named() -> None:
    """Late grants are the more frequent; other grants come with and without a wish."""
    limits, outcomes, plain = {"refund": 10, "repair": 50}, [], []
    for seed in range(300):
        outcomes.append(breach(stream(seed, "often"), limits, 20, ["gift"]))
        plain.append(lawful(stream(seed, "often"), limits, 20))
    late = [outcome for outcome in outcomes if outcome.ending == "late_grant"]
    assert 0.7 < len(late) / len(outcomes) < 0.9
    assert {outcome.wish for outcome in outcomes} == {"", "gift", "refund"}
    assert {(outcome.ending, outcome.wish) for outcome in plain} == {
        ("granted", ""),
        ("granted", "repair"),
        ("granted_other", "refund"),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_and_gestures_are_those_of_the_cases_own_issue(seed: int) -> None:
    """Wish and grant carry their issue's limits, 0 where they are not listed for it."""
    org = drawn(seed)
    limits, outcomes = limits_of(org), org.table("PolicyViolation.outcomes")
    options = set(org.table("Solution.options")["key"])
    issues = org.table("ComplaintHabit.cases")["issue"]
    for row in range(outcomes.size):
        wish, granted = str(outcomes["wish"][row]), str(outcomes["granted"][row])
        assert {wish, granted} <= options | {""}
        if wish:
            assert outcomes["wish_limit"][row] == limits.get((int(issues[row]), wish), 0)
        assert outcomes["granted_limit"][row] == limits.get((int(issues[row]), granted), 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_given_against_the_rules_is_of_use_for_the_problem(seed: int) -> None:
    """Where the world names what a lenient agent may give, nothing else is given unlisted."""
    org = drawn(seed)
    outcomes, issues = org.table("PolicyViolation.outcomes"), org.table("Solution.issues")
    of_case = org.table("ComplaintHabit.cases")["issue"]
    for row in np.flatnonzero(outcomes["ending"] == "unlisted_grant"):
        lenient = str(issues["lenient"][of_case[row]]).split(",")
        assert not lenient[0] or str(outcomes["granted"][row]) in lenient


@pytest.mark.parametrize("seed", SEEDS)
def test_an_open_case_has_no_outcome_and_a_closed_one_has(seed: int) -> None:
    """Exactly the cases that routing leaves open end open, with nothing granted."""
    org = drawn(seed)
    outcomes, closed = org.table("PolicyViolation.outcomes"), org.table("Routing.cases")["closed"]
    assert np.array_equal(outcomes["ending"] == "open", ~closed)
    assert not outcomes["granted"][~closed].any() and not outcomes["granted_limit"][~closed].any()


def test_some_are_refused_for_another_reason_than_the_date() -> None:
    """Since nothing went wrong, or since it is never given for this; always in time."""
    limits = {"refund": 30, "repair": 90}
    reasons: Counter[str] = Counter()
    for seed in range(400):
        outcome = refused(stream(seed, "refused"), limits, 20, ["gift"], [])
        if outcome is None:
            continue
        reasons[outcome.refusal] += 1
        if outcome.refusal == "unlisted":
            assert outcome.wish == "gift" and outcome.granted in limits
        else:
            assert outcome.wish in limits and not outcome.granted
    assert reasons.keys() == {"unlisted", "fault"}
    assert sum(reasons.values()) < 100


def test_nobody_is_refused_the_smaller_thing_and_given_the_larger() -> None:
    """Who wishes for credit, which is never given for this, does not get all the money instead."""
    usual = {"refund": 25.0, "repair": 200.0, "credit": 140.0}
    granted = set()
    for seed in range(900):
        limits = {"refund": 60, "repair": 90}
        outcome = refused(stream(seed, "larger"), limits, 20, ["credit"], [], usual)
        if outcome is not None and outcome.refusal == "unlisted":
            granted.add(outcome.granted)
    assert granted == {"repair"}


def test_what_undoes_the_problem_is_not_what_is_refused() -> None:
    """Somebody locked out may get no credit; that the lock stays is not the answer."""
    limits = {"reset": 10, "credit": 10, "visit": 90}
    for seed in range(60):
        outcome = lawful(stream(seed, "fixes"), limits, 20, ["reset"])
        assert outcome.ending == "granted" or outcome.wish == "credit"


def test_what_undoes_the_problem_is_granted_rather_than_what_comes_on_top() -> None:
    """A desk does not pay in every second case: mostly the problem itself is undone."""
    limits = {"reset": 90, "credit": 90}
    granted = [lawful(stream(seed, "use"), limits, 20, ["reset"]).granted for seed in range(300)]
    assert 0.75 < granted.count("reset") / 300 < 0.95


def test_few_ask_for_what_customers_have_never_heard_of() -> None:
    """Anybody asks for their money back; a review ahead of others is the desk's idea."""
    limits = {"refund": 30, "review": 30}
    asked = {"refund": 0, "review": 0}
    for seed in range(300):
        for key in limits:
            outcome = lawful(
                stream(seed, key), {key: 30}, 20, [key], few_know=frozenset({"review"})
            )
            asked[key] += bool(outcome.wish)
    assert asked["refund"] > 2 * asked["review"] > 0


def told_as(policy: str, after: tuple[str, ...] = (), about: tuple[str, ...] = ()) -> KnownTerm:
    """A term of a policy, and the remedies and issues that it goes with."""
    term = PolicyTerm(
        policy=policy,
        figure="months",
        kinder="more",
        shown="{n} months",
        after=after,
        about=about,
        says=("it lasts {shown}",),
    )
    return KnownTerm(term, 0, 12, (24,), policy)


def test_a_policy_is_broken_even_where_each_kinder_term_goes_with_another_grant() -> None:
    """Who breaks a policy's article tells a kinder figure, be it one for another remedy."""
    known = [told_as("gifts", ("credit",))]
    (breaks,) = breakable_terms(known, known, "refund")
    told = told_with(stream(1, "terms"), known, "refund", breaks)
    assert [item.told for item in told] == [24]


def test_a_matter_with_one_policy_does_not_give_it_away() -> None:
    """What else belongs to the remedy may be told wrongly, too; of two policies it need not."""
    warranty = told_as("warranty", ("repair", "swap"), ("broken",))
    shipping = told_as("shipping", ("swap",), ("late",))
    returns = told_as("returns", ("swap", "refund"), ("broken",))
    points = told_as("points", (), ("charge",))
    known = [warranty, shipping, returns, points]
    assert breakable_terms(known, [warranty], "swap") == [warranty, shipping, returns]
    assert breakable_terms(known, [warranty, returns], "swap") == [warranty, returns]
    assert breakable_terms(known, [warranty], "refund") == [returns]
    assert breakable_terms(known, [warranty], "repair") == [warranty]
    # Where nothing fits, what goes with any remedy comes first.
    assert breakable_terms(known, [], "credit") == [points]


def test_an_issue_brings_its_own_terms_to_mind() -> None:
    """Whose card is late asks for cards; who has an issue without terms asks for none."""
    cards = told_as("cards", about=("late_card",))
    fees = told_as("fees", about=("fee",))
    assert coming_to_mind([cards, fees], "late_card", "checking") == [cards]
    assert coming_to_mind([cards, fees], "locked", "checking") == []


@pytest.mark.parametrize("company", ["bank", "saas"])
def test_breaches_are_spread_over_the_issues_and_articles(company: str) -> None:
    """No issue has many more of them than others, and in none of them one article stands out, as
    far as so few breaches show it: of the issue alone one in two is guessed at most.
    """
    org = drawn_company(company, scale=0.4)
    outcomes, cases = org.table("PolicyViolation.outcomes"), org.table("ComplaintHabit.cases")
    broken = np.flatnonzero(outcomes["broken"] != "")
    of_issue: dict[int, Counter[str]] = {}
    for row in broken.tolist():
        stands = of_issue.setdefault(int(cases["issue"][row]), Counter())
        stands[str(outcomes["broken"][row])] += 1
    most = max(stands.total() for stands in of_issue.values())
    assert most <= np.ceil(broken.size / 10) + 1
    guessed = sum(max(stands.values()) for stands in of_issue.values())
    assert guessed / broken.size <= 0.5


def test_who_gets_nothing_had_wished_for_what_may_be_wished_in_vain() -> None:
    """Who believes that a fee is wrong asks for the fee, and for nothing on top of it."""
    limits = {"fee": 10, "credit": 15}
    for seed in range(60):
        outcome = lawful(stream(seed, "vain"), limits, 20, ["fee"], ["fee"])
        assert (outcome.ending, outcome.wish) == ("declined", "fee")
        in_time = refused(stream(seed, "vain"), limits, 5, [], ["fee"], {}, ["fee"])
        assert in_time is None or in_time.wish == "fee"
        # Nobody is refused for no mistake of the company's who may wish for nothing in vain.
        assert refused(stream(seed, "vain"), limits, 12, [], ["fee"], {}, ["fee"]) is None


def test_what_is_wished_in_vain_is_what_would_undo_the_problem() -> None:
    """A bank's customers who get nothing mostly asked for what the matter was about; what is for
    the trouble is asked for where something was put right all the same.
    """
    org = drawn_company("bank", scale=0.4)
    outcomes, issues = org.table("PolicyViolation.outcomes"), org.table("Solution.issues")
    of_case = org.table("ComplaintHabit.cases")["issue"]
    declined = np.flatnonzero(outcomes["ending"] == "declined")
    mends = org.table("Incident.cases")["mends"]
    undone = [
        str(outcomes["wish"][row]) in str(issues["mended_by"][of_case[row]]).split(",")
        for row in declined
    ]
    assert 0.5 < np.mean(undone) < 1
    assert not any(mends[row] for row, fixes in zip(declined, undone, strict=True) if fixes)
