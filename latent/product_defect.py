"""ProductDefect: some products draw some issue far more than others, in some months; some of them
another issue at another time.

Draws  `defects`: product, issue, first month, months it lasts, strength (how many cases for one of
       an ordinary product).
From   ShoppingHabit (a defect matters where the product sells), Solution (the issues).
Drives ComplaintHabit.cases: which items are complained about, about what, when; so
Case.OrderItemId__c, Case.IssueId__c.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly, pick
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

SHARE_OF_PRODUCTS = 0.10
ONCE, TWICE = 3, 2


class ProductDefect:
    """Weak products."""

    name = "ProductDefect"
    reads: tuple[str, ...] = ("ShoppingHabit", "Assortment", "Solution")
    tables: Mapping[str, tuple[str, ...]] = {
        "defects": ("product", "issue", "from_month", "months", "strength")
    }
    drives = ("ComplaintHabit", "Case.OrderItemId__c", "Case.IssueId__c", "Case.CreatedDate")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """A defect for a tenth as many as there are products, each of one to three months.

        Two of five strike a product that has had one, by another issue at another time.
        """
        setting = org.setting
        rng = setting.stream("ProductDefect", "defects")
        products = org.table("Assortment.products").size
        sold = np.bincount(org.table("ShoppingHabit.items")["product"], minlength=products)
        count = min(max(1, round(products * SHARE_OF_PRODUCTS)), int((sold > 0).sum()))
        weak = exactly(rng, sold.astype(float) ** 1.5, count - count * TWICE // (ONCE + TWICE))
        again = count - len(weak)
        months = (
            int(
                (
                    setting.last_day.astype("datetime64[M]")
                    - setting.first_day.astype("datetime64[M]")
                ).astype(int)
            )
            + 1
        )
        earliest, latest = min(3, max(months - 2, 1)), max(months - 2, 1)
        first = rng.integers(earliest, latest + 1, size=len(weak))
        span = latest - earliest + 1
        second = (
            earliest
            + (first[:again] - earliest + span // 3 + rng.integers(0, span // 3 + 1, size=again))
            % span
        )
        start = np.minimum(np.concatenate([first, second]), months - 1)
        return (
            table(
                "ProductDefect.defects",
                {"product": "Product2", "issue": "Issue__c"},
                product=np.concatenate([weak, weak[:again]]),
                issue=_issues(rng, org.table("Solution.issues"), len(weak), again),
                from_month=setting.first_day.astype("datetime64[M]")
                + start.astype("timedelta64[M]"),
                months=rng.integers(1, 4, size=count),
                strength=np.round(rng.gamma(4.0, 2.5, size=count) + 4, 2),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Weak products draw their own issue, and in their own months."""
        defect = (
            'FROM "Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c LEFT JOIN'
            ' latent."ProductDefect.defects" d ON d.product = i.Product2Id'
        )
        own_issue = org.execute(
            "SELECT max(d.product IS NOT NULL AND c.IssueId__c = d.issue), d.product IS NOT NULL"
            f" {defect} GROUP BY c.Id"
        ).fetchall()
        issue_rows = [(weak, own) for own, weak in own_issue]
        spell = org.execute(
            "SELECT c.IssueId__c = d.issue, substr(c.CreatedDate, 1, 7) >= substr(d.from_month, 1,"
            " 7) AND substr(c.CreatedDate, 1, 7) < substr(date(d.from_month || '-01', '+' ||"
            f" d.months || ' months'), 1, 7) {defect} WHERE d.product IS NOT NULL"
        ).fetchall()
        return (
            shares(self.name, "weak products draw their own issue", issue_rows),
            shares(self.name, "a weak product's own issue comes in its own months", spell),
        )


def _issues(rng: Stream, issues: Table, weak: int, again: int) -> Array:
    """An issue of a product's kind for each weak product,
    and another one for those struck again.
    """
    made = issues["kind"] == "product"
    weights = np.asarray(issues["weight"] * (made if made.any() else True), dtype=float)
    first = pick(rng, np.tile(weights, (weak, 1)))
    others = np.tile(weights, (again, 1))
    others[np.arange(again), first[:again]] = 0.0
    others[others.sum(axis=1) == 0] = weights
    return np.concatenate([first, pick(rng, others)])
