"""Assortment: what the company sells, for whom, at what price, and how well it sells.

It draws `categories` (names, peak months, price range), `products` (category, tier, target group,
popularity, life span, the list price that it has at the end, its cost), `prices` (the list price
of each product in each year of prices) and `links` (product to category, the first one primary).
It is drawn from the categories and target groups of the profile or its world, and from what its
trade says of prices and of how the range turns over.
Products stand in the order in which they came into the range, as their Ids do.
It drives the product categories, the products and their links, and through Pricing and
ShoppingHabit what is bought at what price.
It knows no customers and no seasons' discounts. How long products live and which prices shops use
have files of their own, `latent.product_life` and `latent.price_ladder`.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly, labels, pick, split
from latent.price_ladder import asked, round_prices, stepped
from latent.product_life import Lives, draw_lives
from latent.statistics import correlation, shares
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table
from schemas.categories import Category, key_of_name
from schemas.errors import BadInput
from schemas.selling import Prices

# Shares of the price tiers, and the part of its category's price range that each tier takes
# (0 is the lowest price, 1 the highest). Chosen by eye: most products are ordinary, one in five is
# dear, and neighbouring tiers touch without being the same.
TIERS = {"value_tier": 0.35, "core_tier": 0.45, "premium_tier": 0.20}
TIER_SPAN = {"value_tier": (0.0, 0.35), "core_tier": (0.25, 0.7), "premium_tier": (0.65, 1.0)}
TIER_SHAPE = (2, 2)  # beta: prices gather in the middle of their tier

# How much of the span of costs is the category's, the rest the product's own. Chosen by eye.
COST_BY_FAMILY = 0.6

# List prices change once a year, on March 1, when the spring's price book begins.
STEP_MONTH = 3

# What English plurals end in, the longer endings first, and what one of them ends in.
SINGULAR_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ss", "ss"),
    ("s", ""),
)

# A category that a profile names without a price, in a world that knows none: everyday prices.
USUAL_PRICES = (20.0, 120.0)

# Lines a day of a product's life, so that those that were there for long don't count for more.
LINES_SOLD = """
    SELECT p.popularity, count(i.Id) / (julianday(p.ended) - julianday(max(p.launched, f.day)) + 30)
    FROM latent."Assortment.products" p
    JOIN (SELECT min(EffectiveDate) AS day FROM "Order") f
    LEFT JOIN OrderItem i ON i.Product2Id = p.Id
    GROUP BY p.Id
"""
# Lines of the first half of a product's first year against that of its later years, among whole
# years within the period: the halves of both fall into the same seasons.
NEW_AND_OLD = """
    WITH sold AS (
        SELECT p.launched,
               p.ended,
               CAST((julianday(o.EffectiveDate) - julianday(p.launched)) / 365.25 AS INTEGER)
                   AS years,
               julianday(o.EffectiveDate) - julianday(p.launched) AS days
        FROM latent."Assortment.products" p
        JOIN OrderItem i ON i.Product2Id = p.Id
        JOIN "Order" o ON o.Id = i.OrderId
    )
    SELECT years = 0, days - years * 365.25 < 182.6
    FROM sold
    WHERE julianday(launched) + (years + 1) * 365.25 <= julianday(ended)
      AND julianday(launched) + years * 365.25
          >= (SELECT julianday(min(EffectiveDate)) FROM "Order")
"""
# A range that hardly turns over has too few new products to see what novelty does.
FEWEST_NEW_LINES = 1000


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
            "group",
            "group_key",
            "group_name",
            "list_price",
            "under",
            "cost",
            "popularity",
            "excluded",
            "launched",
            "ended",
            "end_date",
            "changed",
            "active",
            "short",
            "unit",
        ),
        "prices": ("product", "year", "price"),
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
        """Categories as stated, products by category weight, one or two categories a product."""
        setting = org.setting
        stated = stated_categories(setting)
        categories = _categories(stated)
        kinds, lives = _in_order_of_launch(setting, stated, _kinds(setting, stated, categories))
        prices, under = _prices(setting, categories, kinds)
        products = _products(setting, stated, kinds, lives, prices, under)
        return categories, products, prices, _links(setting, products, stated)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Popular products are on more order lines, new ones on more than a year later."""
        rows = org.execute(LINES_SOLD).fetchall()
        popular = correlation(self.name, "popular products stand on more order lines", rows)
        halves = org.execute(NEW_AND_OLD).fetchall()
        if sum(new for new, _ in halves) < FEWEST_NEW_LINES:
            return (popular,)
        says = "products sell best in the first half of their first year"
        return (popular, shares(self.name, says, halves))


