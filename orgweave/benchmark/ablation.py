"""What a set of tasks is worth: how many of its instances a solver passes that skips a part of the
task, that knows the words of the question alone, or that guesses whether anything answers.

Example: `ablated(facts, "handle_time", instances).rows[0]` is `AblationRow("window: always 12
months", 0.36)`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orgweave.benchmark.guessing import guess_from_numbers, guess_from_texts, why_unknown
from orgweave.benchmark.instance import QueryInstance
from orgweave.benchmark.metrics import answer_list, graded
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.told import numbers_of
from pipeline.text_table import aligned

MOST_PASSED = 0.5
"""The share of a task's answerable instances that no reduced solver may pass."""
ABOVE_BASE = 0.05
"""By how much a guess whether anything answers may be better than the commoner of both always."""
FEWEST_JUDGED = 40
"""A task with fewer answerable instances is not judged: chance alone passes half of a few."""
CASE_TEXT = {"case_routing": ("subject", "description")}
"""The parameters that hold the text of a case that the question is about."""


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A reduced solver and the share of the answerable instances that it passes; None where what it
    needs is not installed, or where there are too few of them.
    """

    solver: str
    share: float | None


@dataclass(frozen=True, slots=True)
class NoneGuess:
    """How often a guess whether anything answers is right, beside the share of the commoner."""

    by: str
    right: float | None
    base: float


@dataclass(frozen=True, slots=True)
class Ablation:
    """A task's table: all reduced solvers, all guesses, the number of answerable instances."""

    rows: tuple[AblationRow, ...]
    guesses: tuple[NoneGuess, ...]
    answerable: int

    @property
    def best(self) -> AblationRow:
        """The reduced solver that passes most."""
        return max(self.rows, key=lambda row: row.share or 0.0)

    def faults(self) -> list[str]:
        """What passes that must not; nothing where there are too few instances to say."""
        if self.answerable < FEWEST_JUDGED:
            return []
        found = []
        for row in self.rows:
            if row.share is not None and row.share > MOST_PASSED:
                found.append(f"{row.solver} passes {row.share:.0%}")
        for guess in self.guesses:
            if guess.right is not None and guess.right > guess.base + ABOVE_BASE:
                found.append(f"{guess.by} tells {guess.right:.0%} of what nothing answers")
        return found


def ablation_table(ablations: Mapping[str, Ablation]) -> str:
    """The tables of all tasks for a person."""
    rows = [["task", "skipped", "passed"]]
    for name, ablation in ablations.items():
        short = TASKS[name].short
        for row in ablation.rows:
            rows.append([short, row.solver, _percent(row.share)])
        for guess in ablation.guesses:
            told = f"{_percent(guess.right)} (always the commoner: {guess.base:.0%})"
            rows.append([short, f"None guessed from {guess.by}", told])
    return "\n".join(aligned(rows, right=()))


def as_report(ablation: Ablation) -> dict[str, object]:
    """The table as report.json keeps it."""
    return {
        "answerable": ablation.answerable,
        "passed": {row.solver: row.share for row in ablation.rows},
        "none_guessed": {guess.by: guess.right for guess in ablation.guesses},
        "none_base": ablation.guesses[0].base if ablation.guesses else None,
    }


def ablated(
    facts: OrgFacts,
    name: str,
    instances: Sequence[QueryInstance],
) -> Ablation:
    """The table of a task's instances."""
    answerable = [instance for instance in instances if instance.answerable]
    rows = []
    for skips, solver in TASKS[name].reduced.items():
        said = [answer_list(solver(facts, instance.parameters)) for instance in answerable]
        rows.append(AblationRow(skips, _share(said, answerable)))
    rows.append(AblationRow("everything: the usual answer", _usual(answerable)))
    for by, texts in _texts(facts, name, answerable).items():
        labels = [str(instance.answer) for instance in answerable]
        right = guess_from_texts(texts, labels)
        rows.append(AblationRow(f"everything: {by}", right))
    has_none = len(answerable) < len(instances)
    guesses = _none_guesses(instances) if has_none else ()
    return Ablation(tuple(rows), tuple(guesses), len(answerable))


def _share(said: Sequence[list[str | None]], instances: Sequence[QueryInstance]) -> float:
    values = []
    for answer, instance in zip(said, instances, strict=True):
        values.append(graded(answer, instance.answer, instance.reward_metric))
    return sum(values) / max(len(values), 1)


def _usual(instances: Sequence[QueryInstance]) -> float:
    """What the answer that scores best on all scores."""
    answers = {str(instance.answer): list(instance.answer) for instance in instances}
    shares = [_share([answer] * len(instances), instances) for answer in answers.values()]
    return max(shares, default=0.0)


def _texts(
    facts: OrgFacts,
    name: str,
    instances: Sequence[QueryInstance],
) -> dict[str, list[str]]:
    """What a classifier reads: the question's words, and those of the case that it is about."""
    texts = {"words of the question": [instance.query for instance in instances]}
    for parameter in CASE_TEXT.get(name, ()):
        own = [str(instance.parameters[parameter]) for instance in instances]
        texts[f"words of the case's {parameter}"] = own
    if all("case" in instance.parameters for instance in instances):
        cases = [str(instance.parameters["case"]) for instance in instances]
        texts["words of the case's agents"] = [facts.said.get(case, "") for case in cases]
    return texts


def _none_guesses(instances: Sequence[QueryInstance]) -> Iterable[NoneGuess]:
    labels = [instance.answerable for instance in instances]
    most = max(labels.count(True), labels.count(False))
    base = most / len(labels)
    numbers = [numbers_of(instance.parameters) for instance in instances]
    queries = [instance.query for instance in instances]
    yield NoneGuess("its parameters", guess_from_numbers(numbers, labels), base)
    texts = [str(label) for label in labels]
    yield NoneGuess("its words", guess_from_texts(queries, texts), base)


def _percent(share: float | None) -> str:
    return why_unknown() if share is None else f"{share:.0%}"
