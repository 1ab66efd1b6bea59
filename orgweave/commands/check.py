"""`check`: prove a finished org right from its files alone."""

import argparse
import sys
from pathlib import Path

from orgweave.commands.common import BROKEN, FOLDER
from orgweave.commands.workers import add_jobs, workers_of
from pipeline.atomic import write_json
from pipeline.check import check_folder
from pipeline.report import report_text
from pipeline.run_folder import LATENT_FILE, RunFolder
from schemas.errors import StorageFailed

EXAMPLES = """\
  orgweave check outputs/shoes
  orgweave check outputs/bank
  orgweave check /data/orgs/shoes
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    add_jobs(command)


def run(arguments: argparse.Namespace) -> int:
    """Prints the report and keeps it in the folder."""
    report = check_folder(arguments.folder, workers_of(arguments))
    run = RunFolder(arguments.folder)
    if LATENT_FILE in run.read_manifest().files and not run.latent_file.is_file():
        # Given away without its hidden story an org is whole, but nobody should think it measured.
        print(
            f"orgweave: {run.latent_file}: isn't there, so that no hidden cause was measured",
            file=sys.stderr,
        )
    try:
        write_json(run.check_file, report.as_json())
    except StorageFailed as error:
        # An org that is only lent, on a read-only disk, can be checked all the same.
        print(f"orgweave: {error}; the report is below", file=sys.stderr)
    print(report_text(report))
    return 0 if report.right else BROKEN
