"""Small draws that several latent variables share.

Exactly so many rows, a total split by weights, a pick by weights for each row, labels by their
shares, moments of a day, and what stands twice. Knows no variable and no org.
"""

import numpy as np

from pipeline.world.streams import Stream
from pipeline.world.tables import Array

SECONDS_AN_HOUR = 3600

# Shape of the beta distribution that moments of a day follow: one hump, a little before the
# middle of the hours. Chosen by eye.
DAY_SHAPE = (2.0, 2.2)


def exactly(rng: Stream, weights: Array, count: int) -> Array:
    """`count` distinct row numbers in rising order, the likelier the heavier they are.

    A row of zero weight is taken only when no other is left. (The Gumbel top-k trick: the largest
    of log weight + Gumbel noise are a sample without replacement.)
    """
    with np.errstate(divide="ignore"):
        log_weights = np.log(np.asarray(weights, dtype=float))
    keys = log_weights + rng.gumbel(size=len(weights))
    if count == 1 and len(keys):
        return np.array([np.argmax(keys)])  # the same row, without sorting all others
    heaviest = np.argsort(-keys, kind="stable")[:count]
    return np.sort(heaviest)


def exactly_within(
    rng: Stream,
    weights: Array,
    count: int,
    group: Array,
    room: Array,
) -> Array:
    """As `exactly`, but of each group at most as many rows as it has room for.

    `group` is the group of each row, `room` a number for each group. Rows beyond it are taken only
    where no others are left, and those of zero weight only after them.

    >>> exactly_within(np.random.default_rng(0), np.ones(4), 2, np.array([0, 0, 0, 1]), np.ones(2))
    array([2, 3])
    """
    with np.errstate(divide="ignore"):
        log_weights = np.log(np.asarray(weights, dtype=float))
    keys = log_weights + rng.gumbel(size=len(weights))
    heaviest = np.argsort(-keys, kind="stable")
    by_group = heaviest[np.argsort(group[heaviest], kind="stable")]
    _, first, size = np.unique(group[by_group], return_index=True, return_counts=True)
    place = np.empty(len(keys), dtype=np.int64)
    place[by_group] = np.arange(len(keys)) - np.repeat(first, size)
    beyond = place >= room[group]
    order = np.lexsort((-keys, beyond, np.isneginf(keys)))
    return np.sort(order[:count])


def split(
    rng: Stream,
    weights: Array,
    total: int,
    low: int | Array = 0,
    high: int | Array | None = None,
) -> Array:
    """Whole numbers that sum to `total`, drawn by weight, each within `low` and `high`.

    Both bounds are one number or one a row; without `high` only the total bounds a row.
    """
    shares = np.asarray(weights, dtype=float)
    least = np.broadcast_to(np.asarray(low), shares.shape)
    limit = total if high is None else high
    most = np.broadcast_to(np.asarray(limit), shares.shape)
    free_total = max(total - int(least.sum()), 0)
    drawn = rng.multinomial(free_total, shares / shares.sum())
    parts = np.minimum(least + drawn, most)
    # What the upper bounds cut off goes to rows that still have room, one each a round.
    rest = total - int(parts.sum())
    while rest > 0 and (parts < most).any():
        free = np.flatnonzero(parts < most)
        chances = shares[free] / shares[free].sum()
        chosen = rng.choice(free, size=min(rest, len(free)), replace=False, p=chances)
        parts[chosen] += 1
        rest = total - int(parts.sum())
    return np.asarray(parts)


def pick(rng: Stream, weights: Array) -> Array:
    """One column for each row of a weight matrix (rows × columns), as likely as its weight."""
    bounds = np.cumsum(weights, axis=1)
    totals = bounds[:, -1:]
    points = rng.random(len(weights))[:, None]
    column = (points * totals > bounds).sum(axis=1)
    # Rounding may put a point behind the last bound; that point belongs to the last column.
    return np.asarray(np.minimum(column, weights.shape[1] - 1))


def labels(rng: Stream, shares: dict[str, float], size: int) -> Array:
    """`size` labels, drawn by their shares."""
    names = np.array(list(shares), dtype=object)
    weights = np.array(list(shares.values()))
    chosen = rng.choice(len(names), size=size, p=weights / weights.sum())
    return np.asarray(names[chosen], dtype=object)


def clock(
    rng: Stream,
    days: Array,
    start: float,
    end: float,
) -> Array:
    """Moments (datetime64[s]) on the given days, densest in the middle of the hours start..end."""
    points = rng.beta(*DAY_SHAPE, size=len(days))
    hours = start + (end - start) * points
    seconds = np.round(hours * SECONDS_AN_HOUR).astype("timedelta64[s]")
    midnights = days.astype("datetime64[D]").astype("datetime64[s]")
    return np.asarray(midnights + seconds)


def repeats(group: Array, value: Array) -> Array:
    """The rows whose value (0 or more) stands in an earlier row of the same group.

    >>> repeats(np.array([0, 0, 0, 1]), np.array([5, 6, 5, 5]))
    array([2])
    """
    largest = value.max() if len(value) else 0
    pair = group * (largest + 1) + value
    _, first = np.unique(pair, return_index=True)
    repeated = np.ones(len(pair), dtype=bool)
    repeated[first] = False
    return np.flatnonzero(repeated)


def only(known: Array, values: Array) -> Array:
    """The values of the rows that are known, None in the others.

    >>> only(np.array([True, False]), np.array(["a", "b"]))
    array(['a', None], dtype=object)
    """
    kept = values.astype(object)
    kept[~known] = None
    return kept


def walk(steps: Array, row: Array) -> Array:
    """The sum of the steps so far within each run of equal rows.

    >>> walk(np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]))
    array([1., 3., 5.])
    """
    total = np.cumsum(steps)
    first = np.flatnonzero(np.diff(row, prepend=-1))
    before = total[first] - steps[first]
    bounds = np.append(first, len(row))
    lengths = np.diff(bounds)
    return np.asarray(total - np.repeat(before, lengths))
