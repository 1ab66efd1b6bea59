"""`tools`: print the definitions of the agent's tools; needs no org."""

import argparse
import json

from orgweave.tools.definitions import as_text
from orgweave.tools.toolbox import FUNCTIONS, definitions

EXAMPLES = """\
  orgweave tools
  orgweave tools --format text
  orgweave tools --format openai
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument(
        "--format",
        choices=("text", "openai"),
        default="text",
        help="text to read, or openai: JSON for `tools=` of a chat completion (default: text)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the definitions."""
    print(
        as_text(FUNCTIONS)
        if arguments.format == "text"
        else json.dumps(definitions(), indent=2, ensure_ascii=False)
    )
    return 0
