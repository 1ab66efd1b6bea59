"""Exchanges chosen twins for others until fewer limits are passed.

Who takes the hardest twins first, one after another, uses up what one reduced solver may pass and
is left with twins that the next one passes. So what was chosen is mended in the end: a tabu search
swaps a group that counts for a passed limit for the one of its form that is best in its place, and
goes on where no swap helps at once.

Knows groups, limits and cells; proves nothing and draws nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random

import numpy as np
import numpy.typing as npt

from orgweave.benchmark.instance import Candidate, TwinGroup, earlier_without_answer

REPEATED = 0.29
"""The share of questions that may rest on a fact on which another one rests already."""
STEPS = 1500
"""So many swaps are tried in one search: with four times as many, the sets of three companies got
better by one question at most.
"""
REST = 20
"""For so many steps a group that was given up is not taken back: long enough to leave a place where
each swap alone makes it worse.
"""
UPHILL = 0.05
"""The share of swaps that are made though they make it worse."""
FIRST = 1
"""The number of a search's first step, at which nothing that was given up rests."""
NO_FACT = -1

Counts = npt.NDArray[np.int16]
Costs = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
ExchangeLimits = Mapping[str, int]
"""How often each thing may be counted; 0, or no entry, means as often as it comes."""
CountedIn = Callable[[Candidate], Iterable[str]]
"""The names of what a candidate counts for: reduced solvers that pass it, its answer, its seed."""
CellsOf = Callable[[Candidate], Iterable[str]]
"""The names of the cells that its parameters lie in. In a cell with more questions that nothing
answers than others, these could be guessed.
"""


def no_cells(candidate: Candidate) -> Iterable[str]:
    """For tasks in which every question has an answer."""
    del candidate
    return ()


@dataclass(frozen=True, slots=True)
class ExchangeRules:
    """What limits there are, what counts for them, and how many questions are wanted."""

    limits: ExchangeLimits
    counted: CountedIn
    wanted: int
    cells: CellsOf = no_cells


