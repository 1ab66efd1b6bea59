"""An org's tables as SQLite files: the org, a table an object type under API names, and apart from
it the hidden truth.

The same tables give the same bytes. Knows no folder; `pipeline.run_folder` does.
"""

import json
import sqlite3
from collections.abc import Iterator

import numpy as np

from pipeline.sql_tables import ColumnValue, fill_table, index_column
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table
from schemas.field import Field
from schemas.graph import word_levels
from schemas.object_type import ObjectType

# Ids that are unpacked once, five megabytes at most. To make a text of each reference anew takes
# twenty times as long, and the next ones miss it in the processor's cache.
KEPT_IDS = 65_536
NUMPY_SQL_TYPES = {"i": "INTEGER", "u": "INTEGER", "b": "INTEGER", "f": "REAL"}


def latent_tables(org: Org) -> list[str]:
    """The tables of hidden causes in the order in which they are written: those first whose
    references need no words, so that they are written while a run waits for words.
    """
    levels = word_levels(org.setting.schema)

    def place(name: str) -> tuple[int, str]:
        # A trade without meters has no readings, and the table of them is empty.
        referred = org.tables[name].references.values()
        return max((levels.get(target, 0) for target in referred), default=0), name

    return sorted(set(org.tables) - levels.keys(), key=place)


def add_latent(org: Org, db: sqlite3.Connection, name: str) -> None:
    """Writes a latent table, named `"<Variable>.<table>"`.

    References are ids, so that the table can be joined to the org's records.
    """
    table = org.tables[name]
    columns = []
    for column, values in table.part(slice(0)).columns.items():
        kind = _latent_type(table, column, values)
        columns.append(f'"{column}" {kind}')
    db.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
    fill_table(db, name, list(table.columns), _latent_rows(org, table))
    for column in table.references:
        index_column(db, name, column)


def rows_of(org: Org, item: ObjectType) -> Iterator[tuple[ColumnValue, ...]]:
    """An object type's records as SQLite values, in row order."""
    for block in org.table(item.name).blocks():
        columns = [values_of(org, block, field) for field in item.fields]
        yield from zip(*columns, strict=True)


def values_of(org: Org, table: Table, field: Field) -> list[ColumnValue]:
    """One column as SQLite values: references as ids, dates in the CRM's format, lists as JSON."""
    values = table[field.name]
    if values.dtype.kind in "iu" and field.name in table.references:
        return _ids(org, table.references[field.name], values)
    return own_values(values, field)


def own_values(values: Array, field: Field) -> list[ColumnValue]:
    """The same of a column that holds no row numbers of another table."""
    if field.type == "array":
        return [None if value is None else json.dumps([value]) for value in values]
    return plain_values(values, field.type)


def plain_values(values: Array, kind: str = "") -> list[ColumnValue]:
    """Numpy values as SQLite's.

    Datetimes are written as `2022-03-01T09:30:00.000+0000`, dates as `2022-03-01`, NaT as None.
    """
    if values.dtype.kind == "M":
        return _dates(values)
    if values.dtype.kind == "b" or kind == "boolean":
        return [None if value is None else int(bool(value)) for value in values]
    return list(values.tolist())


def _dates(values: Array) -> list[ColumnValue]:
    unit = np.datetime_data(values.dtype)[0]
    if unit in ("D", "M", "Y"):
        texts, ending = np.datetime_as_string(values), ""
    else:
        texts, ending = np.datetime_as_string(values.astype("datetime64[s]")), ".000+0000"
    empty = np.isnat(values)
    dates: list[ColumnValue] = []
    for text, missing in zip(texts.tolist(), empty.tolist(), strict=True):
        dates.append(None if missing else f"{text}{ending}")
    return dates


def _ids(org: Org, name: str, rows: Array) -> list[ColumnValue]:
    """The ids of a table's rows, None for no row."""
    target = org.table(name)
    there = rows != NONE
    if there.all():
        return list(_ids_at(target, rows).tolist())
    ids = np.empty(len(rows), dtype=object)
    ids[there] = _ids_at(target, rows[there])
    return list(ids.tolist())


def _ids_at(target: Table, rows: Array) -> Array:
    """The ids of some rows; those of a small table are unpacked once, for all that refer to it."""
    return target["Id"][rows] if target.size <= KEPT_IDS else target.at_rows("Id", rows)


def _latent_type(table: Table, column: str, values: Array) -> str:
    """The column's type; a reference is kept as an id, which is a text.

    SQLite doesn't use an index where a text is compared with a column of numbers.
    """
    if column in table.references:
        return "TEXT"
    return NUMPY_SQL_TYPES.get(values.dtype.kind, "TEXT")


def _latent_rows(org: Org, table: Table) -> Iterator[tuple[ColumnValue, ...]]:
    for block in table.blocks():
        columns = []
        for name, values in block.columns.items():
            target = table.references.get(name)
            if target:
                columns.append(_ids(org, target, values))
            else:
                columns.append(plain_values(values))
        yield from zip(*columns, strict=True)
