"""Names that stand in time, counted over a stretch of it at once, or the means of their numbers.

Twins are sought in thousands of windows, each of them a stretch of the same list. Knows no window
and no task.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NameNumbers = npt.NDArray[np.int64]
NEVER = -1
"""The place of what did not stand before."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Names in the order of time: each one's number, and the names by their numbers."""

    codes: NameNumbers
    names: Sequence[str]

    def counts(self, begin: int, end: int) -> npt.NDArray[np.int64]:
        """How often each name, by its number, stands between two places."""
        return np.bincount(self.codes[begin:end], minlength=len(self.names))

    def counted(self, begin: int, end: int) -> dict[str, float]:
        """How often the names that stand between two places stand there."""
        return self._named(self.counts(begin, end))

    def counted_where(self, holds: npt.NDArray[np.bool_], begin: int, end: int) -> dict[str, float]:
        """The same for those alone of which something holds."""
        codes = self.codes[begin:end]
        return self._named(np.bincount(codes[holds[begin:end]], minlength=len(self.names)))

    def counted_once(self, before: NameNumbers, begin: int, end: int) -> dict[str, float]:
        """The same, but none that has stood between these places before; `before` holds the place
        where each stood the last time.
        """
        codes = self.codes[begin:end]
        is_first = before[begin:end] < begin
        return self._named(np.bincount(codes[is_first], minlength=len(self.names)))

    def _named(self, counts: npt.NDArray[np.int64]) -> dict[str, float]:
        there = np.flatnonzero(counts)
        named = zip(there.tolist(), counts[there].tolist(), strict=True)
        return {self.names[code]: count for code, count in named}


@dataclass(frozen=True, slots=True)
class MeanTally:
    """Names in the order of time, each time with a number; only what `holds` counts."""

    tally: Tally
    numbers: npt.NDArray[np.float64]
    holds: npt.NDArray[np.bool_]

    def means(
        self,
        begin: int,
        end: int,
        least: int = 1,
    ) -> dict[str, float]:
        """The mean number of each name between two places, where it counts so often at least."""
        holds = self.holds[begin:end]
        codes = self.tally.codes[begin:end][holds]
        sums = np.bincount(codes, self.numbers[begin:end][holds])
        counts = np.bincount(codes)
        enough = np.flatnonzero(counts >= max(least, 1))
        means = sums[enough] / counts[enough]
        names = self.tally.names
        found = zip(
            enough.tolist(),
            means.tolist(),
            strict=True,
        )
        return {names[code]: mean for code, mean in found}


def mean_tally_of(steps: Iterable[tuple[str, float, bool]]) -> MeanTally:
    """The names in their order, each with its number and whether it counts.

    Example: `mean_tally_of([("Ann", 2.0, True), ("Ann", 3.0, True)]).means(0, 2)` is `{"Ann":
    2.5}`.
    """
    rows = list(steps)
    numbers = np.array([number for _, number, _ in rows], dtype=np.float64)
    holds = np.array([counts for _, _, counts in rows], dtype=np.bool_)
    return MeanTally(tally_of(name for name, _, _ in rows), numbers, holds)


def tally_of(names: Iterable[str]) -> Tally:
    """The names in their order.

    Example: `tally_of(["Ann", "Bo", "Ann"]).counted(1, 3)` is `{"Ann": 1, "Bo": 1}`.
    """
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in names]
    return Tally(np.array(codes, dtype=np.int64), tuple(numbers))


def places_before(keys: Iterable[Hashable]) -> NameNumbers:
    """For each key the place where it stood the last time; NEVER where it stands first."""
    last: dict[Hashable, int] = {}
    places = []
    for place, key in enumerate(keys):
        places.append(last.get(key, NEVER))
        last[key] = place
    return np.array(places, dtype=np.int64)
