"""The items of all orders: from which book, which products, for whom, how many, at what price.

A part of ShoppingHabit, which says how customers are. Knows orders as they are drawn in
`latent.orders`; what customers want stands in `latent.demand`, what is on sale in `latent.offers`.
"""

from dataclasses import dataclass

import numpy as np

from latent.assortment import holding_limits, stated_categories
from latent.demand import (
    Households,
    category_demand,
    groups_of,
    households,
    needs,
    promotion_pulls,
    reach,
)
from latent.draws import pick, repeats
from latent.offers import Offers, offers
from latent.variants import variants
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table
from schemas.errors import BadInput

# How much each kind of customer likes products of the value, the core and the premium tier. Chosen
# so that a premium customer pays visibly more an item, yet everybody buys everything now and then.
TIER_TASTE = {
    "value_tier": (3.0, 1.0, 0.25),
    "core_tier": (0.8, 2.2, 0.7),
    "premium_tier": (0.25, 1.0, 3.2),
}
TIER_NAMES = tuple(TIER_TASTE)

# How much a taste for sales (0 to 1) draws customers to what is promoted: 0.3 for none, 1.7 for the
# keenest.
LEAST_HUNTING = 0.3
HUNTING_SPAN = 1.4

# A product for another target group is bought only where there is none for the one that is meant.
OTHER_GROUP = 1e-9

# How far the pieces on a line follow from who buys them: a correlation. Chosen by eye.
LARGENESS = 0.65

# Products that repeat within an order are drawn again so often, then the next that is on sale is
# taken: an order with nearly all products would draw for ever.
REDRAWS = 30
# Weights are lines × products of a category, both of which grow with the company; so many at once
# take two megabytes, of which some are needed side by side.
WEIGHTS_AT_ONCE = 250_000


@dataclass(frozen=True, slots=True)
class Shelf:
    """What all lines are drawn from: the demand of each order, and what is on sale when.

    `demand` is orders × categories, `needed` orders × members × target groups.
    """

    org: Org
    customers: Table
    orders: Table
    offers: Offers
    demand: Array
    homes: Households | None
    needed: Array


def draw_items(org: Org, customers: Table, orders: Table) -> tuple[Table, Table]:
    """`ShoppingHabit.orders` with the book of each, and `ShoppingHabit.items`: its lines.

    Customers hold no more of a category than their world allows, as far as their orders can be
    filled within that.
    """
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "items")
    shelf = _shelf(org, customers, orders)
    order = np.repeat(np.arange(orders.size), orders["lines"])
    book, category = _books_and_categories(rng, shelf, order)
    group, wearer = _for_whom(rng, shelf, order, category)
    product = _products(rng, shelf, order, category, group, book[order])
    products = org.table("Assortment.products")
    # What is made for another group than was meant is for somebody else.
    wearer = np.where(products["group"][product] == group, wearer, NONE)
    entry = book[order] * products.size + product
    prices = org.table("Pricing.entries")
    account = orders["account"][order]
    quantity = _quantities(setting, products["category"][product], account)
    first_line = np.cumsum(orders["lines"]) - orders["lines"]
    items = table(
        "ShoppingHabit.items",
        {
            "Id": "OrderItem",
            "order": "Order",
            "product": "Product2",
            "entry": "PricebookEntry",
        },
        Id=np.arange(len(order)),
        order=order,
        product=product,
        quantity=quantity,
        entry=entry,
        price=prices["price"][entry],
        list_price=prices["list_price"][entry],
        amount=np.round(prices["price"][entry] * quantity, 2),
        line=np.arange(len(order)) - first_line[order] + 1,
        wearer=wearer,
        **variants(org, product, wearer, orders["day"][order]),
    )
    return _with_books(orders, book, items), items


def _with_books(orders: Table, book: Array, items: Table) -> Table:
    """The orders with their price books and the sum of their lines."""
    total = np.bincount(items["order"], weights=items["amount"], minlength=orders.size)
    columns = {**orders.columns, "book": book, "total": np.round(total, 2)}
    references = {**orders.references, "book": "Pricebook2"}
    return Table(orders.name, orders.size, columns, references)


