"""From a finished run to its query instances: draw, prove, spread, word, number.

These are the four steps of the paper (section 3.4), in order. The same org, seed and writer give
the same instances. What an org can't yield is told with its reasons, and the rest is made all the
same.
"""

from asyncio import wrap_future
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from orgweave.benchmark.ablation import Ablation, ablated
from orgweave.benchmark.choosing import BenchmarkOrg, TaskChoice, TaskChooser, choose
from orgweave.benchmark.instance import Candidate, Parameter, QueryInstance
from orgweave.benchmark.judging import MISREAD, misread
from orgweave.benchmark.metrics import answer_list
from orgweave.benchmark.new_cases import UnfiledCases, further_cases, write_cases
from orgweave.benchmark.read_story import read_conversations, read_story
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.selection import ChosenCandidate
from orgweave.benchmark.task import TaskSources
from orgweave.benchmark.wording import paraphrases, with_case
from orgweave.tools.crm import local_crm
from pipeline.compute.executor import Executor
from pipeline.config import PreparedRun
from pipeline.write.service import WritingService
from schemas.country import DEFAULT_LOCALE

ROUNDS = 5
"""How often what a judge misread is replaced before the rest is taken as it is."""
FIGURE_RULES = ("policy.", "article.")
"""How rules begin that word questions on articles' figures."""
AMERICAN_STATE, STATE_ABROAD = "the two-letter state", "the state as ShippingState has it"
"""How agents are told what a state is: in other countries it has more letters, or signs."""


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
    """What every task of a run is made with: the writer, the org, the cases that nobody has yet,
    where a task asks about such, and whoever computes.

    `shared` is the org as it goes to workers, packed once: it takes a second.
    """

    service: WritingService
    org: BenchmarkOrg
    unfiled: UnfiledCases | None
    executor: Executor
    shared: BenchmarkOrg
    _begun: dict[str, Future[TaskChoice]] = field(default_factory=dict)

    def begin(self, names: Sequence[str], wanted: int) -> None:
        """Has workers choose the questions of several tasks.

        Not where there is a judge, whose rulings decide what is chosen next.
        """
        if self.executor.workers == 1 or self.service.judge is not None:
            return
        for name in names:
            self._begun[name] = self.executor.submit(
                choose,
                self.shared,
                name,
                wanted,
            )

    async def make(self, name: str, wanted: int) -> MadeTask:
        """All instances of one task."""
        choice = await self._choice(name, wanted)
        chosen = await self._with_cases(choice.chosen)
        instances = await self._worded(name, chosen)
        return MadeTask(name, wanted, instances, choice.dropped)

    def ablation(self, made: MadeTask) -> Future[Ablation]:
        """What solvers that skip a part of a task make of it."""
        return self.executor.submit(
            _ablation,
            self.shared,
            made.task,
            made.instances,
        )

    async def _choice(self, name: str, wanted: int) -> TaskChoice:
        """The questions, of which a judge, where there is one, reads the answer as they have it;
        each of its rounds is only about what is new.
        """
        begun = self._begun.pop(name, None)
        if begun is not None:
            return await wrap_future(begun)
        with local_crm(self.org.folder) as crm:
            chooser = TaskChooser.of(self.org, crm, name, wanted)
            for _ in range(ROUNDS):
                chooser.fill()
                asked = chooser.selector.candidates
                wrong = await misread(
                    self.service,
                    self.org.sources,
                    name,
                    asked,
                )
                if not wrong:
                    break
                chooser.selector.remove(wrong, MISREAD)
            return chooser.choice()

    async def _with_cases(self, chosen: Sequence[ChosenCandidate]) -> list[ChosenCandidate]:
        """Questions about a new case get its subject and description in place of its row."""
        rows = []
        for question in chosen:
            if "new_case" in question.candidate.parameters:
                rows.append(int(str(question.candidate.parameters["new_case"])))
        if not rows or self.unfiled is None:
            return list(chosen)
        words = await write_cases(self.service, self.unfiled, sorted(set(rows)))
        worded = []
        for question in chosen:
            worded.append(replace(question, candidate=_with_words(question.candidate, words)))
        return worded

    @property
    def _is_american(self) -> bool:
        return self.service.setting.profile.locale == DEFAULT_LOCALE

    async def _worded(
        self,
        name: str,
        chosen: Sequence[ChosenCandidate],
    ) -> tuple[QueryInstance, ...]:
        candidates = [question.candidate for question in chosen]
        groups = [question.group for question in chosen]
        queries = await paraphrases(self.service, name, candidates, groups)
        instances = []
        for number, question in enumerate(chosen, 1):
            query = with_case(queries[number - 1], question.candidate.parameters)
            instances.append(
                _instance(
                    name,
                    number,
                    question,
                    query,
                    self._is_american,
                )
            )
        return tuple(instances)


def _ablation(org: BenchmarkOrg, name: str, instances: Sequence[QueryInstance]) -> Ablation:
    return ablated(org.facts, name, instances)


def read_sources(
    job: PreparedRun,
    folder: Path,
    names: Sequence[str],
) -> tuple[TaskSources, UnfiledCases | None]:
    """Reads the hidden story and the org's texts, and draws the further cases where one of these
    tasks asks about them.
    """
    rules = job.lexicon.rules
    # The story first: it refuses an org in which no case was simulated.
    story = read_story(folder, job.setting.world, job.setting.profile.period)
    needed = any(TASKS[name].of_new_cases for name in names)
    unfiled = further_cases(job, folder) if needed else None
    sources = TaskSources(
        story=story,
        conversations=read_conversations(folder),
        new_cases=unfiled.cases if unfiled else (),
        figure_rules=frozenset(name for name in rules if name.startswith(FIGURE_RULES)),
        order_noun=rules.get("order_noun", ("order",))[0],
        seed=job.setting.seed,
    )
    return sources, unfiled


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
