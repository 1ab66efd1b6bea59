"""From an object type's facts to the units that its writer is given, and from entries to columns.

A unit is one row, or the rows that share a reference (an e-mail thread), or one row whose text has
parts in a latent table (a chat).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as derived
from itertools import chain

import numpy as np

from pipeline.world.org import Org
from pipeline.world.packed import packed
from pipeline.world.paths import along, as_text, evaluate
from pipeline.world.tables import Array, Table, objects, strings
from pipeline.write.mail import framed_mails
from pipeline.write.own_names import own_facts, own_fields
from pipeline.write.transcript import TOLD_OF_CHAT, transcript
from pipeline.write.units import BLOCK, FactRows, Parts, UnitTable, grouped, joined, packed_facts
from schemas.object_type import ObjectType
from schemas.paths import ValueExpression
from verifiers.material import (
    NOBODY,
    Entry,
    Facts,
    Roster,
    Unit,
    WrittenField,
    roster_of,
)

# A mini-batch's answer stays well below the longest output of common models (4,096 tokens).
MOST_TOKENS = 2400
# Words of English prose, counted with the tokenizers of common models.
TOKENS_A_WORD = 1.35
TOKENS_A_TEXT = 6
TOKENS_A_UNIT = 12
LANE_SIZE = 50  # a prompt shows at most so many earlier entries
# Mini-batches of a lane that a model is asked one after the other. What it repeats of other lanes
# is written again, all side by side: that takes no longer than one more in a row.
LANE = 2

UnitRows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ObjectWork:
    """All units of an object type, and the order in which they are written.

    `lanes` hold unit ids in order, `rows` the rows of each unit. `roster` holds names (of people,
    of products) that a text may use only where they are its own facts. Units in `always` are
    judged whatever the share. `frames` are the facts of `x-frame` by row, None where there are
    none.
    """

    item: ObjectType
    fields: tuple[WrittenField, ...]
    units: Sequence[Unit]
    lanes: tuple[tuple[int, ...], ...]
    rows: tuple[UnitRows, ...]
    roster: Roster = NOBODY
    always: frozenset[int] = frozenset()
    frames: FactRows | None = None
    _by_id: Mapping[int, Unit] = derived(
        init=False,
        compare=False,
        repr=False,
    )
    _texts: Mapping[int, int] | Array = derived(
        init=False,
        compare=False,
        repr=False,
    )

    def __post_init__(self) -> None:
        by_id: dict[int, Unit] = {}
        texts: Mapping[int, int] | Array = {}
        if isinstance(self.units, UnitTable):
            texts = self.units.texts
        else:
            by_id = {unit.id: unit for unit in self.units}
            texts = {unit.id: texts_in(unit) for unit in self.units}
        # A frozen dataclass lets nothing else set what it derives from its own fields.
        object.__setattr__(self, "_by_id", by_id)
        object.__setattr__(self, "_texts", texts)

    @property
    def ids(self) -> Sequence[int]:
        """The ids of all units, in canonical order."""
        return range(len(self.units)) if isinstance(self.units, UnitTable) else list(self._by_id)

    def batches(self, lane: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yields a lane's mini-batches.

        Each holds as many units as answer with at most MOST_TOKENS tokens together, by the usual
        length of their texts, and never more than the object type says.
        """
        batch: list[int] = []
        tokens = 0
        for unit in lane:
            own = tokens_of(self.fields, int(self._texts[unit]))
            full = len(batch) == self.item.unit.batch or tokens + own > MOST_TOKENS
            if batch and full:
                yield tuple(batch)
                batch = []
                tokens = 0
            batch.append(unit)
            tokens += own
        if batch:
            yield tuple(batch)

    def usual_tokens(self, units: Sequence[int]) -> int:
        """About how many tokens the entries of these units will take."""
        return sum(tokens_of(self.fields, int(self._texts[unit])) for unit in units)

    def lane_batches(self) -> Iterator[tuple[int, ...]]:
        """Yields the mini-batches of all lanes in canonical order."""
        for lane in self.lanes:
            yield from self.batches(lane)

    def shorter_lanes(self, batches: int) -> "ObjectWork":
        """The same mini-batches in lanes of at most so many."""
        lanes: list[tuple[int, ...]] = []
        for lane in self.lanes:
            cut = list(self.batches(lane))
            for start in range(0, len(cut), batches):
                lanes.append(tuple(chain.from_iterable(cut[start : start + batches])))
        return replace(self, lanes=tuple(lanes))

    def unit(self, number: int) -> Unit:
        """The unit of that id; raises LookupError where the work has none."""
        return self.units[number] if isinstance(self.units, UnitTable) else self._by_id[number]

    def units_of(self, numbers: Sequence[int]) -> tuple[Unit, ...]:
        """The units of these ids, in that order."""
        if isinstance(self.units, UnitTable):
            return self.units.taken(numbers)
        return tuple(self._by_id[number] for number in numbers)

    def part(self, rows: set[int]) -> "ObjectWork":
        """The work on those units alone that hold one of the rows; lanes keep their order."""
        kept = []
        for unit, own in zip(self.ids, self.rows, strict=True):
            if not rows.isdisjoint(own):
                kept.append((unit, own))
        ids = {unit for unit, _ in kept}
        lanes = [tuple(unit for unit in lane if unit in ids) for lane in self.lanes]
        return replace(
            self,
            units=self.units_of([unit for unit, _ in kept]),
            rows=tuple(own for _, own in kept),
            lanes=tuple(lane for lane in lanes if lane),
        )

    def columns(
        self,
        entries: Mapping[int, Entry],
        size: int,
    ) -> dict[str, Array]:
        """The written columns of `size` rows, from one entry a unit.

        Conversations are spread over their rows or rendered as one text.
        """
        return {
            written.name: objects(self._column(written.name, entries, size))
            for written in self.item.written
        }

    def _column(
        self,
        name: str,
        entries: Mapping[int, Entry],
        size: int,
    ) -> list[str | None]:
        source = self.item.field(name).written
        render = source.render if source else None
        column: list[str | None] = [None] * size
        if isinstance(self.units, UnitTable) and self.units.parts is None:
            # Each is one text: nothing has to be known of it.
            for number, rows in zip(self.ids, self.rows, strict=True):
                column[rows[0]] = str(entries[number][name])
            return column
        for unit, rows, frames in self._rendered(render):
            value = entries[unit.id][name]
            if not unit.parts:
                column[rows[0]] = str(value)
                continue
            texts = whole_parts(unit, value if isinstance(value, Sequence) else ())
            if render == "transcript":
                column[rows[0]] = transcript(unit, texts, *frames[:1])
                continue
            if frames:
                texts = framed_mails(frames, texts)
            for row, text in zip(rows, texts, strict=True):
                column[row] = text
        return column

    def _rendered(self, render: str | None) -> Iterator[tuple[Unit, UnitRows, list[Facts]]]:
        """Yields each unit with what its texts are rendered by, its rows and their frames."""
        units = self.units
        if isinstance(units, UnitTable):
            told = TOLD_OF_CHAT if render == "transcript" else ((), ())
            units = units.only(*told)
        frames = self.frames if render else None
        for start in range(0, len(units), BLOCK):
            rows = self.rows[start : start + BLOCK]
            framed = frames.by_group(rows) if frames else [[] for _ in rows]
            yield from zip(units[start : start + BLOCK], rows, framed, strict=True)


