"""Skill: which issues an agent masters (section 2.2 and figure 3b of the CRMArena paper).

It draws `agents` (the share of the cases that each takes) and `skills` (agent, issue, mastered or
not).
It is drawn from Workforce (who serves customers) and Solution (the issues).
It drives, through Routing, who is assigned and whether a case is transferred.
It knows no cases.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, table

# What a tier takes of the cases that come in: seniors have cases of their own, leads step in, and
# managers take one now and then. Everybody's share is log-normal around it, the busiest sixth
# having a third more than the usual number. Chosen so that "the agent with most cases" has a clear
# answer.
TIER_WORKLOADS = (0.0, 1.0, 0.45, 0.12, 0.02)
WORKLOAD_SIGMA = 0.3

# The share of issues that an agent masters: 0.2 + 0.6 × beta(3, 2.2), 0.55 in the mean, and more by
# a sixth for each tier. Chosen so that every issue has both skilled and unskilled agents at any
# time.
FEWEST_MASTERED = 0.2
MASTERED_SPAN = 0.6
MASTERED_SHAPE = (3.0, 2.2)
MASTERED_BY_TIER = 1 / 6

# Everybody has issues of their own, which the desk gives them rather than others: log-normal.
# Chosen so that not one and the same agent has closed most cases of every issue.
KNACK_SIGMA = 0.7

# The specialist of an issue, an agent or a senior, is given it this many times as often.
SPECIALIST = 8.0
LAST_SPECIALIST_TIER = 2

UNSKILLED_THEN_TRANSFERRED = """
    SELECT
        NOT s.mastered,
        EXISTS (
            SELECT 1
            FROM CaseHistory__c n
            WHERE n.CaseId__c = h.CaseId__c AND n.OldValue__c = h.NewValue__c
        )
    FROM CaseHistory__c h
    JOIN "Case" c ON c.Id = h.CaseId__c
    JOIN latent."Skill.skills" s ON s.agent = h.NewValue__c AND s.issue = c.IssueId__c
    WHERE h.Field__c = 'Owner Assignment'
"""


class Skill:
    """Agents and what they master."""

    name = "Skill"
    reads: tuple[str, ...] = ("Solution", "Workforce")
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "workload"),
        "skills": ("agent", "issue", "mastered", "knack"),
    }
    drives = ("Case.OwnerId", "CaseHistory__c.NewValue__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Agents with their breadth; every issue is mastered by somebody at any time."""
        people = org.table("Workforce.people")
        issues = org.table("Solution.issues").size
        mastered = _mastered(org, people, issues)
        specialists = _specialists(org, people, mastered)
        skills = table(
            "Skill.skills",
            {"agent": "User", "issue": "Issue__c"},
            agent=np.repeat(np.arange(people.size), issues),
            issue=np.tile(np.arange(issues), people.size),
            mastered=mastered.ravel().astype(int),
            knack=_knacks(org, people, specialists).ravel(),
        )
        return _agents(org, people), skills

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Agents without the skill pass the case on."""
        rows = org.execute(UNSKILLED_THEN_TRANSFERRED).fetchall()
        says = "assignments to unskilled agents end in a transfer more often"
        return (shares(self.name, says, rows),)


def _agents(org: Org, people: Table) -> Table:
    rng = org.setting.stream("Skill", "agents")
    own = rng.lognormal(0.0, WORKLOAD_SIGMA, size=people.size)
    workload = np.array(TIER_WORKLOADS)[people["tier"]] * own
    return table(
        "Skill.agents", {"Id": "User"}, Id=np.arange(people.size), workload=np.round(workload, 4)
    )


def _knacks(org: Org, people: Table, specialists: Array) -> Array:
    """People × issues: how much rather than others each person is given each issue."""
    rng = org.setting.stream("Skill", "knacks")
    shape = (people.size, len(specialists))
    knacks = rng.lognormal(0.0, KNACK_SIGMA, size=shape)
    issues = np.flatnonzero(specialists != NONE)
    knacks[specialists[issues], issues] *= SPECIALIST
    return np.round(knacks, 3)


def _specialists(org: Org, people: Table, mastered: Array) -> Array:
    """The specialist of each issue: a person of its own, as far as there are enough of them.

    Who stays longest comes first, and who masters the issue before others; a specialist who didn't
    learns it. NONE where nobody is left.
    """
    rng = org.setting.stream("Skill", "specialists")
    tenure = _days_there(org, people)
    fit = (people["tier"] > 0) & (people["tier"] <= LAST_SPECIALIST_TIER)
    free = sorted(rng.permutation(np.flatnonzero(fit)).tolist(), key=lambda row: -tenure[row])
    issues = mastered.shape[1]
    chosen = np.full(issues, NONE)
    for issue in range(issues):
        # Among those who stay as long as it takes, whoever masters it already.
        longest = free[: issues - issue]
        able = [row for row in longest if mastered[row, issue]]
        if longest:
            chosen[issue] = (able or longest)[0]
            mastered[chosen[issue], issue] = True
            free.remove(chosen[issue])
    return chosen


def _days_there(org: Org, people: Table) -> Array:
    """For how many days of the period each person is employed."""
    setting = org.setting
    left = np.where(np.isnat(people["left"]), setting.last_day, people["left"])
    days = np.minimum(left, setting.last_day) - np.maximum(people["joined"], setting.first_day)
    return np.asarray(np.maximum(days.astype("timedelta64[D]").astype(int), 0))


def _mastered(org: Org, people: Table, issues: int) -> Array:
    """People × issues: whether the person masters the issue; who serves nobody masters none."""
    rng = org.setting.stream("Skill", "skills")
    tier = people["tier"]
    breadth = rng.beta(*MASTERED_SHAPE, size=people.size) * MASTERED_SPAN + FEWEST_MASTERED
    breadth = breadth + MASTERED_BY_TIER * np.maximum(tier - 1, 0)
    mastered = rng.random((people.size, issues)) < breadth[:, None]
    mastered &= (tier > 0)[:, None]
    always = always_there(org, people)
    for issue in range(issues):
        if not mastered[always, issue].any():
            mastered[exactly(rng, always.astype(float), 1), issue] = True
    return np.asarray(mastered)


def always_there(org: Org, people: Table) -> Array:
    """Which service people are there on every day of the period; everyone of them if none is."""
    serving = people["tier"] > 0
    first = org.setting.first_day
    always = serving & (people["joined"] <= first) & np.isnat(people["left"])
    return np.asarray(always if always.any() else serving)