def _shelf(org: Org, customers: Table, orders: Table) -> Shelf:
    account = orders["account"]
    days = orders["day"]
    demand = category_demand(org, customers, account, days)
    homes = households(org, customers)
    needed = np.zeros((orders.size, 0, 0))
    if homes is not None:
        needed = needs(org, homes, account, days)
        demand = demand * reach(homes, account, needed)
    return Shelf(org, customers, orders, offers(org), demand, homes, needed)


def _books_and_categories(rng: Stream, shelf: Shelf, order: Array) -> tuple[Array, Array]:
    """The price book of each order and the category of each line (`order`: each line's order).

    Where customers may hold only so many of a kind, their orders are drawn one after another.
    """
    account = shelf.orders["account"]
    limits = holding_limits(shelf.org.setting)
    if not np.isfinite(limits).any():
        free = np.full((1, len(limits)), np.inf)
        return _drawn(
            rng,
            shelf,
            np.arange(len(account)),
            free,
            np.zeros_like(account),
        )
    free = np.tile(limits, (shelf.customers.size, 1))
    books = np.zeros(len(account), dtype=np.int64)
    categories = np.zeros(len(order), dtype=np.int64)
    every = shelf.orders["lines"]
    first_line = np.cumsum(every) - every
    for rows in _one_each(account):
        books[rows], drawn = _drawn(rng, shelf, rows, free, account[rows])
        lines = every[rows]
        before = np.cumsum(lines) - lines
        within = np.arange(lines.sum()) - np.repeat(before, lines)
        places = np.repeat(first_line[rows], lines) + within
        categories[places] = drawn
    return books, categories


def _one_each(account: Array) -> list[Array]:
    """The rows of each account's first order, of each one's second, and so on."""
    by_account = np.argsort(account, kind="stable")
    number = np.bincount(account)
    first = np.cumsum(number) - number
    owner = account[by_account]
    rank = np.arange(len(account)) - first[owner]
    turns = []
    for turn in range(int(number.max())):
        own = by_account[rank == turn]
        turns.append(np.sort(own))
    return turns


def _drawn(
    rng: Stream,
    shelf: Shelf,
    rows: Array,
    free: Array,
    holder: Array,
) -> tuple[Array, Array]:
    """The books of some orders and the categories of all their lines.

    `free` says how many more of each category a customer may hold, `holder` which of its rows is
    each order's; what is drawn is taken off.
    """
    lines = shelf.orders["lines"][rows]
    days = shelf.orders["day"][rows]
    on_sale = shelf.offers.number_on(days)
    room = np.minimum(on_sale, free[holder])
    book, allowed = _books(rng, shelf, rows, room)
    pull = promotion_pulls(shelf.org)[book]
    weights = shelf.demand[rows] * pull * (on_sale > 0)
    if not np.isfinite(free).any():
        each_line = np.repeat(np.arange(len(rows)), lines)
        return book, pick(rng, (weights * allowed)[each_line])
    first_line = np.cumsum(lines) - lines
    category = np.zeros(int(lines.sum()), dtype=np.int64)
    several = holding_limits(shelf.org.setting) > 1
    stock = on_sale.copy()
    for turn in range(int(lines.max())):
        longer = np.flatnonzero(lines > turn)
        possible = _possible(
            weights[longer],
            allowed[longer],
            room[longer],
            stock[longer],
            several,
        )
        chosen = pick(rng, possible)
        category[first_line[longer] + turn] = chosen
        room[longer, chosen] -= 1
        stock[longer, chosen] -= 1
        free[holder[longer], chosen] -= 1
    return book, category


