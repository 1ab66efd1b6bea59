"""ShoppingHabit: when, how often, what and how much each customer buys.

(Section 2.2 and figure 3a of the CRMArena paper name the variable and what it does.)

It draws `customers` (rhythm of the year, orders a year, favorite categories, price tier, basket
size, first day), `orders` (customer, day, price book, total in dollars) and `items` (order,
product, quantity, price-book entry, price).
It is drawn from the number of accounts, Season (promotions), Assortment (seasons of categories,
tiers, popularity) and Pricing.
It drives when accounts were created, and orders and their items in whole.
It knows no complaints. Orders and items have files of their own, `latent.orders` and
`latent.order_items`.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import clock, labels
from latent.order_items import draw_items
from latent.orders import MOST_LINES, draw_orders
from latent.statistics import correlation, difference, shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, table
from schemas.errors import BadInput

# Shares of customers by the rhythm of their year (`latent.orders` has the rhythms): the holidays
# count most, a quarter has no season. Chosen by eye.
RHYTHM_SHARES = {
    "holiday_shopper": 0.27,
    "spring_renewer": 0.18,
    "summer_spender": 0.15,
    "autumn_restocker": 0.15,
    "steady_buyer": 0.25,
}
# Shares of customers by the price tier that they like. Chosen by eye, as the assortment's are.
TIER_SHARES = {"value_tier": 0.34, "core_tier": 0.42, "premium_tier": 0.24}

# Customers: just over half were there before the period began, the others came in its first three
# quarters, between seven in the morning and ten at night. Orders a year (0.4 + gamma(2.2, 1.3)) and
# baskets (1.2 + gamma(2, 1.1), 3.4 lines in the mean) are weights: the profile's counts decide how
# many orders and lines there are. Chosen by eye, the basket's mean after the 7,100 items of 2,071
# orders of table 8 of the paper.
OLD_CUSTOMERS = 0.55
LATEST_CUSTOMER = (3, 4)
SHOPPING_FROM, SHOPPING_UNTIL = 7, 22
FEWEST_A_YEAR, YEARLY_SHAPE = 0.4, (2.2, 1.3)
LEAST_BASKET, BASKET_SHAPE = 1.2, (2.0, 1.1)
HUNTER_SHAPE = (2, 2)

HOLIDAY_ORDERS = """
    SELECT c.rhythm = 'holiday_shopper', substr(o.EffectiveDate, 6, 2) IN ('11', '12')
    FROM "Order" o
    JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId
"""
DECEMBER_ORDERS = """
    SELECT c.rhythm = 'holiday_shopper', substr(o.EffectiveDate, 6, 2) = '12'
    FROM "Order" o
    JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId
    WHERE substr(o.EffectiveDate, 6, 2) IN ('07', '12')
"""
LINES_BY_CATEGORY = """
    SELECT p.category = c.favorite, 1.0 * count(*) / (SELECT count(*) FROM OrderItem)
    FROM OrderItem i
    JOIN "Order" o ON o.Id = i.OrderId
    JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId
    JOIN latent."Assortment.products" p ON p.Id = i.Product2Id
    GROUP BY c.Id, p.category
"""
TIERS_AND_PRICES = """
    SELECT c.tier = 'premium_tier', i.UnitPrice
    FROM OrderItem i
    JOIN "Order" o ON o.Id = i.OrderId
    JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId
"""
BASKETS_AND_LINES = """
    SELECT c.basket, 1.0 * count(i.Id) / count(DISTINCT o.Id)
    FROM OrderItem i
    JOIN "Order" o ON o.Id = i.OrderId
    JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId
    GROUP BY c.Id