@dataclass(slots=True)
class Exchange:
    """All groups, the chosen ones first, as rows of numbers.

    `counts` says how often each group (rows) counts for each limit and cell (columns, the first
    `limited` of them limits), `most` how often is allowed; `facts` holds the numbers of the facts
    that a group rests on, `forms` a number that groups of one form share. A swap keeps the form.
    """

    rules: ExchangeRules
    groups: Sequence[TwinGroup]
    counts: Counts
    most: Counts
    limited: int
    facts: Numbers
    forms: Numbers
    is_chosen: npt.NDArray[np.bool_]
    is_out: npt.NDArray[np.bool_]
    _rest: Numbers = field(init=False)
    _total: Counts = field(init=False)
    _on_facts: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self._rest = np.zeros(len(self.groups), dtype=np.int64)
        self._count()

    @property
    def chosen(self) -> list[TwinGroup]:
        """The groups that stand now."""
        return [self.groups[row] for row in np.flatnonzero(self.is_chosen).tolist()]

    @property
    def cost(self) -> float:
        """By how much the limits are passed; 0 where none is.

        Limits count squared: four that are passed by one question each are better than one by four.
        Cells count as they are, since a guesser gains by all of them together.
        """
        return float(self._costs(self._total[None, :], np.array([self._repeats()]))[0])

    def search(self, rng: Random, steps: int = STEPS) -> list[tuple[TwinGroup, TwinGroup]]:
        """Leaves the best choice that so many steps find; each group that was given up, with the
        one of its form that came for it.
        """
        cost = least = self.cost
        before = self.is_chosen.copy()
        best = before
        self._rest[:] = 0
        for step in range(1, steps + 1):
            if not least:
                break
            place = self._worst_place(rng)
            offers = self._offers(place, step)
            if not offers.size:
                continue
            after = self._after(place, offers)
            ties = np.flatnonzero(after == after.min())
            offer = ties[rng.randrange(len(ties))]
            if after[offer] > cost and rng.random() >= UPHILL:
                continue
            self._swap(place, int(offers[offer]))
            self._rest[place] = step + REST
            cost = float(after[offer])
            if cost < least:
                least, best = cost, self.is_chosen.copy()
        self.is_chosen = best
        self._count()
        return self._exchanged(before)

    def varied(self) -> Iterator[tuple[TwinGroup, TwinGroup]]:
        """Swaps groups whose answers all stand elsewhere, too, for such with an answer that nobody
        has yet, as far as the cost doesn't rise; each such pair, once it is swapped.

        The more answers there are, the less does naming a well-known one help.
        """
        answers = [_answers_of(group) for group in self.groups]
        stands = Counter(chain.from_iterable(answers[row] for row in self._chosen_rows()))
        for place in self._chosen_rows():
            if any(stands[answer] <= number for answer, number in answers[place].items()):
                continue
            offers = [
                row
                for row in self._offers(place, FIRST).tolist()
                if any(not stands[answer] for answer in answers[row])
            ]
            after, most = self._after(place, np.array(offers, dtype=np.int64)), self.cost
            better = [row for row, cost in zip(offers, after, strict=True) if cost <= most]
            if not better:
                continue
            self._swap(place, better[0])
            stands = stands - answers[place] + answers[better[0]]
            yield self.groups[place], self.groups[better[0]]

    def _chosen_rows(self) -> list[int]:
        rows: list[int] = np.flatnonzero(self.is_chosen).tolist()
        return rows

    def _exchanged(self, before: npt.NDArray[np.bool_]) -> list[tuple[TwinGroup, TwinGroup]]:
        """What was chosen before and isn't now, with what is and wasn't, form by form."""
        taken = np.flatnonzero(self.is_chosen & ~before).tolist()
        pairs = []
        for old in np.flatnonzero(before & ~self.is_chosen).tolist():
            new = next(row for row in taken if self.forms[row] == self.forms[old])
            taken.remove(new)
            pairs.append((self.groups[old], self.groups[new]))
        return pairs

    def exclude(self, group: TwinGroup) -> None:
        """Never offers a group again, such as one that could not be proved."""
        self.is_out[self._row(group)] = True

    def swap(self, old: TwinGroup, new: TwinGroup) -> None:
        """Puts one group where another one was."""
        self._swap(self._row(old), self._row(new))

    def _row(self, group: TwinGroup) -> int:
        return next(row for row, other in enumerate(self.groups) if other is group)

    def _swap(self, place: int, offer: int) -> None:
        self.is_chosen[place] = False
        self.is_chosen[offer] = True
        # Counted on, not anew: a search swaps a thousand times.
        self._total += self.counts[offer] - self.counts[place]
        self._rest_on(place, -1)
        self._rest_on(offer, 1)

    def _count(self) -> None:
        """Counts what the chosen count for, and how many of their questions rest on each fact; the
        last place of the facts counts nothing.
        """
        self._total = self.counts[self.is_chosen].sum(axis=0, dtype=np.int16)
        self._on_facts = np.zeros(self.facts.max(initial=NO_FACT) + 2, dtype=np.int64)
        for row in np.flatnonzero(self.is_chosen).tolist():
            self._rest_on(row, 1)

    def _rest_on(self, row: int, number: int) -> None:
        own = self.facts[row]
        np.add.at(self._on_facts, own[own != NO_FACT], number)

    def _repeats(self) -> int:
        return int(self._on_facts.sum() - np.count_nonzero(self._on_facts))

    def _costs(self, totals: Counts, repeats: Numbers) -> Costs:
        """The cost of each row of totals with its number of repeated facts."""
        over = np.maximum(totals - self.most, 0).astype(np.float64)
        limits, cells = over[:, : self.limited], over[:, self.limited :]
        too_often = np.maximum(repeats - REPEATED * self.rules.wanted, 0.0)
        squares = (limits * limits).sum(axis=1) + too_often * too_often
        return np.asarray(squares + cells.sum(axis=1))

    def _worst_place(self, rng: Random) -> int:
        """A chosen group that counts for a passed limit, or rests on a fact with others."""
        rows = np.flatnonzero(self.is_chosen)
        passed = np.flatnonzero(self._total > self.most).tolist()
        if self._repeats() > REPEATED * self.rules.wanted:
            passed.append(len(self.most))
        column = rng.choice(passed)
        if column == len(self.most):
            shared = self._on_facts[self.facts[rows]] > 1
            counting = rows[(shared & (self.facts[rows] != NO_FACT)).any(axis=1)]
        else:
            counting = rows[self.counts[rows, column] > 0]
        return int(rng.choice(counting.tolist()))

    def _offers(self, place: int, step: int) -> Numbers:
        """The rows of groups of its form that may stand in a place now."""
        fits = self.forms == self.forms[place]
        fits &= ~self.is_chosen & ~self.is_out & (self._rest < step)
        return np.flatnonzero(fits)

    def _after(self, place: int, offers: Numbers) -> Costs:
        """The cost with each offer in that place."""
        totals = (self._total - self.counts[place]) + self.counts[offers]
        left = self._on_facts.copy()
        own = self.facts[place]
        np.subtract.at(left, own[own != NO_FACT], 1)
        facts = self.facts[offers]
        is_new = (facts != NO_FACT) & (left[facts] == 0) & _first_of_row(facts)
        repeats = left.sum() - np.count_nonzero(left)
        added = (facts != NO_FACT).sum(axis=1) - is_new.sum(axis=1)
        return self._costs(totals, repeats + added)


