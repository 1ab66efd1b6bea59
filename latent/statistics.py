"""Measured effects: a size and a p value of two groups, of two shares, or of a correlation.

Takes rows of a query over a finished org and gives an `Effect`. Too few rows, or rows that are all
alike, give an effect of size 0 with p = 1. Knows no variable and no table.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from latent.significance import fisher_exact_p, mann_whitney_p, spearman
from latent.variable import Effect
from pipeline.world.tables import Array

Rows = Sequence[tuple[Any, ...]]

PARTS = 5
"""Points of a curve: a fifth of the rows each."""
DIGITS = 6

FEWEST_IN_A_GROUP = 2
FEWEST_TO_CORRELATE = 3


def difference(
    variable: str,
    says: str,
    measure: str,
    rows: Rows,
    sign: int = 1,
) -> Effect:
    """The difference of the means of two groups, with the p value of Mann and Whitney.

    Each row is (whether it is in the group, a number); `measure` names the number's unit.
    """
    inside = np.array([value for is_in, value in rows if is_in], dtype=float)
    outside = np.array([value for is_in, value in rows if not is_in], dtype=float)
    if min(len(inside), len(outside)) < FEWEST_IN_A_GROUP:
        return Effect(variable, says, measure, 0.0, 1.0, len(rows), sign)
    size = float(inside.mean() - outside.mean())
    p = mann_whitney_p(inside, outside)
    unit = f"difference of means, {measure}"
    seen = ((0.0, digits(outside.mean())), (1.0, digits(inside.mean())))
    return Effect(variable, says, unit, size, p, len(rows), sign, seen)


def shares(
    variable: str,
    says: str,
    rows: Rows,
    sign: int = 1,
) -> Effect:
    """The difference of the shares of hits in two groups, with the p value of Fisher.

    Each row is (whether it is in the group, whether it is a hit).
    """
    counts = np.zeros((2, 2), dtype=int)
    for is_in, hit in rows:
        counts[int(bool(is_in)), int(bool(hit))] += 1
    sizes = counts.sum(axis=1)
    if sizes.min() == 0:
        return Effect(variable, says, "difference of shares", 0.0, 1.0, len(rows), sign)
    rates = counts[:, 1] / sizes
    size = float(rates[1] - rates[0])
    p = fisher_exact_p(counts)
    seen = ((0.0, digits(rates[0])), (1.0, digits(rates[1])))
    return Effect(variable, says, "difference of shares", size, p, len(rows), sign, seen)


def correlation(
    variable: str,
    says: str,
    rows: Rows,
    sign: int = 1,
) -> Effect:
    """Spearman's rank correlation of rows of (hidden value, what is seen of it)."""
    hidden = np.array([row[0] for row in rows], dtype=float)
    seen = np.array([row[1] for row in rows], dtype=float)
    if len(rows) < FEWEST_TO_CORRELATE or np.ptp(hidden) == 0 or np.ptp(seen) == 0:
        return Effect(variable, says, "rank correlation", 0.0, 1.0, len(rows), sign)
    size, p = spearman(hidden, seen)
    curve = _curve(hidden, seen)
    return Effect(variable, says, "rank correlation", size, p, len(rows), sign, curve)


def _curve(hidden: Array, seen: Array) -> tuple[tuple[float, float], ...]:
    """The means of both columns in parts of equal size, from the least of the cause to the most.

    Rows of one cause stay together, so a cause of two values has two points.
    """
    order = np.argsort(hidden, kind="stable")
    bounds = np.linspace(0, len(order), PARTS + 1).astype(int)
    # A part begins where its first value does: equal causes aren't torn apart.
    first = np.searchsorted(hidden[order], hidden[order][bounds[:-1]], side="left")
    starts = sorted(set(first.tolist()))
    points = []
    for start, end in pairwise([*starts, len(order)]):
        part = order[start:end]
        points.append((digits(hidden[part].mean()), digits(seen[part].mean())))
    return tuple(points)


def digits(value: float) -> float:
    """A mean as it is kept: in its last digits it differs from machine to machine."""
    return float(f"{value:.{DIGITS}g}")
