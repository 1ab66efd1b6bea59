"""ShoppingHabit: when, how often, what and how much each customer buys (paper section 2.2, figure
3a).

Draws  `customers` (rhythm of the year, orders a year, favorite categories, price tier, basket size,
       first day),
       `orders` (customer, day, price book, total in dollars), `items` (order, product, quantity,
       price-book entry, price).
From   the number of accounts, Season (promotions), Assortment (seasons of categories, tiers,
       popularity), Pricing.
Drives Account.CreatedDate, Order and OrderItem in whole.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import clock, labels, pick, split
from latent.statistics import correlation, difference, shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table
from schemas.errors import BadInput

RHYTHMS: dict[str, tuple[float, ...]] = {
    "holiday_shopper": (0.5, 0.4, 0.5, 0.5, 0.6, 0.5, 0.5, 0.6, 0.6, 0.9, 3.2, 4.0),
    "spring_renewer": (0.6, 1.1, 2.8, 3.2, 2.2, 0.8, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7),
    "summer_spender": (0.4, 0.4, 0.6, 0.9, 2.0, 3.2, 3.2, 2.0, 0.7, 0.5, 0.5, 0.6),
    "autumn_restocker": (0.5, 0.5, 0.6, 0.6, 0.6, 0.7, 1.0, 2.2, 3.2, 2.6, 0.9, 0.6),
    "steady_buyer": (1.0,) * 12,
}
RHYTHM_SHARES = {
    "holiday_shopper": 0.27,
    "spring_renewer": 0.18,
    "summer_spender": 0.15,
    "autumn_restocker": 0.15,
    "steady_buyer": 0.25,
}
TIER_TASTE = {
    "value_tier": (3.0, 1.0, 0.25),
    "core_tier": (0.8, 2.2, 0.7),
    "premium_tier": (0.25, 1.0, 3.2),
}
TIER_NAMES = tuple(TIER_TASTE)
MOST_ITEMS = 12
PEAK_BOOST, HOLIDAY_BOOST, FAVORITE_BOOST = 2.6, 1.8, 6.0


class ShoppingHabit:
    """Customers' habits and all they bought."""

    name = "ShoppingHabit"
    reads: tuple[str, ...] = ("Season", "Assortment", "Pricing")
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
        "items": ("Id", "order", "product", "quantity", "entry", "price", "amount", "line"),
    }
    drives = (
        "Account.CreatedDate",
        "Order.EffectiveDate",
        "Order.Pricebook2Id",
        "OrderItem.Product2Id",
        "OrderItem.Quantity",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly as many orders and items as asked for; raises BadInput where that can't be."""
        wanted_orders, wanted_items = org.setting.some("Order"), org.setting.count("OrderItem")
        most = min(MOST_ITEMS, org.setting.some("Product2"))
        if not wanted_orders <= wanted_items <= most * wanted_orders:
            raise BadInput(
                f"OrderItem={wanted_items} can't fill Order={wanted_orders}: an order has 1 to"
                f" {most} different items; mend the counts"
            )
        customers = _customers(org)
        orders = _orders(org, customers, wanted_orders)
        items = _items(org, customers, orders, wanted_items)
        return customers, _with_totals(orders, items), items

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Rhythm, favorites, tier and basket, each against what was bought."""
        return (
            _rhythm_effect(org),
            _summer_effect(org),
            _favorite_effect(org),
            _tier_effect(org),
            _basket_effect(org),
        )


def _customers(org: Org) -> Table:
    rng, setting = org.setting.stream("ShoppingHabit", "customers"), org.setting
    size, categories = setting.some("Account"), org.table("Assortment.categories")
    favorites = np.argsort(
        -(np.log(categories["weight"]) + rng.gumbel(size=(size, categories.size))), axis=1
    )
    days = int((setting.last_day - setting.first_day).astype(int))
    since = np.where(rng.random(size) < 0.55, 0, rng.integers(0, max(days * 3 // 4, 1), size=size))
    return table(
        "ShoppingHabit.customers",
        {"Id": "Account", "favorite": "ProductCategory", "second_favorite": "ProductCategory"},
        Id=np.arange(size),
        rhythm=labels(rng, RHYTHM_SHARES, size),
        since=clock(rng, setting.first_day + since.astype("timedelta64[D]"), 7, 22),
        yearly=np.round(rng.gamma(2.2, 1.3, size=size) + 0.4, 3),
        favorite=favorites[:, 0],
        second_favorite=favorites[:, min(1, categories.size - 1)],
        tier=labels(rng, {"value_tier": 0.34, "core_tier": 0.42, "premium_tier": 0.24}, size),
        basket=np.round(1.2 + rng.gamma(2.0, 1.1, size=size), 3),
        sale_hunter=np.round(rng.beta(2, 2, size=size), 3),
    )


def _orders(org: Org, customers: Table, wanted: int) -> Table:
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "orders")
    left = (setting.last_day - customers["since"].astype("datetime64[D]")).astype(float) + 20
    least = 1 if wanted >= customers.size else 0
    account = np.repeat(
        np.arange(customers.size), split(rng, customers["yearly"] * left, wanted, low=least)
    )
    days = _days(rng, org, customers, account)
    order = np.lexsort((account, days))
    account, days = account[order], days[order]
    recent = (days > setting.last_day - np.timedelta64(10, "D")) & (rng.random(wanted) < 0.35)
    return table(
        "ShoppingHabit.orders",
        {"Id": "Order", "account": "Account", "book": "Pricebook2"},
        Id=np.arange(wanted),
        account=account,
        day=days,
        book=_books(rng, org, customers["sale_hunter"][account], days),
        status=np.where(recent, "Draft", "Activated").astype(object),
    )


def _days(rng: Stream, org: Org, customers: Table, account: Array) -> Array:
    """A day for each order: the customer's rhythm × promotions × a weekly beat, from the customer's
    first day on.
    """
    setting = org.setting
    calendar = np.arange(setting.first_day, setting.last_day + 1)
    months = calendar.astype("datetime64[M]").astype(int) % 12
    weekday = (calendar.astype(int) + 3) % 7
    common = (
        _promotion_pull(org, calendar) * np.array([0.9, 0.9, 0.95, 1.0, 1.15, 1.25, 1.0])[weekday]
    )
    days = np.empty(len(account), dtype="datetime64[D]")
    for name, factors in RHYTHMS.items():
        bounds = np.concatenate([[0.0], np.cumsum(np.array(factors)[months] * common)])
        rows = np.flatnonzero(customers["rhythm"][account] == name)
        start = bounds[
            (customers["since"][account[rows]].astype("datetime64[D]") - setting.first_day).astype(
                int
            )
        ]
        points = start + rng.random(len(rows)) * (bounds[-1] - start)
        days[rows] = calendar[
            np.clip(np.searchsorted(bounds, points, side="right") - 1, 0, len(calendar) - 1)
        ]
    return days


def _promotion_pull(org: Org, calendar: Array) -> Array:
    books = org.table("Season.books")
    pull = np.ones(len(calendar))
    for start, end, kind, highest in zip(
        books["start"], books["end"], books["kind"], books["highest"], strict=True
    ):
        if kind == "promotion":
            pull[(calendar >= start) & (calendar <= end)] *= 1 + float(highest) / 40
    return pull


def _books(rng: Stream, org: Org, hunters: Array, days: Array) -> Array:
    """The book an order is priced by: valid on the day; sale hunters take promotions more often."""
    books = org.table("Season.books")
    valid = (days[:, None] >= books["start"]) & (days[:, None] <= books["end"])
    liking = np.select([books["kind"] == "promotion", books["kind"] == "seasonal"], [4.0, 1.2], 1.0)
    weights = valid * np.where(
        books["kind"] == "promotion", liking * (0.3 + 1.4 * hunters[:, None]), liking
    )
    return pick(rng, weights)


def _items(org: Org, customers: Table, orders: Table, wanted: int) -> Table:
    rng = org.setting.stream("ShoppingHabit", "items")
    products = org.table("Assortment.products")
    most = min(MOST_ITEMS, products.size)
    sizes = split(rng, customers["basket"][orders["account"]] ** 1.6, wanted, low=1, high=most)
    order = np.repeat(np.arange(orders.size), sizes)
    line = np.arange(wanted) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    product = _products(rng, org, customers, orders, order)
    entry = orders["book"][order] * products.size + product
    price = org.table("Pricing.entries")["price"][entry]
    quantity = 1 + (rng.random(wanted) < 0.16).astype(int) + (rng.random(wanted) < 0.03).astype(int)
    return table(
        "ShoppingHabit.items",
        {"Id": "OrderItem", "order": "Order", "product": "Product2", "entry": "PricebookEntry"},
        Id=np.arange(wanted),
        order=order,
        product=product,
        quantity=quantity,
        entry=entry,
        price=price,
        amount=np.round(price * quantity, 2),
        line=line + 1,
    )


def _products(rng: Stream, org: Org, customers: Table, orders: Table, order: Array) -> Array:
    """A product for each line, no product twice in one order: category first, then by tier and
    popularity.
    """
    product = _draw_products(rng, org, customers, orders, order)
    total = org.table("Assortment.products").size
    for _ in range(60):
        repeated = _repeats(order, product)
        if not len(repeated):
            return product
        product[repeated] = _draw_products(rng, org, customers, orders, order[repeated])
    while len(repeated := _repeats(order, product)):
        product[repeated] = (product[repeated] + 1) % total
    return product


def _repeats(order: Array, product: Array) -> Array:
    key = order * (product.max() + 1 if len(product) else 1) + product
    _, first = np.unique(key, return_index=True)
    mask = np.ones(len(key), dtype=bool)
    mask[first] = False
    return np.flatnonzero(mask)


def _draw_products(rng: Stream, org: Org, customers: Table, orders: Table, order: Array) -> Array:
    categories, products = org.table("Assortment.categories"), org.table("Assortment.products")
    account, days = orders["account"][order], orders["day"][order]
    weights = (
        categories["weight"] * _season_pull(org, days) * _taste(customers, account, categories.size)
    )
    has_products = np.bincount(products["category"], minlength=categories.size) > 0
    category = pick(rng, weights * has_products)
    taste = customers["tier"][account]
    drawn = np.zeros(len(order), dtype=np.int64)
    for at in np.unique(category):
        shelf = np.flatnonzero(products["category"] == at)
        tiers = np.array([TIER_NAMES.index(str(name)) for name in products["tier"][shelf]])
        for name, liking in TIER_TASTE.items():
            rows = np.flatnonzero((category == at) & (taste == name))
            drawn[rows] = _from_shelf(rng, products, shelf, np.array(liking)[tiers], days[rows])
    return drawn


def _from_shelf(rng: Stream, products: Table, shelf: Array, liking: Array, days: Array) -> Array:
    """Products of one category that are on sale on the day; the whole shelf where none is (a
    category's first days).
    """
    sold = np.empty(len(days), dtype=np.int64)
    base = liking * products["popularity"][shelf]
    for start in range(0, len(days), 4096):
        some = days[start : start + 4096, None]
        on_sale = (products["launched"][shelf] <= some) & (products["ended"][shelf] >= some)
        weights = np.where(on_sale.any(axis=1, keepdims=True), on_sale * base, base)
        sold[start : start + 4096] = shelf[pick(rng, weights)] if len(weights) else 0
    return sold


def _season_pull(org: Org, days: Array) -> Array:
    """Rows × categories: more in a category's peak months and in promotions that boost it."""
    categories, books = org.table("Assortment.categories"), org.table("Season.books")
    months = days.astype("datetime64[M]").astype(int) % 12 + 1
    peaks = [
        np.isin(months, [int(month) for month in peak.split(",") if month])
        for peak in categories["peak"]
    ]
    pull = np.where(np.stack(peaks, axis=1), PEAK_BOOST, 1.0)
    for start, end, boost in zip(books["start"], books["end"], books["boost"], strict=True):
        boosted = np.isin(categories["key"].astype(str), boost.split(","))
        pull[np.ix_((days >= start) & (days <= end), boosted)] *= HOLIDAY_BOOST
    return pull


def _taste(customers: Table, account: Array, categories: int) -> Array:
    taste = np.ones((len(account), categories))
    rows = np.arange(len(account))
    taste[rows, customers["favorite"][account]] *= FAVORITE_BOOST
    taste[rows, customers["second_favorite"][account]] *= FAVORITE_BOOST / 2
    return taste


def _with_totals(orders: Table, items: Table) -> Table:
    amounts = items["quantity"] * items["price"]
    total = np.round(np.bincount(items["order"], weights=amounts, minlength=orders.size), 2)
    lines = np.bincount(items["order"], minlength=orders.size)
    return Table(
        orders.name,
        orders.size,
        {**orders.columns, "total": total, "lines": lines},
        orders.references,
    )


def _rhythm_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(
        "SELECT c.rhythm = 'holiday_shopper', substr(o.EffectiveDate, 6, 2) IN ('11', '12') FROM"
        ' "Order" o JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId'
    ).fetchall()
    return shares("ShoppingHabit", "holiday shoppers order in November and December", rows)


def _summer_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(
        "SELECT c.rhythm = 'holiday_shopper', substr(o.EffectiveDate, 6, 2) = '12' FROM \"Order\" o"
        ' JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId WHERE'
        " substr(o.EffectiveDate, 6, 2) IN ('07', '12')"
    ).fetchall()
    return shares(
        "ShoppingHabit", "December against July sales, holiday shoppers against the rest", rows
    )


def _favorite_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(
        "SELECT p.category = c.favorite, 1.0 * count(*) / (SELECT count(*) FROM OrderItem) FROM"
        ' OrderItem i JOIN "Order" o ON o.Id = i.OrderId JOIN latent."ShoppingHabit.customers" c ON'
        ' c.Id = o.AccountId JOIN latent."Assortment.products" p ON p.Id = i.Product2Id GROUP BY'
        " c.Id, p.category"
    ).fetchall()
    return difference(
        "ShoppingHabit",
        "customers buy in their favorite category",
        "share of all lines a customer and category",
        rows,
    )


def _tier_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(
        "SELECT c.tier = 'premium_tier', i.UnitPrice FROM OrderItem i JOIN \"Order\" o ON o.Id ="
        ' i.OrderId JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId'
    ).fetchall()
    return difference(
        "ShoppingHabit",
        "customers with a taste for the premium tier pay more an item",
        "dollars",
        rows,
    )


def _basket_effect(org: sqlite3.Connection) -> Effect:
    rows = org.execute(
        'SELECT c.basket, 1.0 * count(i.Id) / count(DISTINCT o.Id) FROM OrderItem i JOIN "Order" o'
        ' ON o.Id = i.OrderId JOIN latent."ShoppingHabit.customers" c ON c.Id = o.AccountId GROUP'
        " BY c.Id"
    ).fetchall()
    return correlation("ShoppingHabit", "basket size against items an order", rows)
