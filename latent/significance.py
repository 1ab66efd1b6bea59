"""P values of classical tests, two-sided, from numpy and the standard library alone.

Mann-Whitney's U compares two samples, Fisher's exact test two shares, Spearman's rank correlation
two columns. Each of these gives what `scipy.stats` gives by default (a test holds them together);
scipy itself is not imported, since it would more than double the size of an installation.
A Poisson regression tells a rate from seasons and years.
Knows no table, no variable and no org.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.world.tables import Array

# Up to this size of the smaller sample Mann-Whitney's p is counted out exactly, as scipy does;
# beyond it the normal approximation is right to three digits.
EXACT_SAMPLE = 8

# A continued fraction has converged when a step changes it by less than a few float roundings.
CONVERGED = 3e-16
MOST_STEPS = 10_000
TINY = 1e-300

# What one table's arrangements count as: what is less than 1 beside it, in 77 digits, is nothing.
UNIT = 2**256
# Where another table is likelier by so much, the result is less than the least float. To go on
# takes numbers of ever more digits, and so the square of the time.
LIKELIER = UNIT * 2**1200

# Newton's method has converged on counts of a few hundred days after some five steps; the
# exponential of a larger logarithm would be no number.
NEWTON_STEPS = 8
LARGEST_LOG = 30.0
LEAST_MEAN = 1e-9
DIGITS = 6  # linear algebra differs from machine to machine in the last ones


def mann_whitney_p(inside: Array, outside: Array) -> float:
    """The p value of the hypothesis that neither sample tends to be larger.

    Both are one-dimensional and not empty. Counted out where one sample is small and no value
    stands twice, otherwise the normal approximation with the corrections for ties and continuity.
    """
    joined = np.concatenate([inside, outside])
    few, many = sorted((len(inside), len(outside)))
    rank_sum = float(ranks(joined)[: len(inside)].sum())
    u = rank_sum - len(inside) * (len(inside) + 1) / 2
    larger_u = max(u, few * many - u)
    _, ties = np.unique(joined, return_counts=True)
    if few <= EXACT_SAMPLE and ties.max() == 1:
        return _exact_u_p(few, many, round(larger_u))
    return _normal_u_p(few, many, larger_u, ties)


def _exact_u_p(few: int, many: int, larger_u: int) -> float:
    ways = _ways_of_u(few, many)
    tail = sum(ways[larger_u:])
    return min(1.0, 2 * tail / sum(ways))


def _ways_of_u(few: int, many: int) -> list[int]:
    """How many arrangements of two samples give each U from 0 to few × many.

    These are the coefficients of the Gaussian binomial: the product over i = 1..few of
    (1 - q^(many + i)) / (1 - q^i). Whole numbers, so nothing is lost in subtracting.
    """
    ways = [1] + [0] * (few * many)
    for step in range(1, few + 1):
        for power in range(len(ways) - 1, many + step - 1, -1):
            ways[power] -= ways[power - many - step]
        for power in range(step, len(ways)):
            ways[power] += ways[power - step]
    return ways


def _normal_u_p(
    few: int,
    many: int,
    larger_u: float,
    ties: Array,
) -> float:
    total = few + many
    cubes = ties.astype(float) ** 3
    shared_ranks = float((cubes - ties).sum())
    per_pair = shared_ranks / (total * (total - 1))
    variance = few * many / 12 * (total + 1 - per_pair)
    if variance <= 0:
        return 1.0
    # U moves in steps of one; half a step is taken off before it is read on a continuous curve.
    distance = larger_u - few * many / 2 - 0.5
    score = distance / math.sqrt(variance)
    return min(1.0, math.erfc(score / math.sqrt(2)))


def fisher_exact_p(counts: Array) -> float:
    """The p value of the hypothesis that both rows of a 2 × 2 table of counts have one share.

    It is the probability, the four margins given, of all tables that are no likelier than this
    one. Counted in whole numbers, so that equally likely tables compare as equal. The arrangements
    of a large table have more digits than it has counts; those of this one stand for all others'
    unit, and UNIT is enough of them for every digit of the result.
    """
    (first, second), (third, fourth) = counts.tolist()
    total = extreme = UNIT
    for step in (1, -1):
        for ways in _ways_beside(first, second, third, fourth, step):
            if ways > LIKELIER:
                return 0.0
            total += ways
            extreme += ways if ways <= UNIT else 0
    return extreme / total


def _ways_beside(first: int, second: int, third: int, fourth: int, step: int) -> Iterator[int]:
    """Yields the arrangements of each table of the same margins whose first count is larger
    (`step` 1) or smaller (-1), nearest first, until they are none or next to none.
    """
    ways = UNIT
    if step < 0:
        # What the first count loses the second gains: the same walk in a mirror.
        first, second, third, fourth = second, first, fourth, third
    while True:
        # C(n, k + 1) = C(n, k) × (n - k) / (k + 1), for the binomials of both rows at once.
        ways = ways * second * third // ((first + 1) * (fourth + 1))
        if not ways:
            return
        yield ways
        first, second, third, fourth = first + 1, second - 1, third - 1, fourth + 1


def spearman(first: Array, second: Array) -> tuple[float, float]:
    """Spearman's rank correlation of two columns of one length (at least 3), and its p value.

    Neither column may be constant. The p value is that of Student's t with n - 2 degrees of
    freedom.
    """
    correlations = np.corrcoef(ranks(first), ranks(second))
    # Rounding may put a perfect correlation just beyond one.
    size = max(-1.0, min(1.0, float(correlations[0, 1])))
    freedom = len(first) - 2
    # P(|t| > t0) is the incomplete beta function at freedom / (freedom + t0²) = 1 - size².
    unexplained = (1 - size) * (1 + size)
    return size, incomplete_beta(freedom / 2, 0.5, unexplained)


def ranks(values: Array) -> Array:
    """Ranks from 1, equal values sharing the mean of theirs: [5, 7, 7] has [1, 2.5, 2.5]."""
    _, place, ties = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(ties)
    mean_rank = last - (ties - 1) / 2
    return np.asarray(mean_rank[place])


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # The fraction converges fast left of the mean only; right of it the mirror image is taken.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    log_beta = math.lgamma(a) + math.lgamma(b)
    log_beta -= math.lgamma(a + b)
    log_power = a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_power - log_beta)
    return front * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 / (1 + d1 / (1 + d2 / (1 + ...))) of I_x, by Lentz's method.

    Numerator and denominator are carried along as ratios of successive convergents, so that
    neither overflows; a ratio of exactly zero is replaced by a tiny number.
    """
    numerator = 1.0
    denominator = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    fraction = denominator
    for step in range(1, MOST_STEPS):
        place = a + 2 * step
        even = step * (b - step) * x
        even /= (place - 1) * place
        odd = -(a + step) * (a + b + step) * x
        odd /= place * (place + 1)
        for term in (even, odd):
            denominator = 1 / _not_zero(1 + term * denominator)
            numerator = _not_zero(1 + term / numerator)
            change = numerator * denominator
            fraction *= change
        if abs(change - 1) < CONVERGED:
            break
    return fraction


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def poisson_slope(counts: Array, slope: Array, groups: Sequence[Array]) -> tuple[float, float]:
    """How counts change with `slope`, as a coefficient of their logarithm, and its p value.

    Each of `groups` (a label a count) has a level of its own for each label: months, years. Counts
    are taken as Poisson with the spread that they show (quasi-likelihood), by a few steps of
    Newton's method; a level that can't be told from another one does no harm.
    """
    columns = [slope.astype(float), np.ones(len(counts))]
    for labels in groups:
        known = np.unique(labels)
        columns += [(labels == label).astype(float) for label in known[1:]]
    design = np.stack(columns, axis=1)
    effect = np.zeros(design.shape[1])
    effect[1] = np.log(max(float(counts.mean()), LEAST_MEAN))
    for _ in range(NEWTON_STEPS):
        expected = np.exp(np.clip(design @ effect, -LARGEST_LOG, LARGEST_LOG))
        inverse = np.linalg.pinv(design.T @ (design * expected[:, None]))
        effect = effect + inverse @ (design.T @ (counts - expected))
    expected = np.exp(np.clip(design @ effect, -LARGEST_LOG, LARGEST_LOG))
    inverse = np.linalg.pinv(design.T @ (design * expected[:, None]))
    freedom = max(len(counts) - int(np.linalg.matrix_rank(design)), 1)
    spread = float(((counts - expected) ** 2 / np.maximum(expected, LEAST_MEAN)).sum()) / freedom
    error = math.sqrt(max(float(inverse[0, 0]) * spread, 0.0))
    if error == 0:
        return 0.0, 1.0
    size = float(effect[0])
    p = math.erfc(abs(size) / error / math.sqrt(2))
    return round(size, DIGITS), float(f"{p:.{DIGITS}g}")