def stated_categories(setting: RunContext) -> list[Category]:
    """As many categories as asked for, from the profile or else from its world.

    Raises BadInput where there are too few.
    """
    world = setting.world.categories
    wanted = setting.some("ProductCategory")
    merged = []
    for place, item in enumerate(setting.profile.categories):
        like = world[place % len(world)] if world else None
        merged.append(_as_category(item, like, setting.country.currency.rate))
    known = merged or list(world)
    if len(known) < wanted:
        raise BadInput(
            f"ProductCategory={wanted}, but only {len(known)} categories are stated; name more"
            " under `categories:` in the profile, or ask for fewer"
        )
    return known[:wanted]


def holding_limits(setting: RunContext) -> Array:
    """How many of each category a customer may hold; infinite where nothing is said."""
    limits = []
    for category in stated_categories(setting):
        limits.append(np.inf if category.holding is None else category.holding)
    return np.array(limits, dtype=float)


def _as_category(item: str | Category, like: Category | None, rate: float) -> Category:
    """A category that is stated whole, or a mere name filled up from one of the world's."""
    low, high = USUAL_PRICES
    usual = (low * rate, high * rate)
    if isinstance(item, Category):
        return item
    return Category(
        key=key_of_name(item),
        name=item,
        description=f"Everything in {item}.",
        price=like.price if like else usual,
        peak=like.peak if like else (),
        weight=like.weight if like else 1.0,
        short=(_singular(item.lower()),),
    )


def _singular(name: str) -> str:
    """What one thing of a category is called: `spa packages` holds a `spa package`.

    It goes by the usual endings of English alone; a category with a noun of another form is stated
    whole, with its `short`.
    """
    for ending, instead in SINGULAR_ENDINGS:
        if name.endswith(ending):
            return name.removesuffix(ending) + instead
    return name


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


def _kinds(setting: RunContext, stated: list[Category], categories: Table) -> Table:
    """What each product is: its category, tier and target group, and how well it sells."""
    rng = setting.stream("Assortment", "products")
    size = setting.some("Product2")
    least = 1 if size >= len(stated) else 0
    shelves = split(rng, categories["weight"], size, low=least)
    category = np.repeat(np.arange(len(stated)), shelves)
    spread = setting.world.trade.range.spread
    return table(
        "Assortment.kinds",
        category=category,
        tier=labels(rng, TIERS, size),
        popularity=np.round(rng.lognormal(0.0, spread, size=size), 4),
        group=_groups(setting, stated, category),
    )


def _in_order_of_launch(
    setting: RunContext, stated: list[Category], kinds: Table
) -> tuple[Table, Lives]:
    """The kinds and lives of products as they came; what was there before, category by category."""
    rng = setting.stream("Assortment", "life")
    lives = draw_lives(rng, setting, stated, kinds["category"], kinds["popularity"])
    came = np.maximum(lives.launched, setting.first_day)
    order = np.argsort(came, kind="stable")
    columns = {name: values[order] for name, values in kinds.columns.items()}
    moved = Table(kinds.name, kinds.size, columns, kinds.references)
    return moved, lives.in_order(order)


def _groups(setting: RunContext, stated: list[Category], category: Array) -> Array:
    """The row of each product's target group in the world; NONE where its category has none."""
    rng = setting.stream("Assortment", "groups")
    group = np.full(len(category), NONE)
    if not setting.world.groups:
        return group
    weights = group_weights(setting, stated)[category]
    grouped = np.flatnonzero(weights.sum(axis=1) > 0)
    # A buyer fills a shelf for everybody: chance alone would leave few dress shoes for women.
    for row in np.unique(category[grouped]):
        shelf = grouped[category[grouped] == row]
        wanted = weights[shelf[0]]
        bounds = np.cumsum(wanted) / wanted.sum()
        turn = rng.permutation(len(shelf))
        points = (turn + rng.random(len(shelf))) / len(shelf)
        found = np.searchsorted(bounds, points, side="right")
        group[shelf] = np.minimum(found, len(bounds) - 1)
    return group


