"""When each text of a conversation is written, by the customer's clock, as a prompt tells it.

A writer who knows the day and the hour says "good morning" and "until Tuesday" rightly. Knows no
acts and no templates.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from verifiers.material import Fact, Facts
from verifiers.near_days import AT, SECONDS, local_moment

WAITED = "waited"
CHAT_PAUSE = timedelta(minutes=2)
"""Lines of a chat that follow sooner stand without a time of their own. Chosen by eye."""
EXACT_FROM = 11
"""From so many days on a wait is rounded where it is told in words, and so given in days."""


def told_moments(parts: Sequence[Facts], zone: Fact) -> list[str]:
    """When each part is said: with the day where it is another than before, "" right after it.

    >>> told_moments([{"at": "2021-03-02T15:05:00"}, {"at": "2021-03-02T15:06:00"}], "UTC")
    ['Tuesday, March 2, 2021, 3:05 PM', '']
    """
    told = []
    before: datetime | None = None
    for part in parts:
        moment = local_moment(part.get(AT), zone)
        told.append("" if moment is None else _told(moment, before))
        before = moment or before
    return told


def told_moment(moment: datetime) -> str:
    """A day with its weekday and the time: `Tuesday, March 2, 2021, 3:05 PM`."""
    return f"{moment:%A, %B} {moment.day}, {moment.year}, {_clock(moment)}"


def exact_waits(parts: Sequence[Facts]) -> list[Fact]:
    """How long after the part before each one is said: long waits to the day, others as told."""
    waits: list[Fact] = []
    for place, part in enumerate(parts):
        waited, moments = part.get(WAITED), [each.get(AT) for each in parts[place - 1 : place + 1]]
        if waited and len(moments) == 2 and all(moments):
            before, after = [str(moment)[:SECONDS] for moment in moments]
            days = (datetime.fromisoformat(after) - datetime.fromisoformat(before)).days
            waited = f"{days} days" if days >= EXACT_FROM else waited
        waits.append(waited)
    return waits


def _told(moment: datetime, before: datetime | None) -> str:
    if before is None or before.date() != moment.date():
        return told_moment(moment)
    return _clock(moment) if moment - before >= CHAT_PAUSE else ""


def _clock(moment: datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment:%M %p}"
