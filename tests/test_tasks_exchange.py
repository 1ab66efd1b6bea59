"""Exchanges among chosen twins: what is swapped, for what, and when nothing is."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from orgweave.benchmark.exchange import ExchangeRules, exchange_of, form_of
from orgweave.benchmark.instance import Candidate, TwinGroup
from orgweave.benchmark.told import TOLD, numbers_of, told_cells

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


def exchanged(
    chosen: Sequence[TwinGroup],
    offered: Sequence[TwinGroup],
    **most: int,
) -> list[TwinGroup]:
    """What stands in the end, where these solvers may pass so many."""
    rules = ExchangeRules(most, counted, 2 * len(chosen))
    exchange = exchange_of(rules, chosen, offered)
    exchange.search(Random(7))
    return exchange.chosen


def test_twins_that_a_solver_passes_too_often_are_swapped() -> None:
    """Of three pairs that the solver passes, of which it may pass two questions, two go."""
    chosen = [twins(number, "first") for number in range(3)]
    hard = [twins(number) for number in range(10, 14)]
    left = exchanged(chosen, hard, first=2)
    assert sum(group in chosen for group in left) == 1
    assert sum(group in hard for group in left) == 2


def test_nothing_is_swapped_where_nothing_helps() -> None:
    """What is within its limits stays, and so does what could only get worse."""
    chosen = [twins(number, "first") for number in range(3)]
    assert exchanged(chosen, [twins(10)], first=6) == chosen
    assert exchanged(chosen, [twins(10, "first", "first")], first=2) == chosen


def test_what_is_taken_passes_no_other_limit() -> None:
    """Both pairs pass `first`; of four others the two are taken that pass nothing too often."""
    offered = [twins(11, "second"), twins(12, "third"), twins(13, "second", "third"), twins(14)]
    chosen = [twins(1, "first"), twins(2, "first")]
    left = exchanged(chosen, offered, first=1, second=2, third=1)
    assert sorted(offered.index(group) for group in left) == [0, 3]


def test_what_cannot_be_within_all_limits_passes_each_by_little() -> None:
    """Of twelve questions eight are passed by some solver, and four may be: two too many for each
    of two solvers are better than four too many for one.
    """
    chosen = [twins(number, "first") for number in range(4)] + [twins(4), twins(5)]
    left = exchanged(
        chosen, [twins(number, "second") for number in range(10, 14)], first=2, second=2
    )
    passed = [str(group[0].parameters["passed"]) for group in left]
    assert passed.count("first") == passed.count("second") == 2


def answered(number: int, *answers: str, passed: str = "") -> TwinGroup:
    """As many questions on facts of their own, with these answers."""
    group = []
    for place, answer in enumerate(answers):
        parameters = {"number": number, "place": place, "passed": passed}
        group.append(Candidate("seed", parameters, {}, (), (answer,), fact=f"{number}.{place}"))
    return tuple(group)


def test_an_answer_that_stands_often_gives_way_to_a_new_one() -> None:
    """Of two pairs that say the same one goes, for the pair that says what nobody has said."""
    chosen = [answered(1, "Ann", "Bo"), answered(2, "Bo", "Ann"), answered(3, "Cy", "Cy")]
    new = answered(11, "Di", "Ann")
    exchange = exchange_of(ExchangeRules({}, counted, 6), chosen, [answered(10, "Bo", "Cy"), new])
    assert list(exchange.varied()) == [(chosen[0], new)]
    assert exchange.chosen == [chosen[1], chosen[2], new]


def test_no_answer_is_given_up_and_no_limit_passed_for_a_new_one() -> None:
    """A pair whose answer nobody else has stays, and what a solver passes too often stays out."""
    chosen = [answered(1, "Ann", "Bo"), answered(2, "Bo", "Ann")]
    easy = answered(10, "Di", "Di", passed="first")
    exchange = exchange_of(ExchangeRules({"first": 1}, counted, 4), chosen, [easy])
    assert not list(exchange.varied())
    twice = [answered(1, "Ann", "Ann")]
    alone = exchange_of(ExchangeRules({}, counted, 2), twice, [answered(11, "Di", "Di")])
    assert not list(alone.varied())


def test_without_a_choice_nothing_is_exchanged() -> None:
    """An org that yields no question has nothing to swap, and what is offered is not added."""
    assert exchanged([], [twins(10)], first=1) == []


def test_questions_on_one_fact_make_room_for_other_facts() -> None:
    """Four pairs rest on one fact; those on facts of their own take their places."""
    chosen = [twins(number, fact="one") for number in range(4)]
    left = exchanged(chosen, [twins(number) for number in range(10, 14)])
    facts = {candidate.rests_on for group in left for candidate in group}
    assert len(facts) >= 6


def test_a_question_without_an_answer_is_swapped_for_one_of_its_kind_alone() -> None:
    """A pair with an answer each does not take the place of one in which nothing answers, another
    pair in which nothing answers does.
    """
    answered, nothing = twins(1, "first")
    mixed = (answered, Candidate("seed", nothing.parameters, {}, (), ()))
    assert exchanged([mixed], [twins(10)], first=1) == [mixed]
    easier, other = twins(2)
    alike = (easier, Candidate("seed", other.parameters, {}, (), ()))
    assert form_of(alike) == form_of(mixed)
    assert exchanged([mixed], [twins(10), alike], first=1) == [alike]


def test_what_asks_the_same_as_a_chosen_one_is_not_offered() -> None:
    """A question stands once, in whatever group it was drawn."""
    chosen = [twins(1, "first")]
    same = (chosen[0][0], twins(20)[0])
    exchange = exchange_of(ExchangeRules({"first": 1}, counted, 2), chosen, [same, twins(21)])
    assert exchange.groups == [*chosen, twins(21)]


def test_what_could_not_be_proved_is_not_taken_again() -> None:
    """An excluded group stays outside, however well it would do."""
    chosen, good, fair = twins(1, "first", "first"), twins(2), twins(3, "first")
    exchange = exchange_of(ExchangeRules({"first": 1}, counted, 2), [chosen], [good, fair])
    exchange.exclude(good)
    exchange.search(Random(7))
    assert exchange.chosen == [fair]


def asked(number: int, answer: tuple[str, ...], **parameters: int | str) -> TwinGroup:
    """A question alone, that tells these numbers."""
    return (Candidate("seed", {"number": number, "passed": "", **parameters}, {}, (), answer),)


def test_a_question_tells_six_numbers() -> None:
    """More than 6 cases in the 30 days that end in May 2022 are a fifth of a case a day."""
    window = {"start": "2022-04-01T00:00:00Z", "end": "2022-05-01T00:00:00Z"}
    numbers = numbers_of({**window, "period": "April 2022", "more_than": 6})
    assert dict(zip(TOLD, numbers, strict=True)) == {
        "n": 6,
        "days": 30,
        "n a day": 0.2,
        "month": 2022 * 12 + 5,
        "words of a name": 0,
        "named": 1,
    }
    assert numbers_of({"vague_name": "brown boots"}) == [0, 1, 0, 0, 2, 0]


def test_whether_anything_answers_is_not_told_by_a_number_of_the_question() -> None:
    """Nothing answers where n is large; such questions give way to those with other numbers."""
    chosen = [asked(number, ("a",), more_than=2) for number in range(8)]
    chosen += [asked(number, (), more_than=9) for number in range(8, 12)]
    offered = [asked(number, (), more_than=2) for number in range(20, 24)]
    cells = told_cells([group[0].parameters for group in [*chosen, *offered]])
    rules = ExchangeRules({}, counted, 12, lambda candidate: cells.of(candidate.parameters))
    exchange = exchange_of(rules, chosen, offered)
    assert exchange.cost > 0
    exchange.search(Random(7))
    without = [group[0] for group in exchange.chosen if not group[0].answer]
    assert [candidate.parameters["more_than"] for candidate in without].count(9) <= 1
    assert len(exchange.chosen) == 12 and len(without) == 4
