"""The command line: words in, exit code out.

0 done, 1 failed, 2 bad input, 3 answers awaited or tasks missing, 4 budget reached, 5 check failed,
130 interrupted. Every error of the project's own is one line without a traceback.

Knows the commands by name and by one line of help. Only the command that is asked for is
imported, so that help and the light commands don't wait for numpy.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol, cast

from orgweave.interrupts import interrupts_kept
from schemas.errors import BadInput, OrgweaveError
from schemas.version import installed_version

COMMANDS: dict[str, str] = {
    "generate": "make an org, or go on making it",
    "regenerate": "make one object type's records anew, and what depends on them",
    "plan": "show what a run will do and cost; calls nothing",
    "report": "show on one page how good a finished org is",
    "check": "prove a finished org right from its files alone",
    "export": (
        "write a finished org in a format that others read, or the metadata a CRM needs first"
    ),
    "bundle": "put an org, its tasks, a card and a licence into one folder or archive to publish",
    "trace": "show requests, answers, verdicts and cost of a run's mini-batches",
    "company": "begin a company of one's own, and see what its files lack",
    "ledger": "make a run's damaged ledger whole again, of the rows that are sound",
    "query": "answer a SOQL or SOSL text about a finished org, as JSON",
    "serve": "answer as the CRM's REST API does, over a finished org",
    "explore": "look at a finished org in the browser, as a CRM shows it",
    "mcp": "offer the agent's tools over a finished org by the Model Context Protocol",
    "tools": "print the definitions of the tools that an agent works with",
    "tasks": "turn a finished org into a benchmark: query instances with exact answers",
    "evaluate": "put an org's tasks to an agent, and print what it scored",
    "scores": "show what agents scored in several evaluations, in one table",
    "upload": "load a finished org into a CRM",
}
"""Each command's name and what it does. `orgweave/commands/<name>.py` holds the rest of it."""

EXAMPLES = """three to begin with:
  orgweave generate --company shoes
  orgweave query outputs/shoes "SELECT Status, COUNT(Id) FROM Case GROUP BY Status"
  orgweave tasks outputs/shoes

`orgweave COMMAND --help` shows a command's options and examples.
`python -m pipeline` does the same as `orgweave`.
"""
FAILED = 1
INTERRUPTED = 130
LARGE = frozenset({"generate", "regenerate", "check", "export", "tasks"})
"""The commands that load libraries in C and Rust for a whole org."""
LEAST_ROOM = 256 * 2**20
"""So many bytes of memory these take at least. Where they are given fewer, the libraries end the
process themselves, in words of their own."""
NO_MEMORY = (
    b"orgweave: the memory is used up; give it more, or make less (--scale, --set, counts)\n"
)


UNRECOGNIZED = "unrecognized arguments: "
"""How argparse begins where words are left over."""


class OneLineParser(argparse.ArgumentParser):
    """A parser that tells in one line what is wrong; argparse puts all options before it."""

    def error(self, message: str) -> NoReturn:
        """Raises BadInput."""
        extra = message.removeprefix(UNRECOGNIZED)
        if extra != message and not extra.startswith("-"):
            # Mostly a query or a description whose quotes were forgotten.
            message += "; put words that belong together in double quotes"
        raise BadInput(f"{message}; `{self.prog} --help` shows what there is")


class Command(Protocol):
    """What a module of `orgweave.commands` offers."""

    @property
    def EXAMPLES(self) -> str:  # noqa: N802
        """Some command lines to copy, one a line."""
        ...

    @property
    def add(self) -> Callable[[argparse.ArgumentParser], None]:
        """Adds the command's options to its parser."""
        ...

    @property
    def run(self) -> Callable[[argparse.Namespace], int]:
        """Does what the options ask for and returns the exit code."""
        ...


def _require_room() -> None:
    """Raises MemoryError where the process may have less memory than a large command needs."""
    if sys.platform == "win32":
        return
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < LEAST_ROOM:
        raise MemoryError


def run(words: Sequence[str], loaded: Callable[[], None] = lambda: None) -> int:
    """Runs one command and returns its exit code; `loaded` is told when it is about to begin."""
    try:
        with interrupts_kept():
            arguments = parsed(words)
            if arguments.command in LARGE:
                _require_room()
            command = command_module(arguments.command)
            loaded()
            return command.run(arguments)
    except OrgweaveError as error:
        print(f"orgweave: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(
            "orgweave: interrupted; what was written is kept, the same command goes on",
            file=sys.stderr,
        )
        return INTERRUPTED
    except (MemoryError, SystemError):
        # Where memory is scarce, C code may fail without saying why, which Python calls a
        # SystemError. `print` would need memory of its own.
        os.write(2, NO_MEMORY)
        return FAILED
    except ImportError as error:
        # Also what is installed can't be loaded where memory is scarce, or a file is damaged.
        reason = str(error).strip().splitlines()
        print(
            f"orgweave: a part of the program can't be loaded ({reason[0] if reason else error!r});"
            " give it more memory, or install orgweave anew",
            file=sys.stderr,
        )
        return FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        print(
            f"orgweave: {error.filename or 'a file'}: {error.strerror}; mend that and run the"
            " same command again",
            file=sys.stderr,
        )
        return FAILED


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, with the command's name as `command`.

    Ends the process after help, as argparse does; raises BadInput for words that can't be
    understood.
    """
    name = words[0] if words else ""
    _check_words(words)
    if name in COMMANDS:
        options = command_parser(name).parse_args(words[1:])
        options.command = name
        return options
    return top_parser().parse_args(words)


def _check_words(words: Sequence[str]) -> None:
    """Raises BadInput for a word that is empty, holds a NUL, or a path that begins with `~`.

    An empty word is mostly a variable that isn't set; as a path it would be the current folder. A
    shell leaves `--out=~/x` as it stands, and a folder that is called `~` is nobody's wish.
    """
    before = "the command line"
    for word in words:
        option, equals, value = word.partition("=")
        if equals and option.startswith("--"):
            before = option
        else:
            value = word
        if not value:
            raise BadInput(f"{before}: is followed by nothing; give a value (is a variable unset?)")
        if value.startswith("~/"):
            raise BadInput(f"{word:.200}: the shell left ~ as it is; write $HOME in its place")
        if "\0" in word:
            raise BadInput(f"{word!r:.60}: holds a NUL character; leave it out")
        before = word


def command_module(name: str) -> Command:
    """The module of a command, imported now."""
    return cast(Command, importlib.import_module(f"orgweave.commands.{name}"))


def command_parser(name: str) -> argparse.ArgumentParser:
    """The options of one command."""
    command = command_module(name)
    parser = OneLineParser(
        prog=f"orgweave {name}",
        description=sentence(COMMANDS[name]),
        epilog=f"examples:\n{command.EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add(parser)
    return parser


def sentence(text: str) -> str:
    """A help line as a sentence; unlike `str.capitalize`, it keeps `SOQL` and `CRM` as they are."""
    return f"{text[0].upper()}{text[1:]}."


def top_parser() -> argparse.ArgumentParser:
    """The parser of a line that names no command: help, version, or an error that lists them."""
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name:{width}}  {help_line}" for name, help_line in COMMANDS.items()]
    parser = OneLineParser(
        prog="orgweave",
        usage="orgweave COMMAND [options]",
        description="Makes a whole synthetic company from one short profile, and proves it right.",
        epilog="\n".join(["commands:", *lines, "", EXAMPLES]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"orgweave {installed_version()}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    return parser
