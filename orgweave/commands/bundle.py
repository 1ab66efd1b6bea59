"""`bundle`: a finished org, its tasks, a card and a licence as one folder or archive to publish."""

import argparse
from pathlib import Path

from orgweave.bundle.layout import BUNDLE, DATA_FORMATS
from orgweave.commands.common import BROKEN, add_trust, named_path, say, verify
from pipeline.progress import counting
from pipeline.run_folder import ORG_FILE, RunFolder

FOLDER_FORMAT = "folder"
FORMATS = (FOLDER_FORMAT, "zip", "tar.gz")

EXAMPLES = """\
  orgweave bundle outputs/shoes
  orgweave bundle outputs/shoes --format zip --to shoes.zip
  orgweave bundle outputs/shoes/export/bundle --verify
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument(
        "folder",
        type=Path,
        help="the folder of a finished org, such as outputs/shoes; with --verify a bundle",
    )
    command.add_argument(
        "--format",
        choices=FORMATS,
        default=FOLDER_FORMAT,
        help="write a folder, or one file that holds it (default: folder)",
    )
    command.add_argument(
        "--data",
        choices=DATA_FORMATS,
        default="parquet",
        help="write the tables of org and tasks in this format (default: parquet)",
    )
    command.add_argument(
        "--no-answers",
        action="store_false",
        dest="answers",
        help="hold the tasks' answers back, and all that gives them away",
    )
    command.add_argument(
        "--held-back",
        action="store_true",
        help="publish tasks though they ask with the held-back wordings alone",
    )
    command.add_argument(
        "--hidden",
        action="store_true",
        help="put the hidden causes and every verdict in (default: leave them out)",
    )
    command.add_argument(
        "--to",
        type=named_path,
        metavar="PLACE",
        help=f"write it there (default: <run>/export/{BUNDLE}, with .zip or .tar.gz)",
    )
    command.add_argument(
        "--verify",
        action="store_true",
        help="make nothing: compare the files of a bundle with its SHA-256 digests",
    )
    add_trust(command)


def run(arguments: argparse.Namespace) -> int:
    """Writes the bundle, or proves one."""
    if arguments.verify:
        return _proved(arguments.folder)
    from orgweave.bundle.make import BundleOptions
    from orgweave.bundle.pack import bundled

    verify(arguments, ORG_FILE)
    options = BundleOptions(
        arguments.data,
        arguments.answers,
        arguments.hidden,
        arguments.held_back,
    )
    place = arguments.to or _place(arguments.folder, arguments.format)
    kind = "" if arguments.format == FOLDER_FORMAT else arguments.format
    counts = RunFolder(arguments.folder).read_manifest().counts
    with counting("record", sum(counts.values())) as watch:
        made = bundled(arguments.folder, place, kind, options, say, watch)
    for note in made.notes:
        print(note)
    print(f"{place}: {made.says}")
    return 0


def _proved(path: Path) -> int:
    from orgweave.bundle.proof import prove

    proof = prove(path)
    for fault in proof.faults:
        say(f"{path}: {fault}")
    if proof.faults:
        return BROKEN
    print(
        f"{path}: {proof.files} files of {proof.company} are as they were made; the org has the"
        f" SHA-256 {proof.org_sha256}"
    )
    return 0


def _place(folder: Path, kind: str) -> Path:
    end = "" if kind == FOLDER_FORMAT else f".{kind}"
    return RunFolder(folder).exports_folder / f"{BUNDLE}{end}"
