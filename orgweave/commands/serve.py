"""`serve`: answer as the CRM's REST API does, over a finished org."""

import argparse
from pathlib import Path

from orgweave.commands.common import CLOCK, FOLDER, add_listening, add_trust, verify
from orgweave.commands.options import given_token
from orgweave.server.listen import ListenOptions, serve
from orgweave.server.served import ServeOptions, clock_of
from pipeline.run_folder import ORG_FILE

EXAMPLES = """\
  orgweave serve outputs/shoes
  orgweave serve outputs/shoes --port 8600 --clock 2023-12-31
  orgweave serve outputs/shoes --writable --empty
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    add_listening(command)
    command.add_argument(
        "--token",
        default="",
        metavar="TEXT",
        help=(
            "the bearer token (default: ORGWEAVE_TOKEN from the environment or from a .env file,"
            " which no list of processes shows, else a random one)"
        ),
    )
    command.add_argument(
        "--tls",
        action="store_true",
        help=(
            "speak https, by a certificate of its own that is made now; its file is printed, for"
            " clients to trust it"
        ),
    )
    command.add_argument(
        "--clock",
        metavar="DATE",
        help=f"{CLOCK}; with --empty the default is now",
    )
    add_trust(command)
    command.add_argument(
        "--writable",
        action="store_true",
        help="accept changes; they go to a private copy that is deleted at the end",
    )
    _add_empty(command)


def _add_empty(command: argparse.ArgumentParser) -> None:
    """The options of an org that is there to be filled."""
    command.add_argument(
        "--empty",
        action="store_true",
        help="serve the org's schema with empty tables, for a loader to fill",
    )
    command.add_argument(
        "--external-id",
        default="",
        metavar="FIELD",
        help="with --empty: add an external id field to every object type, such as Synth_Id__c",
    )
    command.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "with --empty: leave out this object or field, such as Case.IssueId__c; repeat the"
            " option to leave out more"
        ),
    )
    command.add_argument(
        "--chats",
        choices=("transcripts", "messaging"),
        default="transcripts",
        help=(
            "with --empty: have messaging sessions in place of chats, as orgs do since Chat was"
            " retired in February 2026 (default: %(default)s)"
        ),
    )
    command.add_argument(
        "--accounts",
        choices=("business", "person"),
        default="business",
        help=(
            "with --empty: have person accounts, whose contacts the server makes by itself"
            " (default: %(default)s)"
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
        arguments.chats,
        arguments.accounts,
    )
    if not choice.empty:
        verify(arguments, ORG_FILE)
    token = arguments.token or given_token()
    listen = ListenOptions(arguments.host, arguments.port, token, arguments.tls)
    serve(arguments.folder, choice, listen)
    return 0
