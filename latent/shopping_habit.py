"""ShoppingHabit: when, how often, what and how much each customer buys.

(Section 2.2 and figure 3a of the CRMArena paper name the variable and what it does.)

It draws `customers` (rhythm of the year, orders a year, favorite categories, price tier, basket
size, first day), `orders` (customer, day, price book, total in dollars) and `items` (order,
product, quantity, price-book entry, price).
It is drawn from the number of accounts, Season (promotions), Assortment (seasons of categories,
tiers, popularity) and Pricing.
It drives when accounts were created, and orders and their items in whole.
It knows no complaints.
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

# How much more (or less) than usual a customer orders in each month, January first. Chosen by eye:
# each rhythm has one season, in which a month is worth about six of its quietest.
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
# Monday to Sunday: people order most before and at the weekend. Chosen by eye.
WEEKDAYS = (0.9, 0.9, 0.95, 1.0, 1.15, 1.25, 1.0)
THURSDAY = 3  # the weekday of 1970-01-01, from which numpy counts days

# Shares of customers by the price tier that they like, and how much each of them likes products of
# the value, the core and the premium tier. Chosen so that a premium customer pays visibly more an
# item, yet everybody buys everything now and then.
TIER_SHARES = {"value_tier": 0.34, "core_tier": 0.42, "premium_tier": 0.24}
TIER_TASTE = {
    "value_tier": (3.0, 1.0, 0.25),
    "core_tier": (0.8, 2.2, 0.7),
    "premium_tier": (0.25, 1.0, 3.2),
}
TIER_NAMES = tuple(TIER_TASTE)

# An order has at most a dozen lines. Of those one in six is for one more piece, one in thirty for
# yet another. Line counts follow the customer's basket, more than in proportion.
MOST_ITEMS = 12
SECOND_PIECE, THIRD_PIECE = 0.16, 0.03
BASKET_POWER = 1.6

# How much more a category is bought in its peak months, in promotions that boost it, and by
# customers whose favorite it is (the second favorite: half of that). Chosen so that each shows as
# an effect, and none hides the others.
PEAK_BOOST, HOLIDAY_BOOST, FAVORITE_BOOST = 2.6, 1.8, 6.0

# A promotion of 40 % doubles the orders of its days; smaller ones in proportion.
DOUBLING_DISCOUNT = 40

# Where several books hold on a day: how likely an order is priced by each kind, and by how much a
# taste for sales (0 to 1) changes that for promotions: 0.3 for none, 1.7 for the keenest.
PROMOTION_LIKING, SEASONAL_LIKING, STANDARD_LIKING = 4.0, 1.2, 1.0
LEAST_HUNTING, HUNTING_SPAN = 0.3, 1.4

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

# Orders are shared out by rate × days left, and a few days more: who came on the last day may yet
# order. A third of the last ten days' orders are drafts still.
DAYS_MORE = 20
DRAFT_DAYS = np.timedelta64(10, "D")
DRAFTS = 0.35

# Products that repeat within an order are drawn again so often, then the next product is taken:
# an order with nearly all products would draw for ever.
REDRAWS = 60
ROWS_AT_ONCE = 4096  # weights are rows × products of a category: a bounded piece of memory

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
    drives = ("Account.CreatedDate", "Order", "OrderItem")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly as many orders and items as asked for; raises BadInput where that can't be."""
        wanted_orders = org.setting.some("Order")
        wanted_items = org.setting.count("OrderItem")
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
    liked = np.argsort(-(np.log(categories["weight"]) + noise), axis=1)
    days = int((setting.last_day - setting.first_day).astype(int))
    part, whole = LATEST_CUSTOMER
    old = rng.random(size) < OLD_CUSTOMERS
    came = np.where(old, 0, rng.integers(0, max(days * part // whole, 1), size=size))
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


def _orders(org: Org, customers: Table, wanted: int) -> Table:
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "orders")
    since = customers["since"].astype("datetime64[D]")
    left = (setting.last_day - since).astype(float) + DAYS_MORE
    # Everybody orders at least once where there are enough orders for that.
    least = 1 if wanted >= customers.size else 0
    number = split(rng, customers["yearly"] * left, wanted, low=least)
    account = np.repeat(np.arange(customers.size), number)
    days = _days(rng, org, customers, account)
    order = np.lexsort((account, days))
    account, days = account[order], days[order]
    recent = days > setting.last_day - DRAFT_DAYS
    draft = recent & (rng.random(wanted) < DRAFTS)
    return table(
        "ShoppingHabit.orders",
        {"Id": "Order", "account": "Account", "book": "Pricebook2"},
        Id=np.arange(wanted),
        account=account,
        day=days,
        book=_books(rng, org, customers["sale_hunter"][account], days),
        status=np.where(draft, "Draft", "Activated").astype(object),
    )


def _days(rng: Stream, org: Org, customers: Table, account: Array) -> Array:
    """A day for each order, from the customer's first day on.

    Its chance is the customer's rhythm × promotions × a weekly beat.
    """
    setting = org.setting
    calendar = np.arange(setting.first_day, setting.last_day + 1)
    months = calendar.astype("datetime64[M]").astype(int) % 12
    weekday = (calendar.astype(int) + THURSDAY) % 7
    common = _promotion_pull(org, calendar) * np.array(WEEKDAYS)[weekday]
    since = customers["since"].astype("datetime64[D]")
    first_days = (since - setting.first_day).astype(int)
    days = np.empty(len(account), dtype="datetime64[D]")
    for name, factors in RHYTHMS.items():
        # A point drawn between the sums of all chances before and after a day falls on that day.
        bounds = np.concatenate([[0.0], np.cumsum(np.array(factors)[months] * common)])
        rows = np.flatnonzero(customers["rhythm"][account] == name)
        start = bounds[first_days[account[rows]]]
        points = start + rng.random(len(rows)) * (bounds[-1] - start)
        place = np.searchsorted(bounds, points, side="right") - 1
        days[rows] = calendar[np.clip(place, 0, len(calendar) - 1)]
    return days


def _promotion_pull(org: Org, calendar: Array) -> Array:
    """How much more is ordered on each day of the calendar because of promotions."""
    books = org.table("Season.books")
    pull = np.ones(len(calendar))
    for row in np.flatnonzero(books["kind"] == "promotion"):
        on = (calendar >= books["start"][row]) & (calendar <= books["end"][row])
        pull[on] *= 1 + float(books["highest"][row]) / DOUBLING_DISCOUNT
    return pull


def _books(rng: Stream, org: Org, hunters: Array, days: Array) -> Array:
    """The book an order is priced by: valid on the day; sale hunters take promotions more often."""
    books = org.table("Season.books")
    valid = (days[:, None] >= books["start"]) & (days[:, None] <= books["end"])
    promotion = books["kind"] == "promotion"
    seasonal = books["kind"] == "seasonal"
    liking = np.select([promotion, seasonal], [PROMOTION_LIKING, SEASONAL_LIKING], STANDARD_LIKING)
    hunting = LEAST_HUNTING + HUNTING_SPAN * hunters[:, None]
    return pick(rng, valid * np.where(promotion, liking * hunting, liking))


def _items(org: Org, customers: Table, orders: Table, wanted: int) -> Table:
    rng = org.setting.stream("ShoppingHabit", "items")
    products = org.table("Assortment.products")
    most = min(MOST_ITEMS, products.size)
    weights = customers["basket"][orders["account"]] ** BASKET_POWER
    sizes = split(rng, weights, wanted, low=1, high=most)
    order = np.repeat(np.arange(orders.size), sizes)
    first_line = np.cumsum(sizes) - sizes
    line = np.arange(wanted) - np.repeat(first_line, sizes)
    product = _products(rng, org, customers, orders, order)
    entry = orders["book"][order] * products.size + product
    price = org.table("Pricing.entries")["price"][entry]
    second, third = (rng.random(wanted) < share for share in (SECOND_PIECE, THIRD_PIECE))
    quantity = 1 + second.astype(int) + third.astype(int)
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
    """A product for each line, no product twice in one order; `order` is the order of each line."""
    product = _draw_products(rng, org, customers, orders, order)
    total = org.table("Assortment.products").size
    for _ in range(REDRAWS):
        repeated = repeats(order, product)
        if not len(repeated):
            return product
        product[repeated] = _draw_products(rng, org, customers, orders, order[repeated])
    repeated = repeats(order, product)
    while len(repeated):
        product[repeated] = (product[repeated] + 1) % total
        repeated = repeats(order, product)
    return product


def repeats(order: Array, product: Array) -> Array:
    """The rows whose product stands in an earlier row of the same order.

    >>> repeats(np.array([0, 0, 0, 1]), np.array([5, 6, 5, 5]))
    array([2])
    """
    largest = product.max() if len(product) else 0
    pair = order * (largest + 1) + product
    _, first = np.unique(pair, return_index=True)
    repeated = np.ones(len(pair), dtype=bool)
    repeated[first] = False
    return np.flatnonzero(repeated)


def _draw_products(rng: Stream, org: Org, customers: Table, orders: Table, order: Array) -> Array:
    """A product for each line: its category first, then by tier and popularity."""
    categories = org.table("Assortment.categories")
    products = org.table("Assortment.products")
    account = orders["account"][order]
    days = orders["day"][order]
    weights = categories["weight"] * _season_pull(org, days)
    weights = weights * _taste(customers, account, categories.size)
    has_products = np.bincount(products["category"], minlength=categories.size) > 0
    category = pick(rng, weights * has_products)
    liked_tier = customers["tier"][account]
    drawn = np.zeros(len(order), dtype=np.int64)
    for wanted in np.unique(category):
        shelf = np.flatnonzero(products["category"] == wanted)
        tiers = np.array([TIER_NAMES.index(str(name)) for name in products["tier"][shelf]])
        for tier, taste in TIER_TASTE.items():
            rows = np.flatnonzero((category == wanted) & (liked_tier == tier))
            liking = np.array(taste)[tiers]
            drawn[rows] = _from_shelf(rng, products, shelf, liking, days[rows])
    return drawn


def _from_shelf(rng: Stream, products: Table, shelf: Array, liking: Array, days: Array) -> Array:
    """Products of one category (`shelf`: their rows) that are on sale on the day.

    The whole shelf where none is: a category's first days.
    """
    sold = np.empty(len(days), dtype=np.int64)
    popular = liking * products["popularity"][shelf]
    launched = products["launched"][shelf]
    ended = products["ended"][shelf]
    for start in range(0, len(days), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        day = days[rows, None]
        on_sale = (launched <= day) & (ended >= day)
        any_on_sale = on_sale.any(axis=1, keepdims=True)
        weights = np.where(any_on_sale, on_sale * popular, popular)
        sold[rows] = shelf[pick(rng, weights)]
    return sold


def _season_pull(org: Org, days: Array) -> Array:
    """Rows × categories: more in a category's peak months and in promotions that boost it."""
    categories = org.table("Assortment.categories")
    books = org.table("Season.books")
    months = days.astype("datetime64[M]").astype(int) % 12 + 1
    peaks = []
    for peak in categories["peak"]:
        peak_months = [int(month) for month in peak.split(",") if month]
        peaks.append(np.isin(months, peak_months))
    pull = np.where(np.stack(peaks, axis=1), PEAK_BOOST, 1.0)
    keys = categories["key"].astype(str)
    for start, end, boost in zip(books["start"], books["end"], books["boost"], strict=True):
        boosted = np.isin(keys, boost.split(","))
        on = (days >= start) & (days <= end)
        pull[np.ix_(on, boosted)] *= HOLIDAY_BOOST
    return pull


def _taste(customers: Table, account: Array, categories: int) -> Array:
    """Rows × categories: more for the favorite and the second favorite category."""
    taste = np.ones((len(account), categories))
    rows = np.arange(len(account))
    taste[rows, customers["favorite"][account]] *= FAVORITE_BOOST
    taste[rows, customers["second_favorite"][account]] *= FAVORITE_BOOST / 2
    return taste


def _with_totals(orders: Table, items: Table) -> Table:
    amounts = items["quantity"] * items["price"]
    total = np.bincount(items["order"], weights=amounts, minlength=orders.size)
    lines = np.bincount(items["order"], minlength=orders.size)
    columns = {**orders.columns, "total": np.round(total, 2), "lines": lines}
    return Table(orders.name, orders.size, columns, orders.references)


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
