"""Parents that are kept open until what hangs under them is settled.

A part of CaseStory. Knows when cases are closed and which hang together; draws no links itself.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from latent.case_course import TRANSFER_SECONDS, CaseCourse, CaseFrame
from latent.work_calendar import moment_of, seconds_of
from pipeline.world.org import RunContext
from pipeline.world.streams import text_stream
from pipeline.world.tables import NONE


def held_open(
    setting: RunContext,
    frame_of: Callable[[int], CaseFrame],
    courses: list[CaseCourse],
    parents: list[int],
) -> list[CaseCourse]:
    """The courses, with each closed parent closed after its last child, as far as there is room.

    Both lists have one entry a case in the order of creation; `parents` holds rows, or NONE.
    """
    last_close: dict[int, datetime] = {}
    held = list(courses)
    # A child comes after its parent, so that its own close is known when the parent's turn comes.
    for case in reversed(range(len(courses))):
        course = held[case]
        if course.closed is None:
            continue
        settled = last_close.get(case)
        if settled is not None and settled >= course.closed:
            rng = text_stream(setting.seed, setting.salted("CaseStory.held"), str(case))
            seconds = rng.uniform(*TRANSFER_SECONDS)
            course = replace(course, closed=_after(frame_of(case), settled, seconds, course.closed))
            held[case] = course
        parent = parents[case]
        if parent != NONE and course.closed is not None:
            last_close[parent] = max(last_close.get(parent, course.closed), course.closed)
    return held


def _after(frame: CaseFrame, settled: datetime, seconds: float, own: datetime) -> datetime:
    """So much working time of the owner after the last child, while the owner is there."""
    wished = frame.calendars[-1].after(seconds_of(settled), seconds)
    bound = min(frame.last_second, frame.leaves[-1])
    return max(moment_of(min(wished, bound)), own)
