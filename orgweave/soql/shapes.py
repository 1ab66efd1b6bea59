"""A compiled query: SQL, parameters, and the shape in which its rows become records.

Frozen, so it can be kept and shared.

A row is a flat tuple; `Value("Subject", 1, "string")` takes its second value. Parents nest,
children come by a query of their own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from orgweave.soql.sql import Sql
from orgweave.soql.sql import SqlValue as Stored

StoredRow = tuple[Stored, ...]
FoundRecord = dict[str, object]


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A field of the record: its name, its place in the row, its CRM type."""

    name: str
    slot: int
    type: str


@dataclass(frozen=True, slots=True)
class Nested:
    """A parent of the record, under its relationship's name; null where its Id is null."""

    name: str
    shape: "RecordShape"


@dataclass(frozen=True, slots=True)
class ChildQuery:
    """Children of all records of a page by one query, whose first parameter is the parents' ids and
    first column a parent's id.
    """

    name: str
    plan: "QueryPlan"
    limit: int | None


@dataclass(frozen=True, slots=True)
class RecordShape:
    """A record of one object type; `key` is the slot of its Id."""

    entity: str
    key: int
    parts: tuple[FieldValue | Nested | ChildQuery, ...]


@dataclass(frozen=True, slots=True)
class GroupShape:
    """A row of an aggregate query."""

    values: tuple[FieldValue, ...]


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query ready to run. `shape` is None for COUNT(), whose only row holds the number."""

    entity: str
    sql: Sql
    shape: RecordShape | GroupShape | None


def as_json(value: Stored, kind: str) -> object:
    """A stored value as REST gives it."""
    if kind == "boolean":
        return bool(value)
    if value is None or kind not in ("idlist", "multipicklist", "currency", "double"):
        return value
    if kind in ("currency", "double"):
        return float(value)
    members = json.loads(str(value))
    return members if kind == "idlist" else ";".join(members)


def group_record(row: StoredRow, shape: GroupShape) -> FoundRecord:
    """An aggregate row as REST gives it."""
    return {
        "attributes": {"type": "AggregateResult"},
        **{one.name: as_json(row[one.slot], one.type) for one in shape.values},
    }


def record(
    row: StoredRow, shape: RecordShape, base: str, children: Mapping[str, Mapping[str, FoundRecord]]
) -> FoundRecord:
    """A record with its parents; `children` holds, by relationship name and then parent id, what
    each child query found.
    """
    made: FoundRecord = {
        "attributes": {
            "type": shape.entity,
            "url": f"{base}/sobjects/{shape.entity}/{row[shape.key]}",
        }
    }
    for part in shape.parts:
        match part:
            case FieldValue():
                made[part.name] = as_json(row[part.slot], part.type)
            case Nested():
                made[part.name] = (
                    None if row[part.shape.key] is None else record(row, part.shape, base, {})
                )
            case ChildQuery():
                made[part.name] = children[part.name].get(str(row[shape.key]))
    return made
