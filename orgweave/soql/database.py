"""The org's SQLite file, read-only, and the records that REST makes of its rows.

Knows no SOQL. All connections are to the file that was opened first: an org that is made anew takes
its name, and is never mixed with it. A connection serves one statement at a time, in any thread,
and no longer than a time limit; rows are fetched whole before it goes back to the pool. One query
fetches the children of all records of a page, so that 2,000 accounts with their contacts take two
queries and not 2,001.

SQLite lacks some aggregates that a CRM has: sums without binary rounding (`exact_sum`,
`exact_avg`), and the first and last of texts in any case (`text_min`, `text_max`), the same
whatever the rows' order.

Example: `Database(path, 20).rows(Sql('SELECT t0."Id", t1."Name", t1."Id" FROM ...'))` is `[("500…",
"Hale", "001…")]`, and with the shape of `SELECT Id, Account.Name FROM Case` that row is
`{"attributes": {...}, "Id": "500…", "Account": {"attributes": {...}, "Name": "Hale"}}`.
"""

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from queue import Empty, LifoQueue

from orgweave.soql.shown import formatted, geo_distance
from orgweave.soql.sql import (
    AddressValue,
    ChildQuery,
    FieldValue,
    FormattedValue,
    FoundRecord,
    GroupShape,
    Nested,
    RecordShape,
    Sql,
    SqlValue,
    StoredRow,
    collated,
    folded,
)
from pipeline.manifest import ORG_FORMAT, check_format
from pipeline.run_folder import ORG_FILE, sqlite_uri
from schemas.errors import BadInput, QueryRefused, StorageFailed

