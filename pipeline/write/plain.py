"""Texts for fields that no rule of the lexicon words.

They are plain, but they pass the verifiers: they name all that the field must name and, where
there is room, other facts of the unit. So a schema of one's own needs no lexicon to begin with.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from verifiers.answer import MUST
from verifiers.content import DAY_FACTS
from verifiers.material import Unit, WrittenField

# The two rules of the base lexicon: a short text is a name, a long one a note about {about}.
SHORT = "any.short"
LONG = "any.long"
SHORT_WORDS = 8
MOST_FACTS = 3  # a note about more reads like a list
LONGEST_FACT = 80  # characters

WordRule = Callable[[str, Mapping[str, str]], str]


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text for one field of one unit.

    `texts` are all facts as texts, the company's among them; `word` gives a wording of a rule with
    such facts in its slots.
    """

    written: WrittenField
    unit: Unit
    texts: Mapping[str, str]
    word: WordRule
    rng: random.Random

    def write(self) -> str:
        """The text, within the lengths that the field's JSON Schema allows if that can be done."""
        longest = self.written.json_schema.get("maxLength")
        shortest = self.written.json_schema.get("minLength")
        text = ""
        for attempt in self._attempts():
            text = attempt
            if not isinstance(longest, int) or len(text) <= longest:
                break
        while isinstance(shortest, int) and len(text) < shortest:
            text = f"{text} {self._about(LONG, MOST_FACTS)}"
        return text

    def _attempts(self) -> Iterator[str]:
        """Yields texts for the field, each about less than the one before."""
        if self.written.words > SHORT_WORDS:
            yield self._about(LONG, MOST_FACTS)
            yield self._about(LONG, 1)
        yield self._about(SHORT, MOST_FACTS)
        yield self._about(SHORT, 1)
        must = ", ".join(self._demanded())
        if must:
            yield must

    def _about(
        self,
        rule: str,
        facts: int,
    ) -> str:
        """A text by a rule: about what it must name, and about others up to `facts` in all.

        Where there is nothing to say of the unit, it is about an invented name.
        """
        must = list(self._demanded())
        others = [value for value in self._sayable() if value not in must]
        room = max(facts - len(must), 0)
        named = must + self.rng.sample(others, min(room, len(others)))
        about = ", ".join(named) or self.word(SHORT, {**self.texts, "about": ""})
        text = self.word(rule, {**self.texts, "about": about})
        lacking = [value for value in must if value.casefold() not in text.casefold()]
        return f"{', '.join(lacking)}: {text}" if lacking else text

    def _demanded(self) -> Iterator[str]:
        """Yields what the text must name, as a text may put it: `30` days stand as `30 days`."""
        for name in self.written.must:
            value = self.texts.get(name, "")
            if name == MUST:
                for forms in json.loads(value or "[]"):
                    yield forms[0]
            elif name in DAY_FACTS and value:
                yield "1 day" if value == "1" else f"{value} days"
            elif value:
                yield value

    def _sayable(self) -> Iterator[str]:
        """Yields the unit's facts that read well in any text.

        Flags, lists, bare numbers of days, long texts and what the unit avoids don't.
        """
        avoided = [phrase.casefold() for phrase in self.unit.avoid]
        for name, value in self.unit.facts.items():
            text = "" if value is None else str(value).strip()
            if not text or len(text) > LONGEST_FACT or text.startswith(("[", "{")):
                continue
            if isinstance(value, bool) or name in DAY_FACTS:
                continue
            if not any(phrase in text.casefold() for phrase in avoided):
                yield text
