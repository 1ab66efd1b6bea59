"""When the messages of a case are sent: agents answer in working hours, customers not at night,
nothing after the period.

Works on moments (datetime64[s]) of one case at a time; knows no words and no people.
"""

import random
from datetime import datetime, timedelta

OPEN, CLOSE = 8, 18


def email_times(
    rng: random.Random,
    created: datetime,
    hours: float,
    from_agent: list[bool],
    patient: list[bool],
    end: datetime,
) -> list[datetime]:
    """One moment a message, rising strictly; the first is `created`, the last about `hours` later,
    none behind `end`.

    `patient` messages come after a silence of a day or more: nobody asks for news within the hour.
    """
    gaps = [rng.gammavariate(1.6, 1.0) * (1.0 if agent else 0.8) for agent in from_agent[1:]]
    scale = hours / sum(gaps) if gaps else 0.0
    times = [created]
    for gap, agent, patience in zip(gaps, from_agent[1:], patient[1:], strict=True):
        least = rng.uniform(20, 40) * 3600 if patience else rng.uniform(120, 1500)
        wished = times[-1] + timedelta(seconds=round(max(least, gap * scale * 3600)))
        times.append(office_hours(rng, wished) if agent else awake(rng, wished))
    return squeezed(rng, times, end)


def chat_times(rng: random.Random, created: datetime, turns: int, pace: float) -> list[datetime]:
    """The customer's first line a few minutes after `created`, then a line every half minute to
    two.
    """
    times = [created + timedelta(seconds=rng.randint(70, 260))]
    for _ in range(turns - 1):
        times.append(
            times[-1] + timedelta(seconds=round(rng.uniform(18, 95) * min(max(pace, 0.6), 2.2)))
        )
    return times


def office_hours(rng: random.Random, moment: datetime) -> datetime:
    """The moment itself in office hours, else some time in the next office morning."""
    if moment.weekday() < 5 and OPEN <= moment.hour < CLOSE:
        return moment
    day = moment if moment.hour < OPEN and moment.weekday() < 5 else moment + timedelta(days=1)
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day.replace(hour=OPEN, minute=0, second=0) + timedelta(
        seconds=rng.randint(120, 3 * 3600)
    )


def awake(rng: random.Random, moment: datetime) -> datetime:
    """The moment itself by day, else some time in the morning."""
    if moment.hour >= 6:
        return moment
    return moment.replace(hour=6, minute=0, second=0) + timedelta(
        seconds=rng.randint(600, 4 * 3600)
    )


def squeezed(rng: random.Random, times: list[datetime], end: datetime) -> list[datetime]:
    """The same order, pressed together where the last moment lies behind `end`."""
    if times[-1] <= end:
        return times
    end = min(
        end,
        max(
            end - timedelta(seconds=rng.randint(300, 4 * 3600)),
            times[0] + timedelta(minutes=10 * len(times)),
        ),
    )
    first, span = times[0], (times[-1] - times[0]).total_seconds()
    room = max((end - first).total_seconds(), len(times))
    return [
        first + timedelta(seconds=int((moment - first).total_seconds() / span * room))
        for moment in times
    ]
