"""The SQL of a schema's invariants and statistics: what it may do, and for how long.

A schema may come from anybody, and `_invariants.yaml` and `_realism.yaml` hold SQL that is run on
the org. SQL can do more than read: ATTACH opens any file of the user's, DROP empties it, VACUUM
INTO writes a new one. So a rule is tried on empty tables when its file is read, and runs on an org
in `only_reading`.

Knows nothing of verdicts; `verifiers.integrity` does.
"""

import signal
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from schemas.errors import SchemaError
from schemas.measuring_sql import register_measures
from schemas.object_type import ObjectType
from schemas.proofs import Invariant, Statistic

READING = frozenset(
    [
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    ]
)
"""What a SELECT is made of; ATTACH, PRAGMA, writes and transactions have codes of their own."""

RULES_SECONDS = 120.0
"""The longest that all rules of a schema may take together, on up to a million records.

The 64 rules of the CRM take 0.2 seconds for 50,000 records; what takes much longer is an endless
recursion or a join without a condition.
"""

RECORDS_IN_TIME = 1_000_000
"""On so many records the rules may take that long; on more, in proportion: each reads them all."""

STEPS_A_LOOK = 100_000
"""After how many steps of SQLite's machine the clock is read: about a millisecond's work."""

LIMITS = {
    # An attached file would be another one than the org.
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    # `zeroblob(2000000000)` takes one step, which no clock sees, and all the memory there is.
    sqlite3.SQLITE_LIMIT_LENGTH: 5_000_000,
    # LIKE takes one step too, as many comparisons as text and pattern have characters, multiplied.
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
}


@contextmanager
def only_reading(db: sqlite3.Connection) -> Iterator[None]:
    """Lets SQL on a connection only read what is opened already, with bounded memory.

    Anything else raises sqlite3.DatabaseError: "not authorized", or "too big". Files that belong
    to the org are attached before. Ctrl-C raises KeyboardInterrupt, as it does everywhere.
    """
    # json_each is declared by a CREATE TABLE of its own, once a connection: before it is forbidden.
    db.execute("SELECT value FROM json_each('[]')").close()
    was_query_only = db.execute("PRAGMA query_only").fetchone()[0]
    before = {limit: db.getlimit(limit) for limit in LIMITS}
    db.execute("PRAGMA query_only = 1")
    for limit, value in LIMITS.items():
        # A limit that is lower already stays so.
        db.setlimit(limit, min(value, before[limit]))
    db.set_authorizer(_authorize)
    try:
        with _interruptible():
            yield
    finally:
        db.set_authorizer(None)
        for limit, value in before.items():
            db.setlimit(limit, value)
        db.execute(f"PRAGMA query_only = {was_query_only}")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Lets Ctrl-C through where SQLite calls back into Python.

    Python runs its handler between any two steps, so also in an authorizer, a progress handler or a
    function of ours. sqlite3 swallows an exception of these: a KeyboardInterrupt would come out as
    "not authorized", as "interrupted" or as a fault of the function.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed = []

    def note(number: int, frame: FrameType | None) -> object:
        pressed.append(number)
        return before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception as error:
        if pressed:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def rules_seconds(records: int) -> float:
    """How long all rules of a schema may take together on so many records.

    >>> rules_seconds(40_000), rules_seconds(50_000_000)
    (120.0, 6000.0)
    """
    return RULES_SECONDS * max(records / RECORDS_IN_TIME, 1.0)


@contextmanager
def until(db: sqlite3.Connection, end: float) -> Iterator[None]:
    """Interrupts what a connection does when `time.monotonic` reaches `end`.

    Raises TimeoutError that says what to mend.
    """

    def is_over() -> bool:
        return time.monotonic() >= end

    db.set_progress_handler(is_over, STEPS_A_LOOK)
    try:
        yield
    except sqlite3.OperationalError as error:
        if is_over():
            raise TimeoutError(
                "stopped, since the schema's rules take too long together; give joins conditions"
                " and recursions an end"
            ) from error
        raise
    finally:
        db.set_progress_handler(None, 0)


def check_rules(path: Path, rules: Sequence[Invariant], objects: Iterable[ObjectType]) -> None:
    """Raises SchemaError for the first rule of a file that isn't one SELECT on these object types.

    Nothing is run: SQLite compiles each rule for empty tables of the schema.
    """
    queries = {}
    for rule in rules:
        queries[f"{path}: {rule.name}: tried"] = rule.tried
        queries[f"{path}: {rule.name}: broken"] = rule.broken
    _check_queries(queries, objects)


def check_statistics(
    path: Path,
    statistics: Sequence[Statistic],
    objects: Iterable[ObjectType],
) -> None:
    """The same for the measures of statistics."""
    queries = {}
    for statistic in statistics:
        queries[f"{path}: {statistic.name}: measure"] = statistic.measure
    _check_queries(queries, objects)


def _check_queries(queries: Mapping[str, str], objects: Iterable[ObjectType]) -> None:
    """Compiles queries, each by the place where it stands."""
    if not queries:
        return
    with closing(sqlite3.connect(":memory:")) as db:
        for item in objects:
            columns = ", ".join(f'"{field.name}"' for field in item.fields)
            db.execute(f'CREATE TABLE "{item.name}" ({columns})')
        register_measures(db)
        with only_reading(db):
            for where, query in queries.items():
                _compile(db, query, where)


def _compile(db: sqlite3.Connection, query: str, where: str) -> None:
    """Compiles a query that must be one SELECT: only that can stand behind a FROM."""
    inner = query.strip().removesuffix(";")
    try:
        db.execute(f"EXPLAIN SELECT * FROM (\n{inner}\n)").close()
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        told = " ".join(str(error).split())
        raise SchemaError(
            f"{where}: is no query on the org that SQLite takes ({told}); write one SELECT that"
            " reads the schema's object types, no other statement and no PRAGMA"
        ) from error


def _authorize(action: int, _: object, name: object, *others: object) -> int:
    """SQLite's question whether a statement may do something; `name` is a function's, if it is one.

    `load_extension` would run code.
    """
    if action not in READING or name == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
