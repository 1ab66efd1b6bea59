"""Assortment: what the company sells, for whom, at what price, and how well it sells.

Draws  `categories` (names, peak months, price range), `products` (category, tier, list price,
       popularity, life span),
       `links` (product to category, the first one primary).
From   the categories of the profile or its world.
Drives ProductCategory, Product2.Family, ProductCategoryProduct, prices (Pricing) and what is bought
(ShoppingHabit).
"""

import sqlite3
from collections.abc import Mapping
from typing import cast

import numpy as np

from latent.draws import labels, split
from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import Table, strings, table
from schemas.errors import BadInput
from schemas.lexicon import Category

TIERS = {"value_tier": 0.35, "core_tier": 0.45, "premium_tier": 0.20}
TIER_SPAN = {"value_tier": (0.0, 0.35), "core_tier": (0.25, 0.7), "premium_tier": (0.65, 1.0)}


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
        "ProductCategory.Name",
        "Product2.Family",
        "Product2.IsActive",
        "ProductCategoryProduct",
        "Pricing",
        "ShoppingHabit",
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
        rows = org.execute(
            'SELECT p.popularity, count(i.Id) FROM latent."Assortment.products" p LEFT JOIN'
            " OrderItem i ON i.Product2Id = p.Id GROUP BY p.Id"
        ).fetchall()
        return (correlation(self.name, "popular products stand on more order lines", rows),)


def stated_categories(setting: RunContext) -> list[Category]:
    """As many categories as asked for, from the profile or else the world; raises BadInput where
    there are too few.
    """
    world, wanted = setting.world.categories, setting.some("ProductCategory")
    own = setting.profile.categories
    merged = [
        _as_category(item, world[at % len(world)] if world else None) for at, item in enumerate(own)
    ]
    known = merged or list(world)
    if len(known) < wanted:
        raise BadInput(
            f"ProductCategory={wanted}, but only {len(known)} categories are stated; name more"
            " under `categories:` in the profile, or ask for fewer"
        )
    return known[:wanted]


def _as_category(item: str | Category, like: Category | None) -> Category:
    if isinstance(item, Category):
        return item
    key = "".join(sign if sign.isalnum() else "_" for sign in item.lower())
    price, peak, weight = (like.price, like.peak, like.weight) if like else ((20.0, 120.0), (), 1.0)
    return Category(
        key=key,
        name=item,
        description=f"Everything in {item}.",
        price=price,
        peak=peak,
        weight=weight,
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
    rng, size = setting.stream("Assortment", "products"), setting.some("Product2")
    category = np.sort(
        np.repeat(
            np.arange(len(stated)),
            split(rng, categories["weight"], size, low=1 if size >= len(stated) else 0),
        )
    )
    tier = labels(rng, TIERS, size)
    low, high = categories["low"][category], categories["high"][category]
    span = np.array([TIER_SPAN[cast(str, name)] for name in tier]).reshape(size, 2)
    share = span[:, 0] + (span[:, 1] - span[:, 0]) * rng.beta(2, 2, size=size)
    price = np.maximum(np.round(low + (high - low) * share) - 0.05, 0.95)
    launched, ended = _life(setting, size)
    shorts = strings([stated[at].short[rng.integers(len(stated[at].short))] for at in category])
    return table(
        "Assortment.products",
        {"Id": "Product2", "category": "ProductCategory"},
        Id=np.arange(size),
        category=category,
        category_key=categories["key"][category],
        tier=tier,
        list_price=np.round(price, 2),
        popularity=np.round(rng.lognormal(0.0, 0.9, size=size), 4),
        launched=launched,
        ended=ended,
        active=ended >= setting.last_day,
        short=shorts,
    )


def _life(
    setting: RunContext, size: int
) -> tuple[
    "np.ndarray[tuple[int], np.dtype[np.datetime64]]",
    "np.ndarray[tuple[int], np.dtype[np.datetime64]]",
]:
    rng = setting.stream("Assortment", "life")
    days = int((setting.last_day - setting.first_day).astype(int)) + 1
    late = rng.random(size) < 0.4
    launched = setting.first_day + np.where(
        late, rng.integers(0, max(days * 5 // 8, 1), size=size), 0
    ).astype("timedelta64[D]")
    gone = rng.random(size) < 0.05
    ended = np.where(
        gone,
        setting.last_day - rng.integers(30, max(days // 5, 31), size=size).astype("timedelta64[D]"),
        setting.last_day,
    )
    return launched, np.maximum(ended, launched)


def _links(setting: RunContext, products: Table, categories: int) -> Table:
    rng, size = setting.stream("Assortment", "links"), products.size
    extra = min(round(size * setting.profile.rates.links) - size, size) if categories > 1 else 0
    second = np.sort(rng.choice(size, size=max(extra, 0), replace=False))
    other = (
        products["category"][second] + 1 + rng.integers(0, max(categories - 1, 1), size=len(second))
    ) % categories
    product = np.concatenate([np.arange(size), second])
    order = np.argsort(product, kind="stable")
    return table(
        "Assortment.links",
        {"product": "Product2", "category": "ProductCategory"},
        product=product[order],
        category=np.concatenate([products["category"], other])[order],
        primary=np.concatenate([np.ones(size, dtype=bool), np.zeros(len(second), dtype=bool)])[
            order
        ],
    )
