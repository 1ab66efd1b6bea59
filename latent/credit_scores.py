"""Credit scores, and how they move from one application of a customer to the next.

A part of Holding. Knows no products and no decisions.
"""

import numpy as np

from latent.draws import walk
from latent.elapsed import DAYS_A_YEAR
from pipeline.world.streams import Stream
from pipeline.world.tables import Array

LOWEST_SCORE, HIGHEST_SCORE = 300, 850  # the range of the credit scores that are in use in the US

# A score moves by some twenty points a year, either way, gains a few as the history grows longer,
# and differs by a few from one day's report to the next. Chosen by eye.
YEARLY_MOVE = 20.0
YEARLY_GAIN = 4.0
DAILY_NOISE = 3.0


def usual_scores(rng: Stream, mean: float, spread: float, size: int) -> Array:
    """So many customers' scores at the period's beginning."""
    return _within(rng.normal(mean, spread, size=size))


def scores_then(rng: Stream, usual: Array, account: Array, elapsed: Array) -> Array:
    """The score of an account's customer after so many days, one value a row.

    `usual` has the score of each account on day 0. The rows of an account are steps of one walk.
    """
    order = np.lexsort((elapsed, account))
    years = np.maximum(elapsed[order], 0) / DAYS_A_YEAR
    first = np.diff(account[order], prepend=-1) != 0
    between = np.diff(years, prepend=0.0)
    since = np.where(first, years, between)
    size = len(order)
    owner = account[order]
    spread = YEARLY_MOVE * np.sqrt(since)
    steps = spread * rng.normal(size=size)
    moved = walk(steps, owner)
    gained = YEARLY_GAIN * years
    noise = DAILY_NOISE * rng.normal(size=size)
    exact = usual[owner] + moved + gained + noise
    score = np.empty(size, dtype=np.int64)
    score[order] = _within(exact)
    return score


def _within(score: Array) -> Array:
    """Whole scores; what lies beyond the highest or the lowest lies as far on this side of it."""
    below: Array = HIGHEST_SCORE - np.abs(HIGHEST_SCORE - score)
    within: Array = np.round(LOWEST_SCORE + np.abs(below - LOWEST_SCORE)).astype(np.int64)
    return within
