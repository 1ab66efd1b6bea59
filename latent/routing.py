"""Routing: who gets a case, and who gets it next when the first one can't handle it.

Draws  `assignments` (case, step, 0 being the first, agent, why), `cases` (which are closed when the
       period ends).
From   ComplaintHabit (the cases), Skill (who masters what, who is at work).
Drives Case.OwnerId, CaseHistory__c (Owner Assignment rows) and, through CaseStory, who writes which
message.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table

SECOND_TRANSFERS = 0.08
SKILLED_TRANSFERS = 0.07
UNSKILLED_KEEP = 0.012


class Routing:
    """Assignments of every case, in order."""

    name = "Routing"
    reads: tuple[str, ...] = ("ComplaintHabit", "Skill")
    tables: Mapping[str, tuple[str, ...]] = {
        "assignments": ("case", "step", "agent", "reason"),
        "cases": ("Id", "closed"),
    }
    drives = ("Case.OwnerId", "Case.Status", "CaseHistory__c", "CaseStory")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly the profile's share of transfers: nearly all from unskilled agents, a few from
        overloaded skilled ones.
        """
        rng = org.setting.stream("Routing", "assignments")
        cases = org.table("ComplaintHabit.cases")
        hops = _hops(rng, cases.size, round(cases.size * org.setting.profile.rates.transfers))
        kept = rng.random(cases.size) < UNSKILLED_KEEP
        overloaded = rng.random(cases.size) < SKILLED_TRANSFERS
        rows = [
            row
            for case in range(cases.size)
            for row in _chain(
                rng, org, cases, case, int(hops[case]), bool(kept[case]), bool(overloaded[case])
            )
        ]
        return (
            table(
                "Routing.assignments",
                {"case": "Case", "agent": "User"},
                case=np.array([row[0] for row in rows], dtype=np.int64),
                step=np.array([row[1] for row in rows], dtype=np.int64),
                agent=np.array([row[2] for row in rows], dtype=np.int64),
                reason=strings([row[3] for row in rows]),
            ),
            table(
                "Routing.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                closed=_closed(org, cases),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None of its own: Skill shows it."""
        return ()


def _closed(org: Org, cases: Table) -> Array:
    """Which cases are closed at the period's end: all but the profile's share, the late ones by
    e-mail.
    """
    rng, email = org.setting.stream("Routing", "closed"), cases["channel"] == "email"
    age = (org.setting.last_day - cases["created"].astype("datetime64[D]")).astype(float)
    wanted = min(
        cases.size - round(cases.size * org.setting.profile.rates.closed), int(email.sum())
    )
    closed = np.ones(cases.size, dtype=bool)
    closed[exactly(rng, np.where(email, np.exp(-np.minimum(age, 9000) / 30), 0.0), wanted)] = False
    return closed


def _hops(rng: Stream, cases: int, transfers: int) -> Array:
    """How often each case is passed on; sums to `transfers`, a few cases twice."""
    twice = round(transfers * SECOND_TRANSFERS)
    once = min(max(transfers - twice, 0), cases)
    hops = np.zeros(cases, dtype=np.int64)
    chosen = rng.permutation(cases)[:once]
    hops[chosen] = 1
    rest = transfers - once
    while rest > 0:
        more = chosen[rng.permutation(len(chosen))[:rest]]
        hops[more] += 1
        rest -= len(more)
        if not len(more):
            break
    return hops


def _chain(
    rng: Stream, org: Org, cases: Table, case: int, hops: int, kept: bool, overloaded: bool
) -> list[tuple[int, int, int, str]]:
    """Agents of one case: unskilled until the last, who masters the issue."""
    chain: list[tuple[int, int, int, str]] = []
    for step in range(hops + 1):
        last = step == hops
        skilled = (not kept) if last else overloaded
        agent = _agent(rng, org, cases, case, skilled, {row[2] for row in chain})
        if agent < 0:
            break
        chain.append((case, step, agent, _reason(last, skilled)))
    return chain


def _reason(last: bool, skilled: bool) -> str:
    if last:
        return "well_routed" if skilled else "kept_unskilled"
    return "overloaded_agent" if skilled else "unskilled_agent"


def _agent(rng: Stream, org: Org, cases: Table, case: int, skilled: bool, before: set[int]) -> int:
    """Somebody at work that day, skilled or not as asked, not among those before; anyone at all
    before no one; -1: nobody is left.
    """
    agents, issues = org.table("Skill.agents"), org.table("Solution.issues").size
    mastered = (
        org.table("Skill.skills")["mastered"].reshape(agents.size, issues)[:, cases["issue"][case]]
        == 1
    )
    weights = np.where(
        agents["joined"] <= cases["created"][case].astype("datetime64[D]"), agents["workload"], 0.0
    )
    weights[list(before)] = 0.0
    fitting = weights * (mastered == skilled)
    chosen = fitting if fitting.sum() > 0 else weights
    if chosen.sum() <= 0:
        chosen = np.ones(agents.size)
        chosen[list(before)] = 0.0
    return int(exactly(rng, chosen, 1)[0]) if chosen.sum() > 0 else -1
