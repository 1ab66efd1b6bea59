"""What a judge is asked of a written text: to choose among candidates, without being told which one
the facts name.

Example: a mail, "Which product does the customer write about?", candidates ("Brindle Tent", "Harrow
Shelter", "something else", "not said").
The paper's content verifier (section 3.3) gives a model the text and a list and looks whether it
finds the right entry; so does this.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.ledger import Ruling
from pipeline.world.streams import text_stream
from pipeline.write.request import Facts, Unit
from pipeline.write.units import Entry, ObjectWork, whole_parts
from schemas.model import ObjectType, Question
from verifiers.verdict import PASS, Verdict, fail

__all__ = [
    "JudgeBatch",
    "JudgeItem",
    "JudgeQuestion",
    "Questions",
    "Ruling",
    "questions_of",
    "text_of",
]
OTHER, NOT_SAID = "something else", "not said"
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
    choices: tuple[JudgeQuestion, ...]


@dataclass(frozen=True, slots=True)
class JudgeBatch:
    """A judge's mini-batch.

    Holds texts and candidates, never the facts' answers; `prompt` is the hash of the judge's
    templates.
    """

    object: str
    reads: tuple[JudgeItem, ...]
    judge: str
    prompt: str = ""

    def canonical(self) -> str:
        """As JSON with sorted keys."""
        reads = [
            {
                "unit": one.unit,
                "text": one.text,
                "choices": [
                    {"asks": each.asks, "candidates": each.candidates} for each in one.choices
                ],
            }
            for one in self.reads
        ]
        return json.dumps(
            {"object": self.object, "judge": self.judge, "prompt": self.prompt, "reads": reads},
            sort_keys=True,
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @property
    def key(self) -> str:
        """SHA-256 of the canonical form, 64 hexadecimal digits."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Questions:
    """All questions of an object type: per unit the choices shown, and the right candidates that
    only the verdict knows.
    """

    item: ObjectType
    work: ObjectWork
    values: Mapping[str, tuple[str, ...]]
    seed: int

    def read(self, unit: Unit, entry: Entry) -> JudgeItem | None:
        """What a judge is shown of a unit; None where nothing is asked of it."""
        choices = tuple(
            JudgeQuestion(each.asks, self._candidates(unit, each)) for each in self._asked(unit)
        )
        return JudgeItem(unit.id, text_of(unit, entry), choices) if choices else None

    def verdict(self, unit: Unit, chosen: Sequence[int]) -> Verdict:
        """Pass where each chosen candidate is the one that the facts name; else the first that
        isn't, with both.
        """
        asked = self._asked(unit)
        if len(chosen) != len(asked):
            return Verdict("unjudged", "the judge left a question out")
        for each, place in zip(asked, chosen, strict=True):
            candidates = self._candidates(unit, each)
            if not 0 <= place < len(candidates):
                return Verdict("unjudged", "the judge chose no candidate")
            if candidates[place] != (right := _value(unit.facts, each.answer)):
                return fail(
                    f"judge: {each.asks} A reader finds {candidates[place]!r}, the facts say"
                    f" {right!r}"
                )
        return PASS

    def _asked(self, unit: Unit) -> list[Question]:
        return [each for each in self.item.judging.questions if _value(unit.facts, each.answer)]

    def _candidates(self, unit: Unit, question: Question) -> tuple[str, ...]:
        """The right value among others of the same fact, shuffled by a stream of its own;
        `something else` and `not said` come last.
        """
        right = _value(unit.facts, question.answer)
        rng = text_stream(self.seed, f"judge {self.item.name}", f"{unit.id}|{question.answer}")
        others = [value for value in self.values[question.answer] if value != right]
        shown = [right, *rng.sample(others, min(DISTRACTORS, len(others)))]
        rng.shuffle(shown)
        return (*shown, OTHER, NOT_SAID)


def questions_of(item: ObjectType, work: ObjectWork, seed: int) -> Questions:
    """The questions of an object type; candidates are the values that the same fact has in its
    other units.
    """
    values = {
        each.answer: tuple(sorted({_value(unit.facts, each.answer) for unit in work.units} - {""}))
        for each in item.judging.questions
    }
    return Questions(item, work, values, seed)


def text_of(unit: Unit, entry: Entry) -> str:
    """All that was written of a unit, a conversation's turns with their speakers, as a judge reads
    it.
    """
    pieces = []
    for name, value in entry.items():
        if name == "unit":
            continue
        if unit.parts and isinstance(value, Sequence) and not isinstance(value, str):
            texts = whole_parts(unit, value)
            pieces += [
                f"{part.get('speaker', '')}: {text}"
                for part, text in zip(unit.parts, texts, strict=True)
            ]
        else:
            pieces.append(str(value))
    return "\n\n".join(pieces)


def _value(facts: Facts, name: str) -> str:
    value = facts.get(name)
    return "" if value is None else str(value)
