"""The org's SQLite file, read-only: a pool of connections with the functions that the SQL uses, and
a bound on time.

A connection serves one statement at a time, in any thread; rows are fetched whole before it goes
back to the pool.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue

from orgweave.soql.aggregates import AGGREGATES
from orgweave.soql.shapes import StoredRow
from orgweave.soql.sql import Sql, SqlValue
from pipeline.run_folder import ORG_FILE, ORG_FORMAT, check_format, sqlite_uri
from schemas.errors import BadInput, QueryRefused, StorageFailed

STEPS = 20_000
MAPPED = 2**30
"""Bytes of the file that may be read through memory: an org is read at random, along its
references.
"""
TOO_MUCH = (
    "parser stack overflow",
    "Expression tree is too large",
    "too many",
    "too complex",
    "at most 64 tables",
    "String or BLOB exceeded",
    "string or blob too big",
)


class Database:
    """Opens the file; raises BadInput where it isn't there and StorageFailed where it can't be
    read.
    """

    def __init__(self, path: Path, seconds: float) -> None:
        if not path.is_file():
            raise BadInput(f"{path}: no such file; name the {ORG_FILE} of a finished run")
        self.path = path
        self.seconds = seconds
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self.rows(Sql("SELECT name FROM sqlite_master LIMIT 1"))
        check_format(path, self.rows(Sql("PRAGMA user_version"))[0][0], ORG_FORMAT)

    @property
    def uri(self) -> str:
        """The file as SQLite's URI, read-only."""
        return sqlite_uri(self.path, "ro")

    def rows(self, sql: Sql) -> list[StoredRow]:
        """All rows of a statement; raises QueryRefused where it takes too long or is too much for
        SQLite.
        """
        with self._connection() as db:
            return run(db, sql, self.seconds, str(self.path))

    def close(self) -> None:
        """Closes the connections that are not at work."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            db = self._idle.get_nowait()
        except Empty:
            db = self._open()
        try:
            yield db
        finally:
            self._idle.put(db)

    def _open(self, uri: str = "") -> sqlite3.Connection:
        try:
            db = sqlite3.connect(
                uri or self.uri, uri=True, check_same_thread=False, isolation_level=None
            )
        except sqlite3.Error as error:
            raise StorageFailed(
                f"{self.path}: can't be opened ({error}); check the file and the rights to read it"
            ) from error
        db.execute(f"PRAGMA mmap_size = {MAPPED}")
        db.create_function("fold", 1, _fold, deterministic=True)
        for name, kind in AGGREGATES.items():
            db.create_aggregate(name, 1, kind)  # type: ignore[arg-type]
        return db


def run(db: sqlite3.Connection, sql: Sql, seconds: float, name: str) -> list[StoredRow]:
    """All rows of a statement within a time."""
    deadline = time.monotonic() + seconds
    db.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        return db.execute(sql.text, sql.params).fetchall()
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            raise QueryRefused(
                "QUERY_TIMEOUT",
                f"the query ran longer than {seconds:g} seconds; narrow its WHERE clause",
            ) from error
        if any(sign in str(error) for sign in TOO_MUCH):
            raise QueryRefused(
                "QUERY_TOO_COMPLICATED",
                f"the query is too complicated ({error}); select less or simplify the filter",
            ) from error
        raise StorageFailed(
            f"{name}: can't be read ({error}); is it the {ORG_FILE} of a finished run of this"
            " schema?"
        ) from error
    finally:
        db.set_progress_handler(None, 0)


def _fold(value: SqlValue) -> SqlValue:
    return value.lower() if isinstance(value, str) else value
