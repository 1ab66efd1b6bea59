"""The private copy that is explored: the org's tables with a label a record, its references
declared, indexes, full-text search.

The org's own file is opened read-only and stays as it is; the copy lies in a temp folder and is
gone when exploring ends.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from orgweave.crm.build import crm_objects
from orgweave.crm.field import LISTS, CrmField, CrmObject
from orgweave.explore.labels import label_sql
from orgweave.explore.measure import measured
from orgweave.explore.views import ObjectView, object_view
from orgweave.soql.sql import quoted
from pipeline.graph import in_order
from pipeline.manifest import ORG_FORMAT, check_format
from pipeline.private_folder import private_folder
from pipeline.run_folder import ORG_FILE, sqlite_uri, unreadable, user_version
from pipeline.sql_tables import SQL_TYPES
from schemas.errors import StorageFailed
from schemas.model import Schema

LABEL = "Label"
USE = "explore"
"""Tells these private folders from those of other commands."""
TOKENS = "porter unicode61 remove_diacritics 2"


@contextmanager
def copied(org_sqlite: Path, schema: Schema) -> Iterator[tuple[Path, Mapping[str, ObjectView]]]:
    """The copy's path and the object types in the order of the plan.

    Raises StorageFailed where the file can't be read, BadInput where it is of a newer format.
    """
    with private_folder(USE) as folder:
        path = folder / ORG_FILE
        try:
            kinds = _built(org_sqlite, path, schema)
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise unreadable(org_sqlite, error) from error
            raise StorageFailed(
                f"{org_sqlite}: can't be copied ({error}); is it the {ORG_FILE} of a finished run"
                " of this schema, and is there space in the temp folder?"
            ) from error
        yield path, kinds


def search_table(kind: ObjectView) -> str:
    """The full-text index of an object type's table."""
    return f"{kind.name}_fts"


def _built(org_sqlite: Path, path: Path, schema: Schema) -> Mapping[str, ObjectView]:
    with closing(sqlite3.connect(sqlite_uri(path, "rwc"), uri=True, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("ATTACH ? AS org", (sqlite_uri(org_sqlite, "ro"),))
        check_format(org_sqlite, user_version(db, "org"), ORG_FORMAT)
        db.execute("BEGIN")
        objects = crm_objects(schema)
        names = [name for name in in_order(schema) if schema.has(name)]
        kinds = {
            name: _table(db, schema, objects[name.lower()], place)
            for place, name in enumerate(names)
        }
        for kind in kinds.values():
            _indexes(db, kind)
        db.execute("COMMIT")
        return kinds


def _table(db: sqlite3.Connection, schema: Schema, crm_object: CrmObject, place: int) -> ObjectView:
    """Copies a table, each record with its label."""
    item = schema.object(crm_object.name)
    columns = []
    for field in item.fields:
        kind = SQL_TYPES.get(field.type, "TEXT")
        columns.append(f"{quoted(field.name)} {kind}{_constraint(crm_object.field(field.name))}")
    table = quoted(item.name)
    db.execute(f"CREATE TABLE {table} ({', '.join(columns)}, {LABEL} TEXT)")
    names = ", ".join(f"t.{quoted(field.name)}" for field in item.fields)
    label = label_sql(schema, item, "org")
    copying = f"INSERT INTO {table} SELECT {names}, {label} FROM org.{table} AS t"
    records = db.execute(copying).rowcount
    return object_view(schema, crm_object, measured(db, item), records, place)


def _constraint(field: CrmField) -> str:
    """Datasette takes a declared reference for a link, and so are copied ones and ids in texts."""
    if field.type == "id":
        return " PRIMARY KEY NOT NULL"
    target = field.target if field.holds_ids in ("", "*") else field.holds_ids
    return f' REFERENCES {quoted(target)}("Id")' if target and field.type not in LISTS else ""


def _indexes(db: sqlite3.Connection, kind: ObjectView) -> None:
    for column in kind.columns:
        if (column.targets and not column.many) or column.name == kind.date:
            db.execute(
                f"CREATE INDEX {quoted(f'{kind.name}.{column.name}')} ON {quoted(kind.name)}"
                f" ({quoted(column.name)})"
            )
    if kind.words:
        table = quoted(search_table(kind))
        db.execute(
            f"CREATE VIRTUAL TABLE {table} USING fts5({', '.join(map(quoted, kind.words))},"
            f' content={quoted(kind.name)}, tokenize="{TOKENS}")'
        )
        db.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
