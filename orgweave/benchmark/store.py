"""The folder `tasks/` of a run: tasks.jsonl, report.json (what was made, what was dropped and why),
verify.py to prove the answers by.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from orgweave.benchmark.ablation import as_report
from orgweave.benchmark.idmap import mapped
from orgweave.benchmark.make import MadeTask
from orgweave.benchmark.registry import TASKS
from pipeline.atomic import write_json, write_text
from pipeline.manifest import TASKS_FORMAT
from pipeline.text_table import aligned
from schemas.errors import BadInput
from schemas.regular import json_of, regular_text

TASKS_FILE = "tasks.jsonl"
REPORT_FILE = "report.json"
DERIVED_FILES = ("tasks.parquet", "hf/README.md", "hf/data/test-00000-of-00001.parquet")
DERIVED_FOLDERS = ("hf/data", "hf")
"""What `tasks --format` makes of the instances, the inner folder before the outer."""
SCRIPT = Path(__file__).parent / "proof" / "verify.py"
NO_QUERIES = "QUERIES: dict[str, str] = {}\n"
"""The line of the script that the tasks' queries take the place of."""


def write_tasks(
    folder: Path,
    made: Sequence[MadeTask],
    about: Mapping[str, str | int],
    ids: Mapping[str, str] | None = None,
) -> None:
    """Writes all three files; `about` names company, seed and writer; with `ids` every record is
    called as the CRM calls it.
    """
    lines = []
    for task in made:
        for instance in task.instances:
            line = instance.as_json()
            lines.append(mapped(line, ids) if ids else line)
    text = "".join(f"{line}\n" for line in lines)
    report = {
        **about,
        "tasks": {task.task: account(task) for task in made},
        "files": {TASKS_FILE: hashlib.sha256(text.encode()).hexdigest()},
        "format": TASKS_FORMAT,
    }
    _clear(folder)
    # The report comes first. It marks the folder as ours, and its digest tells instances that were
    # left of an earlier run, where a kill comes in between, from those that it is about.
    write_json(folder / REPORT_FILE, report)
    write_text(folder / TASKS_FILE, iter([text]))
    write_text(folder / "verify.py", iter([proof_script()]))


def check_place(folder: Path) -> None:
    """Makes the folder; raises BadInput where it can't be one, or holds somebody's files and no
    tasks that were made here.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir()}
        # A kill may leave the report's draft alone.
        others = bool(names - {f"{REPORT_FILE}.part"}) and not _is_ours(folder / REPORT_FILE)
    except OSError as error:
        raise BadInput(
            f"--to {folder}: can't be a folder ({error.strerror}); name another one"
        ) from error
    if others:
        raise BadInput(
            f"--to {folder}: holds other files and no {REPORT_FILE} of tasks made by orgweave; name"
            " a new folder, or one that holds its tasks"
        )


def proof_script() -> str:
    """The stand-alone script with the queries of all tasks that a query decides."""
    entries = []
    for name, task in TASKS.items():
        if task.verify_sql is not None:
            entries.append(f'    "{name}": """{task.verify_sql}""",\n')
    queries = "QUERIES: dict[str, str] = {\n" + "".join(entries) + "}\n"
    return SCRIPT.read_text(encoding="utf-8").replace(NO_QUERIES, queries)


def account(made: MadeTask) -> dict[str, object]:
    """A task's numbers: instances, distinct answers, the share of the one that stands most often,
    what was dropped.
    """
    ablation = made.ablation
    answers = Counter(str(tuple(line.answer)) for line in made.instances if line.answerable)
    most = max(answers.values(), default=0)
    return {
        "wanted": made.wanted,
        "instances": len(made.instances),
        "unanswerable": sum(not line.answerable for line in made.instances),
        "distinct_answers": len(answers),
        "largest_share": round(most / max(len(made.instances), 1), 3),
        "dropped": dict(made.dropped),
        "ablation": as_report(ablation) if ablation is not None else {},
    }


def as_table(made: Sequence[MadeTask]) -> str:
    """The accounts of all tasks as a table for a person."""
    rows = [["task", "instances", "None", "answers", "top share", "dropped"]]
    for task in made:
        numbers = account(task)
        rows.append(
            [
                f"{TASKS[task.task].short}  {task.task}",
                str(numbers["instances"]),
                str(numbers["unanswerable"]),
                str(numbers["distinct_answers"]),
                f"{numbers['largest_share']:.0%}",
                str(sum(task.dropped.values())),
            ]
        )
    return "\n".join(aligned(rows, right=(1, 2, 3, 4, 5)))


def _clear(folder: Path) -> None:
    """Removes what an earlier run made of the instances that are about to be replaced.

    A folder goes only where nothing else lies in it, such as the `.git` of one that was published.
    """
    for name in DERIVED_FILES:
        (folder / name).unlink(missing_ok=True)
    for name in DERIVED_FOLDERS:
        # What is left in it is somebody's, and stays.
        with suppress(OSError):
            (folder / name).rmdir()


def _is_ours(path: Path) -> bool:
    """Whether a file is a report as `write_tasks` writes it."""
    try:
        report = json_of(regular_text(path))
    except (FileNotFoundError, ValueError):
        return False
    return isinstance(report, dict) and report.keys() >= {"company", "seed", "tasks"}
