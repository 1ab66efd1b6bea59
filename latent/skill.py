"""Skill: which issues an agent masters (section 2.2 and figure 3b of the CRMArena paper).

It draws `agents` (the share of the cases that each takes), `skills` (agent, issue, mastered or not,
and since when) and `specialists` (who is given most cases of an issue, from when to when, and for
which half of the categories).
It is drawn from Workforce (who serves customers) and Solution (the issues).
It drives, through Routing, who is assigned and whether a case is transferred.
It knows no cases.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latent.draws import exactly
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

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

# An issue has two specialists at a time, agents or seniors, who are given it this many times as
# often as others. They share it by category: with one of them alone the issue would say who is
# best, whatever the product.
SPECIALIST = 6.0
LAST_SPECIALIST_TIER = 2
HALVES = 2

# After eight to fourteen months the desk makes two others the specialists: within a year's window
# the best agent of an issue changes with the day on which one asks.
ERA_DAYS = (240, 420)

# Whoever leaves in the middle of an era is hardly ever chosen for it, who has just been the issue's
# specialist rarely, and who would have to learn the issue first only where nobody masters it.
STAYING_POWER = 8.0
REPEATED = 0.02
NEXT_TO_NOTHING = 1e-9

# Who is a specialist of one issue already is made that of another a seventh as often, and so on.
AGAIN = 0.15

# What an agent masters is learned in the first year, half of it within five months: newcomers pass
# on more cases than those who were there for long. Gamma of shape 2, in days; chosen by eye.
LEARNING_SHAPE = (2.0, 90.0)

UNSKILLED_THEN_TRANSFERRED = """
    SELECT
        NOT s.mastered OR s.since > substr(c.CreatedDate, 1, 10),
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


@dataclass(frozen=True, slots=True)
class Specialist:
    """A person's time as one of the two specialists of an issue."""

    agent: int
    issue: int
    half: int
    first: np.datetime64
    last: np.datetime64


class Skill:
    """Agents and what they master."""

    name = "Skill"
    reads: tuple[str, ...] = ("Solution", "Workforce")
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "workload"),
        "skills": ("agent", "issue", "mastered", "since", "knack"),
        "specialists": ("agent", "issue", "half", "first", "last"),
    }
    drives = ("Case.OwnerId", "CaseHistory__c.NewValue__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Agents with their breadth; every issue is mastered by somebody at any time."""
        people = org.table("Workforce.people")
        issues = org.table("Solution.issues").size
        mastered = _mastered(org, people, issues)
        specialists = _specialists(org, people, mastered)
        mastered[specialists["agent"], specialists["issue"]] = True
        skills = table(
            "Skill.skills",
            {"agent": "User", "issue": "Issue__c"},
            agent=np.repeat(np.arange(people.size), issues),
            issue=np.tile(np.arange(issues), people.size),
            mastered=mastered.ravel().astype(int),
            since=_learned(org, people, specialists, issues).ravel(),
            knack=_knacks(org, people, issues).ravel(),
        )
        return _agents(org, people), skills, specialists

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
        "Skill.agents",
        {"Id": "User"},
        Id=np.arange(people.size),
        workload=np.round(workload, 4),
    )


def _knacks(org: Org, people: Table, issues: int) -> Array:
    """People × issues: how much rather than others each person is given each issue."""
    rng = org.setting.stream("Skill", "knacks")
    return np.round(rng.lognormal(0.0, KNACK_SIGMA, size=(people.size, issues)), 3)


def _learned(org: Org, people: Table, specialists: Table, issues: int) -> Array:
    """People × issues: since which day each person masters each, as far as they ever do.

    Whoever is there all the time masters it from the first day, a specialist from that of becoming
    one.
    """
    rng = org.setting.stream("Skill", "learning")
    days = np.round(rng.gamma(*LEARNING_SHAPE, size=(people.size, issues)))
    since = people["joined"].astype("datetime64[D]")[:, None] + days.astype("timedelta64[D]")
    since[always_there(org, people)] = org.setting.first_day
    for agent, issue, first in zip(
        specialists["agent"],
        specialists["issue"],
        specialists["first"],
        strict=True,
    ):
        since[agent, issue] = min(since[agent, issue], first)
    return np.asarray(since)


def _specialists(org: Org, people: Table, mastered: Array) -> Table:
    """`Skill.specialists`: two a time for each issue, as far as there are enough people.

    They are others than those before; whoever masters the issue and stays for all of the time
    comes first. A specialist who didn't master it learns it.
    """
    rng = org.setting.stream("Skill", "specialists")
    chosen: list[Specialist] = []
    for issue in range(mastered.shape[1]):
        able = np.where(mastered[:, issue], 1.0, NEXT_TO_NOTHING)
        # The first era began before the period, so that not all of them end together.
        first = org.setting.first_day - np.timedelta64(int(rng.integers(ERA_DAYS[0])), "D")
        before: list[int] = []
        while first <= org.setting.last_day:
            days = int(rng.integers(ERA_DAYS[0], ERA_DAYS[1] + 1))
            last = first + np.timedelta64(days - 1, "D")
            began, ends = max(first, org.setting.first_day), min(last, org.setting.last_day)
            weights = able * fitness(people, chosen, began, ends)
            weights[before] *= REPEATED
            number = min(HALVES, int((weights > 0).sum()))
            before = rng.permutation(exactly(rng, weights, number)).tolist()
            for half, agent in enumerate(before):
                chosen.append(Specialist(agent, issue, half, first, last))
            first = last + np.timedelta64(1, "D")
    return table(
        "Skill.specialists",
        {"agent": "User", "issue": "Issue__c"},
        agent=np.array([item.agent for item in chosen], dtype=np.int64),
        issue=np.array([item.issue for item in chosen], dtype=np.int64),
        half=np.array([item.half for item in chosen], dtype=np.int64),
        first=np.array([item.first for item in chosen], dtype="datetime64[D]"),
        last=np.array([item.last for item in chosen], dtype="datetime64[D]"),
    )


def fitness(
    people: Table,
    chosen: Sequence[Specialist],
    first: np.datetime64,
    last: np.datetime64,
) -> Array:
    """How fit each person is to be a specialist in an era: by the share of it that they are there.

    Nobody above LAST_SPECIALIST_TIER is, and who is a specialist then already is less.
    """
    left = np.where(np.isnat(people["left"]), last, people["left"])
    stays = np.minimum(left, last) - np.maximum(people["joined"], first)
    there = np.maximum((stays.astype(float) + 1) / ((last - first).astype(float) + 1), 0)
    fit = (people["tier"] > 0) & (people["tier"] <= LAST_SPECIALIST_TIER)
    weights = np.where(fit, there**STAYING_POWER, 0.0)
    for other in chosen:
        if other.first <= last and other.last >= first:
            weights[other.agent] *= AGAIN
    return np.asarray(weights)


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
