"""The course of one case: who says what when, who owns it when, and when it is closed.

Puts a dialogue (`latent.dialogue`) on a clock (`latent.clockwork`). Knows one case at a time and
no table's layout.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from latent.chat_dialogue import chat
from latent.clockwork import (
    FIRST_SIGMA,
    QUEUE_SECONDS,
    ChatPause,
    MailSender,
    ThreadClock,
    chat_end,
    chat_times,
    chat_wait,
    email_times,
    first_line,
)
from latent.crossing import crossed
from latent.delays import with_delays
from latent.dialogue import AGENT, BY_NOBODY, CUSTOMER, WELCOMES, Plot, Turn
from latent.enquiry import enquiry_chat, enquiry_thread
from latent.greetings import greeted_twice
from latent.mail_dialogue import thread
from latent.policy_terms import with_terms
from latent.unsaid import without_asides
from latent.wordiness import usual_words
from latent.work_calendar import HOUR, WorkCalendar, moment_of
from pipeline.world.streams import text_stream

# How much longer than usual the waits of a case are, log-normal around its pace; those of one that
# is still open have been longer. Chosen by eye: half of the e-mail cases take two days, a third is
# closed within one and some take a month; in logarithms both sides are about alike.
PACE_SIGMA = 0.75
OPEN_FACTOR = 2.0

# In one case of ten somebody waits for a third party, or the matter is forgotten for a while:
# each of its waits is eight times as long. Chosen by eye, for the tail of weeks that desks have.
STUCK = 0.1
STUCK_FACTOR = 8.0

# Whoever takes a mail from the queue answers it then and there or a little later: it is taken after
# so much of the wait for the first answer.
ACCEPTED_AFTER = (0.35, 0.97)

# Whoever answers at once has read the mail for a minute or some. Chosen by eye.
READING_SECONDS = (60, 900)

# A transfer happens in the first tenth to seven tenths of the time between the last mail of the
# agent before and the first of the next: the new owner still has to read into the case. It is made
# by the agent before within two hours of work, where there is room.
TRANSFER_SHARES = (0.1, 0.7)
TRANSFER_SECONDS = (300, 2 * HOUR)

# Most agents who send the last mail close the case with it, a little fewer where it is their first
# answer: desks count what is settled by one answer. The others leave it open, most of them until
# the next day, some for a week, in case there is another question; after a customer's thanks it is
# closed within the hour as a rule. Chosen by eye.
CLOSED_WITH_LAST = 0.86
CLOSED_WITH_FIRST = 0.85
LEFT_OPEN_SECONDS = 8.0 * HOUR
LEFT_OPEN_SIGMA = 1.3
CLOSING_SECONDS = 1800.0
CLOSING_SIGMA = 1.0
LEAST_LEFT_OPEN = 24 * HOUR
LONGEST_LEFT_OPEN = 168 * HOUR
OPEN_ENDED = ("a.alternative", "a.offer.open", "issue.ask", "issue.clarify")
"""Acts that ask for an answer: a case is never closed with the mail that has one of them."""

PATIENT = ("c.chase", "c.back.nothing")
"""Acts of who has waited: nobody asks where it is within the hour."""

# One chat of ten is over before all is done: the case stays open until the agent has seen to the
# rest, log-normal around five hours of work. Chosen by eye.
DONE_LATER = 0.1
LATER_SECONDS = 5.0 * HOUR
LATER_SIGMA = 1.1

# A look at a mail that is meant for nobody; chosen by eye.
GLANCE_SECONDS = (15, 120)
# What is no customer's mail by its subject is left until others are answered. By eye.
SWEPT_LATER = 2.5


@dataclass(frozen=True, slots=True)
class CaseCourse:
    """One case as it happened.

    `times` has a moment for each turn, `assigned` one for each agent; `accepted` is when the first
    agent took it from the queue; `closed` is None for a case that is still open, and `over` is when
    its chat ended, None where there was none. `decided_by` says
    whether an answer, a file or a record decided the outcome, as far as the conversation shows.
    """

    case: int
    agents: tuple[int, ...]
    turns: tuple[Turn, ...]
    times: tuple[datetime, ...]
    assigned: tuple[datetime, ...]
    accepted: datetime
    closed: datetime | None
    decided_by: str = BY_NOBODY
    over: datetime | None = None


@dataclass(frozen=True, slots=True)
class CaseFrame:
    """What is decided of a case before its course.

    Attributes:
        case: its row.
        created: when it was (seconds since 1970).
        chats, complains: whether it is a chat, and whether it is a complaint.
        agents: those who have it, in order.
        calendars, leaves: when each of them works, and until when (seconds since 1970).
        zone: where the customer lives.
        closed: whether it is closed when the period ends.
        messages: how many mails it has.
        pace: how much longer than usual it takes, and `first_hours` how many working hours pass
            before it is answered.
        load: how loaded the desk is; 1 is usual.
        end: the last second at which anything is said or done, and `last_second` the period's.
        silence: the seconds without a mail after which it is closed by itself; 0 for others.
        stranger: whether it comes from nobody whom the company knows.
        plot: what decides the conversation's course.
        typing: how many words a minute the customer types.
        terms: how many terms of policies the agent tells.
    """

    case: int
    created: int
    chats: bool
    complains: bool
    agents: tuple[int, ...]
    calendars: tuple[WorkCalendar, ...]
    leaves: tuple[int, ...]
    zone: ZoneInfo
    closed: bool
    messages: int
    pace: float
    first_hours: float
    load: float
    end: int
    last_second: int
    silence: int
    stranger: bool
    plot: Plot
    typing: float
    terms: int


@dataclass(frozen=True, slots=True)
class CourseDesk:
    """What the courses of many cases take: the seed, the name of their streams' node, and when each
    agent works.
    """

    seed: int
    node: str
    calendars: Mapping[int, WorkCalendar]


def courses_of(desk: CourseDesk, frames: Sequence[CaseFrame]) -> list[CaseCourse]:
    """The course of each case. Equal turns are one object: of millions few thousands are different
    ones.
    """
    known: dict[Turn, Turn] = {}
    courses = []
    for bare in frames:
        calendars = tuple(desk.calendars[agent] for agent in bare.agents)
        course = course_of(desk, replace(bare, calendars=calendars))
        turns = tuple(known.setdefault(turn, turn) for turn in course.turns)
        courses.append(replace(course, turns=turns))
    return courses


def course_of(desk: CourseDesk, frame: CaseFrame) -> CaseCourse:
    """The course of a case."""
    rng = text_stream(desk.seed, desk.node, str(frame.case))
    created = frame.created
    if frame.chats:
        crossings = text_stream(desk.seed, desk.node, f"crossings|{frame.case}")
        return _chat_course(rng, crossings, frame, created)
    if frame.stranger:
        return _dropped(rng, frame, created)
    decided_by = BY_NOBODY
    if frame.complains:
        turns, decided_by = thread(rng, frame.plot, frame.messages)
        turns = without_asides(rng, with_terms(turns, frame.terms))
    else:
        turns = enquiry_thread(rng, frame.plot, frame.messages)
    # What is said does not move the clock: both have streams of their own.
    clock = text_stream(desk.seed, desk.node, f"clock|{frame.case}")
    times = _thread_times(clock, frame, created, turns)
    turns = with_delays(rng, turns, times, frame.plot.tone)
    turns = greeted_twice(turns, times)
    moments = assigned(
        rng,
        len(frame.agents),
        turns,
        times,
        created,
        frame.calendars,
    )
    accepted = _accepted(rng, frame, turns, times, moments)
    closed = _closing(rng, frame, turns, times)
    return _course(
        frame,
        turns,
        decided_by,
        times,
        moments,
        accepted,
        closed,
    )


def _chat_course(
    rng: random.Random,
    crossings: random.Random,
    frame: CaseFrame,
    created: int,
) -> CaseCourse:
    decided_by = BY_NOBODY
    if frame.complains:
        turns, decided_by = chat(rng, frame.plot)
        turns = without_asides(rng, with_terms(turns, frame.terms))
    else:
        turns = enquiry_chat(rng, frame.plot)
    turns = crossed(crossings, turns)
    joined = created + chat_wait(rng, frame.load)
    if joined - created > LONG_WAIT:
        turns = _apologised(turns)
    pauses = chat_pauses(turns)
    first = joined + first_line(rng, pauses[0], frame.typing)
    times = chat_times(rng, first, pauses, frame.pace, frame.typing)
    moments = assigned(
        rng,
        len(frame.agents),
        turns,
        times,
        created,
        taken=joined,
    )
    idle = any(GONE in turn.beats for turn in turns)
    over = chat_end(rng, times[-1], min(frame.end, frame.leaves[-1]), idle)
    closed = _done_later(rng, frame, over)
    course = _course(
        frame,
        turns,
        decided_by,
        times,
        moments,
        joined,
        closed,
    )
    return replace(course, over=moment_of(over))


def _done_later(
    rng: random.Random,
    frame: CaseFrame,
    over: int,
) -> int:
    """When a chat's case is closed: with the chat, or when the agent has done the rest."""
    if rng.random() >= DONE_LATER:
        return over
    wait = rng.lognormvariate(0.0, LATER_SIGMA) * LATER_SECONDS
    closed = frame.calendars[-1].after(over, wait)
    return closed if closed <= min(frame.end, frame.leaves[-1]) else over


