"""A command called in the test's own process, as a process of its own would have ended.

To start one takes a second that few tests need; those that kill, halt or shadow it do. `python -m
tests.called '[["plan", …], ["check", …]]'` calls several in one process, for tests that need
another tree than their own, and prints what each printed as JSON.
"""

import json
import sys
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


def main() -> None:
    """Calls the commands of the first argument up to the first that fails."""
    printed = []
    for words in json.loads(sys.argv[1]):
        ended = called(*words)
        if ended.returncode:
            sys.exit(f"{words}: {ended.stdout}{ended.stderr}")
        printed.append(ended.stdout)
    print(json.dumps(printed))


if __name__ == "__main__":
    main()
