"""`serve`: answer as the CRM's REST API does, over a finished org."""

import argparse
from pathlib import Path

from orgweave.commands.options import CLOCK, FOLDER
from orgweave.server.listen import serve
from orgweave.server.served import ServeOptions, clock_of

EXAMPLES = """\
  orgweave serve outputs/shoes
  orgweave serve outputs/shoes --port 8600 --clock 2023-12-31
  orgweave serve outputs/shoes --writable --empty
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="default: 127.0.0.1, which only this machine reaches",
    )
    command.add_argument("--port", type=int, default=0, metavar="N", help="default: a free one")
    command.add_argument(
        "--token", default="", metavar="TEXT", help="the bearer token (default: a random one)"
    )
    command.add_argument("--clock", metavar="DATE", help=CLOCK)
    command.add_argument(
        "--writable",
        action="store_true",
        help="take changes, to a private copy that is gone when serving ends",
    )
    command.add_argument(
        "--empty",
        action="store_true",
        help="the org's schema with empty tables, for a loader to fill",
    )
    command.add_argument(
        "--external-id",
        default="",
        metavar="FIELD",
        help="with --empty: an external id field for every object type, such as Synth_Id__c",
    )
    command.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "with --empty: an object or field that the org lacks, such as Case.IssueId__c; may be"
            " given again"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is ended."""
    choice = ServeOptions(
        clock_of(arguments.clock),
        arguments.writable,
        arguments.empty,
        arguments.external_id,
        tuple(arguments.without),
    )
    serve(arguments.folder, choice, arguments.host, arguments.port, arguments.token)
    return 0