def _possible(weights: Array, allowed: Array, room: Array, stock: Array, several: Array) -> Array:
    """The weights of what an order has room for: of what its book is for, else of anything.

    The counts asked for go before what customers usually hold: who has room for nothing takes one
    more of a category of which people hold several, or of any, in the end one that they have no use
    for. That happens in small orgs, where a few customers place many orders and little is on sale.
    """
    within = weights * (room > 0)
    left = stock > 0
    on_sale = weights * left
    possible = within * allowed
    for wider in (within, on_sale * several, on_sale, left.astype(float)):
        stuck = ~possible.any(axis=1, keepdims=True)
        possible = np.where(stuck, wider, possible)
    return np.asarray(possible)


def _books(rng: Stream, shelf: Shelf, rows: Array, room: Array) -> tuple[Array, Array]:
    """The price book of each order, and which categories it is for (orders × categories).

    A promotion of the whole range holds for every order of its days. One for some categories holds
    for orders of these alone; who buys anything else then pays the regular prices, and buys nothing
    of what is promoted: a product has one price a day. `room` says how many different products of
    each category an order can have.
    """
    day = shelf.offers.day_rows(shelf.orders["day"][rows])
    calendar = shelf.org.table("Season.days")
    regular = calendar["regular"][day]
    promotion = calendar["promotion"][day]
    promoted = shelf.offers.promoted[promotion] & (promotion != NONE)[:, None]
    whole = shelf.offers.whole[promotion] & (promotion != NONE)
    lines = shelf.orders["lines"][rows]
    hunter = shelf.customers["sale_hunter"][shelf.orders["account"][rows]].astype(float)
    hunting = LEAST_HUNTING + HUNTING_SPAN * hunter
    demand = shelf.demand[rows] * (room > 0)
    wanted = (demand * promotion_pulls(shelf.org)[promotion] * promoted).sum(axis=1) * hunting
    otherwise = (demand * ~promoted).sum(axis=1)
    fits = (room * promoted).sum(axis=1) >= lines
    fits_not = (room * ~promoted).sum(axis=1) >= lines
    takes = rng.random(len(rows)) * (wanted + otherwise) < wanted
    in_part = fits & (takes | ~fits_not) & ~whole
    book = np.where(whole | in_part, promotion, regular)
    # Where neither part of the range has enough products, the regular book sells the whole.
    all_of_it = whole | (~in_part & ~fits_not)
    allowed = np.where(in_part[:, None], promoted, ~promoted) | all_of_it[:, None]
    return book, allowed


def _for_whom(
    rng: Stream,
    shelf: Shelf,
    order: Array,
    category: Array,
) -> tuple[Array, Array]:
    """The target group and the wearer of each line."""
    homes = shelf.homes
    if homes is None:
        nobody = np.full(len(order), NONE)
        return nobody, nobody
    account = shelf.orders["account"][order]
    on_sale = shelf.offers.groups_on(shelf.orders["day"][order], category)
    return groups_of(
        rng,
        homes,
        account,
        shelf.needed[order],
        category,
        on_sale,
    )


def _products(
    rng: Stream,
    shelf: Shelf,
    order: Array,
    category: Array,
    group: Array,
    book: Array,
) -> Array:
    """A product for each line, no product twice in one order; changes `category` where it must."""
    product = _draw_products(rng, shelf, order, category, group)
    repeated = repeats(order, product)
    for _ in range(REDRAWS):
        if not len(repeated):
            return product
        product[repeated] = _draw_products(
            rng,
            shelf,
            order[repeated],
            category[repeated],
            group[repeated],
        )
        repeated = repeats(order, product)
    for line in repeated:
        product[line] = _another(
            shelf,
            product,
            order,
            int(line),
            int(book[line]),
        )
    return product


