"""As many proved candidates as are wanted, their answers spread: what fails is dropped and counted with its reason, and another is drawn.

No answer may stand more often than `most`; the bound begins low and is loosened only when the draws bring nothing new.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pipeline.tasks.instance import Candidate, Dropped, Found

PATIENCE = 60
FIRST_BOUND, LOOSER = 1, 2
TOO_OFTEN, ASKED_BEFORE = "the answer would stand too often", "the same question was drawn before"

Proof = Callable[[Candidate], Found | Dropped]


@dataclass(slots=True)
class Filling:
    """A task's candidates while they are gathered. `most` is how often one answer may stand among them; 0: as often as it comes.

    A candidate is proved only when it would be taken; those whose answer stands too often wait for a looser bound.
    """

    draws: Iterator[Candidate | Dropped]
    prove: Proof
    most: int
    chosen: list[tuple[Candidate, Found]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    _seen: set[str] = field(default_factory=set)
    _waiting: list[Candidate] = field(default_factory=list)
    _answers: Counter[str] = field(default_factory=Counter)

    def fill(self, wanted: int) -> None:
        """Draws until so many are chosen, or nothing more comes."""
        bound = min(FIRST_BOUND, self.most)
        while len(self.chosen) < wanted:
            self._draw(wanted, bound)
            if len(self.chosen) >= wanted or bound >= self.most:
                break
            bound = min(bound * LOOSER, self.most)
            waiting, self._waiting = self._waiting, []
            for candidate in waiting:
                self._offer(candidate, wanted, bound)
        self.dropped[TOO_OFTEN] = len(self._waiting)

    def remove(self, places: set[int], reason: str) -> None:
        """Drops chosen ones that a later reading refused."""
        for at in sorted(places, reverse=True):
            candidate, _ = self.chosen.pop(at)
            self._answers[str(candidate.answer)] -= 1
            self.dropped[reason] += 1

    def _draw(self, wanted: int, bound: int) -> None:
        """Draws as long as there is hope: so many draws in a row without a new one end it."""
        idle = 0
        while len(self.chosen) < wanted and idle < PATIENCE * max(wanted // 4, 10):
            drawn = next(self.draws, None)
            if drawn is None:
                return
            idle = 0 if self._new(drawn, wanted, bound) else idle + 1

    def _new(self, drawn: Candidate | Dropped, wanted: int, bound: int) -> bool:
        if isinstance(drawn, Candidate) and drawn.key in self._seen:
            drawn = Dropped(ASKED_BEFORE)
        if isinstance(drawn, Dropped):
            self.dropped[drawn.reason] += 1
            return False
        self._seen.add(drawn.key)
        return self._offer(drawn, wanted, bound)

    def _offer(self, candidate: Candidate, wanted: int, bound: int) -> bool:
        """Whether it is chosen: there is room, its answer does not stand too often yet, and it is proved."""
        name = str(candidate.answer)
        if len(self.chosen) >= wanted or (bound and self._answers[name] >= bound):
            self._waiting.append(candidate)
            return False
        found = self.prove(candidate)
        if isinstance(found, Dropped):
            self.dropped[found.reason] += 1
            return False
        self._answers[name] += 1
        self.chosen.append((candidate, found))
        return True
