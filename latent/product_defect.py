"""ProductDefect: some products draw some issue far more than others, in some months.

It draws `defects`: product, issue, first month, months it lasts, and strength (how many times as
many cases as an ordinary product). Some products have two: another issue at another time.
It is drawn from ShoppingHabit (a defect matters where the product sells) and Solution (the
issues).
It drives, through ComplaintHabit, which items are complained about, about what, and when.
It knows no customers and no cases.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly, pick
from latent.solution import possible
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# A defect for every tenth product: enough for a question on each of several months and products,
# few enough that most products are sound. Chosen by eye.
SHARE_OF_PRODUCTS = 0.10

# Of five defects three strike a product for the first time and two strike one of those again, so
# that "the product's most common issue" has different answers for different months.
ONCE, TWICE = 3, 2

# Defects prefer products that sell, more than in proportion: a case needs an item sold.
SALES_POWER = 1.5

# No defect begins in the first three months (hardly anything is sold yet) nor in the last one (its
# cases would lie behind the period). Each lasts one to three months.
FIRST_MONTHS = 3
LAST_MONTHS = 2
MONTHS = (1, 3)

# Strength is 4 + gamma(4, 2.5), 14 in the mean. Chosen so that a defect's issue is its product's
# most common one beyond doubt.
LEAST_STRENGTH = 4
STRENGTH_SHAPE = (4.0, 2.5)

CASES_WITH_DEFECTS = """
    FROM "Case" c
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    LEFT JOIN latent."ProductDefect.defects" d ON d.product = i.Product2Id
"""
# A case of a product with two defects is counted once: hence the maximum over both.
OWN_ISSUES = f"""
    SELECT d.product IS NOT NULL, max(d.product IS NOT NULL AND c.IssueId__c = d.issue)
    {CASES_WITH_DEFECTS}
    GROUP BY c.Id
"""
OWN_MONTHS = f"""
    SELECT
        c.IssueId__c = d.issue,
        substr(c.CreatedDate, 1, 7) >= substr(d.from_month, 1, 7)
        AND substr(c.CreatedDate, 1, 7)
            < substr(date(d.from_month || '-01', '+' || d.months || ' months'), 1, 7)
    {CASES_WITH_DEFECTS}
    WHERE d.product IS NOT NULL
"""


class ProductDefect:
    """Weak products."""

    name = "ProductDefect"
    reads: tuple[str, ...] = ("ShoppingHabit", "Assortment", "Solution")
    tables: Mapping[str, tuple[str, ...]] = {
        "defects": ("product", "issue", "from_month", "months", "strength")
    }
    drives = ("Case.OrderItemId__c", "Case.IssueId__c", "Case.CreatedDate")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """A defect for a tenth as many as there are products.

        Two of five strike a product that has had one, by another issue at another time.
        """
        rng = org.setting.stream("ProductDefect", "defects")
        products = org.table("Assortment.products").size
        sold = np.bincount(org.table("ShoppingHabit.items")["product"], minlength=products)
        wanted = max(1, round(products * SHARE_OF_PRODUCTS))
        count = min(wanted, int((sold > 0).sum()))
        again = count * TWICE // (ONCE + TWICE)
        weak = exactly(rng, sold.astype(float) ** SALES_POWER, count - again)
        start = _starts(rng, org, weak, again)
        issue = _issues(rng, org, weak, again)
        first_month = org.setting.first_day.astype("datetime64[M]")
        shortest, longest = MONTHS
        return (
            table(
                "ProductDefect.defects",
                {"product": "Product2", "issue": "Issue__c"},
                product=np.concatenate([weak, weak[:again]]),
                issue=issue,
                from_month=first_month + start.astype("timedelta64[M]"),
                months=rng.integers(shortest, longest + 1, size=count),
                strength=np.round(rng.gamma(*STRENGTH_SHAPE, size=count) + LEAST_STRENGTH, 2),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Weak products draw their own issue, and in their own months."""
        issues = org.execute(OWN_ISSUES).fetchall()
        months = org.execute(OWN_MONTHS).fetchall()
        return (
            shares(self.name, "weak products draw their own issue", issues),
            shares(self.name, "a weak product's own issue comes in its own months", months),
        )


def _starts(rng: Stream, org: Org, weak: Array, again: int) -> Array:
    """The month, counted from the period's first, in which each defect begins.

    It is one in which the product is on sale, as far as that leaves time for complaints. A second
    one begins at least a third of these months after the first, round their end.
    """
    first_month = org.setting.first_day.astype("datetime64[M]")
    months = int((org.setting.last_day.astype("datetime64[M]") - first_month).astype(int)) + 1
    products = org.table("Assortment.products")
    launched = (products["launched"][weak].astype("datetime64[M]") - first_month).astype(int)
    ended = (products["ended"][weak].astype("datetime64[M]") - first_month).astype(int)
    latest = np.clip(ended, 0, max(months - LAST_MONTHS, 1))
    earliest = np.minimum(np.maximum(launched, FIRST_MONTHS), latest)
    span = latest - earliest + 1
    place = (rng.random(len(weak)) * span).astype(int)
    third = span[:again] // 3
    later = place[:again] + third + (rng.random(again) * (third + 1)).astype(int)
    second = earliest[:again] + later % span[:again]
    return np.asarray(np.minimum(np.concatenate([earliest + place, second]), months - 1))


def _issues(rng: Stream, org: Org, weak: Array, again: int) -> Array:
    """An issue that each weak product can have, another one for those struck again.

    It is of a product's kind; where a product can have none of these, or but one, any will do.
    """
    issues = org.table("Solution.issues")
    made = issues["kind"] == "product"
    weights = np.asarray(issues["weight"] * (made if made.any() else True), dtype=float)
    category = org.table("Assortment.products")["category_key"][weak]
    # A weak product is so whether it is shipped or not.
    fits = possible(org, category, np.zeros(len(weak), dtype=bool))
    chances = _or_else(weights * fits, weights)
    first = pick(rng, chances)
    others = chances[:again].copy()
    others[np.arange(again), first[:again]] = 0.0
    return np.concatenate([first, pick(rng, _or_else(others, weights))])


def _or_else(chances: Array, weights: Array) -> Array:
    """The chances, with the weights in the rows that have none."""
    none = chances.sum(axis=1) == 0
    return np.where(none[:, None], weights, chances)
