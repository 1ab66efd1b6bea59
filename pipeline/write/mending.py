"""Conversations of which some texts were refused: those texts alone are asked again.

The others stand as given, so that the new ones fit them. What stands and what is asked again
follows from the answers alone, which the ledger keeps: a run that goes on asks the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from verifiers.answer import GIVEN, AnswerRules
from verifiers.material import Entry, Facts, Unit
from verifiers.verdict import Verdict

QUOTED = 300


@dataclass(frozen=True, slots=True)
class _Begun:
    """A conversation as it was asked as a whole, all its texts so far, and which are asked again.

    `places` are those of the refused texts among all texts that were to be written.
    """

    unit: Unit
    texts: tuple[str, ...]
    places: tuple[int, ...]


@dataclass(slots=True)
class Mending:
    """The conversations of one mini-batch that are being mended."""

    rules: AnswerRules
    _begun: dict[int, _Begun] = field(default_factory=dict)

    def whole(self, entries: Mapping[int, Entry]) -> dict[int, Entry]:
        """Accepted entries, each with the texts beside it that stood already."""
        made: dict[int, Entry] = {}
        for unit, entry in entries.items():
            begun = self._begun.get(unit)
            made[unit] = entry if begun is None else self._filled(begun, entry)
        return made

    def opened(self, units: Sequence[Unit], answer: Sequence[object]) -> tuple[Unit, ...]:
        """Refused units as they are asked again, by what the answer held of them.

        A conversation is asked for its refused texts alone where others of it are right; any other
        unit, and one that has no entry in the answer, is asked as it was.
        """
        found: dict[object, Entry] = {}
        for entry in answer:
            if isinstance(entry, Mapping):
                found[entry.get("unit")] = entry
        return tuple(self._opened(unit, found.get(unit.id)) for unit in units)

    def _opened(self, unit: Unit, entry: Entry | None) -> Unit:
        if entry is None or not unit.parts or not self.rules.has_form(unit, entry):
            return unit
        begun = self._begun.get(unit.id)
        original = unit if begun is None else begun.unit
        if begun is not None:
            entry = self._filled(begun, entry)
        wrong = self.rules.wrong_texts(original, entry)
        if not wrong or len(wrong) == len(original.open_parts):
            self._begun.pop(unit.id, None)
            return replace(original, notes=unit.notes)
        texts = tuple(str(text) for text in _texts(entry, self.rules))
        self._begun[unit.id] = _Begun(original, texts, tuple(wrong))
        return replace(original, parts=_given(original, texts, wrong), notes=_notes(texts, wrong))

    def _filled(self, begun: _Begun, entry: Entry) -> Entry:
        """The whole entry: the texts that stood, and the new ones in the refused ones' places."""
        texts: list[object] = list(begun.texts)
        for place, text in zip(begun.places, _texts(entry, self.rules), strict=True):
            texts[place] = text
        return {**entry, self.rules.fields[0].name: texts}


def _texts(entry: Entry, rules: AnswerRules) -> Sequence[object]:
    """The texts of a conversation's one field."""
    texts = entry[rules.fields[0].name]
    return texts if isinstance(texts, Sequence) else ()


def _given(unit: Unit, texts: Sequence[str], wrong: Mapping[int, Verdict]) -> tuple[Facts, ...]:
    """The parts of a unit, the right texts given in theirs."""
    parts = []
    place = 0
    for part in unit.parts:
        if part.get(GIVEN):
            parts.append(part)
            continue
        parts.append(part if place in wrong else {**part, GIVEN: texts[place]})
        place += 1
    return tuple(parts)


def _notes(texts: Sequence[str], wrong: Mapping[int, Verdict]) -> tuple[str, ...]:
    """Why each text is asked again, by its number in the new prompt, and how it read."""
    notes = []
    for number, (place, verdict) in enumerate(wrong.items(), 1):
        notes.append(f"text {number} was {texts[place][:QUOTED]!r}: {verdict.reason}")
    return tuple(notes)
