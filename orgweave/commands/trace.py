"""`trace`: show requests, answers, verdicts and cost of a run's mini-batches."""

import argparse
from pathlib import Path

from orgweave.commands.common import FOLDER
from orgweave.trace import trace_text

EXAMPLES = """\
  orgweave trace outputs/shoes
  orgweave trace outputs/shoes --object Case --failed
  orgweave trace outputs/shoes --judged --last 20
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--object",
        metavar="NAME",
        help="show only mini-batches of this object type",
    )
    command.add_argument(
        "--failed",
        action="store_true",
        help="show only mini-batches of which a verifier refused something",
    )
    command.add_argument(
        "--judged",
        action="store_true",
        help="show what the judge was asked and chose, in place of the writer's mini-batches",
    )
    command.add_argument(
        "--key",
        metavar="KEY",
        help="show only the mini-batch whose key begins with this text",
    )
    command.add_argument(
        "--last",
        type=int,
        default=5,
        metavar="N",
        help="show the last N (default: 5)",
    )


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