def _unit(category: Category, usual: str) -> str:
    """What is counted of a category: its own unit where it states one."""
    return category.terms.unit if "unit" in category.terms.model_fields_set else usual


def group_weights(setting: RunContext, stated: list[Category]) -> Array:
    """Categories × the world's target groups: how many of its products are for each."""
    rows = []
    for item in stated:
        rows.append([item.groups.get(group.key, 0.0) for group in setting.world.groups])
    return np.array(rows, dtype=float).reshape(len(stated), len(setting.world.groups))


def _products(
    setting: RunContext,
    stated: list[Category],
    kinds: Table,
    lives: Lives,
    prices: Table,
    under: Array,
) -> Table:
    category = kinds["category"]
    trade = setting.world.trade.range
    shorts = []
    namer = setting.stream("Assortment", "shorts")
    for row in category:
        names = stated[row].short
        shorts.append(names[namer.integers(len(names))])
    groups = [setting.world.groups[row] if row != NONE else None for row in kinds["group"]]
    size = kinds.size
    list_price = prices["price"].reshape(size, -1)[:, -1]
    gone = np.datetime64("NaT", "D")
    return table(
        "Assortment.products",
        {"Id": "Product2", "category": "ProductCategory"},
        Id=np.arange(size),
        category=category,
        category_key=strings([stated[row].key for row in category]),
        tier=kinds["tier"],
        group=kinds["group"],
        group_key=strings([group.key if group else "" for group in groups]),
        group_name=objects([group.name if group else None for group in groups]),
        list_price=list_price,
        under=under,
        cost=_costs(setting, trade.prices, list_price, category),
        popularity=kinds["popularity"],
        excluded=_excluded(setting, category),
        launched=lives.launched,
        ended=lives.ended,
        end_date=np.where(lives.active, gone, lives.ended),
        changed=np.where(lives.active, _repriced(setting, prices, lives.launched), lives.ended),
        active=lives.active,
        short=strings(shorts),
        unit=strings([_unit(stated[row], trade.unit) for row in category]),
    )


def _repriced(
    setting: RunContext,
    prices: Table,
    launched: Array,
) -> Array:
    """The day on which each product's list price was changed last; NaT where it never was."""
    size = len(launched)
    listed = prices["price"].reshape(size, -1)
    never = np.datetime64("NaT", "D")
    last = np.full(size, never)
    for place, year in enumerate(price_years(setting)):
        day = np.datetime64(f"{year}-{STEP_MONTH:02}-01")
        before = max(place - 1, 0)
        moved = listed[:, place] != listed[:, before]
        moved &= launched < day
        last = np.where(moved, day, last)
    return last


def _excluded(setting: RunContext, category: Array) -> Array:
    """Which products no promotion makes cheaper: some of all, and all of some categories."""
    rng = setting.stream("Assortment", "excluded")
    share = setting.world.trade.range.promotions.excluded
    promoted = np.array([stated.terms.promoted for stated in stated_categories(setting)])
    return np.asarray((rng.random(len(category)) < share) | ~promoted[category])


def price_years(setting: RunContext) -> range:
    """The years of prices that the period touches; each begins on the first of STEP_MONTH."""
    return range(price_year(setting.first_day), price_year(setting.last_day) + 1)


def price_year(day: np.datetime64) -> int:
    """The year of prices that a day is in: January belongs to the year before."""
    month = day.astype("datetime64[M]") - (STEP_MONTH - 1)
    return int(month.astype("datetime64[Y]").astype(int)) + 1970


