"""The variants of what is bought: size, color and width of each line.

A part of ShoppingHabit. Sizes and widths follow from the wearer and are the same in every order;
who gets a gift is another person each time. Colors are those in which the product comes, the first
one most often. Knows no prices.
"""

from itertools import chain

import numpy as np

from latent.assortment import stated_categories
from latent.elapsed import DAYS_A_YEAR
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings
from schemas.categories import TargetGroup

# Half a size up or down, as models turn out: one line in eight is a size off the wearer's own.
OFF_SIZE = 0.12

# A product comes in two to four of its category's colors; the n-th of them has the weight 1 / n.
FEWEST_COLORS = 2
MOST_COLORS = 4


def variants(org: Org, product: Array, wearer: Array, days: Array) -> dict[str, Array]:
    """`size`, `color` and `width` of each line; None where its product has no such variants."""
    return {
        "size": _sizes(org, product, wearer, days),
        "color": _colors(org, product),
        "width": _widths(org, product, wearer),
    }


def _sizes(org: Org, product: Array, wearer: Array, days: Array) -> Array:
    """A size of the product's target group for each line whose category has sizes."""
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "sizes")
    products = org.table("Assortment.products")
    sized = np.array([category.variants.Size for category in stated_categories(setting)])
    group = products["group"][product]
    size = objects([None] * len(product))
    drawn = rng.normal(size=len(product))
    point = rng.random(len(product))
    is_off = rng.random(len(product)) < OFF_SIZE
    step = rng.choice([-1, 1], len(product))
    off = np.where(is_off, step, 0)
    fit, age = _measures(org, wearer, days, drawn)
    for row, stated in enumerate(setting.world.groups):
        has_size = sized[products["category"][product]]
        lines = np.flatnonzero((group == row) & has_size)
        if not len(lines) or not stated.sizes:
            continue
        middle = _middle(stated, age[lines], point[lines])
        fitting = np.round(middle + stated.spread * fit[lines])
        place = fitting.astype(int) + off[lines]
        last = len(stated.sizes) - 1
        names = np.array(stated.sizes, dtype=object)
        size[lines] = names[np.clip(place, 0, last)]
    return size


def _measures(org: Org, wearer: Array, days: Array, drawn: Array) -> tuple[Array, Array]:
    """How each line's wearer differs from others of their kind, and their age in years.

    Somebody outside of the household is anybody: `drawn`, of no known age (NaN).
    """
    known = wearer != NONE
    fit = drawn.copy()
    age = np.full(len(wearer), np.nan)
    if known.any():
        wearers: Table = org.table("Wearer.wearers")
        fit[known] = wearers["fit"][wearer[known]]
        born = wearers["born"][wearer[known]]
        lived = days[known] - born
        age[known] = lived.astype(float) / DAYS_A_YEAR
    return fit, age


def _middle(group: TargetGroup, age: Array, point: Array) -> Array:
    """The place of the usual size among a group's sizes; by age where its people grow."""
    last = len(group.sizes) - 1
    if not group.grows:
        usual = last // 2
        if group.usual in group.sizes:
            usual = group.sizes.index(group.usual)
        return np.full(len(age), float(usual))
    youngest, oldest = group.ages
    grown = (age - youngest) / (oldest + 1 - youngest)
    share = np.where(np.isnan(grown), point, grown)
    return np.asarray(np.clip(share, 0, 1) * last)


def _colors(org: Org, product: Array) -> Array:
    setting = org.setting
    palettes = _palettes(setting.stream("ShoppingHabit", "palettes"), org)
    rng = setting.stream("ShoppingHabit", "colors")
    point = rng.random(len(product))
    sizes = np.array([len(palette) for palette in palettes])[product]
    place = np.zeros(len(product), dtype=np.int64)
    for size in range(1, MOST_COLORS + 1):
        lines = np.flatnonzero(sizes == size)
        place[lines] = _nth(point[lines], size)
    # The palettes one after another; each line looks into its product's.
    starts = np.concatenate([[0], np.cumsum([len(palette) for palette in palettes])])
    color = objects([None] * len(product))
    some = np.flatnonzero(sizes)
    color[some] = strings(list(chain(*palettes)))[starts[product[some]] + place[some]]
    return color


def _nth(points: Array, size: int) -> Array:
    """A place among `size` for each point, the n-th with the weight 1 / n."""
    bounds = np.cumsum(1 / np.arange(1, size + 1))
    place = np.searchsorted(bounds, points * bounds[-1])
    return np.asarray(np.minimum(place, size - 1))


def _palettes(rng: Stream, org: Org) -> list[list[str]]:
    """The colors of each product."""
    stated = stated_categories(org.setting)
    palettes: list[list[str]] = []
    for row in org.table("Assortment.products")["category"]:
        colors = stated[row].variants.Color
        wanted = int(rng.integers(FEWEST_COLORS, MOST_COLORS + 1))
        number = min(wanted, len(colors))
        places = rng.permutation(len(colors))[:number]
        palettes.append([colors[place] for place in places])
    return palettes


def _widths(org: Org, product: Array, wearer: Array) -> Array:
    """The width that a wearer has in every product of the same widths."""
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "widths")
    category = org.table("Assortment.products")["category"][product]
    point = rng.random(len(product))
    known = wearer != NONE
    if known.any():
        point[known] = org.table("Wearer.wearers")["width"][wearer[known]]
    width = objects([None] * len(product))
    for row, stated in enumerate(stated_categories(setting)):
        lines = np.flatnonzero(category == row)
        widths = stated.variants.Width
        if not widths or not len(lines):
            continue
        bounds = np.cumsum(list(widths.values()))
        place = np.searchsorted(bounds, point[lines] * bounds[-1])
        names = np.array(list(widths), dtype=object)
        width[lines] = names[np.minimum(place, len(names) - 1)]
    return width
