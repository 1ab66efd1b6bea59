"""Records as columns: a Table is a name, a number of rows, and numpy arrays of that length.

A column of references holds row numbers of the other table, and NONE where there is no record.
Object types are named as in the schema (`Case`), latent tables by variable and name
(`CaseStory.cases`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.world.packed import PackedColumns
from pipeline.world.packed_column import PackedColumn, PickedRows
from schemas.errors import RunFailed

Array = npt.NDArray[Any]

# Rows written at once: as Python objects those of the widest table take some megabytes.
BLOCK = 4096

NONE = -1
"""The row number of no record. Whole numbers have no other value that could say it."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of `size` values each.

    `references` names the columns that refer to records: column -> name of the other table.
    """

    name: str
    size: int
    columns: Mapping[str, Array]
    references: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, column: str) -> Array:
        try:
            return self.columns[column]
        except KeyError:
            known = ", ".join(self.columns)
            raise RunFailed(f"table {self.name} has no column {column}; it has {known}") from None

    def packed(self) -> "Table":
        """The same table in little room, to be kept while others are drawn."""
        return self if isinstance(self.columns, PackedColumns) else self.packed_anew()

    def packed_anew(self) -> "Table":
        """The same table packed, to which columns may be added: this one stays as it is."""
        return replace(self, columns=PackedColumns(self.columns))

    def put(self, name: str, values: Array) -> None:
        """Adds a column to a packed table."""
        self._own().put(name, values)

    def in_order(self, names: Sequence[str]) -> "Table":
        """A packed table with these columns alone, in this order."""
        return replace(self, columns=self._own().in_order(names))

    def share(self, known: dict[bytes, PackedColumn]) -> None:
        """Has equal columns of packed tables stand for one another; see `PackedColumns.share`."""
        self._own().share(known)

    def close(self) -> None:
        """Lets go of the columns of a packed table that were looked at."""
        if isinstance(self.columns, PackedColumns):
            self.columns.close()

    def _own(self) -> PackedColumns:
        if not isinstance(self.columns, PackedColumns):
            raise RunFailed(f"table {self.name} is not packed")
        return self.columns

    def at_rows(self, column: str, rows: Array) -> Array:
        """The values of a column in some rows; of a packed table no others are unpacked."""
        if isinstance(self.columns, PackedColumns):
            return self.columns.column_at(column, rows)
        return self[column][rows]

    def part(self, rows: PickedRows) -> "Table":
        """Some rows alone, as a table of their own."""
        if isinstance(self.columns, PackedColumns):
            columns = self.columns.at_rows(rows)
        else:
            columns = {name: values[rows] for name, values in self.columns.items()}
        size = len(range(self.size)[rows]) if isinstance(rows, slice) else len(rows)
        return replace(self, size=size, columns=columns)

    def blocks(self) -> Iterator["Table"]:
        """The rows in their order, a few thousand at a time."""
        for start in range(0, self.size, BLOCK):
            yield self.part(slice(start, start + BLOCK))


def table(name: str, references: Mapping[str, str] | None = None, /, **columns: Array) -> Table:
    """A Table of the given columns; raises RunFailed where their lengths differ."""
    lengths = {column: len(values) for column, values in columns.items()}
    sizes = set(lengths.values())
    if len(sizes) > 1:
        raise RunFailed(f"table {name}: columns differ in length: {lengths}")
    size = sizes.pop() if sizes else 0
    return Table(name, size, columns, references or {})


def moments(values: Sequence[datetime | None]) -> Array:
    """A column of moments to the second; None is no moment."""
    known = [value or np.datetime64("NaT") for value in values]
    return np.array(known, dtype="datetime64[s]")


def strings(values: list[str]) -> Array:
    """Texts as an array of Python objects: numpy's own text type would cut or pad them."""
    return objects(values)


def repeated(values: Iterable[str]) -> Array:
    """Texts of which few are different, as `strings` has them: equal ones are one object."""
    known: dict[str, str] = {}
    return objects([known.setdefault(text, text) for text in values])


def objects(values: Sequence[object]) -> Array:
    """Any values as an array of Python objects, each with its own type."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
