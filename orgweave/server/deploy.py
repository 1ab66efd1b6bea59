"""The files that a changing server works on: a private copy of an org, or an org that is empty.

They lie in a temp folder and go when serving ends. An empty org has the tables of a deployed schema
and only the records that every new org has: its Organization (with another id each time), profiles,
a user who loads, and the standard price book, which isn't active yet.
"""

import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from orgweave.crm.facts import Catalog, shipped
from orgweave.server.writing.filling import MARKER
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import building
from pipeline.private_folder import private_folder
from pipeline.sql_tables import create_table
from pipeline.world.ids import make_ids
from schemas.errors import StorageFailed
from schemas.model import Schema
from schemas.object_type import ObjectType

FAR_END = 62**4
"""Where the ids of these records begin: far from 1, from where the server counts its own."""
USE = "serve"
"""Tells these private folders from those of other commands."""
ORGANIZATION = "Organization"


@contextmanager
def copied(org_sqlite: Path) -> Iterator[Path]:
    """A copy of an org's file; raises StorageFailed where there is no space for it."""
    with private_folder(USE) as folder:
        path = folder / org_sqlite.name
        try:
            shutil.copyfile(org_sqlite, path)
        except OSError as error:
            raise StorageFailed(
                f"{org_sqlite}: can't be copied ({error.strerror}); check the space of the temp"
                " folder"
            ) from error
        yield path


@contextmanager
def emptied(schema: Schema, company: str) -> Iterator[Path]:
    """A file with the tables of a deployed schema and the records that every new org has.

    `company` is what the org is called.
    """
    with private_folder(USE) as folder:
        path = folder / "empty.sqlite"
        with building(path) as db:
            for item in schema.objects:
                db.execute(create_table(item))
                _index(db, item)
            _furnish(db, schema, shipped(), company)
        yield path


def _index(db: sqlite3.Connection, item: ObjectType) -> None:
    """Indexes on what writing looks up: references, and custom fields without doubles."""
    for field in item.fields:
        if field.reference or (field.unique and field.name.endswith("__c")):
            index = quoted(f"{item.name}.{field.name}")
            db.execute(f"CREATE INDEX {index} ON {quoted(item.name)} ({quoted(field.name)})")


def _furnish(db: sqlite3.Connection, schema: Schema, catalog: Catalog, company: str) -> None:
    """Adds the records that every new org has; those that others refer to come first."""
    own = [item for item in schema.objects if catalog.object(item.name).comes_with]
    ours = [item for item in schema.objects if item not in own]
    ids: dict[str, str] = {}
    for item in (*own, *ours):
        records = catalog.object(item.name).records
        for place, record in enumerate(records):
            values = {name: _value(value, company, ids) for name, value in record.items()}
            # An org is known by the id of its organization, so each empty one has another.
            chance = secrets.randbelow(FAR_END) if item.name == ORGANIZATION else 0
            key = _add(db, item, values, chance + len(records) - 1 - place)
            ids[str(values.get("Name"))] = key


def _value(value: str | int, company: str, ids: Mapping[str, str]) -> SqlValue:
    """A value of the facts: `{company}` is the company's name, `@Name` the id of a record."""
    if not isinstance(value, str):
        return value
    return ids[value[1:]] if value.startswith("@") else value.replace("{company}", company)


def _add(
    db: sqlite3.Connection,
    item: ObjectType,
    values: Mapping[str, SqlValue],
    number: int,
) -> str:
    """Adds a record, as far as the object type has its fields; its id."""
    key = make_ids(item.key_prefix, 1, FAR_END + number, MARKER)[0]
    row = {"Id": key, **{name: value for name, value in values.items() if item.has(name)}}
    columns = ", ".join(map(quoted, row))
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO {quoted(item.name)} ({columns}) VALUES ({marks})", list(row.values()))
    return key
