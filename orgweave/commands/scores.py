"""`scores`: what agents scored in several evaluations, in one table."""

import argparse
import sys
from pathlib import Path

from orgweave.commands.common import named_path
from orgweave.commands.evaluate import missing
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave scores outputs/shoes/evaluations
  orgweave scores outputs/shoes/evaluations outputs/bank/evaluations
  orgweave scores outputs/shoes/evaluations --to scores
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument(
        "logs",
        nargs="+",
        metavar="LOGDIR",
        help="folders of logs, such as outputs/shoes/evaluations, or single logs",
    )
    command.add_argument(
        "--to",
        type=named_path,
        metavar="FOLDER",
        help="write scores.json, scores.md and scores.png there",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the table, and keeps it where asked."""
    try:
        from orgweave.benchmark.evaluate.results import read_rows
        from orgweave.benchmark.evaluate.tables import check_scores_place, table_text, write_scores
    except ImportError as error:
        raise BadInput(missing("scores", error)) from error
    if "" in arguments.logs:
        raise BadInput(
            "'': is no name; name a log or a folder of logs, such as outputs/shoes/evaluations"
        )
    if arguments.to:
        check_scores_place(arguments.to, "--to")
    rows = read_rows(
        [Path(place) for place in arguments.logs],
        lambda reason: print(f"orgweave: skipped: {reason}", file=sys.stderr),
    )
    if arguments.to:
        write_scores(rows, arguments.to)
    print(table_text(rows))
    return 0
