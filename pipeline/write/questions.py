"""What a judge is asked of a written text: to choose among candidates.

It is not told which one the facts name. Example: a mail, "Which product does the customer write
about?", candidates ("Brindle Tent", "Harrow Shelter", "something else", "not said").

CRMArena's content verifier (section 3.3) gives a model the text and a list and looks whether it
finds the right entry; so does this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.world.streams import text_stream
from pipeline.write.request import canonical_json, key_of
from pipeline.write.work import ObjectWork, whole_parts
from schemas.field import Question
from verifiers.material import Entry, Facts, Unit
from verifiers.verdict import PASS, Verdict, fail, unjudged

OTHER = "something else"
NOT_SAID = "not said"
# Five wrong candidates beside the right one: guessing is right one time in eight, ways out counted.
DISTRACTORS = 5


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """One question of a text, with the candidates in the order shown."""

    asks: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """One unit's text and what is asked of it."""

    unit: int
    text: str
    questions: tuple[JudgeQuestion, ...]


@dataclass(frozen=True, slots=True)
class JudgeBatch:
    """A judge's mini-batch: texts and candidates, never the facts' answers.

    `prompt` is the hash of the judge's templates.
    """

    object: str
    items: tuple[JudgeItem, ...]
    judge: str
    prompt: str = ""

    def canonical(self) -> str:
        """The batch as JSON with sorted keys."""
        return canonical_json(
            {
                "object": self.object,
                "judge": self.judge,
                "prompt": self.prompt,
                # The names that the first ledgers have: other ones, and judges are paid again.
                "reads": [_item_json(item) for item in self.items],
            }
        )

    @property
    def key(self) -> str:
        """SHA-256 of the canonical form, 64 hexadecimal digits."""
        return key_of(self.canonical())


@dataclass(frozen=True, slots=True)
class Questions:
    """All questions of an object type.

    `values` are, for each fact that answers a question, the values that it has in any unit.
    """

    work: ObjectWork
    values: Mapping[str, tuple[str, ...]]
    seed: int

    def item(
        self,
        unit: Unit,
        entry: Entry,
    ) -> JudgeItem | None:
        """What a judge is shown of a unit; None where nothing is asked of it."""
        questions = []
        for question in self._asked(unit):
            questions.append(JudgeQuestion(question.asks, self._candidates(unit, question)))
        if not questions:
            return None
        return JudgeItem(unit.id, text_of(unit, entry), tuple(questions))

    def verdict(
        self,
        unit: Unit,
        chosen: Sequence[int],
    ) -> Verdict:
        """A pass where each chosen candidate is the one that the facts name.

        Else it fails with the first question that isn't and with both candidates; it is unjudged
        where the judge left a question out or chose no candidate.
        """
        asked = self._asked(unit)
        if len(chosen) != len(asked):
            return unjudged("the judge left a question out")
        for question, place in zip(asked, chosen, strict=True):
            candidates = self._candidates(unit, question)
            if not 0 <= place < len(candidates):
                return unjudged("the judge chose no candidate")
            right = _value(unit.facts, question.answer)
            if candidates[place] != right:
                return fail(
                    f"judge: {question.asks} A reader finds {candidates[place]!r}, the facts say"
                    f" {right!r}"
                )
        return PASS

    def _asked(self, unit: Unit) -> list[Question]:
        questions = self.work.item.judging.questions
        return [question for question in questions if _value(unit.facts, question.answer)]

    def _candidates(
        self,
        unit: Unit,
        question: Question,
    ) -> tuple[str, ...]:
        """The right value among others of the same fact, shuffled by a stream of its own.

        `something else` and `not said` come last.
        """
        right = _value(unit.facts, question.answer)
        node = f"judge {self.work.item.name}"
        rng = text_stream(self.seed, node, f"{unit.id}|{question.answer}")
        others = [value for value in self.values[question.answer] if value != right]
        shown = [right, *rng.sample(others, min(DISTRACTORS, len(others)))]
        rng.shuffle(shown)
        return (*shown, OTHER, NOT_SAID)


def questions_of(work: ObjectWork, seed: int) -> Questions:
    """The questions of an object type.

    Candidates are the values that the same fact has in its other units.
    """
    found: dict[str, set[str]] = {}
    for question in work.item.judging.questions:
        found[question.answer] = set()
    for unit in work.units if found else ():
        for name, values in found.items():
            values.add(_value(unit.facts, name))
    shown = {name: tuple(sorted(values - {""})) for name, values in found.items()}
    return Questions(work, shown, seed)


def text_of(unit: Unit, entry: Entry) -> str:
    """All that was written of a unit as a judge reads it, a conversation's turns with speakers."""
    pieces = []
    for name, value in entry.items():
        if name == "unit":
            continue
        if not unit.parts or isinstance(value, str) or not isinstance(value, Sequence):
            pieces.append(str(value))
            continue
        for part, text in zip(unit.parts, whole_parts(unit, value), strict=True):
            pieces.append(f"{part.get('speaker', '')}: {text}")
    return "\n\n".join(pieces)


def _item_json(item: JudgeItem) -> dict[str, object]:
    choices = []
    for question in item.questions:
        choices.append({"asks": question.asks, "candidates": question.candidates})
    return {"unit": item.unit, "text": item.text, "choices": choices}


def _value(facts: Facts, name: str) -> str:
    value = facts.get(name)
    return "" if value is None else str(value)
