"""`report`: one page that shows how good a finished org is."""

import argparse
from pathlib import Path

from orgweave.commands.common import FOLDER, add_trust, named_path, verify
from pipeline.atomic import write_text
from pipeline.run_folder import LATENT_FILE, ORG_FILE, RunFolder
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave report outputs/shoes
  orgweave report outputs/shoes --to shoes.html
  orgweave report outputs/bank --trust
"""

PAGE = "report.html"

GENERATOR = '<meta name="generator" content="orgweave report">'
"""Stands in each page: a file without it is somebody's own and is not replaced."""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--to",
        type=named_path,
        metavar="FILE",
        help=f"write the page there (default: {PAGE} in the org's folder)",
    )
    add_trust(command)


def run(arguments: argparse.Namespace) -> int:
    """Writes the page and says where it is."""
    from orgweave.report.facts import read_facts
    from orgweave.report.page import page_of

    verify(arguments, ORG_FILE, LATENT_FILE)
    folder = RunFolder(arguments.folder)
    target = arguments.to or folder.path / PAGE
    _check_place(target)
    write_text(target, iter([page_of(read_facts(folder))]))
    print(f"{target}: open it in a browser; it needs no network")
    return 0


def _check_place(target: Path) -> None:
    """Raises BadInput for a place that can't be written to, or holds a file of somebody's own."""
    if target.is_dir() or not target.parent.is_dir():
        raise BadInput(f"{target}: is no place for a file; name a file in a folder that exists")
    if target.exists() and GENERATOR not in target.read_text(encoding="utf-8", errors="replace"):
        raise BadInput(f"{target}: is no report of this program; move it away, or use --to")
