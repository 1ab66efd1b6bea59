"""The command line: words in, exit code out.

0 done, 1 failed, 2 bad input, 3 answers awaited or tasks missing, 4 budget, 5 check failed, 130
interrupted.

Every error of the project's own is one line without a traceback. Knows the commands by their names
and no more.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from orgweave.commands import (
    check,
    evaluate,
    explore,
    export,
    generate,
    mcp,
    plan,
    query,
    regenerate,
    scores,
    serve,
    tasks,
    tools,
    trace,
    upload,
)
from schemas.errors import OrgweaveError

EXAMPLES = """examples:
  python -m pipeline generate --company shoes
  python -m pipeline check outputs/shoes
  python -m pipeline query outputs/shoes "SELECT Status, COUNT(Id) FROM Case GROUP BY Status"

`python -m pipeline COMMAND --help` shows the options and examples of one command.
"""
FAILED, INTERRUPTED = 1, 130


class Command(Protocol):
    """A module of `orgweave.commands`."""

    @property
    def HELP(self) -> str:  # noqa: N802
        """One line on what it does."""
        ...

    @property
    def EXAMPLES(self) -> str:  # noqa: N802
        """Three commands to begin with; they stand below the command's options in its help."""
        ...

    @property
    def add(self) -> Callable[[argparse.ArgumentParser], None]:
        """Adds its options."""
        ...

    @property
    def run(self) -> Callable[[argparse.Namespace], int]:
        """Does it; the exit code."""
        ...


COMMANDS: dict[str, Command] = {
    "generate": generate,
    "regenerate": regenerate,
    "plan": plan,
    "check": check,
    "export": export,
    "trace": trace,
    "query": query,
    "serve": serve,
    "explore": explore,
    "mcp": mcp,
    "tools": tools,
    "tasks": tasks,
    "evaluate": evaluate,
    "scores": scores,
    "upload": upload,
}


def run(words: Sequence[str]) -> int:
    """Runs one command and returns its exit code."""
    arguments = parser().parse_args(words)
    try:
        return COMMANDS[arguments.command].run(arguments)
    except OrgweaveError as error:
        print(f"orgweave: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(
            "orgweave: interrupted; what was written is kept, the same command goes on",
            file=sys.stderr,
        )
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        print(
            f"orgweave: {error.filename or 'a file'}: {error.strerror}; mend that and run the same"
            " command again",
            file=sys.stderr,
        )
        return FAILED


def parser() -> argparse.ArgumentParser:
    """All commands and options."""
    top = argparse.ArgumentParser(
        prog="orgweave",
        description=(
            "Makes a whole synthetic company from one short profile, and proves the data right."
        ),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    for name, command in COMMANDS.items():
        command.add(
            commands.add_parser(
                name,
                help=command.HELP,
                description=command.HELP[0].upper() + command.HELP[1:] + ".",
                epilog=command.EXAMPLES,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            ),
        )
    return top
