"""Which article each breach is of: neither the issue nor the remedy may give it away."""

from collections import Counter

import pytest

from latent.broken_articles import DealtBreach, dealt_out
from latent.policy_terms import KnownTerm
from pipeline.world.streams import stream
from schemas.articles import PolicyTerm


def term(policy: str, figure: str = "days") -> KnownTerm:
    """A term of a policy that is told wrongly by two days more."""
    told = PolicyTerm(
        policy=policy,
        figure=figure,
        kinder="more",
        shown="{n} days",
        says=("it takes {shown}",),
    )
    return KnownTerm(told, 0, 12, (14,), policy)


CARDS, FEES, LIMITS = term("cards"), term("fees"), term("limits")


def dealt(breaches: list[DealtBreach], wanted: int, seed: int = 1) -> list[str]:
    """The policy that each breach is of, empty where it is of the issue's article."""
    found = dealt_out(stream(seed, "dealt"), breaches, wanted)
    return [known.term.policy if known else "" for known in found]


def test_so_many_are_of_policies_as_are_wanted_or_as_can_be() -> None:
    """Where nothing can be told wrongly the grant itself is the breach."""
    breaches = [DealtBreach(0, "refund", [CARDS])] * 6 + [DealtBreach(0, "", [])] * 4
    assert Counter(dealt(breaches, 4)) == {"cards": 4, "": 6}
    assert dealt(breaches, 9) == ["cards"] * 6 + [""] * 4
    assert dealt(breaches, 0) == [""] * 10


@pytest.mark.parametrize("seed", range(5))
def test_no_issue_gives_the_article_away(seed: int) -> None:
    """Large or small, each has its own article and its policies broken about as often; half of
    them could all be of one issue, were they chosen case by case.
    """
    breaches = []
    for issue, number in enumerate((30, 12, 6)):
        breaches += [DealtBreach(issue, "refund", [CARDS, FEES])] * number
    policies = dealt(breaches, 32, seed)
    for issue, number in enumerate((30, 12, 6)):
        pairs = zip(breaches, policies, strict=True)
        stands = Counter(policy for breach, policy in pairs if breach.issue == issue)
        assert set(stands) == {"", "cards", "fees"}
        assert max(stands.values()) <= number / 3 + 2


def test_no_remedy_gives_the_policy_away() -> None:
    """What fits two remedies is not told with the one of them that nothing else goes with, while
    all that is left for the other is told with that alone.
    """
    breaches = [DealtBreach(0, "exchange", [CARDS, FEES])] * 20
    breaches += [DealtBreach(0, "refund", [CARDS])] * 20
    policies = dealt(breaches, 26)
    of_exchanges = Counter(policies[:20])
    assert of_exchanges["cards"] and of_exchanges["fees"] and of_exchanges[""]
    assert max(of_exchanges.values()) <= 12


def test_a_policy_of_few_issues_is_broken_as_often_as_one_of_many() -> None:
    """Nearly so: what an issue leaves open is told of the policy that is broken least."""
    breaches = []
    for issue in range(5):
        breaches += [DealtBreach(issue, "refund", [CARDS, LIMITS] if issue else [FEES])] * 8
    stands = Counter(dealt(breaches, 25))
    assert abs(stands["cards"] - stands["limits"]) <= 2
    assert stands["fees"] >= 4


def test_a_policys_terms_take_turns() -> None:
    """The words of one of them would be learned soon."""
    breaches = [DealtBreach(0, "refund", [CARDS, term("cards", "costs")])] * 20
    found = dealt_out(stream(2, "turns"), breaches, 10)
    assert Counter(known.term.figure for known in found if known) == {"days": 5, "costs": 5}


def test_which_case_it_is_is_drawn() -> None:
    """Of cases that are alike no place is likelier than another."""
    breaches = [DealtBreach(0, "refund", [CARDS])] * 12
    assert len({tuple(dealt(breaches, 6, seed)) for seed in range(6)}) > 3
    assert dealt(breaches, 6, 3) == dealt(breaches, 6, 3)
