"""`generate`: make an org, or go on making it."""

import argparse
import json
import sys

from orgweave.commands.making import finished, watched
from orgweave.commands.options import (
    add_asking,
    add_writing,
    ask_of,
    out_of,
    settings_of,
    tell_writer,
)
from pipeline.run import generate, look, writers_with

EXAMPLES = """\
  orgweave generate --company shoes
  orgweave generate --company bank --scale 0.1 --seed 7 --out outputs/small_bank
  orgweave generate --company shoes --model gpt-4o-mini --max-cost 5
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    add_asking(command)
    command.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help=(
            "make only the first N records of each object type, print them and keep them in"
            " preview.json"
        ),
    )
    add_writing(command)


def run(arguments: argparse.Namespace) -> int:
    """A whole run, or a preview."""
    ask, out, settings = ask_of(arguments), out_of(arguments), settings_of(arguments)
    if arguments.limit is not None:
        print(
            json.dumps(
                look(ask, out, arguments.limit, writers_with(settings)),
                indent=2,
                ensure_ascii=False,
            )
        )
        print(
            f"preview of the first {arguments.limit} of each; saved in {out}/preview.json",
            file=sys.stderr,
        )
        return 0
    tell_writer(settings)
    return finished(
        watched(ask, settings, lambda watch: generate(ask, out, watch, writers_with(settings)))
    )
