"""`upload`: load a finished org into a CRM."""

import argparse
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from orgweave.commands.common import BROKEN, FOLDER, add_trust, say, verify
from orgweave.export.forms import OrgForms
from orgweave.load.client import Client
from orgweave.load.idmap import opened
from orgweave.load.load import USER, Load, LoadOptions, agents_of, bodies_of, identity_of, infos_of
from orgweave.load.messaging import channel_of
from orgweave.load.patience import QUIET, Patience
from orgweave.load.persons import require_persons
from orgweave.load.rehearse import rehearsal_text, rehearse
from orgweave.load.sender import BULK_FROM, Sender
from orgweave.load.settings import login_of
from orgweave.load.source import UploadSource
from orgweave.load.tally import LoadTally, tally_text
from pipeline.model.settings import environment_with_file
from pipeline.progress import counting, tell_above
from pipeline.run_folder import ORG_FILE, RunFolder
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave upload outputs/shoes --dry-run
  orgweave upload outputs/shoes --instance-url https://mycompany.my.salesforce.com --session-id ID
  orgweave upload outputs/shoes --map-users users.csv
"""
REFUSED = 1
A_DAY = 86_400


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
    add_trust(command)
    _add_users(command)
    _add_forms(command)
    _add_records(command)


def _add_users(command: argparse.ArgumentParser) -> None:
    """Who the agents are in that CRM."""
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


def _add_forms(command: argparse.ArgumentParser) -> None:
    """In which forms chats and customers are loaded."""
    command.add_argument(
        "--chats",
        choices=("transcripts", "messaging"),
        default="transcripts",
        help=(
            "load chats as LiveChatTranscript, or as messaging sessions into an org without Chat,"
            " which was retired in February 2026 (default: %(default)s)"
        ),
    )
    command.add_argument(
        "--channel",
        default="",
        metavar="NAME",
        help="with --chats messaging: the DeveloperName of the channel, where there are several",
    )
    command.add_argument(
        "--accounts",
        choices=("business", "person"),
        default="business",
        help=(
            "load customers as accounts with a contact each, or as person accounts into an org"
            " that has them, which makes their contacts by itself (default: %(default)s)"
        ),
    )


def _add_records(command: argparse.ArgumentParser) -> None:
    """How records are sent, and how it is kept which ones the CRM has."""
    command.add_argument(
        "--external-id",
        default=LoadOptions().external_field,
        metavar="FIELD",
        help=(
            "the unique external id field to fill where an object has it, which keeps each record"
            " from being there twice; an empty text for none (default: %(default)s)"
        ),
    )
    command.add_argument(
        "--patience",
        type=float,
        default=QUIET,
        metavar="SECONDS",
        help=(
            "where an answer is lost and no external id tells, send nothing again until nothing"
            " has changed in the CRM for so long (default: %(default)s, a tenth more than its"
            " longest transaction)"
        ),
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
    options = _options(arguments)
    verify(arguments, ORG_FILE)
    source = UploadSource(arguments.folder, OrgForms(arguments.chats, arguments.accounts))
    if source.edited:
        say(
            f"{arguments.folder}: {', '.join(source.edited)} of the upload were changed since they"
            " were made, and are sent as they are"
        )
    environment = environment_with_file(Path())
    client = Client(
        login_of(arguments.instance_url, arguments.session_id, environment, arguments.folder)
    )
    if arguments.dry_run:
        infos = infos_of(client, source)
        _with_channel(client, source, arguments.channel, options)
        if USER in infos:
            agents_of(client, infos[USER], source.records(USER), options)
        found = rehearse(source, infos, options.map_users)
        print(rehearsal_text(found))
        return BROKEN if found else 0
    return _load(arguments, source, client, options)


def _load(
    arguments: argparse.Namespace,
    source: UploadSource,
    client: Client,
    options: LoadOptions,
) -> int:
    options = _with_channel(client, source, arguments.channel, options)
    started, path = time.monotonic(), arguments.idmap or RunFolder(arguments.folder).idmap_file
    with ExitStack() as stack:
        idmap = stack.enter_context(opened(path, identity_of(client, source)))
        there = sum(len(idmap.created(name)) for name in source.order)
        watch = stack.enter_context(counting("record", len(source.keys), there))
        tally = LoadTally(path.with_name(path.stem.removesuffix("idmap") + "refused.jsonl"))
        bodies, out = bodies_of(source, idmap, infos_of(client, source), options)
        patience = Patience(arguments.patience, say=lambda text: tell_above(f"orgweave: {text}"))
        sender = Sender(client, idmap, bodies, tally, watch, arguments.bulk_from, patience=patience)
        Load(source, sender, options).run(out)
    print(tally_text(tally, client.calls, time.monotonic() - started))
    if tally.refused:
        say(
            f"{tally.refused:,} records weren't taken; {tally.path} says why; mend that and run the"
            " same command again"
        )
    if tally.doubled:
        say(
            f"{tally.doubled:,} records are doubled: they look like ours, and no answer of the CRM"
            f" told of them; {tally.doubled_path} lists their ids; delete them there and run the"
            " same command again, which checks it"
        )
    return REFUSED if tally.refused or tally.doubled else 0


def _with_channel(
    client: Client,
    source: UploadSource,
    name: str,
    options: LoadOptions,
) -> LoadOptions:
    """The options with the id of the channel, where chats are loaded as messaging sessions; first
    of all the CRM is asked whether it has what the forms need.
    """
    if source.forms.persons:
        require_persons(client)
    if source.forms.messaging:
        return replace(options, channel=channel_of(client, name))
    if name:
        raise BadInput(f"--channel {name}: only --chats messaging has channels; add it")
    return options


def _options(arguments: argparse.Namespace) -> LoadOptions:
    if arguments.bulk_from < 1:
        raise BadInput(f"--bulk-from {arguments.bulk_from}: must be at least 1")
    if not 0 <= arguments.patience <= A_DAY:
        raise BadInput(f"--patience {arguments.patience}: must be from 0 to {A_DAY} seconds")
    file = arguments.map_users if arguments.map_users != Path() else None
    return LoadOptions(
        arguments.map_users is not None,
        file,
        arguments.username_suffix,
        arguments.profile,
        arguments.external_id,
    )
