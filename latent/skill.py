"""Skill: which issues an agent masters (paper section 2.2, figure 3b).

Draws  `agents` (role, workload, first and last day at work), `skills` (agent, issue, mastered or
       not).
From   the number of users, Solution (the issues).
Drives who is assigned and whether the case is transferred (Routing): Case.OwnerId, CaseHistory__c;
User.Title.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings, table

ROLES = (("manager_role", 0.06), ("lead_role", 0.10), ("senior_role", 0.24), ("agent_role", 0.60))
TITLES = {
    "manager_role": "Customer Service Manager",
    "lead_role": "Support Team Lead",
    "senior_role": "Senior Support Specialist",
    "agent_role": "Support Specialist",
}


class Skill:
    """Agents and what they master."""

    name = "Skill"
    reads: tuple[str, ...] = ("Solution",)
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "role", "title", "workload", "joined", "left"),
        "skills": ("agent", "issue", "mastered"),
    }
    drives = ("User.Title", "Routing", "Case.OwnerId", "CaseHistory__c.NewValue__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Every agent masters three to eight issues in ten; every issue is mastered by somebody at
        any time.
        """
        setting = org.setting
        rng, size = setting.stream("Skill", "agents"), setting.some("User")
        issues = org.table("Solution.issues").size
        role = _roles(size)
        workload = np.where(role == "manager_role", 0.04, rng.lognormal(0.0, 0.55, size=size))
        days = int((setting.last_day - setting.first_day).astype(int))
        joined = np.where(
            rng.random(size) < 0.6, 0, rng.integers(0, max(days * 2 // 3, 1), size=size)
        )
        joined[: max(1, size // 10)] = 0
        agents = table(
            "Skill.agents",
            {"Id": "User"},
            Id=np.arange(size),
            role=role,
            title=strings([TITLES[str(name)] for name in role]),
            workload=np.round(workload, 4),
            joined=setting.first_day + joined.astype("timedelta64[D]"),
            left=np.full(size, setting.last_day),
        )
        mastered = _mastered(org, size, issues)
        skills = table(
            "Skill.skills",
            {"agent": "User", "issue": "Issue__c"},
            agent=np.repeat(np.arange(size), issues),
            issue=np.tile(np.arange(issues), size),
            mastered=mastered.ravel().astype(int),
        )
        return agents, skills

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Agents without the skill pass the case on."""
        rows = org.execute(
            "SELECT NOT s.mastered, EXISTS (SELECT 1 FROM CaseHistory__c n WHERE n.CaseId__c ="
            ' h.CaseId__c AND n.OldValue__c = h.NewValue__c) FROM CaseHistory__c h JOIN "Case" c ON'
            ' c.Id = h.CaseId__c JOIN latent."Skill.skills" s ON s.agent = h.NewValue__c AND'
            " s.issue = c.IssueId__c WHERE h.Field__c = 'Owner Assignment'"
        ).fetchall()
        return (
            shares(self.name, "assignments to unskilled agents end in a transfer more often", rows),
        )


def _roles(size: int) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
    """Roles from the end of the list of users, so that the first users are agents at any size."""
    names = [name for name, share in ROLES for _ in range(round(size * share))][:size]
    roles = names + ["agent_role"] * (size - len(names))
    return strings(roles[::-1])


def _mastered(
    org: Org, agents: int, issues: int
) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    rng = org.setting.stream("Skill", "skills")
    breadth = rng.beta(3.0, 2.2, size=agents) * 0.6 + 0.25
    mastered = rng.random((agents, issues)) < breadth[:, None]
    always = max(1, agents // 10)
    for issue in range(issues):
        if not mastered[:always, issue].any():
            mastered[exactly(rng, np.ones(always), 1), issue] = True
    return mastered