def build_work(
    org: Org,
    item: ObjectType,
    facts: Table,
    lane_size: int = LANE_SIZE,
) -> ObjectWork:
    """The work on an object type, its units in row order.

    Lanes are cut by x-lane, none longer than `lane_size`; without one each mini-batch is a lane of
    its own.
    """
    rows = _rows(org, item, facts)
    heads = np.array([group[0] for group in rows], dtype=np.int64)
    units = _units(
        org,
        item,
        facts,
        rows,
        heads,
    )
    work = ObjectWork(
        item=item,
        fields=own_fields(org, item, written_fields(item)),
        units=units,
        lanes=(),
        rows=rows,
        roster=_roster(org, item),
        always=_always(org, item, facts, heads),
        frames=_frames(org, item, facts),
    )
    open_units = np.flatnonzero(units.texts).tolist()
    if not item.lane:
        return replace(work, lanes=tuple(work.batches(open_units)))
    values = along(org, facts, item.lane)[heads]
    return replace(work, lanes=_lanes(values, open_units, lane_size))


def usual_tokens(fields: Sequence[WrittenField], unit: Unit) -> int:
    """About how many tokens a unit's entry will take, by the words that its fields usually have."""
    return tokens_of(fields, texts_in(unit))


def texts_in(unit: Unit) -> int:
    """How many texts of each field are to be written for a unit."""
    return len(unit.open_parts) if unit.parts else 1


def tokens_of(fields: Sequence[WrittenField], texts: int) -> int:
    """About how many tokens so many texts of each field take."""
    tokens = TOKENS_A_UNIT
    for written in fields:
        tokens += round((written.words * TOKENS_A_WORD + TOKENS_A_TEXT) * texts)
    return tokens


def whole_parts(unit: Unit, written: Sequence[object]) -> list[str]:
    """The texts of all parts: given ones as they stand, the others from the answer in order."""
    fresh = iter(written)
    texts = []
    for part in unit.parts:
        given = part.get("given")
        texts.append(str(given) if given else str(next(fresh)))
    return texts