"""


class ShoppingHabit:
    """Customers' habits and all they bought."""

    name = "ShoppingHabit"
    reads: tuple[str, ...] = ("Season", "Assortment", "Pricing", "Wearer")
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": (
            "Id",
            "rhythm",
            "since",
            "yearly",
            "favorite",
            "second_favorite",
            "tier",
            "basket",
            "sale_hunter",
        ),
        "orders": ("Id", "account", "day", "book", "status", "total", "lines"),
        "items": (
            "Id",
            "order",
            "product",
            "quantity",
            "entry",
            "price",
            "list_price",
            "amount",
            "line",
            "wearer",
            "size",
            "color",
            "width",
        ),
    }
    drives = ("Account.CreatedDate", "Order", "OrderItem")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly as many orders and items as asked for; raises BadInput where that can't be."""
        wanted_orders = org.setting.some("Order")
        wanted_items = org.setting.count("OrderItem")
        most = min(MOST_LINES, org.setting.some("Product2"))
        if not wanted_orders <= wanted_items <= most * wanted_orders:
            raise BadInput(
                f"OrderItem={wanted_items} can't fill Order={wanted_orders}: an order has 1 to"
                f" {most} different items; mend the counts"
            )
        customers = _customers(org)
        orders = draw_orders(org, customers, wanted_orders)
        priced, items = draw_items(org, customers, orders)
        return customers, priced, items

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Rhythm, favorites, tier and basket, each against what was bought."""
        return (
            _rhythm_effect(org),
            _december_effect(org),
            _favorite_effect(org),
            _tier_effect(org),
            _basket_effect(org),
        )


def _customers(org: Org) -> Table:
    rng = org.setting.stream("ShoppingHabit", "customers")
    setting = org.setting
    size = setting.some("Account")
    categories = org.table("Assortment.categories")
    # Categories in the order of each customer's liking: a weighted shuffle (Gumbel top-k).
    noise = rng.gumbel(size=(size, categories.size))
    liking = np.log(categories["weight"]) + noise
    liked = np.argsort(-liking, axis=1)
    days = int((setting.last_day - setting.first_day).astype(int))
    part, whole = LATEST_CUSTOMER
    old = rng.random(size) < OLD_CUSTOMERS
    latest = max(days * part // whole, 1)
    came = np.where(old, 0, rng.integers(0, latest, size=size))
    rhythm = labels(rng, RHYTHM_SHARES, size)
    first_days = setting.first_day + came.astype("timedelta64[D]")
    return table(
        "ShoppingHabit.customers",
        {"Id": "Account", "favorite": "ProductCategory", "second_favorite": "ProductCategory"},
        Id=np.arange(size),
        rhythm=rhythm,
        since=clock(rng, first_days, SHOPPING_FROM, SHOPPING_UNTIL),
        yearly=np.round(rng.gamma(*YEARLY_SHAPE, size=size) + FEWEST_A_YEAR, 3),
        favorite=liked[:, 0],
        second_favorite=liked[:, min(1, categories.size - 1)],
        tier=labels(rng, TIER_SHARES, size),
        basket=np.round(LEAST_BASKET + rng.gamma(*BASKET_SHAPE, size=size), 3),
        sale_hunter=np.round(rng.beta(*HUNTER_SHAPE, size=size), 3),
    )


def _rhythm_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(HOLIDAY_ORDERS).fetchall()
    return shares("ShoppingHabit", "holiday shoppers order in November and December", rows)


def _december_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(DECEMBER_ORDERS).fetchall()
    says = "December against July sales, holiday shoppers against the rest"
    return shares("ShoppingHabit", says, rows)


def _favorite_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(LINES_BY_CATEGORY).fetchall()
    says = "customers buy in their favorite category"
    measure = "share of all lines a customer and category"
    return difference("ShoppingHabit", says, measure, rows)


def _tier_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(TIERS_AND_PRICES).fetchall()
    says = "customers with a taste for the premium tier pay more an item"
    return difference("ShoppingHabit", says, "dollars", rows)


def _basket_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(BASKETS_AND_LINES).fetchall()
    return correlation("ShoppingHabit", "basket size against items an order", rows)
