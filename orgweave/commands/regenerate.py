"""`regenerate`: make one object type's records anew, and what depends on them.

What only a run needs is imported when it runs.
"""

import argparse
from typing import TYPE_CHECKING

from orgweave.commands.making import add_page, finished, watched
from orgweave.commands.options import (
    OF_THE_ORG_THERE,
    add_asking,
    add_writing,
    ask_of,
    out_of,
    settings_of,
)
from orgweave.commands.workers import add_jobs, workers_of

if TYPE_CHECKING:
    from pipeline.making import RunObserver
    from pipeline.run import FinishedRun

EXAMPLES = """\
  orgweave regenerate --company shoes --object Knowledge__kav
  orgweave regenerate --company shoes --object Case --out outputs/shoes
  orgweave regenerate --company bank --object Product2 --model gpt-4o-mini
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    add_asking(command, OF_THE_ORG_THERE)
    command.add_argument(
        "--object",
        required=True,
        metavar="NAME",
        help="the object type, such as Knowledge__kav, or the hidden cause, such as Skill",
    )
    add_page(command)
    add_jobs(command)
    add_writing(command)


def run(arguments: argparse.Namespace) -> int:
    """A run with another seed for one node."""
    from orgweave.commands.changes import changes_told, digests_of
    from pipeline.regenerate import held_job, regenerate
    from pipeline.run import EMBEDDED, writers_with
    from pipeline.run_folder import RunFolder

    ask, out, settings = ask_of(arguments), out_of(arguments), settings_of(arguments)
    writer = settings.model if settings else EMBEDDED

    name, workers = arguments.object, workers_of(arguments)

    def work(watch: "RunObserver") -> "FinishedRun":
        return regenerate(ask, out, name, watch, writers_with(settings), writer, workers)

    before = digests_of(RunFolder(out))
    made = watched(lambda: held_job(out), settings, work)
    code = finished(made, arguments.no_report)
    for line in changes_told(RunFolder(out), before):
        print(line)
    return code
