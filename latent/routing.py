"""Routing: who gets a case, and who gets it next when the first one can't handle it.

It draws `assignments` (case, step, 0 being the first, agent, why) and `cases` (which are closed
when the period ends).
It is drawn from ComplaintHabit (the cases) and Skill (who masters what, who is at work).
It drives the owners of cases, their history and, through CaseStory, who writes which message.
It knows no words and no times but the day a case is created.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latent.draws import exactly
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table

# Of the transfers 8 % pass a case on for a second time, so that chains of three agents exist but
# are rare. Chosen by eye.
SECOND_TRANSFERS = 0.08

# 7 % of the cases that are passed on come from skilled but overloaded agents, and 1.2 % of all
# cases stay with an unskilled one: noise that keeps Skill from being readable off one case.
SKILLED_TRANSFERS = 0.07
UNSKILLED_KEEP = 0.012

# Which cases are still open at the end: e-mail cases, likelier by e each 30 days of youth. Ages
# are cut at 9000 days, where exp() would be zero and a weight of zero means "never".
OPEN_DAYS = 30
OLDEST_DAYS = 9000


@dataclass(frozen=True, slots=True)
class CaseAssignment:
    """One agent's time with a case; `step` counts the case's agents from 0."""

    case: int
    step: int
    agent: int
    reason: str


@dataclass(frozen=True, slots=True)
class Staffing:
    """What routing knows of the people: skills (agents × issues), workloads, first days."""

    mastered: Array
    workload: Array
    joined: Array


class Routing:
    """Assignments of every case, in order."""

    name = "Routing"
    reads: tuple[str, ...] = ("ComplaintHabit", "Skill")
    tables: Mapping[str, tuple[str, ...]] = {
        "assignments": ("case", "step", "agent", "reason"),
        "cases": ("Id", "closed"),
    }
    drives = ("Case.OwnerId", "Case.Status", "CaseHistory__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly the profile's share of transfers.

        Nearly all are from unskilled agents, a few from overloaded skilled ones.
        """
        cases = org.table("ComplaintHabit.cases")
        rows = _assignments(org, cases)
        assignments = table(
            "Routing.assignments",
            {"case": "Case", "agent": "User"},
            case=np.array([row.case for row in rows], dtype=np.int64),
            step=np.array([row.step for row in rows], dtype=np.int64),
            agent=np.array([row.agent for row in rows], dtype=np.int64),
            reason=strings([row.reason for row in rows]),
        )
        closed = _closed(org, cases)
        return assignments, table(
            "Routing.cases", {"Id": "Case"}, Id=np.arange(cases.size), closed=closed
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None of its own: Skill shows it."""
        return ()


def _assignments(org: Org, cases: Table) -> list[CaseAssignment]:
    rng = org.setting.stream("Routing", "assignments")
    hops = transfers_a_case(
        rng, cases.size, round(cases.size * org.setting.profile.rates.transfers)
    )
    kept = rng.random(cases.size) < UNSKILLED_KEEP
    overloaded = rng.random(cases.size) < SKILLED_TRANSFERS
    staffing = _staffing(org)
    rows: list[CaseAssignment] = []
    for case in range(cases.size):
        day = cases["created"][case].astype("datetime64[D]")
        issue = int(cases["issue"][case])
        before: list[int] = []
        for step in range(int(hops[case]) + 1):
            last = step == hops[case]
            skilled = not kept[case] if last else bool(overloaded[case])
            agent = next_agent(rng, staffing, day, issue, skilled, before)
            if agent is None:
                break
            rows.append(CaseAssignment(case, step, agent, _reason(last, skilled)))
            before.append(agent)
    return rows


def _staffing(org: Org) -> Staffing:
    agents = org.table("Skill.agents")
    issues = org.table("Solution.issues")
    mastered = org.table("Skill.skills")["mastered"].reshape(agents.size, issues.size) == 1
    return Staffing(mastered, agents["workload"], agents["joined"])


def _closed(org: Org, cases: Table) -> Array:
    """Which cases are closed at the period's end.

    All but the profile's share; the open ones are late e-mail cases, since a chat ends its case.
    """
    rng = org.setting.stream("Routing", "closed")
    email = cases["channel"] == "email"
    setting = org.setting
    created_on = cases["created"].astype("datetime64[D]")
    age = (setting.last_day - created_on).astype(float)
    wanted = cases.size - round(cases.size * setting.profile.rates.closed)
    youth = np.exp(-np.minimum(age, OLDEST_DAYS) / OPEN_DAYS)
    weights = np.where(email, youth, 0.0)
    still_open = exactly(rng, weights, min(wanted, int(email.sum())))
    closed = np.ones(cases.size, dtype=bool)
    closed[still_open] = False
    return closed


def transfers_a_case(rng: Stream, cases: int, transfers: int) -> Array:
    """How often each of `cases` cases is passed on.

    Sums to `transfers` wherever there is a case at all. A few cases are passed on twice; where
    there are more transfers than cases, all are, as often as it takes.
    """
    twice = round(transfers * SECOND_TRANSFERS)
    once = min(max(transfers - twice, 0), cases)
    hops = np.zeros(cases, dtype=np.int64)
    chosen = rng.permutation(cases)[:once]
    hops[chosen] = 1
    rest = transfers - once
    while rest > 0 and len(chosen):
        more = chosen[rng.permutation(len(chosen))[:rest]]
        hops[more] += 1
        rest -= len(more)
    return hops


def _reason(last: bool, skilled: bool) -> str:
    if last:
        return "well_routed" if skilled else "kept_unskilled"
    return "overloaded_agent" if skilled else "unskilled_agent"


def next_agent(
    rng: Stream,
    staffing: Staffing,
    day: np.datetime64,
    issue: int,
    skilled: bool,
    before: list[int],
) -> int | None:
    """Somebody at work that day, skilled or not as asked, not among those before.

    Where nobody fits, anyone at work; where nobody is at work, anyone at all; None where everybody
    has had the case.
    """
    weights = np.where(staffing.joined <= day, staffing.workload, 0.0)
    weights[before] = 0.0
    fitting = weights * (staffing.mastered[:, issue] == skilled)
    for chances in (fitting, weights, _anyone_but(before, len(weights))):
        if chances.sum() > 0:
            return int(exactly(rng, chances, 1)[0])
    return None


def _anyone_but(before: list[int], agents: int) -> Array:
    chances = np.ones(agents)
    chances[before] = 0.0
    return chances
