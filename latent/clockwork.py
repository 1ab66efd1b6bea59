"""When the messages of a case are sent: a clock for e-mail threads and one for chats.

Agents answer in working hours, customers don't write at night, and nothing is sent after the
period. Works on moments of one case at a time; knows no words and no people.

All bounds here are chosen by eye, so that threads read like those of a small service desk.
"""

import random
from datetime import datetime, timedelta

# Agents work on weekdays, from the first hour to the last (excluded).
OPEN, CLOSE = 8, 18
SATURDAY = 5
MORNING_SECONDS = (120, 3 * 3600)  # how long after OPEN a mail of the night is answered

WAKE_HOUR = 6  # customers write at any hour but before this one
WAKE_SECONDS = (600, 4 * 3600)  # how long after WAKE_HOUR they write instead

# Gaps between e-mails before they are scaled to the case's hours: gamma, so that most are short
# and a few long. Customers answer somewhat sooner than agents.
GAP_SHAPE = 1.6
CUSTOMER_GAP = 0.8

REPLY_SECONDS = (120, 1500)  # nobody reads and answers a mail in less
FOLLOW_UP_HOURS = (20, 40)  # nobody asks for news sooner

FIRST_LINE_SECONDS = (70, 260)  # from the request for a chat to the customer's first line
LINE_SECONDS = (18, 95)  # from line to line at an ordinary pace
CHAT_PACES = (0.6, 2.2)  # a chat's pace varies less than a thread's: both sides are waiting

# Where a thread would run past the period, its end is drawn this long before the period's, but
# it keeps this many minutes a message.
LAST_SECONDS = (300, 4 * 3600)
MINUTES_A_MESSAGE = 10


def email_times(
    rng: random.Random,
    created: datetime,
    hours: float,
    from_agent: list[bool],
    patient: list[bool],
    end: datetime,
) -> list[datetime]:
    """One moment for each message, strictly rising, none behind `end`.

    The first is `created`, the last about `hours` later. `patient` messages come after a silence
    of most of a day or more: nobody asks for news within the hour.
    """
    gaps = []
    for agent in from_agent[1:]:
        gaps.append(rng.gammavariate(GAP_SHAPE, 1.0) * (1.0 if agent else CUSTOMER_GAP))
    scale = hours / sum(gaps) if gaps else 0.0
    times = [created]
    for gap, agent, patience in zip(gaps, from_agent[1:], patient[1:], strict=True):
        seconds = max(_least_seconds(rng, patience), gap * scale * 3600)
        wished = times[-1] + timedelta(seconds=round(seconds))
        times.append(office_hours(rng, wished) if agent else awake(rng, wished))
    return squeezed(rng, times, end)


def _least_seconds(rng: random.Random, patience: bool) -> float:
    if patience:
        return rng.uniform(*FOLLOW_UP_HOURS) * 3600
    return rng.uniform(*REPLY_SECONDS)


def chat_times(
    rng: random.Random,
    created: datetime,
    turns: int,
    pace: float,
) -> list[datetime]:
    """A moment for each line: the first minutes after `created`, then one every minute or so."""
    slowest = max(CHAT_PACES)
    fastest = min(CHAT_PACES)
    factor = min(max(pace, fastest), slowest)
    times = [created + timedelta(seconds=rng.randint(*FIRST_LINE_SECONDS))]
    for _ in range(turns - 1):
        seconds = round(rng.uniform(*LINE_SECONDS) * factor)
        times.append(times[-1] + timedelta(seconds=seconds))
    return times


def office_hours(rng: random.Random, moment: datetime) -> datetime:
    """The moment itself in office hours, else some time in the next office morning."""
    working_day = moment.weekday() < SATURDAY
    if working_day and OPEN <= moment.hour < CLOSE:
        return moment
    day = moment
    if not (working_day and moment.hour < OPEN):
        day += timedelta(days=1)
    while day.weekday() >= SATURDAY:
        day += timedelta(days=1)
    opening = day.replace(hour=OPEN, minute=0, second=0)
    return opening + timedelta(seconds=rng.randint(*MORNING_SECONDS))


def awake(rng: random.Random, moment: datetime) -> datetime:
    """The moment itself by day, else some time in the same morning."""
    if moment.hour >= WAKE_HOUR:
        return moment
    morning = moment.replace(hour=WAKE_HOUR, minute=0, second=0)
    return morning + timedelta(seconds=rng.randint(*WAKE_SECONDS))


def squeezed(rng: random.Random, times: list[datetime], end: datetime) -> list[datetime]:
    """The same order, pressed together where the last moment lies behind `end`."""
    if times[-1] <= end:
        return times
    first = times[0]
    wished = end - timedelta(seconds=rng.randint(*LAST_SECONDS))
    earliest = first + timedelta(minutes=MINUTES_A_MESSAGE * len(times))
    last = min(end, max(wished, earliest))
    span = (times[-1] - first).total_seconds()
    # At least a second a message: where no room is left, order counts for more than the end.
    room = max((last - first).total_seconds(), len(times))
    return [
        first + timedelta(seconds=int((moment - first).total_seconds() / span * room))
        for moment in times
    ]
