"""`tasks`: turn a finished org into a benchmark, query instances with exact answers."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from orgweave.benchmark.ablation import ablation_table
from orgweave.benchmark.formats import FORMATS, check_format, write_format
from orgweave.benchmark.held_back import CHOICES
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.run import (
    TaskObserver,
    make_tasks,
    missing_told,
    refuse_easy,
    refuse_missing,
)
from orgweave.benchmark.store import as_table
from orgweave.commands.common import FOLDER, add_trust, named_path
from orgweave.commands.making import tell_page
from orgweave.commands.options import add_writing, settings_of, tell_writer
from orgweave.commands.workers import add_jobs, workers_of
from pipeline.model.settings import ModelSettings
from pipeline.progress import counting
from pipeline.run import writers_with
from pipeline.run_folder import RunFolder
from schemas.errors import TasksTooEasy
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder

EXAMPLES = """\
  orgweave tasks outputs/shoes
  orgweave tasks outputs/shoes --per-task 20 --tasks handle_time,case_routing
  orgweave tasks outputs/shoes --format parquet
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--per-task",
        type=int,
        default=130,
        metavar="N",
        help="make N instances of each task (default: 130)",
    )
    command.add_argument(
        "--tasks",
        default=",".join(TASKS),
        metavar="A,B",
        help="only these tasks (default: all)",
    )
    command.add_argument(
        "--idmap",
        type=Path,
        metavar="FILE",
        help="the idmap.jsonl of an upload: use that org's ids in answers and parameters",
    )
    command.add_argument(
        "--to",
        type=named_path,
        metavar="FOLDER",
        help="write the tasks there (default: tasks/ in the org's folder)",
    )
    command.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="jsonl",
        help=(
            "write one parquet file (parquet) or a folder for datasets.load_dataset (hf) as well"
            " (default: tasks.jsonl alone)"
        ),
    )
    _add_choices(command)
    add_jobs(command)
    add_trust(command)
    add_writing(command)


def _add_choices(command: argparse.ArgumentParser) -> None:
    """Which wordings are asked with, and whether an easy set is refused."""
    command.add_argument(
        "--wordings",
        choices=CHOICES,
        default="all",
        help=(
            "word the questions with the lexicon's public wordings alone, for development, or with"
            " those alone that are held back from all examples (default: all)"
        ),
    )
    command.add_argument(
        "--allow-easy",
        action="store_true",
        help=(
            "only say so where a solver that skips a part of a task passes half of its instances"
            " (default: end with exit code 3)"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Makes, writes and counts them; raises TasksMissing where they are fewer than asked
    for, TasksTooEasy where a reduced solver passes them, but for --allow-easy."""
    check_format(arguments.format)
    settings, run = settings_of(arguments), RunFolder(arguments.folder)
    out = arguments.to or run.tasks_folder
    names = [name.strip() for name in arguments.tasks.split(",") if name.strip()]
    _tell_lexicon(run)
    with counting("instance", len(names) * arguments.per_task) as watch:
        made = make_tasks(
            run.path,
            arguments.per_task,
            names,
            arguments.idmap,
            out,
            writers_with(settings),
            _telling(watch, settings),
            arguments.trust,
            arguments.wordings,
            workers_of(arguments),
        )
    place = write_format(arguments.format, out)
    print(as_table(made))
    print(ablation_table({task.task: task.ablation for task in made if task.ablation}))
    instances = sum(len(task.instances) for task in made)
    print(f"{instances:,} instances in {place}{_proof(run, out, arguments.idmap, names)}")
    if out == run.tasks_folder:
        tell_page(run)
    for line in missing_told(made):
        print(line, file=sys.stderr)
    refuse_missing(made)
    try:
        refuse_easy(made)
    except TasksTooEasy as error:
        if not arguments.allow_easy:
            raise
        print(f"orgweave: {error}", file=sys.stderr)
    return 0


def _telling(watch: TaskObserver, settings: ModelSettings | None) -> TaskObserver:
    """Moves the progress line; where there is none, a line of its own names each task.

    Before the first task it tells who writes: bad input is told without that line.
    """
    begun: list[str] = []

    def told(task: str, instances: int) -> None:
        if not begun:
            tell_writer(settings)
        begun.append(task)
        watch(task, instances)
        if not instances and not sys.stderr.isatty():
            print(f"{TASKS[task].short} {task} ...", file=sys.stderr)

    return told


def _tell_lexicon(run: RunFolder) -> None:
    """A line where the org was written with other words than those of the lexicon now."""
    lexicon = load_lexicon(run.sources().lexicon, lexicons_folder() / "base")
    if run.lexicon_changes(lexicon):
        print(
            f"orgweave: {run.path}: was written with another version of the lexicon"
            f" {lexicon.name}; the tasks are worded with this one",
            file=sys.stderr,
        )


def _proof(run: RunFolder, out: Path, idmap: Path | None, names: Sequence[str]) -> str:
    """How to prove the answers, where a query can."""
    if not any(TASKS[name].verify_sql for name in names):
        return ""
    words = [out / "verify.py"]
    if idmap or out != run.tasks_folder:
        words.append(run.org_file)
    if idmap:
        words.append(idmap)
    command = " ".join(quote(str(word)) for word in words)
    return f"; prove the answers with: python {command}"
