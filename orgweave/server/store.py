"""The served file: many readers, and where it is a private copy, one change at a time.

Changes nest, and each is undone as a whole. The thread that changes reads its own work; the others
read what was committed before. A change that ended well is committed: where SQLite can't, as on a
full disk, the change ends with an error and the file is as it was before. Knows no rule of what may
be written.

Example: `with store.change() as change: change.update("Case", "500...", {"Status": "Closed"})`.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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

    `committed` is called with the names of the object types that a change touched. `connection` is
    the class of the connection that writes.
    """

    def __init__(
        self,
        path: Path,
        seconds: float,
        writable: bool,
        connection: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> None:
        self.committed: Callable[[set[str]], None] = _nobody
        self._lock = RLock()
        self._depth = 0
        self._owner = 0
        """The thread that changes; 0 for none."""
        self._touched: set[str] = set()
        self._writer: sqlite3.Connection | None = None
        super().__init__(path, seconds)
        if writable:
            self._writer = self._open(sqlite_uri(path, "rw"), connection)
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

        Raises INSUFFICIENT_ACCESS_OR_READONLY on a read-only store, and StorageFailed where the
        change can't be kept; then it is undone, and so is all that it was a part of.
        """
        if self._writer is None:
            raise Refused("INSUFFICIENT_ACCESS_OR_READONLY", READ_ONLY)
        with self._lock:
            part = _Part(self._writer, self._depth)
            part.begin()
            self._depth, self._owner = self._depth + 1, get_ident()
            try:
                yield Changing(self._writer, self._touched)
                part.keep()
            except BaseException:
                part.undo()
                raise
            finally:
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


class _Part:
    """A change's place in the transaction: the whole of it, or a savepoint in it.

    On some errors SQLite ends the transaction by itself. What came after would then be kept
    statement by statement, so nothing is run but within the transaction.
    """

    def __init__(self, db: sqlite3.Connection, depth: int) -> None:
        self._db = db
        self._point = f"p{depth}" if depth else ""

    def begin(self) -> None:
        """Begins; raises StorageFailed."""
        if self._point:
            execute(self._db, f"SAVEPOINT {self._point}")
        else:
            # Open still only where the change before couldn't even be undone.
            if self._db.in_transaction:
                _run(self._db, "ROLLBACK")
            _run(self._db, "BEGIN IMMEDIATE")

    def keep(self) -> None:
        """Keeps what was changed; raises StorageFailed where that fails."""
        execute(self._db, f"RELEASE {self._point}" if self._point else "COMMIT")

    def undo(self) -> None:
        """Undoes what was changed, the whole transaction where SQLite can't undo a part of it."""
        if self._point and self._db.in_transaction:
            with suppress(StorageFailed):
                execute(self._db, f"ROLLBACK TO {self._point}")
                execute(self._db, f"RELEASE {self._point}")
                return
        if self._db.in_transaction:
            with suppress(StorageFailed):
                execute(self._db, "ROLLBACK")


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
        return execute(self._db, sql, *values)


def execute(db: sqlite3.Connection, sql: str, *values: SqlValue) -> sqlite3.Cursor:
    """Runs a statement within a transaction; raises StorageFailed where there is none any more."""
    if not db.in_transaction:
        raise StorageFailed(
            "the served copy can't be changed: the transaction was undone by an earlier error;"
            " check the space of the temp folder and send the request again"
        )
    return _run(db, sql, *values)


def _run(db: sqlite3.Connection, sql: str, *values: SqlValue) -> sqlite3.Cursor:
    try:
        return db.execute(sql, values)
    except sqlite3.Error as error:
        raise StorageFailed(
            f"the served copy can't be changed ({error}); check the space of the temp folder and"
            " send the request again"
        ) from error
