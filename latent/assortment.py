"""Assortment: what the company sells, for whom, at what price, and how well it sells.

It draws `categories` (names, peak months, price range), `products` (category, tier, list price,
popularity, life span) and `links` (product to category, the first one primary).
It is drawn from the categories of the profile or its world.
It drives the product categories, the products and their links, and through Pricing and
ShoppingHabit what is bought at what price.
It knows no customers and no seasons' discounts.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import labels, split
from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table
from schemas.errors import BadInput
from schemas.lexicon import Category

# Shares of the price tiers, and the part of its category's price range that each tier takes
# (0 is the lowest price, 1 the highest). Chosen by eye: most products are ordinary, one in five is
# dear, and neighbouring tiers touch without being the same.
TIERS = {"value_tier": 0.35, "core_tier": 0.45, "premium_tier": 0.20}
TIER_SPAN = {"value_tier": (0.0, 0.35), "core_tier": (0.25, 0.7), "premium_tier": (0.65, 1.0)}
TIER_SHAPE = (2, 2)  # beta: prices gather in the middle of their tier

# Prices end in .95, as shops' prices do, and none is below a dollar less five cents.
CENTS_BELOW = 0.05
LOWEST_PRICE = 0.95

# Log-normal spread of popularity. Chosen so that a tenth of the products makes about a third of
# the sales, a long tail as shops have it.
POPULARITY_SIGMA = 0.9

# Four of ten products are launched within the first five eighths of the period, the others were
# there before; one of twenty is gone before its end, for at most a fifth of the period, but a
# month. Chosen by eye, so that most products can be asked about at any time.
LAUNCHED_LATER = 0.4
LATEST_LAUNCH = (5, 8)
DISCONTINUED = 0.05
LONGEST_GONE = 5
DAYS_GONE = 30

# A category that a profile names without a price, in a world that knows none: everyday prices.
USUAL_PRICES = (20.0, 120.0)

LINES_SOLD = """
    SELECT p.popularity, count(i.Id)
    FROM latent."Assortment.products" p
    LEFT JOIN OrderItem i ON i.Product2Id = p.Id
    GROUP BY p.Id
"""


class Assortment:
    """Categories, products and the links between them."""

    name = "Assortment"
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = {
        "categories": (
            "Id",
            "key",
            "name",
            "description",
            "peak",
            "low",
            "high",
            "weight",
            "short",
            "plural",
        ),
        "products": (
            "Id",
            "category",
            "category_key",
            "tier",
            "list_price",
            "popularity",
            "launched",
            "ended",
            "active",
            "short",
        ),
        "links": ("product", "category", "primary"),
    }
    drives = (
        "ProductCategory",
        "Product2",
        "ProductCategoryProduct",
        "PricebookEntry.UnitPrice",
        "OrderItem.Product2Id",
    )
    references: Mapping[str, str] = {"category": "ProductCategory", "product": "Product2"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Categories as stated, products by category weight, one to three categories a product."""
        setting = org.setting
        stated = stated_categories(setting)
        categories = _categories(stated)
        products = _products(setting, stated, categories)
        return categories, products, _links(setting, products, len(stated))

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Popular products are on more order lines."""
        rows = org.execute(LINES_SOLD).fetchall()
        return (correlation(self.name, "popular products stand on more order lines", rows),)


def stated_categories(setting: RunContext) -> list[Category]:
    """As many categories as asked for, from the profile or else from its world.

    Raises BadInput where there are too few.
    """
    world = setting.world.categories
    wanted = setting.some("ProductCategory")
    merged = []
    for place, item in enumerate(setting.profile.categories):
        like = world[place % len(world)] if world else None
        merged.append(_as_category(item, like))
    known = merged or list(world)
    if len(known) < wanted:
        raise BadInput(
            f"ProductCategory={wanted}, but only {len(known)} categories are stated; name more"
            " under `categories:` in the profile, or ask for fewer"
        )
    return known[:wanted]


def _as_category(item: str | Category, like: Category | None) -> Category:
    """A category that is stated whole, or a mere name filled up from one of the world's."""
    if isinstance(item, Category):
        return item
    key = "".join(sign if sign.isalnum() else "_" for sign in item.lower())
    return Category(
        key=key,
        name=item,
        description=f"Everything in {item}.",
        price=like.price if like else USUAL_PRICES,
        peak=like.peak if like else (),
        weight=like.weight if like else 1.0,
        short=(f"{item} item",),
    )


