"""The private copy that `serve --writable` changes, and the empty org that a loader fills: files in
a temp folder, gone when serving ends.

An empty org has what every real one has and our schema doesn't draw: its Organization (another each
time), profiles and a user, the
standard price book (still inactive), `User.ProfileId` and `User.UserType`, `LiveChatVisitor`, and
on every object type the external id
field that was asked for. What it is to lack, as an org without some licence does, it lacks.
"""

import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from orgweave.server.filling import MARKER
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import building
from pipeline.store import create_table
from pipeline.world.ids import make_ids
from schemas.errors import BadInput, StorageFailed
from schemas.model import Count, Field, ObjectType, Schema
from schemas.sources import ConstantSource, IdSource, ReferenceSource, Source

ADMIN: dict[str, SqlValue] = {
    "LastName": "Loader",
    "Name": "Loader",
    "Email": "loader@crm.example",
    "Username": "loader@crm.example",
    "Alias": "loader",
    "TimeZoneSidKey": "America/Los_Angeles",
    "LocaleSidKey": "en_US",
    "LanguageLocaleKey": "en_US",
    "EmailEncodingKey": "UTF-8",
    "IsActive": 1,
    "UserType": "Standard",
}
TEXT = {"type": "string"}


@contextmanager
def copied(org_sqlite: Path) -> Iterator[Path]:
    """A copy of an org's file; raises StorageFailed where there is no space for it."""
    with _folder() as folder:
        try:
            yield Path(shutil.copyfile(org_sqlite, folder / org_sqlite.name))
        except shutil.Error as error:
            raise StorageFailed(
                f"{org_sqlite}: can't be copied ({error}); check the space of the temp folder"
            ) from error


@contextmanager
def emptied(schema: Schema) -> Iterator[Path]:
    """A file with the tables of a schema that `deployed` made,
    and only what every org has in them.
    """
    with _folder() as folder:
        path = folder / "empty.sqlite"
        with building(path) as db:
            for item in schema.objects:
                db.execute(create_table(item))
                for field in item.fields:
                    if field.reference or (field.unique and field.name.endswith("__c")):
                        db.execute(
                            f"CREATE INDEX {quoted(f'{item.name}.{field.name}')} ON"
                            f" {quoted(item.name)} ({quoted(field.name)})"
                        )
            _furnish(db, schema)
        yield path


def deployed(schema: Schema, external_id: str = "", without: Sequence[str] = ()) -> Schema:
    """The schema as an org has it once it is set up: the CRM's own object types and fields beside
    ours.

    `without` names object types and fields (`ProductCatalog`, `Case.IssueId__c`) that this org
    hasn't got; references to such an object
    type go with it.
    """
    if external_id and not (
        external_id.endswith("__c")
        and external_id.removesuffix("__c").replace("_", "").isalnum()
        and external_id.isascii()
    ):
        raise BadInput(
            f"--external-id {external_id}: a custom field's name has letters, digits and"
            " underscores and ends in __c, such as Synth_Id__c"
        )
    lacked = frozenset(without)
    if unknown := [name for name in without if not _has(schema, name)]:
        raise BadInput(
            f"--without {unknown[0]}: schema {schema.name} has no such object type or field; write"
            " Object or Object.Field"
        )
    objects = [
        _extended(_shortened(schema, item, lacked), external_id)
        for item in schema.objects
        if item.name not in lacked
    ]
    if schema.has("User"):
        objects.append(_object("Profile", "00e", (_field("Name", TEXT),)))
        objects.append(_object("Organization", "00D", (_field("Name", TEXT),)))
    if schema.has("LiveChatTranscript") and "LiveChatTranscript" not in lacked:
        objects.append(_object("LiveChatVisitor", "5kk", ()))
    return replace(schema, objects=tuple(objects))


def _has(schema: Schema, name: str) -> bool:
    item, _, field = name.partition(".")
    return schema.has(item) and (not field or schema.object(item).has(field))


def _shortened(schema: Schema, item: ObjectType, lacked: frozenset[str]) -> ObjectType:
    """An object type without the fields that are lacked, or lead to what is."""
    return replace(
        item,
        fields=tuple(
            field
            for field in item.fields
            if f"{item.name}.{field.name}" not in lacked
            and schema.target(item, field) not in lacked
        ),
    )


def _extended(item: ObjectType, external_id: str) -> ObjectType:
    more = []
    if item.name == "User":
        more.append(_field("ProfileId", TEXT, ReferenceSource(reference="Profile")))
        more.append(replace(_field("UserType", TEXT), createable=False))
    if item.name == "LiveChatTranscript":
        more.append(_field("LiveChatVisitorId", TEXT, ReferenceSource(reference="LiveChatVisitor")))
    if external_id and not item.has(external_id):
        more.append(_field(external_id, {"type": "string", "maxLength": 64}, unique=True))
    return replace(item, fields=(*item.fields, *more))


def _field(
    name: str, form: Mapping[str, object], source: Source | None = None, unique: bool = False
) -> Field:
    return Field(name, form, source or ConstantSource(constant=None), required=False, unique=unique)


def _object(name: str, prefix: str, fields: tuple[Field, ...]) -> ObjectType:
    key = Field("Id", TEXT, IdSource(id=True), required=True, createable=False)
    return ObjectType(name, name, f"The CRM's own {name}.", prefix, Count(number=0), (key, *fields))


def _furnish(db: sqlite3.Connection, schema: Schema) -> None:
    """The records that every org has."""
    if schema.has("User"):
        _add(db, schema.object("Organization"), {"Name": schema.name}, secrets.randbelow(62**4))
        _add(db, schema.object("Profile"), {"Name": "Standard User"}, 1)
        profile = _add(db, schema.object("Profile"), {"Name": "System Administrator"})
        _add(db, schema.object("User"), {**ADMIN, "ProfileId": profile})
    if schema.has("Pricebook2"):
        _add(
            db,
            schema.object("Pricebook2"),
            {"Name": "Standard Price Book", "IsActive": 0, "IsStandard": 1},
        )


def _add(
    db: sqlite3.Connection, item: ObjectType, values: dict[str, SqlValue], number: int = 0
) -> str:
    """A record whose id counts from the far end, away from those that the server gives out."""
    key = str(make_ids(item.key_prefix, 1, 62**4 + number, MARKER)[0])
    row = {"Id": key, **{name: value for name, value in values.items() if item.has(name)}}
    db.execute(
        f"INSERT INTO {quoted(item.name)} ({', '.join(map(quoted, row))}) VALUES"
        f" ({', '.join('?' * len(row))})",
        list(row.values()),
    )
    return key


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="orgweave-serve-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
