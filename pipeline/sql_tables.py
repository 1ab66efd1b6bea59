"""Object types as tables of a SQLite file: their columns, rows and indexes.

Knows nothing of where the rows come from, be it an org that is made or the files that hold one.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pipeline.atomic import building
from pipeline.manifest import ORG_FORMAT
from schemas.field import Field
from schemas.graph import word_levels
from schemas.model import Schema
from schemas.object_type import ObjectType

SQL_TYPES = {"integer": "INTEGER", "number": "REAL", "boolean": "INTEGER"}
ColumnValue = str | int | float | None


def write_tables(
    schema: Schema,
    rows: Callable[[ObjectType], Iterator[tuple[ColumnValue, ...]]],
    path: Path,
) -> None:
    """Writes the rows of object types into a new file, the same bytes wherever they come from."""
    with building(path) as db:
        begin_tables(db, schema)
        for item in filing_order(schema):
            add_table(db, item, rows(item))


def filing_order(schema: Schema) -> list[ObjectType]:
    """Object types in the order in which their rows are written: those first that need no words,
    so that a run that waits for words writes them meanwhile.
    """
    levels = word_levels(schema)
    return sorted(schema.objects, key=lambda item: levels[item.name])


def begin_tables(db: sqlite3.Connection, schema: Schema) -> None:
    """Makes the empty tables of all object types in a new file."""
    db.execute(f"PRAGMA user_version = {ORG_FORMAT}")
    for item in schema.objects:
        db.execute(create_table(item))


def add_table(
    db: sqlite3.Connection, item: ObjectType, rows: Iterator[tuple[ColumnValue, ...]]
) -> None:
    """Writes an object type's rows, and the indexes of its references."""
    fill_table(db, item.name, [field.name for field in item.fields], rows)
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