def _prices(setting: RunContext, categories: Table, kinds: Table) -> tuple[Table, Array]:
    """The list price of each product in each year of prices, and what it is under a round one.

    The first lies within the product's tier's part of its category's price range.
    """
    rng = setting.stream("Assortment", "prices")
    prices = setting.world.trade.range.prices
    category = kinds["category"]
    size = kinds.size
    wanted = _wanted_prices(rng, kinds["tier"], categories["low"], categories["high"], category)
    dear = np.array([group.price for group in setting.world.groups] + [1.0])  # NONE is the last
    wanted = wanted * dear[kinds["group"]]
    unders = np.array(list(prices.under))
    weights = np.array(list(prices.under.values()))
    under = rng.choice(unders, size=size, p=weights / weights.sum())
    round_price = round_prices(rng, prices, wanted)
    years = price_years(setting)
    listed = [asked(round_price, under)]
    for year in years[1:]:
        round_price = _next_year(rng, prices, round_price, year)
        listed.append(asked(round_price, under))
    made = table(
        "Assortment.prices",
        {"product": "Product2"},
        product=np.repeat(np.arange(size), len(years)),
        year=np.tile(np.array(years), size),
        price=np.stack(listed, axis=1).ravel(),
    )
    return made, under


def _next_year(rng: Stream, prices: Prices, round_price: Array, year: int) -> Array:
    """The round prices of another year: most stay, most of the others rise."""
    size = len(round_price)
    changes = rng.random(size) < prices.steps_of.get(year, prices.steps)
    upwards = np.where(rng.random(size) < prices.rises, 1.0, -1.0)
    least, most = prices.change
    share = (least + (most - least) * rng.random(size)) / 100
    return np.where(changes, stepped(prices, round_price, upwards * share), round_price)


def _wanted_prices(
    rng: Stream,
    tier: Array,
    low: Array,
    high: Array,
    category: Array,
) -> Array:
    """A price for each product, within its tier's part of its category's range."""
    span = np.array([TIER_SPAN[name] for name in tier]).reshape(len(tier), 2)
    start = span[:, 0]
    end = span[:, 1]
    share = start + (end - start) * rng.beta(*TIER_SHAPE, size=len(tier))
    lowest = low[category]
    return np.asarray(lowest + (high[category] - lowest) * share)


def _costs(
    setting: RunContext,
    prices: Prices,
    list_price: Array,
    category: Array,
) -> Array:
    """What each product costs the company; nothing where the trade says nothing of it.

    Categories differ in it: some are made at home, some have many sellers.
    """
    if prices.cost is None:
        return objects([None] * len(list_price))
    rng = setting.stream("Assortment", "costs")
    least, most = prices.cost
    families = setting.stream("Assortment", "margins").random(int(category.max(initial=0)) + 1)
    points = COST_BY_FAMILY * families[category]
    points += (1 - COST_BY_FAMILY) * rng.random(len(list_price))
    share = (least + (most - least) * points) / 100
    return np.asarray(np.round(list_price * share, setting.country.currency.decimals))


def _links(setting: RunContext, products: Table, stated: list[Category]) -> Table:
    """Each product in its own category and, for as many as the profile's rate says, another.

    The other is one that its category goes with and that sells to the product's target group.
    """
    rng = setting.stream("Assortment", "links")
    size = products.size
    weights = _affinities(setting, stated)[products["category"]]
    groups = group_weights(setting, stated)
    if len(setting.world.groups):
        sells = (groups > 0).T | (groups.sum(axis=1) == 0)
        sells = np.vstack([sells, np.ones(len(stated), dtype=bool)])  # NONE is the last row
        weights = weights * sells[products["group"]]
    near = weights.sum(axis=1)
    wanted = round(size * setting.profile.rates.links) - size
    extra = int(np.clip(wanted, 0, (near > 0).sum()))
    second = exactly(rng, near, extra)
    product = np.concatenate([np.arange(size), second])
    category = np.concatenate([products["category"], pick(rng, weights[second])])
    order = np.argsort(product, kind="stable")
    return table(
        "Assortment.links",
        {"product": "Product2", "category": "ProductCategory"},
        product=product[order],
        category=category[order],
        primary=(np.arange(size + extra) < size)[order],
    )


def _affinities(setting: RunContext, stated: list[Category]) -> Array:
    """Categories × categories: how much the products of one go with another."""
    rows = []
    for item in stated:
        rows.append([item.also.get(other.key, 0.0) * (other.key != item.key) for other in stated])
    return np.array(rows, dtype=float)
