"""As many proved candidates as are wanted, spread: what fails is dropped and counted with its
reason, and another is drawn.

How often one answer may stand, and how alike two windows may be, begins strict and is loosened only
when the draws bring nothing new. How many of the chosen a shortcut may solve is never loosened: a
task that a shortcut solves is a broken task.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from orgweave.benchmark.instance import Candidate, Dropped, OrgTruth
from orgweave.benchmark.task import Draws

PATIENCE = 60
"""How many draws in a row without a new candidate end the drawing, for each quarter of what is
wanted: so an org that has few questions left is given up in some thousand draws.
"""
LEAST_WANTED = 10
"""Patience is never less than for so many quarters."""
FIRST_BOUND = 1
"""How often an answer may stand at first; the bound is doubled until it is the task's own."""
LOOSER = 2
ALIKE = (0.5, 0.7, 0.85, 1.0)
"""How much of their common time two windows of one subject and answer may share, at each stage."""
NOT_NEEDED = "enough instances have this answer, or one of them asks nearly the same"
ASKED_BEFORE = "the same question was drawn before"
TOO_EASY = "a shortcut would find the answer"

Proof = Callable[[Candidate], OrgTruth | Dropped]


@dataclass(frozen=True, slots=True)
class Stage:
    """How strict the selection is: so many instances with one answer (0: any number), and windows
    so much alike.
    """

    bound: int
    alike: float


@dataclass(slots=True)
class InstanceSelector:
    """A task's candidates while they are gathered.

    `most` is how often one answer may stand among them, `most_easy` how many of them a shortcut may
    solve; 0, or no entry, means as many as come.

    A candidate is proved only when it would be taken; those whose answer stands too often wait for
    a looser stage.
    """

    draws: Draws
    prove: Proof
    most: int
    most_easy: Mapping[str, int] = field(default_factory=dict)
    chosen: list[tuple[Candidate, OrgTruth]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    _seen: set[str] = field(default_factory=set)
    _waiting: list[Candidate] = field(default_factory=list)
    _answers: Counter[str] = field(default_factory=Counter)
    _easy: Counter[str] = field(default_factory=Counter)

    @property
    def candidates(self) -> list[Candidate]:
        """The chosen ones without their proofs."""
        return [candidate for candidate, _ in self.chosen]

    def fill(self, wanted: int) -> None:
        """Draws until so many are chosen, or nothing more comes."""
        for stage in self._stages():
            waiting, self._waiting = self._waiting, []
            for candidate in waiting:
                self._offer(candidate, wanted, stage)
            self._draw(wanted, stage)
            if len(self.chosen) >= wanted:
                break
        self.dropped[NOT_NEEDED] = len(self._waiting)

    def remove(self, places: set[int], reason: str) -> None:
        """Drops chosen ones that a later reading refused."""
        for place in sorted(places, reverse=True):
            candidate, _ = self.chosen.pop(place)
            self._answers[str(candidate.answer)] -= 1
            self._easy.subtract(candidate.easy)
            self.dropped[reason] += 1

    def _stages(self) -> Iterator[Stage]:
        """Low bounds at first, loosened only when the draws bring nothing new."""
        bound = min(FIRST_BOUND, self.most)
        while bound < self.most:
            yield Stage(bound, ALIKE[0])
            bound *= LOOSER
        for alike in ALIKE:
            yield Stage(self.most, alike)

    def _draw(self, wanted: int, stage: Stage) -> None:
        """Draws as long as there is hope."""
        idle = 0
        patience = PATIENCE * max(wanted // 4, LEAST_WANTED)
        while len(self.chosen) < wanted and idle < patience:
            drawn = next(self.draws, None)
            if drawn is None:
                return
            idle = 0 if self._take(drawn, wanted, stage) else idle + 1

    def _take(
        self,
        drawn: Candidate | Dropped,
        wanted: int,
        stage: Stage,
    ) -> bool:
        """Whether a draw was chosen."""
        if isinstance(drawn, Dropped):
            return self._refuse(drawn.reason)
        if drawn.key in self._seen:
            return self._refuse(ASKED_BEFORE)
        self._seen.add(drawn.key)
        return self._offer(drawn, wanted, stage)

    def _offer(
        self,
        candidate: Candidate,
        wanted: int,
        stage: Stage,
    ) -> bool:
        """Whether it is chosen: there is room, its answer does not stand too often yet, nearly the
        same is not there, and it is proved.
        """
        if self._too_easy(candidate):
            return self._refuse(TOO_EASY)
        if len(self.chosen) >= wanted or self._too_common(candidate, stage):
            self._waiting.append(candidate)
            return False
        truth = self.prove(candidate)
        if isinstance(truth, Dropped):
            return self._refuse(truth.reason)
        self._answers[str(candidate.answer)] += 1
        self._easy.update(candidate.easy)
        self.chosen.append((candidate, truth))
        return True

    def _refuse(self, reason: str) -> bool:
        self.dropped[reason] += 1
        return False

    def _too_easy(self, candidate: Candidate) -> bool:
        """Whether a shortcut that would solve it solves as many as it may already."""
        for shortcut in candidate.easy:
            if shortcut in self.most_easy and self._easy[shortcut] >= self.most_easy[shortcut]:
                return True
        return False

    def _too_common(self, candidate: Candidate, stage: Stage) -> bool:
        """Whether its answer stands often enough, or nearly the same question is there."""
        if stage.bound and self._answers[str(candidate.answer)] >= stage.bound:
            return True
        return any(candidate.likeness(other) > stage.alike for other in self.candidates)
