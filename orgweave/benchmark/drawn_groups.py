"""A task's draws, and what of them waits: groups of twins that no place was found for yet.

Knows no limits and proves nothing; `selection` chooses.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from orgweave.benchmark.instance import Candidate, Dropped, TwinGroup
from orgweave.benchmark.task import Draws

ASKED_BEFORE = "the same question was drawn before"
TWINS, ALONE = 2, 1
"""How many questions a group holds at least, and where no twin is found for one."""


@dataclass(slots=True)
class DrawnGroups:
    """A task's draws, what of them waits for a looser stage, and what was drawn before.

    `easy` are those that reduced solvers pass too often already: they are the last resort. With
    `nothing` each group holds one question that nothing answers, and the drawing ends when there
    are enough of these.
    """

    draws: Draws
    nothing: bool = False
    waiting: list[TwinGroup] = field(default_factory=list)
    easy: list[TwinGroup] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def next_group(self) -> TwinGroup | Dropped | None:
        """The next draw; Dropped where it was drawn before, None where there are no more."""
        drawn = next(self.draws, None)
        if drawn is None or isinstance(drawn, Dropped):
            return drawn
        keys = {candidate.key for candidate in drawn}
        if keys & self.seen or len(keys) < len(drawn):
            return Dropped(ASKED_BEFORE)
        self.seen |= keys
        return drawn

    def pair_up(self, unasked: Callable[[TwinGroup], TwinGroup]) -> None:
        """Makes new twins of questions whose twins are asked already (`unasked` leaves of a group
        what isn't): of such as ask alike of one subject, with different answers.
        """
        waiting: list[TwinGroup] = []
        alone: dict[tuple[str, str], list[Candidate]] = {}
        for group in [*self.waiting, *self.easy]:
            left = unasked(group)
            if len(left) == ALONE < len(group):
                (candidate,) = left
                alone.setdefault((candidate.seed, candidate.subject), []).append(candidate)
            else:
                waiting.append(group)
        for alike in alone.values():
            waiting += in_twins(alike)
        self.waiting, self.easy = waiting, []


def in_twins(alike: list[Candidate]) -> list[TwinGroup]:
    """Pairs with different answers, and alone those for which there is none; empties the list."""
    groups: list[TwinGroup] = []
    while alike:
        first = alike.pop()
        twin = next((other for other in alike if other.answer != first.answer), None)
        if twin is not None:
            alike.remove(twin)
        groups.append((first,) if twin is None else (first, twin))
    return groups
