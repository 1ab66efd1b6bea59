"""The items of all orders: which products, how many pieces, at what price.

A part of ShoppingHabit, which says how customers are. Knows orders as they are drawn in
`latent.orders`.
"""

import numpy as np

from latent.draws import pick, repeats
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# How much each kind of customer likes products of the value, the core and the premium tier. Chosen
# so that a premium customer pays visibly more an item, yet everybody buys everything now and then.
TIER_TASTE = {
    "value_tier": (3.0, 1.0, 0.25),
    "core_tier": (0.8, 2.2, 0.7),
    "premium_tier": (0.25, 1.0, 3.2),
}
TIER_NAMES = tuple(TIER_TASTE)

# Of the lines one in six is for one more piece, one in thirty for yet another.
SECOND_PIECE, THIRD_PIECE = 0.16, 0.03

# How much more a category is bought in its peak months, in promotions that boost it, and by
# customers whose favorite it is (the second favorite: half of that). Chosen so that each shows as
# an effect, and none hides the others.
PEAK_BOOST, HOLIDAY_BOOST, FAVORITE_BOOST = 2.6, 1.8, 6.0

# Products that repeat within an order are drawn again so often, then the next product is taken:
# an order with nearly all products would draw for ever.
REDRAWS = 60
ROWS_AT_ONCE = 4096  # weights are rows × products of a category: a bounded piece of memory


def draw_items(
    org: Org,
    customers: Table,
    orders: Table,
) -> Table:
    """`ShoppingHabit.items`: as many lines as each order has."""
    rng = org.setting.stream("ShoppingHabit", "items")
    products = org.table("Assortment.products")
    sizes = orders["lines"]
    wanted = int(sizes.sum())
    order = np.repeat(np.arange(orders.size), sizes)
    first_line = np.cumsum(sizes) - sizes
    line = np.arange(wanted) - np.repeat(first_line, sizes)
    product = _products(rng, org, customers, orders, order)
    entry = orders["book"][order] * products.size + product
    price = org.table("Pricing.entries")["price"][entry]
    second = rng.random(wanted) < SECOND_PIECE
    third = rng.random(wanted) < THIRD_PIECE
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


def _products(
    rng: Stream,
    org: Org,
    customers: Table,
    orders: Table,
    order: Array,
) -> Array:
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


def _draw_products(
    rng: Stream,
    org: Org,
    customers: Table,
    orders: Table,
    order: Array,
) -> Array:
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
        names = products["tier"][shelf]
        tiers = np.array([TIER_NAMES.index(str(name)) for name in names])
        for tier, taste in TIER_TASTE.items():
            rows = np.flatnonzero((category == wanted) & (liked_tier == tier))
            liking = np.array(taste)[tiers]
            drawn[rows] = _from_shelf(rng, products, shelf, liking, days[rows])
    return drawn


def _from_shelf(
    rng: Stream,
    products: Table,
    shelf: Array,
    liking: Array,
    days: Array,
) -> Array:
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


def with_totals(orders: Table, items: Table) -> Table:
    """The orders with the sum of their lines."""
    amounts = items["quantity"] * items["price"]
    total = np.bincount(items["order"], weights=amounts, minlength=orders.size)
    columns = {**orders.columns, "total": np.round(total, 2)}
    return Table(orders.name, orders.size, columns, orders.references)