# By these an agent asks for a visitor who has fallen silent, and goes on without them.
GONE = "a.gone"
LEFT = "a.left"
CLOSING = "a.closing"
# And by this the visitor asks for an agent who looks something up.
STILL_THERE = "c.there"

# Who has waited longer than this for an agent hears that they are sorry. Chosen by eye.
LONG_WAIT = 180  # seconds

# By these an agent asks a visitor to hold on.
HOLDS = ("a.hold", "a.step.")

# What agents keep as texts and send by two keys.
KEPT_AS_TEXTS = ("a.hello", "a.welcome", "a.hold", "a.else", "a.bye")

# What an agent says who has asked somebody else: a manager, or other desks.
ASKED = frozenset({"a.asked", "a.asked_around"})

# What an agent comes back with has taken its time.
LOOKED_UP = (
    "a.hold.on",
    "a.found",
    "a.looked",
    "a.asked_around",
    "a.wrong",
    "c.order.found",
    "c.evidence",
    "c.test",
)


def _apologised(turns: list[Turn]) -> list[Turn]:
    """The lines of a chat whose agent is sorry, in the greeting, that it took so long.

    Nobody is sorry for something else in the same breath.
    """
    told = list(turns)
    if WELCOMES in told[0].beats:
        told[0] = replace(told[0], beats=("a.hello", "a.sorry_wait", "a.help"))
        return told
    for place, turn in enumerate(told):
        if "a.hello" in turn.beats:
            after = turn.beats.index("a.hello") + 1
            rest = [beat for beat in turn.beats[after:] if beat not in ("a.ack", "a.ack.open")]
            beats = (*turn.beats[:after], "a.sorry_wait", *rest)
            told[place] = replace(turn, beats=beats)
            break
    return told


