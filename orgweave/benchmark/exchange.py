"""Exchanges chosen twins for others until fewer limits are passed.

Who takes the hardest twins first, one after another, uses up what one reduced solver may pass and
is left with twins that the next one passes. So what was chosen is mended in the end: as long as a
swap of two groups helps, the best one is made.

Knows groups and limits; proves nothing and draws nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orgweave.benchmark.instance import Candidate, TwinGroup

REPEATED = 0.28
"""The share of questions that may rest on a fact on which another one rests already."""
REPEATS_COUNT = 1.0
"""What one more such question costs, against one that a reduced solver passes too many."""
MOST_SWAPS = 200
MOST_OFFERED = 2000
"""So many groups are looked at for a swap: a table of all pairs must fit into memory."""

Counts = npt.NDArray[np.float64]
ExchangeLimits = Mapping[str, int]
"""How often each thing may be counted; 0, or no entry, means as often as it comes."""
CountedIn = Callable[[Candidate], Iterator[str]]
"""The names of what a candidate counts for: reduced solvers that pass it, its answer, its seed."""


@dataclass(frozen=True, slots=True)
class ExchangeRules:
    """What limits there are, what counts for them, and how many questions are wanted."""

    limits: ExchangeLimits
    counted: CountedIn
    wanted: int


@dataclass(slots=True)
class Exchange:
    """Chosen groups and those offered for them.

    `cost` is 0 where no limit is passed and few questions rest on one fact.
    """

    rules: ExchangeRules
    chosen: list[TwinGroup]
    offered: list[TwinGroup]

    @property
    def cost(self) -> float:
        """By how much the limits are passed."""
        counts = self._counts(self.chosen).sum(axis=0)
        too_many = float(self._over(counts).sum())
        return too_many + self._repeats_cost(self._facts())

    def swaps(self) -> Iterator[tuple[int, TwinGroup]]:
        """The places of chosen groups with what should stand there instead, the best swap first.

        Who takes one says so by `take`; else the group is not offered again.
        """
        self.offered = self.offered[:MOST_OFFERED]
        theirs = self._counts(self.offered)
        for _ in range(MOST_SWAPS):
            if not self.offered or not self.chosen:
                return
            found = self._best(theirs)
            if found is None:
                return
            place, offer = found
            group = self.offered.pop(offer)
            theirs = np.delete(theirs, offer, axis=0)
            yield place, group

    def take(self, place: int, group: TwinGroup) -> None:
        """Puts a group where another one was."""
        self.chosen[place] = group

    def _best(self, theirs: Counts) -> tuple[int, int] | None:
        """The place among the chosen and the place among the offered of the best swap; None where
        none helps. `theirs` is what the offered ones count for.
        """
        after = self._costs(theirs)
        least = int(np.argmin(after))
        place, offer = divmod(least, after.shape[1])
        if after[place, offer] < self.cost:
            return place, offer
        return None

    def _costs(self, theirs: Counts) -> Counts:
        """The cost after each swap: a row for each chosen group, a column for each offered one.

        It is infinite where the two have not the same form, and where a question has no answer.
        """
        mine = self._counts(self.chosen)
        total = mine.sum(axis=0)
        shape = (len(self.chosen), len(self.offered))
        costs = np.zeros(shape)
        for limit, most in enumerate(self._caps()):
            left = total[limit] - mine[:, limit, None]
            counted = left + theirs[None, :, limit]
            costs += np.clip(counted - most, 0.0, None)
        facts = self._facts()
        saved = np.array([_given_up(group, facts) for group in self.chosen])
        added = np.array([_brought(group, facts) for group in self.offered])
        left_over = _repeats(facts) - saved[:, None]
        repeats = left_over + added[None, :]
        too_often = repeats - REPEATED * self.rules.wanted
        costs += REPEATS_COUNT * np.clip(too_often, 0.0, None)
        forms = np.array([_form(group) for group in self.offered])
        for place, group in enumerate(self.chosen):
            differs = (forms != _form(group)).any(axis=1)
            is_kept = _unanswered(group) > 0
            costs[place, differs | is_kept] = np.inf
        return costs

    def _names(self) -> Sequence[str]:
        return [name for name, most in self.rules.limits.items() if most]

    def _caps(self) -> Sequence[int]:
        limits = self.rules.limits
        return [limits[name] for name in self._names()]

    def _counts(self, groups: Sequence[TwinGroup]) -> Counts:
        """How often each group (rows) counts for each limit (columns)."""
        column = {name: place for place, name in enumerate(self._names())}
        counts = np.zeros((len(groups), len(column)))
        for row, group in enumerate(groups):
            for candidate in group:
                for name in self.rules.counted(candidate):
                    if name in column:
                        counts[row, column[name]] += 1
        return counts

    def _over(self, counts: Counts) -> Counts:
        caps = np.array(self._caps())
        over = np.clip(counts - caps, 0.0, None)
        return np.asarray(over)

    def _facts(self) -> Counter[str]:
        facts: Counter[str] = Counter()
        for group in self.chosen:
            facts.update(candidate.rests_on for candidate in group)
        return facts

    def _repeats_cost(self, facts: Counter[str]) -> float:
        over = _repeats(facts) - REPEATED * self.rules.wanted
        return REPEATS_COUNT * max(over, 0.0)


def _form(group: TwinGroup) -> tuple[int, int]:
    """How many questions it holds, and how many of them have no answer."""
    return len(group), _unanswered(group)


def _unanswered(group: TwinGroup) -> int:
    return sum(not candidate.answer for candidate in group)


def _repeats(facts: Counter[str]) -> int:
    return facts.total() - len(facts)


def _given_up(group: TwinGroup, facts: Counter[str]) -> int:
    """How many of a chosen group rest on facts on which others rest too."""
    number = 0
    for candidate in group:
        if facts[candidate.rests_on] > 1:
            number += 1
    return number


def _brought(group: TwinGroup, facts: Counter[str]) -> int:
    """How many of a group that isn't chosen rest on facts on which others rest already."""
    number = 0
    for candidate in group:
        if candidate.rests_on in facts:
            number += 1
    return number
