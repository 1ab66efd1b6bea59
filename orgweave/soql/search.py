"""SOSL: finds a needle in the index, then asks for the found records as SOQL does, with RETURNING's
fields, filter, order and limits.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from orgweave.crm.field import CrmObject
from orgweave.soql.compile import Compiler
from orgweave.soql.database import Database
from orgweave.soql.index import Index, searched_fields
from orgweave.soql.needle import Needle, parse_needle
from orgweave.soql.nodes import Path, Search, SelectItem, SelectQuery
from orgweave.soql.parse import parse_search
from orgweave.soql.places import QueryFault, QueryText
from orgweave.soql.records import records_of
from orgweave.soql.shapes import FoundRecord, QueryPlan, RecordShape
from orgweave.soql.sql import Sql


@dataclass(frozen=True, slots=True)
class Searcher:
    """What every search of an org shares."""

    entities: Mapping[str, CrmObject]
    clock: datetime
    database: Database
    index: Index
    base: str

    def search(self, text: str) -> list[FoundRecord]:
        """The records of a SOSL text, by RETURNING's order; raises QueryRefused."""
        parsed, needle = _parsed(text)
        compiler = Compiler(self.entities, self.clock, QueryText(text))
        plans = [
            compiler.plan(_checked(query, text), among=True)
            for query in parsed.returning or self._everything(parsed)
        ]
        names = [plan.entity for plan in plans]
        if len(set(names)) < len(names):
            raise QueryText(text).refuse(
                "MALFORMED_SEARCH", 0, "an object type stands only once in RETURNING"
            )
        return _shared([self._found(plan, parsed, needle) for plan in plans], parsed.limit)

    def _everything(self, parsed: Search) -> tuple[SelectQuery, ...]:
        """Without RETURNING: the ids of all object types with texts."""
        names = [
            entity.name
            for entity in self.entities.values()
            if searched_fields(entity, parsed.scope)
        ]
        return tuple(
            SelectQuery((SelectItem(Path(("Id",), 0), None, 0),), Path((name,), 0))
            for name in names
        )

    def _found(self, plan: QueryPlan, parsed: Search, needle: Needle) -> list[FoundRecord]:
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
    except QueryFault as fault:
        raise QueryText(text).refuse(fault.code, min(fault.at, len(text)), str(fault)) from fault


def _checked(query: SelectQuery, text: str) -> SelectQuery:
    for item in query.items:
        if not (isinstance(item, SelectItem) and isinstance(item.expression, Path)):
            raise QueryText(text).refuse(
                "MALFORMED_SEARCH",
                item.at,
                "RETURNING takes fields, WHERE, ORDER BY, LIMIT and OFFSET; no functions and no"
                " subqueries",
            )
    return query


def _shared(found: list[list[FoundRecord]], limit: int) -> list[FoundRecord]:
    """At most `limit` records, as evenly over the object types as they have them."""
    counts = [0] * len(found)
    left = limit
    while left and any(count < len(records) for count, records in zip(counts, found, strict=True)):
        for at, records in enumerate(found):
            if left and counts[at] < len(records):
                counts[at] += 1
                left -= 1
    return [one for records, count in zip(found, counts, strict=True) for one in records[:count]]
