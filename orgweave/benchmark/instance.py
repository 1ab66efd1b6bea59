"""What a task is and what an instance of it holds.

`TASKS` is the list of the paper's nine (section 3.1, tables 1 and 9).

Example line of tasks.jsonl: {"id": "handle_time-001", "task": "handle_time", "query": "Who …?",
"answer": ["005zz…"], …}.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime

from pipeline.run_folder import TASKS_FORMAT

Parameter = str | int | None
Answer = tuple[str, ...]
NOTHING: Answer = ()


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A task: its name in the paper's tables, who asks, how an answer is scored, the share of
    instances that nothing answers, and of one answer.
    """

    short: str
    persona: str
    reward_metric: str
    unanswerable: float = 0.0
    largest_share: float = 0.15

    @property
    def easy_shares(self) -> dict[str, float]:
        """The share of a task's instances that each shortcut may solve, together with those that
        nothing answers below two in five: the first record
        and the window before, which ask least; looser for those that take more queries.
        """
        least = 0.08 if self.unanswerable else 0.35
        return {"first": least, "before": least, "ever": 0.5, "last": 0.5}


TASKS: dict[str, TaskKind] = {
    "case_routing": TaskKind("NCR", "service manager", "exact_match"),
    "handle_time": TaskKind("HTU", "service manager", "exact_match", 0.3),
    "transfer_count": TaskKind("TCU", "service manager", "exact_match", 0.3),
    "named_entity_disambiguation": TaskKind("NED", "service agent", "exact_match", 0.3),
    "policy_violation_identification": TaskKind("PVI", "service agent", "exact_match", 0.3),
    "knowledge_qa": TaskKind("KQA", "service agent", "token_f1"),
    "top_issue_identification": TaskKind("TII", "service analyst", "exact_match", 0.3),
    "monthly_trend_analysis": TaskKind("MTA", "service analyst", "exact_match", largest_share=0.2),
    "best_region_identification": TaskKind("BRI", "service analyst", "exact_match"),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An instance before it is proved and worded.

    `seed` names the seed query; `slots` are what it is filled in with; each group of `must` has one
    of its forms in every wording,
    and none of `avoid` stands there. `answer` is the truth by the hidden story, empty where nothing
    answers; `easy` names the shortcuts
    that would find it. Two with the same `subject` and answer are not to have nearly the same
    window.
    """

    seed: str
    parameters: Mapping[str, Parameter]
    slots: Mapping[str, str]
    must: tuple[tuple[str, ...], ...]
    answer: Answer
    avoid: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)
    easy: frozenset[str] = frozenset()
    subject: str = ""

    @property
    def key(self) -> str:
        """Equal for candidates that ask the same."""
        return json.dumps(dict(self.parameters), sort_keys=True)

    def likeness(self, other: "Candidate") -> float:
        """The share of the time that both windows span together which they have in common; 0 where
        subject or answer differ, or there is no window.
        """
        if (self.subject, self.answer) != (
            other.subject,
            other.answer,
        ) or "start" not in self.parameters:
            return 0.0
        (start, end), (begin, stop) = self._span(), other._span()
        return (min(end, stop) - max(start, begin)) / (max(end, stop) - min(start, begin))

    @property
    def days(self) -> int:
        """How long its window is."""
        start, end = self._span()
        return (end - start).days

    def _span(self) -> tuple[datetime, datetime]:
        return datetime.fromisoformat(str(self.parameters["start"])[:19]), datetime.fromisoformat(
            str(self.parameters["end"])[:19]
        )


@dataclass(frozen=True, slots=True)
class Dropped:
    """A draw that no instance can be made of, and why; reasons are few and are counted."""

    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """The truth by the org alone: an answer for each reading of the query, and what that took
    (records read, queries asked).
    """

    answers: tuple[Answer, ...]
    records: int
    steps: int


@dataclass(frozen=True, slots=True)
class Instance:
    """A query instance as tasks.jsonl holds it; `answer` is [None] where nothing answers."""

    id: str
    task: str
    persona: str
    query: str
    seed_query: str
    answer: tuple[str | None, ...]
    parameters: Mapping[str, Parameter]
    metadata: Mapping[str, str]
    reward_metric: str
    difficulty: Mapping[str, int]
    answerable: bool
    evidence: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> str:
        """One line of tasks.jsonl."""
        data = asdict(self)
        if not data["evidence"]:
            del data["evidence"]
        data["format"] = TASKS_FORMAT
        return json.dumps(data, ensure_ascii=False)
