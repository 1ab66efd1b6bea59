"""A request's entries put before the format and content verifiers.

What a text must name follows from fields and beats.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from pipeline.write.request import Facts, Unit, WriteRequest, WrittenField
from pipeline.write.units import NOBODY
from schemas.model import Beat
from verifiers.content import Demand, Roster, forms_of, verify_names, verify_text
from verifiers.duplicates import folded
from verifiers.format import entry_schema, fits, validator, verify_format
from verifiers.privacy import verify_privacy
from verifiers.verdict import PASS, Verdict, fail

RawEntry = Mapping[str, object]
QUOTED = 300


def verify_answer(
    request: WriteRequest,
    entries: Sequence[object],
    beats: Mapping[str, Beat],
    roster: Roster = NOBODY,
    keys: Sequence[str] = (),
) -> dict[int, tuple[Verdict, RawEntry | None]]:
    """A verdict for every unit asked for: of its first entry that is right, else of the last wrong
    one, else `missing`.

    `keys` are the fields in which no entry may equal one that the request shows as earlier, or
    another of the same answer; without any,
    the first field may not equal what is shown.
    """
    taken = {folded(text) for text in request.earlier}
    units = {unit.id: unit for unit in request.units}
    found: dict[int, tuple[Verdict, RawEntry | None]] = {
        unit: (fail("format: no entry for this unit"), None) for unit in units
    }
    for entry in entries:
        unit = units.get(_unit_of(entry))
        if unit is None or found[unit.id][0] == PASS:
            continue
        verdict = verify_entry(request.fields, unit, entry, beats, roster)
        verdict = (
            verdict if verdict.failed else _new(entry, keys or (request.fields[0].name,), taken)
        )
        if keys and not verdict.failed and isinstance(entry, Mapping):
            taken.update(folded(str(entry[name])) for name in keys)
        found[unit.id] = (
            verdict,
            (
                _slim(request.fields, unit, entry)
                if verdict == PASS and isinstance(entry, Mapping)
                else None
            ),
        )
    return found


def _slim(fields: Sequence[WrittenField], unit: Unit, entry: RawEntry) -> RawEntry:
    """The entry with the fields' own names: a hundred thousand answers need not each keep a copy of
    them.
    """
    return {"unit": unit.id, **{field.name: entry[field.name] for field in fields}}


def _new(entry: object, keys: Sequence[str], taken: set[str]) -> Verdict:
    """Fails where such a field's text is taken."""
    own = {name: str(entry[name]) for name in keys} if isinstance(entry, Mapping) else {}
    for name, text in own.items():
        if folded(text) in taken:
            return fail(f"duplicate: {text[:QUOTED]!r} is taken already", name)
    return PASS


def _unit_of(entry: object) -> int:
    value = entry.get("unit") if isinstance(entry, Mapping) else None
    return value if isinstance(value, int) else -1


def verify_entry(
    fields: Sequence[WrittenField],
    unit: Unit,
    entry: object,
    beats: Mapping[str, Beat],
    roster: Roster = NOBODY,
) -> Verdict:
    """Form first, then for every text its facts, its avoided phrases, names on the roster that are
    not its own, and privacy.
    """
    schema = entry_schema(
        {field.name: field.json_schema for field in fields},
        len(unit.open_parts) if unit.parts else None,
    )
    verdict = PASS if fits(schema, entry) else verify_format(validator(schema), entry)
    if verdict.failed or not isinstance(entry, Mapping):
        return verdict
    own = [str(value) for facts in (unit.facts, *unit.parts) for value in facts.values()]
    for text, demands, path in _texts(fields, unit, entry, beats):
        verdict = verify_text(text, demands, unit.avoid, path)
        verdict = verdict if verdict.failed or not roster else verify_names(text, roster, own, path)
        verdict = verdict if verdict.failed else verify_privacy(text, path)
        if verdict.failed:
            return verdict
    return PASS


def _texts(
    fields: Sequence[WrittenField], unit: Unit, entry: RawEntry, beats: Mapping[str, Beat]
) -> Iterator[tuple[str, list[Demand], str]]:
    for field in fields:
        value = entry[field.name]
        if unit.parts and isinstance(value, Sequence):
            for at, (text, part) in enumerate(zip(value, unit.open_parts, strict=True)):
                yield (
                    str(text),
                    _of_beats({**unit.facts, **part}, field, beats),
                    f"{field.name}.{at}",
                )
        else:
            yield (
                str(value),
                [*_of_field(unit.facts, field, entry), *_of_beats(unit.facts, field, beats)],
                field.name,
            )


def _of_field(facts: Facts, field: WrittenField, entry: RawEntry) -> list[Demand]:
    demands = []
    for name in field.must:
        value = str(entry.get(name, facts.get(name, "")))
        if name == "must":
            demands += [Demand("stated fact", tuple(forms)) for forms in json.loads(value or "[]")]
        elif value:
            demands.append(Demand(name, forms_of(name, value)))
    return demands


def _of_beats(facts: Facts, field: WrittenField, beats: Mapping[str, Beat]) -> list[Demand]:
    demands = []
    for name in str(facts.get(field.beats) or "").split(",") if field.beats else ():
        beat = beats.get(name)
        for fact in beat.must if beat else ():
            value = str(facts.get((beat.uses or {}).get(fact, fact) if beat else fact) or "")
            if value and value != "0":
                demands.append(Demand(fact, forms_of(fact, value)))
    return demands
