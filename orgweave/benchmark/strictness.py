"""How strict a choice of questions is: limits that hold for the whole set, and stages that loosen
what else is asked of a group of twins.

Knows no draws and chooses nothing; `selection` does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orgweave.benchmark.drawn_groups import ALONE, TWINS

SHARES = (0.25, 0.5, 1.0, 1.0)
"""How often an answer may stand at each stage, as a share of how often it may stand at all."""
ALIKE = (0.5, 0.6, 0.75, 1.0)
"""How much of their common time two windows of one subject and answer may share, at each stage."""
EASY = (1.0, 1.5, 2.5, math.inf)
"""How many reduced solvers may pass an instance at each stage: the hardest are taken first, so that
what a solver may pass is not used up by those that many pass.
"""
FACTS = (1, 1, 2, math.inf)
"""How many instances may rest on one fact at each stage."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How strict the selection is: so many instances with one answer (0: any number), windows so
    much alike, so many reduced solvers that pass an instance (on the mean of its group), so many
    instances that rest on one fact, groups of so many twins at least, and seed queries in equal
    shares or not.
    """

    bound: int
    alike: float
    easy: float
    facts: float = math.inf
    twins: int = TWINS
    balanced: bool = True


@dataclass(frozen=True, slots=True)
class SelectionLimits:
    """How often an answer may stand among the chosen, how many of them each reduced solver may
    pass, how many nothing may answer. While they are balanced, how often a seed query may stand,
    and in how many groups the question without an answer may be the earlier one (or the later one).

    0, or no entry, means as many as come.
    """

    answer: int = 0
    passed: Mapping[str, int] = field(default_factory=dict)
    nothing: int = 0
    seed: int = 0
    one_side: int = 0


def stages(most: int) -> Sequence[Stage]:
    """Low bounds at first, loosened only when the draws bring nothing new; `most` is how often an
    answer may stand in the end.
    """
    found = []
    for share, alike, easy, facts in zip(SHARES, ALIKE, EASY, FACTS, strict=True):
        found.append(Stage(math.ceil(most * share), alike, easy, facts))
    return [*found, Stage(most, ALIKE[-1], EASY[-1], balanced=False)]


def lone_stages(most: int) -> Sequence[Stage]:
    """The last ones, for questions that no twin was found for."""
    return [
        Stage(most, alike, EASY[-1], twins=ALONE, balanced=False) for alike in (ALIKE[0], ALIKE[-1])
    ]
