"""SOSL: the search over the index, and what RETURNING makes of what is found.

A needle is found in the index; then the found records are asked for as SOQL does, with RETURNING's
fields, filter, order and limits. Knows nothing of the needle's language.

Example: `FIND {trail boot} IN NAME FIELDS RETURNING Product2(Id, Name LIMIT 5)` looks both words up
in the names of the products. Records come best first by BM25, ties by Id, unless RETURNING has an
order of its own. A word finds its other forms too, and all forms of it count alike.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from orgweave.crm.field import CrmField, CrmObject
from orgweave.soql.compile import Compiler
from orgweave.soql.database import Database, records_of
from orgweave.soql.index import Index, searched_fields
from orgweave.soql.marks import (
    EXCERPTED,
    MARKED,
    MOST_MARKED,
    SearchOptions,
    marked,
    search_options,
    snippet,
    sought,
)
from orgweave.soql.needle import Needle, parse_needle
from orgweave.soql.nodes import (
    Comparison,
    FunctionCall,
    Literal,
    Logic,
    Path,
    QueryFault,
    QueryText,
    Search,
    SelectItem,
    SelectQuery,
    SemiJoin,
)
from orgweave.soql.parse import parse_search
from orgweave.soql.shown import SHOWN
from orgweave.soql.sql import FoundRecord, QueryPlan, RecordShape, Sql, StoredRow, quoted


@dataclass(frozen=True, slots=True)
class Searcher:
    """Answers SOSL texts; `base` begins the records' URLs."""

    entities: Mapping[str, CrmObject]
    clock: datetime
    database: Database
    index: Index
    base: str

    def search(self, text: str) -> list[FoundRecord]:
        """Returns the records of a SOSL text, by RETURNING's order; raises QueryRefused."""
        parsed, needle, options = _parsed(text)
        compiler = Compiler(
            self.entities,
            self.clock,
            QueryText(text),
        )
        queries = parsed.returning or self._everything(parsed)
        chosen = [_within(_checked(query, text), options) for query in queries]
        plans = [compiler.plan(query, among=True) for query in chosen]
        names = {plan.entity for plan in plans}
        if len(names) < len(plans):
            raise QueryText(text).refuse(
                "MALFORMED_SEARCH",
                0,
                "an object type stands only once in RETURNING",
            )
        found = [
            self._found(
                plan,
                parsed,
                needle,
            )
            for plan in plans
        ]
        shares = _shared(found, parsed.limit)
        if options.highlight or options.snippet:
            for plan, records in zip(
                plans,
                shares,
                strict=True,
            ):
                self._mark(
                    plan,
                    records[:MOST_MARKED],
                    needle,
                    options,
                )
        return list(chain.from_iterable(shares))

    def _everything(self, parsed: Search) -> tuple[SelectQuery, ...]:
        """What is asked without RETURNING: the ids of all object types with texts."""
        queries = []
        for entity in self.entities.values():
            if searched_fields(entity, parsed.scope):
                items = (
                    SelectItem(
                        Path(("Id",), 0),
                        None,
                        0,
                    ),
                )
                queries.append(SelectQuery(items, Path((entity.name,), 0)))
        return tuple(queries)

    def _stored(self, entity: CrmObject) -> CrmObject:
        """The object type whose table holds an entity's records, itself if it has one."""
        return self.entities.get(entity.table.lower(), entity)

    def _found(
        self,
        plan: QueryPlan,
        parsed: Search,
        needle: Needle,
    ) -> list[FoundRecord]:
        stored = self._stored(self.entities[plan.entity.lower()])
        ids = self.index.ids(stored, parsed.scope, needle)
        if not ids:
            return []
        assert isinstance(plan.shape, RecordShape)
        rows = self.database.rows(Sql(plan.sql.text, (json.dumps(ids), *plan.sql.params)))
        return records_of(
            self.database,
            rows,
            plan.shape,
            self.base,
        )

    def _mark(
        self,
        plan: QueryPlan,
        records: list[FoundRecord],
        needle: Needle,
        options: SearchOptions,
    ) -> None:
        """Adds marks to the records of one object type: `highlight.Name`, `snippet.text`."""
        entity = self.entities[plan.entity.lower()]
        excerpted = entity.name in EXCERPTED
        if not records or not (options.snippet if excerpted else options.highlight):
            return
        words = self.index.forms(self._stored(entity), sought(needle))
        for record in records:
            for name, value in list(record.items()):
                info = entity.find(name)
                shown = marked(value, words) if isinstance(value, str) and info else None
                if shown is not None and info is not None and info.type in MARKED:
                    record[f"highlight.{name}"] = shown
        if excerpted:
            self._excerpt(
                entity,
                records,
                words,
                options.snippet,
            )

    def _excerpt(
        self,
        entity: CrmObject,
        records: list[FoundRecord],
        words: Collection[str],
        length: int,
    ) -> None:
        """Adds a snippet of the first long text in which a word stands."""
        names = [field.name for field in entity.fields.values() if _is_long(field)]
        rows = self._texts(
            entity,
            records,
            names,
        )
        for record in records:
            for text in rows.get(_key(record), ()):
                shown = (
                    snippet(
                        text,
                        words,
                        length,
                    )
                    if isinstance(text, str)
                    else None
                )
                if shown is not None:
                    record["snippet.text"] = shown
                    break

    def _texts(
        self,
        entity: CrmObject,
        records: list[FoundRecord],
        names: list[str],
    ) -> dict[str, StoredRow]:
        """The long texts of some records by their ids."""
        columns = ", ".join(quoted(name) for name in ("Id", *names))
        sql = f"""
            SELECT {columns} FROM {quoted(entity.table)}
            WHERE "Id" IN (SELECT value FROM json_each(?))
        """
        keys = json.dumps([_key(record) for record in records])
        return {str(row[0]): row[1:] for row in self.database.rows(Sql(sql, (keys,)))}


