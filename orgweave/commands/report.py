"""`report`: one page that shows how good a finished org is."""

import argparse
from pathlib import Path

from orgweave.commands.common import FOLDER, add_trust, named_path, verify
from orgweave.report.beside import PAGE, write_page
from orgweave.report.pictures import write_pictures
from pipeline.run_folder import LATENT_FILE, ORG_FILE, RunFolder

EXAMPLES = """\
  orgweave report outputs/shoes
  orgweave report outputs/shoes --to shoes.html
  orgweave report outputs/shoes --pictures slides
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--to",
        type=named_path,
        metavar="FILE",
        help=f"write the page there (default: {PAGE} in the org's folder)",
    )
    command.add_argument(
        "--pictures",
        type=named_path,
        metavar="FOLDER",
        help="write each chart of the page there, too, as an SVG file for slides",
    )
    add_trust(command)


def run(arguments: argparse.Namespace) -> int:
    """Writes the page and says where it is."""
    verify(arguments, ORG_FILE, LATENT_FILE)
    run = RunFolder(arguments.folder)
    target = arguments.to or run.path / PAGE
    page = write_page(run, target)
    print(f"{target}: open it in a browser; it needs no network")
    if arguments.pictures:
        number = write_pictures(page, arguments.pictures)
        print(f"{arguments.pictures}: {number} charts of it as SVG files")
    return 0
