"""The prices that shops use: round ones, or just below.

A part of Assortment and Pricing. A price is a round one (80, 120), which stands on the ladder of
the trade, less what the product is sold under it (0.05 for 79.95). Knows no products.
"""

import numpy as np

from pipeline.world.streams import Stream
from pipeline.world.tables import Array
from schemas.selling import Prices, Rung

# How often a price falls on a favored point of the ladder where one is as near as any other.
# Chosen by eye: two of three prices of a shop are among its few favorite ones.
FAVORED_SHARE = 0.65

LOWEST_PRICE = 0.95  # nothing is given away


def round_prices(rng: Stream, prices: Prices, wanted: Array) -> Array:
    """The round price of the ladder that is nearest to each wanted one, mostly a favored one."""
    every, favored = _rungs(prices.ladder, wanted)
    likes_favored = rng.random(len(wanted)) < FAVORED_SHARE
    # A product cheaper than the ladder's favored points keeps to the finer ones.
    takes_favored = likes_favored & (wanted >= favored)
    distance = np.where(takes_favored, favored, every)
    steps = np.round(wanted / distance)
    nearest = steps * distance
    return np.asarray(np.maximum(nearest, every))


def stepped(prices: Prices, round_price: Array, change: Array) -> Array:
    """Round prices changed by a share (0.08 or -0.05), by a point of the ladder at least."""
    every, _ = _rungs(prices.ladder, round_price)
    wanted = round_price * (1 + change)
    steps = np.round(wanted / every)
    moved = steps * every
    stays = moved == round_price
    next_point = round_price + np.sign(change) * every
    changed = np.where(stays, next_point, moved)
    return np.asarray(np.maximum(changed, every))


def asked(round_price: Array, under: Array) -> Array:
    """What is asked: the round price less what the product is sold under it."""
    price = np.round(round_price - under, 2)
    return np.asarray(np.maximum(price, LOWEST_PRICE))


def reduced(list_price: Array, under: Array, discount: Array, whole: float = 1.0) -> Array:
    """List prices less a discount (0.2), in whole dollars less `under`, and never above the list.

    `whole` is what takes the place of a dollar: 100 for yen. Without a discount it is the list
    price itself.
    """
    wanted = list_price * (1 - discount)
    whole_price = np.round(wanted / whole) * whole
    price = asked(whole_price, under)
    never_above = np.minimum(price, list_price)
    undiscounted = discount == 0
    return np.asarray(np.where(undiscounted, list_price, never_above))


def _rungs(ladder: tuple[Rung, ...], prices: Array) -> tuple[Array, Array]:
    """How far apart points and favored points lie where each price stands; the last rung's above
    all.
    """
    tops = np.array([rung.up_to for rung in ladder])
    every = np.array([rung.every for rung in ladder])
    favored = np.array([rung.favored for rung in ladder])
    last = len(ladder) - 1
    fitting = np.searchsorted(tops, prices)
    rung = np.minimum(fitting, last)
    return every[rung], favored[rung]
