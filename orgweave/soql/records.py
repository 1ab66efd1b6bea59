"""From rows to records as REST gives them: parents nested, children fetched page by page.

One query fetches the children of all records of a page, so a page of 2,000 accounts with their
contacts takes two queries and not 2,001.

Example: with the shape of `SELECT Id, Account.Name FROM Case` the row `("500…", "001…", "Hale")`
is `{"attributes": {...}, "Id": "500…", "Account": {"attributes": {...}, "Name": "Hale"}}`.
"""

import json
from collections import defaultdict
from collections.abc import Mapping

from orgweave.soql.database import Database
from orgweave.soql.sql import (
    ChildQuery,
    FieldValue,
    FoundRecord,
    GroupShape,
    Nested,
    RecordShape,
    Sql,
    SqlValue,
    StoredRow,
)

Children = Mapping[str, Mapping[str, FoundRecord]]
"""Relationship -> parent's id -> what its child query found."""


def records_of(
    database: Database, rows: list[StoredRow], shape: RecordShape, base: str
) -> list[FoundRecord]:
    """Returns the records of some rows, in their order; `base` begins their URLs."""
    ids = [str(row[shape.key]) for row in rows]
    children: dict[str, Mapping[str, FoundRecord]] = {}
    for part in shape.parts:
        if isinstance(part, ChildQuery):
            children[part.name] = _children(database, part, ids, base)
    return [_record(row, shape, base, children) for row in rows]


def group_record(row: StoredRow, shape: GroupShape) -> FoundRecord:
    """Returns a row of an aggregate query as REST gives it."""
    made: FoundRecord = {"attributes": {"type": "AggregateResult"}}
    for value in shape.values:
        made[value.name] = _json_value(row[value.slot], value.type)
    return made


def _record(
    row: StoredRow,
    shape: RecordShape,
    base: str,
    children: Children,
) -> FoundRecord:
    """Returns a record with its parents and children."""
    key = row[shape.key]
    url = f"{base}/sobjects/{shape.entity}/{key}"
    made: FoundRecord = {"attributes": {"type": shape.entity, "url": url}}
    for part in shape.parts:
        match part:
            case FieldValue():
                made[part.name] = _json_value(row[part.slot], part.type)
            case Nested():
                absent = row[part.shape.key] is None
                made[part.name] = None if absent else _record(row, part.shape, base, {})
            case ChildQuery():
                made[part.name] = children[part.name].get(str(key))
    return made


def _json_value(value: SqlValue, kind: str) -> object:
    """Returns a stored value of a CRM type as REST gives it."""
    if kind == "boolean":
        return bool(value)
    if value is None:
        return None
    match kind:
        case "currency" | "double":
            return float(value)
        case "idlist":
            return json.loads(str(value))
        case "multipicklist":
            return ";".join(json.loads(str(value)))
    return value


def _children(
    database: Database, child: ChildQuery, parents: list[str], base: str
) -> dict[str, FoundRecord]:
    """Returns what a child query found, by parent; parents without children are left out."""
    if not parents:
        return {}
    assert isinstance(child.plan.shape, RecordShape)
    sql = Sql(child.plan.sql.text, (json.dumps(parents), *child.plan.sql.params))
    rows: list[StoredRow] = []
    owners: list[str] = []
    counts: defaultdict[str, int] = defaultdict(int)
    for row in database.rows(sql):
        parent = str(row[0])
        if child.limit is None or counts[parent] < child.limit:
            counts[parent] += 1
            rows.append(row)
            owners.append(parent)
    made: defaultdict[str, list[FoundRecord]] = defaultdict(list)
    records = records_of(database, rows, child.plan.shape, base)
    for parent, record in zip(owners, records, strict=True):
        made[parent].append(record)
    return {
        parent: {
            "totalSize": len(found),
            "done": True,
            "records": found,
        }
        for parent, found in made.items()
    }
