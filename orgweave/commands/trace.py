"""`trace`: show requests, answers, verdicts and cost of a run's mini-batches."""

import argparse
from pathlib import Path

from orgweave.commands.options import FOLDER
from orgweave.trace import trace_text

EXAMPLES = """\
  orgweave trace outputs/shoes
  orgweave trace outputs/shoes --object Case --failed
  orgweave trace outputs/shoes --judged --last 20
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument("--object", metavar="NAME", help="only this object type's")
    command.add_argument(
        "--failed", action="store_true", help="only those of which something was refused"
    )
    command.add_argument(
        "--judged",
        action="store_true",
        help="what a judge was asked and chose, in place of the writer's mini-batches",
    )
    command.add_argument("--key", metavar="KEY", help="only the one whose key begins so")
    command.add_argument("--last", type=int, default=5, metavar="N", help="the last N (default: 5)")


def run(arguments: argparse.Namespace) -> int:
    """Prints them."""
    print(
        trace_text(
            arguments.folder,
            arguments.object,
            arguments.failed,
            arguments.key,
            arguments.last,
            arguments.judged,
        )
    )
    return 0