def chat_pauses(turns: list[Turn]) -> list[ChatPause]:
    """What each line of a chat waits for."""
    pauses = []
    before = ""
    # The first agent was there before anything was typed.
    present = next((turn.step for turn in turns if turn.speaker == AGENT), 0)
    held = told = False
    for turn in turns:
        is_agent = turn.speaker == AGENT
        # What crosses the other side's line was being typed when that came.
        goes_on = turn.speaker == before or turn.soon
        pause = ChatPause(
            agent=is_agent,
            words=usual_words(turn.beats),
            goes_on=goes_on,
            looks_up=any(beat.startswith(LOOKED_UP) for beat in turn.beats) or (is_agent and told),
            asked_around=not ASKED.isdisjoint(turn.beats),
            canned=all(beat.startswith(KEPT_AS_TEXTS) for beat in turn.beats),
            joins=is_agent and turn.step != present,
            in_vain=turn.beats[0] in (GONE, LEFT, CLOSING, STILL_THERE),
            # Who needs still longer says so before the announced time is over.
            announced=is_agent and held and "a.hold.on" not in turn.beats,
        )
        pauses.append(pause)
        before = turn.speaker
        # With a number an agent looks somebody up.
        told = any(beat.startswith("c.order.found") for beat in turn.beats)
        if turn.beats[0] == STILL_THERE:
            held = False
        if is_agent:
            present = turn.step
            # Who asks something while they look is still looking.
            asks = goes_on and held and turn.beats[0].startswith("issue.ask.")
            held = asks or any(beat.startswith(HOLDS) for beat in turn.beats)
    return pauses


def _dropped(rng: random.Random, frame: CaseFrame, created: int) -> CaseCourse:
    """A stranger's mail: whoever takes it from the queue sees what it is, and closes it."""
    wait = rng.lognormvariate(0.0, FIRST_SIGMA) * frame.first_hours * SWEPT_LATER * HOUR
    wait = max(wait, rng.uniform(*QUEUE_SECONDS) * frame.load)
    taken = min(frame.calendars[0].after(created, wait), frame.end - GLANCE_SECONDS[1])
    taken = max(taken, created + 1)
    closed = taken + rng.randint(*GLANCE_SECONDS)
    turns = [Turn(CUSTOMER, 0, ("issue.request", "c.sign.stranger"))]
    moments = assigned(rng, len(frame.agents), turns, [created], created)
    return _course(
        frame,
        turns,
        BY_NOBODY,
        [created],
        moments,
        taken,
        closed,
    )


def _course(
    frame: CaseFrame,
    turns: list[Turn],
    decided_by: str,
    times: list[int],
    moments: list[int],
    accepted: int,
    closed: int,
) -> CaseCourse:
    return CaseCourse(
        case=frame.case,
        agents=frame.agents,
        turns=tuple(turns),
        times=tuple(moment_of(moment) for moment in times),
        assigned=tuple(moment_of(moment) for moment in moments),
        accepted=moment_of(accepted),
        closed=moment_of(closed) if frame.closed else None,
        decided_by=decided_by,
    )


