"""Small draws that several latent variables share: exactly so many, a total split by weights, a
pick by weights a row.
"""

import numpy as np

from pipeline.world.streams import Stream
from pipeline.world.tables import Array


def exactly(rng: Stream, weights: Array, count: int) -> Array:
    """`count` distinct row numbers, likelier by weight (Gumbel top-k), in rising order; zero weight
    only when no other is left.
    """
    with np.errstate(divide="ignore"):
        keys = np.log(np.asarray(weights, dtype=float)) + rng.gumbel(size=len(weights))
    return np.sort(np.argsort(-keys, kind="stable")[:count])


def split(
    rng: Stream, weights: Array, total: int, low: int | Array = 0, high: int | Array | None = None
) -> Array:
    """Whole numbers that sum to `total`, each within low..high (numbers or one a row), by weight
    with life's noise.
    """
    shares = np.asarray(weights, dtype=float)
    least = np.broadcast_to(np.asarray(low), shares.shape)
    most = np.broadcast_to(np.asarray(total if high is None else high), shares.shape)
    parts = np.minimum(
        least + rng.multinomial(max(total - int(least.sum()), 0), shares / shares.sum()), most
    )
    while (rest := total - int(parts.sum())) > 0 and (parts < most).any():
        free = np.flatnonzero(parts < most)
        chosen = rng.choice(
            free, size=min(rest, len(free)), replace=False, p=shares[free] / shares[free].sum()
        )
        parts[chosen] += 1
    return np.asarray(parts)


def pick(rng: Stream, weights: Array) -> Array:
    """One column a row of a weight matrix (rows × columns), as likely as its weight."""
    bounds = np.cumsum(weights, axis=1)
    points = rng.random(len(weights))[:, None] * bounds[:, -1:]
    return np.asarray(np.minimum((points > bounds).sum(axis=1), weights.shape[1] - 1))


def labels(rng: Stream, shares: dict[str, float], size: int) -> Array:
    """`size` labels by their shares."""
    names = np.array(list(shares), dtype=object)
    weights = np.array(list(shares.values()))
    return np.asarray(
        names[rng.choice(len(names), size=size, p=weights / weights.sum())], dtype=object
    )


def clock(rng: Stream, days: Array, start: float, end: float) -> Array:
    """Moments on the given days (datetime64[s]),
    densest around the middle of the hours start..end.
    """
    hours = start + (end - start) * rng.beta(2.0, 2.2, size=len(days))
    seconds = np.round(hours * 3600).astype("timedelta64[s]")
    return np.asarray(days.astype("datetime64[D]").astype("datetime64[s]") + seconds)
