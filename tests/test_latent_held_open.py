"""Parents of cases: kept open until what hangs under them is settled."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from latent.case_course import CaseCourse, CaseFrame
from latent.dialogue import Plot
from latent.held_open import held_open
from latent.work_calendar import ShiftKey, WorkCalendars, WorkPeriod, seconds_of
from pipeline.world.tables import NONE
from schemas.country import load_country
from tests.latent_orgs import job

HOLIDAYS = load_country("en_US").holidays
PERIOD = WorkPeriod(datetime(2022, 1, 1), datetime(2022, 12, 31), frozenset(), HOLIDAYS)
EARLY = WorkCalendars(PERIOD).of(ShiftKey("America/Denver", 8, 16.5, 0, 0))
TUESDAY = datetime(2022, 3, 8, 17)
END = seconds_of(datetime(2022, 12, 31, 23))


def frame(leaves: int = END) -> CaseFrame:
    """A closed case of an agent in Denver."""
    return CaseFrame(
        case=0,
        created=seconds_of(TUESDAY),
        chats=False,
        complains=True,
        agents=(3,),
        calendars=(EARLY,),
        leaves=(leaves,),
        zone=ZoneInfo("America/Denver"),
        closed=True,
        messages=1,
        pace=1.0,
        first_hours=1.0,
        load=1.0,
        end=END,
        last_second=END,
        silence=0,
        stranger=False,
        plot=Plot(ending="granted", wish="refund"),
        typing=40.0,
        terms=0,
    )


def course(case: int, closed: datetime | None) -> CaseCourse:
    """A case that was closed at a moment."""
    return CaseCourse(case, (3,), (), (), (TUESDAY,), TUESDAY, closed)


def closes(
    *closed: datetime | None, parents: list[int], leaves: int = END
) -> list[datetime | None]:
    """When cases that would be closed at these moments are closed in the end."""
    courses = [course(case, moment) for case, moment in enumerate(closed)]
    held = held_open(job().setting, lambda case: frame(leaves), courses, parents)
    return [each.closed for each in held]


@pytest.mark.parametrize("later", [timedelta(0), timedelta(hours=2)])
def test_a_parent_is_closed_behind_its_child(later: timedelta) -> None:
    """It takes the owner some time, also where both would be closed in the same second."""
    parent, child = closes(TUESDAY, TUESDAY + later, parents=[NONE, 0])
    assert child == TUESDAY + later
    assert parent is not None and parent > child


def test_what_is_settled_before_its_parent_changes_nothing() -> None:
    """Nor does a child, or a parent, that is still open."""
    sooner = TUESDAY - timedelta(seconds=1)
    assert closes(TUESDAY, sooner, parents=[NONE, 0]) == [TUESDAY, sooner]
    assert closes(TUESDAY, None, parents=[NONE, 0]) == [TUESDAY, None]
    assert closes(None, TUESDAY, parents=[NONE, 0]) == [None, TUESDAY]


def test_a_grandparent_waits_for_both() -> None:
    """Each is closed behind the one below it."""
    first, second, third = closes(TUESDAY, TUESDAY, TUESDAY, parents=[NONE, 0, 1])
    assert third == TUESDAY
    assert first is not None and second is not None and first > second > third


def test_who_leaves_holds_nothing_open() -> None:
    """Behind the owner's last day there is no room: the parent is closed when it would be."""
    left = seconds_of(TUESDAY)
    assert closes(TUESDAY, TUESDAY, parents=[NONE, 0], leaves=left) == [TUESDAY, TUESDAY]
