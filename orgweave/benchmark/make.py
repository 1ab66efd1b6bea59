"""From a finished run to its query instances: draw, prove, spread, word, number.

These are the four steps of the paper (section 3.4), in order. The same org, seed and writer give
the same instances. What an org can't yield is told with its reasons, and the rest is made all the
same.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orgweave.benchmark.ablation import Ablation, ablated
from orgweave.benchmark.choice import Twins
from orgweave.benchmark.instance import Candidate, OrgTruth, Parameter, QueryInstance
from orgweave.benchmark.judging import MISREAD, misread
from orgweave.benchmark.new_cases import UnfiledCases, further_cases, write_cases
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.prove import proved
from orgweave.benchmark.read_story import read_conversations, read_story
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.selection import InstanceSelector, Proof
from orgweave.benchmark.task import Draws, TaskSources
from orgweave.benchmark.wording import paraphrases, with_case
from orgweave.crm.seam import Crm
from pipeline.config import PreparedRun
from pipeline.world.streams import text_stream
from pipeline.write.service import WritingService

ROUNDS = 5
"""How often what a judge misread is replaced before the rest is taken as it is."""
LEAST_BOUND = 2
"""An answer, or a shortcut, may stand so often at least: of few instances any share is less than
one.
"""
Proven = tuple[Candidate, OrgTruth]


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
        most = _bound(wanted, task.largest_share)
        most_easy = {
            shortcut: _bound(wanted, share) for shortcut, share in task.easy_shares.items()
        }
        prove = self._proof(name)
        some = InstanceSelector(self._draws(name), prove, most, most_easy)
        await self._fill(name, some, wanted - unanswerable)
        twins = some.candidates
        twin_draws = self._draws(name, twins) if twins else iter(())
        none = InstanceSelector(twin_draws, prove, most=0)
        await self._fill(name, none, unanswerable)
        chosen = [*some.chosen, *none.chosen]
        text_stream(self.sources.seed, f"tasks {name}", "order").shuffle(chosen)
        instances = await self._worded(name, await self._with_cases(chosen))
        dropped = dict(sorted((some.dropped + none.dropped).items()))
        return MadeTask(name, wanted, instances, dropped, ablated(self.facts, name, instances))

    def _draws(self, name: str, twins: Twins | None = None) -> Draws:
        """A task's draws, from a stream of its own; with `twins` of questions that nothing answers,
        alike in form to those that have an answer.
        """
        part = "answerable" if twins is None else "unanswerable"
        rng = text_stream(self.sources.seed, f"tasks {name}", part)
        return TASKS[name].draws(self.sources, rng, twins)

    def _proof(self, name: str) -> Proof:
        return lambda candidate: proved(TASKS[name], self.crm, candidate)

    async def _fill(
        self,
        name: str,
        selector: InstanceSelector,
        wanted: int,
    ) -> None:
        """Fills with what is proved and, where there is a judge, read right by it; each round asks
        only about what is new.
        """
        for _ in range(ROUNDS):
            selector.fill(wanted)
            wrong = await misread(self.service, self.sources, name, selector.candidates)
            if not wrong:
                break
            selector.remove(wrong, MISREAD)

    async def _with_cases(self, chosen: list[Proven]) -> list[Proven]:
        """Questions about a new case get its subject and description in place of its row."""
        rows = []
        for candidate, _ in chosen:
            if "new_case" in candidate.parameters:
                rows.append(int(str(candidate.parameters["new_case"])))
        if not rows:
            return chosen
        words = await write_cases(self.service, self.unfiled, rows)
        return [(_with_words(candidate, words), truth) for candidate, truth in chosen]

    async def _worded(self, name: str, chosen: list[Proven]) -> tuple[QueryInstance, ...]:
        candidates = [candidate for candidate, _ in chosen]
        queries = await paraphrases(self.service, name, candidates)
        instances = []
        for number, (candidate, truth) in enumerate(chosen, 1):
            query = with_case(queries[number - 1], candidate.parameters)
            instances.append(_instance(name, number, candidate, truth, query))
        return tuple(instances)


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
        figure_rules=frozenset(name for name in rules if name.startswith("policy.")),
        order_noun=rules.get("order_noun", ("order",))[0],
        seed=job.setting.seed,
    )
    return sources, unfiled


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
    candidate: Candidate,
    truth: OrgTruth,
    query: str,
) -> QueryInstance:
    task = TASKS[name]
    seed_query = task.texts.seed_query(candidate)
    return QueryInstance(
        id=f"{name}-{number:04d}",
        task=name,
        persona=task.persona,
        query=query,
        seed_query=with_case(seed_query, candidate.parameters),
        answer=list(candidate.answer) or [None],
        parameters=dict(candidate.parameters),
        metadata=task.metadata(candidate.parameters),
        reward_metric=task.reward_metric,
        difficulty={"records": truth.records, "steps": truth.steps},
        answerable=bool(candidate.answer),
        evidence=dict(candidate.evidence),
    )
