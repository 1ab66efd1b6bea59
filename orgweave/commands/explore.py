"""`explore`: a finished org in the browser, as a CRM shows it."""

import argparse
from pathlib import Path

from orgweave.bundle.open import run_in
from orgweave.commands.common import FOLDER, add_listening, add_trust
from orgweave.explore.lessons import Lessons
from orgweave.explore.listen import ExploreOptions, explore

EXAMPLES = """\
  orgweave explore outputs/shoes
  orgweave explore outputs/shoes --open
  orgweave explore outputs/shoes --teacher
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=f"{FOLDER}, or a bundle, folder or archive")
    add_listening(command)
    command.add_argument(
        "--no-sql",
        action="store_false",
        dest="sql",
        help="have no page for SQL of one's own; lists, records and search stay",
    )
    command.add_argument(
        "--teacher",
        action="store_true",
        help=(
            "show the hidden causes beside the records, and the tasks with their answers, proofs"
            " and agents (default: nothing hidden is opened)"
        ),
    )
    add_trust(command)
    command.add_argument("--open", action="store_true", help="open the page in the browser")


def run(arguments: argparse.Namespace) -> int:
    """Shows the org until it is ended."""
    with run_in(arguments.folder) as folder:
        options = ExploreOptions(
            arguments.host,
            arguments.port,
            arguments.open,
            arguments.sql,
            arguments.trust,
            _lessons(folder) if arguments.teacher else None,
        )
        explore(folder, options)
    return 0


def _lessons(folder: Path) -> Lessons:
    """What a teacher sees; only a teacher waits for what that needs."""
    from orgweave.benchmark.lessons import read_lessons

    return read_lessons(folder)
