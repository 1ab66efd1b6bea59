"""Tools on the calendar, in UTC.

A window goes from its start up to, and without, its end. The tools' docstrings are what an agent is
told of them.
"""

import calendar
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from orgweave.crm.seam import Crm
from orgweave.tools import forms
from orgweave.tools.forms import MONTHS, Moment, PeriodName, PeriodUnit
from schemas.errors import ToolRefused

FIRST_MONTHS = {
    **{name: number for number, name in enumerate(MONTHS, start=1)},
    "Q1": 1,
    "Q2": 4,
    "Q3": 7,
    "Q4": 10,
    "Spring": 3,
    "Summer": 6,
    "Autumn": 9,
    "Winter": 12,
}
MONTHS_OF = {"month": 1, "quarter": 3}
DAYS_OF = {"day": 1, "week": 7}


def get_start_date(
    crm: Crm,
    end_date: Annotated[
        Moment, Field(description="the window's end, such as 2022-03-31T00:00:00Z, or a date")
    ],
    period: Annotated[PeriodUnit, Field(description="what interval_count counts")],
    interval_count: Annotated[int, Field(ge=1, le=10_000, description="how many, from 1 on")],
) -> str:
    """The moment that lies interval_count days, weeks, calendar months or quarters (3 months)
    before end_date: the start of a window that ends there.

    Months keep the day and the time of day; where the month reached is too short for the day, its
    last day is taken: a month before 31 March is 28 or 29 February.

    Example: get_start_date("2022-03-31T00:00:00Z", "month", 1) -> "2022-02-28T00:00:00Z"
    """
    end, kind = datetime.fromisoformat(forms.moment(end_date)), str(forms.unit(period))
    if kind not in MONTHS_OF and kind not in DAYS_OF:
        raise ToolRefused(f"period {period!r} must be one of {', '.join([*DAYS_OF, *MONTHS_OF])}")
    try:
        if kind in MONTHS_OF:
            start = _months_before(end, interval_count * MONTHS_OF[kind])
        else:
            start = end - timedelta(days=interval_count * DAYS_OF[kind])
    except (ValueError, OverflowError) as error:
        raise ToolRefused(
            f"{interval_count} {kind}s before {end_date} lead out of the calendar; give a smaller"
            " interval_count"
        ) from error
    return forms.moment(start.isoformat())


def get_period(
    crm: Crm,
    period_name: Annotated[PeriodName, Field(description="a month, a quarter or a season")],
    year: Annotated[
        int,
        Field(
            ge=1900,
            le=3999,
            description="the year in which the period begins",
        ),
    ],
) -> dict[str, str]:
    """The window of a named period: start_date and end_date, its end being the first moment that no
    longer belongs to it.

    Quarters begin in January, April, July and October. Spring is March to May, Summer June to
    August, Autumn September to November,
    Winter December of the year to the end of February of the next.

    Example: get_period("Winter", 2021) -> {"start_date": "2021-12-01T00:00:00Z", "end_date":
    "2022-03-01T00:00:00Z"}
    """
    name = str(forms.period_name(period_name))
    if name not in FIRST_MONTHS:
        raise ToolRefused(f"period_name {period_name!r} must be one of {', '.join(FIRST_MONTHS)}")
    start = datetime(year, FIRST_MONTHS[name], 1, tzinfo=UTC)
    months = 1 if name in MONTHS else 3
    return {
        "start_date": forms.moment(start.isoformat()),
        "end_date": forms.moment(_months_before(start, -months).isoformat()),
    }


def _months_before(end: datetime, count: int) -> datetime:
    """A moment so many months earlier, on the month's last day where it lacks the day."""
    year, month = divmod(end.year * 12 + end.month - 1 - count, 12)
    _, days = calendar.monthrange(year, month + 1)
    return end.replace(
        year=year,
        month=month + 1,
        day=min(end.day, days),
    )
