"""What the report tells of a benchmark is read from its files, and from files of this org alone."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from orgweave.report.benchmark_facts import BenchmarkFacts, farthest_shortcut, read_benchmark
from pipeline.atomic import sha256_of
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput

pytestmark = pytest.mark.quick


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run with an org of a few bytes, and no tasks."""
    run = RunFolder(tmp_path)
    run.org_file.write_bytes(b"org")
    return run


def with_tasks(run: RunFolder, digest: str = "", **tasks: object) -> None:
    """Writes the report of tasks, of this org or of another one."""
    run.tasks_folder.mkdir()
    report = {"org_sha256": digest or sha256_of(run.org_file), "tasks": tasks}
    (run.tasks_folder / "report.json").write_text(json.dumps(report))


def with_answers(run: RunFolder, *answers: tuple[str, list[str | None]]) -> None:
    """Writes an instance for each task and answer; `[None]` has none."""
    lines = []
    for task, answer in answers:
        instance = {"task": task, "answer": answer, "answerable": answer != [None]}
        lines.append(json.dumps(instance) + "\n")
    (run.tasks_folder / "tasks.jsonl").write_text("".join(lines))


def figures(mean: float, instances: int = 10) -> dict[str, object]:
    """A task's figures in a row of scores."""
    return {"mean": mean, "instances": instances, "error": 0.05, "cost": 0.01}


def with_scores(run: RunFolder, name: str, *rows: object) -> None:
    """Writes the scores of an evaluation."""
    folder = run.evaluations_folder / name
    folder.mkdir(parents=True)
    (folder / "scores.json").write_text(json.dumps(list(rows)))


def row(agent: str, mean: float, model: str = "openai/gpt", org: str = "") -> Mapping[str, object]:
    """A row of scores: two tasks, and both together."""
    every = {"HTU": figures(mean), "TC": figures(mean, 5), "ALL": figures(mean, 15)}
    return {"agent": agent, "model": model, "org_sha256": org, "every": every}


def test_a_run_without_tasks_has_no_benchmark(run: RunFolder) -> None:
    """Scores that lie about without tasks are none of its own."""
    with_scores(run, "react", row("react", 0.5))
    assert read_benchmark(run) == BenchmarkFacts()


def test_answers_are_counted_by_task_the_commonest_first(run: RunFolder) -> None:
    """Instances without an answer are counted apart, and other tasks' answers not at all."""
    with_tasks(run, handle_time={"instances": 5, "unanswerable": 1}, transfer_count={})
    answers: list[tuple[str, list[str | None]]] = [
        ("handle_time", ["b"]),
        ("handle_time", ["a"]),
        ("handle_time", ["a"]),
        ("handle_time", [None]),
        ("other", ["a"]),
    ]
    with_answers(run, *answers)
    first, second = read_benchmark(run).tasks
    assert (first.name, first.instances, first.unanswerable) == ("handle_time", 5, 1)
    assert first.answers == (2, 1)
    assert (second.instances, second.answers, second.passed) == (0, (), None)


def test_answers_that_are_held_back_leave_the_numbers(run: RunFolder) -> None:
    """Without the instances' file the report still says how many there are."""
    with_tasks(run, handle_time={"instances": 5})
    (task,) = read_benchmark(run).tasks
    assert (task.instances, task.answers) == (5, ())


def test_tasks_of_another_org_are_told_and_not_shown(run: RunFolder) -> None:
    """Neither are the scores of agents on them."""
    with_tasks(run, digest="0" * 64, handle_time={"instances": 5})
    with_scores(run, "react", row("react", 0.5))
    facts = read_benchmark(run)
    assert (facts.tasks, facts.scores) == ((), ())
    assert "make them again with `orgweave tasks`" in facts.note


def test_agents_stand_from_the_best_to_the_poorest(run: RunFolder) -> None:
    """Each with its model, but for agents that need none."""
    with_tasks(run)
    with_scores(run, "first", row("react", 0.2), row("act", 0.7))
    with_scores(run, "second", row("oracle", 1.0, model="mockllm/model"))
    scores = read_benchmark(run).scores
    assert [score.agent for score in scores] == ["oracle", "act openai/gpt", "react openai/gpt"]
    assert [score.mean for score in scores] == [1.0, 0.7, 0.2]


