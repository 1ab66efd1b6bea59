"""`plan`: show what a run will do and cost."""

import argparse
import sys
from pathlib import Path

from orgweave.commands.common import named_path
from orgweave.commands.options import (
    add_asking,
    add_shards,
    add_writing,
    ask_of,
    costing_of,
    settings_of,
)
from pipeline.company.unworded import require_words
from pipeline.config import PreparedRun, load_job, memory_size
from pipeline.draw_plan import as_dot, as_mermaid, as_table, check_picture_place, write_png
from pipeline.plan import make_plan
from pipeline.shards.split import measured_shards
from pipeline.spread import MOST_WORKERS, USUAL_COSTS, SpreadCosts, spread_text
from schemas.capacity import check_size
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave plan --company shoes
  orgweave plan --company shoes --model gpt-4o-mini
  orgweave plan --company shoes --scale 100 --workers 8
"""

PICTURE = "plan.png"


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    add_asking(command)
    add_shards(command)
    add_writing(command)
    command.add_argument(
        "--format",
        choices=("table", "mermaid", "dot", "png"),
        default="table",
        help="how to show the plan (default: table)",
    )
    command.add_argument(
        "--to",
        type=named_path,
        metavar="FILE",
        help=f"write the picture of --format png there (default: {PICTURE})",
    )
    command.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help=(
            "tell instead how long the run would take with up to N workers, each on a core of its"
            " own, the embedded writer's words: played through, call by call"
        ),
    )
    command.add_argument(
        "--measure",
        action="store_true",
        help=(
            "with --workers: make two small runs of the company first, and go by what each piece"
            " takes on this machine (default: by what it took on a server of 2026)"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the plan, or draws it."""
    picture = arguments.to or Path(PICTURE)
    _check_workers(arguments)
    if arguments.format == "png":
        check_picture_place(picture)
    elif arguments.to:
        raise BadInput(
            f"--to {arguments.to}: {arguments.format} is printed and written nowhere; add --format"
            " png, or leave --to out and send the output to the file"
        )
    # What is planned here may be made on a larger machine.
    job = load_job(ask_of(arguments), memory=sys.maxsize)
    settings = settings_of(arguments, calls=False)
    if settings is None:
        require_words(job.setting, job.lexicon)
    plan = make_plan(job, costing_of(settings))
    if arguments.workers is not None:
        shards = job.ask.shards
        measured = measured_shards(job.ask) or shards
        print(
            spread_text(
                plan,
                arguments.workers,
                _costs(arguments),
                shards,
                measured,
            )
        )
        _tell_shards(job)
        return 0
    if arguments.format == "png":
        write_png(plan, picture)
        print(picture)
        return 0
    print({"table": as_table, "mermaid": as_mermaid, "dot": as_dot}[arguments.format](plan))
    if plan.estimated:
        print("orgweave: so large a plan is estimated from two small ones", file=sys.stderr)
    _tell_shards(job)
    _tell_size(job)
    return 0


def _check_workers(arguments: argparse.Namespace) -> None:
    """Raises BadInput for a number of workers that nobody has, or a picture of them."""
    workers = arguments.workers
    if workers is None:
        if arguments.measure:
            raise BadInput("--measure: tells what --workers go by; add --workers N")
        return
    if not 1 <= workers <= MOST_WORKERS:
        raise BadInput(f"--workers {workers}: must be 1 to {MOST_WORKERS:,}")
    if arguments.format != "table":
        raise BadInput(f"--workers: is told as a table; leave out --format {arguments.format}")


def _costs(arguments: argparse.Namespace) -> SpreadCosts:
    """What the pieces of a run take: usually, or here."""
    if not arguments.measure:
        return USUAL_COSTS
    from pipeline.spread_trial import measured_costs

    return measured_costs(ask_of(arguments))


def _tell_shards(job: PreparedRun) -> None:
    """One line where the org is drawn in shards."""
    shards, size = job.ask.shards, job.ask.size_of_shard
    if size is not None:
        print(
            f"orgweave: it is drawn in {shards:,} shards of scale {size:g} with streams of their"
            " own, which takes no more memory than one of them",
            file=sys.stderr,
        )


def _tell_size(job: PreparedRun) -> None:
    """One line where this machine has too little memory for the run."""
    try:
        check_size(
            job.setting.schema,
            job.setting.counts,
            memory_size(),
            job.at_once,
        )
    except BadInput as error:
        print(f"orgweave: `generate` would refuse this here: {error}", file=sys.stderr)
