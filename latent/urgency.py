"""Urgency: how much a case presses, and which cases are passed upwards for it.

It draws `cases`: the pressure that the desk feels (0 to some 2), the priority that it gives the
case, whether the case is escalated, and by what factor it is dealt with sooner or later.
It is drawn from ComplaintHabit (issue, tone, item), Solution (how much an issue presses) and
ShoppingHabit (what was paid, and how good a customer it is).
It drives a case's priority and escalation and, through CaseStory, how long it takes.
It knows no agents.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.statistics import correlation, difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

# What presses beside the issue: a customer's tone, what was paid and what the customer has spent
# (each as its rank from 0 to 1), and the mood of whoever reads the case first. Chosen by eye, so
# that the issue says most and nothing says all.
TONES = {"angry": 0.25, "worried": 0.2, "annoyed": 0.1}
AMOUNT = 0.3
CUSTOMER = 0.2
MOOD = 0.2

# Escalated are cases that press, by e every 0.2 of pressure, and those of angry customers five
# times as often as others. Chosen by eye.
ESCALATES = 0.2
ANGER = 5.0

# How far (as a standard deviation of the logarithm) a desk's own shares of High and Low are from
# the trade's: people read the same rules in their own way. Chosen by eye.
OWN_HABIT = 0.12
MOST_HIGH = 0.9

# How much longer than usual a case takes by its priority: desks answer what is High some four times
# as fast as the rest. Who escalates is answered faster still.
PACES = {"High": 0.22, "Medium": 1.0, "Low": 1.6}
ESCALATED_PACE = 0.2

ISSUES_AND_PRIORITIES = """
    SELECT i.urgency, CASE c.Priority WHEN 'High' THEN 2 WHEN 'Medium' THEN 1 ELSE 0 END
    FROM "Case" c
    JOIN latent."Solution.issues" i ON i.Id = c.IssueId__c
"""
AMOUNTS_AND_PRIORITIES = """
    SELECT i.TotalPrice, CASE c.Priority WHEN 'High' THEN 2 WHEN 'Medium' THEN 1 ELSE 0 END
    FROM "Case" c
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
"""
# Of complaints alone: questions press less and are short all the same. A parent waits for others.
# The time is a mail's, since what presses takes more mails, whatever its priority.
PRIORITIES_AND_HOURS = """
    SELECT
        c.Priority = 'High',
        (julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))) * 24
        / (SELECT max(count(*), 1) FROM EmailMessage m WHERE m.ParentId = c.Id)
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.ClosedDate IS NOT NULL AND s.channel = 'email' AND s.intent = 'complaint'
    AND NOT EXISTS (SELECT 1 FROM "Case" k WHERE k.ParentId = c.Id)
"""
SOONER = "cases of high priority close sooner, for as many mails"


class Urgency:
    """What presses."""

    name = "Urgency"
    reads: tuple[str, ...] = ("ComplaintHabit", "ShoppingHabit", "Solution")
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": ("Id", "pressure", "priority", "escalated", "pace")
    }
    drives = ("Case.Priority", "Case.IsEscalated", "Case.Status", "Case.ClosedDate")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The desk's own shares of High and Low and the trade's of escalated cases, by pressure."""
        contact = org.setting.world.trade.contact
        rng = org.setting.stream("Urgency", "cases")
        cases = org.table("ComplaintHabit.cases")
        pressure = _pressure(org, cases) + rng.normal(0, MOOD, size=cases.size)
        high, low = own_shares(org)
        priority = priorities(pressure, high, low)
        angry = np.where(cases["tone"] == "angry", ANGER, 1.0)
        wanted = round(cases.size * contact.escalated)
        escalated = np.zeros(cases.size, dtype=bool)
        escalated[exactly(rng, np.exp(pressure / ESCALATES) * angry, wanted)] = True
        pace = np.array([PACES[level] for level in priority])
        return (
            table(
                "Urgency.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                pressure=np.round(pressure, 3),
                priority=priority,
                escalated=escalated,
                pace=pace * np.where(escalated, ESCALATED_PACE, 1.0),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Issue and amount against priority, priority against hours."""
        issues = org.execute(ISSUES_AND_PRIORITIES).fetchall()
        amounts = org.execute(AMOUNTS_AND_PRIORITIES).fetchall()
        hours = org.execute(PRIORITIES_AND_HOURS).fetchall()
        return (
            correlation(self.name, "issues that press have a higher priority", issues),
            correlation(self.name, "dear items have a higher priority", amounts),
            difference(self.name, SOONER, "hours a mail", hours, -1),
        )


def own_shares(org: Org) -> tuple[float, float]:
    """The shares of High and Low that this desk gives; no desk hits the trade's to the percent."""
    rng = org.setting.stream("Urgency", "shares")
    contact = org.setting.world.trade.contact
    factors = np.exp(OWN_HABIT * rng.normal(size=2))
    high = min(contact.high * float(factors[0]), MOST_HIGH) if contact.high < 1 else 1.0
    return high, min(contact.low * float(factors[1]), 1 - high)


def _pressure(org: Org, cases: Table) -> Array:
    amount = org.table("ShoppingHabit.items")["amount"]
    buyer = org.table("ShoppingHabit.orders")["account"][org.table("ShoppingHabit.items")["order"]]
    spent = np.bincount(buyer, weights=amount)
    tones = np.array([TONES.get(str(tone), 0.0) for tone in cases["tone"]])
    issue = org.table("Solution.issues")["urgency"][cases["issue"]]
    for name, enquiry in org.setting.world.trade.contact.enquiries.items():
        issue = np.where(cases["intent"] == name, enquiry.urgency, issue)
    paid = AMOUNT * _rank(amount[cases["item"]])
    valued = CUSTOMER * _rank(spent[cases["account"]])
    return np.asarray(issue + tones + paid + valued)


def _rank(values: Array) -> Array:
    """The place of each value among all, from 0 to 1."""
    if len(values) < 2:
        return np.zeros(len(values))
    return np.asarray(np.argsort(np.argsort(values, kind="stable")) / (len(values) - 1))


def priorities(
    pressure: Array,
    high: float,
    low: float,
) -> Array:
    """High for the share that presses most, Low for the share that presses least, else Medium.

    >>> priorities(np.array([0.1, 0.9, 0.5, 0.4]), 0.25, 0.25).tolist()
    ['Low', 'High', 'Medium', 'Medium']
    """
    rank = np.argsort(np.argsort(pressure, kind="stable"))
    least_high = len(pressure) - round(len(pressure) * high)
    least_medium = round(len(pressure) * low)
    bounds = [rank >= least_high, rank >= least_medium]
    return np.select(bounds, ["High", "Medium"], "Low").astype(object)