def _another(shelf: Shelf, product: Array, order: Array, line: int, book: int) -> int:
    """A product that is on sale and not in the line's order yet: of its category if it can be.

    What is promoted on the day isn't taken at regular prices, unless there is nothing else.
    """
    products = shelf.org.table("Assortment.products")
    day = shelf.orders["day"][order[line]]
    on_sale = (products["launched"] <= day) & (products["ended"] >= day)
    here = np.flatnonzero(order == order[line])
    others = product[here[here != line]]
    left = on_sale & ~np.isin(np.arange(products.size), others)
    sold = left & _sold_from(shelf, day, book)
    same = sold & (products["category"] == products["category"][product[line]])
    for found in (same, sold, left):
        rows = np.flatnonzero(found)
        if len(rows):
            return int(rows[products["popularity"][rows].argmax()])
    raise BadInput(
        f"OrderItem: an order of {len(here)} lines finds too few products on {day}; ask for more"
        " Product2, or fewer OrderItem"
    )


def _sold_from(shelf: Shelf, day: np.datetime64, book: int) -> Array:
    """Which products are sold from a book on a day: those it offers and no promotion takes."""
    products = shelf.org.table("Assortment.products")
    offered = shelf.org.table("Pricing.entries")["offered"].reshape(-1, products.size)[book]
    row = int((day - shelf.offers.first_day).astype(int))
    promotion = shelf.org.table("Season.days")["promotion"][row]
    if promotion in (NONE, book):
        return np.asarray(offered)
    promoted = shelf.offers.promoted[promotion][products["category"]]
    return np.asarray(offered & ~promoted)


def _draw_products(
    rng: Stream,
    shelf: Shelf,
    order: Array,
    category: Array,
    group: Array,
) -> Array:
    """A product of each line's category that is on sale on the day.

    Its chance is its popularity × how new it is × the customer's taste for its tier.
    """
    products = shelf.org.table("Assortment.products")
    days = shelf.orders["day"][order]
    liked = shelf.customers["tier"][shelf.orders["account"][order]]
    taste = np.array([TIER_TASTE[name] for name in liked.tolist()]).reshape(len(order), -1)
    tiers = np.array([TIER_NAMES.index(str(name)) for name in products["tier"]])
    drawn = np.zeros(len(order), dtype=np.int64)
    for wanted in np.unique(category):
        stock = np.flatnonzero(products["category"] == wanted)
        lines = np.flatnonzero(category == wanted)
        at_once = max(WEIGHTS_AT_ONCE // max(len(stock), 1), 1)
        for start in range(0, len(lines), at_once):
            rows = lines[start : start + at_once]
            # Many lines share a day: what a product is worth on it is computed once.
            asked, day = np.unique(days[rows], return_inverse=True)
            weights = shelf.offers.appeal(asked, stock)[day]
            weights = weights * taste[rows][:, tiers[stock]]
            of_group = products["group"][stock]
            meant = (of_group == group[rows][:, None]) | (of_group == NONE)
            weights = weights * np.where(meant, 1.0, OTHER_GROUP)
            drawn[rows] = stock[pick(rng, weights)]
    return drawn


def _quantities(setting: RunContext, category: Array, account: Array) -> Array:
    """How many pieces each line has, as its category or else the trade says.

    One customer rather takes many each time, another few: a firm has as many seats as people.
    """
    rng = setting.stream("ShoppingHabit", "quantities")
    trade = setting.world.trade.range
    stated = stated_categories(setting)
    quantity = np.ones(len(category), dtype=np.int64)
    large = setting.stream("ShoppingHabit", "largeness").normal(size=setting.some("Account"))
    own = np.sqrt(1 - LARGENESS**2) * rng.normal(size=len(category))
    rank = np.argsort(np.argsort(LARGENESS * large[account] + own, kind="stable"), kind="stable")
    points = (rank + 0.5) / max(len(rank), 1)
    for place in np.unique(category):
        rows = np.flatnonzero(category == place)
        shares = stated[place].quantity or trade.quantity
        numbers = np.array(list(shares))
        by_size = np.argsort(numbers)
        weights = np.array(list(shares.values()))[by_size]
        bounds = np.cumsum(weights) / weights.sum()
        found = np.searchsorted(bounds, points[rows], side="right")
        quantity[rows] = numbers[by_size][np.minimum(found, len(numbers) - 1)]
    return np.minimum(quantity, trade.largest_quantity)