STEPS = 20_000
"""SQLite's virtual instructions between two looks at the clock: some milliseconds."""
LIMITS = {
    # Bytes of a value or a stored row; the ids of a page's records are one parameter.
    sqlite3.SQLITE_LIMIT_LENGTH: 50_000_000,
    # Bytes of a statement: what the longest SOQL text, 100,000 characters, is compiled to.
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000_000,
    # The full-text index is filled from the org, which it attaches; nothing else ever is.
    sqlite3.SQLITE_LIMIT_ATTACHED: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
"""SQLite's own bounds. No SQL comes from outside, but texts and patterns do."""
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
MADE_ANEW = (
    "the org was made anew since this server opened it, and all connections to the old one are at"
    " work; restart the server"
)
Children = Mapping[str, Mapping[str, FoundRecord]]
"""Relationship -> parent's id -> what its child query found."""


class Database:
    """One SQLite file and its idle connections.

    Args:
        path: the file; raises BadInput where it isn't there, StorageFailed where it can't be read.
        seconds: the longest a statement may run.
    """

    def __init__(self, path: Path, seconds: float) -> None:
        if not path.is_file():
            raise BadInput(f"{path}: no such file; name the {ORG_FILE} of a finished run")
        self.path = path
        self.seconds = seconds
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._file = file_identity(path)
        self._idle.put(self.opened())
        self.rows(Sql("SELECT name FROM sqlite_master LIMIT 1"))
        check_format(path, self.rows(Sql("PRAGMA user_version"))[0][0], ORG_FORMAT)

    @property
    def uri(self) -> str:
        """The file as SQLite's URI, to be read only."""
        return sqlite_uri(self.path, "ro")

    @property
    def is_same_file(self) -> bool:
        """Whether the file that was opened first still has its name."""
        return file_identity(self.path) == self._file

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
            db = self._another()
        try:
            yield db
        finally:
            self._idle.put(db)

    def opened(self) -> sqlite3.Connection:
        """A new connection; raises QueryRefused where the file is another one by now."""
        if self.is_same_file:
            db = self._open()
            # SQLite opened the file between two looks, and no other can have had its number.
            if self.is_same_file:
                return db
            db.close()
        raise QueryRefused("SERVER_UNAVAILABLE", MADE_ANEW)

    def _another(self) -> sqlite3.Connection:
        """A new connection, or the next that is idle where the file is another one by now."""
        try:
            return self.opened()
        except QueryRefused:
            try:
                return self._idle.get(timeout=self.seconds)
            except Empty:
                raise QueryRefused("SERVER_UNAVAILABLE", MADE_ANEW) from None

    def _open(
        self,
        uri: str = "",
        connection: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(
                uri or self.uri,
                uri=True,
                check_same_thread=False,
                isolation_level=None,
                factory=connection,
            )
        except sqlite3.Error as error:
            raise StorageFailed(
                f"{self.path}: can't be opened ({error}); check the file and the rights to read it"
            ) from error
        for category, most in LIMITS.items():
            db.setlimit(category, most)
        db.execute(f"PRAGMA mmap_size = {MAPPED}")
        for name, function in TEXT_FUNCTIONS.items():
            db.create_function(name, 1, function, deterministic=True)
        db.create_function("geo_distance", 5, geo_distance, deterministic=True)
        for name, kind in SQL_AGGREGATES.items():
            db.create_aggregate(name, 1, kind)  # type: ignore[arg-type]
        return db


def file_identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one that has its name; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


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
        if "locked" in str(error):
            raise StorageFailed(
                f"{name}: another program holds it ({error}); close that, then do the same again"
            ) from error
        raise StorageFailed(
            f"{name}: can't be read ({error}); is it the {ORG_FILE} of a finished run of this"
            " schema?"
        ) from error
    finally:
        db.set_progress_handler(None, 0)


def _fold(value: SqlValue) -> SqlValue:
    return folded(value) if isinstance(value, str) else value


def _collate(value: SqlValue) -> SqlValue:
    return collated(value) if isinstance(value, str) else value


TEXT_FUNCTIONS = {"fold": _fold, "collated": _collate}
"""SQL name -> function of one value; what is no text stays as it is."""


def records_of(
    database: Database,
    rows: list[StoredRow],
    shape: RecordShape,
    base: str,
) -> list[FoundRecord]:
    """Returns the records of some rows, in their order; `base` begins their URLs."""
    ids = [str(row[shape.key]) for row in rows]
    children: dict[str, Mapping[str, FoundRecord]] = {}
    for part in shape.parts:
        if isinstance(part, ChildQuery):
            children[part.name] = _children(database, part, ids, base)
    return [_record(row, shape, base, children) for row in rows]


def group_record(row: StoredRow, shape: GroupShape) -> FoundRecord:
    """Returns a row of an aggregate query as REST gives it."""
    made: FoundRecord = {"attributes": {"type": "AggregateResult"}}
    for value in shape.values:
        stored = row[value.slot]
        if stored is None:
            # In a subtotal a boolean is null too.
            made[value.name] = None
        elif isinstance(value, FormattedValue):
            made[value.name] = formatted(stored, value.type, value.locale)
        else:
            made[value.name] = _json_value(stored, value.type)
    return made


def _record(
    row: StoredRow,
    shape: RecordShape,
    base: str,
    children: Children,
) -> FoundRecord:
    """Returns a record with its parents and children."""
    key = row[shape.key]
    url = f"{base}/sobjects/{shape.entity}/{key}"
    made: FoundRecord = {"attributes": {"type": shape.entity, "url": url}}
    for part in shape.parts:
        match part:
            case FieldValue():
                made[part.name] = _json_value(row[part.slot], part.type)
            case Nested():
                absent = row[part.shape.key] is None
                made[part.name] = None if absent else _record(row, part.shape, base, {})
            case ChildQuery():
                made[part.name] = children[part.name].get(str(key))
            case FormattedValue():
                made[part.name] = formatted(row[part.slot], part.type, part.locale)
            case AddressValue():
                made[part.name] = _address(row, part)
    return made


def _address(row: StoredRow, part: AddressValue) -> dict[str, SqlValue] | None:
    """Returns a whole address; null where none of its parts is filled."""
    made = {name: None if slot is None else row[slot] for name, slot in part.slots}
    filled = any(value is not None for value in made.values())
    return made if filled else None


def _json_value(value: SqlValue, kind: str) -> object:
    """Returns a stored value of a CRM type as REST gives it."""
    if kind == "boolean":
        return bool(value)
    if value is None:
        return None
    match kind:
        case "currency" | "double":
            return float(value)
        case "idlist":
            return json.loads(str(value))
        case "multipicklist":
            return ";".join(json.loads(str(value)))
    return value


def _children(
    database: Database,
    child: ChildQuery,
    parents: list[str],
    base: str,
) -> dict[str, FoundRecord]:
    """Returns what a child query found, by parent; parents without children are left out."""
    if not parents:
        return {}
    assert isinstance(child.plan.shape, RecordShape)
    sql = Sql(child.plan.sql.text, (json.dumps(parents), *child.plan.sql.params))
    rows: list[StoredRow] = []
    owners: list[str] = []
    counts: defaultdict[str, int] = defaultdict(int)
    for row in database.rows(sql):
        parent = str(row[0])
        if child.limit is None or counts[parent] < child.limit:
            counts[parent] += 1
            rows.append(row)
            owners.append(parent)
    made: defaultdict[str, list[FoundRecord]] = defaultdict(list)
    records = records_of(database, rows, child.plan.shape, base)
    for parent, record in zip(owners, records, strict=True):
        made[parent].append(record)
    return {
        parent: {
            "totalSize": len(found),
            "done": True,
            "records": found,
        }
        for parent, found in made.items()
    }


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
    """MIN of texts as they are ordered; of two spellings of one text the first byte by byte."""

    def __init__(self) -> None:
        self.best: tuple[bytes, bytes] | None = None

    def step(self, value: str | None) -> None:
        """Takes one text; nulls don't count."""
        if value is not None:
            raw = value.encode()
            key = (collated(value).encode(), raw)
            if self.best is None or self.before(key, self.best):
                self.best = key

    def before(self, key: tuple[bytes, bytes], best: tuple[bytes, bytes]) -> bool:
        """Whether a text takes the place of the best so far."""
        return key < best

    def finalize(self) -> str | None:
        """The text; null where there was none."""
        return None if self.best is None else self.best[1].decode()


class LastText(FirstText):
    """MAX of texts as they are ordered."""

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
