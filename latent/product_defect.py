"""ProductDefect: some products draw some issue far more than others, in some months.

It draws `defects`: product, issue, first month, months it lasts, and strength (how many cases it
draws where enough of the product was sold). A weak product is struck in waves: a faulty batch,
a quiet month, then another fault.
It is drawn from ShoppingHabit (a defect matters where the product sells) and Solution (the
issues).
It drives, through ComplaintHabit, which items are complained about, about what, and when.
It knows no customers and no cases.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from latent.complaints import DEFECT_MEMORY, numbers_by_intent
from latent.contacts import COMPLAINT
from latent.draws import pick
from latent.solution import possible
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# Two in three complaints are about defects, as far as there are items for it: with fewer too few
# products would be struck often enough for their months to differ.
DEFECT_SHARE = 0.68

# A maker hears of a fault from many, mends it, and hears of it from fewer and fewer, until the next
# batch fails: so many cases each spell draws in turn. Any of them may be a product's first. Windows
# of four to twelve months hold two to six spells, so the worst of a window is rarely that of the
# year, seldom has half of its cases, and stands out by two at least. Chosen so that 130 questions
# on products' months hang on their windows.
WAVE = (5, 3, 1, 1)

# A product with many spells is struck for two years, which is as long as most are sold. One with
# few is taken only where too few have many.
MOST_SPELLS = 14
MANY_SPELLS = 6

# A spell finds its cases where some more items were sold than it needs: if nearly all buyers wrote,
# it would not show who likes to complain.
ITEMS_A_CASE = 1.4
MEMORY_MONTHS = int(DEFECT_MEMORY / np.timedelta64(30, "D"))

# Defects prefer products that sell, more than in proportion: a case needs an item sold.
SALES_POWER = 1.3

# No defect begins in the first three months (hardly anything is sold yet) nor in the last one (its
# cases would lie behind the period). Nineteen of twenty last one month, the others two, so that one
# month stands out. Between two spells of a product lies one quiet month.
FIRST_MONTHS = 3
LAST_MONTHS = 2
MONTHS = {1: 0.95, 2: 0.05}
REST_MONTHS = 1

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
        spells = _weak_spells(rng, org)
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


def _weak_spells(rng: Stream, org: Org) -> list[Spell]:
    """The spells of all weak products, as many as the complaints about defects fill; the last
    product's break off where they are filled.

    Products come by chance and by what they sell; those with many spells come before all others.
    """
    sales = _sales_by_month(org)
    latest = max(sales.shape[1] - LAST_MONTHS, 1)
    left = numbers_by_intent(org.setting)[COMPLAINT] * DEFECT_SHARE
    with np.errstate(divide="ignore"):
        liking = SALES_POWER * np.log(sales.sum(axis=1))
    order = np.argsort(-(liking + rng.gumbel(size=len(liking))), kind="stable")
    few: list[list[Spell]] = []
    weak: list[Spell] = []
    for run in chain(_runs(rng, sales, order, latest, few), few):
        for spell in run:
            left -= spell.strength
            if left < 0:
                return weak
            weak.append(spell)
    return weak


def _runs(
    rng: Stream,
    sales: Array,
    products: Array,
    latest: int,
    few: list[list[Spell]],
) -> Iterator[list[Spell]]:
    """The spells of each product that can have many; those of the others are put into `few`."""
    usual = sales.sum(axis=0) + 1.0
    struck = np.zeros(len(usual))
    for product in products.tolist():
        run = _run(rng, product, sales[product], latest, struck / usual)
        if len(run) >= MANY_SPELLS:
            for spell in run:
                struck[spell.start] += spell.strength
            yield run
        else:
            few.append(run)


def _sales_by_month(org: Org) -> Array:
    """How many items of each product (rows) were ordered in each month (columns)."""
    items = org.table("ShoppingHabit.items")
    first_month = org.setting.first_day.astype("datetime64[M]")
    last_month = org.setting.last_day.astype("datetime64[M]")
    ordered = org.table("ShoppingHabit.orders")["day"][items["order"]].astype("datetime64[M]")
    months = int((last_month - first_month).astype(int)) + 1
    sold = np.zeros((org.table("Assortment.products").size, months))
    np.add.at(sold, (items["product"], (ordered - first_month).astype(int)), 1)
    return sold


def _run(rng: Stream, product: int, sold: Array, latest: int, struck: Array) -> list[Spell]:
    """The spells of one product, in time: as many as its sales allow, or one fewer, from a month
    from which on they do; none where it sells too little. `sold` is one number a month.

    `struck` says how much other products are struck in each month. Spells come every other month:
    were those of all products in the same ones, every other month of the desk would be quiet.
    """
    first = rng.integers(len(WAVE))
    wave = [WAVE[(first + place) % len(WAVE)] for place in range(MOST_SPELLS)]
    lengths = rng.choice(list(MONTHS), p=list(MONTHS.values()), size=MOST_SPELLS)
    offsets = np.concatenate([[0], np.cumsum(lengths + REST_MONTHS)[:-1]])
    possible_spells = [
        _fitting(sold, start + offsets, wave, latest) for start in range(FIRST_MONTHS, latest + 1)
    ]
    most = max(possible_spells, default=0)
    if not most:
        return []
    enough = max(most - 1, 1)
    starts = [place for place, number in enumerate(possible_spells) if number >= enough]
    crowded = []
    for place in starts:
        months = FIRST_MONTHS + place + offsets[: possible_spells[place]]
        crowded.append(float(np.average(struck[months], weights=wave[: len(months)])))
    least = np.flatnonzero(np.array(crowded) == min(crowded))
    chosen = starts[least[rng.integers(len(least))]]
    start = FIRST_MONTHS + chosen
    run = []
    for place in range(possible_spells[chosen]):
        begins = int(start + offsets[place])
        run.append(Spell(product, begins, int(lengths[place]), float(wave[place])))
    return run


def _fitting(sold: Array, months: Array, wave: Sequence[int], latest: int) -> int:
    """How many spells that begin in these months, one after another, find the items they need."""
    free = sold.copy()
    for place, (month, cases) in enumerate(zip(months.tolist(), wave, strict=True)):
        recent = free[max(month - MEMORY_MONTHS, 0) : month + 1]
        if month > latest or recent.sum() < cases * ITEMS_A_CASE:
            return place
        _take_latest(recent, cases)
    return len(wave)


def _take_latest(recent: Array, cases: int) -> None:
    """Takes so many items out of the months, from the last one backwards."""
    behind = np.cumsum(recent[::-1])[::-1] - recent
    recent -= np.clip(cases - behind, 0.0, recent)


def _issues(rng: Stream, org: Org, product: Array) -> Array:
    """The issue of each spell: one that its product can have, unlike that of the spell before.

    It is of a kind that comes in waves in the trade. Where a product can have none of these, or but
    one, it is of another kind; only a product that can have no issue at all gets any.
    `product` holds the spells of each product one after another.
    """
    issues = org.table("Solution.issues")
    all_weights = np.asarray(issues["weight"], dtype=float)
    waves = np.isin(issues["kind"].astype(str), org.setting.world.trade.contact.waves)
    category = org.table("Assortment.products")["category_key"][product]
    # A weak product is so whether it is shipped or not.
    fitting = all_weights * possible(org, category, np.zeros(len(product), dtype=bool))
    issue = np.zeros(len(product), dtype=np.int64)
    for spell in range(len(product)):
        fits = fitting[spell : spell + 1]
        other = fits.copy()
        if spell and product[spell - 1] == product[spell]:
            other[0, issue[spell - 1]] = 0.0
        likely = other * waves
        for instead in (other, fits, all_weights[np.newaxis]):
            likely = _or_else(likely, instead)
        issue[spell] = pick(rng, likely)[0]
    return issue


def _or_else(chances: Array, others: Array) -> Array:
    """The chances, or the others where all of them are 0."""
    return chances if chances.any() else others
