"""From a finished run to its query instances: draw, prove, spread, word, number.

These are the four steps of the paper (section 3.4), in order. The same org, seed and writer give
the same instances. What an org can't yield is told with its reasons, and the rest is made all the
same.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from orgweave.benchmark.ablation import FEWEST_JUDGED, Ablation, ablated
from orgweave.benchmark.instance import Candidate, Parameter, QueryInstance
from orgweave.benchmark.judging import MISREAD, misread
from orgweave.benchmark.metrics import answer_list, graded
from orgweave.benchmark.new_cases import UnfiledCases, further_cases, write_cases
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.prove import proved
from orgweave.benchmark.read_story import read_conversations, read_story
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.selection import (
    ChosenCandidate,
    DrawnGroups,
    InstanceSelector,
    SelectionLimits,
    Shortcuts,
)
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources
from orgweave.benchmark.wording import paraphrases, with_case
from orgweave.crm.seam import Crm
from pipeline.config import PreparedRun
from pipeline.world.streams import text_stream
from pipeline.write.service import WritingService
from schemas.country import DEFAULT_LOCALE

ROUNDS = 5
"""How often what a judge misread is replaced before the rest is taken as it is."""
LEAST_BOUND = 2
"""An answer, or a shortcut, may stand so often at least: of few instances any share is less than
one.
"""
MOST_PASSED = 0.38
"""The share of the answerable instances that a reduced solver may pass: less than two in five."""
HALF_RIGHT = 0.04
"""By so much less where answers are scored by their words: those that are right in part, and are
not counted as passed, add about that to the share.
"""
UNEVEN = 1.25
"""How much more often than the others a seed query about a window may stand at first."""
FIGURE_RULES = ("policy.", "article.")
"""How rules begin that word questions on articles' figures."""
AMERICAN_STATE, STATE_ABROAD = "the two-letter state", "the state as ShippingState has it"
"""How agents are told what a state is: in other countries it has more letters, or signs."""
HALF = 0.5
"""The score from which on a reduced solver counts as passing."""


