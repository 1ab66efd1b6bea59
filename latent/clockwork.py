"""When the messages of a case are sent: a clock for e-mail threads and one for chats.

Agents answer within their shifts (`latent.work_calendar`), customers don't write at night, and
nothing is sent after the period. Works on moments of one case at a time, as seconds since 1970 in
UTC; knows no words and no tables.

All bounds here are chosen by eye, so that threads read like those of a small service desk.
"""

import random
from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from latent.local_time import local_of, utc_of
from latent.work_calendar import HOUR, WorkCalendar, moment_of, seconds_of

WAKE_HOUR = 6  # customers write at any hour but before this one
WAKE_SECONDS = (600, 4 * HOUR)  # how long after WAKE_HOUR they write instead

# Gaps between e-mails before they are scaled: gamma with the mean 1, so that most are short and a
# few long. An agent's later answers take an hour and a half of work, a customer's as much of life;
# both are scaled by the case's pace. Nights and shifts make days of them.
GAP_SHAPE = 1.3
AGENT_HOURS = 1.5
CUSTOMER_HOURS = 1.6
# A slow case is slow at the desk: hardly anybody says thanks three weeks later. By eye.
LONGEST_ANSWER_HOURS = 240.0

# The first answer is log-normal around the trade's `answer_hours`.
FIRST_SIGMA = 0.5

REPLY_SECONDS = (120, 1500)  # nobody reads and answers a mail in less
QUEUE_SECONDS = (1200, 6000)  # and nobody takes one from the queue sooner: others came before it
# After how many hours of silence people ask for news: log-normal, half of them within two days, and
# nobody within most of a day. By eye.
FOLLOW_UP_HOURS, FOLLOW_UP_SIGMA, SOONEST_FOLLOW_UP = 40.0, 0.55, 20.0
# Who would write sooner does so some time of the next day, up to so many times as late: were it the
# soonest for all, many would wait just as long, to the second.
SOON_AFTER = 1.5

# Who adds something to the own mail does so within minutes or by the evening: log-normal around
# forty minutes. A working day that somebody else takes is seven hours of a calendar.
SOON_SECONDS = 2400.0
SOON_SIGMA = 1.0
HOURS_A_DAY = 7
# Who follows up on an own mail has named the day: no case is so slow that weeks go by with nobody
# but the agent to write. By eye.
SLOWEST_FOLLOW_UP = 1.3
# Who is asked elsewhere is no quicker than that, however quick the agent: nobody has read a case
# and decided it within an hour or two, where a day or two was announced. By eye.
QUICKEST_ELSEWHERE = 0.6

# Waiting for a chat: four in ten are taken at once, the others log-normal around a bit more than a
# minute, more where the desk is loaded. Nobody waits for more than half an hour.
TAKEN_AT_ONCE = 0.4
AT_ONCE_SECONDS = (3, 26)
WAIT_MEDIAN = 75.0
WAIT_SIGMA = 0.95
LONGEST_WAIT = 1800
CHAT_PACES = (0.75, 1.5)  # a chat's pace varies less than a thread's: both sides are waiting

# What a chat's pauses are made of: reading what the other side wrote, and typing. People read some
# 240 words a minute; agents type, or take from their texts, faster than customers. What somebody
# looks up takes a while besides. Chosen by eye after figures of typing tests.
WORDS_READ_A_SECOND = 4.0
AGENTS_WORDS_A_MINUTE = 31
START_SECONDS = (2, 8)
SAME_SIDE_SECONDS = (1, 5)
TYPING_SIGMA = 0.22
LOOKING_UP_SECONDS = (18, 60)

# Nobody does nothing else: agents have other chats open, customers a door bell or a child. So
# many lines wait for that, and so long. And what an agent keeps as a text takes no typing. By eye:
# a visitor who answers every question within a quarter of a minute is a script.
ELSEWHERE = {True: 0.05, False: 0.1}
ELSEWHERE_SECONDS = (12, 60)
CANNED = 0.5

# What is announced takes its time: whoever asks a visitor to hold on is back after so long. And a
# visitor who sees that somebody has come types the first line then, or has it ready. By eye.
ANNOUNCED_SECONDS = (40, 120)
FIRST_LINE_SECONDS = (4, 15)
LONGEST_FIRST_LINE = 40

# Nobody gets a manager's word in less, or another desk's, while a visitor waits. By eye.
ASKING_SECONDS = (80, 260)

# Whoever comes into a chat reads what stands there first. Nobody asks whether somebody is still
# there, or goes on without them, before a silence of a minute or more. Chosen by eye.
JOINING_SECONDS = (3, 30)
SILENCE_SECONDS = (60, 150)

# A chat stays open a little after its last line; where the visitor fell silent, the window waits
# for as long as chat tools are set to. Chosen by eye.
LINGERING_SECONDS = (15, 180)
IDLE_SECONDS = (180, 600)

