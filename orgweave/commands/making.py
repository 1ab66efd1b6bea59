"""What `generate` and `regenerate` share: a progress line while it runs, and how it ended.

What only a run needs is imported when it runs.
"""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from orgweave.commands.common import BROKEN
from orgweave.commands.options import costing_of

if TYPE_CHECKING:
    from pipeline.config import PreparedRun
    from pipeline.making import RunObserver
    from pipeline.model.settings import ModelSettings
    from pipeline.plan import Plan
    from pipeline.run import FinishedRun
    from pipeline.run_folder import RunFolder


def watched(
    job: "Callable[[], PreparedRun]",
    settings: "ModelSettings | None",
    work: "Callable[[RunObserver], FinishedRun]",
) -> "FinishedRun":
    """Does the work with a progress line.

    The job is prepared and planned only for a forecast: where there is a model and somebody looks.
    """
    from pipeline.progress import watching

    def plan() -> "Plan":
        from pipeline.plan import make_plan

        return make_plan(job(), costing_of(settings))

    with watching(plan if settings else None) as watch:
        return work(watch)


def add_page(command: argparse.ArgumentParser) -> None:
    """Whether the run's page is made."""
    command.add_argument(
        "--no-report",
        action="store_true",
        help="leave out report.html, which takes a second or two and the extra report",
    )


def tell_page(run: "RunFolder") -> None:
    """Makes a run's page anew, whose tasks or scores have changed; a line where that fails."""
    from orgweave.report.beside import renew_page

    refused = renew_page(run)
    if refused:
        print(f"orgweave: {refused}", file=sys.stderr)


def finished(outcome: "FinishedRun", no_report: bool) -> int:
    """Makes the run's page, and tells how the run ended; the exit code.

    An org that lies in Parquet files is left in these alone.
    """
    from pipeline.report import summary_text
    from pipeline.run_folder import RunFolder

    page = ""
    if not no_report:
        from orgweave.report.beside import page_told

        page = page_told(RunFolder(outcome.folder))
    RunFolder(outcome.folder).drop_org()
    print(summary_text(outcome, page))
    if outcome.report.right:
        return 0
    for finding in outcome.report.broken:
        print(
            f"orgweave: broken: {finding.says} {finding.broken} of {finding.tried}, such as"
            f" {'; '.join(finding.examples)}",
            file=sys.stderr,
        )
    return BROKEN
