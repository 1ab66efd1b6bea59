"""Reading the copy for a page: rows, labels of what they refer to, one record with all that refers
to it, search over all object types.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import urlencode

from markupsafe import Markup, escape

from orgweave.explore.cells import DATABASE, Link, cell, ids_in, moment, prose, record_url
from orgweave.explore.copy import LABEL, search_table
from orgweave.explore.views import FieldView, ObjectView, Relation, in_list_order
from orgweave.soql.sql import Sql, SqlValue, quoted

FIRST, WHOLE_THREAD = 5, 100
"""Records that a related list shows, and messages of a thread."""
COLUMNS, FOUND = 5, 5
"""Fields of a related list, and hits of an object type."""
START, END = "\x02", "\x03"
"""What marks a found word until the text is safe HTML: characters that no text has."""
EXCERPT_WORDS = 18
ID_LENGTH = 18
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
    sent: Markup
    body: Markup
    opened: bool


ListLine = tuple[Link, tuple[Markup, ...]]
"""A record of a list, and its values as HTML."""


@dataclass(frozen=True, slots=True)
class Related:
    """A related list: how many records there are, the first of them, and where all are.

    The first are messages where they are a thread, else rows.
    """

    name: str
    caption: str
    count: int
    url: str
    hue: int
    columns: tuple[FieldView, ...] = ()
    rows: tuple[ListLine, ...] = ()
    messages: tuple[ThreadMessage, ...] = ()


ShownValue = tuple[FieldView, Markup]
"""A field, and its value as HTML."""


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A record: its label, its fields, its long texts, and what refers to it."""

    kind: ObjectView
    id: str
    label: str
    fields: tuple[ShownValue, ...]
    texts: tuple[ShownValue, ...]
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
    """Pages' contents from the copy; `kinds` and `relations` are by the object type's name.

    `sql` is whether an address may hold a condition in SQL.
    """

    def __init__(
        self,
        reader: Reader,
        kinds: Mapping[str, ObjectView],
        relations: Mapping[str, Sequence[Relation]],
        sql: bool = True,
    ) -> None:
        self.reader = reader
        self.kinds = kinds
        self.relations = relations
        self.sql = sql

    def kind_of(self, key: str) -> ObjectView | None:
        """The object type whose ids begin as this one does."""
        if len(key) != ID_LENGTH:
            return None
        for kind in self.kinds.values():
            if key.startswith(kind.prefix):
                return kind
        return None

    async def links(self, wanted: Iterable[tuple[str, str]]) -> dict[str, Link]:
        """Labels of (object type, id) pairs, by id; an id that leads nowhere has none."""
        by_kind: dict[str, set[str]] = {}
        for name, key in wanted:
            by_kind.setdefault(name, set()).add(key)
        found: dict[str, Link] = {}
        for name, keys in by_kind.items():
            marks = ", ".join("?" * len(keys))
            sql = f'SELECT "Id", {LABEL} FROM {quoted(name)} WHERE "Id" IN ({marks})'
            for row in await self.reader.rows(Sql(sql, tuple(sorted(keys)))):
                link = Link(name, str(row["Id"]), str(row[LABEL]))
                found[link.id] = link
        return found

    async def links_in(
        self,
        columns: Sequence[FieldView],
        rows: Sequence[PageRow],
    ) -> dict[str, Link]:
        """Labels of everything that some columns of rows refer to."""
        wanted: list[tuple[str, str]] = []
        for column in columns:
            for row in rows:
                for key in ids_in(column, row[column.name]):
                    wanted += [(target, key) for target in self._targets(column, key)]
        return await self.links(wanted)

    async def link(self, key: str) -> Link | None:
        """The record with an id, of whatever object type."""
        kind = self.kind_of(key)
        return (await self.links([(kind.name, key)])).get(key) if kind else None

    async def record(self, kind: ObjectView, key: str) -> RecordPage | None:
        """A record's page, or None where there is no such record."""
        sql = f'SELECT * FROM {quoted(kind.name)} WHERE "Id" = ?'
        rows = await self.reader.rows(Sql(sql, (key,)))
        if not rows:
            return None
        row = rows[0]
        links = await self.links_in(kind.columns, rows)
        fields: list[ShownValue] = []
        texts: list[ShownValue] = []
        for column in kind.columns:
            shown = (column, cell(column, row[column.name], links))
            if column.form != "prose":
                fields.append(shown)
            elif row[column.name]:
                texts.append(shown)
        relations = self.relations[kind.name]
        lists = await asyncio.gather(*(self._related(relation, key) for relation in relations))
        return RecordPage(
            kind=kind,
            id=key,
            label=str(row[LABEL]),
            fields=tuple(fields),
            texts=tuple(texts),
            related=tuple(related for related in lists if related.count),
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
        others = [shown for shown in child.shown if shown.name != column.name]
        columns = in_list_order(child, others[:COLUMNS])
        asked = {f"{column.name}__arraycontains" if column.many else column.name: key}
        if relation.through:
            asked = {"_where": _through(relation, _text(key))}
        found = Related(
            name=child.name,
            caption=relation.caption,
            count=count,
            url=f"/{DATABASE}/{child.name}?{urlencode(asked)}",
            hue=child.hue,
        )
        if relation.through and not self.sql:
            found = replace(found, url="")
        if relation.thread:
            return replace(found, messages=tuple(_message(child, row) for row in rows))
        links = await self.links_in(columns, rows)
        lines: list[ListLine] = []
        for row in rows:
            cells = [cell(shown, row[shown.name], links, not relation.detail) for shown in columns]
            lines.append((_self(child, row), tuple(cells)))
        return replace(found, columns=columns, rows=tuple(lines))

    async def _referring(self, relation: Relation, key: str) -> tuple[int, Sequence[PageRow]]:
        """How many records refer to one, and the first of them: details from the oldest, others
        from the newest.
        """
        child, name = relation.child, f"t.{quoted(relation.column.name)}"
        held = f"{name} = ?"
        if relation.through:
            held = _through(relation, "?")
        elif relation.column.many:
            held = f"EXISTS (SELECT 1 FROM json_each({name}) WHERE value = ?)"
        table = f"FROM {quoted(child.name)} AS t WHERE {held}"
        order = "t.rowid"
        if child.date:
            newest = "" if relation.detail else " DESC"
            order = f"t.{quoted(child.date)}{newest}, t.rowid"
        limit = FIRST * 2 if relation.detail else FIRST
        if relation.thread:
            limit = WHOLE_THREAD
        count = await self.reader.rows(Sql(f"SELECT count(*) AS n {table}", (key,)))
        first = f"SELECT t.* {table} ORDER BY {order} LIMIT {limit}"
        return int(count[0]["n"] or 0), await self.reader.rows(Sql(first, (key,)))

    async def _hits(self, kind: ObjectView, words: str, match: str) -> Hits:
        index = quoted(search_table(kind))
        sql = f"""
            SELECT t."Id", t.{LABEL},
              snippet({index}, -1, '{START}', '{END}', ' … ', {EXCERPT_WORDS}) AS excerpt,
              (SELECT count(*) FROM {index} WHERE {index} MATCH ?) AS n
            FROM {index} JOIN {quoted(kind.name)} AS t ON t.rowid = {index}.rowid
            WHERE {index} MATCH ? ORDER BY rank LIMIT {FOUND}
        """
        rows = await self.reader.rows(Sql(sql, (match, match)))
        best = tuple((_self(kind, row), _marked(str(row["excerpt"]))) for row in rows)
        count = int(rows[0]["n"] or 0) if rows else 0
        return Hits(kind, count, f"/{DATABASE}/{kind.name}?{urlencode({'_search': words})}", best)


def _through(relation: Relation, key: str) -> str:
    """SQL for whether a listed record leads to the one of a key by way of another."""
    if relation.through is None:
        return "1"
    between, last = relation.through
    return (
        f'{quoted(relation.column.name)} IN (SELECT "Id" FROM {quoted(between.name)}'
        f" WHERE {quoted(last.name)} = {key})"
    )


def _text(key: str) -> str:
    return "'" + key.replace("'", "''") + "'"


def _self(kind: ObjectView, row: PageRow) -> Link:
    return Link(kind.name, str(row["Id"]), str(row[LABEL]))


def _message(child: ObjectView, row: PageRow) -> ThreadMessage:
    """A record as a message; its first boolean says which side wrote it (Incoming)."""
    texts = [prose(str(row[column.name])) for column in child.prose if row[column.name]]
    sides = [column.name for column in child.columns if column.form == "boolean"]
    return ThreadMessage(
        record_url(child.name, str(row["Id"])),
        str(row[LABEL]),
        sent=moment(str(row[child.date])) if child.date else Markup(""),
        body=Markup("").join(texts),
        opened=bool(row[sides[0]]) if sides else True,
    )


def _marked(excerpt: str) -> Markup:
    return Markup(str(escape(excerpt)).replace(START, "<mark>").replace(END, "</mark>"))
