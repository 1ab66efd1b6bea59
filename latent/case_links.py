"""CaseLinks: cases that belong together, as far as somebody noticed.

It draws `cases`: the parent (of a mass incident, the first thread that reported it), the case
before (an earlier one of the same customer that this one takes up), each NONE where there is none.
It is drawn from ProductDefect and ComplaintHabit (what strikes many at once, and when they write)
and Routing (who has a case, so until when it can be kept open).
It drives the parent and the earlier case that stand on a case and, through CaseStory, when a parent
is closed: the desk keeps it open until what hangs under it is settled.
"""

import sqlite3
from collections.abc import Iterator, Mapping

import numpy as np

from latent.contacts import COMPLAINT, DUPLICATE
from latent.enquiry_ending import by_stranger
from latent.rota import last_seconds, left_of
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table

# An incident is declared where a weak product has drawn this many cases of its issue, if anybody
# sees that they belong together; of an outage everybody knows. Then they are hung under the first
# thread, but for some that nobody recognises. Chosen by eye.
DECLARED_BY = 3
DECLARED = 0.45
RECOGNISED = 0.85

# A parent is kept open for so long at most: mails stay no longer with their agents. What comes in
# the last days before hangs under nothing, for there would be no time to settle it.
LONGEST_INCIDENT = np.timedelta64(38, "D")
TIME_TO_SETTLE = np.timedelta64(2, "D")

# Who had a case in the last four months refers to it in a third of cases. Chosen by eye.
REMEMBERED = np.timedelta64(120, "D")
REFERS = 0.35

# Outages strike weak products and sound ones alike.
WEAK_AND_PARENTS = """
    SELECT d.product IS NOT NULL, c.ParentId IS NOT NULL
    FROM "Case" c
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    LEFT JOIN latent."ProductDefect.defects" d
        ON d.product = i.Product2Id AND +d.issue = c.IssueId__c
    JOIN latent."ComplaintHabit.cases" k ON k.Id = c.Id
    WHERE k.outage < 0
    GROUP BY c.Id
"""


class CaseLinks:
    """Parents and predecessors."""

    name = "CaseLinks"
    reads: tuple[str, ...] = (
        "ProductDefect",
        "ShoppingHabit",
        "ComplaintHabit",
        "Routing",
        "Workforce",
    )
    tables: Mapping[str, tuple[str, ...]] = {"cases": ("Id", "parent", "before")}
    drives = ("Case.ParentId", "Case.PreviousCaseId__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Both links of every case; each leads to one created before."""
        rng = org.setting.stream("CaseLinks", "cases")
        cases = org.table("ComplaintHabit.cases")
        return (
            table(
                "CaseLinks.cases",
                {"Id": "Case", "parent": "Case", "before": "Case"},
                Id=np.arange(cases.size),
                parent=_parents(rng, org, cases),
                before=_before(rng, cases, by_stranger(org, cases)),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """A weak product's cases hang together."""
        rows = org.execute(WEAK_AND_PARENTS).fetchall()
        return (shares(self.name, "a weak product's own issue has a parent case", rows),)


def _parents(rng: Stream, org: Org, cases: Table) -> Array:
    parents = np.full(cases.size, NONE)
    until = _open_until(org, cases)
    closed = org.table("Routing.cases")["closed"]
    mails = cases["channel"] == "email"
    recognised = rng.random(cases.size) < RECOGNISED
    created = cases["created"]
    leads = np.zeros(cases.size, dtype=bool)
    for linked, chance in _incidents(org, cases):
        declared = rng.random() < chance
        struck = linked[(parents[linked] == NONE) & ~leads[linked]]
        threads = struck[mails[struck]]
        if not declared or len(struck) < DECLARED_BY or not len(threads):
            continue
        parent = threads[0]
        later = struck[(struck > parent) & recognised[struck]]
        # A closed parent has no open children.
        kept = (created[later] < until[parent]) & (closed[later] | (not closed[parent]))
        parents[later[kept]] = parent
        leads[parent] = True
    return _with_duplicates(org, cases, parents, until)


def _incidents(org: Org, cases: Table) -> Iterator[tuple[Array, float]]:
    """The cases of each outage, and of each spell of a weak product, in time; and how likely
    somebody sees that they belong together.
    """
    complaint = cases["intent"] == COMPLAINT
    for number in range(int(cases["outage"].max(initial=NONE)) + 1):
        yield np.flatnonzero(cases["outage"] == number), 1.0
    defects = org.table("ProductDefect.defects")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    month = cases["created"].astype("datetime64[M]")
    for row in range(defects.size):
        own = (product == defects["product"][row]) & complaint
        own &= cases["issue"] == defects["issue"][row]
        start = defects["from_month"][row]
        own &= (month >= start) & (month <= start + defects["months"][row].astype("timedelta64[M]"))
        yield np.flatnonzero(own), DECLARED


def _open_until(org: Org, cases: Table) -> Array:
    """The moment until which new cases may be hung under each case."""
    assignments = org.table("Routing.assignments")
    # Assignments stand in order, so that of each case the last one is kept.
    owner = np.zeros(cases.size, dtype=np.int64)
    owner[assignments["case"]] = assignments["agent"]
    leaves = last_seconds(left_of(org))[owner].astype("datetime64[s]")
    last = np.minimum(cases["created"] + LONGEST_INCIDENT, leaves)
    return np.asarray(last - TIME_TO_SETTLE)


def _with_duplicates(org: Org, cases: Table, parents: Array, until: Array) -> Array:
    """A duplicate hangs under the thread that it repeats: the first one about the same item."""
    first: dict[int, int] = {}
    closed = org.table("Routing.cases")["closed"]
    for case, (item, intent) in enumerate(zip(cases["item"], cases["intent"], strict=True)):
        before = first.setdefault(int(item), case)
        is_thread = cases["channel"][before] == "email" and cases["created"][case] < until[before]
        settles = closed[case] or not closed[before]
        if intent == DUPLICATE and before != case and is_thread and settles:
            parents[case] = before
    return parents


def _before(rng: Stream, cases: Table, strange: Array) -> Array:
    """Cases stand in order of creation, so the last seen of an account is its latest before."""
    latest: dict[int, int] = {}
    before = np.full(cases.size, NONE)
    refers = rng.random(cases.size) < REFERS
    created = cases["created"]
    complains = cases["intent"] == COMPLAINT
    about: dict[int, int] = {}
    for case, account in enumerate(cases["account"].tolist()):
        last = latest.get(account)
        if strange[case]:
            continue
        if last is not None and refers[case] and created[case] - created[last] < REMEMBERED:
            before[case] = last
        if complains[case]:
            # Whoever complains of the same thing again says so.
            before[case] = about.get(int(cases["item"][case]), before[case])
            about[int(cases["item"][case])] = case
        latest[account] = case
    return before
