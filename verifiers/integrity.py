"""Invariants of a finished org, tried on its SQLite file.

These are the forms of records, required and unique fields, references, and the schema's own SQL,
which can't do anything but read (`schemas.rule_sql`). A damaged org never raises: what can't be
tried counts as broken, with the reason.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import jsonschema_rs

from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.proofs import Invariant
from schemas.rule_sql import only_reading, rules_seconds, until
from verifiers.verdict import Finding, Verdict, fail, finding_of, untried

LONGEST_REASON = 120
# A recursion without an end would fill the memory with offenders before its time is over.
MOST_BROKEN = 200_000
# Datetimes are stored as the CRM writes them.
CRM_DATETIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$"


@dataclass(frozen=True, slots=True)
class Attempt:
    """How many records an invariant was tried on, and the verdicts of those that break it."""

    tried: int
    failed: list[Verdict]


def verify_integrity(
    db: sqlite3.Connection,
    schema: Schema,
    seconds: float | None = None,
) -> Iterator[Finding]:
    """Yields a finding for every invariant of the schema.

    The schema's own rules may take so many seconds together, which follow from the number of
    records where they aren't given; those that are left then count as broken.
    """
    for item in schema.objects:
        says = f"Every {item.name} is of its JSON Schema's form."
        yield _guarded(f"{item.name}.format", says, partial(_verify_formats, db, item))
    for item in schema.objects:
        for field in item.fields:
            yield from _verify_field(db, schema, item, field)
    if seconds is None:
        seconds = rules_seconds(_rows(db, schema))
    end = time.monotonic() + seconds
    for rule in schema.invariants:
        yield _guarded(rule.name, rule.says, partial(_verify_invariant, db, rule, end))


def _rows(db: sqlite3.Connection, schema: Schema) -> int:
    """About how many records there are: no table is read through. A missing one has none."""
    rows = 0
    for item in schema.objects:
        with suppress(sqlite3.Error):
            (last,) = db.execute(f'SELECT max(rowid) FROM "{item.name}"').fetchone()
            rows += int(last or 0)
    return rows


def _verify_field(
    db: sqlite3.Connection,
    schema: Schema,
    item: ObjectType,
    field: Field,
) -> Iterator[Finding]:
    name = f"{item.name}.{field.name}"
    if field.name == "Id":
        says = f"No two {item.name} have the same {field.name}."
        yield _guarded(f"{name}.unique", says, partial(_verify_ids, db, item))
    elif field.unique:
        says = f"No two {item.name} have the same {field.name}."
        yield _guarded(f"{name}.unique", says, partial(_verify_unique, db, item, field))
    if field.reference:
        says = f"Every {name} is the id of a {field.reference}."
        attempt = partial(
            _verify_resolves,
            db,
            item,
            field,
            field.reference,
        )
        yield _guarded(f"{name}.resolves", says, attempt)
    if field.holds_ids and schema.has(field.holds_ids):
        says = f"Every {name} is empty or the id of a {field.holds_ids}."
        attempt = partial(
            _verify_resolves,
            db,
            item,
            field,
            field.holds_ids,
        )
        yield _guarded(f"{name}.resolves", says, attempt)


def _guarded(
    name: str,
    says: str,
    attempt: Callable[[], Attempt],
) -> Finding:
    try:
        made = attempt()
    except (sqlite3.Error, TimeoutError, ValueError, TypeError, LookupError) as error:
        return untried(name, says, error)
    return finding_of(name, says, made.tried, made.failed)


def _verify_invariant(db: sqlite3.Connection, rule: Invariant, end: float) -> Attempt:
    failed: list[Verdict] = []
    with only_reading(db), until(db, end):
        for row in db.execute(rule.broken):
            if len(failed) == MOST_BROKEN:
                raise ValueError(f"its query selects more than {MOST_BROKEN:,} records")
            failed.append(fail("", str(row[0])[:LONGEST_REASON]))
        tried = int(db.execute(rule.tried).fetchone()[0])
    return Attempt(tried, failed)


def _verify_formats(db: sqlite3.Connection, item: ObjectType) -> Attempt:
    validator = jsonschema_rs.Draft202012Validator(record_schema(item), validate_formats=True)
    names = [field.name for field in item.fields]
    kinds = {field.name: field.type for field in item.fields if field.type in ("boolean", "array")}
    # SQLite takes a bare quoted name that is no column for a text; `a.` makes it an error.
    columns = ", ".join(f'a."{name}"' for name in names)
    tried = 0
    failed = []
    for row in db.execute(f'SELECT {columns} FROM "{item.name}" a'):
        tried += 1
        record = _record(dict(zip(names, row, strict=True)), kinds)
        if not validator.is_valid(record):
            fault = next(validator.iter_errors(record))
            failed.append(fail(fault.message[:LONGEST_REASON], str(record.get("Id"))))
    return Attempt(tried, failed)


def record_schema(item: ObjectType) -> dict[str, object]:
    """The JSON Schema of a record as it is stored.

    Its datetimes are the CRM's, with milliseconds and `+0000`.
    """
    return {
        "type": "object",
        "properties": {field.name: _stored(field) for field in item.fields},
        "required": [field.name for field in item.fields if field.required],
    }


def _stored(field: Field) -> dict[str, object]:
    schema = dict(field.json_schema)
    if schema.get("format") == "date-time":
        del schema["format"]
        schema["pattern"] = CRM_DATETIME
    return schema


def _record(row: dict[str, object], kinds: Mapping[str, str]) -> dict[str, object]:
    """The row as JSON has it: SQLite keeps booleans as 0 and 1, and lists as JSON texts."""
    for name, kind in kinds.items():
        value = row[name]
        if kind == "boolean" and value in (0, 1):
            row[name] = bool(value)
        elif kind == "array" and isinstance(value, str):
            row[name] = json.loads(value)
    return row


def _verify_unique(
    db: sqlite3.Connection,
    item: ObjectType,
    field: Field,
) -> Attempt:
    """Values that stand twice, whatever their case: the CRM doesn't tell "Ann" from "ANN".

    Empty fields aren't values: any number of records may have none.
    """
    query = f"""
        SELECT a."{field.name}", count(*)
        FROM "{item.name}" a
        WHERE a."{field.name}" IS NOT NULL
        GROUP BY a."{field.name}" COLLATE NOCASE
        HAVING count(*) > 1
    """
    return Attempt(_size(db, item), _repeats(db, query))


def _verify_ids(db: sqlite3.Connection, item: ObjectType) -> Attempt:
    """Ids that stand twice, letter by letter: `...aA` and `...AA` are two ids."""
    query = f"""
        SELECT a.Id, count(*)
        FROM "{item.name}" a
        GROUP BY a.Id
        HAVING count(*) > 1
    """
    return Attempt(_size(db, item), _repeats(db, query))


def _repeats(db: sqlite3.Connection, query: str) -> list[Verdict]:
    """A failing verdict for each record but the first of those that share a value."""
    failed: list[Verdict] = []
    for value, count in db.execute(query):
        failed += [fail("", str(value))] * (count - 1)
    return failed


def _verify_resolves(
    db: sqlite3.Connection,
    item: ObjectType,
    field: Field,
    target: str,
) -> Attempt:
    """Records whose field holds no id of the target.

    An empty one breaks a reference only, and only where the field's type doesn't name `null`.
    """
    column = f'a."{field.name}"'
    may_be_empty = field.holds_ids or "null" in field.json_schema.get("type", ())
    empty = "" if may_be_empty else f"OR {column} IS NULL"
    query = f"""
        SELECT a.Id
        FROM "{item.name}" a
        LEFT JOIN "{target}" b ON b.Id = {column}
        WHERE (b.Id IS NULL AND {column} IS NOT NULL) {empty}
    """
    failed = [fail("", str(row[0])) for row in db.execute(query)]
    return Attempt(_size(db, item), failed)


def _size(db: sqlite3.Connection, item: ObjectType) -> int:
    return int(db.execute(f'SELECT count(*) FROM "{item.name}"').fetchone()[0])
