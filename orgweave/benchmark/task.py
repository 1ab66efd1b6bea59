"""What a task consists of. `TaskDefinition` has a place for each part; a definition that lacks one
can't be made, so a forgotten part is told as soon as the registry is imported.

Every task lies in a file of `tasks/`, with all of its parts; `registry.TASKS` lists them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from orgweave.benchmark.instance import (
    Candidate,
    Dropped,
    InstanceMetadata,
    OrgTruth,
    Parameters,
    RewardMetric,
    TwinGroup,
)
from orgweave.benchmark.scripts.script import Script
from orgweave.benchmark.shortcuts import ReducedSolver
from orgweave.benchmark.story import Conversation, NewCase, Story
from orgweave.benchmark.windows import period_kind
from orgweave.crm.seam import Crm
from pipeline.write.questions import JudgeQuestion

AnswerKind = Literal["id", "month", "state", "text"]
"""What an answer consists of, so that rules find it in what an agent submits."""
NAMED = (
    "The period includes its first moment and excludes its end. Take the records as they stand,"
    " also what happened to a case after the period."
)
ROLLING = (
    "A period like this ends on today's date at 00:00 UTC and starts so many days, weeks, months or"
    " quarters (of three months) earlier on the calendar; it includes its start and excludes its"
    " end. Take the records as they stand, also what happened to a case after today."
)
SEASONS = (
    "Spring is March to May, summer June to August, fall September to November, winter December to"
    " February (the winter of a year begins in its December)."
)


@dataclass(frozen=True, slots=True)
class TaskSources:
    """All that a task's instances are drawn from.

    `figure_rules` are the lexicon's rules for questions on an article's figures; what a customer
    does to buy is called `order_noun`.
    """

    story: Story
    conversations: Mapping[str, Conversation] = field(default_factory=dict)
    new_cases: Sequence[NewCase] = ()
    figure_rules: frozenset[str] = frozenset()
    order_noun: str = "order"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class JudgeReading:
    """What a judge is shown of a candidate: a text, a question with its choices, and the place of
    the right one.
    """

    text: str
    question: JudgeQuestion
    right: int


Draws = Iterator[TwinGroup | Dropped]
DrawCandidates = Callable[[TaskSources, Random, bool], Draws]
"""Draws twins and answers them from the hidden story; all of them have an answer or, where the last
argument is true, just one of them has none, and its form and numbers are those of its twin.
"""
AskOrg = Callable[[Crm, Parameters], OrgTruth]
"""Answers a question by SOQL over the org alone. It shares no code with DrawCandidates, so that an
error in one of them shows as a disagreement.
"""
ReadByJudge = Callable[[TaskSources, Candidate, Sequence[Candidate]], JudgeReading | None]
"""What a judge is asked about a candidate among its peers; None where there is nothing to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTexts:
    """What is told of a task: its seed queries by name, with slots in braces that an instance fills
    in; the definitions that come with every query; hints on where things are.

    `figure` is the seed query of questions on a figure that an article states.
    """

    seeds: Mapping[str, str]
    required: str
    optional: str
    figure: str = ""

    def seed_query(self, candidate: Candidate) -> str:
        """The candidate's seed query, filled in."""
        if candidate.seed in self.seeds:
            return self.seeds[candidate.seed].format(**candidate.slots)
        name = candidate.seed.rpartition(".")[2]
        return self.figure.format(figure=name.replace("_", " "), **candidate.slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDefinition:
    """A task with all its parts.

    Args:
        short: its name in the paper's tables.
        persona: who asks.
        answers: what an answer consists of.
        reward_metric: how an answer is scored.
        texts: what agents are told.
        draws: draws questions, answered from the hidden story.
        soql_truth: the second computation, by SOQL over the org alone. None where no query decides;
            then the sentences of the candidate's evidence are looked up in the org.
        verify_sql: the third computation, for `verify.py`: SQL over the org that selects each
            possible answer with a number, the largest of which marks the right one; parameters
            stand in it as `:name`. None where no query decides.
        oracle: the way from the parameters to the answer by the agents' tools.
        first_record: the baseline that answers what a first query finds.
        reduced: solvers that each skip one thing which the task is about, by what they skip; none
            of them may pass for one who knows the task.
        judge_reading: what a judge is asked, for the tasks whose truth lies in texts.
        has_window: whether a query names a window of time.
        has_extreme: whether the answer is the best of several, so that there is another end.
        of_new_cases: whether it asks about cases that nobody has yet, which take seconds to draw.
        unanswerable: the share of instances that nothing answers.
        largest_share: the largest share of instances with one answer.
        most_passed: the share of the answerable instances that a reduced solver may pass, as far
            as the org has others.
    """

    short: str
    persona: str
    answers: AnswerKind
    reward_metric: RewardMetric
    texts: TaskTexts
    draws: DrawCandidates
    soql_truth: AskOrg | None
    verify_sql: str | None
    oracle: Script
    first_record: Script
    reduced: Mapping[str, ReducedSolver]
    judge_reading: ReadByJudge | None = None
    has_window: bool = False
    has_extreme: bool = False
    of_new_cases: bool = False
    unanswerable: float = 0.0
    largest_share: float = 0.15
    most_passed: float = 0.38

    def metadata(self, parameters: Parameters) -> InstanceMetadata:
        """What an agent is told besides an instance's query."""
        told = _in_play(parameters)
        if self.has_window:
            told.append(ROLLING if "interval" in parameters else NAMED)
        if period_kind(str(parameters.get("period", ""))) == "season":
            told.append(SEASONS)
        required = " ".join([*told, self.texts.required])
        return InstanceMetadata(required=required, optional=self.texts.optional)


def _in_play(parameters: Parameters) -> list[str]:
    """Today's date, and whom or what the conversation is about; never what is to be found out."""
    told = []
    today, contact = parameters.get("today"), parameters.get("contact")
    if today:
        told.append(f"Today's date: {today}.")
    if contact:
        told.append(f"You are speaking with the contact whose Id is {contact}.")
    product = parameters.get("product")
    if "start" in parameters and product:
        told.append(f"The product's Id is {product}.")
    return told
