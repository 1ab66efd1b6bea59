"""The folder `tasks/` of a run: tasks.jsonl, report.json (what was made, what was dropped and why),
verify.py to prove the answers by.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from orgweave.benchmark.idmap import mapped
from orgweave.benchmark.make import MadeTask
from orgweave.benchmark.registry import TASKS
from pipeline.atomic import write_json, write_text
from pipeline.run_folder import TASKS_FORMAT
from pipeline.text_table import aligned
from schemas.errors import BadInput

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
    _clear(folder)
    lines = []
    for task in made:
        for instance in task.instances:
            line = instance.as_json()
            lines.append(mapped(line, ids) if ids else line)
    write_text(folder / "tasks.jsonl", (f"{line}\n" for line in lines))
    accounts = {task.task: account(task) for task in made}
    report = {**about, "tasks": accounts, "format": TASKS_FORMAT}
    write_json(folder / "report.json", report)
    write_text(folder / "verify.py", iter([proof_script()]))


def check_place(folder: Path) -> None:
    """Makes the folder; raises BadInput where it can't be one, or holds somebody's files and no
    tasks.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = any(folder.iterdir()) and not (folder / "tasks.jsonl").is_file()
    except OSError as error:
        raise BadInput(
            f"--to {folder}: can't be a folder ({error.strerror}); name another one"
        ) from error
    if others:
        raise BadInput(
            f"--to {folder}: holds other files; name a new folder, or one that holds tasks"
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
    answers = Counter(str(tuple(line.answer)) for line in made.instances if line.answerable)
    most = max(answers.values(), default=0)
    return {
        "wanted": made.wanted,
        "instances": len(made.instances),
        "unanswerable": sum(not line.answerable for line in made.instances),
        "distinct_answers": len(answers),
        "largest_share": round(most / max(len(made.instances), 1), 3),
        "dropped": dict(made.dropped),
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
    """Removes what an earlier run made of the instances that are about to be replaced."""
    (folder / "tasks.parquet").unlink(missing_ok=True)
    shutil.rmtree(folder / "hf", ignore_errors=True)
