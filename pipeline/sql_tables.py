"""Object types as tables of a SQLite file: their columns, rows and indexes.

Knows nothing of where the rows come from, be it an org that is made or the files that hold one.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pipeline.atomic import building
from pipeline.manifest import ORG_FORMAT
from schemas.field import Field
from schemas.object_type import ObjectType

SQL_TYPES = {"integer": "INTEGER", "number": "REAL", "boolean": "INTEGER"}
ColumnValue = str | int | float | None


def write_tables(
    objects: Sequence[ObjectType],
    rows: Callable[[ObjectType], Iterator[tuple[ColumnValue, ...]]],
    path: Path,
) -> None:
    """Writes the rows of object types into a new file, the same bytes wherever they come from."""
    with building(path) as db:
        db.execute(f"PRAGMA user_version = {ORG_FORMAT}")
        for item in objects:
            db.execute(create_table(item))
        for item in objects:
            fill_table(db, item.name, [field.name for field in item.fields], rows(item))
        for item in objects:
            for field in item.references:
                index_column(db, item.name, field.name)


def create_table(item: ObjectType) -> str:
    """The CREATE TABLE of an object type.

    `Id` is its key; references name the tables that they lead to.
    """
    columns = []
    for field in item.fields:
        kind = SQL_TYPES.get(field.type, "TEXT")
        columns.append(f'"{field.name}" {kind}{_constraint(field)}')
    return f'CREATE TABLE "{item.name}" ({", ".join(columns)})'


def _constraint(field: Field) -> str:
    if field.name == "Id":
        return " PRIMARY KEY NOT NULL"
    return f' REFERENCES "{field.reference}"("Id")' if field.reference else ""


def index_column(db: sqlite3.Connection, table: str, column: str) -> None:
    """Creates the index of a column of references."""
    db.execute(f'CREATE INDEX "{table}.{column}" ON "{table}" ("{column}")')


def fill_table(
    db: sqlite3.Connection,
    name: str,
    columns: Sequence[str],
    rows: Iterator[tuple[ColumnValue, ...]],
) -> None:
    """Writes rows into a table, in their order."""
    places = ", ".join("?" * len(columns))
    db.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)
