"""Working time on a toy calendar: two spells of a hundred seconds, a hundred apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.work_calendar import WorkCalendar

pytestmark = pytest.mark.quick

TOY = WorkCalendar(starts=[100, 300], ends=[200, 400], worked=[0, 100, 200])
LATE = TOY.since(150)


@pytest.mark.parametrize(
    ("moment", "at_work", "late_at_work"),
    [
        (99, False, False),
        (100, True, False),
        (149, True, False),
        (150, True, True),
        (199, True, True),
        (200, False, False),
        (299, False, False),
        (300, True, True),
        (399, True, True),
        (400, False, False),
    ],
)
def test_a_spell_has_its_first_second_and_not_its_end(
    moment: int, at_work: bool, late_at_work: bool
) -> None:
    """And whoever comes late is at work from the second in which they come."""
    assert TOY.covers(moment) is at_work
    assert LATE.covers(moment) is late_at_work
    waits = [int(calendar.waits(np.array([moment]))[0]) for calendar in (TOY, LATE)]
    assert (waits[0] == 0) is (at_work or moment == 400)
    assert (waits[1] == 0) is (late_at_work or moment == 400)


@pytest.mark.parametrize(
    ("moment", "seconds", "after"),
    [
        (0, 10, 110),
        (100, 0, 101),
        (150, 10, 160),
        (150, 49, 199),
        (150, 50, 300),
        (200, 10, 310),
        (250, 10, 310),
        (350, 49, 399),
        (350, 50, 450),
        (350, 100, 500),
        (500, 10, 510),
    ],
)
def test_work_goes_on_in_the_next_spell_and_behind_the_last(
    moment: int, seconds: int, after: int
) -> None:
    """At the border of two spells it is done in the later one; what never gets done counts from
    the end, or from the moment itself.
    """
    assert TOY.after(moment, seconds) == after


def test_nobody_works_before_they_come() -> None:
    """Their time counts from then on; who is there from the first spell on came never late."""
    assert LATE.after(0, 10) == LATE.after(120, 10) == 160
    assert TOY.since(100) == TOY.since(0) == TOY
    assert TOY.since(101) != TOY


@given(st.integers(0, 399), st.integers(1, 150), st.booleans())
def test_a_wait_ends_when_the_work_is_done(moment: int, seconds: int, late: bool) -> None:
    """The wait for some work leads to the moment after it, or to the end of all work."""
    calendar = LATE if late else TOY
    after = min(calendar.after(moment, seconds), 400)
    assert calendar.waits(np.array([moment]), seconds)[0] == after - moment


def test_one_looks_at_many_moments_at_once() -> None:
    """Each has its own wait: till work begins, a second more, or none at work."""
    assert TOY.waits(np.array([0, 99, 150, 250, 350])).tolist() == [101, 2, 0, 51, 0]
