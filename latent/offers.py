"""What is on sale on a day, and how much each product is wanted then.

A part of ShoppingHabit. It reads Assortment (life spans, popularity) and Season (what promotions
are for). Knows no customers and draws nothing.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table


@dataclass(frozen=True, slots=True)
class Offers:
    """The range over time.

    `on_sale` counts the products of each category on each day of the period (days × categories);
    `for_groups` those for each target group (days × categories × groups).
    `promoted` says which categories each book is for (books × categories), `whole` whether that is
    the whole range; they have a last row for no book.
    """

    first_day: np.datetime64
    products: Table
    novelty: float
    novelty_days: float
    on_sale: Array
    for_groups: Array
    promoted: Array
    whole: Array

    def day_rows(self, days: Array) -> Array:
        """The rows of the calendar that days have."""
        return np.asarray((days - self.first_day).astype(int))

    def number_on(self, days: Array) -> Array:
        """Days × categories: how many different products are on sale."""
        return np.asarray(self.on_sale[self.day_rows(days)])

    def groups_on(self, days: Array, category: Array) -> Array:
        """Lines × target groups: whether a category has anything for each on a day."""
        return np.asarray(self.for_groups[self.day_rows(days), category] > 0)

    def appeal(self, days: Array, stock: Array) -> Array:
        """Days × products (`stock`: their rows): popularity, more for what is new; 0 off sale."""
        launched = self.products["launched"][stock]
        age = (days[:, None] - launched).astype(float)
        on_sale = (age >= 0) & (days[:, None] <= self.products["ended"][stock])
        new = 1 + self.novelty * np.exp(-np.maximum(age, 0) / self.novelty_days)
        return np.asarray(on_sale * self.products["popularity"][stock] * new)


def offers(org: Org) -> Offers:
    """What is on sale on each day of the period."""
    setting = org.setting
    products = org.table("Assortment.products")
    books = org.table("Season.books")
    keys = org.table("Assortment.categories")["key"].astype(str)
    promoted = []
    for boost in books["boost"]:
        promoted.append(np.isin(keys, boost.split(",")))
    nothing = np.zeros((1, len(keys)), dtype=bool)
    trade = setting.world.trade.range
    return Offers(
        first_day=setting.first_day,
        products=products,
        novelty=trade.novelty,
        novelty_days=float(trade.novelty_days),
        on_sale=_on_sale(org, products, products["category"], len(keys)),
        for_groups=_for_groups(org, products, len(keys)),
        promoted=np.vstack([np.stack(promoted), nothing]),
        whole=np.append(books["storewide"].astype(bool), False),
    )


def _for_groups(org: Org, products: Table, categories: int) -> Array:
    """Days × categories × target groups: how many products are on sale for each."""
    groups = len(org.setting.world.groups)
    if not groups:
        return np.zeros((1, categories, 0), dtype=np.int64)
    pair = products["category"] * (groups + 1) + products["group"]
    # What is for no group is counted in a last column, which nobody asks for.
    pair = np.where(products["group"] == NONE, pair + groups + 1, pair)
    counted = _on_sale(org, products, pair, categories * (groups + 1))
    return counted.reshape(len(counted), categories, groups + 1)[:, :, :groups]


def _on_sale(org: Org, products: Table, label: Array, labels: int) -> Array:
    """Days × labels: what comes adds to the number from its day on, what goes is taken off."""
    setting = org.setting
    days = int((setting.last_day - setting.first_day).astype(int)) + 1
    change = np.zeros((days + 1, labels), dtype=np.int64)
    comes = np.maximum((products["launched"] - setting.first_day).astype(int), 0)
    goes = (products["ended"] - setting.first_day).astype(int) + 1
    lives = goes > comes
    np.add.at(change, (comes[lives], label[lives]), 1)
    np.add.at(change, (goes[lives], label[lives]), -1)
    return np.asarray(change.cumsum(axis=0)[:-1])
