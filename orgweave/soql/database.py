"""The org's SQLite file, read-only: connections, the functions that SQL uses, a time limit.

Knows no SOQL. A connection serves one statement at a time, in any thread; rows are fetched whole
before it goes back to the pool.

SQLite lacks some aggregates that a CRM has: sums without binary rounding (`exact_sum`,
`exact_avg`), and the first and last of texts in any case (`text_min`, `text_max`), the same
whatever the rows' order. Example: `Database(path, 20).rows(Sql("SELECT exact_sum(column1) FROM
(VALUES (0.1), (0.2))"))` is `[(0.3,)]`.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from queue import Empty, LifoQueue
from urllib.parse import quote

from orgweave.soql.sql import Sql, SqlValue, StoredRow
from schemas.errors import BadInput, QueryRefused, StorageFailed

STEPS = 20_000
"""SQLite's virtual instructions between two looks at the clock: some milliseconds."""
MAPPED = 2**30
"""Bytes of the file read through memory: an org is read at random, along its references."""
TOO_MUCH = (
    "parser stack overflow",
    "Expression tree is too large",
    "too many",
    "too complex",
    "at most 64 tables",
    "String or BLOB exceeded",
    "string or blob too big",
)
"""SQLite's words for what its own bounds refuse; it has no error code for most of them."""


class Database:
    """One SQLite file and its idle connections.

    Args:
        path: the file; raises BadInput where it isn't there, StorageFailed where it can't be read.
        seconds: the longest a statement may run.
    """

    def __init__(self, path: Path, seconds: float) -> None:
        if not path.is_file():
            raise BadInput(f"{path}: no such file; name the org.sqlite of a finished run")
        self.path = path
        self.seconds = seconds
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self.rows(Sql("SELECT name FROM sqlite_master LIMIT 1"))

    @property
    def uri(self) -> str:
        """The file as SQLite's URI, to be read only."""
        return f"file:{quote(str(self.path.resolve()))}?mode=ro"

    def rows(self, sql: Sql) -> list[StoredRow]:
        """Returns all rows of a statement.

        Raises QueryRefused where it takes too long or is too much for SQLite.
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
                uri or self.uri,
                uri=True,
                check_same_thread=False,
                isolation_level=None,
            )
        except sqlite3.Error as error:
            raise StorageFailed(
                f"{self.path}: can't be opened ({error}); check the file and the rights to read it"
            ) from error
        db.execute(f"PRAGMA mmap_size = {MAPPED}")
        db.create_function(
            "fold",
            1,
            _fold,
            deterministic=True,
        )
        for name, kind in SQL_AGGREGATES.items():
            db.create_aggregate(name, 1, kind)  # type: ignore[arg-type]
        return db


def run(
    db: sqlite3.Connection,
    sql: Sql,
    seconds: float,
    name: str,
) -> list[StoredRow]:
    """Returns all rows of a statement; `name` is the file's, for messages.

    Raises QueryRefused where it runs longer than `seconds` or is too much for SQLite, and
    StorageFailed where the file can't be read.
    """
    deadline = time.monotonic() + seconds

    def late() -> bool:
        return time.monotonic() > deadline

    db.set_progress_handler(late, STEPS)
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
            f"{name}: can't be read ({error}); is it the org.sqlite of a finished run of this"
            " schema?"
        ) from error
    finally:
        db.set_progress_handler(None, 0)


def _fold(value: SqlValue) -> SqlValue:
    """Lower case in every script; SQLite's own `lower` knows ASCII alone."""
    return value.lower() if isinstance(value, str) else value


class ExactSum:
    """SUM without binary rounding: 0.1 + 0.2 is 0.3."""

    def __init__(self) -> None:
        self.total = Decimal(0)
        self.count = 0
        self.whole = True

    def step(self, value: int | float | None) -> None:
        """Takes one value; nulls don't count."""
        if value is not None:
            self.total += Decimal(repr(value))
            self.count += 1
            self.whole = self.whole and isinstance(value, int)

    def finalize(self) -> int | float | None:
        """The sum; null where nothing was summed."""
        if not self.count:
            return None
        return int(self.total) if self.whole else float(self.total)


class ExactAverage(ExactSum):
    """AVG of the exact sum."""

    def finalize(self) -> float | None:
        """The mean; null where nothing was counted."""
        return float(self.total / self.count) if self.count else None


class FirstText:
    """MIN of texts in any case; of two spellings of one text the first byte by byte."""

    def __init__(self) -> None:
        self.best: tuple[bytes, bytes] | None = None

    def step(self, value: str | None) -> None:
        """Takes one text; nulls don't count."""
        if value is not None:
            raw = value.encode()
            key = (raw.lower(), raw)
            if self.best is None or self.before(key, self.best):
                self.best = key

    def before(self, key: tuple[bytes, bytes], best: tuple[bytes, bytes]) -> bool:
        """Whether a text takes the place of the best so far."""
        return key < best

    def finalize(self) -> str | None:
        """The text; null where there was none."""
        return None if self.best is None else self.best[1].decode()


class LastText(FirstText):
    """MAX of texts in any case."""

    def before(self, key: tuple[bytes, bytes], best: tuple[bytes, bytes]) -> bool:
        """Later in the alphabet, or the earlier spelling of the same."""
        return key[0] > best[0] or (key[0] == best[0] and key[1] < best[1])


SQL_AGGREGATES = {
    "exact_sum": ExactSum,
    "exact_avg": ExactAverage,
    "text_min": FirstText,
    "text_max": LastText,
}
"""SQL name -> aggregate of one argument."""
