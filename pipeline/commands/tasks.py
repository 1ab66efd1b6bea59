"""`tasks`: turn a finished org into a benchmark, query instances with exact answers."""

import argparse
import sys
from pathlib import Path

from pipeline.commands.options import FOLDER, add_writing, settings_of, tell_writer
from pipeline.run import staff_with
from pipeline.tasks.formats import FORMATS, write_format
from pipeline.tasks.instance import TASKS
from pipeline.tasks.run import make_tasks
from pipeline.tasks.store import as_table

HELP = "turn a finished org into a benchmark: query instances with exact answers"


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument("--per-task", type=int, default=130, metavar="N", help="instances a task (default: 130)")
    command.add_argument("--tasks", default=",".join(TASKS), metavar="A,B", help="only these tasks (default: all nine)")
    command.add_argument("--idmap", type=Path, metavar="FILE", help="idmap.jsonl of an upload: answers and parameters become that org's ids")
    command.add_argument("--to", type=Path, metavar="FOLDER", help="where they go (default: tasks/ in the run's folder)")
    command.add_argument("--format", choices=tuple(FORMATS), default="jsonl", help="besides tasks.jsonl: one parquet file, or a folder for datasets.load_dataset (default: jsonl alone)")
    add_writing(command)


def run(arguments: argparse.Namespace) -> int:
    """Makes, writes and counts them."""
    settings = settings_of(arguments)
    tell_writer(settings)
    out = arguments.to or arguments.folder / "tasks"
    made = make_tasks(
        arguments.folder,
        arguments.per_task,
        [name.strip() for name in arguments.tasks.split(",")],
        arguments.idmap,
        out,
        staff_with(settings),
        lambda task: print(f"{TASKS[task].short} {task} ...", file=sys.stderr),
    )
    place = write_format(arguments.format, out)
    print(as_table(made))
    print(f"{sum(len(one.instances) for one in made):,} instances in {place}; prove the answers with: python {out}/verify.py")
    return 0
