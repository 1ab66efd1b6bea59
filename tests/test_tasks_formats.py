"""The card of a set of tasks: what Hugging Face reads from it."""

import json
from pathlib import Path

import pytest

from orgweave.benchmark.formats import card_of, size_category

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("total", "category"),
    [
        (1, "n<1K"),
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (9_999, "1K<n<10K"),
        (10_000, "10K<n<100K"),
    ],
)
def test_a_set_is_of_the_category_that_its_size_reaches(total: int, category: str) -> None:
    """A thousand questions are no longer fewer than a thousand."""
    assert size_category(total) == category


def test_a_card_counts_the_instances_of_all_tasks(tmp_path: Path) -> None:
    """Two and three are five; each task has a row with its numbers and its metric."""
    instances = [
        {"task": task, "reward_metric": metric}
        for task, metric in (("handle_time", "exact_match"), ("knowledge_qa", "token_f1"))
    ]
    lines = [json.dumps(instance) for instance in instances]
    (tmp_path / "tasks.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tasks = {
        "handle_time": {"instances": 2, "unanswerable": 1, "distinct_answers": 2},
        "knowledge_qa": {"instances": 3, "unanswerable": 0, "distinct_answers": 3},
    }
    report = {"company": "Toys", "industry": "toys", "seed": 1, "writer": "plain", "tasks": tasks}
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    card = card_of(tmp_path)
    assert "\n5 query instances on the org of Toys (toys)" in card
    assert "\n| handle_time | 2 | 1 | 2 | exact_match |\n" in card
    assert "\n| knowledge_qa | 3 | 0 | 3 | token_f1 |\n" in card
