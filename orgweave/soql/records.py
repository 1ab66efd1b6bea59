"""From rows to records: parents nested, children fetched by one query a relationship and page."""

import json

from orgweave.soql.database import Database
from orgweave.soql.shapes import ChildQuery, FoundRecord, RecordShape, StoredRow, record
from orgweave.soql.sql import Sql


def records_of(
    database: Database, rows: list[StoredRow], shape: RecordShape, base: str
) -> list[FoundRecord]:
    """The records of some rows, in their order; `base` begins their URLs."""
    ids = [str(row[shape.key]) for row in rows]
    children = {
        part.name: _children(database, part, ids, base)
        for part in shape.parts
        if isinstance(part, ChildQuery)
    }
    return [record(row, shape, base, children) for row in rows]


def _children(
    database: Database, child: ChildQuery, parents: list[str], base: str
) -> dict[str, FoundRecord]:
    """What a child query found, by parent."""
    if not parents:
        return {}
    sql = Sql(child.plan.sql.text, (json.dumps(parents), *child.plan.sql.params))
    by_parent: dict[str, list[StoredRow]] = {}
    for row in database.rows(sql):
        kept = by_parent.setdefault(str(row[0]), [])
        if child.limit is None or len(kept) < child.limit:
            kept.append(row)
    shape = child.plan.shape
    assert isinstance(shape, RecordShape)
    flat = iter(
        records_of(database, [row for kept in by_parent.values() for row in kept], shape, base)
    )
    made = {parent: [next(flat) for _ in kept] for parent, kept in by_parent.items()}
    return {
        parent: {"totalSize": len(found), "done": True, "records": found}
        for parent, found in made.items()
        if found
    }
