"""The folder `tasks/` of a run: tasks.jsonl, report.json (what was made, what was dropped and why),
verify.py to prove the answers by.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from orgweave.benchmark.idmap import mapped
from orgweave.benchmark.instance import TASKS
from orgweave.benchmark.make import Made
from pipeline.atomic import write_json, write_text
from pipeline.run_folder import TASKS_FORMAT
from schemas.errors import BadInput

SCRIPT = Path(__file__).parent / "proof" / "verify.py"


def write_tasks(
    folder: Path,
    made: Sequence[Made],
    about: Mapping[str, str | int],
    ids: Mapping[str, str] | None = None,
) -> None:
    """Writes all three files; `about` names company, seed and writer; with `ids` every record is
    called as the CRM calls it.
    """
    _clear(folder)
    lines = [one.as_json() for task in made for one in task.instances]
    write_text(
        folder / "tasks.jsonl", iter(f"{mapped(line, ids) if ids else line}\n" for line in lines)
    )
    write_json(
        folder / "report.json",
        {**about, "tasks": {task.task: account(task) for task in made}, "format": TASKS_FORMAT},
    )
    write_text(folder / "verify.py", iter([SCRIPT.read_text(encoding="utf-8")]))


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


def _clear(folder: Path) -> None:
    """Removes what an earlier run made of the instances that are about to be replaced."""
    (folder / "tasks.parquet").unlink(missing_ok=True)
    shutil.rmtree(folder / "hf", ignore_errors=True)


def account(made: Made) -> dict[str, object]:
    """A task's numbers: instances, distinct answers, the share of the one that stands most often,
    what was dropped.
    """
    answers = Counter(str(one.answer) for one in made.instances if one.answerable)
    most = max(answers.values(), default=0)
    return {
        "wanted": made.wanted,
        "instances": len(made.instances),
        "unanswerable": sum(not one.answerable for one in made.instances),
        "distinct_answers": len(answers),
        "largest_share": round(most / max(len(made.instances), 1), 3),
        "dropped": dict(made.dropped),
    }


def as_table(made: Sequence[Made]) -> str:
    """The same for a person."""
    lines = [
        f"{'task':<34}{'instances':>10}{'None':>6}{'answers':>9}{'top share':>11}{'dropped':>9}"
    ]
    for task in made:
        row = account(task)
        name = f"{TASKS[task.task].short}  {task.task}"
        lines.append(
            f"{name:<34}{row['instances']:>10}{row['unanswerable']:>6}{row['distinct_answers']:>9}{row['largest_share']:>11.0%}{sum(task.dropped.values()):>9}"
        )
    return "\n".join(lines)