# Where a thread would run past a bound, it is drawn at half the pace, several times if need be;
# what even then has no room is pressed together, at so many minutes a message if possible.
HASTE = 0.5
MOST_HASTE = 6
LAST_SECONDS = (300, 4 * HOUR)
MINUTES_A_MESSAGE = 10


@dataclass(frozen=True, slots=True)
class MailSender:
    """Who sends a message: the step of an agent, or None for the customer.

    A `patient` customer writes after a silence of most of a day: nobody asks for news within the
    hour. Who writes `soon` adds something to the own mail. An agent may have waited some working
    `days` for somebody else.
    """

    step: int | None
    patient: bool = False
    soon: bool = False
    days: int = 0


@dataclass(frozen=True, slots=True)
class ThreadClock:
    """What the times of a thread hang on.

    Attributes:
        created: when the first mail came.
        first_hours: the working hours to the first answer.
        pace: by how much all later gaps are longer than usual.
        calendars: when each of the case's agents works, in order.
        leaves: until when each of them is there.
        zone: where the customer lives.
        end: the last moment at which anything may be sent.
        load: how many mails wait in the queue, against a usual day.
    """

    created: int
    first_hours: float
    pace: float
    calendars: tuple[WorkCalendar, ...]
    leaves: tuple[int, ...]
    zone: ZoneInfo
    end: int
    load: float = 1.0


def email_times(rng: random.Random, clock: ThreadClock, senders: list[MailSender]) -> list[int]:
    """One moment for each message, strictly rising, none behind the end; the first is `created`.

    Agents send in their shifts and while they are there, as far as there is room.
    """
    seconds = [_seconds(rng, clock, senders, place) for place in range(1, len(senders))]
    for _ in range(MOST_HASTE):
        times = _times(rng, clock, senders, seconds)
        late, bound = _first_late(clock, senders, times)
        if late == len(times):
            return times
        # Only what comes before it is hastened: who leaves hurries, the next one doesn't.
        hastened = [gap * HASTE for gap in seconds[:late]]
        seconds = hastened + seconds[late:]
    return squeezed(rng, times, min(bound, clock.end))


def _seconds(
    rng: random.Random,
    clock: ThreadClock,
    senders: list[MailSender],
    place: int,
) -> float:
    """How long a message is waited for: working time for an agent's, time for a customer's."""
    sender = senders[place]
    drawn = rng.gammavariate(GAP_SHAPE, 1.0 / GAP_SHAPE)
    if sender.soon:
        return rng.lognormvariate(0.0, SOON_SIGMA) * SOON_SECONDS
    if sender.step is None:
        waited = drawn * CUSTOMER_HOURS * clock.pace
        return min(waited, LONGEST_ANSWER_HOURS * rng.uniform(0.5, 1.0)) * HOUR
    if place == 1:
        # What is handed on unanswered waits in the queue of everybody who has it.
        return clock.first_hours * (1 + sender.step) * HOUR
    is_new = all(sender.step != before.step for before in senders[:place])
    # Who takes a case over has a queue of their own; who is reminded takes the mail next.
    reminded = all(before.step is None for before in senders[:place])
    waiting = drawn * clock.first_hours if is_new and not reminded else 0.0
    follows_own = senders[place - 1].step == sender.step
    pace = min(clock.pace, SLOWEST_FOLLOW_UP) if follows_own else clock.pace
    elsewhere = sender.days * HOURS_A_DAY * max(pace, QUICKEST_ELSEWHERE)
    return (drawn * AGENT_HOURS * pace + elsewhere + waiting) * HOUR


def _times(
    rng: random.Random,
    clock: ThreadClock,
    senders: list[MailSender],
    seconds: list[float],
) -> list[int]:
    times = [clock.created]
    for place, (sender, gap) in enumerate(zip(senders[1:], seconds, strict=True)):
        least = rng.uniform(*REPLY_SECONDS)
        if place == 0:
            least = rng.uniform(*QUEUE_SECONDS) * clock.load
        if sender.step is not None:
            times.append(clock.calendars[sender.step].after(times[-1], max(gap, least)))
            continue
        if sender.patient and not sender.soon:
            waited = rng.lognormvariate(0.0, FOLLOW_UP_SIGMA) * FOLLOW_UP_HOURS
            if waited < SOONEST_FOLLOW_UP:
                waited = SOONEST_FOLLOW_UP * rng.uniform(1.0, SOON_AFTER)
            least = waited * HOUR
        times.append(awake(rng, times[-1] + round(max(gap, least)), clock.zone))
    return times


def _first_late(clock: ThreadClock, senders: list[MailSender], times: list[int]) -> tuple[int, int]:
    """The first message behind a bound, and the bound: its agent's last day, or the end.

    The number of messages where none is late.
    """
    for place, (sender, moment) in enumerate(zip(senders, times, strict=True)):
        if sender.step is not None and moment > clock.leaves[sender.step]:
            return place, clock.leaves[sender.step]
        if moment > clock.end:
            return place, clock.end
    return len(times), clock.end


