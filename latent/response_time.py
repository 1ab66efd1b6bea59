"""ResponseTime: how long a case takes, by the agent's pace, the region's pace and the issue's
difficulty.

Draws  `agents`, `states`, `issues`: a pace factor each (1.0 is usual, 2.0 takes twice as long).
From   the number of users, the states of the accounts, Solution (the issues).
Drives Case.ClosedDate − Case.CreatedDate, message times, LiveChatTranscript.EndTime.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

HOURS = (
    "SELECT {pace}, (julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1,"
    ' 19))) * 24 FROM "Case" c JOIN latent."CaseStory.cases" s ON s.Id = c.Id {join} WHERE'
    " c.ClosedDate IS NOT NULL AND s.channel = 'email'"
)


class ResponseTime:
    """Paces of agents, states and issues."""

    name = "ResponseTime"
    reads: tuple[str, ...] = ("Account", "Solution")
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "pace"),
        "states": ("state", "pace"),
        "issues": ("Id", "pace"),
    }
    drives = ("Case.ClosedDate", "EmailMessage.MessageDate", "LiveChatTranscript.EndTime")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Log-normal paces."""
        rng = org.setting.stream("ResponseTime", "paces")
        users, issues = org.setting.count("User"), org.table("Solution.issues").size
        states = np.unique(org.table("Account")["ShippingState"].astype(str)).astype(object)
        return (
            table(
                "ResponseTime.agents",
                {"Id": "User"},
                Id=np.arange(users),
                pace=_paces(rng.normal(size=users), 0.45),
            ),
            table(
                "ResponseTime.states", state=states, pace=_paces(rng.normal(size=len(states)), 0.40)
            ),
            table(
                "ResponseTime.issues",
                {"Id": "Issue__c"},
                Id=np.arange(issues),
                pace=_paces(rng.normal(size=issues), 0.25),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Pace against hours from creation to close, e-mail cases."""
        agent = HOURS.format(
            pace="p.pace", join='JOIN latent."ResponseTime.agents" p ON p.Id = c.OwnerId'
        )
        state = HOURS.format(
            pace="p.pace",
            join=(
                'JOIN Account a ON a.Id = c.AccountId JOIN latent."ResponseTime.states" p ON'
                " p.state = a.ShippingState"
            ),
        )
        return (
            correlation(
                self.name, "slow agents take longer to close", org.execute(agent).fetchall()
            ),
            correlation(
                self.name, "slow states take longer to close", org.execute(state).fetchall()
            ),
        )


def _paces(normal: Array, sigma: float) -> Array:
    return np.round(np.exp(sigma * normal), 3)
