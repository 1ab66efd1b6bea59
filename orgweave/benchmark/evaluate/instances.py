"""The instances of a run's tasks as they stand in `tasks/tasks.jsonl`, one JSON object a line.

Knows no agent and no Inspect.

Example: `load_instances(Path("outputs/shoes"), ("handle_time",), 2)` is the first two of that task.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

from pydantic import BaseModel, ValidationError

from orgweave.benchmark.instance import QueryInstance
from orgweave.benchmark.registry import TASKS
from pipeline.atomic import sha256_of
from pipeline.manifest import TASKS_FORMAT, check_format
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from schemas.regular import regular_bytes, regular_text


class Origin(BaseModel):
    """What the report beside the tasks says of the org that they were made of."""

    format: int = 0
    company: str
    seed: int
    org_sha256: str = ""
    files: dict[str, str] = {}


def load_instances(
    folder: Path,
    tasks: Sequence[str] = (),
    limit: int | None = None,
) -> list[QueryInstance]:
    """The instances of these tasks (default: of all), at most `limit` of each, in the file's order;
    raises BadInput with file and line.
    """
    if any(task not in TASKS for task in tasks):
        unknown = [task for task in tasks if task not in TASKS]
        raise BadInput(f"--tasks {','.join(unknown)}: no such task; use {', '.join(TASKS)}")
    if limit is not None and limit < 1:
        raise BadInput(f"--limit {limit}: must be at least 1 instance of each task")
    every = list(_read(folder))
    if len({instance.id for instance in every}) < len(every):
        raise BadInput(f"{_file(folder)}: two instances have the same id; {_anew(folder)}")
    chosen = []
    for task in TASKS:
        if not tasks or task in tasks:
            chosen += [instance for instance in every if instance.task == task][:limit]
    if not chosen:
        raise BadInput(f"{_file(folder)}: holds no instance of {', '.join(tasks) or 'any task'}")
    return chosen


def check_origin(
    folder: Path,
    company: str,
    seed: int,
    org_sha256: str = "",
) -> None:
    """Raises BadInput where the tasks were made of another org than the folder's.

    Company and seed must be the same, and the org's digest, where both sides tell it: an org that
    was made anew has other answers. Tasks without a report are taken as they are.
    """
    path = RunFolder(folder).tasks_folder / "report.json"
    try:
        report = Origin.model_validate_json(regular_bytes(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror}); {_anew(folder)}") from error
    except ValidationError as error:
        raise BadInput(f"{path}: is damaged ({_fault(error)}); {_anew(folder)}") from error
    check_format(path, report.format, TASKS_FORMAT)
    if (report.company, report.seed) != (company, seed):
        raise BadInput(
            f"{_file(folder)}: its tasks are of {report.company}, seed {report.seed}, the org is"
            f" {company}, seed {seed}; {_anew(folder)}"
        )
    if report.org_sha256 and org_sha256 and report.org_sha256 != org_sha256:
        raise BadInput(
            f"{_file(folder)}: its tasks were made before the org was made anew; {_anew(folder)}"
        )
    kept = report.files.get(_file(folder).name)
    if kept and _file(folder).is_file() and sha256_of(_file(folder)) != kept:
        raise BadInput(
            f"{_file(folder)}: is not the one that {path.name} tells of; {_anew(folder)}, or remove"
            f" {path.name} to take the tasks as they are"
        )


def _read(folder: Path) -> Iterator[QueryInstance]:
    for number, line in enumerate(_lines(folder), 1):
        if line.strip():
            yield _instance(folder, number, line)


def _lines(folder: Path) -> list[str]:
    path = _file(folder)
    try:
        # splitlines would cut inside texts too, at U+2028 and its like
        return regular_text(path).split("\n")
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror}); {_anew(folder)}") from error
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path}: is not UTF-8 ({error.reason} at byte {error.start}); {_anew(folder)}"
        ) from error


def _instance(
    folder: Path,
    number: int,
    line: str,
) -> QueryInstance:
    place = f"{_file(folder)}: line {number}"
    try:
        data = json.loads(line)
        if isinstance(data, dict):
            check_format(_file(folder), data.get("format", 0), TASKS_FORMAT)
        instance = QueryInstance.model_validate(data)
    except ValidationError as error:
        raise BadInput(f"{place}: {_fault(error)}; {_anew(folder)}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place} is no JSON ({error}); {_anew(folder)}") from error
    if instance.task not in TASKS:
        raise BadInput(
            f"{place}: task: no such task; use one of {', '.join(TASKS)}; {_anew(folder)}"
        )
    return instance


def _fault(error: ValidationError) -> str:
    """The first fault with its place, if it has one."""
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def _file(folder: Path) -> Path:
    return RunFolder(folder).tasks_folder / "tasks.jsonl"


def _anew(folder: Path) -> str:
    return f"make the tasks: orgweave tasks {quote(str(folder))}"
