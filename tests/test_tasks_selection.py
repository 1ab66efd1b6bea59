"""The choice among drawn twins: spread answers, no question twice, few that reduced solvers pass,
the hardest first, and what is refused is counted.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from orgweave.benchmark.drawn_groups import ASKED_BEFORE, DrawnGroups
from orgweave.benchmark.instance import Candidate, Dropped, OrgTruth
from orgweave.benchmark.selection import (
    DRAWN_TO_SWAP,
    NOT_NEEDED,
    TOO_EASY,
    InstanceSelector,
)
from orgweave.benchmark.strictness import SelectionLimits


def question(number: int, answer: str) -> Candidate:
    """A candidate with that answer."""
    return Candidate("seed", {"number": number}, {}, (), (answer,))


def alone(questions: Iterable[Candidate]) -> DrawnGroups:
    """Each of them without a twin."""
    return DrawnGroups(iter([(candidate,) for candidate in questions]))


def proved(candidate: Candidate) -> OrgTruth:
    """Every proof succeeds."""
    return OrgTruth((candidate.answer,), 1, 1)


def selector(most: int = 3, **more: Any) -> InstanceSelector:
    """A selector in which an answer may stand so often."""
    return InstanceSelector(proved, SelectionLimits(answer=most), **more)


def test_answers_are_spread_and_none_stands_more_often_than_allowed() -> None:
    """Forty candidates with one answer and six others: the common answer comes at most three
    times.
    """
    same = [question(number, "same") for number in range(40)]
    others = [question(100 + number, f"other {number}") for number in range(6)]
    filling = selector()
    filling.fill(alone([*same, *others]), 10)
    answers = [candidate.answer[0] for candidate in filling.candidates]
    assert answers.count("same") == 3 and len(answers) == 9
    assert filling.dropped[NOT_NEEDED] == 37


def test_the_same_question_is_asked_once_and_refused_proofs_are_counted() -> None:
    """A repeated draw and one whose second computation disagrees are dropped, each with its
    reason.
    """

    def prove(candidate: Candidate) -> OrgTruth | Dropped:
        return Dropped("disagrees") if candidate.answer == ("b",) else proved(candidate)

    filling = InstanceSelector(prove, SelectionLimits(answer=3))
    filling.fill(alone([question(1, "a"), question(1, "a"), question(2, "b")]), 2)
    assert len(filling.chosen) == 1
    assert filling.dropped[ASKED_BEFORE] == 1 and filling.dropped["disagrees"] == 1


def test_the_twin_of_a_question_that_is_asked_already_is_asked_alone() -> None:
    """A breach that stands beside a case without one is no reason to lose the other breach that
    it was drawn with; a question that nothing answers is never asked without its twin.
    """
    first, second, third = (question(number, f"answer {number}") for number in range(3))
    nothing = Candidate("seed", {"number": 9}, {}, (), ())
    filling = selector()
    filling.fill(DrawnGroups(iter([(first, third)])), 2)
    filling.fill(DrawnGroups(iter([(first, second), (third, nothing)])), 4)
    assert filling.candidates == [first, third, second]
    assert filling.dropped[ASKED_BEFORE] == 1


def test_what_a_later_reader_refused_is_replaced() -> None:
    """After a removal the filling draws on where it stopped."""
    draws = alone([question(number, str(number)) for number in range(5)])
    filling = selector()
    filling.fill(draws, 2)
    filling.remove({0}, "misread")
    filling.fill(draws, 2)
    assert len(filling.chosen) == 2 and filling.dropped["misread"] == 1


def test_twins_stay_together_and_come_before_questions_alone() -> None:
    """Of a question alone and two pairs both pairs are taken; what is left of an odd number is
    filled with the one alone.
    """
    pairs = [(question(1, "a"), question(2, "b")), (question(3, "c"), question(4, "d"))]
    draws = DrawnGroups(iter([(question(5, "e"),), *pairs]))
    filling = selector()
    filling.fill(draws, 5)
    groups: dict[int, list[str]] = {}
    for chosen in filling.chosen:
        groups.setdefault(chosen.group, []).append(chosen.candidate.answer[0])
    assert sorted(groups.values()) == [["a", "b"], ["c", "d"], ["e"]]


def test_one_twin_that_is_not_proved_takes_the_other_with_it() -> None:
    """A group is worth something only as a whole."""

    def prove(candidate: Candidate) -> OrgTruth | Dropped:
        return Dropped("disagrees") if candidate.answer == ("b",) else proved(candidate)

    filling = InstanceSelector(prove, SelectionLimits(answer=3))
    filling.fill(DrawnGroups(iter([(question(1, "a"), question(2, "b"))])), 2)
    assert not filling.chosen


def test_a_reduced_solver_passes_few_of_the_chosen() -> None:
    """Of ten candidates that a reduced solver passes two are taken as long as there are others;
    where there are none, the rest comes last.
    """

    def shortcuts(candidate: Candidate) -> frozenset[str]:
        return frozenset({"first"} if int(candidate.answer[0]) < 10 else ())

    limits = SelectionLimits(answer=3, passed={"first": 2})
    filling = InstanceSelector(proved, limits, shortcuts)
    filling.fill(alone([question(number, str(number)) for number in range(14)]), 6)
    answers = [int(candidate.answer[0]) for candidate in filling.candidates]
    assert len(answers) == 6 and sum(answer < 10 for answer in answers) == 2
    whole = InstanceSelector(proved, limits, shortcuts)
    whole.fill(alone([question(number, str(number)) for number in range(14)]), 10)
    assert len(whole.candidates) == 10
    assert whole.dropped[TOO_EASY] == 8


def test_what_was_given_up_for_another_may_be_asked_again() -> None:
    """Of six questions that a solver passes most give way; later they are new like any other."""

    def shortcuts(candidate: Candidate) -> frozenset[str]:
        return frozenset({"first"} if int(candidate.answer[0]) < 10 else ())

    filling = InstanceSelector(proved, SelectionLimits(answer=3, passed={"first": 1}), shortcuts)
    easy = [question(number, str(number)) for number in range(6)]
    drawn = alone(easy)
    filling.fill(drawn, 6)
    assert filling.candidates == easy
    drawn.waiting += [(question(number, str(number)),) for number in range(10, 16)]
    filling.exchange([drawn], 6, Random(7))
    given_up = [candidate for candidate in easy if candidate not in filling.candidates]
    assert len(given_up) >= 4
    filling.fill(alone(given_up), 12)
    assert {candidate.key for candidate in given_up} <= {each.key for each in filling.candidates}


def test_questions_that_were_drawn_before_do_not_end_the_search_for_others() -> None:
    """Where few questions come again and again, the rare ones behind them are reached all the same
    and take the places of those that a solver passes.
    """

    def shortcuts(candidate: Candidate) -> frozenset[str]:
        return frozenset({"first"} if int(candidate.answer[0]) < 10 else ())

    easy = [question(number, str(number)) for number in range(6)]
    hard = [question(number, str(number)) for number in range(10, 16)]
    filling = InstanceSelector(proved, SelectionLimits(answer=3, passed={"first": 1}), shortcuts)
    drawn = alone([*easy, *easy * (DRAWN_TO_SWAP // len(easy)), *hard])
    filling.fill(drawn, len(easy))
    filling.exchange([drawn], len(easy), Random(7))
    assert sum(candidate in easy for candidate in filling.candidates) <= 2


def test_the_hardest_are_taken_first() -> None:
    """A candidate that three reduced solvers pass comes after one that none passes, so that what a
    solver may pass lasts.
    """

    def shortcuts(candidate: Candidate) -> frozenset[str]:
        return frozenset({"a", "b", "c"} if candidate.answer == ("easy",) else ())

    filling = InstanceSelector(proved, SelectionLimits(answer=3), shortcuts)
    filling.fill(alone([question(1, "easy"), question(2, "hard")]), 1)
    assert filling.candidates[0].answer == ("hard",)


def spanning(start: str, end: str) -> Candidate:
    """A question about one subject and window."""
    return Candidate(
        "named",
        {"start": f"{start}T00:00:00Z", "end": f"{end}T00:00:00Z"},
        {},
        (),
        ("u1",),
        subject="longest",
    )


def test_nearly_the_same_question_is_asked_only_where_nothing_else_is_left() -> None:
    """Of two windows a day apart with one answer the second comes last; windows a month apart are
    different questions.
    """
    first, next_day, later = (
        spanning("2021-03-01", "2021-05-01"),
        spanning("2021-03-02", "2021-05-02"),
        spanning("2021-07-01", "2021-09-01"),
    )
    filling = selector(most=5)
    filling.fill(alone([first, next_day, later]), 2)
    assert [candidate.parameters["start"] for candidate in filling.candidates] == [
        "2021-03-01T00:00:00Z",
        "2021-07-01T00:00:00Z",
    ]


def test_the_drawing_ends_with_enough_questions_that_nothing_answers() -> None:
    """Each group holds one of them, with one twin or two; two are wanted, so two groups come, and
    other draws fill the rest.
    """
    groups = []
    for number in range(5):
        answered = [question(10 * number + place, f"{number} {place}") for place in range(2)]
        groups.append((*answered, replace(question(10 * number + 9, ""), answer=())))
    filling = InstanceSelector(proved, SelectionLimits(answer=3, nothing=2))
    filling.fill(DrawnGroups(iter(groups), nothing=True), 9)
    assert [candidate.answer for candidate in filling.candidates].count(()) == 2
    filling.fill(alone(question(100 + number, f"other {number}") for number in range(9)), 9)
    assert len(filling.candidates) == 9


def test_of_a_group_too_large_for_what_is_left_the_last_ones_come() -> None:
    """Three twins where two are wanted: the one that nothing answers stays, with one twin."""
    twins = (question(1, "a"), question(2, "b"), replace(question(3, ""), answer=()))
    filling = InstanceSelector(proved, SelectionLimits(answer=3, nothing=1))
    filling.fill(DrawnGroups(iter([twins]), nothing=True), 2)
    assert [candidate.answer for candidate in filling.candidates] == [("b",), ()]


def pair(first: int, second: int) -> tuple[Candidate, Candidate]:
    """Twins with different answers."""
    return question(first, str(first)), question(second, str(second))


def group_sizes(filling: InstanceSelector) -> list[int]:
    """How many questions each chosen group holds."""
    return sorted(Counter(chosen.group for chosen in filling.chosen).values())


def test_easy_twins_come_before_a_question_without_a_twin() -> None:
    """A reduced solver passes the twins more often than it may; the lone question, which it does
    not pass, stays out all the same.
    """
    limits = SelectionLimits(answer=3, passed={"first": 1})
    easy = [pair(1, 2), pair(3, 4)]
    filling = InstanceSelector(
        proved,
        limits,
        lambda candidate: frozenset({"first"} if candidate.answer != ("9",) else ()),
    )
    filling.fill(DrawnGroups(iter([(question(9, "9"),), *easy])), 4)
    assert group_sizes(filling) == [2, 2]


def test_questions_whose_twins_are_asked_already_become_twins() -> None:
    """The first pool asked 1 and 3; of two pairs that hold them 2 and 4 are left."""
    filling = selector()
    filling.fill(DrawnGroups(iter([pair(1, 3)])), 2)
    filling.fill(DrawnGroups(iter([pair(1, 2), pair(3, 4)])), 4)
    assert group_sizes(filling) == [2, 2]
    assert {candidate.answer for candidate in filling.candidates[2:]} == {("2",), ("4",)}


def test_three_twins_become_two_where_an_odd_number_of_places_is_left() -> None:
    """Of four places three are taken by the question that nothing answers and its twins."""
    three = (*pair(1, 2), replace(question(3, ""), answer=()))
    filling = InstanceSelector(proved, SelectionLimits(answer=3, nothing=1))
    filling.fill(DrawnGroups(iter([three]), nothing=True), 4)
    filling.fill(DrawnGroups(iter([pair(4, 5)])), 4)
    assert group_sizes(filling) == [2, 2]