def test_a_score_counts_the_instances_of_its_tasks_once(run: RunFolder) -> None:
    """The row of all tasks is no task of its own."""
    with_tasks(run)
    with_scores(run, "react", row("react", 0.5))
    (score,) = read_benchmark(run).scores
    assert score.instances == 15
    assert score.by_task == {"HTU": 0.5, "TC": 0.5}
    assert (score.error, score.cost) == (0.05, 0.01)


def test_scores_of_another_org_are_left_out(run: RunFolder) -> None:
    """Those that name this org, or none, are shown."""
    with_tasks(run)
    own = sha256_of(run.org_file)
    with_scores(run, "x", row("a", 0.1, org=own), row("b", 0.2, org="0" * 64), row("c", 0.3))
    assert [score.agent[0] for score in read_benchmark(run).scores] == ["c", "a"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"tasks": 7}', "[" * 100_000])
def test_a_damaged_report_names_who_makes_it_anew(run: RunFolder, text: str) -> None:
    """No file of the run brings the page down with a traceback."""
    run.tasks_folder.mkdir()
    (run.tasks_folder / "report.json").write_text(text)
    with pytest.raises(BadInput, match=r"report\.json: can't be read .* `orgweave tasks`"):
        read_benchmark(run)


@pytest.mark.parametrize("rows", [[7], [{}], [{"agent": "a", "model": "m", "every": {}}]])
def test_damaged_scores_name_who_writes_them_anew(run: RunFolder, rows: list[object]) -> None:
    """The file is named, so that it can be removed."""
    with_tasks(run)
    with_scores(run, "react", *rows)
    with pytest.raises(BadInput, match=r"scores\.json: can't be read .* `orgweave evaluate`"):
        read_benchmark(run)


@pytest.mark.parametrize(
    ("ablation", "farthest"),
    [
        (None, None),
        ({}, None),
        ({"passed": "all"}, None),
        ({"passed": {"words": None, "note": "unknown"}}, None),
        ({"passed": {"rule": 0.2, "window": 0.4, "words": None}}, ("window", 0.4)),
        ({"passed": {"rule": 1}}, ("rule", 1.0)),
    ],
)
def test_the_farthest_shortcut_is_the_one_that_passes_most(
    ablation: object, farthest: tuple[str, float] | None
) -> None:
    """Solvers that could not be tried have no share, and none of them is the farthest."""
    assert farthest_shortcut({"ablation": ablation}) == farthest


def as_a_pipe(file: Path) -> None:
    """A pipe into which nobody writes."""
    os.mkfifo(file)


def as_a_link_to_itself(file: Path) -> None:
    """A link that leads to itself."""
    file.symlink_to(file.name)


@pytest.mark.parametrize("name", ["report.json", "tasks.jsonl"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b"\xff\xfe"),
        lambda file: file.write_bytes(b"[" * 100_000),
        lambda file: file.write_bytes(b"null"),
        lambda file: file.write_bytes(b'{"tasks": {"handle_time": 5}}'),
        Path.mkdir,
        as_a_pipe,
        as_a_link_to_itself,
    ],
)
def test_damaged_tasks_are_told_in_a_line(
    run: RunFolder, name: str, damage: Callable[[Path], object]
) -> None:
    """Whatever stands in their place, the error names the file and who makes it anew."""
    with_tasks(run, handle_time={"instances": 3})
    file = run.tasks_folder / name
    file.unlink(missing_ok=True)
    damage(file)
    with pytest.raises(BadInput, match=rf"{name}: can't be read .* `orgweave tasks`"):
        read_benchmark(run)


def test_instances_that_the_report_does_not_tell_of_are_not_counted(run: RunFolder) -> None:
    """An edited tasks.jsonl is no account of what the benchmark asks."""
    with_tasks(run, handle_time={"instances": 1})
    with_answers(run, ("handle_time", ["005"]))
    report = json.loads((run.tasks_folder / "report.json").read_text())
    report["files"] = {"tasks.jsonl": sha256_of(run.tasks_folder / "tasks.jsonl")}
    (run.tasks_folder / "report.json").write_text(json.dumps(report))
    assert read_benchmark(run).tasks[0].answers == (1,)
    with_answers(run)
    with pytest.raises(BadInput, match="is not the one that report.json tells of"):
        read_benchmark(run)
