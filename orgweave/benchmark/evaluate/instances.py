"""The instances of a run's tasks as they stand in `tasks/tasks.jsonl`, one JSON object a line.

Knows no agent and no Inspect.

Example: `load_instances(Path("outputs/shoes"), ("handle_time",), 2)` is the first two of that task.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from orgweave.benchmark.evaluate.answers import Kind
from pipeline.run_folder import TASKS_FORMAT, RunFolder, check_format
from schemas.errors import BadInput


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A task's short name in tables, and what its answers are."""

    short: str
    answers: Kind


TASKS: dict[str, TaskKind] = {
    "case_routing": TaskKind("NCR", "id"),
    "handle_time": TaskKind("HTU", "id"),
    "transfer_count": TaskKind("TCU", "id"),
    "named_entity_disambiguation": TaskKind("NED", "id"),
    "policy_violation_identification": TaskKind("PVI", "id"),
    "knowledge_qa": TaskKind("KQA", "text"),
    "top_issue_identification": TaskKind("TII", "id"),
    "monthly_trend_analysis": TaskKind("MTA", "month"),
    "best_region_identification": TaskKind("BRI", "state"),
}


class Told(BaseModel):
    """What agents are told besides the query: what every one must know, and hints on where things
    are.
    """

    model_config = ConfigDict(frozen=True)

    required: str = ""
    optional: str = ""


class Origin(BaseModel):
    """What the report beside the tasks says of the org that they were made of."""

    format: int = 0
    company: str
    seed: int


class Instance(BaseModel):
    """One query with its answer; `answer` is `[None]` where nothing answers it, a single value
    counts as a list of one.
    """

    model_config = ConfigDict(frozen=True)

    id: str = Field(min_length=1)
    task: str
    persona: str = ""
    query: str = Field(min_length=1)
    answer: list[str | None] = Field(min_length=1)
    parameters: dict[str, Any] = {}
    metadata: Told = Told()
    reward_metric: Literal["exact_match", "token_f1"]
    answerable: bool = True
    evidence: dict[str, Any] | None = None

    @field_validator("answer", mode="before")
    @classmethod
    def _listed(cls, answer: object) -> object:
        return answer if isinstance(answer, list) else [answer]

    @field_validator("task")
    @classmethod
    def _known(cls, task: str) -> str:
        if task not in TASKS:
            raise ValueError(f"no such task; use one of {', '.join(TASKS)}")
        return task


def load_instances(
    folder: Path, tasks: Sequence[str] = (), limit: int | None = None
) -> list[Instance]:
    """The instances of these tasks (default: of all), at most `limit` of each, in the file's order;
    raises BadInput with file and line.
    """
    if unknown := [task for task in tasks if task not in TASKS]:
        raise BadInput(f"--tasks {','.join(unknown)}: no such task; use some of {','.join(TASKS)}")
    if limit is not None and limit < 1:
        raise BadInput(f"--limit {limit}: must be at least 1 instance of each task")
    every = list(_read(folder))
    if len({one.id for one in every}) < len(every):
        raise BadInput(f"{_file(folder)}: two instances have the same id; {_anew(folder)}")
    chosen = [
        one
        for task in TASKS
        for one in [each for each in every if each.task == task][:limit]
        if task in (tasks or TASKS)
    ]
    if not chosen:
        raise BadInput(f"{_file(folder)}: holds no instance of {', '.join(tasks) or 'any task'}")
    return chosen


def check_origin(folder: Path, company: str, seed: int) -> None:
    """Raises BadInput where the tasks were made of another company or seed than the folder's org;
    tasks without a report are taken as they are.
    """
    path = RunFolder(folder).tasks_folder / "report.json"
    try:
        report = Origin.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror}); {_anew(folder)}") from error
    except ValidationError as error:
        raise BadInput(f"{path}: is damaged ({fault_of(error)}); {_anew(folder)}") from error
    check_format(path, report.format, TASKS_FORMAT)
    if (report.company, report.seed) != (company, seed):
        raise BadInput(
            f"{_file(folder)}: its tasks are of {report.company}, seed {report.seed}, the org is"
            f" {company}, seed {seed}; {_anew(folder)}"
        )


def fault_of(error: ValidationError) -> str:
    """The first fault with its place, if it has one."""
    first = error.errors()[0]
    return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))


def _read(folder: Path) -> Iterator[Instance]:
    path = _file(folder)
    try:
        lines = path.read_text(encoding="utf-8").split(
            "\n"
        )  # splitlines would cut inside texts too, at U+2028 and its like
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror}); {_anew(folder)}") from error
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path}: is not UTF-8 ({error.reason} at byte {error.start}); {_anew(folder)}"
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if isinstance(data, dict):
                check_format(path, data.get("format", 0), TASKS_FORMAT)
            yield Instance.model_validate(data)
        except ValidationError as error:
            raise BadInput(f"{path}: line {number}: {fault_of(error)}; {_anew(folder)}") from error
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"{path}: line {number} is no JSON ({error}); {_anew(folder)}"
            ) from error


def _file(folder: Path) -> Path:
    return RunFolder(folder).tasks_folder / "tasks.jsonl"


def _anew(folder: Path) -> str:
    return f"make the tasks: python -m pipeline tasks {folder}"