def chat_wait(rng: random.Random, load: float) -> int:
    """The seconds from the request for a chat until somebody comes; `load` is 1 on a usual day."""
    if rng.random() < TAKEN_AT_ONCE / load:
        return rng.randint(*AT_ONCE_SECONDS)
    waited = round(rng.lognormvariate(0.0, WAIT_SIGMA) * WAIT_MEDIAN * load)
    at_once, soon = AT_ONCE_SECONDS
    # A short wait is any short one: were all raised to the same, it would be the commonest.
    return min(waited, LONGEST_WAIT) if waited > soon else rng.randint(at_once, soon)


@dataclass(frozen=True, slots=True)
class ChatPause:
    """What a line of a chat waits for.

    Attributes:
        agent: whether an agent sends it.
        words: how many it has, about.
        goes_on: whether the same side sent the line before.
        looks_up: whether somebody looks something up first.
        joins: whether it is the first line of somebody who comes into the chat.
        in_vain: whether its writer has waited for an answer in vain.
        announced: whether its writer has asked to be waited for.
        asked_around: whether its writer has asked somebody else in the meantime.
        canned: whether its writer has it as a text at hand.
    """

    agent: bool
    words: int
    goes_on: bool = False
    looks_up: bool = False
    joins: bool = False
    in_vain: bool = False
    announced: bool = False
    asked_around: bool = False
    canned: bool = False


def first_line(rng: random.Random, line: ChatPause, typing: float) -> int:
    """The seconds from an agent's coming to the first line of a chat."""
    typed = 0.0 if line.agent else 60.0 * line.words / typing
    return min(round(rng.uniform(*FIRST_LINE_SECONDS) + typed), LONGEST_FIRST_LINE)


def chat_times(
    rng: random.Random,
    first: int,
    lines: list[ChatPause],
    pace: float,
    typing: float,
) -> list[int]:
    """A moment for each line of a chat, the first given; `typing` is the customer's words a minute.

    Each line comes after its writer has read what came before and typed it.
    """
    factor = min(max(pace, min(CHAT_PACES)), max(CHAT_PACES))
    times = [first]
    for before, line in zip(lines, lines[1:], strict=False):
        a_minute = AGENTS_WORDS_A_MINUTE if line.agent else typing
        typed = 60.0 * line.words / a_minute * rng.lognormvariate(0.0, TYPING_SIGMA)
        typed *= CANNED if line.canned else 1.0
        starts = rng.uniform(*SAME_SIDE_SECONDS if line.goes_on else START_SECONDS)
        read = 0.0 if line.goes_on else before.words / WORDS_READ_A_SECOND
        seconds = (typed + starts + read) * factor + _more_seconds(rng, line)
        times.append(times[-1] + max(round(seconds), 1))
    return times


def _more_seconds(rng: random.Random, line: ChatPause) -> float:
    """What a line of a chat takes besides reading and typing."""
    seconds = 0.0
    if rng.random() < ELSEWHERE[line.agent]:
        seconds += rng.uniform(*ELSEWHERE_SECONDS)
    if line.looks_up:
        seconds += rng.uniform(*LOOKING_UP_SECONDS)
    if line.joins:
        seconds += rng.uniform(*JOINING_SECONDS)
    if line.in_vain:
        seconds += rng.uniform(*SILENCE_SECONDS)
    if line.asked_around:
        seconds += rng.uniform(*ASKING_SECONDS)
    if line.announced:
        seconds += rng.uniform(*ANNOUNCED_SECONDS)
    return seconds


def chat_end(rng: random.Random, last: int, bound: int, idle: bool) -> int:
    """When a chat whose last line stands at `last` is over, at the bound at the latest.

    `idle` says that the visitor fell silent, whom the window waits for.
    """
    lingers = rng.randint(*(IDLE_SECONDS if idle else LINGERING_SECONDS))
    return max(last, min(last + lingers, bound))


def awake(rng: random.Random, moment: int, zone: ZoneInfo) -> int:
    """The moment itself by the customer's day, else some time in the same morning."""
    local = local_of(moment_of(moment), zone)
    if local.hour >= WAKE_HOUR:
        return moment
    morning = local.replace(hour=WAKE_HOUR, minute=0, second=0)
    later = morning + timedelta(seconds=rng.randint(*WAKE_SECONDS))
    return seconds_of(utc_of(later, zone))


def squeezed(rng: random.Random, times: list[int], end: int) -> list[int]:
    """The same order, pressed together where the last moment lies behind `end`."""
    if times[-1] <= end:
        return times
    first = times[0]
    wished = end - rng.randint(*LAST_SECONDS)
    earliest = first + MINUTES_A_MESSAGE * 60 * len(times)
    last = min(end, max(wished, earliest))
    span = times[-1] - first
    # At least a second a message: where no room is left, order counts for more than the end.
    room = max(last - first, len(times))
    pressed = [first]
    for moment in times[1:]:
        pressed.append(max(first + int((moment - first) / span * room), pressed[-1] + 1))
    return pressed
