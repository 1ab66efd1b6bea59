"""Figures of incidents: one of a range, as it is stated. Knows no cases."""

import math
import random

from schemas.incidents import BETWEEN, FIGURE, stake_range


def figure_of(rng: random.Random, stake: str) -> str:
    """What is at stake in one case: a figure as it is stated, or one of a range.

    Small ones are as likely as large ones in proportion, as bills and purchases are. It has the
    decimals and the unit of the lower one. Example: `$20.00 to $140.00` may give `$37.45`.
    """
    bounds = stake_range(stake)
    if bounds is None:
        return stake
    lowest = stake.partition(BETWEEN)[0]
    (stated,) = FIGURE.findall(lowest)
    decimals = len(stated.partition(".")[2])
    drawn = math.exp(rng.uniform(*map(math.log, bounds)))
    return lowest.replace(stated, f"{drawn:,.{decimals}f}")
