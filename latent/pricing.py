"""Pricing: what each product costs in each price book.

It draws `entries`: a unit price in dollars for each book and product; the row number is
book × products + product.
It is drawn from Season (the discounts of each book) and Assortment (list prices, categories).
It drives PricebookEntry.UnitPrice, and so what orders and their items cost.
It knows no customers and no orders.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.assortment import CENTS_BELOW, LOWEST_PRICE
from latent.statistics import difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

PRICE_SHARES = """
    SELECT b.kind = 'promotion', e.UnitPrice / s.list_price
    FROM PricebookEntry e
    JOIN latent."Season.books" b ON b.Id = e.Pricebook2Id
    JOIN latent."Assortment.products" s ON s.Id = e.Product2Id
    WHERE b.kind <> 'standard'
"""


class Pricing:
    """Unit prices of every book."""

    name = "Pricing"
    reads: tuple[str, ...] = ("Season", "Assortment")
    tables: Mapping[str, tuple[str, ...]] = {"entries": ("price",)}
    drives = ("PricebookEntry.UnitPrice", "OrderItem.UnitPrice", "Order.TotalAmount")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """List price less the discount that a book gives on the product's category."""
        books = org.table("Season.books")
        products = org.table("Assortment.products")
        by_category = _discounts(org, books, org.table("Assortment.categories"))
        discount = by_category[:, products["category"]]
        list_price = products["list_price"].astype(float)
        lowered = np.round(list_price * (1 - discount)) - CENTS_BELOW
        price = np.minimum(np.maximum(lowered, LOWEST_PRICE), list_price)
        price = np.where(discount == 0, list_price, price)
        return (table("Pricing.entries", price=np.round(price, 2).ravel()),)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Promotion books are cheaper than seasonal ones."""
        rows = org.execute(PRICE_SHARES).fetchall()
        says = "prices in promotion books against seasonal ones"
        return (difference(self.name, says, "share of list price", rows, sign=-1),)


def _discounts(org: Org, books: Table, categories: Table) -> Array:
    """Books × categories: a share of the list price, whole percents.

    A category that a book boosts gets the book's highest discount.
    """
    rng = org.setting.stream("Pricing", "discounts")
    low = books["lowest"][:, None] / 100
    high = books["highest"][:, None] / 100
    points = rng.random((books.size, categories.size))
    drawn = low + (high - low) * points
    keys = categories["key"].astype(str)
    boosted = []
    for boost in books["boost"]:
        boosted.append(np.isin(keys, boost.split(",")))
    return np.round(np.where(boosted, high, drawn), 2)
