"""`generate`: make an org, or go on making it.

What only a run needs is imported when it runs.
"""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from orgweave.commands.making import add_page, finished, watched
from orgweave.commands.options import (
    add_asking,
    add_shards,
    add_writing,
    ask_of,
    out_of,
    settings_of,
    tell_language,
    tell_writer,
)
from orgweave.commands.workers import add_jobs, workers_of

if TYPE_CHECKING:
    from pipeline.making import RunObserver
    from pipeline.run import FinishedRun
    from pipeline.run_folder import RunFolder

EXAMPLES = """\
  orgweave generate --company shoes
  orgweave generate --company bank --scale 0.1 --seed 7 --out outputs/small_bank
  orgweave generate --company shoes --model gpt-4o-mini --max-cost 5
"""


WORDS_OF = {"generic": "those of any company", "goods": "those of any goods"}
"""A lexicon that a profile gets without naming one -> whose words it holds."""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    add_asking(command)
    add_shards(command)
    command.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help=(
            "make only the first N records of each object type, print them and keep them in"
            " preview.json"
        ),
    )
    command.add_argument(
        "--force",
        action="store_true",
        help=(
            "replace a finished org of another company, seed or size in the same folder, or one"
            " whose profile, schema or lexicon changed since"
        ),
    )
    command.add_argument(
        "--store",
        choices=("sqlite", "parquet"),
        help=(
            "how the org lies in its folder: as one SQLite file, or as Parquet files in tables/, of"
            " which that file is built when a command needs it (default: as before, else sqlite)"
        ),
    )
    add_page(command)
    add_jobs(command)
    add_writing(command)


def run(arguments: argparse.Namespace) -> int:
    """A whole run, or a preview."""
    from orgweave.commands.changes import digests_of, stale_told
    from pipeline.config import load_job
    from pipeline.run import generate, look, writers_with
    from pipeline.run_folder import RunFolder
    from schemas.profile import find_profile, load_profile

    ask, out, settings = ask_of(arguments), out_of(arguments), settings_of(arguments)
    if arguments.limit is not None:
        records = look(ask, out, arguments.limit, writers_with(settings))
        print(json.dumps(records, indent=2, ensure_ascii=False))
        saved = RunFolder(out).preview_file
        print(f"preview of the first {arguments.limit} of each; saved in {saved}", file=sys.stderr)
        return 0
    tell_writer(settings)
    if settings is None:
        tell_language(load_profile(find_profile(ask.company)).locale)

    workers, store = workers_of(arguments), arguments.store

    def work(watch: "RunObserver") -> "FinishedRun":
        return generate(
            ask,
            out,
            watch,
            writers_with(settings),
            arguments.force,
            workers,
            store,
        )

    before = digests_of(RunFolder(out))
    made = watched(lambda: load_job(ask), settings, work)
    code = finished(made, arguments.no_report)
    for line in stale_told(RunFolder(out), before):
        print(line)
    if settings is None:
        _tell_words(RunFolder(out))
    return code


def _tell_words(run: "RunFolder") -> None:
    """One line where a company that sells something has no words of its own industry."""
    from schemas.profile import unnamed_lexicon

    profile = run.read_profile()
    if profile.lexicon or not run.read_schema().has("Product2"):
        return
    print(
        f"the words are {WORDS_OF[unnamed_lexicon(profile)]}, since no lexicon says what"
        f" {profile.name} sells and what goes wrong there: `orgweave company new NAME` writes one"
        " to begin with, and `orgweave company draft` has a model write it",
        file=sys.stderr,
    )
