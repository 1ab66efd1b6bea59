"""The full-text index of an org's texts: which records hold the words of a needle.

It is made in memory, a table an object type, when that is first searched; the org's file is only
read. Knows nothing of RETURNING.

Example: `Index(database).ids(objects["product2"], "NAME", parse_needle("trail boot", 0))`.
"""

import sqlite3
from collections.abc import Iterable
from threading import Lock

from orgweave.crm.field import CrmField, CrmObject
from orgweave.soql.database import MADE_ANEW, Database, run
from orgweave.soql.forms import forms
from orgweave.soql.needle import Needle, match, split
from orgweave.soql.sql import Sql, SqlValue, quoted
from pipeline.run_folder import ORG_FILE
from schemas.errors import QueryRefused, StorageFailed

SEARCHED = frozenset({"string", "textarea", "email", "phone", "url"})
"""Types of field that the index holds."""
MOST_WORDS = 1000
"""Words of the index that one pattern with `?` or `*` inside may stand for."""


def searched_fields(entity: CrmObject, scope: str = "ALL") -> tuple[str, ...]:
    """Returns the fields of an object type that `IN … FIELDS` covers; none where no table has it.

    SIDEBAR is names, e-mail addresses and phones.
    """
    if entity.rows:
        return ()
    fields = [field for field in entity.fields.values() if field.type in SEARCHED and field.stored]
    return tuple(
        field.name
        for field in fields
        if _covers(
            scope,
            field,
            entity.search_names,
        )
    )


def _covers(scope: str, field: CrmField, names: tuple[str, ...]) -> bool:
    """Whether `IN … FIELDS` covers a field with texts; `names` are those that name a record."""
    match scope:
        case "ALL":
            return True
        case "NAME":
            return field.name in names
        case "SIDEBAR":
            return field.name in names or field.type in ("email", "phone")
    return field.type == scope.lower()


class IndexWords:
    """The words of one object type's index; they stay the same until it is made anew."""

    def __init__(self, db: sqlite3.Connection, entity: str) -> None:
        self._db = db
        self._table = f"main.{_words_table(entity)}"
        self._all: frozenset[str] | None = None

    def like(self, pattern: str) -> list[str]:
        """Returns the words that a GLOB pattern stands for, the most frequent first."""
        sql = f"""
            SELECT term FROM {self._table}
            WHERE term GLOB ?
            ORDER BY doc DESC, term
            LIMIT {MOST_WORDS}
        """
        return [row[0] for row in self._db.execute(sql, (pattern,))]

    def forms(self, word: str) -> list[str]:
        """Returns the words that are forms of a word."""
        if self._all is None:
            # Looking single words up in FTS5's own table is slower than reading all of it once.
            rows = self._db.execute(f"SELECT term FROM {self._table}")
            self._all = frozenset(str(row[0]) for row in rows)
        return sorted(forms(word) & self._all)


class Index:
    """The full-text index, behind one connection for all threads, one at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._made: dict[str, IndexWords] = {}
        # Opened at once: later another org may lie under the same name.
        self._db: sqlite3.Connection | None = self._open()

    def ids(self, entity: CrmObject, scope: str, needle: Needle) -> list[str]:
        """Returns the ids of the records in which the needle is found, best first."""
        fields = searched_fields(entity, scope)
        if not fields:
            return []
        with self._lock:
            db = self._filled(entity)
            columns = " ".join(quoted(name) for name in fields)
            expression = f"{{{columns}}} : {match(needle, self._made[entity.name])}"
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

    def forms(self, entity: CrmObject, words: Iterable[str]) -> frozenset[str]:
        """Returns all forms of some words that an object type's texts have."""
        found: set[str] = set()
        with self._lock:
            self._filled(entity)
            for word in words:
                found.update(self._made[entity.name].forms(word))
        return frozenset(found)

    def forget(self, names: Iterable[str]) -> None:
        """Forgets the index of some object types; the next search makes it anew."""
        with self._lock:
            try:
                for name in self._made.keys() & set(names):
                    assert self._db is not None
                    self._db.execute(f"DROP TABLE main.{_words_table(name)}")
                    self._db.execute(f"DROP TABLE main.{quoted(name)}")
                    del self._made[name]
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
        self._made[entity.name] = IndexWords(db, entity.name)
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


def _words_table(name: str) -> str:
    """The table that lists the words of an object type's index."""
    return quoted(f"{name}.words")


def _split(text: SqlValue) -> SqlValue:
    return split(text) if isinstance(text, str) else text
