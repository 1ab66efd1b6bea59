"""`query`: answer a SOQL or SOSL text about a finished org, as JSON."""

import argparse
import json
from pathlib import Path

from orgweave.commands.common import CLOCK, FOLDER
from orgweave.server.served import ask, clock_of

EXAMPLES = """\
  orgweave query outputs/shoes "SELECT Status, COUNT(Id) FROM Case GROUP BY Status"
  orgweave query outputs/shoes "FIND {refund} RETURNING Knowledge__kav(Title)"
  orgweave query outputs/shoes "SELECT Id FROM Case WHERE CreatedDate = TODAY" --clock 2023-12-31
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument("text", help='the query: "SELECT ... FROM ..." or "FIND {...} ..."')
    command.add_argument("--clock", metavar="DATE", help=CLOCK)


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer."""
    print(
        json.dumps(
            ask(arguments.folder, arguments.text, clock_of(arguments.clock)),
            indent=2,
            ensure_ascii=False,
        )
    )
    return 0
