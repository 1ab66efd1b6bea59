"""Pricing: what each product costs in each price book.

Draws  `entries`: unit price in dollars, one a book and product (row = book × products + product).
From   Season (discounts of each book) and Assortment (list prices, categories, tiers).
Drives PricebookEntry.UnitPrice, and so OrderItem.UnitPrice and Order.TotalAmount.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.statistics import difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table


class Pricing:
    """Unit prices of every book."""

    name = "Pricing"
    reads: tuple[str, ...] = ("Season", "Assortment")
    tables: Mapping[str, tuple[str, ...]] = {"entries": ("price",)}
    drives = ("PricebookEntry.UnitPrice", "OrderItem.UnitPrice", "Order.TotalAmount")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """List price less the discount that a book gives on the product's category."""
        books, products = org.table("Season.books"), org.table("Assortment.products")
        discount = _discounts(org, books, org.table("Assortment.categories"))[
            :, products["category"]
        ]
        list_price = products["list_price"].astype(float)
        price = np.maximum(np.round(list_price * (1 - discount)) - 0.05, 0.95)
        price = np.where(discount == 0, list_price, np.minimum(price, list_price))
        return (table("Pricing.entries", price=np.round(price, 2).ravel()),)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Promotion books are cheaper than the standard book."""
        rows = org.execute(
            "SELECT b.kind = 'promotion', e.UnitPrice / s.list_price FROM PricebookEntry e JOIN"
            ' latent."Season.books" b ON b.Id = e.Pricebook2Id JOIN'
            " latent.\"Assortment.products\" s ON s.Id = e.Product2Id WHERE b.kind <> 'standard'"
        ).fetchall()
        return (
            difference(
                self.name,
                "prices in promotion books against seasonal ones",
                "share of list price",
                rows,
                sign=-1,
            ),
        )


def _discounts(org: Org, books: Table, categories: Table) -> Array:
    rng = org.setting.stream("Pricing", "discounts")
    low, high = books["lowest"][:, None] / 100, books["highest"][:, None] / 100
    drawn = low + (high - low) * rng.random((books.size, categories.size))
    boosted = np.array(
        [[key in boost.split(",") for key in categories["key"]] for boost in books["boost"]],
        dtype=bool,
    )
    return np.round(np.where(boosted, high, drawn), 2)
