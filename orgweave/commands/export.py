"""`export`: a finished org in a format that others read."""

import argparse
from pathlib import Path

from orgweave.commands.common import FOLDER, add_trust, say, verify
from orgweave.commands.workers import add_jobs, workers_of
from orgweave.export.forms import OrgForms
from orgweave.export.registry import FORMATS, METADATA, export
from pipeline.progress import counting
from pipeline.run_folder import ORG_FILE, RunFolder
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave export outputs/shoes --format parquet
  orgweave export outputs/shoes --format csv --to shoes_csv
  orgweave export outputs/shoes --metadata
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--format",
        metavar="NAME",
        help=f"write this format: {', '.join(FORMATS)}",
    )
    command.add_argument(
        "--metadata",
        action="store_true",
        help="write the custom objects, fields and permissions as an SFDX project",
    )
    command.add_argument(
        "--to",
        metavar="FOLDER",
        help="write it there (default: <run>/export/<format>)",
    )
    command.add_argument(
        "--chats",
        choices=("transcripts", "messaging"),
        default="transcripts",
        help=(
            "write chats as LiveChatTranscript, or as MessagingSession and ConversationEntry for an"
            " org without Chat, which was retired in February 2026 (default: %(default)s)"
        ),
    )
    command.add_argument(
        "--accounts",
        choices=("business", "person"),
        default="business",
        help=(
            "write customers as accounts with a contact each, or as person accounts with FirstName,"
            " LastName and PersonEmail for an org that has them (default: %(default)s)"
        ),
    )
    add_trust(command)
    add_jobs(command)


def run(arguments: argparse.Namespace) -> int:
    """Writes the folder and tells what was left out."""
    if arguments.metadata == bool(arguments.format):
        raise BadInput(f"export: give either --format NAME ({', '.join(FORMATS)}) or --metadata")
    verify(arguments, ORG_FILE)
    name = METADATA if arguments.metadata else arguments.format
    counts = RunFolder(arguments.folder).read_manifest().counts
    with counting("record", sum(counts.values())) as watch:
        workers = workers_of(arguments)
        place = _place(arguments.to)
        exported = export(
            arguments.folder,
            name,
            place,
            say,
            watch,
            workers,
            OrgForms(arguments.chats, arguments.accounts),
        )
    for note in exported.notes:
        print(note)
    print(exported.folder)
    return 0


def _place(to: str | None) -> Path | None:
    """What --to names; an empty text, as an unset variable leaves it,
    would be the current folder.
    """
    if to == "":
        raise BadInput("--to is empty; name a folder, or leave it out for <run>/export/<format>")
    return None if to is None else Path(to)
