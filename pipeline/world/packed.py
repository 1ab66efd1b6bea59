"""Columns that take little room: what a finished table holds while others are drawn.

A text takes some sixty bytes more than its characters as a Python object, and most columns of texts
hold a few of them again and again. Here they are codes of the distinct ones, characters side by
side where all are of one length (ids), or bytes in a row. Whole numbers take the bytes that the
greatest one needs. What comes out again is what went in. Knows no org.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

ColumnValues = npt.NDArray[Any]
"""The values of a column."""

PickedRows = slice | npt.NDArray[np.int64]
"""Which rows of a column: a range of them, or their numbers in any order."""

EVERY_ROW = slice(None)
# Where a text stands four times on average its code takes less room than its characters.
LEAST_REPEATS = 4


class PackedColumn(Protocol):
    """The values of a column, which can be had again."""

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The values of some rows, as an array of the kind that was packed."""


@dataclass(frozen=True, slots=True)
class _AsIs:
    """Values that nothing smaller stands for."""

    values: ColumnValues

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        return self.values[rows]


@dataclass(frozen=True, slots=True)
class _Narrow:
    """Whole numbers in fewer bytes than their own kind has."""

    values: ColumnValues
    kind: np.dtype[np.generic]

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        return self.values[rows].astype(self.kind)


@dataclass(frozen=True, slots=True)
class _Coded:
    """Each value's place among the distinct ones."""

    codes: ColumnValues
    distinct: ColumnValues

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        return self.distinct[self.codes[rows]]


@dataclass(frozen=True, slots=True)
class _OfOneLength:
    """Texts of plain characters, all of one length."""

    texts: npt.NDArray[np.bytes_]

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        texts: ColumnValues = self.texts[rows].astype(np.str_)
        return texts.astype(object)


@dataclass(frozen=True, slots=True)
class _InARow:
    """The bytes of all texts, and where each begins and ends; None ends before it begins."""

    data: bytes
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        starts = self.starts[rows].tolist()
        ends = self.ends[rows].tolist()
        data = self.data
        texts: ColumnValues = np.empty(len(starts), dtype=object)
        texts[:] = [
            data[start:end].decode("utf-8", "surrogatepass") if end >= start else None
            for start, end in zip(starts, ends, strict=True)
        ]
        return texts


class PackedColumns(Mapping[str, ColumnValues]):
    """A table's columns; one that is asked for is unpacked, and kept so until `close`."""

    def __init__(self, columns: Mapping[str, ColumnValues]) -> None:
        self._packed = {name: packed(values) for name, values in columns.items()}
        self._open: dict[str, ColumnValues] = {}

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

    def at_rows(self, rows: PickedRows) -> dict[str, ColumnValues]:
        """The columns of some rows alone; none of them is kept."""
        return {name: self.column_at(name, rows) for name in self._packed}

    def column_at(self, name: str, rows: PickedRows) -> ColumnValues:
        """One column in some rows."""
        return self._packed[name].at_rows(rows)

    def close(self) -> None:
        """Lets go of all that is unpacked; whoever holds some of it keeps that."""
        self._open.clear()


def packed(values: ColumnValues) -> PackedColumn:
    """The column in the form that takes the least room."""
    if values.dtype == object:
        return _packed_texts(values)
    if values.dtype.kind in "iu" and len(values):
        narrow = np.promote_types(
            np.min_scalar_type(values.min()), np.min_scalar_type(values.max())
        )
        if narrow.itemsize < values.itemsize:
            return _Narrow(values.astype(narrow), values.dtype)
    return _AsIs(values)


def _packed_texts(values: ColumnValues) -> PackedColumn:
    """Texts packed; other objects stay, since equal ones may be of different kinds (1 and True)."""
    listed = values.tolist()
    kinds = set(map(type, listed))
    if not kinds <= {str, type(None)}:
        return _AsIs(values)
    seen = dict.fromkeys(listed)
    if len(seen) * LEAST_REPEATS <= len(listed):
        places = {value: place for place, value in enumerate(seen)}
        kind = np.min_scalar_type(len(places))
        codes = np.fromiter(map(places.__getitem__, listed), dtype=kind, count=len(listed))
        distinct = np.empty(len(places), dtype=object)
        distinct[:] = list(places)
        return _Coded(codes, distinct)
    if kinds == {str} and len(set(map(len, listed))) == 1 and all(map(str.isascii, listed)):
        return _OfOneLength(np.array(listed, dtype=np.bytes_))
    return _packed_in_a_row(listed)


def _packed_in_a_row(texts: list[str | None]) -> PackedColumn:
    pieces = [b"" if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    missing = np.fromiter((text is None for text in texts), dtype=bool, count=len(texts))
    return _InARow(b"".join(pieces), starts, np.where(missing, -1, ends))
