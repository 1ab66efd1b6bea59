"""What the page of a run tells of its benchmark: tasks, the spread of answers, agents' scores.

Read from the files that `tasks` and `evaluate` wrote; what was made of another org is left out, and
told.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.atomic import sha256_of
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from schemas.regular import json_of, regular_bytes, regular_text

ALL = "ALL"
FAULTS = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""The errors by which a file that anybody may have edited is known."""


@dataclass(frozen=True, slots=True)
class TaskSpread:
    """What `tasks` made for one task: instances, how their answers are spread, and how far a
    shortcut gets.

    `answers` are how often each answer stands, the commonest first; `unanswerable` instances have
    none.
    """

    name: str
    instances: int
    unanswerable: int
    answers: tuple[int, ...]
    shortcut: str
    passed: float | None


@dataclass(frozen=True, slots=True)
class AgentScore:
    """What an agent scored over all its tasks, from 0 to 1, with the standard error, and by task's
    short name; `cost` is dollars an instance.
    """

    agent: str
    instances: int
    mean: float
    error: float | None
    by_task: Mapping[str, float]
    cost: float | None


@dataclass(frozen=True, slots=True)
class BenchmarkFacts:
    """All that the page tells of a benchmark; `note` says why there is less than there might be."""

    tasks: tuple[TaskSpread, ...] = ()
    scores: tuple[AgentScore, ...] = ()
    note: str = ""


def read_benchmark(run: RunFolder) -> BenchmarkFacts:
    """The benchmark of a run, empty where it has none; raises BadInput for damaged files."""
    file = run.tasks_folder / "report.json"
    try:
        made = dict(json_of(regular_text(file)))
        tasks = {name: dict(task) for name, task in made["tasks"].items()}
    except FileNotFoundError:
        return BenchmarkFacts()
    except FAULTS as error:
        raise BadInput(
            f"{file}: can't be read ({error!r}); `orgweave tasks` makes it anew"
        ) from error
    if made.get("org_sha256") not in (None, "", sha256_of(run.org_file)):
        return BenchmarkFacts(
            note="The tasks were made before the org was made anew, and aren't shown; make them"
            " again with `orgweave tasks`."
        )
    instances = run.tasks_folder / "tasks.jsonl"
    try:
        answers = _answers(instances, made)
        spreads = [_spread(name, task, answers.get(name, ())) for name, task in tasks.items()]
    except FAULTS as error:
        raise BadInput(
            f"{instances}: can't be read ({error!r}); `orgweave tasks` makes it anew"
        ) from error
    return BenchmarkFacts(tuple(spreads), tuple(_scores(run)))


def farthest_shortcut(task: Mapping[str, object]) -> tuple[str, float] | None:
    """Of a task in `report.json` the solver that gets farthest by skipping a part of it, and the
    share that it answers; None where none was tried.
    """
    ablation = task.get("ablation")
    passed = ablation.get("passed") if isinstance(ablation, dict) else None
    if not isinstance(passed, dict):
        return None
    shares: dict[str, float] = {}
    for solver, share in passed.items():
        if isinstance(share, int | float):
            shares[str(solver)] = float(share)
    best = max(shares, key=lambda solver: shares[solver], default="")
    return (best, shares[best]) if best else None


def _spread(name: str, task: Mapping[str, Any], answers: Sequence[int]) -> TaskSpread:
    best, share = farthest_shortcut(task) or ("", None)
    return TaskSpread(
        name=name,
        instances=int(task.get("instances", 0)),
        unanswerable=int(task.get("unanswerable", 0)),
        answers=tuple(answers),
        shortcut=best,
        passed=share,
    )


def _answers(file: Path, made: Mapping[str, Any]) -> dict[str, list[int]]:
    """By task how often each answer stands in the instances, which must be those that were made;
    empty where they aren't there.
    """
    try:
        content = regular_bytes(file)
    except FileNotFoundError:
        return {}
    told = dict(made.get("files") or {}).get("tasks.jsonl")
    if told not in (None, "", hashlib.sha256(content).hexdigest()):
        raise ValueError("it is not the one that report.json tells of")
    counted: dict[str, Counter[str]] = {}
    # A cut by splitlines would part texts that hold U+2028.
    for line in content.decode().split("\n"):
        if not line:
            continue
        instance = dict(json_of(line))
        if instance.get("answerable", True):
            own = counted.setdefault(str(instance["task"]), Counter())
            own[json.dumps(instance["answer"])] += 1
    return {task: [number for _, number in own.most_common()] for task, own in counted.items()}


def _scores(run: RunFolder) -> list[AgentScore]:
    """A line for each row of each `scores.json`, the best first; those of another org left out."""
    digest = sha256_of(run.org_file)
    found = []
    for file in sorted(run.evaluations_folder.glob("*/scores.json")):
        try:
            rows = json_of(regular_text(file))
            for row in rows:
                if row.get("org_sha256") in (None, "", digest):
                    found.append(_score(row))
        except FAULTS as error:
            raise BadInput(
                f"{file}: can't be read ({error!r}); `orgweave evaluate` writes it anew"
            ) from error
    return sorted(found, key=lambda score: -score.mean)


def _score(row: Mapping[str, Any]) -> AgentScore:
    every = dict(row["every"])
    model = str(row["model"])
    by_task = {}
    instances = 0
    for short, figures in every.items():
        if short != ALL:
            by_task[str(short)] = float(figures["mean"])
            instances += int(figures["instances"])
    agent = str(row["agent"])
    return AgentScore(
        agent=agent if model.startswith("mockllm/") else f"{agent} {model}",
        instances=instances,
        mean=float(every[ALL]["mean"]),
        error=every[ALL]["error"],
        by_task=by_task,
        cost=every[ALL]["cost"],
    )
