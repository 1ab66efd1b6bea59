"""Candidates of instances: how alike two of them are, and which of two is earlier."""

import json

import pytest

from orgweave.benchmark.instance import Candidate, QueryInstance, earlier_without_answer

pytestmark = pytest.mark.quick


def candidate(
    start: str = "", end: str = "", answer: tuple[str, ...] = ("Ann",), subject: str = "lamps"
) -> Candidate:
    """A candidate about lamps whose window goes from one day to another."""
    window = {"start": f"{start}T00:00:00Z", "end": f"{end}T00:00:00Z"} if start else {}
    return Candidate("seed", window, {}, (), answer, subject=subject)


@pytest.mark.parametrize(
    ("start", "end", "likeness"),
    [
        ("2022-03-01", "2022-03-11", 1.0),
        ("2022-03-06", "2022-03-16", 1 / 3),
        ("2022-02-24", "2022-03-06", 1 / 3),
        ("2022-03-03", "2022-03-08", 0.5),
        ("2022-02-19", "2022-03-21", 1 / 3),
        ("2022-03-11", "2022-03-21", 0.0),
    ],
)
def test_likeness_is_what_two_windows_share_of_their_time(
    start: str, end: str, likeness: float
) -> None:
    """Both ways round, and of one subject and one answer alone."""
    own, other = candidate("2022-03-01", "2022-03-11"), candidate(start, end)
    assert own.likeness(other) == other.likeness(own) == pytest.approx(likeness)
    assert own.likeness(candidate(start, end, answer=("Bob",))) == 0
    assert own.likeness(candidate(start, end, subject="ropes")) == 0
    assert own.days == 10


def test_what_has_no_window_is_like_nothing() -> None:
    """Not even like itself; and it ends never."""
    assert candidate().likeness(candidate()) == 0
    assert candidate().ends == ""


@pytest.mark.parametrize(
    ("ends", "earlier"),
    [
        (("2022-03-11", "2022-03-12"), [True]),
        (("2022-03-12", "2022-03-11"), [False]),
        (("2022-03-11", "2022-03-11"), [False]),
    ],
)
def test_the_question_without_an_answer_is_earlier_than_its_twin(
    ends: tuple[str, str], earlier: list[bool]
) -> None:
    """In whatever order the two stand; on the same day it is not."""
    nothing = candidate("2022-03-01", ends[0], answer=())
    answered = candidate("2022-03-01", ends[1])
    assert earlier_without_answer((nothing, answered)) == earlier
    assert earlier_without_answer((answered, nothing)) == earlier


def test_nothing_is_earlier_without_both_or_without_a_window() -> None:
    """Two of a kind, one alone, and questions about no time tell nothing."""
    nothing, answered = candidate("2022-03-01", "2022-03-11", ()), candidate("2022-03-01", "2022")
    assert earlier_without_answer((nothing, nothing)) == []
    assert earlier_without_answer((answered, answered)) == []
    assert earlier_without_answer((nothing,)) == []
    assert earlier_without_answer((candidate(answer=()), candidate())) == []


def test_a_line_has_evidence_only_where_there_is_some() -> None:
    """A single answer is a list of one."""
    stated = {"id": "a-1", "task": "a", "query": "Who?", "answer": "Ann"}
    bare = QueryInstance.model_validate({**stated, "reward_metric": "exact_match"})
    line = json.loads(bare.as_json())
    assert line["answer"] == ["Ann"] and "evidence" not in line
    proved = bare.model_copy(update={"evidence": {"case": "500"}})
    assert json.loads(proved.as_json())["evidence"] == {"case": "500"}