def _answers_of(group: TwinGroup) -> Counter[str]:
    """How often each answer stands in a group; a question that nothing answers has none."""
    return Counter(str(candidate.answer) for candidate in group if candidate.answer)


def exchange_of(
    rules: ExchangeRules,
    chosen: Sequence[TwinGroup],
    offered: Sequence[TwinGroup],
) -> Exchange:
    """The exchange of chosen groups for offered ones; what is asked twice is offered once."""
    asked: set[str] = set()
    for group in chosen:
        asked.update(candidate.key for candidate in group)
    groups = list(chosen)
    for group in offered:
        keys = {candidate.key for candidate in group}
        if not keys & asked:
            asked |= keys
            groups.append(group)
    counts, most, limited = _counts(rules, groups)
    is_chosen = np.arange(len(groups)) < len(chosen)
    is_out = np.zeros(len(groups), dtype=bool)
    facts, forms = _facts(groups), _forms(groups)
    return Exchange(
        rules,
        groups,
        counts,
        most,
        limited,
        facts,
        forms,
        is_chosen,
        is_out,
    )


def _counts(rules: ExchangeRules, groups: Sequence[TwinGroup]) -> tuple[Counts, Counts, int]:
    """How often each group counts for what (columns), how often each column may be counted, and how
    many of them are limits; the others are cells.

    A question without an answer counts 1 in each of its cells and one with an answer −1, so that a
    cell is passed by as many as a guesser would gain by it.
    """
    limited = [name for name, most in rules.limits.items() if most]
    cells: dict[str, None] = {}
    for group in groups:
        for each in group:
            cells.update(dict.fromkeys(rules.cells(each)))
    column = {name: place for place, name in enumerate([*limited, *cells])}
    counts = np.zeros((len(groups), len(column)), dtype=np.int16)
    for row, group in enumerate(groups):
        for candidate in group:
            for name in rules.counted(candidate):
                if name in column:
                    counts[row, column[name]] += 1
            for cell in rules.cells(candidate):
                counts[row, column[cell]] += -1 if candidate.answer else 1
    most = [rules.limits[name] for name in limited] + [0] * len(cells)
    return counts, np.array(most, dtype=np.int16), len(limited)


def _facts(groups: Sequence[TwinGroup]) -> Numbers:
    """The numbers of the facts that each group (rows) rests on, filled up with NO_FACT."""
    numbers: dict[str, int] = {}
    width = max(map(len, groups), default=1)
    facts = np.full((len(groups), width), NO_FACT, dtype=np.int64)
    for row, group in enumerate(groups):
        for place, candidate in enumerate(group):
            facts[row, place] = numbers.setdefault(candidate.rests_on, len(numbers))
    return facts


def form_of(group: TwinGroup) -> tuple[int, int, bool]:
    """How many questions a group holds, how many of them have no answer, and whether these are the
    earlier ones.
    """
    unanswered = sum(not candidate.answer for candidate in group)
    return len(group), unanswered, any(earlier_without_answer(group))


def _forms(groups: Sequence[TwinGroup]) -> Numbers:
    """A number for each form."""
    numbers: dict[tuple[int, int, bool], int] = {}
    forms = [numbers.setdefault(form_of(group), len(numbers)) for group in groups]
    return np.array(forms, dtype=np.int64)


def _first_of_row(facts: Numbers) -> npt.NDArray[np.bool_]:
    """Where a fact stands for the first time in its row."""
    is_first = np.ones(facts.shape, dtype=bool)
    for place in range(1, facts.shape[1]):
        earlier = facts[:, :place] == facts[:, place, None]
        is_first[:, place] = ~earlier.any(axis=1)
    return is_first
