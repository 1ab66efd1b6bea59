"""Pricing: what each product costs in each price book, and whether it is sold from it.

It draws `entries`: the price, the list price of that time, the discount in percent and
whether it is on offer, for each book and product; the row number is book × products + product.
It is drawn from Season (the discounts of each book, and what it is for) and Assortment (list
prices of each year, life spans, categories).
It drives the price-book entries, and so what orders and their items cost.
It knows no customers and no orders.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.assortment import price_year, price_years
from latent.price_ladder import reduced
from latent.statistics import difference, shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

# Promotions don't make cheaper what is new: for so many days after its launch.
NEW_DAYS = 60

# Discounts on last pieces are multiples of so many percent, as their labels are.
MARKDOWN_STEP = 5

PRICE_SHARES = """
    SELECT b.kind = 'promotion', e.UnitPrice / s.list_price
    FROM PricebookEntry e
    JOIN latent."Season.books" b ON b.Id = e.Pricebook2Id
    JOIN latent."Assortment.products" s ON s.Id = e.Product2Id
    WHERE b.kind <> 'standard'
"""
# What is sold of each product in its last season, against before.
LAST_PIECES = """
    SELECT s.end_date IS NOT NULL AND julianday(s.end_date) - julianday(o.EffectiveDate) < 75,
           i.UnitPrice < i.ListPrice
    FROM OrderItem i
    JOIN "Order" o ON o.Id = i.OrderId
    JOIN latent."Season.books" b ON b.Id = o.Pricebook2Id
    JOIN latent."Assortment.products" s ON s.Id = i.Product2Id
    WHERE b.kind = 'seasonal'
"""


class Pricing:
    """Unit prices of every book."""

    name = "Pricing"
    reads: tuple[str, ...] = ("Season", "Assortment")
    tables: Mapping[str, tuple[str, ...]] = {
        "entries": ("price", "list_price", "discount", "offered", "changed")
    }
    drives = (
        "PricebookEntry",
        "OrderItem.UnitPrice",
        "OrderItem.ListPrice",
        "Order.TotalAmount",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """List price less the discount that a book gives, on what it is for."""
        books = org.table("Season.books")
        products = org.table("Assortment.products")
        listed = _list_prices(org, books, products)
        discount = _promoted(org, books, products)
        cut = _marked_down(org, books, products)
        largest = np.maximum(discount, cut)
        whole = org.setting.country.currency.rate
        price = reduced(listed, products["under"].astype(float), largest, whole)
        return (
            table(
                "Pricing.entries",
                price=np.round(price, 2).ravel(),
                list_price=listed.ravel(),
                discount=np.round(largest * 100).astype(int).ravel(),
                offered=_offered(org, books, products).ravel(),
                changed=_changed(books, products).ravel(),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Promotion books are cheaper than seasonal ones, and last pieces cheaper than before."""
        rows = org.execute(PRICE_SHARES).fetchall()
        says = "prices in promotion books against seasonal ones"
        measured = [difference(self.name, says, "share of list price", rows, sign=-1)]
        last = org.execute(LAST_PIECES).fetchall()
        if any(lowered for _, lowered in last):
            measured.append(shares(self.name, "a model's last pieces are marked down", last))
        return tuple(measured)


def _list_prices(org: Org, books: Table, products: Table) -> Array:
    """Books × products: the list price on a book's first day; the standard book has today's."""
    setting = org.setting
    years = price_years(setting)
    by_year = org.table("Assortment.prices")["price"].astype(float)
    by_year = by_year.reshape(products.size, len(years)).T
    rows = []
    for start, standard in zip(books["start"], books["standard"], strict=True):
        day = setting.last_day if standard else start
        rows.append(years.index(price_year(day)))
    return np.asarray(by_year[rows])


def _offered(org: Org, books: Table, products: Table) -> Array:
    """Books × products: whether it is sold within the book's days, and the book is for it."""
    start, end = books["start"][:, None], books["end"][:, None]
    in_range = (products["launched"] <= end) & (products["ended"] >= start)
    return np.asarray(in_range & (books["storewide"][:, None] | _boosted(books, products)))


def _changed(books: Table, products: Table) -> Array:
    """Books × products: the day of the last change of a standard price; a promotion's has none."""
    standard = books["standard"].astype(bool)[:, None]
    changed = products["changed"].astype("datetime64[D]")[None, :]
    return np.asarray(np.where(standard, changed, np.datetime64("NaT", "D")))


def _boosted(books: Table, products: Table) -> Array:
    """Books × products: whether the product's category is one that the book is for."""
    keys = products["category_key"].astype(str)
    boosted = []
    for boost in books["boost"]:
        boosted.append(np.isin(keys, boost.split(",")))
    return np.stack(boosted)


def _promoted(org: Org, books: Table, products: Table) -> Array:
    """Books × products: what a promotion takes off, whole percents as a share.

    What a book is for has its highest discount; new and excluded products have none.
    """
    rng = org.setting.stream("Pricing", "discounts")
    categories = org.table("Assortment.categories").size
    low = books["lowest"][:, None] / 100
    high = books["highest"][:, None] / 100
    points = rng.random((books.size, categories))
    by_category = np.round(low + (high - low) * points, 2)
    boosted = _boosted(books, products)
    discount = np.where(boosted, high, by_category[:, products["category"]])
    new = books["start"][:, None] < products["launched"] + np.timedelta64(NEW_DAYS, "D")
    spared = products["excluded"].astype(bool) | new
    promotion = (books["kind"] == "promotion")[:, None]
    return np.asarray(np.where(promotion & ~spared, discount, 0.0))


def _marked_down(org: Org, books: Table, products: Table) -> Array:
    """Books × products: what is taken off the last pieces of a model that has ended its season.

    They are sold in the season in which they end, and in the promotions of that season.
    """
    rng = org.setting.stream("Pricing", "markdowns")
    least, most = org.setting.world.trade.range.markdown
    steps = np.round((least + (most - least) * rng.random(products.size)) / MARKDOWN_STEP)
    cut = steps * MARKDOWN_STEP / 100
    last_season = _season_of(products["ended"])
    gone = ~products["active"].astype(bool)
    same = _season_of(books["start"])[:, None] == last_season
    dated = (books["kind"] != "standard")[:, None]
    return np.where(dated & same & gone, cut, 0.0)


def _season_of(days: Array) -> Array:
    """A number for the quarter that a day is in; quarters begin in March, June and so on."""
    months = days.astype("datetime64[M]").astype(int)
    return np.asarray((months + 1) // 3)
