"""The prices that shops use: round ones, or just below.

A part of Assortment and Pricing. A price is a round one (80, 120), which stands on the ladder of
the trade, less what the product is sold under it (0.05 for 79.95). Knows no products.
"""

import numpy as np

from pipeline.world.streams import Stream
from pipeline.world.tables import Array
from schemas.trade import Prices, Rung

# How often a price falls on a favored point of the ladder where one is as near as any other.
# Chosen by eye: two of three prices of a shop are among its few favorite ones.
FAVORED_SHARE = 0.65

LOWEST_PRICE = 0.95  # nothing is given away


def round_prices(rng: Stream, prices: Prices, wanted: Array) -> Array:
    """The round price of the ladder that is nearest to each wanted one, mostly a favored one."""
    every, favored = _rungs(prices.ladder, wanted)
    # A product cheaper than the ladder's favored points keeps to the finer ones.
    takes_favored = (rng.random(len(wanted)) < FAVORED_SHARE) & (wanted >= favored)
    distance = np.where(takes_favored, favored, every)
    return np.asarray(np.maximum(np.round(wanted / distance) * distance, every))


def stepped(prices: Prices, round_price: Array, change: Array) -> Array:
    """Round prices changed by a share (0.08 or -0.05), by a point of the ladder at least."""
    every, _ = _rungs(prices.ladder, round_price)
    moved = np.round(round_price * (1 + change) / every) * every
    same = moved == round_price
    least = round_price + np.sign(change) * every
    return np.asarray(np.maximum(np.where(same, least, moved), every))


def asked(round_price: Array, under: Array) -> Array:
    """What is asked: the round price less what the product is sold under it."""
    return np.asarray(np.maximum(np.round(round_price - under, 2), LOWEST_PRICE))


def reduced(list_price: Array, under: Array, discount: Array, whole: float = 1.0) -> Array:
    """List prices less a discount (0.2), in whole dollars less `under`, and never above the list.

    `whole` is what takes the place of a dollar: 100 for yen. Without a discount it is the list
    price itself.
    """
    whole_price = np.round(list_price * (1 - discount) / whole) * whole
    price = np.minimum(asked(whole_price, under), list_price)
    return np.asarray(np.where(discount == 0, list_price, price))


def _rungs(ladder: tuple[Rung, ...], prices: Array) -> tuple[Array, Array]:
    """How far apart points and favored points lie where each price stands; the last rung's above
    all.
    """
    tops = np.array([rung.up_to for rung in ladder])
    rung = np.minimum(np.searchsorted(tops, prices), len(ladder) - 1)
    every = np.array([rung.every for rung in ladder])
    favored = np.array([rung.favored for rung in ladder])
    return every[rung], favored[rung]
