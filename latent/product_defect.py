"""ProductDefect: some products draw some issue far more than others, in some months.

Draws  `defects`: product, issue, first month, months it lasts, strength (how many cases for one of an ordinary product).
From   ShoppingHabit (a defect matters where the product sells), Solution (the issues).
Drives ComplaintHabit.cases: which items are complained about, about what, when; so Case.OrderItemId__c, Case.IssueId__c.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly, pick
from latent.statistics import shares
from latent.variable import Effect
from pipeline.org import Org
from pipeline.tables import Table, table

SHARE_OF_PRODUCTS = 0.10


class ProductDefect:
    """Weak products."""

    name = "ProductDefect"
    reads: tuple[str, ...] = ("ShoppingHabit", "Assortment", "Solution")
    tables: Mapping[str, tuple[str, ...]] = {"defects": ("product", "issue", "from_month", "months", "strength")}
    drives = ("ComplaintHabit", "Case.OrderItemId__c", "Case.IssueId__c", "Case.CreatedDate")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """A tenth of the products, the better sold the likelier, one issue and one spell of one to three months each."""
        setting = org.setting
        rng = setting.stream("ProductDefect", "defects")
        products, issues = org.table("Assortment.products").size, org.table("Solution.issues")
        sold = np.bincount(org.table("ShoppingHabit.items")["product"], minlength=products)
        count = min(max(1, round(products * SHARE_OF_PRODUCTS)), int((sold > 0).sum()))
        product = exactly(rng, sold.astype(float) ** 1.5, count)
        made = issues["kind"] == "product"
        weights = issues["weight"] * (made if made.any() else True)
        months = int((setting.last_day.astype("datetime64[M]") - setting.first_day.astype("datetime64[M]")).astype(int)) + 1
        first = rng.integers(min(3, max(months - 2, 1)), max(months - 2, 1) + 1, size=count)
        return (
            table(
                "ProductDefect.defects",
                {"product": "Product2", "issue": "Issue__c"},
                product=product,
                issue=pick(rng, np.tile(weights, (count, 1))),
                from_month=setting.first_day.astype("datetime64[M]") + np.minimum(first, months - 1).astype("timedelta64[M]"),
                months=rng.integers(1, 4, size=count),
                strength=np.round(rng.gamma(4.0, 2.5, size=count) + 4, 2),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Weak products draw their own issue, and in their own months."""
        defect = 'FROM "Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c LEFT JOIN latent."ProductDefect.defects" d ON d.product = i.Product2Id'
        own_issue = org.execute(
            f'WITH weak AS (SELECT DISTINCT issue FROM latent."ProductDefect.defects") SELECT d.product IS NOT NULL AND c.IssueId__c = d.issue, d.product IS NOT NULL {defect}'
        ).fetchall()
        issue_rows = [(weak, own) for own, weak in own_issue]
        spell = org.execute(
            "SELECT c.IssueId__c = d.issue, substr(c.CreatedDate, 1, 7) >= substr(d.from_month, 1, 7)"
            f" AND substr(c.CreatedDate, 1, 7) < substr(date(d.from_month || '-01', '+' || d.months || ' months'), 1, 7) {defect} WHERE d.product IS NOT NULL"
        ).fetchall()
        return (
            shares(self.name, "weak products draw their own issue", issue_rows),
            shares(self.name, "a weak product's own issue comes in its own months", spell),
        )
