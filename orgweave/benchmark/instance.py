"""A query instance on its way: a candidate, what the org alone says of it, and the line of
tasks.jsonl that it becomes.

Knows no task, no story and no CRM.

Example line of tasks.jsonl: `{"id": "handle_time-0001", "task": "handle_time", "query": "Who …?",
"answer": ["005zz…"], …}`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pipeline.manifest import TASKS_FORMAT

Parameter = str | int | None
Parameters = Mapping[str, Parameter]
Answer = tuple[str, ...]
"""The values of a true answer; NOTHING where no record answers the query."""
NOTHING: Answer = ()
RewardMetric = Literal["exact_match", "token_f1", "state_difference"]
SECONDS = len("2022-01-01T00:00:00")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An instance before it is proved and worded.

    `seed` names the seed query and `slots` fill it in. Every wording must hold one form of each
    group in `must`, and none of `avoid`. `answer` is the truth by the hidden story. Two candidates
    with the same `subject` and answer should not have nearly the same window. `fact` names what of
    the org the answer rests on, where that is not subject and answer.
    """

    seed: str
    parameters: Parameters
    slots: Mapping[str, str]
    must: tuple[tuple[str, ...], ...]
    answer: Answer
    avoid: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)
    subject: str = ""
    fact: str = ""
    key: str = field(init=False, repr=False, compare=False)
    """Equal for candidates that ask the same. It is asked for in every comparison, so it is made
    once.
    """

    def __post_init__(self) -> None:
        key = json.dumps(dict(self.parameters), sort_keys=True)
        object.__setattr__(self, "key", key)

    @property
    def rests_on(self) -> str:
        """Equal for candidates that rest on the same fact: their errors are not independent."""
        return self.fact or "|".join((self.subject, *self.answer))

    @property
    def ends(self) -> str:
        """When its window ends; an empty text where it has none."""
        return str(self.parameters.get("end") or "")

    def likeness(self, other: "Candidate") -> float:
        """The overlap of both windows as a share of the time that they span together.

        It is 0 where subject or answer differ, and where there is no window.
        """
        same = (self.subject, self.answer) == (other.subject, other.answer)
        if not same or not self.parameters.get("start"):
            return 0.0
        start, end = self._span()
        other_start, other_end = other._span()
        common = min(end, other_end) - max(start, other_start)
        spanned = max(end, other_end) - min(start, other_start)
        return common / spanned

    @property
    def days(self) -> int:
        """The length of its window in whole days."""
        start, end = self._span()
        return (end - start).days

    def _span(self) -> tuple[datetime, datetime]:
        start = str(self.parameters["start"])[:SECONDS]
        end = str(self.parameters["end"])[:SECONDS]
        return datetime.fromisoformat(start), datetime.fromisoformat(end)


TwinGroup = tuple[Candidate, ...]
"""Candidates that differ in one decisive fact; one alone where a draw found no twin for it."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A draw that becomes no instance, and why; the reasons are few and are counted."""

    reason: str


@dataclass(frozen=True, slots=True)
class OrgTruth:
    """The truth by the org alone: an answer for each reading of the query, and what it took
    (records read, queries asked).
    """

    answers: tuple[Answer, ...]
    records: int
    steps: int


class InstanceMetadata(BaseModel):
    """What agents are told besides the query: what every agent must know, and hints on where things
    are.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    required: str = ""
    optional: str = ""


class QueryInstance(BaseModel):
    """One query with its answer, as a line of tasks.jsonl holds it.

    `answer` is `[None]` where nothing answers the query; a single value counts as a list of one.
    `group` is the same for twins, which differ in one decisive fact. `fact` is the same for
    instances that rest on the same fact of the org.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str = Field(min_length=1)
    task: str
    persona: str = ""
    query: str = Field(min_length=1)
    seed_query: str = ""
    answer: list[str | None] = Field(min_length=1)
    parameters: dict[str, Any] = {}
    metadata: InstanceMetadata = InstanceMetadata()
    reward_metric: RewardMetric
    difficulty: dict[str, int] = {}
    answerable: bool = True
    group: str = ""
    fact: str = ""
    evidence: dict[str, Any] | None = None

    @field_validator("answer", mode="before")
    @classmethod
    def _listed(cls, answer: object) -> object:
        return answer if isinstance(answer, list) else [answer]

    def as_json(self) -> str:
        """One line of tasks.jsonl, without evidence where there is none."""
        data = self.model_dump()
        if not data["evidence"]:
            del data["evidence"]
        data["format"] = TASKS_FORMAT
        return json.dumps(data, ensure_ascii=False)


def earlier_without_answer(group: TwinGroup) -> list[bool]:
    """Whether the question without an answer is earlier than its twin; nothing where there is no
    such question, or no window. The org grows, so the date must not tell.
    """
    without = [candidate for candidate in group if not candidate.answer]
    answered = [candidate for candidate in group if candidate.answer]
    if not without or not answered or not without[0].ends:
        return []
    return [without[0].ends < answered[0].ends]
