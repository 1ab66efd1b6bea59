"""As many proved candidates as are wanted, spread: what fails is dropped and counted with its
reason, and other twins are drawn.

How often one answer may stand and how alike two windows may be begins strict and is loosened only
when the draws bring nothing new; how many of the chosen a reduced solver may pass after that, which
swaps mend as far as the org's facts have other questions. A question stands without a twin only
where none was found at all. The table of reduced solvers then tells how far each of them gets.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random

from orgweave.benchmark.drawn_groups import ASKED_BEFORE, TWINS, DrawnGroups
from orgweave.benchmark.exchange import Exchange, ExchangeRules, exchange_of
from orgweave.benchmark.instance import (
    Candidate,
    Dropped,
    OrgTruth,
    TwinGroup,
    earlier_without_answer,
)
from orgweave.benchmark.strictness import SelectionLimits, Stage, lone_stages, stages
from orgweave.benchmark.told import told_cells

PATIENCE = 30
"""How many draws in a row without a new candidate end the drawing, for each quarter of what is
wanted: so an org that has few questions left is given up in some thousand draws.
"""
LEAST_WANTED = 10
"""Patience is never less than for so many quarters."""
EXCHANGES = 4
"""How often more is drawn to be swapped for chosen groups where limits are passed."""
DRAWN_TO_SWAP = 1500
"""How many more groups are drawn each time, without those that were drawn before."""
DRAWS_TO_SWAP = 3 * DRAWN_TO_SWAP
"""How many draws this may take: of the few questions that some tasks have, most come twice."""
LITTLE = 2.0
"""A cost that is no reason to draw more: limits are set two questions below what may be passed."""
SEARCHES = 5
"""How often a search goes on without what could not be proved."""
NOT_NEEDED = "enough instances have this answer, or one of them asks nearly the same"
TOO_EASY = "a solver that skips a part of the task would find the answer"

Proof = Callable[[Candidate], OrgTruth | Dropped]
Shortcuts = Callable[[Candidate], frozenset[str]]
"""The reduced solvers that find a candidate's answer."""


@dataclass(frozen=True, slots=True)
class ChosenCandidate:
    """A proved candidate, and the number of the group that it was drawn in."""

    candidate: Candidate
    truth: OrgTruth
    group: int


