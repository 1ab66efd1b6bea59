"""Chooses a task's questions: draws them, proves them and spreads them, before a word is written.

What is chosen depends on the org and its seed alone, so that any process may do it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from orgweave.benchmark.ablation import FEWEST_JUDGED
from orgweave.benchmark.drawn_groups import DrawnGroups
from orgweave.benchmark.instance import Candidate
from orgweave.benchmark.metrics import answer_list, graded
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.prove import proved
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.selection import (
    ChosenCandidate,
    InstanceSelector,
    Shortcuts,
)
from orgweave.benchmark.strictness import SelectionLimits
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources
from orgweave.crm.seam import Crm
from orgweave.tools.crm import local_crm
from pipeline.world.streams import text_stream

LEAST_BOUND = 2
"""An answer, or a shortcut, may stand so often at least: of few instances any share is less than
one.
"""
HALF_RIGHT = 0.04
"""By so much less where answers are scored by their words: those that are right in part, and are
not counted as passed, add about that to the share.
"""
UNEVEN = 1.25
"""How much more often than the others a seed query about a window may stand at first."""
HALF = 0.5
"""The score from which on a reduced solver counts as passing."""


@dataclass(frozen=True, slots=True)
class BenchmarkOrg:
    """A run's folder, what its questions are drawn from, and the org as reduced solvers read it."""

    folder: Path
    sources: TaskSources
    facts: OrgFacts


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """The questions chosen for a task, in the order in which they are asked, and how many draws
    were dropped for which reason.
    """

    chosen: Sequence[ChosenCandidate]
    dropped: Mapping[str, int]


def choose(org: BenchmarkOrg, name: str, wanted: int) -> TaskChoice:
    """So many questions of a task, or as many as the org yields."""
    with local_crm(org.folder) as crm:
        chooser = TaskChooser.of(org, crm, name, wanted)
        chooser.fill()
        return chooser.choice()


@dataclass(slots=True)
class TaskChooser:
    """Chooses a task's questions, and others for those that a later reading refuses."""

    name: str
    wanted: int
    seed: int
    selector: InstanceSelector
    pools: Sequence[DrawnGroups]
    rng: Random

    @classmethod
    def of(cls, org: BenchmarkOrg, crm: Crm, name: str, wanted: int) -> "TaskChooser":
        """The chooser of a task, before its first draw."""
        task, sources = TASKS[name], org.sources
        unanswerable = round(wanted * task.unanswerable)
        if 2 * task.unanswerable == 1:
            # All of it comes in twins, so of an odd number one stands alone.
            unanswerable = (wanted + 1) // 2
        selector = InstanceSelector(
            lambda candidate: proved(task, crm, candidate),
            _limits(task, wanted, wanted - unanswerable),
            _shortcuts(org.facts, task),
        )
        # Each instance without an answer has a twin, or two, that have one.
        pools = [DrawnGroups(_draws(sources, name))]
        if unanswerable:
            pools.insert(0, DrawnGroups(_draws(sources, name, nothing=True), nothing=True))
        rng = text_stream(sources.seed, f"tasks {name}", "exchange")
        return cls(name, wanted, sources.seed, selector, pools, rng)

    def fill(self) -> None:
        """Chooses as many as are wanted, from each pool in turn."""
        for drawn in self.pools:
            self.selector.fill(drawn, self.wanted)
        self.selector.exchange(self.pools, self.wanted, self.rng)
        self.selector.vary(self.pools, self.wanted)

    def choice(self) -> TaskChoice:
        """What is chosen now."""
        chosen = list(self.selector.chosen)
        text_stream(self.seed, f"tasks {self.name}", "order").shuffle(chosen)
        return TaskChoice(chosen, dict(sorted(self.selector.dropped.items())))


def _draws(sources: TaskSources, name: str, nothing: bool = False) -> Draws:
    """A task's draws, from a stream of its own; with `nothing` one of the twins has no answer."""
    part = "unanswerable" if nothing else "answerable"
    rng = text_stream(sources.seed, f"tasks {name}", part)
    return TASKS[name].draws(sources, rng, nothing)


def _shortcuts(facts: OrgFacts, task: TaskDefinition) -> Shortcuts:
    """Which of a task's reduced solvers find a candidate's answer."""
    known: dict[str, frozenset[str]] = {}

    def shortcuts(candidate: Candidate) -> frozenset[str]:
        found = known.get(candidate.key)
        if found is None:
            found = known[candidate.key] = passing(facts, task, candidate)
        return found

    return shortcuts


def passing(
    facts: OrgFacts,
    task: TaskDefinition,
    candidate: Candidate,
) -> frozenset[str]:
    """The reduced solvers that find a candidate's answer, or half of its words."""
    right = answer_list(candidate.answer)
    found = set()
    for skips, solver in task.reduced.items():
        said = answer_list(solver(facts, candidate.parameters))
        if graded(said, right, task.reward_metric) >= HALF:
            found.add(skips)
    return frozenset(found)


def _limits(
    task: TaskDefinition,
    wanted: int,
    answerable: int,
) -> SelectionLimits:
    """What may stand how often among so many instances."""
    # Of a few instances chance alone passes half, so there the hardest come first, but all count.
    judged = answerable >= FEWEST_JUDGED
    share = task.most_passed - (HALF_RIGHT if task.reward_metric == "token_f1" else 0.0)
    passed = {skips: _bound(answerable, share) for skips in task.reduced if judged}
    seeds = len(task.texts.seeds)
    balanced = _bound(wanted, min(UNEVEN / seeds, 1.0)) if task.has_window else 0
    one_side = math.ceil((wanted - answerable) / 2)
    return SelectionLimits(
        answer=_bound(wanted, task.largest_share),
        passed=passed,
        nothing=wanted - answerable,
        seed=balanced,
        one_side=one_side,
    )


def _bound(wanted: int, share: float) -> int:
    return max(math.floor(wanted * share), LEAST_BOUND)
