"""The tables of all shards as one SQLite file: that of the org, and that of its hidden causes.

Rows stand in the order of the shards. What all have in common is taken from the first. Rows go from
file to file one by one, so that they take no room here. Knows nothing of what rows mean.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from latent.in_common import COMMON_TABLES, ROW_NUMBERS
from pipeline.atomic import building
from pipeline.manifest import LATENT_FORMAT
from pipeline.run_folder import sqlite_uri
from pipeline.sql_tables import ColumnValue, index_column, write_tables
from pipeline.world.tables import NONE
from schemas.model import Schema
from schemas.object_type import ObjectType

ColumnTypes = Mapping[str, str]
"""The columns of a table with their types in SQLite."""

INDEXES = """
    SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid
"""


def join_org(
    schema: Schema,
    shards: Sequence[Path],
    common: frozenset[str],
    path: Path,
) -> None:
    """Writes the org of the shards' own files, as it is written where it is built of its parts."""

    def rows(item: ObjectType) -> Iterator[tuple[ColumnValue, ...]]:
        for shard in shards[:1] if item.name in common else shards:
            with closing(sqlite3.connect(sqlite_uri(shard, "ro"), uri=True)) as db:
                yield from db.execute(f'SELECT * FROM "{item.name}" ORDER BY rowid')

    write_tables(schema, rows, path)


def join_latent(shards: Sequence[Path], path: Path, first: int) -> dict[str, int]:
    """Writes the hidden causes of the shards' own files; returns how many rows of each table the
    `first` so many shards have.

    A row number of a table is counted on by the rows that earlier shards have there.
    """
    of_first: dict[str, int] = {}
    tables: dict[str, dict[str, str]] = {}
    for shard in shards:
        _add_columns(tables, shard)
    with building(path) as db:
        db.execute(f"PRAGMA user_version = {LATENT_FORMAT}")
        for name, columns in tables.items():
            told = [f'"{column}" {kind}' for column, kind in columns.items()]
            db.execute(f'CREATE TABLE "{name}" ({", ".join(told)})')
        for number, shard in enumerate(shards, start=1):
            _append_latent(db, shard, tables)
            if number == first:
                of_first = _sizes(db, tables)
        for name, column in _indexed(shards[0]):
            index_column(db, name, column)
    return of_first


def _append_latent(
    db: sqlite3.Connection,
    shard: Path,
    tables: Mapping[str, ColumnTypes],
) -> None:
    """Adds the rows of a shard's tables; of a common one, those that aren't there yet."""
    rows = _sizes(db, tables)
    with _beside(db, shard):
        for name, columns in tables.items():
            if name in COMMON_TABLES and rows[name]:
                _append_new(db, name)
            else:
                values = [_value(name, column, rows) for column in columns]
                _append(db, name, ", ".join(values))


def _append(db: sqlite3.Connection, name: str, values: str) -> None:
    """Adds these values of each row of a shard's table."""
    db.execute(
        f"""
        INSERT INTO main."{name}"
        SELECT {values}
        FROM shard."{name}" s
        ORDER BY s.rowid
        """
    )


def _append_new(db: sqlite3.Connection, name: str) -> None:
    """Adds the rows of a shard's table that aren't there yet."""
    db.execute(
        f"""
        INSERT INTO main."{name}"
        SELECT * FROM shard."{name}"
        EXCEPT
        SELECT * FROM main."{name}"
        """
    )


@contextmanager
def _beside(db: sqlite3.Connection, shard: Path) -> Iterator[None]:
    """For what reads a shard's file under the name `shard`."""
    db.commit()
    db.execute("ATTACH DATABASE ? AS shard", (sqlite_uri(shard, "ro"),))
    try:
        yield
        db.commit()
    finally:
        db.execute("DETACH DATABASE shard")


def _add_columns(tables: dict[str, dict[str, str]], shard: Path) -> None:
    """Adds the columns of a shard's tables.

    One that is empty in a shard is a text there; it is a number where another shard has numbers.
    """
    db = sqlite3.connect(sqlite_uri(shard, "ro"), uri=True)
    try:
        names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
        for (name,) in names.fetchall():
            known = tables.setdefault(name, {})
            for row in db.execute(f'PRAGMA table_info("{name}")'):
                column, kind = row[1], row[2]
                if known.get(column, "TEXT") == "TEXT":
                    known[column] = kind
    finally:
        db.close()


def _indexed(shard: Path) -> list[tuple[str, str]]:
    """The columns that have an index, with their tables, in the order in which they got it."""
    db = sqlite3.connect(sqlite_uri(shard, "ro"), uri=True)
    try:
        return [(table, name.removeprefix(f"{table}.")) for name, table in db.execute(INDEXES)]
    finally:
        db.close()


def _sizes(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    """How many rows there are by now."""
    sizes = {}
    for name in names:
        (sizes[name],) = db.execute(f'SELECT count(*) FROM main."{name}"').fetchone()
    return sizes


def _value(name: str, column: str, rows: Mapping[str, int]) -> str:
    """What a column's value becomes in the joined table, as SQL."""
    target = ROW_NUMBERS.get((name, column), "")
    before = rows.get(target, 0)
    own = f's."{column}"'
    if not before:
        return own
    return f"CASE WHEN {own} = {NONE} THEN {own} ELSE {own} + {before} END"
