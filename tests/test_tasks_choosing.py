"""How many questions of a set are of which kind, before the first one is drawn."""

from pathlib import Path

import pytest

from orgweave.benchmark.choosing import BenchmarkOrg, TaskChooser
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.strictness import SelectionLimits
from orgweave.benchmark.task import TaskSources
from orgweave.benchmark.windows import Timeline
from orgweave.crm.seam import RestRecord
from tests.task_toys import story


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
    facts = OrgFacts(
        cases=Timeline((), lambda case: case.created),
        of_product={},
        every_case=(),
        assignments=Timeline((), lambda step: step.moment),
        transferred=frozenset(),
        purchases={},
        accounts={},
        products={},
        issues={},
        articles={},
        said={},
        article_of_issue={},
    )
    org = BenchmarkOrg(Path(), TaskSources(story([])), facts)
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
