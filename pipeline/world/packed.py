"""Tables that take little room: what a finished one holds while others are drawn.

Each column is packed as soon as it is there, in the form that takes the least room, and unpacked
when somebody asks for it. What comes out again is what went in. Knows no org.
"""

import hashlib
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.world.packed_column import (
    EVERY_ROW,
    AsIs,
    ColumnValues,
    PackedColumn,
    PickedRows,
)
from pipeline.world.packed_numbers import BITS, packed_numbers
from pipeline.world.packed_texts import packed_texts

NUMBERS = "ifM"
"""The kinds of numpy's whole numbers, fractions and moments."""
# To pack a column of fewer rows, and to look for its equal, takes longer than it is worth.
WORTH_PACKING = 512
WORTH_SHARING = 1024
"""Bytes of a packed column."""


class PackedColumns(Mapping[str, ColumnValues]):
    """A table's columns; one that is asked for is unpacked, and kept so until `close`."""

    def __init__(self, columns: Mapping[str, ColumnValues]) -> None:
        """Those of a packed table stay as they are packed there."""
        self._open: dict[str, ColumnValues] = {}
        self._packed: dict[str, PackedColumn] = {}
        if isinstance(columns, PackedColumns):
            self._packed.update(columns._packed)
        else:
            self._packed.update((name, held(values)) for name, values in columns.items())

    def __getitem__(self, name: str) -> ColumnValues:
        found = self._open.get(name)
        if found is None:
            found = self._open[name] = self._packed[name].at_rows(EVERY_ROW)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def __contains__(self, name: object) -> bool:
        return name in self._packed

    def __getstate__(self) -> dict[str, dict[str, Any]]:
        """What is sent to another process: the packed columns alone."""
        return {"_packed": self._packed, "_open": {}}

    def put(self, name: str, values: ColumnValues) -> None:
        """Adds a column."""
        self._packed[name] = held(values)

    def in_order(self, names: Sequence[str]) -> "PackedColumns":
        """These columns alone, in this order."""
        ordered = PackedColumns({})
        ordered._packed = {name: self._packed[name] for name in names}
        return ordered

    def share(self, known: dict[bytes, PackedColumn]) -> None:
        """Has columns of equal values stand for one another, also those of other tables.

        `known` has the columns by their digests, and is told of those that are new to it.
        """
        for name, column in self._packed.items():
            if column.nbytes < WORTH_SHARING:
                continue
            data = pickle.dumps(column, pickle.HIGHEST_PROTOCOL)
            digest = hashlib.sha256(data).digest()
            self._packed[name] = known.setdefault(digest, column)

    def at_rows(self, rows: PickedRows) -> dict[str, ColumnValues]:
        """The columns of some rows alone; none of them is kept."""
        return {name: self.column_at(name, rows) for name in self._packed}

    def column_at(self, name: str, rows: PickedRows) -> ColumnValues:
        """One column in some rows."""
        return self._packed[name].at_rows(rows)

    def close(self) -> None:
        """Lets go of all that is unpacked; whoever holds some of it keeps that."""
        self._open.clear()


def held(values: ColumnValues) -> PackedColumn:
    """The column packed, where it has enough rows for that to save anything."""
    return packed(values) if len(values) >= WORTH_PACKING else AsIs(values)


def packed(values: ColumnValues) -> PackedColumn:
    """The column in the form that takes the least room."""
    if not len(values):
        return AsIs(values)
    if values.dtype == object:
        return packed_texts(values)
    if values.dtype.kind in NUMBERS and values.dtype.itemsize == BITS.itemsize:
        return packed_numbers(values)
    return AsIs(values)
