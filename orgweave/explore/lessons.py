"""What a teacher sees of a benchmark: tasks with their answers and proofs, and what agents said.

Plain values, so that the site needs to know neither how tasks are made nor how agents are run.
Whoever opens the site reads them; see `orgweave.benchmark.lessons`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ShownInstance:
    """An instance with all that is known of it; `answer` is empty where nothing answers."""

    id: str
    task: str
    query: str
    told: str
    hints: str
    answer: tuple[str, ...]
    metric: str
    parameters: Mapping[str, object]
    evidence: Mapping[str, object]
    records: int
    steps: int


@dataclass(frozen=True, slots=True)
class ShownProof:
    """The query that decides an instance, and the best of what it finds, each with its number."""

    sql: str
    rows: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """What an agent said to an instance, its score from 0 to 1, and why."""

    agent: str
    value: float
    answer: str
    says: str


@dataclass(frozen=True, slots=True)
class TaskLesson:
    """A task: its instances, how many have no answer, the shortcut that gets farthest, and each
    agent's mean score with the number of its instances.
    """

    name: str
    short: str
    instances: tuple[ShownInstance, ...]
    unanswerable: int
    distinct: int
    shortcut: str
    passed: float | None
    scores: Mapping[str, tuple[float, int]]


Prove = Callable[[ShownInstance], ShownProof | None]
"""Runs the query that decides an instance; None where no query does."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """All of a run's tasks, agents by name, what each said, and notes on what can't be shown."""

    tasks: tuple[TaskLesson, ...] = ()
    agents: tuple[str, ...] = ()
    attempts: Mapping[str, tuple[ShownAttempt, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    prove: Prove = lambda instance: None

    def task(self, name: str) -> TaskLesson | None:
        """The task of a name."""
        return next((task for task in self.tasks if task.name == name), None)

    def instance(self, key: str) -> ShownInstance | None:
        """The instance of an id."""
        for task in self.tasks:
            for instance in task.instances:
                if instance.id == key:
                    return instance
        return None

    def about(self, key: str) -> list[ShownInstance]:
        """The instances that a record stands in: as the answer, a parameter or evidence."""
        found = []
        for task in self.tasks:
            for instance in task.instances:
                named = (*instance.answer, *instance.parameters.values())
                if key in named or key in instance.evidence.values():
                    found.append(instance)
        return found
