"""The served file: many readers, and where it is a private copy, one change at a time.

Changes nest, and each is undone as a whole. The thread that changes reads its own work; the others
read what was committed before. Knows no rule of what may be written.

Example: `with store.change() as change: change.update("Case", "500...", {"Status": "Closed"})`.
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
    """Reads as `Database` does; a `writable` one takes changes too.

    `committed` is called with the names of the object types that a change touched.
    """

    def __init__(self, path: Path, seconds: float, writable: bool) -> None:
        self.committed: Callable[[set[str]], None] = _nobody
        self._lock = RLock()
        self._depth = 0
        self._owner = 0
        """The thread that changes; 0 for none."""
        self._touched: set[str] = set()
        self._writer: sqlite3.Connection | None = None
        super().__init__(path, seconds)
        if writable:
            self._writer = self._open(sqlite_uri(path, "rw"))
            # WAL lets the others read while one writes; the copy is gone with the process, so there
            # is no power cut for which to wait on the disk.
            self._writer.execute("PRAGMA journal_mode = WAL")
            self._writer.execute("PRAGMA synchronous = OFF")

    @property
    def writable(self) -> bool:
        """Whether changes are taken."""
        return self._writer is not None

    @contextmanager
    def change(self) -> Iterator["Changing"]:
        """Opens a change, which is kept where the block ends well, else undone.

        Raises INSUFFICIENT_ACCESS_OR_READONLY on a read-only store.
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


def _nobody(names: set[str]) -> None:
    """Hears of changes where nobody else does."""


class Changing:
    """Rows within a change, by object type and id."""

    def __init__(self, db: sqlite3.Connection, touched: set[str]) -> None:
        self._db = db
        self._touched = touched

    def row(self, name: str, key: SqlValue) -> StoreRow | None:
        """Returns a record's stored values, or None."""
        rows = self.rows(f'SELECT * FROM {quoted(name)} WHERE "Id" = ?', key)
        return rows[0] if rows else None

    def rows(self, sql: str, *values: SqlValue) -> list[StoreRow]:
        """Returns all rows of a statement."""
        cursor = self._run(sql, *values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, sql: str, *values: SqlValue) -> SqlValue:
        """Returns the first value of the first row, or None."""
        row = self._run(sql, *values).fetchone()
        found: SqlValue = row[0] if row else None
        return found

    def insert(self, name: str, row: StoreRow) -> None:
        """Adds a record."""
        self._touched.add(name)
        columns = ", ".join(quoted(field) for field in row)
        marks = ", ".join("?" * len(row))
        sql = f"INSERT INTO {quoted(name)} ({columns}) VALUES ({marks})"
        self._run(sql, *row.values())

    def update(self, name: str, key: SqlValue, changes: StoreRow) -> None:
        """Changes a record's values."""
        if changes:
            self._touched.add(name)
            assignments = ", ".join(f"{quoted(field)} = ?" for field in changes)
            sql = f'UPDATE {quoted(name)} SET {assignments} WHERE "Id" = ?'
            self._run(sql, *changes.values(), key)

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
