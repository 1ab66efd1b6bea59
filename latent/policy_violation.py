"""PolicyViolation: in which closed cases an agent breaks the issue's solution article, and how.

Draws  `agents` (leniency), `outcomes` (case, how it ends: granted, granted_other, declined, open,
       and the two breaches late_grant and
       unlisted_grant; the option wished for, the option granted, the day limits).
From   Solution (options and limits), ComplaintHabit (tone, days since the order), Routing (the last
       agent).
Drives what CaseStory has the agent say in EmailMessage and LiveChatTranscript.
A grant is lawful where the option is listed for the issue and the case was created within its
limit, counted from the order's date.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table

PRESSING = {"angry": 2.2, "annoyed": 1.5, "worried": 1.2, "friendly": 1.0, "calm": 0.8}
Ending = tuple[str, str, str, int, int]


class PolicyViolation:
    """Outcomes of all cases, lawful and not."""

    name = "PolicyViolation"
    reads: tuple[str, ...] = ("Solution", "ComplaintHabit", "Routing", "IssueSolution")
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "leniency"),
        "outcomes": ("Id", "ending", "wish", "granted", "wish_limit", "granted_limit", "article"),
    }
    drives = ("CaseStory", "EmailMessage.TextBody", "LiveChatTranscript.Body")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The profile's share of cases in breach, by lenient agents and pressing customers."""
        rng = org.setting.stream("PolicyViolation", "outcomes")
        cases, users = org.table("ComplaintHabit.cases"), org.setting.count("User")
        leniency = np.round(rng.gamma(0.9, 1.0, size=users) + 0.03, 3)
        last = _last_agents(org.table("Routing.assignments"), cases.size)
        pull = leniency[last] * np.array([PRESSING[str(tone)] for tone in cases["tone"]])
        closed = org.table("Routing.cases")["closed"]
        breaking = np.zeros(cases.size, dtype=bool)
        breaking[
            exactly(rng, pull * closed, round(closed.sum() * org.setting.profile.rates.violations))
        ] = True
        rows = zip(cases["issue"], cases["days"], breaking, closed, strict=True)
        gestures = [_gestures(org, issue) for issue in range(org.table("Solution.issues").size)]
        outcomes = [
            _ended(
                _outcome(
                    rng, _limits(org, int(issue)), int(days), bool(broken), gestures[int(issue)]
                ),
                bool(done),
            )
            for issue, days, broken, done in rows
        ]
        endings = strings([row[0] for row in outcomes])
        return table(
            "PolicyViolation.agents", {"Id": "User"}, Id=np.arange(users), leniency=leniency
        ), table(
            "PolicyViolation.outcomes",
            {"Id": "Case", "article": "Knowledge__kav"},
            Id=np.arange(cases.size),
            ending=endings,
            wish=strings([row[1] for row in outcomes]),
            granted=strings([row[2] for row in outcomes]),
            wish_limit=np.array([row[3] for row in outcomes], dtype=np.int64),
            granted_limit=np.array([row[4] for row in outcomes], dtype=np.int64),
            article=np.where(
                np.isin(endings.astype(str), ["late_grant", "unlisted_grant"]),
                org.table("IssueSolution.by_issue")["article"][cases["issue"]],
                NONE,
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Lenient agents break the rules more often."""
        rows = org.execute(
            "SELECT a.leniency, 1.0 * sum(o.ending IN ('late_grant', 'unlisted_grant')) /"
            ' count(*) FROM "Case" c JOIN latent."PolicyViolation.agents" a ON a.Id = c.OwnerId'
            ' JOIN latent."PolicyViolation.outcomes" o ON o.Id = c.Id GROUP BY a.Id'
        ).fetchall()
        return (correlation(self.name, "lenient agents break the article more often", rows),)


def _last_agents(assignments: Table, cases: int) -> Array:
    last = np.zeros(cases, dtype=np.int64)
    last[assignments["case"]] = assignments["agent"]
    return last


def _limits(org: Org, issue: int) -> dict[str, int]:
    listed = org.table("Solution.listed")
    rows = np.flatnonzero(listed["issue"] == issue)
    return {str(listed["option"][row]): int(listed["limit"][row]) for row in rows}


def _gestures(org: Org, issue: int) -> list[str]:
    """Options not listed for an issue that an agent might yet think of: listed for others of its
    kind, or for several kinds.
    """
    issues, listed = org.table("Solution.issues"), org.table("Solution.listed")
    own = {str(key) for key in listed["option"][listed["issue"] == issue]}
    kinds: dict[str, set[str]] = {}
    for key, other in zip(listed["option"], listed["issue"], strict=True):
        kinds.setdefault(str(key), set()).add(str(issues["kind"][other]))
    kind = str(issues["kind"][issue])
    near = [key for key, of in kinds.items() if key not in own and kind in of]
    return (
        near
        or [key for key, of in kinds.items() if key not in own and len(of) > 1]
        or [key for key in kinds if key not in own]
    )


def _outcome(
    rng: Stream, limits: dict[str, int], days: int, breaking: bool, gestures: list[str]
) -> Ending:
    """(ending, wish, granted, limit of the wish, limit of the grant);
    limits 0 where there is none.
    """
    open_options = [key for key, limit in limits.items() if days <= limit]
    late_options = [key for key, limit in limits.items() if days > limit]
    if breaking:
        return _breach(rng, limits, late_options, gestures)
    if not open_options:
        wish = _any(rng, late_options)
        return ("declined", wish, "", limits[wish], 0)
    if late_options and rng.random() < 0.6:
        wish, granted = _any(rng, late_options), _any(rng, open_options)
        return ("granted_other", wish, granted, limits[wish], limits[granted])
    granted = _any(rng, open_options)
    wish = granted if rng.random() < 0.6 else ""
    return ("granted", wish, granted, limits[granted], limits[granted])


def _ended(outcome: Ending, closed: bool) -> Ending:
    """A case still open has a wish, but no ending yet."""
    return outcome if closed else ("open", outcome[1], "", outcome[3], 0)


def _breach(
    rng: Stream, limits: dict[str, int], late_options: list[str], unlisted: list[str]
) -> Ending:
    if late_options and rng.random() < 0.8:
        granted = _any(rng, late_options)
        return ("late_grant", granted, granted, limits[granted], limits[granted])
    if not unlisted:
        granted = _any(rng, list(limits))
        return (
            ("granted", granted, granted, limits[granted], limits[granted])
            if not late_options
            else (
                "late_grant",
                late_options[0],
                late_options[0],
                limits[late_options[0]],
                limits[late_options[0]],
            )
        )
    granted = _any(rng, unlisted)
    return ("unlisted_grant", granted if rng.random() < 0.5 else "", granted, 0, 0)


def _any(rng: Stream, keys: list[str]) -> str:
    return keys[int(rng.integers(len(keys)))]
