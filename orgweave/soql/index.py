"""The full-text index of an org, in memory, an FTS5 table an object type, made when it is first
searched. The org's file is only read.

Found ids come best first by BM25, ties by Id.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from threading import Lock

from orgweave.soql import standard
from orgweave.soql.database import Database, run
from orgweave.soql.entities import Entity, FieldInfo
from orgweave.soql.needle import Needle, match, split
from orgweave.soql.sql import Sql, quoted
from pipeline.run_folder import ORG_FILE
from schemas.errors import StorageFailed

SEARCHED = frozenset({"string", "textarea", "email", "phone", "url"})
MOST_WORDS = 1000
"""Words of the index that one pattern with `?` or `*` inside may stand for."""


def searched_fields(entity: Entity, scope: str = "ALL") -> tuple[str, ...]:
    """The fields that `IN … FIELDS` covers of an object type; SIDEBAR is names, e-mail addresses
    and phones.
    """
    names = standard.SEARCH_NAMES.get(entity.name, (entity.name_field,))
    return tuple(
        info.name
        for info in entity.fields.values()
        if info.type in SEARCHED and _covers(scope, info, names)
    )


def _covers(scope: str, info: FieldInfo, names: tuple[str | None, ...]) -> bool:
    inside: Mapping[str, bool] = {
        "ALL": True,
        "NAME": info.name in names,
        "EMAIL": info.type == "email",
        "PHONE": info.type == "phone",
    }
    return (
        inside[scope] if scope in inside else inside["NAME"] or inside["EMAIL"] or inside["PHONE"]
    )


class Index:
    """One connection for all threads, one at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._made: set[str] = set()
        self._db: sqlite3.Connection | None = None

    def ids(self, entity: Entity, scope: str, needle: Needle) -> list[str]:
        """Ids of the records in which the needle is found, best first."""
        fields = searched_fields(entity, scope)
        if not fields:
            return []
        with self._lock:
            db = self._filled(entity)
            expression = (
                f"{{{' '.join(quoted(name) for name in fields)}}} :"
                f" {match(needle, lambda pattern: self._words(db, entity, pattern))}"
            )
            table, index = f"org.{quoted(entity.name)}", quoted(entity.name)
            sql = (
                f'SELECT o."Id" FROM main.{index} f JOIN {table} o ON o.rowid = f.rowid WHERE'
                f' f.{index} MATCH ? ORDER BY f.rank, o."Id"'
            )
            return [
                str(row[0])
                for row in run(
                    db, Sql(sql, (expression,)), self._database.seconds, str(self._database.path)
                )
            ]

    def forget(self, names: Iterable[str]) -> None:
        """Forgets the index of some object types; the next search makes it anew."""
        with self._lock:
            for name in self._made.intersection(names):
                assert self._db is not None
                self._db.execute(f"DROP TABLE main.{quoted(name + '.words')}")
                self._db.execute(f"DROP TABLE main.{quoted(name)}")
                self._made.discard(name)

    def close(self) -> None:
        """Forgets the index."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None
            self._made.clear()

    def _filled(self, entity: Entity) -> sqlite3.Connection:
        db = self._db = self._db or self._open()
        if entity.name in self._made:
            return db
        names, fields = quoted(entity.name), searched_fields(entity)
        try:
            db.execute(
                f"CREATE VIRTUAL TABLE main.{names} USING"
                f" fts5({', '.join(quoted(name) for name in fields)}, content='',"
                " tokenize='unicode61 remove_diacritics 2')"
            )
            db.execute(
                f"CREATE VIRTUAL TABLE main.{quoted(entity.name + '.words')} USING"
                f" fts5vocab({names}, 'row')"
            )
            columns = ", ".join(f"split({quoted(name)})" for name in fields)
            db.execute(
                f"INSERT INTO main.{names}(rowid, {', '.join(quoted(name) for name in fields)})"
                f" SELECT rowid, {columns} FROM org.{names}"
            )
        except sqlite3.Error as error:
            raise StorageFailed(
                f"{self._database.path}: can't be indexed for search ({error}); is it the"
                f" {ORG_FILE} of a finished run of this schema?"
            ) from error
        self._made.add(entity.name)
        return db

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            "file::memory:", uri=True, check_same_thread=False, isolation_level=None
        )
        db.create_function(
            "split",
            1,
            lambda text: split(text) if isinstance(text, str) else text,
            deterministic=True,
        )
        db.execute("ATTACH ? AS org", (self._database.uri,))
        return db

    def _words(self, db: sqlite3.Connection, entity: Entity, pattern: str) -> list[str]:
        sql = (
            f"SELECT term FROM main.{quoted(entity.name + '.words')} WHERE term GLOB ? ORDER BY doc"
            f" DESC, term LIMIT {MOST_WORDS}"
        )
        return [row[0] for row in db.execute(sql, (pattern,))]
