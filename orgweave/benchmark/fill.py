"""As many proved candidates as are wanted, spread: what fails is dropped and counted with its
reason, and another is drawn.

How often one answer may stand, and how alike two windows may be, begins strict and is loosened only
when the draws bring nothing new. How many
of the chosen a shortcut may solve is never loosened: a task that a shortcut solves is a broken
task.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from orgweave.benchmark.instance import Candidate, Dropped, Found

PATIENCE = 60
FIRST_BOUND, LOOSER = 1, 2
ALIKE = (0.5, 0.7, 0.85, 1.0)
NOT_NEEDED = "its answer stands often enough, or nearly the same question is there"
ASKED_BEFORE, TOO_EASY = "the same question was drawn before", "a shortcut would find the answer"

Proof = Callable[[Candidate], Found | Dropped]


@dataclass(slots=True)
class InstanceSelector:
    """A task's candidates while they are gathered.

    `most` is how often one answer may stand among them, `most_easy` how many of them a
    shortcut may solve; 0 or no word of it: as many as come.

    A candidate is proved only when it would be taken; those whose answer stands too often wait for
    a looser bound.
    """

    draws: Iterator[Candidate | Dropped]
    prove: Proof
    most: int
    most_easy: Mapping[str, int] = field(default_factory=dict)
    chosen: list[tuple[Candidate, Found]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    _seen: set[str] = field(default_factory=set)
    _waiting: list[Candidate] = field(default_factory=list)
    _answers: Counter[str] = field(default_factory=Counter)
    _easy: Counter[str] = field(default_factory=Counter)

    def fill(self, wanted: int) -> None:
        """Draws until so many are chosen, or nothing more comes."""
        for bound, alike in self._stages():
            waiting, self._waiting = self._waiting, []
            for candidate in waiting:
                self._offer(candidate, wanted, bound, alike)
            self._draw(wanted, bound, alike)
            if len(self.chosen) >= wanted:
                break
        self.dropped[NOT_NEEDED] = len(self._waiting)

    def _stages(self) -> Iterator[tuple[int, float]]:
        """How often an answer may stand, and how alike two windows may be: low at first, loosened
        only when the draws bring nothing new.
        """
        bound = min(FIRST_BOUND, self.most)
        while bound < self.most:
            yield bound, ALIKE[0]
            bound *= LOOSER
        for alike in ALIKE:
            yield self.most, alike

    def remove(self, places: set[int], reason: str) -> None:
        """Drops chosen ones that a later reading refused."""
        for at in sorted(places, reverse=True):
            candidate, _ = self.chosen.pop(at)
            self._answers[str(candidate.answer)] -= 1
            self._easy.subtract(candidate.easy)
            self.dropped[reason] += 1

    def _draw(self, wanted: int, bound: int, alike: float) -> None:
        """Draws as long as there is hope: so many draws in a row without a new one end it."""
        idle = 0
        while len(self.chosen) < wanted and idle < PATIENCE * max(wanted // 4, 10):
            drawn = next(self.draws, None)
            if drawn is None:
                return
            idle = 0 if self._new(drawn, wanted, bound, alike) else idle + 1

    def _new(self, drawn: Candidate | Dropped, wanted: int, bound: int, alike: float) -> bool:
        if isinstance(drawn, Candidate) and drawn.key in self._seen:
            drawn = Dropped(ASKED_BEFORE)
        if isinstance(drawn, Dropped):
            self.dropped[drawn.reason] += 1
            return False
        self._seen.add(drawn.key)
        return self._offer(drawn, wanted, bound, alike)

    def _offer(self, candidate: Candidate, wanted: int, bound: int, alike: float) -> bool:
        """Whether it is chosen: there is room, its answer does not stand too often yet, nearly the
        same is not there, and it is proved.
        """
        if any(
            self._easy[shortcut] >= self.most_easy[shortcut]
            for shortcut in candidate.easy
            if shortcut in self.most_easy
        ):
            self.dropped[TOO_EASY] += 1
            return False
        name = str(candidate.answer)
        full = len(self.chosen) >= wanted or (bound and self._answers[name] >= bound)
        if full or any(candidate.likeness(one) > alike for one, _ in self.chosen):
            self._waiting.append(candidate)
            return False
        found = self.prove(candidate)
        if isinstance(found, Dropped):
            self.dropped[found.reason] += 1
            return False
        self._answers[name] += 1
        self._easy.update(candidate.easy)
        self.chosen.append((candidate, found))
        return True
