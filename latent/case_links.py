"""CaseLinks: cases that belong together, as far as somebody noticed.

It draws `cases`: the parent (of a mass incident, the first case that was reported), the case before
(an earlier one of the same customer that this one takes up), each NONE where there is none.
It is drawn from ProductDefect (what strikes many at once) and ComplaintHabit (cases in time).
It drives the parent and the earlier case that stand on a case.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.complaints import COMPLAINT, DUPLICATE
from latent.enquiry_ending import by_stranger
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table

# An incident is declared where a weak product has drawn this many cases of its issue; the cases
# after these are hung under the first one, but for some that nobody recognises. Chosen by eye.
DECLARED_AT = 3
RECOGNISED = 0.85

# Who had a case in the last four months refers to it in a third of cases. Chosen by eye.
REMEMBERED = np.timedelta64(120, "D")
REFERS = 0.35

WEAK_AND_PARENTS = """
    SELECT d.product IS NOT NULL, c.ParentId IS NOT NULL
    FROM "Case" c
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    LEFT JOIN latent."ProductDefect.defects" d
        ON d.product = i.Product2Id AND +d.issue = c.IssueId__c
    GROUP BY c.Id
"""


class CaseLinks:
    """Parents and predecessors."""

    name = "CaseLinks"
    reads: tuple[str, ...] = ("ProductDefect", "ShoppingHabit", "ComplaintHabit")
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
    defects = org.table("ProductDefect.defects")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    month = cases["created"].astype("datetime64[M]")
    parents = np.full(cases.size, NONE)
    recognised = rng.random(cases.size) < RECOGNISED
    for row in range(defects.size):
        own = (product == defects["product"][row]) & (cases["intent"] == COMPLAINT)
        own &= cases["issue"] == defects["issue"][row]
        start = defects["from_month"][row]
        own &= (month >= start) & (month <= start + defects["months"][row].astype("timedelta64[M]"))
        struck = np.flatnonzero(own)
        later = struck[DECLARED_AT:]
        parents[later[recognised[later]]] = struck[:1].sum()
    return _with_duplicates(cases, parents)


def _with_duplicates(cases: Table, parents: Array) -> Array:
    """A duplicate hangs under the case that it repeats: the first one about the same item."""
    first: dict[int, int] = {}
    for case, (item, intent) in enumerate(zip(cases["item"], cases["intent"], strict=True)):
        before = first.setdefault(int(item), case)
        if intent == DUPLICATE and before != case:
            parents[case] = before
    return parents


def _before(rng: Stream, cases: Table, strange: Array) -> Array:
    """Cases stand in order of creation, so the last seen of an account is its latest before."""
    latest: dict[int, int] = {}
    before = np.full(cases.size, NONE)
    refers = rng.random(cases.size) < REFERS
    created = cases["created"]
    for case, account in enumerate(cases["account"].tolist()):
        last = latest.get(account)
        if strange[case]:
            continue
        if last is not None and refers[case] and created[case] - created[last] < REMEMBERED:
            before[case] = last
        latest[account] = case
    return before