def written_fields(item: ObjectType) -> tuple[WrittenField, ...]:
    """The fields of an object type that are written, as a request names them."""
    made = []
    for field in item.written:
        source = field.written
        if source is None:
            continue
        made.append(
            WrittenField(
                name=field.name,
                instruction=source.written,
                must=source.must,
                json_schema=field.json_schema,
                rule=source.rule or f"{item.name}.{field.name}",
                beats=source.beats or "",
                words=source.words,
                new_from=1 if field.unique else source.new_from,
            )
        )
    return tuple(made)


def _units(
    org: Org,
    item: ObjectType,
    facts: Table,
    rows: Sequence[UnitRows],
    heads: Array,
) -> UnitTable:
    avoided = along(org, facts, item.avoid)[heads] if item.avoid else strings([""] * len(rows))
    own = {name: packed(values) for name, values in own_facts(org, item, len(rows)).items()}
    told = _facts(org, facts, item.facts, heads)
    return UnitTable(
        facts=replace(told, columns={**told.columns, **own}),
        avoid=packed(strings([str(phrases) for phrases in avoided])),
        parts=_parts(org, item, facts, rows),
    )


def _roster(org: Org, item: ObjectType) -> Roster:
    """The names in the columns that x-roster lists, such as `Contact.Name`."""
    names: list[str] = []
    for table, column in item.roster:
        names += [str(name) for name in org.table(table)[column]]
    return roster_of(names)


def _always(
    org: Org,
    item: ObjectType,
    facts: Table,
    heads: Array,
) -> frozenset[int]:
    always = item.judging.always
    if isinstance(always, bool):
        return frozenset(range(len(heads))) if always else frozenset()
    judged = along(org, facts, always)[heads].astype(bool)
    return frozenset(np.flatnonzero(judged).tolist())


def _rows(org: Org, item: ObjectType, facts: Table) -> tuple[UnitRows, ...]:
    if item.unit.parts and item.unit.by:
        # A conversation in which nobody says anything has no words.
        spoken = np.unique(org.table(item.unit.parts.table_name)[item.unit.by])
        return tuple((row,) for row in spoken.astype(np.int64).tolist())
    if not item.unit.group:
        return tuple((row,) for row in range(facts.size))
    groups: dict[int, list[int]] = {}
    for row, key in enumerate(facts[item.unit.group]):
        groups.setdefault(int(key), []).append(row)
    return tuple(tuple(group) for group in groups.values())


def _facts(
    org: Org,
    table: Table,
    expressions: Mapping[str, ValueExpression],
    rows: Array | None = None,
) -> FactRows:
    """The expressions' values by their names, in some rows of a table or in all of them."""
    columns = {}
    for name, expression in expressions.items():
        values = evaluate(org, table, expression)
        columns[name] = packed_facts(values if rows is None else values[rows])
        # Packed before the next ones are looked up: unpacked, all of them take ten times the room.
        table.close()
        org.close()
    return FactRows(table.size if rows is None else len(rows), columns)


def _parts(
    org: Org,
    item: ObjectType,
    facts: Table,
    rows: Sequence[UnitRows],
) -> Parts | None:
    if not item.part_facts:
        return None
    if item.unit.parts and item.unit.by:
        # The parts stand in a latent table, whose column `by` holds the unit of each row.
        table = org.table(item.unit.parts.table_name)
        heads = np.array([group[0] for group in rows], dtype=np.int64)
        own = grouped(np.searchsorted(heads, table[item.unit.by].astype(np.int64)), len(rows))
        return Parts(_facts(org, table, item.part_facts), own)
    # Each row of a unit is a part; the text of some is given by other records.
    given = _given(org, item, facts)
    return Parts(
        _facts(org, facts, item.part_facts),
        joined(rows),
        packed(strings(given)) if any(given) else None,
    )


def _frames(org: Org, item: ObjectType, facts: Table) -> FactRows | None:
    """What each row's words are put into, where the object type says so."""
    return _facts(org, facts, item.frame) if item.frame else None


def _given(
    org: Org,
    item: ObjectType,
    facts: Table,
) -> list[str]:
    for field in item.written:
        if field.written and field.written.given:
            given = field.written.given
            when = along(org, facts, given.when)
            then = along(org, facts, given.then)
            return [str(text) if stands else "" for stands, text in zip(when, then, strict=True)]
    return [""] * facts.size


def _lanes(
    values: Array,
    units: Sequence[int],
    lane_size: int,
) -> tuple[tuple[int, ...], ...]:
    """Units of equal values, cut into pieces of `lane_size`."""
    by_value: dict[str, list[int]] = {}
    for unit in units:
        by_value.setdefault(as_text(values[unit]), []).append(unit)
    lanes = []
    for lane in by_value.values():
        for start in range(0, len(lane), lane_size):
            lanes.append(tuple(lane[start : start + lane_size]))
    return tuple(lanes)
