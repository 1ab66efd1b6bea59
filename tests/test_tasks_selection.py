"""The choice among drawn candidates: spread answers, no question twice, few that a shortcut solves,
and what is refused is counted.
"""

from dataclasses import replace

from orgweave.benchmark.instance import Candidate, Dropped, OrgTruth
from orgweave.benchmark.selection import ASKED_BEFORE, NOT_NEEDED, TOO_EASY, InstanceSelector


def question(number: int, answer: str) -> Candidate:
    """A candidate with that answer."""
    return Candidate("seed", {"number": number}, {}, (), (answer,))


def proved(one: Candidate) -> OrgTruth:
    """Every proof succeeds."""
    return OrgTruth((one.answer,), 1, 1)


def test_answers_are_spread_and_none_stands_more_often_than_allowed() -> None:
    """Forty candidates with one answer and six others:
    the common answer comes at most three times.
    """
    draws = iter(
        [question(at, "same") for at in range(40)]
        + [question(100 + at, f"other {at}") for at in range(6)]
    )
    filling = InstanceSelector(draws, proved, most=3)
    filling.fill(10)
    answers = [one.answer[0] for one, _ in filling.chosen]
    assert answers.count("same") == 3 and len(answers) == 9
    assert filling.dropped[NOT_NEEDED] == 37


def test_the_same_question_is_asked_once_and_refused_proofs_are_counted() -> None:
    """A repeated draw and one whose second computation disagrees are dropped,
    each with its reason.
    """
    draws = iter([question(1, "a"), question(1, "a"), question(2, "b")])
    filling = InstanceSelector(
        draws, lambda one: Dropped("disagrees") if one.answer == ("b",) else proved(one), most=3
    )
    filling.fill(2)
    assert len(filling.chosen) == 1
    assert filling.dropped[ASKED_BEFORE] == 1 and filling.dropped["disagrees"] == 1


def test_what_a_later_reader_refused_is_replaced() -> None:
    """After a removal the filling draws on where it stopped."""
    filling = InstanceSelector(iter([question(at, str(at)) for at in range(5)]), proved, most=3)
    filling.fill(2)
    filling.remove({0}, "misread")
    filling.fill(2)
    assert [one.answer for one, _ in filling.chosen] == [("1",), ("2",)] and filling.dropped[
        "misread"
    ] == 1


def test_a_shortcut_solves_few_of_the_chosen() -> None:
    """Of ten candidates that the first record answers two are taken; those that no shortcut finds
    are taken all.
    """
    easy = [replace(question(at, str(at)), easy=frozenset({"first"})) for at in range(10)]
    filling = InstanceSelector(
        iter(easy + [question(at, str(at)) for at in range(10, 14)]),
        proved,
        most=3,
        most_easy={"first": 2},
    )
    filling.fill(10)
    assert len(filling.chosen) == 6 and filling.dropped[TOO_EASY] == 8


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
    filling = InstanceSelector(iter([first, next_day, later]), proved, most=5)
    filling.fill(2)
    assert [one.parameters["start"] for one, _ in filling.chosen] == [
        "2021-03-01T00:00:00Z",
        "2021-07-01T00:00:00Z",
    ]
