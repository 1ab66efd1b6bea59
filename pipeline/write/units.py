"""The units of an object type, made from columns when somebody asks for them.

A unit's facts as a mapping take some kilobytes, so that those of a large org are never all there.
Knows no schema: it is given columns of facts, and which rows belong to which unit.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import overload

import numpy as np

from pipeline.world.packed import held
from pipeline.world.packed_column import EVERY_ROW, PackedColumn, PickedRows
from pipeline.world.paths import as_text
from pipeline.world.tables import Array, objects
from verifiers.material import Fact, Facts, Unit

# Units made at once where all are gone through.
BLOCK = 512
AVOIDED_APART_BY = "|"
# The kinds that JSON has: most columns hold nothing else, and are as they stand.
PLAIN = frozenset((str, bool, int, float, type(None)))


@dataclass(frozen=True, slots=True)
class FactRows:
    """Facts by row, `size` of them, each a mapping from the facts' names to their values."""

    size: int
    columns: Mapping[str, PackedColumn]

    def at_rows(self, rows: PickedRows) -> list[Facts]:
        """The facts of some rows, in that order."""
        columns = [column.at_rows(rows).tolist() for column in self.columns.values()]
        if not columns:
            number = len(range(self.size)[rows]) if isinstance(rows, slice) else len(rows)
            return [{} for _ in range(number)]
        names = list(self.columns)
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]

    def by_group(self, groups: Sequence[Sequence[int] | Array]) -> list[list[Facts]]:
        """The facts of each group's rows, looked up together: by itself each of some rows takes as
        long as hundreds.
        """
        lengths = [len(group) for group in groups]
        rows = np.fromiter(chain.from_iterable(groups), dtype=np.int64, count=sum(lengths))
        facts = iter(self.at_rows(rows))
        return [list(islice(facts, length)) for length in lengths]

    def only(self, names: Collection[str]) -> "FactRows":
        """The same rows with the facts of these names alone."""
        kept = {name: column for name, column in self.columns.items() if name in names}
        return FactRows(self.size, kept)


def _plain(values: Array) -> Array:
    """Values that JSON has: numpy's dates become ISO texts; its numbers do when they are listed."""
    if values.dtype.kind in "iufb":
        return values
    if values.dtype == object and PLAIN.issuperset(map(type, values.tolist())):
        return values
    return objects([_fact(value) for value in values])


def _fact(value: object) -> Fact:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    return as_text(value)


def packed_facts(values: Array) -> PackedColumn:
    """A column of facts, as JSON has them."""
    return held(_plain(values))


@dataclass(frozen=True, slots=True)
class Grouped:
    """The rows of each group, those of all groups in a row: group `n` has `order[starts[n]:…]`."""

    order: Array
    starts: Array

    def rows(self, group: int) -> Array:
        """The rows of a group."""
        return self.order[self.starts[group] : self.starts[group + 1]]


def grouped(groups: Array, number: int) -> Grouped:
    """PickedRows by the group that each is in, `number` groups in all, rows in their order."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(number + 1))
    return Grouped(order, starts)


def joined(groups: Sequence[Sequence[int]]) -> Grouped:
    """Groups whose rows are given."""
    lengths = [len(group) for group in groups]
    order = np.fromiter(chain.from_iterable(groups), dtype=np.int64, count=sum(lengths))
    return Grouped(order, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of units: facts by row, and which rows each unit has.

    `given` has the texts that stand already, "" for others.
    """

    facts: FactRows
    rows: Grouped
    given: PackedColumn | None = None

    def of(self, units: Sequence[int]) -> list[tuple[Facts, ...]]:
        """The parts of some units."""
        rows = [self.rows.rows(unit) for unit in units]
        parts = self.facts.by_group(rows)
        if self.given is None:
            return [tuple(own) for own in parts]
        given = iter(self.given.at_rows(np.concatenate(rows)) if rows else ())
        told: list[tuple[Facts, ...]] = []
        for own in parts:
            texts = islice(given, len(own))
            told.append(tuple(map(_with_given, own, texts)))
        return told

    def only(self, names: Collection[str]) -> "Parts":
        """The same parts with the facts of these names alone, and what is given."""
        return replace(self, facts=self.facts.only(names))

    def open(self) -> Array:
        """How many parts of each unit are to be written; a unit without any is a text itself."""
        lengths = np.diff(self.rows.starts)
        if self.given is None:
            return np.maximum(lengths, 1)
        to_write = self.given.at_rows(EVERY_ROW)[self.rows.order] == ""
        before = np.concatenate([[0], np.cumsum(to_write)])
        return np.where(lengths == 0, 1, np.diff(before[self.rows.starts]))


@dataclass(frozen=True, slots=True)
class UnitTable(Sequence[Unit]):
    """Units by number, from 0.

    `avoid` has the phrases that no text of a unit may hold, with `|` between them.
    """

    facts: FactRows
    avoid: PackedColumn
    parts: Parts | None = None

    @property
    def texts(self) -> Array:
        """How many texts of each field are to be written for every unit."""
        return self.parts.open() if self.parts else np.ones(len(self), dtype=np.int64)

    def __len__(self) -> int:
        return self.facts.size

    @overload
    def __getitem__(self, number: int) -> Unit: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Unit, ...]: ...

    def __getitem__(self, number: int | slice) -> Unit | tuple[Unit, ...]:
        if isinstance(number, slice):
            return self.taken(range(len(self))[number])
        return self.taken((range(len(self))[number],))[0]

    def __iter__(self) -> Iterator[Unit]:
        for start in range(0, len(self), BLOCK):
            yield from self[start : start + BLOCK]

    def taken(self, numbers: Sequence[int]) -> tuple[Unit, ...]:
        """The units of these numbers, in that order."""
        rows = np.array(numbers, dtype=np.int64)
        phrases = self.avoid.at_rows(rows)
        told = self.facts.at_rows(rows)
        parts = self.parts.of(numbers) if self.parts else [()] * len(numbers)
        units = []
        for number, facts, own, avoid in zip(numbers, told, parts, phrases, strict=True):
            named = tuple(phrase for phrase in str(avoid).split(AVOIDED_APART_BY) if phrase)
            units.append(Unit(number, facts, own, named))
        return tuple(units)

    def only(self, names: Collection[str], of_parts: Collection[str]) -> "UnitTable":
        """The same units with these facts of them and of their parts alone: what nobody looks at
        takes most of the time to unpack.
        """
        parts = self.parts.only(of_parts) if self.parts else None
        return UnitTable(self.facts.only(names), self.avoid, parts)


def _with_given(part: Facts, text: str) -> Facts:
    """A part with the text that stands already, where there is one."""
    return {**part, "given": text} if text else part
