"""The second computation by itself, on the toy org that can be counted by hand: what it answers,
and that a tie is no answer, though the first computation never hands it one.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orgweave.benchmark.instance import NOTHING, Answer, Parameters
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.soql_truth import clear_extreme
from orgweave.tools.crm import LocalCrm
from tests.tools_toys import END, PRODUCTS, START, USERS, toy_crm

QUARTER = {"start": START, "end": END}
FEBRUARY = {"start": "2022-02-01T00:00:00Z", "end": "2022-03-01T00:00:00Z"}


@pytest.fixture(scope="module")
def crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCrm]:
    """The toy org in process."""
    folder: Path = tmp_path_factory.mktemp("toys")
    with toy_crm(folder) as opened:
        yield opened


@pytest.mark.parametrize("largest", [True, False])
def test_equal_values_have_no_extreme(largest: bool) -> None:
    """Two keys with the same value, or one that differs by no more than a thousandth, tie."""
    assert clear_extreme({"a": 2, "b": 2}, largest) == NOTHING
    assert clear_extreme({"a": 1000.0, "b": 1001.0}, largest) == NOTHING
    assert clear_extreme({"a": 1000.0, "b": 999.0}, largest) == NOTHING
    assert clear_extreme({"a": -5, "b": -5}, largest) == NOTHING
    assert clear_extreme({"a": 0, "b": 0}, largest) == NOTHING
    assert clear_extreme({}, largest) == NOTHING


def test_a_clear_extreme_is_the_key_at_that_end() -> None:
    """The largest or the smallest value, ahead by more than a thousandth; a tie elsewhere doesn't
    matter.
    """
    values = {"a": 1.0, "b": 3.0, "c": 3.1, "d": 1.2}
    assert clear_extreme(values, largest=True) == ("c",)
    assert clear_extreme(values, largest=False) == ("a",)
    assert clear_extreme({"a": 1, "b": 1, "c": 9}, largest=True) == ("c",)
    assert clear_extreme({"a": 1}, largest=False) == ("a",)


TIES: dict[str, tuple[str, Parameters]] = {
    "one case of each of two issues": (
        "top_issue_identification",
        {"product": PRODUCTS[0], **FEBRUARY},
    ),
    "two cases in January and two in February": (
        "monthly_trend_analysis",
        {"product": PRODUCTS[0], "start": START, "end": FEBRUARY["end"]},
    ),
    "two transfers of each of two agents": (
        "transfer_count",
        {"extremum": "most", "more_than": 0, **QUARTER},
    ),
}


@pytest.mark.parametrize("name", sorted(TIES))
def test_a_tie_in_the_org_is_no_answer(name: str, crm: LocalCrm) -> None:
    """Where two are as good, nothing answers, with the window's end open and closed."""
    task, wanted = TIES[name]
    truth = TASKS[task].soql_truth
    assert truth is not None
    assert set(truth(crm, wanted).answers) == {NOTHING}


CLEAR: dict[str, tuple[str, Parameters, Answer]] = {
    "the only agent with more than one case and a transfer": (
        "transfer_count",
        {"extremum": "most", "more_than": 1, **FEBRUARY | {"start": START}},
        (USERS[2],),
    ),
    "the month with two of three cases": (
        "monthly_trend_analysis",
        {"product": PRODUCTS[0], "start": START, "end": "2022-02-16T00:00:00Z"},
        ("January",),
    ),
}


@pytest.mark.parametrize("name", sorted(CLEAR))
def test_a_clear_best_in_the_org_is_the_answer(name: str, crm: LocalCrm) -> None:
    """Both ends of the window give it, and what the first took is told."""
    task, wanted, answer = CLEAR[name]
    truth = TASKS[task].soql_truth
    assert truth is not None
    found = truth(crm, wanted)
    assert found.answers == (answer, answer)
    assert found.records > 0 and found.steps > 0
