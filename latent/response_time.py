"""ResponseTime: how long a case takes, by the paces of the agent, the region and the issue.

It draws `agents`, `states` and `issues`: a pace factor each (1.0 is usual, 2.0 takes twice as
long).
It is drawn from the number of users, the states of the accounts and Solution (the issues).
It drives, through CaseStory, when messages are sent and when cases are closed.
It knows no cases.
"""

import sqlite3
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# Log-normal spreads. Chosen so that "the agent with the longest handle time" and "the states that
# are closed fastest" (tasks of the CRMArena paper) stand out against the chance of single cases,
# while the issue matters less than the people.
AGENT_SIGMA = 1.0
STATE_SIGMA = 0.95
ISSUE_SIGMA = 0.25

ORDERS_TRIED = 12

COMMON = "ResponseTime.common"
"""The node of what all shards of an org have in common."""

# Hours from creation to close against a pace. Chats end the same day whatever the pace, so only
# e-mail cases count. {join} leads to the pace, p.pace.
HOURS = """
    SELECT
        p.pace,
        (julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))) * 24
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    {join}
    WHERE c.ClosedDate IS NOT NULL AND s.channel = 'email'
"""
AGENT_PACES = 'JOIN latent."ResponseTime.agents" p ON p.Id = c.OwnerId'
STATE_PACES = """
    JOIN Account a ON a.Id = c.AccountId
    JOIN latent."ResponseTime.states" p ON p.state = a.ShippingState
"""


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
        users = org.setting.count("User")
        issues = org.table("Solution.issues").size
        all_states = org.table("Account")["ShippingState"].astype(str)
        names, customers = np.unique(all_states, return_counts=True)
        states = names.astype(object)
        agent_pace = _paces(rng.normal(size=users), AGENT_SIGMA)
        if org.setting.shard is None:
            by_state, by_issue = _spread(rng, customers), rng.normal(size=issues)
        else:
            by_state, by_issue = _in_common(org.setting, names, issues)
        state_pace = _paces(by_state, STATE_SIGMA)
        issue_pace = _paces(by_issue, ISSUE_SIGMA)
        return (
            table("ResponseTime.agents", {"Id": "User"}, Id=np.arange(users), pace=agent_pace),
            table("ResponseTime.states", state=states, pace=state_pace),
            table("ResponseTime.issues", {"Id": "Issue__c"}, Id=np.arange(issues), pace=issue_pace),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Pace against hours from creation to close, e-mail cases."""
        agents = org.execute(HOURS.format(join=AGENT_PACES)).fetchall()
        states = org.execute(HOURS.format(join=STATE_PACES)).fetchall()
        return (
            correlation(self.name, "slow agents take longer to close", agents),
            correlation(self.name, "slow states take longer to close", states),
        )


def _in_common(setting: RunContext, states: Array, issues: int) -> tuple[Array, Array]:
    """The normal deviates of states and issues, which all shards of an org have in common.

    Each state has a stream of its own, since not every shard has customers in all of them.
    """
    by_state = [setting.stream(COMMON, f"state {state}").normal() for state in states]
    return np.array(by_state), setting.stream(COMMON, "issues").normal(size=issues)


def _paces(normal: Array, sigma: float) -> Array:
    return np.round(np.exp(sigma * normal), 3)


def _spread(rng: Stream, people: Array) -> Array:
    """Normal deviates, the middles of equally likely parts, one for each group of people.

    Of several orders the one is taken in which people, not groups, differ most: else a company of
    few states, with most customers in two, might have no slow ones and no fast ones.
    """
    size = len(people)
    normal = NormalDist()
    middles = np.array([normal.inv_cdf((place + 0.5) / size) for place in range(size)])
    orders = [rng.permutation(middles) for _ in range(ORDERS_TRIED)]
    return max(orders, key=lambda order: float(np.cov(order, fweights=people, ddof=0)))
