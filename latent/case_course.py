"""The course of one case: who says what when, who owns it when, and when it is closed.

Puts a dialogue (`latent.dialogue`) on a clock (`latent.clockwork`). Knows one case at a time and
no table's layout.
"""

import random
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from latent.clockwork import chat_times, email_times
from latent.dialogue import AGENT, Plot, Turn, chat, thread
from pipeline.world.org import Org
from pipeline.world.streams import text_stream
from pipeline.world.tables import Table

# An e-mail case takes 30 hours of work and waiting in the middle, log-normal around it, times its
# pace; one that is still open has been going on for longer; none takes less than 24 minutes.
# Nights, weekends and silences (`latent.clockwork`) make that some three days. Chosen by eye: a
# small service desk.
USUAL_HOURS = 30.0
HOURS_SIGMA = 0.55
OPEN_FACTOR = 2.5
FEWEST_HOURS = 0.4

# A transfer happens in the first tenth to seven tenths of the time between the last mail of the
# agent before and the first of the next: the new owner still has to read into the case.
TRANSFER_SHARES = (0.1, 0.7)

LAST_SECOND = time(23, 59, 59)


@dataclass(frozen=True, slots=True)
class CaseCourse:
    """One case as it happened.

    `times` has a moment for each turn, `assigned` one for each agent; `closed` is None for a case
    that is still open.
    """

    case: int
    agents: tuple[int, ...]
    turns: tuple[Turn, ...]
    times: tuple[datetime, ...]
    assigned: tuple[datetime, ...]
    closed: datetime | None


@dataclass(frozen=True, slots=True)
class CaseFrame:
    """What is decided of a case before its course: its agents, messages, pace and state."""

    case: int
    agents: tuple[int, ...]
    closed: bool
    messages: int
    pace: float


def course_of(org: Org, cases: Table, frame: CaseFrame) -> CaseCourse:
    """The course of the case in one row of `ComplaintHabit.cases`."""
    setting = org.setting
    case = frame.case
    rng = text_stream(setting.seed, setting.salted("CaseStory"), str(case))
    plot = _plot(org, cases, case, len(frame.agents) - 1)
    created: datetime = cases["created"][case].astype("datetime64[s]").item()
    if cases["channel"][case] == "chat":
        turns = chat(rng, plot)
        times = chat_times(rng, created, len(turns), frame.pace)
    else:
        turns = thread(rng, plot, frame.messages)
        times = _thread_times(rng, org, frame, created, turns)
    return CaseCourse(
        case=case,
        agents=frame.agents,
        turns=tuple(turns),
        times=tuple(times),
        assigned=tuple(assigned(rng, len(frame.agents), turns, times, created)),
        closed=times[-1] if frame.closed else None,
    )


def _plot(
    org: Org,
    cases: Table,
    case: int,
    transfers: int,
) -> Plot:
    outcomes = org.table("PolicyViolation.outcomes")
    issues = org.table("Solution.issues")
    topics = str(issues["topics"][cases["issue"][case]])
    return Plot(
        ending=str(outcomes["ending"][case]),
        wish=str(outcomes["wish"][case]),
        verbosity=str(cases["verbosity"][case]),
        transfers=transfers,
        topics=tuple(topics.split(",")),
    )


def _thread_times(
    rng: random.Random,
    org: Org,
    frame: CaseFrame,
    created: datetime,
    turns: list[Turn],
) -> list[datetime]:
    drawn = rng.lognormvariate(0.0, HOURS_SIGMA) * USUAL_HOURS * frame.pace
    hours = max(drawn * (1.0 if frame.closed else OPEN_FACTOR), FEWEST_HOURS)
    end = datetime.combine(org.setting.profile.period.end, LAST_SECOND)
    from_agent = [turn.speaker == AGENT for turn in turns]
    patient = ["c.followup" in turn.beats for turn in turns]
    return email_times(rng, created, hours, from_agent, patient, end)


def assigned(
    rng: random.Random,
    agents: int,
    turns: list[Turn],
    times: list[datetime],
    created: datetime,
) -> list[datetime]:
    """When each of the agents became the owner.

    The first at creation, each next one between the last turn of those before and their own first.
    """
    moments = [created]
    spoken = [place for place, turn in enumerate(turns) if turn.speaker == AGENT]
    for step in range(1, agents):
        before = [times[place] for place in spoken if turns[place].step < step]
        after = [times[place] for place in spoken if turns[place].step >= step]
        low = max(moments[-1], before[-1] if before else created)
        high = after[0] if after else times[-1]
        span = max(int((high - low).total_seconds()), 2)
        wait = int(span * rng.uniform(*TRANSFER_SHARES))
        # Strictly between both turns, by a second at least.
        wait = min(max(wait, 1), span - 1)
        moments.append(low + timedelta(seconds=wait))
    return moments
