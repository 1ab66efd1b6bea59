"""What `generate` and `regenerate` share: a progress line while it runs, and how it ended."""

import sys
from collections.abc import Callable

from orgweave.commands.common import BROKEN
from orgweave.commands.options import costing_of
from pipeline.config import PreparedRun
from pipeline.making import RunObserver
from pipeline.model.settings import ModelSettings
from pipeline.plan import Plan, make_plan
from pipeline.progress import watching
from pipeline.report import summary_text
from pipeline.run import FinishedRun


def watched(
    job: Callable[[], PreparedRun],
    settings: ModelSettings | None,
    work: Callable[[RunObserver], FinishedRun],
) -> FinishedRun:
    """Does the work with a progress line.

    The job is prepared and planned only for a forecast: where there is a model and somebody looks.
    """

    def plan() -> Plan:
        return make_plan(job(), costing_of(settings))

    with watching(plan if settings else None) as watch:
        return work(watch)


def finished(outcome: FinishedRun) -> int:
    """Tells how the run ended; the exit code."""
    print(summary_text(outcome))
    if outcome.report.right:
        return 0
    for finding in outcome.report.broken:
        print(
            f"orgweave: broken: {finding.says} {finding.broken} of {finding.tried}, such as"
            f" {'; '.join(finding.examples)}",
            file=sys.stderr,
        )
    return BROKEN
