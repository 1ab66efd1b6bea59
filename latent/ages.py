"""What goes with people's age: how much more they want of something, or use a way to get it.

Takes weights at some ages (`{20: 0.2, 35: 1.6}`) and moves evenly between them. Knows no people.
"""

from collections.abc import Mapping

import numpy as np

from pipeline.world.tables import Array

DAYS_A_YEAR = 365.25


def ages_on(born: Array, day: Array | np.datetime64) -> Array:
    """How old people are on a day, in years."""
    return np.asarray((day - born.astype("datetime64[D]")).astype(float) / DAYS_A_YEAR)


def by_age(weights: Mapping[int, float], ages: Array) -> Array:
    """The weight at each age; 1 for all where none are stated.

    >>> by_age({20: 0.5, 40: 1.5}, np.array([10.0, 30.0, 90.0])).tolist()
    [0.5, 1.0, 1.5]
    """
    if not weights:
        return np.ones(len(ages))
    known = sorted(weights)
    return np.interp(ages, known, [weights[age] for age in known])
