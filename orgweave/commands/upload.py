"""`upload`: load a finished org into a CRM."""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from orgweave.commands.making import BROKEN
from orgweave.commands.options import FOLDER
from orgweave.load.cargo import UploadSource
from orgweave.load.idmap import opened
from orgweave.load.load import USER, Load, LoadOptions, agents_of, bodies_of, identity_of, infos_of
from orgweave.load.rehearse import rehearsal_text, rehearse
from orgweave.load.sender import BULK_FROM, Sender
from orgweave.load.settings import Login, login_of
from orgweave.load.tally import LoadTally, tally_text
from pipeline.model.settings import environment_with_file
from pipeline.progress import counting
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave upload outputs/shoes --dry-run
  orgweave upload outputs/shoes --instance-url https://mycompany.my.salesforce.com --session-id ID
  orgweave upload outputs/shoes --map-users users.csv
"""
if TYPE_CHECKING:
    from orgweave.load.client import Client

REFUSED = 1


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--instance-url",
        metavar="URL",
        help="the CRM's address, such as https://mycompany.my.salesforce.com (default:"
        " SALESFORCE_INSTANCE_URL)",
    )
    command.add_argument(
        "--session-id",
        metavar="ID",
        help=(
            "a session of that CRM (default: SALESFORCE_SESSION_ID; without one,"
            " SALESFORCE_USERNAME and SALESFORCE_PASSWORD log in)"
        ),
    )
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="write nothing, only say what would fail; exit code 5 if something would",
    )
    command.add_argument(
        "--map-users",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="FILE",
        help=(
            "create no users: assign the agents to the CRM's active users, in turn or as a CSV"
            " file says that pairs our Username with theirs"
        ),
    )
    command.add_argument(
        "--username-suffix",
        default="",
        metavar="TEXT",
        help="append this to every new Username, since no two orgs may share one",
    )
    command.add_argument(
        "--profile",
        default=LoadOptions().profile,
        metavar="NAME",
        help="the profile of new users (default: %(default)s)",
    )
    command.add_argument(
        "--external-id",
        default=LoadOptions().external_field,
        metavar="FIELD",
        help=("the unique external id field to fill where an object has it (default: %(default)s)"),
    )
    command.add_argument(
        "--idmap",
        type=Path,
        metavar="FILE",
        help=(
            "the file that records what the CRM has taken (default: idmap.jsonl in the folder);"
            " each CRM needs a file of its own"
        ),
    )
    command.add_argument(
        "--bulk-from",
        type=int,
        default=BULK_FROM,
        metavar="N",
        help="use Bulk 2.0 for objects with at least N records (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Loads, or says what would fail."""
    manner = _manner(arguments)
    cargo, client = (
        UploadSource(arguments.folder),
        _connected(
            login_of(arguments.instance_url, arguments.session_id, environment_with_file(Path()))
        ),
    )
    if arguments.dry_run:
        infos = infos_of(client, cargo)
        if USER in infos:
            agents_of(client, infos[USER], cargo.records(USER), manner)
        found = rehearse(cargo, infos, manner.map_users)
        print(rehearsal_text(found))
        return BROKEN if found else 0
    return _load(arguments, cargo, client, manner)


def _load(
    arguments: argparse.Namespace, cargo: UploadSource, client: "Client", manner: LoadOptions
) -> int:
    started, path = time.monotonic(), arguments.idmap or RunFolder(arguments.folder).idmap_file
    with opened(path, identity_of(client, cargo)) as idmap, counting("record") as watch:
        tally = LoadTally(path.with_name(path.stem.removesuffix("idmap") + "refused.jsonl"))
        bodies, out = bodies_of(cargo, idmap, infos_of(client, cargo), manner)
        sender = Sender(client, idmap, bodies, tally, watch, arguments.bulk_from)
        Load(cargo, sender, manner).run(out)
    print(tally_text(tally, client.calls, time.monotonic() - started))
    if not tally.refused:
        return 0
    print(
        f"orgweave: {tally.refused:,} records weren't taken; {tally.path} says why; mend that and"
        " run the same command again",
        file=sys.stderr,
    )
    return REFUSED


def _manner(arguments: argparse.Namespace) -> LoadOptions:
    if arguments.bulk_from < 1:
        raise BadInput(f"--bulk-from {arguments.bulk_from}: must be at least 1")
    file = arguments.map_users if arguments.map_users != Path() else None
    return LoadOptions(
        arguments.map_users is not None,
        file,
        arguments.username_suffix,
        arguments.profile,
        arguments.external_id,
    )


def _connected(login: Login) -> "Client":
    try:
        from orgweave.load.client import Client
    except ImportError as error:
        raise BadInput(
            f"upload needs {(error.name or '').partition('.')[0]}, which isn't installed; run: pip"
            " install 'orgweave[upload]'"
        ) from error
    return Client(login)