def _categories(stated: list[Category]) -> Table:
    return table(
        "Assortment.categories",
        {"Id": "ProductCategory"},
        Id=np.arange(len(stated)),
        key=strings([item.key for item in stated]),
        name=strings([item.name for item in stated]),
        description=strings([item.description for item in stated]),
        peak=strings([",".join(map(str, item.peak)) for item in stated]),
        low=np.array([item.price[0] for item in stated]),
        high=np.array([item.price[1] for item in stated]),
        weight=np.array([item.weight for item in stated]),
        short=strings([item.short[0] for item in stated]),
        plural=np.array([item.plural for item in stated], dtype=bool),
    )


def _products(setting: RunContext, stated: list[Category], categories: Table) -> Table:
    rng = setting.stream("Assortment", "products")
    size = setting.some("Product2")
    least = 1 if size >= len(stated) else 0
    shelves = split(rng, categories["weight"], size, low=least)
    category = np.repeat(np.arange(len(stated)), shelves)
    tier = labels(rng, TIERS, size)
    lowest = categories["low"][category]
    price = _list_prices(rng, tier, lowest, categories["high"][category])
    launched, ended = _life(setting, size)
    shorts = []
    for place in category:
        names = stated[place].short
        shorts.append(names[rng.integers(len(names))])
    return table(
        "Assortment.products",
        {"Id": "Product2", "category": "ProductCategory"},
        Id=np.arange(size),
        category=category,
        category_key=categories["key"][category],
        tier=tier,
        list_price=price,
        popularity=np.round(rng.lognormal(0.0, POPULARITY_SIGMA, size=size), 4),
        launched=launched,
        ended=ended,
        active=ended >= setting.last_day,
        short=strings(shorts),
    )


def _list_prices(
    rng: Stream,
    tier: Array,
    low: Array,
    high: Array,
) -> Array:
    """A price for each product, within its tier's part of its category's range."""
    span = np.array([TIER_SPAN[name] for name in tier]).reshape(len(tier), 2)
    start = span[:, 0]
    end = span[:, 1]
    share = start + (end - start) * rng.beta(*TIER_SHAPE, size=len(tier))
    whole_dollars = np.round(low + (high - low) * share)
    return np.asarray(np.round(np.maximum(whole_dollars - CENTS_BELOW, LOWEST_PRICE), 2))


def _life(setting: RunContext, size: int) -> tuple[Array, Array]:
    """The first and the last day on which each product is sold."""
    rng = setting.stream("Assortment", "life")
    days = int((setting.last_day - setting.first_day).astype(int)) + 1
    part, whole = LATEST_LAUNCH
    late = rng.random(size) < LAUNCHED_LATER
    launch_day = rng.integers(0, max(days * part // whole, 1), size=size)
    launched = setting.first_day + np.where(late, launch_day, 0).astype("timedelta64[D]")
    gone = rng.random(size) < DISCONTINUED
    longest = max(days // LONGEST_GONE, DAYS_GONE + 1)
    gone_for = rng.integers(DAYS_GONE, longest, size=size).astype("timedelta64[D]")
    ended = np.where(gone, setting.last_day - gone_for, setting.last_day)
    return launched, np.maximum(ended, launched)


def _links(setting: RunContext, products: Table, categories: int) -> Table:
    """Each product in its own category and, for as many as the profile's rate says, another."""
    rng = setting.stream("Assortment", "links")
    size = products.size
    wanted = min(round(size * setting.profile.rates.links) - size, size)
    extra = max(wanted, 0) if categories > 1 else 0
    second = np.sort(rng.choice(size, size=extra, replace=False))
    # One to all but one categories further on: any category but the product's own.
    step = 1 + rng.integers(0, max(categories - 1, 1), size=extra)
    other = (products["category"][second] + step) % categories
    product = np.concatenate([np.arange(size), second])
    category = np.concatenate([products["category"], other])
    order = np.argsort(product, kind="stable")
    return table(
        "Assortment.links",
        {"product": "Product2", "category": "ProductCategory"},
        product=product[order],
        category=category[order],
        primary=(np.arange(size + extra) < size)[order],
    )
