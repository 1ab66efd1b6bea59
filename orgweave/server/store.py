"""The served file: many readers, and where it is a private copy one change at a time, nested and
undone as a whole.

The thread that changes reads its own work; the others read what was committed before.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock, get_ident

from orgweave.soql.database import Database
from orgweave.soql.sql import SqlValue, quoted
from pipeline.run_folder import sqlite_uri
from schemas.errors import Refused, StorageFailed

StoreRow = dict[str, SqlValue]
READ_ONLY = (
    "this server is read-only; start `serve` with --writable, which changes a private copy only"
)


class Store(Database):
    """Reads as `Database` does; `writable` opens the file for changes too.

    `committed` hears which object types changed.
    """

    def __init__(self, path: Path, seconds: float, writable: bool) -> None:
        self.committed: Callable[[set[str]], None] = lambda names: None
        self._lock = RLock()
        self._depth, self._owner = 0, 0
        self._touched: set[str] = set()
        self._writer: sqlite3.Connection | None = None
        super().__init__(path, seconds)
        if writable:
            self._writer = self._open(sqlite_uri(path, "rw"))
            self._writer.execute("PRAGMA journal_mode = WAL")
            self._writer.execute("PRAGMA synchronous = OFF")

    @property
    def writable(self) -> bool:
        """Whether changes are taken."""
        return self._writer is not None

    @contextmanager
    def change(self) -> Iterator["Changing"]:
        """A change that is kept where the block ends well, else undone; raises
        INSUFFICIENT_ACCESS_OR_READONLY on a read-only store.
        """
        if self._writer is None:
            raise Refused("INSUFFICIENT_ACCESS_OR_READONLY", READ_ONLY)
        with self._lock:
            point = f"p{self._depth}"
            self._writer.execute(f"SAVEPOINT {point}")
            self._depth, self._owner = self._depth + 1, get_ident()
            try:
                yield Changing(self._writer, self._touched)
            except BaseException:
                self._writer.execute(f"ROLLBACK TO {point}")
                raise
            finally:
                self._writer.execute(f"RELEASE {point}")
                self._depth -= 1
                if not self._depth:
                    self._ended()

    def close(self) -> None:
        """Closes all connections."""
        super().close()
        with self._lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._owner == get_ident() and self._writer is not None:
            yield self._writer
            return
        with super()._connection() as db:
            yield db

    def _ended(self) -> None:
        self._owner = 0
        touched = set(self._touched)
        self._touched.clear()
        if touched:
            self.committed(touched)


class Changing:
    """Rows within a change, by object type and id."""

    def __init__(self, db: sqlite3.Connection, touched: set[str]) -> None:
        self._db = db
        self._touched = touched

    def row(self, name: str, key: SqlValue) -> StoreRow | None:
        """A record's stored values, or None."""
        rows = self.rows(f'SELECT * FROM {quoted(name)} WHERE "Id" = ?', key)
        return rows[0] if rows else None

    def rows(self, sql: str, *values: SqlValue) -> list[StoreRow]:
        """All rows of a statement."""
        cursor = self._run(sql, *values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, sql: str, *values: SqlValue) -> SqlValue:
        """The first value of the first row, or None."""
        row = self._run(sql, *values).fetchone()
        found: SqlValue = row[0] if row else None
        return found

    def insert(self, name: str, row: StoreRow) -> None:
        """Adds a record."""
        self._touched.add(name)
        self._run(
            f"INSERT INTO {quoted(name)} ({', '.join(map(quoted, row))}) VALUES"
            f" ({', '.join('?' * len(row))})",
            *row.values(),
        )

    def update(self, name: str, key: SqlValue, changes: StoreRow) -> None:
        """Changes a record's values."""
        if changes:
            self._touched.add(name)
            self._run(
                f"UPDATE {quoted(name)} SET"
                f' {", ".join(f"{quoted(field)} = ?" for field in changes)} WHERE "Id" = ?',
                *changes.values(),
                key,
            )

    def delete(self, name: str, key: SqlValue) -> None:
        """Removes a record."""
        self._touched.add(name)
        self._run(f'DELETE FROM {quoted(name)} WHERE "Id" = ?', key)

    def _run(self, sql: str, *values: SqlValue) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise StorageFailed(
                f"the served copy can't be changed ({error}); check the space of the temp folder"
                " and start serve again"
            ) from error
