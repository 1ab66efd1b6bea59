"""Effect sizes with p values, by scipy: two groups, two shares, a correlation.

Knows no variable and no table.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latent.variable import Effect

Rows = Sequence[tuple[Any, ...]]


def difference(variable: str, says: str, measure: str, rows: Rows, sign: int = 1) -> Effect:
    """Rows of (is in the group, value): difference of the means, Mann-Whitney p."""
    from scipy import stats

    inside = np.array([value for group, value in rows if group], dtype=float)
    outside = np.array([value for group, value in rows if not group], dtype=float)
    if len(inside) < 2 or len(outside) < 2:
        return Effect(variable, says, measure, 0.0, 1.0, len(rows), sign)
    test = stats.mannwhitneyu(inside, outside)
    return Effect(
        variable,
        says,
        f"difference of means, {measure}",
        float(inside.mean() - outside.mean()),
        float(test.pvalue),
        len(rows),
        sign,
    )


def shares(variable: str, says: str, rows: Rows, sign: int = 1) -> Effect:
    """Rows of (is in the group, is a hit): difference of the two shares, Fisher's exact p."""
    from scipy import stats

    counts = np.zeros((2, 2), dtype=int)
    for group, hit in rows:
        counts[int(bool(group)), int(bool(hit))] += 1
    if counts.sum(axis=1).min() == 0:
        return Effect(variable, says, "difference of shares", 0.0, 1.0, len(rows), sign)
    rates = counts[:, 1] / counts.sum(axis=1)
    return Effect(
        variable,
        says,
        "difference of shares",
        float(rates[1] - rates[0]),
        float(stats.fisher_exact(counts)[1]),
        len(rows),
        sign,
    )


def correlation(variable: str, says: str, rows: Rows, sign: int = 1) -> Effect:
    """Rows of (hidden, seen): Spearman's rank correlation."""
    from scipy import stats

    if len(rows) < 3:
        return Effect(variable, says, "rank correlation", 0.0, 1.0, len(rows), sign)
    hidden, seen = (np.array([row[at] for row in rows], dtype=float) for at in (0, 1))
    if np.ptp(hidden) == 0 or np.ptp(seen) == 0:
        return Effect(variable, says, "rank correlation", 0.0, 1.0, len(rows), sign)
    found = stats.spearmanr(hidden, seen)
    size, p = float(found.statistic), float(found.pvalue)
    return Effect(
        variable,
        says,
        "rank correlation",
        0.0 if np.isnan(size) else size,
        1.0 if np.isnan(p) else p,
        len(rows),
        sign,
    )
