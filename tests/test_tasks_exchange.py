"""Exchanges among chosen twins: what is swapped, for what, and when nothing is."""

from collections.abc import Iterator

import pytest

from orgweave.benchmark.exchange import Exchange, ExchangeRules
from orgweave.benchmark.instance import Candidate, TwinGroup

pytestmark = pytest.mark.quick


def twins(number: int, *passed: str, fact: str = "") -> TwinGroup:
    """Two questions, both passed by these reduced solvers, on facts of their own or on one."""
    pair = []
    for place in range(2):
        own = fact or f"fact {number}.{place}"
        parameters = {"number": number, "place": place, "passed": " ".join(passed)}
        pair.append(Candidate("seed", parameters, {}, (), ("answer",), fact=own))
    return tuple(pair)


def counted(candidate: Candidate) -> Iterator[str]:
    """The reduced solvers that pass a candidate."""
    yield from str(candidate.parameters["passed"]).split()


def exchanged(chosen: list[TwinGroup], offered: list[TwinGroup], most: int) -> list[TwinGroup]:
    """What stands in the end, where a solver `first` may pass so many."""
    rules = ExchangeRules({"first": most}, counted, 2 * len(chosen))
    exchange = Exchange(rules, chosen, offered)
    for place, group in exchange.swaps():
        exchange.take(place, group)
    return exchange.chosen


def test_twins_that_a_solver_passes_too_often_are_swapped() -> None:
    """Of three pairs that the solver passes, of which it may pass two questions, two go."""
    chosen = [twins(number, "first") for number in range(3)]
    hard = [twins(number) for number in range(10, 14)]
    left = exchanged(list(chosen), list(hard), most=2)
    assert sum(group in chosen for group in left) == 1
    assert sum(group in hard for group in left) == 2


def test_nothing_is_swapped_where_nothing_helps() -> None:
    """What is within its limits stays, and so does what could only get worse."""
    chosen = [twins(number, "first") for number in range(3)]
    assert exchanged(list(chosen), [twins(10)], most=6) == chosen
    assert exchanged(list(chosen), [twins(10, "first")], most=2) == chosen


def test_questions_on_one_fact_make_room_for_other_facts() -> None:
    """Four pairs rest on one fact; those on facts of their own take their places."""
    chosen = [twins(number, fact="one") for number in range(4)]
    left = exchanged(list(chosen), [twins(number) for number in range(10, 14)], most=9)
    facts = {candidate.rests_on for group in left for candidate in group}
    assert len(facts) >= 6


def test_a_question_without_an_answer_is_swapped_for_one_of_its_kind_alone() -> None:
    """A pair with an answer each does not take the place of one in which nothing answers."""
    answered, nothing = twins(1, "first")
    mixed = (answered, Candidate("seed", nothing.parameters, {}, (), ()))
    assert exchanged([mixed], [twins(10)], most=1) == [mixed]
