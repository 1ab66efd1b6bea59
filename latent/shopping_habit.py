"""ShoppingHabit: when, how often, what and how much each customer buys.

(Section 2.2 and figure 3a of the CRMArena paper name the variable and what it does.)

It draws `customers` (segment, rate, drop-out, usual channel, rhythm of the year, favorite
categories, price tier, basket size, first and last day), `orders` (customer, day, channel, price
book, total in dollars), `addresses` (where each order went) and `items` (order, product, quantity,
price-book entry, price).
It is drawn from Household (children, addresses, time zones), the trade (segments, channels),
Season (promotions), Assortment (seasons of categories, tiers, popularity), Pricing and ClosedDays
(when no counter is open).
It drives when accounts were created, and orders and their items in whole.
It knows no complaints. Customers' comings and goings, orders and items have files of their own:
`latent.arrivals`, `latent.orders` and `latent.order_items`.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.arrivals import draw_custom, imported_at
from latent.callings import called, needed_by
from latent.draws import labels
from latent.order_items import draw_items
from latent.orders import MOST_LINES, draw_orders, draw_parcels, most_held
from latent.statistics import correlation, difference, shares
from latent.variable import Effect
from latent.visits import moments
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

# Taste for sales, from 0 to 1: most people have some. Chosen by eye.
HUNTER_SHAPE = (2, 2)

# What an account is whose customer has ordered nothing yet.
PROSPECT = "Prospect"

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
    SELECT
        p.category = c.favorite,
        1.0 * count(*) / sum(count(*)) OVER (PARTITION BY c.Id)
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
RATES_AND_ORDERS = """
    SELECT c.yearly, count(o.Id)
    FROM latent."ShoppingHabit.customers" c
    LEFT JOIN "Order" o ON o.AccountId = c.Id
    GROUP BY c.Id
"""
DROPOUTS_AND_DAYS = """
    SELECT c.dropout, julianday(max(o.EffectiveDate)) - julianday(min(o.EffectiveDate))
    FROM latent."ShoppingHabit.customers" c
    JOIN "Order" o ON o.AccountId = c.Id
    GROUP BY c.Id
"""
CHANNELS_AND_ORDERS = """
    SELECT n.Type = c.channel, o.Type = n.Type
    FROM "Order" o
    JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId
    CROSS JOIN (SELECT DISTINCT Type FROM "Order") n
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
    reads: tuple[str, ...] = (
        "Household",
        "Season",
        "Assortment",
        "Pricing",
        "Wearer",
        "Workforce",
        "ClosedDays",
    )
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
            "segment",
            "label",
            "dropout",
            "channel",
            "imported",
            "first",
            "last",
            "orders",
        ),
        "orders": (
            "Id",
            "account",
            "day",
            "book",
            "status",
            "channel",
            "site",
            "site_name",
            "note",
            "creator",
            "placed",
            "lines",
            "total",
        ),
        "addresses": (
            "ship_street",
            "ship_city",
            "ship_state",
            "ship_postal",
            "ship_country",
            "bill_street",
            "bill_city",
            "bill_state",
            "bill_postal",
        ),
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
    references: Mapping[str, str] = {"creator": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly as many orders and items as asked for; raises BadInput where that can't be."""
        wanted_orders = org.setting.some("Order")
        wanted_items = org.setting.count("OrderItem")
        on_sale = org.setting.some("Product2")
        most = min(MOST_LINES, on_sale)
        if not wanted_orders <= wanted_items <= most * wanted_orders:
            raise BadInput(
                f"OrderItem={wanted_items} can't fill Order={wanted_orders}: an order has 1 to"
                f" {most} different items, and Product2={on_sale}; mend the counts, or take"
                " another --scale"
            )
        held = most_held(org.setting) * org.setting.some("Account")
        if wanted_items > held:
            raise BadInput(
                f"OrderItem={wanted_items}: Account={org.setting.some('Account')} may hold"
                f" {held} in all by `holding` of the categories; raise it in the world, or ask for"
                " fewer order items or more accounts"
            )
        customers = _customers(org, wanted_orders)
        orders = draw_orders(org, customers)
        priced, items = draw_items(org, customers, orders)
        return customers, priced, draw_parcels(org, priced), items

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Rate, drop-out, channel, rhythm, favorites, tier and basket against what was bought."""
        return (
            _rate_effect(org),
            _dropout_effect(org),
            _channel_effect(org),
            _rhythm_effect(org),
            _december_effect(org),
            _favorite_effect(org),
            _tier_effect(org),
            _basket_effect(org),
        )


def _customers(org: Org, wanted: int) -> Table:
    setting = org.setting
    people = org.table("Household.customers")
    custom = draw_custom(
        org,
        people["household"],
        wanted,
        most_held(setting),
    )
    rng = setting.stream("ShoppingHabit", "customers")
    size = people.size
    categories = org.table("Assortment.categories")
    # Categories in the order of each customer's liking: a weighted shuffle (Gumbel top-k).
    noise = rng.gumbel(size=(size, categories.size))
    needed = needed_by(setting, size)
    liking = np.where(needed > 0, np.log(categories["weight"]) + noise, -np.inf)
    liked = np.argsort(-liking, axis=1)
    since = moments(
        rng,
        setting,
        custom.came,
        custom.channel,
        people["zone"],
    )
    return table(
        "ShoppingHabit.customers",
        {"Id": "Account", "favorite": "ProductCategory", "second_favorite": "ProductCategory"},
        Id=np.arange(size),
        rhythm=labels(rng, RHYTHM_SHARES, size),
        since=np.where(custom.imported, imported_at(setting, size), since),
        yearly=np.round(custom.yearly, 3),
        favorite=liked[:, 0],
        second_favorite=liked[:, min(1, categories.size - 1)],
        tier=labels(rng, TIER_SHARES, size),
        basket=np.round(custom.basket, 3),
        sale_hunter=np.round(rng.beta(*HUNTER_SHAPE, size=size), 3),
        segment=custom.segment,
        label=np.where(custom.orders > 0, called(setting, custom.label, needed), PROSPECT),
        dropout=np.round(custom.dropout, 4),
        channel=custom.channel,
        imported=custom.imported,
        first=custom.first,
        last=custom.last,
        orders=custom.orders,
    )


def _rate_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(RATES_AND_ORDERS).fetchall()
    says = "customers with a higher rate order more often"
    return correlation("ShoppingHabit", says, rows)


def _dropout_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(DROPOUTS_AND_DAYS).fetchall()
    says = "customers who drop out easily stay for fewer days"
    return correlation("ShoppingHabit", says, rows, sign=-1)


def _channel_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(CHANNELS_AND_ORDERS).fetchall()
    return shares("ShoppingHabit", "customers order by their usual channel", rows)


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
    measure = "share of a customer's lines"
    return difference("ShoppingHabit", says, measure, rows)


def _tier_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(TIERS_AND_PRICES).fetchall()
    says = "customers with a taste for the premium tier pay more an item"
    return difference("ShoppingHabit", says, "dollars", rows)


def _basket_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(BASKETS_AND_LINES).fetchall()
    return correlation("ShoppingHabit", "basket size against items an order", rows)