@dataclass(frozen=True, slots=True)
class MadeTask:
    """A task's instances, how many were wanted, what was dropped on the way, and what solvers that
    skip a part of the task make of them.
    """

    task: str
    wanted: int
    instances: tuple[QueryInstance, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    ablation: Ablation | None = None

    @property
    def missing(self) -> int:
        """How many the org did not yield."""
        return self.wanted - len(self.instances)


@dataclass(frozen=True, slots=True)
class TaskMaker:
    """What every task of a run is made with: the writer, the org as agents reach it, the sources,
    the cases that nobody has yet, and the org as reduced solvers read it.
    """

    service: WritingService
    crm: Crm
    sources: TaskSources
    unfiled: UnfiledCases
    facts: OrgFacts

    async def make(self, name: str, wanted: int) -> MadeTask:
        """All instances of one task."""
        task = TASKS[name]
        unanswerable = round(wanted * task.unanswerable)
        if 2 * task.unanswerable == 1:
            # All of it comes in twins, so of an odd number one stands alone.
            unanswerable = (wanted + 1) // 2
        selector = InstanceSelector(
            lambda candidate: proved(task, self.crm, candidate),
            _limits(task, wanted, wanted - unanswerable),
            self._shortcuts(task),
        )
        # Each instance without an answer has a twin, or two, that have one.
        pools = [DrawnGroups(self._draws(name, nothing=True), nothing=True)] if unanswerable else []
        await self._fill(name, selector, [*pools, DrawnGroups(self._draws(name))], wanted)
        order = text_stream(self.sources.seed, f"tasks {name}", "order")
        order.shuffle(selector.chosen)
        chosen = await self._with_cases(selector.chosen)
        instances = await self._worded(name, chosen)
        dropped = dict(sorted(selector.dropped.items()))
        return MadeTask(name, wanted, instances, dropped, ablated(self.facts, name, instances))

    def _draws(self, name: str, nothing: bool = False) -> Draws:
        """A task's draws, from a stream of its own; with `nothing` of twins one of which has no
        answer.
        """
        part = "unanswerable" if nothing else "answerable"
        rng = text_stream(self.sources.seed, f"tasks {name}", part)
        return TASKS[name].draws(self.sources, rng, nothing)

    def _shortcuts(self, task: TaskDefinition) -> Shortcuts:
        """Which of a task's reduced solvers find a candidate's answer."""
        known: dict[str, frozenset[str]] = {}

        def shortcuts(candidate: Candidate) -> frozenset[str]:
            if candidate.key not in known:
                known[candidate.key] = passing(self.facts, task, candidate)
            return known[candidate.key]

        return shortcuts

    async def _fill(
        self,
        name: str,
        selector: InstanceSelector,
        pools: Sequence[DrawnGroups],
        wanted: int,
    ) -> None:
        """Fills from each pool in turn with what is proved and, where there is a judge, read right
        by it; each round asks only about what is new.
        """
        rng = text_stream(self.sources.seed, f"tasks {name}", "exchange")
        for _ in range(ROUNDS):
            for drawn in pools:
                selector.fill(drawn, wanted)
            selector.exchange(pools, wanted, rng)
            wrong = await misread(self.service, self.sources, name, selector.candidates)
            if not wrong:
                break
            selector.remove(wrong, MISREAD)

    async def _with_cases(self, chosen: Sequence[ChosenCandidate]) -> list[ChosenCandidate]:
        """Questions about a new case get its subject and description in place of its row."""
        rows = []
        for question in chosen:
            if "new_case" in question.candidate.parameters:
                rows.append(int(str(question.candidate.parameters["new_case"])))
        if not rows:
            return list(chosen)
        words = await write_cases(self.service, self.unfiled, sorted(set(rows)))
        worded = []
        for question in chosen:
            worded.append(replace(question, candidate=_with_words(question.candidate, words)))
        return worded

    @property
    def _is_american(self) -> bool:
        return self.service.setting.profile.locale == DEFAULT_LOCALE

    async def _worded(self, name: str, chosen: list[ChosenCandidate]) -> tuple[QueryInstance, ...]:
        candidates = [question.candidate for question in chosen]
        queries = await paraphrases(self.service, name, candidates)
        instances = []
        for number, question in enumerate(chosen, 1):
            query = with_case(queries[number - 1], question.candidate.parameters)
            instances.append(_instance(name, number, question, query, self._is_american))
        return tuple(instances)


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


def read_sources(job: PreparedRun, folder: Path) -> tuple[TaskSources, UnfiledCases]:
    """Reads the hidden story and the org's texts, and draws the further cases."""
    rules = job.lexicon.rules
    # The story first: it refuses an org in which no case was simulated.
    story = read_story(folder, job.setting.world, job.setting.profile.period)
    unfiled = further_cases(job, folder)
    sources = TaskSources(
        story=story,
        conversations=read_conversations(folder),
        new_cases=unfiled.cases,
        figure_rules=frozenset(name for name in rules if name.startswith(FIGURE_RULES)),
        order_noun=rules.get("order_noun", ("order",))[0],
        seed=job.setting.seed,
    )
    return sources, unfiled


def _limits(
    task: TaskDefinition,
    wanted: int,
    answerable: int,
) -> SelectionLimits:
    """What may stand how often among so many instances."""
    # Of a few instances chance alone passes half, so there the hardest come first, but all count.
    judged = answerable >= FEWEST_JUDGED
    share = MOST_PASSED - (HALF_RIGHT if task.reward_metric == "token_f1" else 0.0)
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


def _with_words(candidate: Candidate, words: Mapping[int, tuple[str, str]]) -> Candidate:
    parameters: dict[str, Parameter] = dict(candidate.parameters)
    row = int(str(parameters.pop("new_case")))
    subject, description = words[row]
    told = {"subject": subject, "description": description, **parameters}
    return replace(candidate, parameters=told)


def _instance(
    name: str,
    number: int,
    question: ChosenCandidate,
    query: str,
    american: bool,
) -> QueryInstance:
    task = TASKS[name]
    candidate, truth = question.candidate, question.truth
    seed_query = task.texts.seed_query(candidate)
    metadata = task.metadata(candidate.parameters)
    if not american:
        required = metadata.required.replace(AMERICAN_STATE, STATE_ABROAD)
        metadata = metadata.model_copy(update={"required": required})
    return QueryInstance(
        id=f"{name}-{number:04d}",
        task=name,
        persona=task.persona,
        query=query,
        seed_query=with_case(seed_query, candidate.parameters),
        answer=answer_list(candidate.answer),
        parameters=dict(candidate.parameters),
        metadata=metadata,
        reward_metric=task.reward_metric,
        difficulty={"records": truth.records, "steps": truth.steps},
        answerable=bool(candidate.answer),
        group=f"{name}-group-{question.group:04d}",
        fact=candidate.rests_on,
        evidence=dict(candidate.evidence),
    )
