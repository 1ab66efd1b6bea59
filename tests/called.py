"""A command called in the test's own process, as a process of its own would have ended.

To start one takes a second that few tests need; those that kill, halt or shadow it do.
"""

from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO

from orgweave.cli import run


@dataclass(frozen=True, slots=True)
class CalledCommand:
    """How a command ended: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def called(*words: str) -> CalledCommand:
    """Calls the command line with these words."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            code = run(words)
        except SystemExit as ended:
            # So argparse ends, after help and after words that it can't understand.
            code = int(ended.code or 0)
    return CalledCommand(code, out.getvalue(), err.getvalue())
