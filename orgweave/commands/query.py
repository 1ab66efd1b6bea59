"""`query`: answer a SOQL or SOSL text about a finished org, as JSON."""

import argparse
import json
from pathlib import Path

from orgweave.commands.common import CLOCK, FOLDER, add_trust, verify
from orgweave.server.served import ask, clock_of
from pipeline.run_folder import ORG_FILE

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
    add_trust(command)


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer."""
    verify(arguments, ORG_FILE)
    print(
        json.dumps(
            ask(arguments.folder, arguments.text, clock_of(arguments.clock)),
            indent=2,
            ensure_ascii=False,
        )
    )
    return 0
