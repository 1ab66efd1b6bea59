"""The list of tasks: what a definition must have, and what a new task in three files lacks."""

import ast
import os
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from orgweave.benchmark.instance import Candidate
from orgweave.benchmark.registry import TASKS, check_tasks, check_wordings
from orgweave.benchmark.task import TaskDefinition, TaskTexts
from schemas.errors import SchemaError

ROOT = Path(__file__).parent.parent
PACKAGES = ("orgweave", "pipeline", "latent", "schemas", "verifiers")
TASK_FILE = Path(__file__).parent / "toy_tasks" / "busiest_region.py"
REGION = TASKS["best_region_identification"]
WORDINGS = """
  task.busiest_region.named:
  - "Which state had most cases in {period}?"
  - "In {period}, customers of which state came to us most often?"
  task.busiest_region.rolling:
  - "Which state had most cases in the [past|last] {interval}?"
  - "Over the [past|last] {interval}, customers of which state came to us most often?"
"""


def parts_of(task: TaskDefinition) -> dict[str, object]:
    """The parts of a definition by name."""
    return {part.name: getattr(task, part.name) for part in fields(task)}


def with_texts(**texts: object) -> dict[str, TaskDefinition]:
    """A list of one task that has other texts."""
    return {"best_region": replace(REGION, texts=replace(REGION.texts, **texts))}


@pytest.mark.parametrize(
    "part",
    ["texts", "draws", "soql_truth", "verify_sql", "oracle", "first_record", "answers"],
)
def test_a_definition_without_a_part_cannot_be_made(part: str) -> None:
    """What was forgotten is named as soon as the definition is made."""
    parts = parts_of(REGION)
    del parts[part]
    with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{part}'"):
        TaskDefinition(**parts)  # type: ignore[arg-type]


INCOMPLETE = {
    "no seed query": (with_texts(seeds={}), "task best_region: has no seed query"),
    "no definition": (with_texts(required=""), "task best_region: tells agents no definition"),
    "a second computation alone": (
        {"best_region": replace(REGION, verify_sql=None)},
        "task best_region: has soql_truth or verify_sql alone",
    ),
    "a short name twice": (
        {"one": REGION, "other": REGION},
        "task other: its short name BRI is that of one already",
    ),
}


@pytest.mark.parametrize("name", sorted(INCOMPLETE))
def test_what_no_type_can_see_is_told_too(name: str) -> None:
    """An incomplete definition is told with the task's name and what to do."""
    tasks, says = INCOMPLETE[name]
    with pytest.raises(SchemaError, match=says):
        check_tasks(tasks)


def test_a_seed_query_without_wording_is_told() -> None:
    """The rule that is missing is named with the file that it belongs to."""
    rules = {"task.case_routing.new_case": ()}
    check_wordings(rules, ["case_routing"])
    with pytest.raises(SchemaError, match="add the rule task.handle_time.named to schemas"):
        check_wordings(rules, ["case_routing", "handle_time"])


def test_a_candidate_of_a_figure_has_the_figures_seed_query() -> None:
    """A question that a policy's rule words has no seed query of its own name."""
    texts = TaskTexts(seeds={}, required="", optional="", figure="How about {figure}?")
    drawn = Candidate("policy.returns.question.hold_days", {}, {}, (), ("10 days",))
    assert texts.seed_query(drawn) == "How about hold days?"


def functions_behind(source: str, name: str) -> set[str]:
    """The names that a function of a file uses, directly or by way of the file's own functions."""
    tree = ast.parse(source)
    bodies = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    seen: set[str] = set()
    todo = [name]
    while todo:
        for node in ast.walk(bodies[todo.pop()]):
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                if node.id in bodies:
                    todo.append(node.id)
    return seen


def computing_names(tree: ast.Module) -> set[str]:
    """What a file imports from the project, but for the types of instances."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("orgweave."):
            names = {alias.name for alias in node.names}
            found |= set() if str(node.module).endswith(".instance") else names
    return found


@pytest.mark.parametrize("task", [name for name, task in TASKS.items() if task.soql_truth])
def test_the_two_computations_of_a_task_share_no_code(task: str) -> None:
    """Of what a task's draws lead to, nothing that computes is in what its SOQL truth leads to."""
    source = (ROOT / "orgweave" / "benchmark" / "tasks" / f"{task}.py").read_text("utf-8")
    tree = ast.parse(source)
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    shared = functions_behind(source, "draws") & functions_behind(source, "soql_truth")
    assert not shared & (own | computing_names(tree))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages in which a task was added by three files: the task's own, a line of
    the registry, its wordings. (That it is made, proved and solved, the recipe of CONTRIBUTING.md
    shows, which adds the same file.)
    """
    copy = tmp_path_factory.mktemp("checkout")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package)
    benchmark = copy / "orgweave" / "benchmark"
    shutil.copy(TASK_FILE, benchmark / "tasks")
    registry = benchmark / "registry.py"
    text = registry.read_text("utf-8")
    text = text.replace("import (\n", "import (\n    busiest_region,\n", 1)
    text = text.replace("] = {\n", '] = {\n    "busiest_region": busiest_region.TASK,\n', 1)
    registry.write_text(text, "utf-8")
    wordings = copy / "schemas" / "lexicons" / "base" / "tasks.yaml"
    with wordings.open("a", encoding="utf-8") as file:
        file.write(WORDINGS)
    return copy


def run_in(checkout: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A Python command run with the packages of a checkout."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_forgotten_part_is_told_at_the_registrys_import(checkout: Path, tmp_path: Path) -> None:
    """Without its oracle the new task's file fails when the registry is imported, and the part is
    named.
    """
    copy = Path(shutil.copytree(checkout, tmp_path / "copy"))
    file = copy / "orgweave" / "benchmark" / "tasks" / "busiest_region.py"
    file.write_text(file.read_text("utf-8").replace("    oracle=oracle,\n", ""), "utf-8")
    imported = run_in(copy, "-c", "import orgweave.benchmark.registry")
    assert imported.returncode == 1
    assert "busiest_region.py" in imported.stderr
    assert "missing 1 required keyword-only argument: 'oracle'" in imported.stderr


def test_a_products_id_is_told_with_a_window_alone() -> None:
    """Who is asked about a product in a window is told its Id; a new case's product is to be found
    out, and a question without a product tells of none.
    """
    window = {"start": "2022-01-01T00:00:00Z", "end": "2022-03-01T00:00:00Z"}
    rolling = {**window, "interval": "2 months", "today": "2022-03-01"}
    asked = TASKS["monthly_trend_analysis"].metadata({"product": "01tzz", **rolling})
    assert "The product's Id is 01tzz." in asked.required
    new_case = TASKS["case_routing"].metadata({"product": "01tzz", "today": "2022-03-01"})
    assert "product's Id" not in new_case.required
    of_agents = TASKS["handle_time"].metadata({"more_than": 2, **rolling})
    assert "product's Id" not in of_agents.required
