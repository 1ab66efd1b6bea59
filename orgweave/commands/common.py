"""What all kinds of commands share: words for options, places to write to, an exit code.

Knows nothing of making an org, so that commands that only read one start without it.
"""

import argparse
import sys
from pathlib import Path

from schemas.errors import BadInput

FOLDER = "the folder of a finished org, such as outputs/shoes"
CLOCK = (
    "take this moment as now: a date, which means its last second, a datetime in UTC, end, which is"
    " the last day of the org's period, or now, which is the real time and runs (default: end)"
)
BROKEN = 5
"""The exit code where a check failed, or a CRM refused records."""


def say(text: str) -> None:
    """One line on stderr, at once: what a user should know while a command is at work."""
    print(f"orgweave: {text}", file=sys.stderr, flush=True)


def named_path(text: str) -> Path:
    """A path to write to; raises BadInput for an empty one, which an unset variable leaves."""
    if not text:
        raise BadInput("'': is no name of a file or folder; name the place to write to")
    return Path(text)


def add_listening(command: argparse.ArgumentParser) -> None:
    """Where a server of the run listens."""
    command.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="listen on this address (default: 127.0.0.1, which only this machine can reach)",
    )
    command.add_argument(
        "--port",
        type=int,
        default=0,
        metavar="N",
        help="listen on this port (default: a free one)",
    )


def add_trust(command: argparse.ArgumentParser) -> None:
    """Whether the folder's files are compared with the manifest."""
    command.add_argument(
        "--trust",
        action="store_true",
        help="use the org as it is, also where its files aren't those that the manifest tells of",
    )


def verify(arguments: argparse.Namespace, *names: str) -> None:
    """Raises BadInput where one of these files of the run isn't what was made.

    It is hashed once, when a command begins: some 25 ms for an org of 11 MB.
    """
    from pipeline.run_folder import RunFolder  # help does without

    RunFolder(arguments.folder).verify(*names, trust=arguments.trust)
