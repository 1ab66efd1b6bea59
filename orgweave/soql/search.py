"""SOSL: an index of the org's texts, and the search over it.

A needle is found in the index; then the found records are asked for as SOQL does, with RETURNING's
fields, filter, order and limits. The org's file is only read: the index is made in memory, a table
an object type, when that is first searched. Knows nothing of the needle's language.

Example: `FIND {trail boot} IN NAME FIELDS RETURNING Product2(Id, Name LIMIT 5)` looks both words up
in the names of the products. Records come best first by BM25, ties by Id, unless RETURNING has an
order of its own.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from threading import Lock

from orgweave.crm.field import CrmObject
from orgweave.soql.compile import Compiler
from orgweave.soql.database import MADE_ANEW, Database, records_of, run
from orgweave.soql.needle import Needle, match, parse_needle, split
from orgweave.soql.nodes import Path, QueryFault, QueryText, Search, SelectItem, SelectQuery
from orgweave.soql.parse import parse_search
from orgweave.soql.sql import FoundRecord, QueryPlan, RecordShape, Sql, SqlValue, quoted
from pipeline.run_folder import ORG_FILE
from schemas.errors import QueryRefused, StorageFailed

SEARCHED = frozenset({"string", "textarea", "email", "phone", "url"})
"""Types of field that the index holds."""
MOST_WORDS = 1000
"""Words of the index that one pattern with `?` or `*` inside may stand for."""


def searched_fields(entity: CrmObject, scope: str = "ALL") -> tuple[str, ...]:
    """Returns the fields of an object type that `IN … FIELDS` covers.

    SIDEBAR is names, e-mail addresses and phones.
    """
    names = entity.search_names
    found = []
    for info in entity.fields.values():
        covered = {
            "ALL": True,
            "NAME": info.name in names,
            "EMAIL": info.type == "email",
            "PHONE": info.type == "phone",
            "SIDEBAR": info.name in names or info.type in ("email", "phone"),
        }
        if info.type in SEARCHED and covered[scope]:
            found.append(info.name)
    return tuple(found)


class Index:
    """The full-text index, behind one connection for all threads, one at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._made: set[str] = set()
        # Opened at once: later another org may lie under the same name.
        self._db: sqlite3.Connection | None = self._open()

    def ids(self, entity: CrmObject, scope: str, needle: Needle) -> list[str]:
        """Returns the ids of the records in which the needle is found, best first."""
        fields = searched_fields(entity, scope)
        if not fields:
            return []
        with self._lock:
            db = self._filled(entity)

            def words(pattern: str) -> list[str]:
                return self._words(db, entity, pattern)

            columns = " ".join(quoted(name) for name in fields)
            expression = f"{{{columns}}} : {match(needle, words)}"
            table = quoted(entity.name)
            sql = f"""
                SELECT o."Id"
                FROM main.{table} f JOIN org.{table} o ON o.rowid = f.rowid
                WHERE f.{table} MATCH ?
                ORDER BY f.rank, o."Id"
            """
            path = str(self._database.path)
            rows = run(
                db,
                Sql(sql, (expression,)),
                self._database.seconds,
                path,
            )
        return [str(row[0]) for row in rows]

    def forget(self, names: Iterable[str]) -> None:
        """Forgets the index of some object types; the next search makes it anew."""
        with self._lock:
            try:
                for name in self._made.intersection(names):
                    assert self._db is not None
                    self._db.execute(f"DROP TABLE main.{_words_table(name)}")
                    self._db.execute(f"DROP TABLE main.{quoted(name)}")
                    self._made.discard(name)
            except sqlite3.Error:
                # What was changed is kept by now, and all of the index can be made anew.
                self._drop()

    def close(self) -> None:
        """Forgets the whole index."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = None
        self._made.clear()

    def _filled(self, entity: CrmObject) -> sqlite3.Connection:
        """The connection, with the object type's index in it."""
        db = self._db = self._db or self._open()
        if entity.name in self._made:
            return db
        table = quoted(entity.name)
        names = [quoted(name) for name in searched_fields(entity)]
        columns = ", ".join(names)
        split_columns = ", ".join(f"split({name})" for name in names)
        try:
            # content='': the texts themselves stay in the org's file.
            db.execute(f"""
                CREATE VIRTUAL TABLE main.{table}
                USING fts5({columns}, content='', tokenize='unicode61 remove_diacritics 2')
            """)
            db.execute(f"""
                CREATE VIRTUAL TABLE main.{_words_table(entity.name)}
                USING fts5vocab({table}, 'row')
            """)
            db.execute(f"""
                INSERT INTO main.{table}(rowid, {columns})
                SELECT rowid, {split_columns} FROM org.{table}
            """)
        except sqlite3.Error as error:
            raise StorageFailed(
                f"{self._database.path}: can't be indexed for search ({error}); is it the"
                f" {ORG_FILE} of a finished run of this schema?"
            ) from error
        self._made.add(entity.name)
        return db

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            "file::memory:",
            uri=True,
            check_same_thread=False,
            isolation_level=None,
        )
        db.create_function(
            "split",
            1,
            _split,
            deterministic=True,
        )
        db.execute("ATTACH ? AS org", (self._database.uri,))
        if not self._database.is_same_file:
            db.close()
            raise QueryRefused("SERVER_UNAVAILABLE", MADE_ANEW)
        return db

    def _words(
        self,
        db: sqlite3.Connection,
        entity: CrmObject,
        pattern: str,
    ) -> list[str]:
        """The index's words that a GLOB pattern stands for, the most frequent first."""
        sql = f"""
            SELECT term FROM main.{_words_table(entity.name)}
            WHERE term GLOB ?
            ORDER BY doc DESC, term
            LIMIT {MOST_WORDS}
        """
        return [row[0] for row in db.execute(sql, (pattern,))]


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
        parsed, needle = _parsed(text)
        compiler = Compiler(self.entities, self.clock, QueryText(text))
        queries = parsed.returning or self._everything(parsed)
        plans = [compiler.plan(_checked(query, text), among=True) for query in queries]
        names = {plan.entity for plan in plans}
        if len(names) < len(plans):
            raise QueryText(text).refuse(
                "MALFORMED_SEARCH",
                0,
                "an object type stands only once in RETURNING",
            )
        return _shared([self._found(plan, parsed, needle) for plan in plans], parsed.limit)

    def _everything(self, parsed: Search) -> tuple[SelectQuery, ...]:
        """What is asked without RETURNING: the ids of all object types with texts."""
        queries = []
        for entity in self.entities.values():
            if searched_fields(entity, parsed.scope):
                items = (SelectItem(Path(("Id",), 0), None, 0),)
                queries.append(SelectQuery(items, Path((entity.name,), 0)))
        return tuple(queries)

    def _found(
        self,
        plan: QueryPlan,
        parsed: Search,
        needle: Needle,
    ) -> list[FoundRecord]:
        ids = self.index.ids(
            self.entities[plan.entity.lower()],
            parsed.scope,
            needle,
        )
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


def _words_table(name: str) -> str:
    """The table that lists the words of an object type's index."""
    return quoted(f"{name}.words")


def _split(text: SqlValue) -> SqlValue:
    return split(text) if isinstance(text, str) else text


def _parsed(text: str) -> tuple[Search, Needle]:
    parsed = parse_search(text)
    try:
        return parsed, parse_needle(parsed.needle, parsed.needle_position)
    except QueryFault as fault:
        position = min(fault.position, len(text))
        raise QueryText(text).refuse(fault.code, position, str(fault)) from fault


def _checked(query: SelectQuery, text: str) -> SelectQuery:
    """Refuses a RETURNING entry that asks for more than fields."""
    for item in query.items:
        if not (isinstance(item, SelectItem) and isinstance(item.expression, Path)):
            raise QueryText(text).refuse(
                "MALFORMED_SEARCH",
                item.position,
                "RETURNING takes fields, WHERE, ORDER BY, LIMIT and OFFSET; no functions and no"
                " subqueries",
            )
    return query


def _shared(found: list[list[FoundRecord]], limit: int) -> list[FoundRecord]:
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
    shares = [records[:count] for records, count in zip(found, counts, strict=True)]
    return list(chain.from_iterable(shares))
