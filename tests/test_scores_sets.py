"""`scores` compares agents only where they were given the same instances."""

from pathlib import Path

import pytest

from orgweave.benchmark.evaluate.results import ScoreRow, Trial, read_rows, row_of
from orgweave.benchmark.evaluate.tables import draw, sets_of, table_text
from tests.evaluate_toys import evaluated_org
from tests.evaluate_toys import run as evaluate


def row(agent: str, names: str, tasks: str = "t1", org: str = "shoes") -> ScoreRow:
    """An agent that got right what it was asked; each letter is an instance's name."""
    trials = []
    for name in names:
        short = "NCR" if name.islower() else "HTU"
        trials.append(Trial(name, short, True, True, 1.0, 1, 0, 0, 0.0))
    return row_of((agent, "mockllm/model", org, "o1", tasks), org, trials)


def test_one_set_has_one_table() -> None:
    """Agents with the same instances stand beside each other, without a heading."""
    text = table_text([row("oracle", "abC"), row("none", "abC")])
    assert text.startswith("Scores (%)")
    assert text.count("Scores (%)") == 1


@pytest.mark.parametrize(
    "other",
    [row("none", "ab"), row("none", "abC", tasks="t2"), row("none", "abC", org="bank")],
    ids=["fewer instances", "other tasks", "another org"],
)
def test_different_sets_are_kept_apart(other: ScoreRow) -> None:
    """Each set has its own tables below a line that says which it is, the largest first."""
    text = table_text([other, row("oracle", "abcD"), row("first_record", "abcD")])
    first, second = text.split("Set 2 of 2: ")
    assert first.startswith("Set 1 of 2: 4 instances of 2 tasks on shoes")
    assert "first_record" in first and "oracle" in first and "none" not in first
    assert "none" in second and "oracle" not in second


def test_a_set_of_one_task_is_called_as_that() -> None:
    """Its short name says more than a number."""
    assert "Set 2 of 2: 2 instances of NCR on shoes" in table_text(
        [row("a", "abC"), row("b", "xy")]
    )


def test_the_picture_has_a_panel_for_each_set(tmp_path: Path) -> None:
    """It is drawn for one set and for several, and is higher for more."""
    sizes = []
    for rows in ([row("a", "ab")], [row("a", "ab"), row("b", "a")]):
        draw(rows, tmp_path / "scores.png")
        data = (tmp_path / "scores.png").read_bytes()
        sizes.append(int.from_bytes(data[20:24], "big"))
    assert sizes[1] == 2 * sizes[0]


def test_logs_of_other_tasks_are_other_rows(tmp_path: Path) -> None:
    """The same agent, run before and after the tasks were made anew, has two rows that name the
    tasks' digests.
    """
    org = evaluated_org(tmp_path / "toy")
    evaluate(org, "none", ("handle_time",))
    file = org / "tasks" / "tasks.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("What is it?", "Who is it?"))
    evaluate(org, "none", ("handle_time",))
    rows = read_rows([org / "logs"])
    assert len(rows) == 2 and len(sets_of(rows)) == 2
    assert {name.org for name in rows} == {f"toy, tasks {name.tasks_sha256[:8]}" for name in rows}