def _is_long(field: CrmField) -> bool:
    return field.stored and field.type == "textarea"


def _key(record: FoundRecord) -> str:
    """A found record's id, which its URL ends in whether it was asked for or not."""
    attributes = record["attributes"]
    assert isinstance(attributes, dict)
    return str(attributes["url"]).rpartition("/")[2]


def _parsed(text: str) -> tuple[Search, Needle, SearchOptions]:
    parsed = parse_search(text)
    try:
        options = search_options(parsed.options)
        return parsed, parse_needle(parsed.needle, parsed.needle_position), options
    except QueryFault as fault:
        position = min(fault.position, len(text))
        raise QueryText(text).refuse(
            fault.code,
            position,
            str(fault),
        ) from fault


def _checked(query: SelectQuery, text: str) -> SelectQuery:
    """Refuses a RETURNING entry that asks for more than fields."""
    for item in query.items:
        expression = item.expression if isinstance(item, SelectItem) else None
        shown = isinstance(expression, FunctionCall) and expression.name in SHOWN
        if not (shown or isinstance(expression, Path)):
            raise QueryText(text).refuse(
                "MALFORMED_SEARCH",
                item.position,
                "RETURNING takes fields, toLabel() and FORMAT() of fields, WHERE, ORDER BY, LIMIT"
                " and OFFSET; no other functions and no subqueries",
            )
    return query


def _within(query: SelectQuery, options: SearchOptions) -> SelectQuery:
    """A RETURNING entry for products, limited to those of the price book that is asked for."""
    if not options.pricebook or query.entity.text.lower() != "product2":
        return query
    where = query.position
    book = Literal(
        "string",
        options.pricebook,
        where,
    )
    entries = SelectQuery(
        items=(
            SelectItem(
                Path(("Product2Id",), where),
                None,
                where,
            ),
        ),
        entity=Path(("PricebookEntry",), where),
        where=Comparison(
            Path(("Pricebook2Id",), where),
            "=",
            (book,),
            where,
        ),
        position=where,
    )
    listed = SemiJoin(
        Path(("Id",), where),
        negated=False,
        query=entries,
        position=where,
    )
    if query.where is None:
        return replace(query, where=listed)
    return replace(
        query,
        where=Logic(
            "AND",
            (query.where, listed),
            1,
        ),
    )


def _shared(found: list[list[FoundRecord]], limit: int) -> list[list[FoundRecord]]:
    """At most `limit` records, as evenly over the object types as they have them.

    The object types are dealt a place each in turn, until the places or the records run out.
    """
    counts = [0] * len(found)
    left = min(limit, sum(len(records) for records in found))
    while left:
        for place, records in enumerate(found):
            if left and counts[place] < len(records):
                counts[place] += 1
                left -= 1
    return [
        records[:count]
        for records, count in zip(
            found,
            counts,
            strict=True,
        )
    ]
