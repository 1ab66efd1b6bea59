"""Conversations of which some texts are wrong: those texts alone are asked again.

The others stand as given, so that the new ones fit them: that is cheaper than the whole, and
nothing that is right becomes another text, which might be wrong. What stands and what is asked
again follows from the answers alone, which the ledger keeps: a run that goes on asks the same.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.write.work import ObjectWork
from verifiers.answer import GIVEN, AnswerRules
from verifiers.likeness import FailedUnits
from verifiers.material import Entry, Facts, Unit
from verifiers.verdict import Verdict

QUOTED = 300
# Reasons shown with a unit, those of all rounds of rewriting: who is told of a few only comes back
# to what was refused before them.
LAST_NOTES = 16


@dataclass(frozen=True, slots=True)
class _Begun:
    """A conversation as it was asked as a whole, all its texts so far, and which are asked again.

    `places` are those of the wrong texts among all texts that were to be written.
    """

    unit: Unit
    texts: tuple[str, ...]
    places: tuple[int, ...]

    def filled(
        self,
        entry: Entry,
        field: str,
    ) -> Entry:
        """The whole entry: the texts that stood, and the new ones in the wrong ones' places."""
        texts: list[object] = list(self.texts)
        for place, text in zip(self.places, _texts(entry, field), strict=True):
            texts[place] = text
        return {**entry, field: texts}


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
            made[unit] = entry if begun is None else begun.filled(entry, self._field)
        return made

    def opened(
        self,
        units: Sequence[Unit],
        answer: Sequence[object],
    ) -> tuple[Unit, ...]:
        """Refused units as they are asked again, by what the answer held of them.

        A conversation is asked for its refused texts alone where others of it are right; any other
        unit, and one that has no entry in the answer, is asked as it was.
        """
        found: dict[object, Entry] = {}
        for entry in answer:
            if isinstance(entry, Mapping):
                found[entry.get("unit")] = entry
        return tuple(self._opened(unit, found.get(unit.id)) for unit in units)

    def _opened(
        self,
        unit: Unit,
        entry: Entry | None,
    ) -> Unit:
        if entry is None or not unit.parts or not self.rules.has_form(unit, entry):
            return unit
        begun = self._begun.get(unit.id)
        original = unit if begun is None else begun.unit
        if begun is not None:
            entry = begun.filled(entry, self._field)
        wrong = self.rules.wrong_texts(original, entry)
        if not wrong or len(wrong) == len(original.open_parts):
            self._begun.pop(unit.id, None)
            return replace(original, notes=unit.notes)
        texts = tuple(str(text) for text in _texts(entry, self._field))
        self._begun[unit.id] = _Begun(original, texts, tuple(wrong))
        return replace(original, parts=_given(original, texts, wrong), notes=_notes(texts, wrong))

    @property
    def _field(self) -> str:
        """A conversation's one field."""
        return self.rules.fields[0].name


@dataclass(slots=True)
class Rewriting:
    """What is written again in the rounds of one object type, since it is too like another text or
    a reader misunderstood it.
    """

    work: ObjectWork
    _wrong: dict[int, tuple[Verdict, ...]] = field(default_factory=dict)
    _begun: dict[int, _Begun] = field(default_factory=dict)

    def asked(
        self,
        wrong: FailedUnits,
        entries: Mapping[int, Entry],
    ) -> list[Unit]:
        """The units of a round as they are asked again, in canonical order.

        Each is told what was wrong in this round and those before. A conversation is asked for the
        texts alone whose verdicts tell their places.
        """
        units = []
        for number in sorted(wrong):
            units.append(self._asked(number, wrong[number], entries[number]))
        return units

    def _asked(
        self,
        number: int,
        wrong: Sequence[Verdict],
        entry: Entry,
    ) -> Unit:
        unit = self.work.unit(number)
        told = (*self._wrong.get(number, ()), *wrong)[-LAST_NOTES:]
        self._wrong[number] = told
        places = _places(wrong, unit)
        if not places or len(self.work.fields) > 1:
            self._begun.pop(number, None)
            return replace(unit, notes=tuple(str(verdict) for verdict in told))
        texts = tuple(str(text) for text in _texts(entry, self.work.fields[0].name))
        self._begun[number] = _Begun(unit, texts, places)
        notes = []
        for shown, place in enumerate(places, 1):
            reasons = [verdict.reason for verdict in told if _place(verdict) == place]
            notes += [f"text {shown}: {reason}" for reason in reasons]
        return replace(unit, parts=_given(unit, texts, places), notes=tuple(notes))

    def wrong_texts(self, number: int) -> tuple[str, ...]:
        """The texts that a conversation is asked again for, as they are."""
        begun = self._begun.get(number)
        return () if begun is None else tuple(begun.texts[place] for place in begun.places)

    def whole(self, entries: Mapping[int, Entry]) -> dict[int, Entry]:
        """What was written of the units asked, each with the texts beside it that stood."""
        made: dict[int, Entry] = {}
        for number, entry in entries.items():
            begun = self._begun.get(number)
            name = self.work.fields[0].name
            made[number] = entry if begun is None else begun.filled(entry, name)
        return made


def _places(
    wrong: Sequence[Verdict],
    unit: Unit,
) -> tuple[int, ...]:
    """The places of a conversation's wrong texts; none where it has to be written as a whole."""
    places = {_place(verdict) for verdict in wrong}
    if not unit.parts or None in places or len(places) == len(unit.open_parts):
        return ()
    return tuple(sorted(place for place in places if place is not None))


def _place(verdict: Verdict) -> int | None:
    """The place that a verdict tells: 2 of `TextBody.2`."""
    told = verdict.path.rpartition(".")[2]
    return int(told) if told.isdecimal() else None


def _texts(
    entry: Entry,
    field: str,
) -> Sequence[object]:
    """The texts of a conversation."""
    texts = entry[field]
    return texts if isinstance(texts, Sequence) else ()


def _given(
    unit: Unit,
    texts: Sequence[str],
    wrong: Collection[int],
) -> tuple[Facts, ...]:
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


def _notes(
    texts: Sequence[str],
    wrong: Mapping[int, Verdict],
) -> tuple[str, ...]:
    """Why each text is asked again, by its number in the new prompt, and how it read."""
    notes = []
    for number, (place, verdict) in enumerate(wrong.items(), 1):
        notes.append(f"text {number} was {texts[place][:QUOTED]!r}: {verdict.reason}")
    return tuple(notes)