def _thread_times(
    rng: random.Random,
    frame: CaseFrame,
    created: int,
    turns: list[Turn],
) -> list[int]:
    drawn = rng.lognormvariate(0.0, PACE_SIGMA) * frame.pace
    drawn *= STUCK_FACTOR if rng.random() < STUCK else 1.0
    clock = ThreadClock(
        created=created,
        first_hours=rng.lognormvariate(0.0, FIRST_SIGMA) * frame.first_hours,
        pace=drawn * (1.0 if frame.closed else OPEN_FACTOR),
        calendars=frame.calendars,
        # The silence before a close has to fit in too.
        leaves=tuple(leave - frame.silence for leave in frame.leaves),
        zone=frame.zone,
        end=frame.end - frame.silence,
        load=frame.load,
    )
    senders = []
    for turn in turns:
        step = turn.step if turn.speaker == AGENT else None
        chases = any(beat.startswith(PATIENT) for beat in turn.beats)
        senders.append(MailSender(step, chases, turn.soon, turn.days))
    return email_times(rng, clock, senders)


def _accepted(
    rng: random.Random,
    frame: CaseFrame,
    turns: list[Turn],
    times: list[int],
    moments: list[int],
) -> int:
    """When the first agent took the case from the queue: in their shift, before their own mail.

    Where the shift has no other moment, minutes before that mail or before handing the case on.
    """
    share = rng.uniform(*ACCEPTED_AFTER)
    answers = [moment for turn, moment in zip(turns, times, strict=True) if turn.speaker == AGENT]
    bound = min([*answers[:1], *moments[1:2], frame.end])
    wait = (bound - times[0]) * share
    # Working time passes slower than time: the moment in the shift is looked for from the start.
    taken = frame.calendars[0].after(times[0] + int(wait * share), rng.uniform(*TRANSFER_SECONDS))
    if taken < bound:
        return taken
    read = rng.uniform(*READING_SECONDS)
    return max(bound - int(read), times[0] + int(wait))


def _closing(
    rng: random.Random,
    frame: CaseFrame,
    turns: list[Turn],
    times: list[int],
) -> int:
    """When a case is closed: with the last mail, or minutes to three days later.

    Where the customer never replies, after the days that the desk waits for it.
    """
    last = times[-1]
    if frame.silence:
        return last + frame.silence
    if turns[-1].speaker == AGENT:
        asks = any(beat.startswith(OPEN_ENDED) for beat in turns[-1].beats)
        answered_before = any(turn.speaker == AGENT for turn in turns[:-1])
        share = CLOSED_WITH_LAST if answered_before else CLOSED_WITH_FIRST
        if rng.random() < share and not asks:
            return last
        drawn = rng.lognormvariate(0.0, LEFT_OPEN_SIGMA) * LEFT_OPEN_SECONDS
        # The customer has a day at least to write again; nobody closes cases by the stroke of the
        # clock.
        left_open = LEAST_LEFT_OPEN + round(drawn)
        closed = frame.calendars[-1].after(last + left_open, rng.uniform(*TRANSFER_SECONDS))
    else:
        seconds = rng.lognormvariate(0.0, CLOSING_SIGMA) * CLOSING_SECONDS
        closed = frame.calendars[-1].after(last, seconds)
    # Where nobody works in time, the case closes by itself.
    closed = min(closed, last + LONGEST_LEFT_OPEN)
    bound = min(frame.end, frame.leaves[-1])
    return closed if closed <= bound else last


def assigned(
    rng: random.Random,
    agents: int,
    turns: list[Turn],
    times: list[int],
    created: int,
    calendars: tuple[WorkCalendar, ...] = (),
    taken: int = 0,
) -> list[int]:
    """When each of the agents became the owner.

    The first at creation, each next one between the last turn of those before and their own first;
    with calendars while the agent before is at work, if there is such a moment. Nobody passes on
    what has not been `taken` from the queue yet, where that moment is known.
    """
    moments = [created]
    spoken = [place for place, turn in enumerate(turns) if turn.speaker == AGENT]
    for step in range(1, agents):
        before = [times[place] for place in spoken if turns[place].step < step]
        after = [times[place] for place in spoken if turns[place].step >= step]
        low = max(moments[-1], before[-1] if before else created, taken)
        high = after[0] if after else times[-1]
        span = max(high - low, 2)
        wait = int(span * rng.uniform(*TRANSFER_SHARES))
        # Strictly between both turns, by a second at least.
        moment = low + min(max(wait, 1), span - 1)
        if calendars:
            at_work = calendars[step - 1].after(low, rng.uniform(*TRANSFER_SECONDS))
            moment = at_work if low < at_work < high else moment
        moments.append(moment)
    return moments
