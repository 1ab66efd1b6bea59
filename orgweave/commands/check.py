"""`check`: prove a finished org right from its files alone."""

import argparse
import json
import sys
from pathlib import Path

from orgweave.commands.making import BROKEN
from orgweave.commands.options import FOLDER
from pipeline.check import check_folder
from pipeline.report import report_text

EXAMPLES = """\
  orgweave check outputs/shoes
  orgweave check outputs/bank
  orgweave check /data/orgs/shoes
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)


def run(arguments: argparse.Namespace) -> int:
    """Prints the report and keeps it as check.json."""
    report = check_folder(arguments.folder)
    try:
        (arguments.folder / "check.json").write_text(
            json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8"
        )
    except OSError as error:
        print(
            f"orgweave: {arguments.folder}/check.json: not written ({error.strerror}); the report"
            " is below",
            file=sys.stderr,
        )
    print(report_text(report))
    return 0 if report.right else BROKEN