@dataclass(slots=True)
class InstanceSelector:
    """A task's candidates while they are gathered, twins together.

    A candidate is proved only when it would be taken; those whose answer stands too often wait for
    a looser stage.
    """

    prove: Proof
    limits: SelectionLimits
    shortcuts: Shortcuts = lambda candidate: frozenset()
    chosen: list[ChosenCandidate] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    _groups: int = 0
    _unanswered: int = 0
    _asked: set[str] = field(default_factory=set)
    _answers: Counter[str] = field(default_factory=Counter)
    _passed: Counter[str] = field(default_factory=Counter)
    _seeds: Counter[str] = field(default_factory=Counter)
    _facts: Counter[str] = field(default_factory=Counter)
    _sides: Counter[bool] = field(default_factory=Counter)

    @property
    def candidates(self) -> list[Candidate]:
        """The chosen ones without their proofs."""
        return [chosen.candidate for chosen in self.chosen]

    def fill(self, drawn: DrawnGroups, wanted: int) -> None:
        """Draws until so many are chosen, or nothing more comes.

        A question stands alone only where neither strict nor easy twins are left.
        """
        in_twins = stages(self.limits.answer)
        self._fill_by(in_twins, drawn, wanted)
        for find_more in (self._draw_more, self._pair_up):
            if not self._full(drawn, wanted):
                find_more(drawn)
                self._fill_by(in_twins[-1:], drawn, wanted)
        if drawn.nothing:
            self._leave_even(wanted)
        self._fill_by(lone_stages(self.limits.answer), drawn, wanted)
        self.dropped[NOT_NEEDED] = sum(len(group) for group in drawn.waiting)

    def _fill_by(self, stages: Sequence[Stage], drawn: DrawnGroups, wanted: int) -> None:
        """Takes what waits and draws more, at each stage until so many are chosen; in the end what
        reduced solvers pass.
        """
        for stage in stages:
            if self._full(drawn, wanted):
                return
            waiting, drawn.waiting = drawn.waiting, []
            for group in waiting:
                if self._full(drawn, wanted):
                    drawn.waiting.append(group)
                else:
                    self._offer(drawn, group, wanted, stage)
            self._draw(drawn, wanted, stage)
        self._fill_with_easy(drawn, wanted, stages[-1])

    def _pair_up(self, drawn: DrawnGroups) -> None:
        drawn.pair_up(self._not_asked)

    def _leave_even(self, wanted: int) -> None:
        """Lets a twin of a group of three go where an odd number of places is left, since pairs
        would leave one of them over.
        """
        if (wanted - len(self.chosen)) % 2 == 0:
            return
        sizes = Counter(chosen.group for chosen in self.chosen)
        for place, chosen in enumerate(self.chosen):
            if sizes[chosen.group] > TWINS and chosen.candidate.answer:
                self.remove({place}, NOT_NEEDED)
                return

    def exchange(self, pools: Sequence[DrawnGroups], wanted: int, rng: Random) -> None:
        """Swaps chosen twins for others, drawn anew too, until no limit is passed, nothing new
        comes, or what came helped nothing.
        """
        least = math.inf
        for _ in range(EXCHANGES):
            offered = []
            for drawn in pools:
                offered += [*drawn.waiting, *drawn.easy]
            exchange = exchange_of(self._rules(wanted, offered), self._twins(), offered)
            least = min(least, exchange.cost)
            if least > LITTLE:
                self._improve(exchange, rng)
            if exchange.cost <= LITTLE or exchange.cost >= least:
                return
            least = exchange.cost
            if not sum(self._draw_more(drawn) for drawn in pools):
                return

    def vary(self, pools: Sequence[DrawnGroups], wanted: int) -> None:
        """Swaps chosen twins for others with answers that nobody has, where no limit suffers."""
        offered = list(chain.from_iterable(drawn.waiting for drawn in pools))
        exchange = exchange_of(self._rules(wanted, offered), self._twins(), offered)
        for old, new in exchange.varied():
            if not self._replace(old, new):
                exchange.swap(new, old)
                exchange.exclude(new)

    def _improve(self, exchange: Exchange, rng: Random) -> None:
        """Swaps what a search found, as far as it can be proved.

        After what could not be proved it is searched again without that.
        """
        for _ in range(SEARCHES):
            failed = False
            for old, new in exchange.search(rng):
                if not self._replace(old, new):
                    exchange.swap(new, old)
                    exchange.exclude(new)
                    failed = True
            if not failed:
                break

    def _draw_more(self, drawn: DrawnGroups) -> int:
        """Draws many more groups and tells how many of them are new."""
        number = len(drawn.waiting)
        left = DRAWN_TO_SWAP
        for _ in range(DRAWS_TO_SWAP):
            group = drawn.next_group()
            if group is None or not left:
                break
            if not isinstance(group, Dropped):
                drawn.waiting.append(group)
            left -= group != Dropped(ASKED_BEFORE)
        return len(drawn.waiting) - number

    def _rules(self, wanted: int, offered: Sequence[TwinGroup]) -> ExchangeRules:
        """What the chosen and the offered count for, and how often each of it may be counted."""
        candidates = [*self.candidates, *chain.from_iterable(offered)]
        limits = self._every_limit(wanted, candidates)
        if not self._unanswered or len(candidates) == 1:
            return ExchangeRules(limits, self._counts_for, len(self.chosen))
        cells = told_cells([candidate.parameters for candidate in candidates])
        return ExchangeRules(
            limits,
            self._counts_for,
            len(self.chosen),
            lambda candidate: cells.of(candidate.parameters),
        )

    def _replace(self, old: TwinGroup, group: TwinGroup) -> bool:
        """Whether a proved group stands now where another one was."""
        if any(candidate.key in self._asked for candidate in group):
            return False
        proofs = [self.prove(candidate) for candidate in group]
        truths = [truth for truth in proofs if not isinstance(truth, Dropped)]
        if len(truths) < len(group):
            return False
        keys = {candidate.key for candidate in old}
        kept = [chosen for chosen in self.chosen if chosen.candidate.key not in keys]
        # What was given up may be taken back by a later search.
        self._asked -= keys
        for candidate in old:
            self._count(candidate, -1)
        self._groups += 1
        for candidate, truth in zip(group, truths, strict=True):
            self._count(candidate, 1)
            self._asked.add(candidate.key)
            kept.append(ChosenCandidate(candidate, truth, self._groups))
        self.chosen = kept
        return True

    def _twins(self) -> list[TwinGroup]:
        """The chosen groups."""
        groups: dict[int, TwinGroup] = {}
        for chosen in self.chosen:
            groups[chosen.group] = (*groups.get(chosen.group, ()), chosen.candidate)
        return list(groups.values())

    def _every_limit(self, wanted: int, candidates: Iterable[Candidate]) -> dict[str, int]:
        """All limits by the names of what counts for them; of what reduced solvers may pass, the
        part of those with an answer that are chosen yet.
        """
        answered = len(self.chosen) - self._unanswered
        part = answered / max(answered + wanted - len(self.chosen), 1)
        limits = {name: math.floor(most * part) for name, most in self.limits.passed.items()}
        for candidate in candidates:
            limits[f"seed {candidate.seed}"] = self.limits.seed
            limits[f"answer {candidate.answer}"] = self.limits.answer
        return limits

    def _counts_for(self, candidate: Candidate) -> Iterator[str]:
        yield f"seed {candidate.seed}"
        if candidate.answer:
            yield f"answer {candidate.answer}"
            yield from self.shortcuts(candidate)

    def _fill_with_easy(self, drawn: DrawnGroups, wanted: int, stage: Stage) -> None:
        """Takes what shortcuts solve where nothing else is left, the hardest of it first."""
        easy = sorted(drawn.easy, key=lambda group: self._passing(group).total() / len(group))
        for group in easy:
            if self._full(drawn, wanted):
                break
            self._offer(drawn, group, wanted, stage, any_ease=True)

    def _full(self, drawn: DrawnGroups, wanted: int) -> bool:
        """Whether so many are chosen, or enough of those that nothing answers."""
        if len(self.chosen) >= wanted:
            return True
        return drawn.nothing and 0 < self.limits.nothing <= self._unanswered

    def remove(self, places: set[int], reason: str) -> None:
        """Drops chosen ones that a later reading refused."""
        for place in sorted(places, reverse=True):
            self._count(self.chosen.pop(place).candidate, -1)
            self.dropped[reason] += 1

    def _draw(
        self,
        drawn: DrawnGroups,
        wanted: int,
        stage: Stage,
    ) -> None:
        """Draws as long as there is hope."""
        idle = 0
        patience = PATIENCE * max(wanted // 4, LEAST_WANTED)
        while not self._full(drawn, wanted) and idle < patience:
            group = drawn.next_group()
            if group is None:
                return
            if isinstance(group, Dropped):
                self._refuse(group.reason)
                idle += 1
            else:
                idle = 0 if self._offer(drawn, group, wanted, stage) else idle + 1

    def _offer(
        self,
        drawn: DrawnGroups,
        group: TwinGroup,
        wanted: int,
        stage: Stage,
        any_ease: bool = False,
    ) -> bool:
        """Whether it is chosen: there is room, no answer stands too often yet, nearly the same is
        not there, reduced solvers don't pass it too often (or any number may), and all of it is
        proved.
        """
        # Of a group too large for what is left the last ones are taken: there is the question that
        # nothing answers.
        whole, group = group, self._not_asked(group[len(self.chosen) - wanted :])
        if not group:
            return self._refuse(ASKED_BEFORE)
        if not any_ease and self._too_easy(group):
            drawn.easy.append(whole)
            return self._refuse(TOO_EASY)
        left = wanted - len(self.chosen)
        if len(group) < min(stage.twins, left) or self._too_common(group, stage):
            drawn.waiting.append(whole)
            return False
        proofs = []
        for candidate in group:
            truth = self.prove(candidate)
            if isinstance(truth, Dropped):
                return self._refuse(truth.reason)
            proofs.append(truth)
        self._groups += 1
        self._sides.update(earlier_without_answer(group))
        for candidate, truth in zip(group, proofs, strict=True):
            self._count(candidate, 1)
            self._asked.add(candidate.key)
            self.chosen.append(ChosenCandidate(candidate, truth, self._groups))
        return True

    def _not_asked(self, group: TwinGroup) -> TwinGroup:
        """What of a group was not asked yet. A question that nothing answers needs its twin, so
        such a group is left out as a whole.
        """
        left = tuple(candidate for candidate in group if candidate.key not in self._asked)
        is_whole = len(left) == len(group)
        return left if is_whole or all(candidate.answer for candidate in left) else ()

    def _refuse(self, reason: str) -> bool:
        self.dropped[reason] += 1
        return False

    def _count(self, candidate: Candidate, number: int) -> None:
        """Counts a candidate in, or out again."""
        self._seeds[candidate.seed] += number
        self._facts[candidate.rests_on] += number
        if not candidate.answer:
            self._unanswered += number
            return
        self._answers[str(candidate.answer)] += number
        for solver in self.shortcuts(candidate):
            self._passed[solver] += number

    def _too_easy(self, group: TwinGroup) -> bool:
        """Whether reduced solvers that would pass it pass as many as they may already."""
        for solver, number in self._passing(group).items():
            most = self.limits.passed.get(solver, 0)
            if most and self._passed[solver] + number > most:
                return True
        return False

    def _passing(self, group: TwinGroup) -> Counter[str]:
        """How many of the group each reduced solver passes."""
        passed: Counter[str] = Counter()
        for candidate in group:
            if candidate.answer:
                passed.update(self.shortcuts(candidate))
        return passed

    def _too_common(self, group: TwinGroup, stage: Stage) -> bool:
        """Whether an answer or a seed query stands often enough, nearly the same question is there,
        or many reduced solvers pass it.
        """
        if self._passing(group).total() > stage.easy * len(group):
            return True
        if stage.balanced and self._one_sided(group):
            return True
        for candidate in group:
            answers, seeds = self._answers[str(candidate.answer)], self._seeds[candidate.seed]
            if stage.bound and candidate.answer and answers >= stage.bound:
                return True
            if stage.balanced and self.limits.seed and seeds >= self.limits.seed:
                return True
            if self._facts[candidate.rests_on] >= stage.facts:
                return True
            if any(candidate.likeness(other) > stage.alike for other in self.candidates):
                return True
        return False

    def _one_sided(self, group: TwinGroup) -> bool:
        """Whether the question without an answer is the earlier (or later) one often enough."""
        most = self.limits.one_side
        sides = earlier_without_answer(group)
        return any(most and self._sides[side] >= most for side in sides)
