"""What is on sale on a day, and how much each product is wanted then.

A part of ShoppingHabit. It reads Assortment (life spans, popularity) and Season (what promotions
are for). Knows no customers and draws nothing.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.world.org import Org
from pipeline.world.tables import Array, Table


@dataclass(frozen=True, slots=True)
class Offers:
    """The range over time.

    `on_sale` counts the products of each category on each day of the period (days × categories).
    `promoted` says which categories each book is for (books × categories), `whole` whether that is
    the whole range; they have a last row for no book.
    """

    first_day: np.datetime64
    products: Table
    novelty: float
    novelty_days: float
    on_sale: Array
    promoted: Array
    whole: Array

    def day_rows(self, days: Array) -> Array:
        """The rows of the calendar that days have."""
        return (days - self.first_day).astype(int)

    def number_on(self, days: Array) -> Array:
        """Days × categories: how many different products are on sale."""
        return np.asarray(self.on_sale[self.day_rows(days)])

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
        on_sale=_on_sale(org, products, len(keys)),
        promoted=np.vstack([np.stack(promoted), nothing]),
        whole=np.append(books["storewide"].astype(bool), False),
    )


def _on_sale(org: Org, products: Table, categories: int) -> Array:
    """Days × categories: what comes adds to the number from its day on, what goes is taken off."""
    setting = org.setting
    days = int((setting.last_day - setting.first_day).astype(int)) + 1
    change = np.zeros((days + 1, categories), dtype=np.int64)
    comes = np.maximum((products["launched"] - setting.first_day).astype(int), 0)
    goes = (products["ended"] - setting.first_day).astype(int) + 1
    lives = goes > comes
    np.add.at(change, (comes[lives], products["category"][lives]), 1)
    np.add.at(change, (goes[lives], products["category"][lives]), -1)
    return np.asarray(change.cumsum(axis=0)[:-1])
