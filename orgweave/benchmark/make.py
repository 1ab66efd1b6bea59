"""From a finished run to its query instances: draw, prove, spread, word, number.

The four steps of the paper (section 3.4), in order.

Same org, seed and writer: the same instances. What an org can't yield is told with its reasons, and
the rest is made all the same.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orgweave.benchmark.agents import handle_time, transfer_count
from orgweave.benchmark.choice import Twins
from orgweave.benchmark.conversations import Conversation, read_conversations
from orgweave.benchmark.fill import InstanceSelector
from orgweave.benchmark.instance import TASKS, Candidate, Dropped, Found, Instance, Parameter
from orgweave.benchmark.judging import MISREAD, JudgeMaterial, misread
from orgweave.benchmark.knowledge import knowledge_questions
from orgweave.benchmark.naming import named_entity
from orgweave.benchmark.new_cases import UnfiledCases, further_cases, write_cases
from orgweave.benchmark.products import monthly_trend, top_issue
from orgweave.benchmark.prove import proof
from orgweave.benchmark.read_story import read_story
from orgweave.benchmark.regions import best_region
from orgweave.benchmark.routing import case_routing
from orgweave.benchmark.seeds import Told, load_told, with_case
from orgweave.benchmark.story import Story
from orgweave.benchmark.violations import policy_violation
from orgweave.benchmark.wording import paraphrases
from orgweave.tools.crm import Crm
from pipeline.config import PreparedRun
from pipeline.world.streams import text_stream
from pipeline.write.service import WritingService

Draws = Iterator[Candidate | Dropped]
ROUNDS = 5
LEAST_BOUND = 2


@dataclass(frozen=True, slots=True)
class Sources:
    """All that instances are drawn from."""

    story: Story
    conversations: Mapping[str, Conversation]
    further: UnfiledCases
    rules: frozenset[str]
    seed: int
    order_noun: str = "order"

    def draws(self, task: str, twins: Twins | None = None) -> Draws:
        """A task's draws, from a stream of its own; with `twins` of questions that nothing answers,
        alike in form to those that have an answer.
        """
        rng = text_stream(
            self.seed, f"tasks {task}", "answerable" if twins is None else "unanswerable"
        )
        story = self.story
        kinds: dict[str, Callable[[], Draws]] = {
            "case_routing": lambda: case_routing(story, rng, self.further.cases),
            "handle_time": lambda: handle_time(story, rng, twins),
            "transfer_count": lambda: transfer_count(story, rng, twins),
            "named_entity_disambiguation": lambda: named_entity(story, rng, twins is None),
            "policy_violation_identification": lambda: policy_violation(
                story, self.conversations, rng, twins is None
            ),
            "knowledge_qa": lambda: knowledge_questions(story, rng, self.rules, self.order_noun),
            "top_issue_identification": lambda: top_issue(story, rng, twins),
            "monthly_trend_analysis": lambda: monthly_trend(story, rng),
            "best_region_identification": lambda: best_region(story, rng),
        }
        return kinds[task]()


@dataclass(frozen=True, slots=True)
class Made:
    """A task's instances, how many were wanted, and what was dropped on the way."""

    task: str
    wanted: int
    instances: tuple[Instance, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """How many the org did not yield."""
        return self.wanted - len(self.instances)


def read_sources(job: PreparedRun, folder: Path) -> Sources:
    """Reads the hidden story and the org's texts, draws the further cases."""
    story = read_story(folder, job.setting.world, job.setting.profile.period)
    rules = frozenset(name for name in job.lexicon.rules if name.startswith("policy."))
    return Sources(
        story,
        read_conversations(folder),
        further_cases(job, folder),
        rules,
        job.setting.seed,
        job.lexicon.rules.get("order_noun", ("order",))[0],
    )


async def make_task(
    service: WritingService, crm: Crm, sources: Sources, task: str, wanted: int
) -> Made:
    """All instances of one task."""
    kind, told = TASKS[task], load_told()
    bench = JudgeMaterial(sources.story, sources.conversations, told, sources.seed)
    unanswerable = round(wanted * kind.unanswerable)
    most = max(math.floor(wanted * kind.largest_share), LEAST_BOUND)
    most_easy = {
        name: max(math.floor(wanted * share), LEAST_BOUND)
        for name, share in kind.easy_shares.items()
    }
    some = await _filled(
        service,
        bench,
        task,
        InstanceSelector(sources.draws(task), proof(task, crm), most, most_easy),
        wanted - unanswerable,
    )
    twins = [one for one, _ in some.chosen]
    none = await _filled(
        service,
        bench,
        task,
        InstanceSelector(sources.draws(task, twins) if twins else iter(()), proof(task, crm), 0),
        unanswerable,
    )
    chosen = [*some.chosen, *none.chosen]
    text_stream(sources.seed, f"tasks {task}", "order").shuffle(chosen)
    if task == "case_routing":
        chosen = await _with_words(service, sources.further, chosen)
    instances = await _worded(service, told, task, chosen)
    return Made(task, wanted, instances, dict(sorted((some.dropped + none.dropped).items())))


async def _filled(
    service: WritingService, bench: JudgeMaterial, task: str, filling: InstanceSelector, wanted: int
) -> InstanceSelector:
    """Filled with what is proved and, where there is a judge, read right by it; each round asks
    only about what is new.
    """
    for _ in range(ROUNDS):
        filling.fill(wanted)
        wrong = await misread(service, bench, task, [one for one, _ in filling.chosen])
        if not wrong:
            break
        filling.remove(wrong, MISREAD)
    return filling


async def _with_words(
    service: WritingService, further: UnfiledCases, chosen: list[tuple[Candidate, Found]]
) -> list[tuple[Candidate, Found]]:
    """New cases get their subject and description in place of their row."""
    words = await write_cases(
        service, further, [int(str(one.parameters["new_case"])) for one, _ in chosen]
    )
    made = []
    for one, found in chosen:
        parameters: dict[str, Parameter] = dict(one.parameters)
        subject, description = words[int(str(parameters.pop("new_case")))]
        made.append(
            (
                replace(
                    one, parameters={"subject": subject, "description": description, **parameters}
                ),
                found,
            )
        )
    return made


async def _worded(
    service: WritingService, told: Told, task: str, chosen: list[tuple[Candidate, Found]]
) -> tuple[Instance, ...]:
    queries = await paraphrases(service, told, task, [one for one, _ in chosen])
    return tuple(
        _instance(told, task, number, one, found, query)
        for number, ((one, found), query) in enumerate(zip(chosen, queries, strict=True), 1)
    )


def _instance(
    told: Told, task: str, number: int, one: Candidate, found: Found, query: str
) -> Instance:
    kind = TASKS[task]
    return Instance(
        id=f"{task}-{number:04d}",
        task=task,
        persona=kind.persona,
        query=with_case(query, one.parameters),
        seed_query=with_case(told.seed_query(task, one), one.parameters),
        answer=one.answer or (None,),
        parameters=one.parameters,
        metadata=told.metadata(task, one.parameters),
        reward_metric=kind.reward_metric,
        difficulty={"records": found.records, "steps": found.steps},
        answerable=bool(one.answer),
        evidence=one.evidence,
    )
