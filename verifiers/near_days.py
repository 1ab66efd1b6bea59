"""A day to come as people name it: `tomorrow`, `Wednesday`, `3 business days`, `two weeks`.

Takes moments and days as the facts of a text have them. Knows no acts and no rules.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import product
from zoneinfo import ZoneInfo

from verifiers.wording import SMALL_NUMBERS

AT, ZONE = "at", "zone"
"""Facts of a text and its unit: the moment in UTC, and the time zone of the customer."""
SECONDS = 19
"""Characters of a moment to the second."""
LONG_DATE = "%B %d, %Y"
TOMORROW = "tomorrow"
A_WEEK = 7
"""From so many days on a weekday alone might be that of this week or of the next."""

SATURDAY = 5
"""The day of the week on which no office works any more; Monday is 0."""
WEEKS_FROM = 8
"""So many business days are told in weeks."""
MOST_WEEKS = 7
KINDS_OF_DAYS = ("business", "working")
DUE_SPAN = re.compile(r"\w+ (?:business days|weeks)")
"""How a span looks that stands in the place of a day."""


def local_moment(moment: object, zone: object) -> datetime | None:
    """What the customer's clock shows at a moment in UTC; None where either is unknown."""
    if not moment or not zone:
        return None
    known = datetime.fromisoformat(f"{str(moment)[:SECONDS]}+00:00")
    return known.astimezone(ZoneInfo(str(zone)))


def days_until(day: str, facts: Mapping[str, object]) -> int | None:
    """How many days lie between a text and a day that it names; None where either is unknown.

    >>> days_until("March 5, 2021", {"at": "2021-03-02T15:05:00", "zone": "UTC"})
    3
    """
    named = date_of(day)
    # Most facts are no days, and a moment by a clock takes its time.
    written = local_moment(facts.get(AT), facts.get(ZONE)) if named else None
    return (named - written.date()).days if written and named else None


@lru_cache(maxsize=4096)  # a case's day is looked at for each of its texts
def date_of(day: str) -> date | None:
    """The date that is written as `March 5, 2021`; None for any other text."""
    if not day[-4:].isdigit():
        return None
    try:
        return datetime.strptime(day, LONG_DATE).date()
    except ValueError:
        return None


def near_name(day: str, facts: Mapping[str, object]) -> str:
    """What people call a day within the week from a text on; "" for any other day.

    >>> near_name("March 5, 2021", {"at": "2021-03-02T15:05:00", "zone": "UTC"})
    'Friday'
    """
    named = date_of(day)
    days = days_until(day, facts)
    if days is None or named is None or not 0 < days < A_WEEK:
        return ""
    return TOMORROW if days == 1 else f"{named:%A}"


def business_days_until(day: str, facts: Mapping[str, object]) -> int:
    """How many days of the working week come until a day, it among them; 0 where unknown.

    >>> business_days_until("March 8, 2021", {"at": "2021-03-03T15:05:00", "zone": "UTC"})
    3
    """
    days = days_until(day, facts)
    named = date_of(day)
    if named is None or days is None or days < 1:
        return 0
    return sum((named - timedelta(days=back)).weekday() < SATURDAY for back in range(days))


def span_until(day: str, facts: Mapping[str, object]) -> str:
    """How desks say until when something takes: `3 business days`, `two weeks`; "" for tomorrow.

    >>> span_until("March 8, 2021", {"at": "2021-03-03T15:05:00", "zone": "UTC"})
    '3 business days'
    >>> span_until("March 22, 2021", {"at": "2021-03-03T15:05:00", "zone": "UTC"})
    'three weeks'

    A day that is given as such a span stays one.
    """
    if DUE_SPAN.fullmatch(day):
        return day
    count = business_days_until(day, facts)
    if count <= 1:
        return ""
    if count < WEEKS_FROM:
        return f"{count} business days"
    weeks = -(-(days_until(day, facts) or 0) // A_WEEK)
    return f"{SMALL_NUMBERS[weeks]} weeks" if weeks <= MOST_WEEKS else ""


def spans_until(day: str, facts: Mapping[str, object]) -> tuple[str, ...]:
    """All ways to say that span which a text may use; none where it has no name.

    >>> spans_until("March 8, 2021", {"at": "2021-03-03T15:05:00", "zone": "UTC"})
    ('3 business days', 'three business days', '3 working days', 'three working days')
    """
    count = business_days_until(day, facts)
    span = span_until(day, facts)
    if not span:
        return ()
    if count < WEEKS_FROM:
        named = product(KINDS_OF_DAYS, (str(count), SMALL_NUMBERS[count]))
        return tuple(f"{number} {kind} days" for kind, number in named)
    weeks = SMALL_NUMBERS.index(span.removesuffix(" weeks"))
    return (span, f"{weeks} weeks")
