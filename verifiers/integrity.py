"""Invariants of a finished org, tried on its SQLite file: formats, required and unique fields,
references, and the schema's own SQL.

Reads only. A damaged org never raises: what can't be tried counts as broken, with the reason.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import jsonschema_rs

from schemas.model import Field, Invariant, ObjectType, Schema

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One invariant: how many records were tried, how many break it, the ids or reasons of the
    first few.
    """

    name: str
    says: str
    tried: int
    broken: int
    examples: tuple[str, ...] = ()


def verify_org(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """A finding for every invariant of the schema."""
    for item in schema.objects:
        yield _guarded(
            f"{item.name}.format",
            f"Every {item.name} is of its JSON Schema's form.",
            partial(_formats, db, item),
        )
    for item in schema.objects:
        for field in item.fields:
            if field.unique or field.name == "Id":
                yield _guarded(
                    f"{item.name}.{field.name}.unique",
                    f"No two {item.name} have the same {field.name}.",
                    partial(_unique, db, item, field),
                )
            for target in [field.reference] if field.reference else []:
                yield _guarded(
                    f"{item.name}.{field.name}.resolves",
                    f"Every {item.name}.{field.name} is the id of a {target}.",
                    lambda i=item, f=field: _resolves(db, i, f, str(f.reference)),  # type: ignore[misc]
                )
            if field.holds_ids and schema.has(field.holds_ids):
                yield _guarded(
                    f"{item.name}.{field.name}.resolves",
                    f"Every {item.name}.{field.name} is empty or the id of a {field.holds_ids}.",
                    lambda i=item, f=field: _resolves(db, i, f, str(f.holds_ids)),  # type: ignore[misc]
                )
    for rule in schema.invariants:
        yield _guarded(rule.name, rule.says, lambda rule=rule: _sql(db, rule))  # type: ignore[misc]


Tried = tuple[int, int, tuple[str, ...]]


def _guarded(name: str, says: str, attempt: Callable[[], Tried]) -> Finding:
    try:
        return Finding(name, says, *attempt())
    except (sqlite3.Error, ValueError, TypeError) as error:
        return Finding(name, says, 0, 1, (f"can't be tried: {error}",))


def _sql(db: sqlite3.Connection, rule: Invariant) -> Tried:
    broken = [str(row[0]) for row in db.execute(rule.broken)]
    return int(db.execute(rule.tried).fetchone()[0]), len(broken), tuple(broken[:EXAMPLES])


def _formats(db: sqlite3.Connection, item: ObjectType) -> Tried:
    validator = jsonschema_rs.Draft202012Validator(record_schema(item), validate_formats=True)
    names = [field.name for field in item.fields]
    kinds = {field.name: field.type for field in item.fields if field.type in ("boolean", "array")}
    columns = ", ".join(
        f'a."{name}"' for name in names
    )  # SQLite takes a bare quoted name that is no column for a text
    tried, broken = 0, []
    for row in db.execute(f'SELECT {columns} FROM "{item.name}" a'):
        tried += 1
        record = _record(dict(zip(names, row, strict=True)), kinds)
        if not validator.is_valid(record):
            broken.append(
                f"{record.get('Id')}: {next(iter(validator.iter_errors(record))).message[:120]}"
            )
    return tried, len(broken), tuple(broken[:EXAMPLES])


def record_schema(item: ObjectType) -> dict[str, object]:
    """The JSON Schema of a stored record; datetimes are the CRM's,
    with milliseconds and `+0000`.
    """
    properties = {field.name: _stored(field) for field in item.fields}
    return {
        "type": "object",
        "properties": properties,
        "required": [field.name for field in item.fields if field.required],
    }


def _stored(field: Field) -> dict[str, object]:
    schema = dict(field.json_schema)
    if schema.get("format") == "date-time":
        del schema["format"]
        schema["pattern"] = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$"
    return schema


def _record(row: dict[str, object], kinds: Mapping[str, str]) -> dict[str, object]:
    for name, kind in kinds.items():
        value = row[name]
        if kind == "boolean" and value in (0, 1):
            row[name] = bool(value)
        elif kind == "array" and isinstance(value, str):
            row[name] = json.loads(value)
    return row


def _unique(db: sqlite3.Connection, item: ObjectType, field: Field) -> Tried:
    rows = db.execute(
        f'SELECT a."{field.name}", count(*) FROM "{item.name}" a GROUP BY a."{field.name}" COLLATE'
        " NOCASE HAVING count(*) > 1"
    ).fetchall()
    broken = (
        sum(row[1] - 1 for row in rows)
        if field.name != "Id"
        else sum(row[1] - 1 for row in _exact_ids(db, item))
    )
    return _size(db, item), broken, tuple(str(row[0]) for row in rows[:EXAMPLES]) if broken else ()


def _exact_ids(db: sqlite3.Connection, item: ObjectType) -> list[tuple[str, int]]:
    return db.execute(
        f'SELECT Id, count(*) FROM "{item.name}" GROUP BY Id HAVING count(*) > 1'
    ).fetchall()


def _resolves(db: sqlite3.Connection, item: ObjectType, field: Field, target: str) -> Tried:
    empty = "" if field.holds_ids else f'OR (a."{field.name}" IS NULL)'
    rows = db.execute(
        f'SELECT a.Id FROM "{item.name}" a LEFT JOIN "{target}" b ON b.Id = a."{field.name}" WHERE'
        f' (b.Id IS NULL AND a."{field.name}" IS NOT NULL) {empty}'
    ).fetchall()
    return _size(db, item), len(rows), tuple(str(row[0]) for row in rows[:EXAMPLES])


def _size(db: sqlite3.Connection, item: ObjectType) -> int:
    return int(db.execute(f'SELECT count(*) FROM "{item.name}"').fetchone()[0])
