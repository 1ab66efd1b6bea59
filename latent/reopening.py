"""Reopening: closed threads that were closed once before, until the customer wrote again.

It draws `cases` (how often each was reopened, when it was closed first, when it was reopened) and
`events` (case, moment closed, moment reopened, the agent who had closed it).
It is drawn from CaseStory (who wrote when) and ComplaintHabit (tone).
It drives the fields of a case that tell of it; what was said stays as it was, for the first close
lies between an agent's mail and the customer's answer to it.
It knows no words.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latent.case_course import OPEN_ENDED
from latent.draws import exactly
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# Who is refused writes again, who got something else than they asked for does so too, and who is
# angry: so many times as often as others. Chosen by eye.
REFUSED = {"declined": 9.0, "granted_other": 5.0}
ANGRY = 2.0
# Hardly ever does an agent close what still waits for somebody. Chosen by eye.
BY_MISTAKE = 0.005
LEFT_OPEN = (
    *OPEN_ENDED,
    "a.identify",
    "a.ask_order",
    "a.evidence",
    "a.wrong",
    "a.wait",
    "a.still",
    "a.step.",
    "a.transfer",
)

# An agent closes a case in the first tenth to seven tenths of the time until the customer answers,
# within three days of the own mail. Chosen by eye.
CLOSES_AT = (0.1, 0.7)
LONGEST_WAIT = np.timedelta64(3, "D")

REFUSED_AND_REOPENED = """
    SELECT s.ending IN ('declined', 'granted_other'), c.Reopened__c
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.IsClosed AND s.channel = 'email'
"""


@dataclass(frozen=True, slots=True)
class Gaps:
    """The places at which a thread could have been closed: an agent's mail and its answer.

    All are arrays of one length; `case` is the row of the case, `waits` whether the agent's mail
    leaves something open.
    """

    case: Array
    agent: Array
    said: Array
    answered: Array
    waits: Array


class Reopening:
    """Cases that came back."""

    name = "Reopening"
    reads: tuple[str, ...] = ("CaseStory", "ComplaintHabit")
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": ("Id", "reopened", "first_closed", "reopened_at"),
        "events": ("case", "closed", "reopened", "agent"),
    }
    drives = ("Case.Reopened__c", "Case.FirstClosedDate__c", "Case.ReopenedDate__c")
    references: Mapping[str, str] = {"agent": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The trade's share of the closed cases, all of them threads that have room for it."""
        rng = org.setting.stream("Reopening", "cases")
        cases = org.table("CaseStory.cases")
        gaps = _gaps(org)
        chosen = _chosen(rng, org, gaps)
        case, said, answered = gaps.case[chosen], gaps.said[chosen], gaps.answered[chosen]
        low, high = CLOSES_AT
        waited = np.minimum(answered - said, LONGEST_WAIT).astype(float)
        waited *= rng.uniform(low, high, size=len(chosen))
        closed = said + np.maximum(waited, 1).astype("timedelta64[s]")
        none = np.full(cases.size, np.datetime64("NaT", "s"))
        first_closed, reopened_at = none.copy(), none.copy()
        first_closed[case], reopened_at[case] = closed, answered
        return (
            table(
                "Reopening.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                reopened=~np.isnat(reopened_at),
                first_closed=first_closed,
                reopened_at=reopened_at,
            ),
            table(
                "Reopening.events",
                {"case": "Case", "agent": "User"},
                case=case,
                closed=closed,
                reopened=answered,
                agent=gaps.agent[chosen],
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Who is refused what they ask for comes back."""
        rows = org.execute(REFUSED_AND_REOPENED).fetchall()
        return (shares(self.name, "refused cases are reopened more often", rows),)


def _gaps(org: Org) -> Gaps:
    """Every agent's mail that a customer answers before another one of an agent, in closed cases.

    The answer comes at least two seconds later.
    """
    mails = org.table("CaseStory.messages")
    case, incoming, moment = mails["case"], mails["incoming"], mails["at"]
    first = np.arange(max(mails.size - 2, 0))
    fits = ~incoming[first] & incoming[first + 1] & ~incoming[first + 2]
    fits &= (case[first] == case[first + 1]) & (case[first] == case[first + 2])
    fits &= moment[first + 1] - moment[first] > np.timedelta64(2, "s")
    fits &= org.table("CaseStory.cases")["is_closed"][case[first]]
    # Of each case the last gap, if possible one in which the agent left nothing open: what is
    # settled is closed, what somebody waits for is not.
    rows = first[fits]
    waits = np.array([_waits(str(beats)) for beats in mails["beats"]], dtype=bool)
    best = np.lexsort((rows, ~waits[rows], case[rows]))
    rows = rows[best]
    _, last = np.unique(case[rows][::-1], return_index=True)
    rows = rows[::-1][last]
    return Gaps(case[rows], mails["agent"][rows], moment[rows], moment[rows + 1], waits[rows])


def _waits(beats: str) -> bool:
    """Whether an agent's mail leaves something open."""
    return any(beat.startswith(LEFT_OPEN) for beat in beats.split(","))


def _chosen(rng: Stream, org: Org, gaps: Gaps) -> Array:
    """The places of the gaps after which a case was reopened."""
    cases = org.table("CaseStory.cases")
    wanted = round(int(cases["is_closed"].sum()) * org.setting.world.trade.contact.reopened)
    endings = cases["ending"][gaps.case]
    refused = np.array([REFUSED.get(str(ending), 1.0) for ending in endings], dtype=float)
    angry = np.where(cases["tone"][gaps.case] == "angry", ANGRY, 1.0)
    weights = refused * angry * np.where(gaps.waits, BY_MISTAKE, 1.0)
    return exactly(rng, weights, min(wanted, len(gaps.case)))
