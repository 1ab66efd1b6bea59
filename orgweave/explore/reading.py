"""Reading the copy for a page: rows, labels of what they refer to, one record with all that refers
to it, search over all object types.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from markupsafe import Markup, escape

from orgweave.explore.cells import DATABASE, Link, cell, ids_in, moment, prose, record_url
from orgweave.explore.copy import LABEL, search_table
from orgweave.explore.views import FieldView, ObjectView, Relation, in_list_order
from orgweave.soql.sql import Sql, SqlValue, quoted

FIRST, WHOLE_THREAD, COLUMNS, FOUND = 5, 100, 5, 5
START, END = "\x02", "\x03"
PageRow = Mapping[str, SqlValue]


class Reader(Protocol):
    """The copy, answering one statement."""

    async def rows(self, sql: Sql) -> Sequence[PageRow]:
        """All its rows."""
        ...


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """A text in a thread: who and what, when, which side wrote it."""

    url: str
    label: str
    at: Markup
    body: Markup
    opened: bool


@dataclass(frozen=True, slots=True)
class Related:
    """A related list: how many records there are, the first of them, and where all are."""

    name: str
    caption: str
    count: int
    url: str
    hue: int
    columns: tuple[FieldView, ...]
    rows: tuple[tuple[Link, tuple[Markup, ...]], ...]
    messages: tuple[ThreadMessage, ...]


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A record: its label, fields as (column, HTML), long texts, and what refers to it."""

    kind: ObjectView
    id: str
    label: str
    fields: tuple[tuple[FieldView, Markup], ...]
    texts: tuple[tuple[FieldView, Markup], ...]
    related: tuple[Related, ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found in one object type: how many records, and the best of them with the words
    marked.
    """

    kind: ObjectView
    count: int
    url: str
    best: tuple[tuple[Link, Markup], ...]


class OrgPages:
    """Pages' contents from the copy; `kinds` and `relations` are by the object type's name."""

    def __init__(
        self,
        reader: Reader,
        kinds: Mapping[str, ObjectView],
        relations: Mapping[str, Sequence[Relation]],
    ) -> None:
        self.reader = reader
        self.kinds = kinds
        self.relations = relations

    def kind_of(self, key: str) -> ObjectView | None:
        """The object type whose ids begin as this one does."""
        return next(
            (
                kind
                for kind in self.kinds.values()
                if len(key) == 18 and key.startswith(kind.prefix)
            ),
            None,
        )

    async def links(self, wanted: Iterable[tuple[str, str]]) -> dict[str, Link]:
        """Labels of (object type, id) pairs, by id; an id that leads nowhere has none."""
        by_kind: dict[str, set[str]] = {}
        for name, key in wanted:
            by_kind.setdefault(name, set()).add(key)
        found: dict[str, Link] = {}
        for name, keys in by_kind.items():
            sql = (
                f'SELECT "Id", {LABEL} FROM {quoted(name)} WHERE "Id" IN'
                f" ({', '.join('?' * len(keys))})"
            )
            found |= {
                str(row["Id"]): Link(name, str(row["Id"]), str(row[LABEL]))
                for row in await self.reader.rows(Sql(sql, tuple(sorted(keys))))
            }
        return found

    async def links_in(
        self, columns: Sequence[FieldView], rows: Sequence[PageRow]
    ) -> dict[str, Link]:
        """Labels of everything that some columns of rows refer to."""
        return await self.links(
            (target, key)
            for column in columns
            for row in rows
            for key in ids_in(column, row[column.name])
            for target in self._targets(column, key)
        )

    async def link(self, key: str) -> Link | None:
        """The record with an id, of whatever object type."""
        kind = self.kind_of(key)
        return (await self.links([(kind.name, key)])).get(key) if kind else None

    async def record(self, kind: ObjectView, key: str) -> RecordPage | None:
        """A record's page, or None where there is no such record."""
        rows = await self.reader.rows(
            Sql(f'SELECT * FROM {quoted(kind.name)} WHERE "Id" = ?', (key,))
        )
        if not rows:
            return None
        links = await self.links_in(kind.columns, rows)
        shown = [(column, cell(column, rows[0][column.name], links)) for column in kind.columns]
        related = await asyncio.gather(
            *(self._related(relation, key) for relation in self.relations[kind.name])
        )
        return RecordPage(
            kind=kind,
            id=key,
            label=str(rows[0][LABEL]),
            fields=tuple(pair for pair in shown if pair[0].form != "prose"),
            texts=tuple(
                pair for pair in shown if pair[0].form == "prose" and rows[0][pair[0].name]
            ),
            related=tuple(one for one in related if one.count),
        )

    async def search(self, words: str, match: str) -> list[Hits]:
        """The records that hold the words, by object type; `match` is the words as the full-text
        index takes them.
        """
        found = [await self._hits(kind, words, match) for kind in self.kinds.values() if kind.words]
        return [hits for hits in found if hits.count]

    def _targets(self, column: FieldView, key: str) -> list[str]:
        if len(column.targets) == 1:
            return list(column.targets)
        return [name for name in column.targets if key.startswith(self.kinds[name].prefix)]

    async def _related(self, relation: Relation, key: str) -> Related:
        child, column = relation.child, relation.column
        count, rows = await self._referring(relation, key)
        columns = in_list_order(
            child, [one for one in child.shown if one.name != column.name][:COLUMNS]
        )
        links = await self.links_in(columns, rows)
        return Related(
            name=child.name,
            caption=relation.caption,
            count=count,
            url=f"/{DATABASE}/{child.name}?"
            + urlencode({f"{column.name}__arraycontains" if column.many else column.name: key}),
            hue=child.hue,
            columns=() if relation.thread else columns,
            rows=(
                ()
                if relation.thread
                else tuple(
                    (
                        _self(child, row),
                        tuple(
                            cell(one, row[one.name], links, short=not relation.detail)
                            for one in columns
                        ),
                    )
                    for row in rows
                )
            ),
            messages=tuple(_message(child, row) for row in rows) if relation.thread else (),
        )

    async def _referring(self, relation: Relation, key: str) -> tuple[int, Sequence[PageRow]]:
        """How many records refer to one, and the first of them: details from the oldest, others
        from the newest.
        """
        child, name = relation.child, f"t.{quoted(relation.column.name)}"
        held = (
            f"EXISTS (SELECT 1 FROM json_each({name}) WHERE value = ?)"
            if relation.column.many
            else f"{name} = ?"
        )
        table = f"FROM {quoted(child.name)} AS t WHERE {held}"
        order = (
            f"t.{quoted(child.date)}{'' if relation.detail else ' DESC'}, t.rowid"
            if child.date
            else "t.rowid"
        )
        limit = WHOLE_THREAD if relation.thread else FIRST * (2 if relation.detail else 1)
        count = await self.reader.rows(Sql(f"SELECT count(*) AS n {table}", (key,)))
        return int(count[0]["n"] or 0), await self.reader.rows(
            Sql(f"SELECT t.* {table} ORDER BY {order} LIMIT {limit}", (key,))
        )

    async def _hits(self, kind: ObjectView, words: str, match: str) -> Hits:
        index = quoted(search_table(kind))
        rows = await self.reader.rows(
            Sql(
                f"SELECT t.\"Id\", t.{LABEL}, snippet({index}, -1, '{START}', '{END}', ' … ', 18)"
                f" AS excerpt, (SELECT count(*) FROM {index} WHERE {index} MATCH ?) AS n FROM"
                f" {index} JOIN {quoted(kind.name)} AS t ON t.rowid = {index}.rowid WHERE {index}"
                f" MATCH ? ORDER BY rank LIMIT {FOUND}",
                (match, match),
            )
        )
        best = tuple((_self(kind, row), _marked(str(row["excerpt"]))) for row in rows)
        return Hits(
            kind,
            int(rows[0]["n"] or 0) if rows else 0,
            f"/{DATABASE}/{kind.name}?" + urlencode({"_search": words}),
            best,
        )


def _self(kind: ObjectView, row: PageRow) -> Link:
    return Link(kind.name, str(row["Id"]), str(row[LABEL]))


def _message(child: ObjectView, row: PageRow) -> ThreadMessage:
    side = next((column for column in child.columns if column.form == "boolean"), None)
    body = Markup("").join(
        prose(str(row[column.name])) for column in child.prose if row[column.name]
    )
    at = moment(str(row[child.date])) if child.date else Markup("")
    return ThreadMessage(
        record_url(child.name, str(row["Id"])),
        str(row[LABEL]),
        at,
        body,
        opened=side is None or bool(row[side.name]),
    )


def _marked(excerpt: str) -> Markup:
    return Markup(str(escape(excerpt)).replace(START, "<mark>").replace(END, "</mark>"))
