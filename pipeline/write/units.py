"""From an object's facts to the units its writer is given, and from written entries back to
columns.

A unit is one row, or the rows that share a reference (an e-mail thread), or one row whose text has
parts in a latent table (a chat).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.world.org import Org
from pipeline.world.paths import along, as_text, evaluate
from pipeline.world.tables import Array, Table, strings
from pipeline.write.request import Fact, Facts, Unit, WrittenField
from schemas.model import BATCH, ObjectType
from schemas.paths import ValueExpression, ValuePath
from verifiers.content import Roster, roster_of

Entry = Mapping[str, object]
MOST_TOKENS, TOKENS_A_WORD = 2400, 1.35
NOBODY = Roster({})


@dataclass(frozen=True, slots=True)
class ObjectWork:
    """All units of an object type, the lanes they are written in (unit ids in order), the rows of
    each unit.

    `roster` holds names (of people, of products) that a text may name only where they are its own
    facts. A mini-batch holds at
    most `batch` units, fewer where they are long; units in `always` are judged whatever the share.
    `keys` are the fields in which no text may stand twice within a lane.
    """

    fields: tuple[WrittenField, ...]
    units: tuple[Unit, ...]
    lanes: tuple[tuple[int, ...], ...]
    rows: tuple[tuple[int, ...], ...]
    roster: Roster = NOBODY
    batch: int = BATCH
    always: frozenset[int] = frozenset()
    keys: tuple[str, ...] = ()

    def batches(self, lane: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """A lane's mini-batches: as many units as answer with at most MOST_TOKENS tokens together,
        by the usual length of their texts.
        """
        taken: list[int] = []
        tokens = 0
        for unit in lane:
            own = usual_tokens(self.fields, self.unit(unit))
            if taken and (len(taken) == self.batch or tokens + own > MOST_TOKENS):
                yield tuple(taken)
                taken, tokens = [], 0
            taken.append(unit)
            tokens += own
        if taken:
            yield tuple(taken)

    def unit(self, number: int) -> Unit:
        """The unit of that id; in whole work a unit's id is its place."""
        if number < len(self.units) and self.units[number].id == number:
            return self.units[number]
        return next(unit for unit in self.units if unit.id == number)


def build_work(org: Org, item: ObjectType, facts: Table, lane_size: int = 50) -> ObjectWork:
    """Units in row order.

    Lanes are cut by x-lane, none longer than `lane_size`; without one each mini-batch is a lane of
    its own.
    """
    rows = _rows(org, item, facts)
    heads = np.array([group[0] for group in rows], dtype=np.int64)
    unit_facts = _facts(org, facts, item.facts, heads)
    avoid = along(org, facts, item.avoid)[heads] if item.avoid else [""] * len(rows)
    parts = _parts(org, item, facts, rows)
    units = tuple(
        Unit(
            at,
            unit_facts[at],
            parts[at],
            tuple(phrase for phrase in str(avoid[at]).split("|") if phrase),
        )
        for at in range(len(rows))
    )
    roster = roster_of(
        str(name) for table, field in item.roster for name in org.table(table)[field]
    )
    work = ObjectWork(
        written_fields(item),
        units,
        (),
        rows,
        roster,
        item.unit.batch,
        _always(org, item, facts, heads),
        item.key_fields,
    )
    open_units = [unit.id for unit in units if not unit.parts or unit.open_parts]
    return replace(
        work,
        lanes=(
            _lanes(org, item.lane, facts, heads, open_units, lane_size)
            if item.lane
            else tuple(work.batches(open_units))
        ),
    )


def usual_tokens(fields: Sequence[WrittenField], unit: Unit) -> int:
    """About how many tokens a unit's entry will take: the words that its fields usually have, for
    each text, and the form around them.
    """
    texts = len(unit.open_parts) if unit.parts else 1
    return 12 + sum(round((field.words * TOKENS_A_WORD + 6) * texts) for field in fields)


def _always(org: Org, item: ObjectType, facts: Table, heads: Array) -> frozenset[int]:
    always = item.judging.always
    if isinstance(always, bool):
        return frozenset(range(len(heads))) if always else frozenset()
    judged = along(org, facts, always)[heads].astype(bool)
    return frozenset(np.flatnonzero(judged).tolist())


def words_from(
    item: ObjectType, work: ObjectWork, entries: Mapping[int, Entry], size: int
) -> dict[str, Array]:
    """The written columns, from one entry a unit; conversations are spread over their rows or
    rendered as one text.
    """
    return {
        field.name: strings(_column(item, work, entries, field.name, size))
        for field in item.written
    }


