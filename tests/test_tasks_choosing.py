"""How many questions of a set are of which kind, before the first one is drawn."""

from pathlib import Path

import pytest

from orgweave.benchmark.choosing import BenchmarkOrg, TaskChooser
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.strictness import SelectionLimits
from orgweave.benchmark.task import TaskSources
from orgweave.crm.seam import RestRecord
from tests.task_toys import no_facts, story


class UnaskedCrm:
    """A CRM that holds nothing: no draw is proved here."""

    def query(self, text: str) -> list[RestRecord]:
        """No record."""
        return []

    def search(self, text: str) -> list[RestRecord]:
        """No record."""
        return []


def limits(task: str, wanted: int) -> SelectionLimits:
    """What may stand how often among so many questions of a task."""
    org = BenchmarkOrg(Path(), TaskSources(story([])), no_facts())
    return TaskChooser.of(org, UnaskedCrm(), task, wanted).selector.limits


@pytest.mark.parametrize(
    ("task", "wanted", "nothing", "one_side"),
    [("case_action", 5, 3, 2), ("handle_time", 5, 2, 1), ("case_chain", 10, 3, 2)],
)
def test_so_many_of_a_set_are_questions_that_nothing_answers(
    task: str, wanted: int, nothing: int, one_side: int
) -> None:
    """Where all come in twins of which one has no answer, an odd number leaves one of these alone.

    At most half of them, rounded up, lie on one side of the twin that has an answer.
    """
    found = limits(task, wanted)
    assert (found.nothing, found.one_side) == (nothing, one_side)


def test_what_reduced_solvers_pass_is_bounded_where_it_can_be_judged() -> None:
    """Of fewer than forty answerable questions chance alone passes half."""
    assert not limits("monthly_trend_analysis", 39).passed
    assert limits("monthly_trend_analysis", 40).passed


def test_a_task_may_say_how_much_reduced_solvers_pass() -> None:
    """Of breaches about a third may be of the issue's own article: of policies there are more."""
    asked = limits("policy_violation_identification", 130).passed
    assert set(asked.values()) == {int(91 * 0.35)}
    assert set(limits("transfer_count", 130).passed.values()) == {int(91 * 0.38)}


def test_no_answer_stands_more_often_than_its_task_allows() -> None:
    """Two may be alike in the smallest set; of a hundred as many as the task says."""
    assert [limits("handle_time", wanted).answer for wanted in (5, 100)] == [2, 15]
    assert [limits("monthly_trend_analysis", wanted).answer for wanted in (5, 100)] == [2, 20]


def test_seed_queries_are_balanced_where_windows_are_asked_about() -> None:
    """Each may stand a quarter more often than its equal share."""
    seeds = len(TASKS["handle_time"].texts.seeds)
    assert limits("handle_time", 100).seed == int(125 / seeds)
    assert limits("knowledge_qa", 100).seed == 0
