"""Measures for SQL on an org: what SQLite itself lacks.

    median(x)               percentile(x, share)      deviation(x)        skewness(x)
    correlation(x, y)       association(a, b)         explained(group, x) gini(x)
    top_share(x, share)     recurring(text)           natural_log(x)
    local_hour(moment, zone)

Empty values (NULL) are left out; where too few are left, the measure is NULL. The first ten are
aggregates over the rows of a group. Knows no object types.
"""

import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

MaybeNumber = float | None


class MeasureAggregate:
    """An aggregate that keeps its rows and measures them at the end; SQLite calls its methods."""

    measure: Callable[[Sequence[tuple[object, ...]]], MaybeNumber]

    def __init__(self) -> None:
        self.rows: list[tuple[object, ...]] = []

    def step(self, *values: object) -> None:
        """Takes one row; a row with an empty value is left out."""
        if None not in values:
            self.rows.append(values)

    def finalize(self) -> MaybeNumber:
        """The measure of all rows, or None where it has no meaning."""
        found = type(self).measure(self.rows) if self.rows else None
        return None if found is None or not math.isfinite(found) else float(found)


def _first(rows: Sequence[tuple[object, ...]]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.array([row[0] for row in rows], dtype=float)


def median(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """The middle value."""
    return float(np.median(_first(rows)))


def percentile(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """The value below which a share (0 to 1, the second argument) of the rows lies."""
    share = float(str(rows[0][1]))
    return float(np.quantile(_first(rows), share))


def deviation(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """The standard deviation of a sample."""
    if len(rows) < 2:
        return None
    return float(np.std(_first(rows), ddof=1))


def skewness(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """How far the tail to the right outweighs the one to the left; 0 for a symmetric shape."""
    values = _first(rows)
    spread = values.std()
    if not spread:
        return None
    standard = (values - values.mean()) / spread
    cubes = standard**3
    return float(cubes.mean())


def correlation(rows: Sequence[tuple[object, ...]] | npt.NDArray[np.float64]) -> MaybeNumber:
    """Pearson's r of two columns."""
    pairs = np.array(rows, dtype=float).T
    if len(rows) < 3:
        return None
    left, right = pairs
    if not left.std() or not right.std():
        return None
    return float(np.corrcoef(left, right)[0, 1])


def association(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """Cramér's V of two columns of names: 0 for chance, 1 where one tells the other.

    The bias of small tables is taken off (Bergsma 2013).
    """
    size = len(rows)
    pairs = Counter((str(row[0]), str(row[1])) for row in rows)
    left = Counter(str(row[0]) for row in rows)
    right = Counter(str(row[1]) for row in rows)
    if size < 2 or min(len(left), len(right)) < 2:
        return None
    squared = 0.0
    for (name, other), count in pairs.items():
        squared += count**2 / (left[name] * right[other])
    phi = squared - 1
    expected = (len(left) - 1) * (len(right) - 1) / (size - 1)
    rows_told = _unbiased(len(left), size)
    columns_told = _unbiased(len(right), size)
    kinds = min(rows_told, columns_told) - 1
    if kinds <= 0:
        return None
    beyond_chance = max(phi - expected, 0.0)
    return math.sqrt(beyond_chance / kinds)


def _unbiased(kinds: int, size: int) -> float:
    return kinds - (kinds - 1) ** 2 / (size - 1)


def explained(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """Eta squared: which share of the variance of x (the second argument) the groups explain."""
    groups: defaultdict[object, list[float]] = defaultdict(list)
    for group, value in rows:
        groups[group].append(float(str(value)))
    values = np.concatenate([np.array(group) for group in groups.values()])
    mean = values.mean()
    squares = (values - mean) ** 2
    total = squares.sum()
    if not total:
        return None
    between = 0.0
    for group_values in groups.values():
        apart = np.mean(group_values) - mean
        between += len(group_values) * apart**2
    return float(between / total)


def gini(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """How unequal x is shared out: 0 where all have the same, near 1 where one has all."""
    values = np.sort(_first(rows))
    size, total = len(values), values.sum()
    if not total:
        return None
    ranks = np.arange(1, size + 1)
    ranked = (ranks * values).sum()
    return float(2 * ranked / (size * total) - 1 - 1 / size)


def top_share(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """Which share of the sum of x the largest rows hold; the second argument says how many."""
    values = -np.sort(-_first(rows))
    share = float(str(rows[0][1]))
    largest = max(round(len(values) * share), 1)
    total = values.sum()
    if not total:
        return None
    return float(values[:largest].sum() / total)


# Words of less than so many stand in many texts without anybody having copied them.
SHORTEST_SENTENCE = 4
SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")


def recurring(rows: Sequence[tuple[object, ...]]) -> MaybeNumber:
    """The share of sentences that stand in several of the texts, word for word."""
    number: Counter[str] = Counter()
    for (text,) in rows:
        number.update(_sentences(str(text)))
    total = number.total()
    if not total:
        return None
    return sum(times for times in number.values() if times > 1) / total


def _sentences(text: str) -> frozenset[str]:
    """The sentences of a text but for the shortest."""
    parts = SENTENCE_ENDS.split(text.strip())
    return frozenset(part for part in parts if len(part.split()) >= SHORTEST_SENTENCE)


def natural_log(value: float | None) -> MaybeNumber:
    """The natural logarithm, or NULL where there is none."""
    if value is None or value <= 0:
        return None
    return math.log(value)


def local_hour(moment: str | None, zone: str | None) -> MaybeNumber:
    """The hour of the day, with its fraction, that a clock in a time zone shows at a moment."""
    if moment is None or zone is None:
        return None
    utc = datetime.fromisoformat(moment[:19]).replace(tzinfo=UTC)
    shown = utc.astimezone(ZoneInfo(zone))
    return shown.hour + shown.minute / 60


AGGREGATES: dict[str, tuple[int, Callable[[Sequence[tuple[object, ...]]], MaybeNumber]]] = {
    "median": (1, median),
    "percentile": (2, percentile),
    "deviation": (1, deviation),
    "skewness": (1, skewness),
    "correlation": (2, correlation),
    "association": (2, association),
    "explained": (2, explained),
    "gini": (1, gini),
    "top_share": (2, top_share),
    "recurring": (1, recurring),
}
"""The aggregates by name, each with its number of arguments."""


def register_measures(db: sqlite3.Connection) -> None:
    """Lets SQL on a connection use the measures of this file."""
    for name, (arguments, measure) in AGGREGATES.items():
        kind = type(name, (MeasureAggregate,), {"measure": staticmethod(measure)})
        db.create_aggregate(name, arguments, kind)
    db.create_function("natural_log", 1, natural_log, deterministic=True)
    db.create_function("local_hour", 2, local_hour, deterministic=True)