def _column(
    item: ObjectType, work: ObjectWork, entries: Mapping[int, Entry], name: str, size: int
) -> list[str]:
    source = item.field(name).written
    column = [""] * size
    for unit, rows in zip(work.units, work.rows, strict=True):
        value = entries[unit.id][name]
        if not unit.parts:
            column[rows[0]] = str(value)
            continue
        texts = whole_parts(unit, value if isinstance(value, Sequence) else ())
        if source is not None and source.render:
            column[rows[0]] = transcript(unit, texts)
        else:
            for row, text in zip(rows, texts, strict=True):
                column[row] = text
    return column


def whole_parts(unit: Unit, written: Sequence[object]) -> list[str]:
    """The texts of all parts: given ones as they stand, the others from the answer in order."""
    fresh = iter(written)
    return [str(part["given"]) if part.get("given") else str(next(fresh)) for part in unit.parts]


def transcript(unit: Unit, texts: Sequence[str]) -> str:
    """A chat as one text, a line a turn: `[2022-03-01T09:31:12] Rosa Lindgren (Customer): Hi!`."""
    lines = []
    for part, text in zip(unit.parts, texts, strict=True):
        name = unit.facts["customer"] if part["speaker"] == "Customer" else part["agent"]
        lines.append(f"[{part['at']}] {name} ({part['speaker']}): {' '.join(text.split())}")
    return "\n".join(lines)


def written_fields(item: ObjectType) -> tuple[WrittenField, ...]:
    """The fields of an object type that are written, as a request names them."""
    made = []
    for field in item.written:
        source = field.written
        if source:
            made.append(
                WrittenField(
                    field.name,
                    source.written,
                    source.must,
                    field.json_schema,
                    source.rule or f"{item.name}.{field.name}",
                    source.beats or "",
                    source.words,
                )
            )
    return tuple(made)


def _rows(org: Org, item: ObjectType, facts: Table) -> tuple[tuple[int, ...], ...]:
    if not item.unit.group:
        return tuple((row,) for row in range(facts.size))
    groups: dict[int, list[int]] = {}
    for row, key in enumerate(facts[item.unit.group]):
        groups.setdefault(int(key), []).append(row)
    return tuple(tuple(group) for group in groups.values())


def _facts(
    org: Org, at: Table, expressions: Mapping[str, ValueExpression], rows: Array
) -> list[Facts]:
    columns = {
        name: evaluate(org, at, expression)[rows] for name, expression in expressions.items()
    }
    return [
        {name: plain(column[row]) for name, column in columns.items()} for row in range(len(rows))
    ]


def plain(value: object) -> Fact:
    """A value as JSON has it: numpy's numbers and dates become Python's and ISO texts."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    return as_text(value)


def _parts(
    org: Org, item: ObjectType, facts: Table, rows: tuple[tuple[int, ...], ...]
) -> list[tuple[Facts, ...]]:
    if not item.part_facts:
        return [()] * len(rows)
    if item.unit.parts and item.unit.by:
        table = org.table(item.unit.parts.table_name)
        all_parts = _facts(org, table, item.part_facts, np.arange(table.size))
        grouped: list[list[Facts]] = [[] for _ in rows]
        for part, unit in zip(all_parts, table[item.unit.by], strict=True):
            grouped[int(unit)].append(part)
        return [tuple(group) for group in grouped]
    all_parts = _facts(org, facts, item.part_facts, np.arange(facts.size))
    given = _given(org, item, facts)
    return [
        tuple(
            {**all_parts[row], "given": given[row]} if given[row] else all_parts[row]
            for row in group
        )
        for group in rows
    ]


def _given(org: Org, item: ObjectType, facts: Table) -> list[str]:
    source = next(
        (field.written for field in item.written if field.written and field.written.given), None
    )
    if source is None or source.given is None:
        return [""] * facts.size
    when, then = along(org, facts, source.given.when), along(org, facts, source.given.then)
    return [str(text) if stands else "" for stands, text in zip(when, then, strict=True)]


def _lanes(
    org: Org, lane: ValuePath, facts: Table, heads: Array, units: list[int], lane_size: int
) -> tuple[tuple[int, ...], ...]:
    values = along(org, facts, lane)[heads]
    lanes: dict[str, list[int]] = {}
    for unit in units:
        lanes.setdefault(as_text(values[unit]), []).append(unit)
    return tuple(
        tuple(lane[at : at + lane_size])
        for lane in lanes.values()
        for at in range(0, len(lane), lane_size)
    )
