"""SOSL: finds a needle in the index, then asks for the found records as SOQL does, with RETURNING's fields, filter, order and limits."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pipeline.soql.compile import Compiler
from pipeline.soql.database import Database
from pipeline.soql.entities import Entity
from pipeline.soql.index import Index, searched_fields
from pipeline.soql.needle import Needle, parse_needle
from pipeline.soql.nodes import Item, Path, Query, Search
from pipeline.soql.parse import parse_search
from pipeline.soql.places import Fault, Text
from pipeline.soql.records import records_of
from pipeline.soql.shapes import Plan, Record, RecordShape
from pipeline.soql.sql import Sql


@dataclass(frozen=True, slots=True)
class Searcher:
    """What every search of an org shares."""

    entities: Mapping[str, Entity]
    clock: datetime
    database: Database
    index: Index
    base: str

    def search(self, text: str) -> list[Record]:
        """The records of a SOSL text, by RETURNING's order; raises QueryRefused."""
        parsed, needle = _parsed(text)
        compiler = Compiler(self.entities, self.clock, Text(text))
        plans = [compiler.plan(_checked(query, text), among=True) for query in parsed.returning or self._everything(parsed)]
        names = [plan.entity for plan in plans]
        if len(set(names)) < len(names):
            raise Text(text).refuse("MALFORMED_SEARCH", 0, "an object type stands only once in RETURNING")
        return _shared([self._found(plan, parsed, needle) for plan in plans], parsed.limit)

    def _everything(self, parsed: Search) -> tuple[Query, ...]:
        """Without RETURNING: the ids of all object types with texts."""
        names = [entity.name for entity in self.entities.values() if searched_fields(entity, parsed.scope)]
        return tuple(Query((Item(Path(("Id",), 0), None, 0),), Path((name,), 0)) for name in names)

    def _found(self, plan: Plan, parsed: Search, needle: Needle) -> list[Record]:
        ids = self.index.ids(self.entities[plan.entity.lower()], parsed.scope, needle)
        if not ids:
            return []
        assert isinstance(plan.shape, RecordShape)
        rows = self.database.rows(Sql(plan.sql.text, (json.dumps(ids), *plan.sql.params)))
        return records_of(self.database, rows, plan.shape, self.base)


def _parsed(text: str) -> tuple[Search, Needle]:
    parsed = parse_search(text)
    try:
        return parsed, parse_needle(parsed.needle, parsed.needle_at)
    except Fault as fault:
        raise Text(text).refuse(fault.code, min(fault.at, len(text)), str(fault)) from fault


def _checked(query: Query, text: str) -> Query:
    for item in query.items:
        if not (isinstance(item, Item) and isinstance(item.expression, Path)):
            raise Text(text).refuse("MALFORMED_SEARCH", item.at, "RETURNING takes fields, WHERE, ORDER BY, LIMIT and OFFSET; no functions and no subqueries")
    return query


def _shared(found: list[list[Record]], limit: int) -> list[Record]:
    """At most `limit` records, as evenly over the object types as they have them."""
    counts = [0] * len(found)
    left = limit
    while left and any(count < len(records) for count, records in zip(counts, found, strict=True)):
        for at, records in enumerate(found):
            if left and counts[at] < len(records):
                counts[at] += 1
                left -= 1
    return [one for records, count in zip(found, counts, strict=True) for one in records[:count]]
