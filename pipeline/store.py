"""Tables as SQLite files: `org.sqlite` (a table an object type, API names, ids) and `latent.sqlite`
(the hidden truth, apart).

Each file is built beside its place and moved there whole, so a killed run leaves the old file or
the new one, never half of one.
The same tables give the same bytes.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table
from schemas.errors import StorageFailed
from schemas.model import Field, ObjectType

SQL_TYPES = {"integer": "INTEGER", "number": "REAL", "boolean": "INTEGER"}
ColumnValue = str | int | float | None


def write_org(org: Org, path: Path) -> None:
    """`org.sqlite`: every object type, references declared and indexed."""
    with building(path) as db:
        for item in org.setting.schema.objects:
            db.execute(create_table(item))
        for item in org.setting.schema.objects:
            _fill(db, item.name, [field.name for field in item.fields], rows_of(org, item))
        for item in org.setting.schema.objects:
            for field in item.references:
                db.execute(
                    f'CREATE INDEX "{item.name}.{field.name}" ON "{item.name}" ("{field.name}")'
                )


def write_latent(org: Org, path: Path) -> None:
    """`latent.sqlite`: every latent table as `"<Variable>.<table>"`, references as ids, joinable to
    the org's records.
    """
    objects = {item.name for item in org.setting.schema.objects}
    with building(path) as db:
        for name in sorted(set(org.tables) - objects):
            at = org.tables[name]
            columns = ", ".join(
                f'"{column}" {_sql_type(values)}' for column, values in at.columns.items()
            )
            db.execute(f'CREATE TABLE "{name}" ({columns})')
            _fill(db, name, list(at.columns), _latent_rows(org, at))
            for column in at.references:
                db.execute(f'CREATE INDEX "{name}.{column}" ON "{name}" ("{column}")')


def create_table(item: ObjectType) -> str:
    """The CREATE TABLE of an object type; `Id` is its key,
    references name the tables they lead to.
    """
    columns = [
        f'"{field.name}" {SQL_TYPES.get(field.type, "TEXT")}{_constraint(field)}'
        for field in item.fields
    ]
    return f'CREATE TABLE "{item.name}" ({", ".join(columns)})'


def rows_of(org: Org, item: ObjectType) -> Iterator[tuple[ColumnValue, ...]]:
    """An object's records as SQLite values, in row order."""
    at = org.table(item.name)
    return zip(*(values_of(org, at, field) for field in item.fields), strict=True)


def values_of(org: Org, at: Table, field: Field) -> list[ColumnValue]:
    """One column as SQLite values: references as ids, dates in the CRM's format, lists as JSON."""
    values = at[field.name]
    if values.dtype.kind in "iu" and field.name in at.references:
        return _ids(org, at.references[field.name], values)
    if field.type == "array":
        return [json.dumps([value]) for value in values]
    return plain_values(values, field.type)


def plain_values(values: Array, kind: str = "") -> list[ColumnValue]:
    """Numpy values as SQLite's; datetimes as `2022-03-01T09:30:00.000+0000`, dates as `2022-03-01`,
    NaT as None.
    """
    if values.dtype.kind == "M":
        return _dates(values)
    if values.dtype.kind == "b" or kind == "boolean":
        return [int(bool(value)) for value in values]
    return list(values.tolist())


def _dates(values: Array) -> list[ColumnValue]:
    daily = np.datetime_data(values.dtype)[0] in ("D", "M", "Y")
    texts = np.datetime_as_string(values if daily else values.astype("datetime64[s]"))
    ending = "" if daily else ".000+0000"
    empty = np.isnat(values)
    return [
        None if missing else f"{text}{ending}"
        for text, missing in zip(texts.tolist(), empty.tolist(), strict=True)
    ]


def _ids(org: Org, name: str, rows: Array) -> list[ColumnValue]:
    ids = org.table(name)["Id"]
    return [None if row == NONE else ids[row] for row in rows.tolist()]


def _latent_rows(org: Org, at: Table) -> Iterator[tuple[ColumnValue, ...]]:
    columns = [
        _ids(org, at.references[name], values) if name in at.references else plain_values(values)
        for name, values in at.columns.items()
    ]
    return zip(*columns, strict=True)


def _constraint(field: Field) -> str:
    if field.name == "Id":
        return " PRIMARY KEY NOT NULL"
    return f' REFERENCES "{field.reference}"("Id")' if field.reference else ""


def _sql_type(values: Array) -> str:
    return {"i": "INTEGER", "u": "INTEGER", "b": "INTEGER", "f": "REAL"}.get(
        values.dtype.kind, "TEXT"
    )


def _fill(
    db: sqlite3.Connection,
    name: str,
    columns: Sequence[str],
    rows: Iterator[tuple[ColumnValue, ...]],
) -> None:
    places = ", ".join("?" * len(columns))
    db.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)


@contextmanager
def building(path: Path) -> Iterator[sqlite3.Connection]:
    """A new SQLite file beside `path`, moved there when all is in it; raises StorageFailed where it
    can't be written.
    """
    draft = path.with_suffix(path.suffix + ".part")
    try:
        draft.unlink(missing_ok=True)
        db = sqlite3.connect(draft)
        try:
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            with db:
                yield db
        finally:
            db.close()
        draft.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StorageFailed(
            f"{path}: can't be written ({error}); check space and rights, then run the same command"
            " again"
        ) from error


def write_text(path: Path, chunks: Iterator[str]) -> None:
    """A text file written beside its place and moved there whole."""
    draft = path.with_suffix(path.suffix + ".part")
    try:
        with draft.open("w", encoding="utf-8") as out:
            out.writelines(chunks)
        draft.replace(path)
    except OSError as error:
        raise StorageFailed(
            f"{path}: can't be written ({error.strerror}); check space and rights, then run the"
            " same command again"
        ) from error


def write_json(path: Path, data: Mapping[str, object] | Sequence[object]) -> None:
    """A JSON file, indented, keys in the order given."""
    write_text(path, iter([json.dumps(data, indent=2, ensure_ascii=False), "\n"]))
