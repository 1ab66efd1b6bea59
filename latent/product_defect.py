"""ProductDefect: some products draw some issue far more than others, in some months.

It draws `defects`: product, issue, first month, months it lasts, and strength (how many times as
many cases as an ordinary product). A product that is struck at all is struck again and again: a
faulty batch, months of rest, then another fault.
It is drawn from ShoppingHabit (a defect matters where the product sells) and Solution (the
issues).
It drives, through ComplaintHabit, which items are complained about, about what, and when.
It knows no customers and no cases.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latent.complaints import COMPLAINT, DEFECT_SHARE, numbers_by_intent
from latent.draws import pick
from latent.solution import possible
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# A defect's spell draws so many cases in the mean. Fewer would leave its issue without a clear
# lead; more would leave too few spells, and one burst would then answer for a product's whole year.
CASES_A_SPELL = 4.5

# A weak product has a spell for every eight of its items sold, two at least and four at most. With
# one spell alone "the most common issue" and "the worst month" would be the same in every window
# that holds it; more would need more items than products usually sell.
ITEMS_A_SPELL = 8
SPELLS_EACH = (2, 4)

OUT_OF_REACH = 1e3  # beyond every logarithm of what is sold, noise included

# Defects prefer products that sell, more than in proportion: a case needs an item sold.
SALES_POWER = 1.3

# No defect begins in the first three months (hardly anything is sold yet) nor in the last one (its
# cases would lie behind the period). Nine of ten last one month, the others two, so that one month
# stands out.
FIRST_MONTHS = 3
LAST_MONTHS = 2
MONTHS = {1: 0.9, 2: 0.1}

# Between two spells of a product lie one to four quiet months: within a year there are two to four
# spells, and windows of different lengths see different ones.
REST_MONTHS = (1, 4)

# Faults get milder as a maker learns of them, until the next one begins anew: of three spells the
# second has seven tenths of the first one's strength, the third half of it. Three of ten products
# start in the middle, so that neither the latest nor the first spell is always the worst. So what
# stands out in some months is often not what stands out in the year. Products differ by a
# log-normal factor. All chosen by eye.
MILDER = (1.0, 0.7, 0.5)
STARTS_AT = {0: 0.7, 1: 0.15, 2: 0.15}
LARGEST_STRENGTH = 16.0
PRODUCT_SIGMA = 0.25

CASES_WITH_DEFECTS = """
    FROM "Case" c
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    LEFT JOIN latent."ProductDefect.defects" d ON d.product = i.Product2Id
"""
# A case of a product with several defects is counted once: hence the maximum over all.
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


@dataclass(frozen=True, slots=True)
class Spell:
    """The months of one defect; `start` counts from the period's first month."""

    product: int
    start: int
    months: int
    strength: float


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
        """The spells of all weak products, as many as the complaints about defects fill."""
        rng = org.setting.stream("ProductDefect", "spells")
        spells: list[Spell] = []
        for weak, wanted in _weak_products(rng, org):
            spells += _schedule(rng, org, weak, wanted)
        product = np.array([spell.product for spell in spells], dtype=np.int64)
        start = np.array([spell.start for spell in spells], dtype=np.int64)
        first_month = org.setting.first_day.astype("datetime64[M]")
        return (
            table(
                "ProductDefect.defects",
                {"product": "Product2", "issue": "Issue__c"},
                product=product,
                issue=_issues(rng, org, product),
                from_month=first_month + start.astype("timedelta64[M]"),
                months=np.array([spell.months for spell in spells], dtype=np.int64),
                strength=np.array([spell.strength for spell in spells], dtype=float),
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


def _weak_products(rng: Stream, org: Org) -> list[tuple[int, int]]:
    """The weak products in random order, each with the number of its spells."""
    products = org.table("Assortment.products").size
    sold = np.bincount(org.table("ShoppingHabit.items")["product"], minlength=products)
    fewest, most = SPELLS_EACH
    each = np.clip(sold // ITEMS_A_SPELL, fewest, most)
    complaints = numbers_by_intent(org.setting)[COMPLAINT]
    left = max(1, round(complaints * DEFECT_SHARE / CASES_A_SPELL))
    with np.errstate(divide="ignore"):
        liking = SALES_POWER * np.log(sold.astype(float))
    # Products that sell too little for two spells come behind all others.
    enough = sold >= fewest * ITEMS_A_SPELL
    keys = liking + rng.gumbel(size=products) + np.where(enough, OUT_OF_REACH, 0.0)
    weak = []
    for product in np.argsort(-keys, kind="stable").tolist():
        if left <= 0 or not sold[product]:
            break
        spells = min(int(each[product]), left)
        weak.append((product, spells))
        left -= spells
    return weak


def _schedule(rng: Stream, org: Org, product: int, wanted: int) -> list[Spell]:
    """The spells of one product, in time; fewer than wanted where it sells too little for them.

    The first begins somewhere in its life, each further one after some quiet months, and not before
    enough items more have been sold.
    """
    first_month = org.setting.first_day.astype("datetime64[M]")
    last_month = org.setting.last_day.astype("datetime64[M]")
    period = int((last_month - first_month).astype(int)) + 1
    latest = min(max(period - LAST_MONTHS, 1), period - 1)
    days = _sale_days(org, product)
    months = (days.astype("datetime64[M]") - first_month).astype(int)
    slack = max(len(months) - wanted * ITEMS_A_SPELL, 0)
    sold = min(ITEMS_A_SPELL, len(months)) - 1 + int(rng.integers(slack + 1))
    free = FIRST_MONTHS
    spells: list[Spell] = []
    for strength in _strengths(rng, wanted):
        if spells and (sold >= len(months) or free > latest):
            break
        start = min(max(int(months[sold]), free), latest)
        length = int(rng.choice(list(MONTHS), p=list(MONTHS.values())))
        spells.append(Spell(product, start, length, strength))
        free = start + length + int(rng.integers(REST_MONTHS[0], REST_MONTHS[1] + 1))
        sold = int(np.searchsorted(months, start)) + ITEMS_A_SPELL
    return spells


def _sale_days(org: Org, product: int) -> Array:
    """The days of the orders of a product's items, in time."""
    items = org.table("ShoppingHabit.items")
    order = items["order"][items["product"] == product]
    return np.sort(org.table("ShoppingHabit.orders")["day"][order])


def _strengths(rng: Stream, spells: int) -> list[float]:
    """The strength of each of a product's spells, in time."""
    first = int(rng.choice(list(STARTS_AT), p=list(STARTS_AT.values())))
    worst = LARGEST_STRENGTH * float(rng.lognormal(0.0, PRODUCT_SIGMA))
    return [round(worst * MILDER[(first + place) % len(MILDER)], 2) for place in range(spells)]


def _issues(rng: Stream, org: Org, product: Array) -> Array:
    """The issue of each spell: one that its product can have, unlike that of the spell before.

    It is of a product's kind; where a product can have none of these, or but one, any will do.
    `product` holds the spells of each product one after another.
    """
    issues = org.table("Solution.issues")
    made = issues["kind"] == "product"
    weights = np.asarray(issues["weight"] * (made if made.any() else True), dtype=float)
    category = org.table("Assortment.products")["category_key"][product]
    # A weak product is so whether it is shipped or not.
    fits = possible(org, category, np.zeros(len(product), dtype=bool))
    chances = _or_else(weights * fits, weights)
    issue = np.zeros(len(product), dtype=np.int64)
    for spell in range(len(product)):
        likely = chances[spell : spell + 1].copy()
        if spell and product[spell - 1] == product[spell]:
            likely[0, issue[spell - 1]] = 0.0
        issue[spell] = pick(rng, _or_else(likely, np.asarray(issues["weight"], dtype=float)))[0]
    return issue


def _or_else(chances: Array, weights: Array) -> Array:
    """The chances, with the weights in the rows that have none."""
    none = chances.sum(axis=1) == 0
    return np.where(none[:, None], weights, chances)
