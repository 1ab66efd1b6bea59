"""Skill: which issues an agent masters (section 2.2 and figure 3b of the CRMArena paper).

It draws `agents` (role, workload, first and last day at work) and `skills` (agent, issue, mastered
or not).
It is drawn from the number of users and Solution (the issues).
It drives users' titles and, through Routing, who is assigned and whether a case is transferred.
It knows no cases.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, strings, table

# A service desk's pyramid, chosen by eye: of 50 people 3 managers, 5 leads, 12 seniors, 30 agents.
ROLES = (("manager_role", 0.06), ("lead_role", 0.10), ("senior_role", 0.24), ("agent_role", 0.60))
TITLES = {
    "manager_role": "Customer Service Manager",
    "lead_role": "Support Team Lead",
    "senior_role": "Senior Support Specialist",
    "agent_role": "Support Specialist",
}

# Managers take a case now and then; everybody else's share of the cases is log-normal, the
# busiest sixth having some 1.7 times the usual number. Chosen so that "the agent with most cases"
# has a clear answer.
MANAGER_WORKLOAD = 0.04
WORKLOAD_SIGMA = 0.55

# Six of ten agents are there from the first day, the others join in the first two thirds of the
# period. Every tenth agent (the first ones of the list) is there from the first day in any case,
# so that somebody is always at work.
THERE_FROM_THE_START = 0.6
LATEST_JOINING = (2, 3)
ALWAYS_THERE = 10

# The share of issues that an agent masters: 0.25 + 0.6 × beta(3, 2.2), 0.6 in the mean. Chosen so
# that every issue has both skilled and unskilled agents at any time.
FEWEST_MASTERED = 0.25
MASTERED_SPAN = 0.6
MASTERED_SHAPE = (3.0, 2.2)

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
    reads: tuple[str, ...] = ("Solution",)
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "role", "title", "workload", "joined", "left"),
        "skills": ("agent", "issue", "mastered"),
    }
    drives = ("User.Title", "Case.OwnerId", "CaseHistory__c.NewValue__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Agents with their breadth; every issue is mastered by somebody at any time."""
        agents = org.setting.some("User")
        issues = org.table("Solution.issues").size
        mastered = _mastered(org, agents, issues)
        skills = table(
            "Skill.skills",
            {"agent": "User", "issue": "Issue__c"},
            agent=np.repeat(np.arange(agents), issues),
            issue=np.tile(np.arange(issues), agents),
            mastered=mastered.ravel().astype(int),
        )
        return _agents(org, agents), skills

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Agents without the skill pass the case on."""
        rows = org.execute(UNSKILLED_THEN_TRANSFERRED).fetchall()
        says = "assignments to unskilled agents end in a transfer more often"
        return (shares(self.name, says, rows),)


def _agents(org: Org, size: int) -> Table:
    setting = org.setting
    rng = setting.stream("Skill", "agents")
    role = roles(size)
    usual = rng.lognormal(0.0, WORKLOAD_SIGMA, size=size)
    workload = np.where(role == "manager_role", MANAGER_WORKLOAD, usual)
    return table(
        "Skill.agents",
        {"Id": "User"},
        Id=np.arange(size),
        role=role,
        title=strings([TITLES[str(name)] for name in role]),
        workload=np.round(workload, 4),
        joined=setting.first_day + _days_to_joining(org, rng, size).astype("timedelta64[D]"),
        left=np.full(size, setting.last_day),
    )


def _days_to_joining(org: Org, rng: np.random.Generator, size: int) -> Array:
    days = int((org.setting.last_day - org.setting.first_day).astype(int))
    part, whole = LATEST_JOINING
    from_the_start = rng.random(size) < THERE_FROM_THE_START
    later = rng.integers(0, max(days * part // whole, 1), size=size)
    joined = np.where(from_the_start, 0, later)
    joined[: _always_there(size)] = 0
    return joined


def _always_there(agents: int) -> int:
    """How many of the first agents are at work on every day of the period."""
    return max(1, agents // ALWAYS_THERE)


def roles(size: int) -> Array:
    """The role of each user; the highest come last, so the first users are agents at any size."""
    names = []
    for name, share in ROLES:
        names += [name] * round(size * share)
    names = names[:size]
    names += ["agent_role"] * (size - len(names))
    return strings(names[::-1])


def _mastered(org: Org, agents: int, issues: int) -> Array:
    """Agents × issues: whether the agent masters the issue."""
    rng = org.setting.stream("Skill", "skills")
    breadth = rng.beta(*MASTERED_SHAPE, size=agents) * MASTERED_SPAN + FEWEST_MASTERED
    mastered = rng.random((agents, issues)) < breadth[:, None]
    always = _always_there(agents)
    for issue in range(issues):
        if not mastered[:always, issue].any():
            mastered[exactly(rng, np.ones(always), 1), issue] = True
    return np.asarray(mastered)
