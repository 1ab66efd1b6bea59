"""What a stranger's SQL may do on the private copy: read, with the usual functions, a bounded
amount.

SQLite itself holds the bounds. A time limit beside it would not: it is looked at between two
virtual instructions, and `zeroblob(1000000000)` is one. Knows no Datasette and no HTTP.

Example: `SELECT zeroblob(9)` ends with "not authorized to use function: zeroblob".
"""

import sqlite3
from sqlite3 import Connection, Cursor, Row
from weakref import ref

from orgweave.soql.sql import SqlValue

LIMITS = {
    # Bytes of a text or a stored row: seven times the CRM's longest rich text.
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    # Bytes of a statement. Ours are the longest, with a search over every column of a table.
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 50_000,
    # No object type has half as many fields.
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    # What LIKE costs grows with the pattern's length for each letter of the text.
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 32,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
HEAP = 100_000_000
"""Bytes that SQLite may take in the whole process; a statement that needs more fails."""
LARGEST_ANSWER = 10_000_000
"""Bytes of an answer's texts: a page of the longest list has a tenth of it."""
READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
# Datasette's and the full-text index's own; on a file that is opened as immutable none of them
# changes anything.
PRAGMA_NAMES = """
    compile_options data_version database_list foreign_key_list function_list index_info index_list
    index_xinfo schema_version table_info table_list table_xinfo
"""
# Left out on purpose: what makes a long text of a short one (zeroblob, printf, replace, hex) and
# what takes the product of two texts' lengths (instr, trim), both in one instruction.
FUNCTION_NAMES = """
    abs avg bm25 char coalesce count cume_dist current_date current_time current_timestamp date
    datetime dense_rank escape_fts first_value glob group_concat highlight ifnull iif json
    json_array json_array_length json_each json_extract json_group_array json_group_object
    json_object json_type json_valid julianday lag last_value lead length like lower match max min
    nth_value ntile nullif percent_rank rank round row_number sign snippet strftime substr
    substring sum time total typeof unicode unixepoch upper -> ->>
"""
PRAGMAS, FUNCTIONS = frozenset(PRAGMA_NAMES.split()), frozenset(FUNCTION_NAMES.split())


class AnswerRows:
    """A row factory that refuses an answer of too many bytes; a connection answers one statement
    at a time.
    """

    def __init__(self) -> None:
        self._cursor: ref[Cursor] | None = None
        self._left = 0

    def __call__(self, cursor: Cursor, values: tuple[SqlValue | bytes, ...]) -> Row:
        """Makes a row; raises OperationalError."""
        if self._cursor is None or self._cursor() is not cursor:
            self._cursor, self._left = ref(cursor), LARGEST_ANSWER
        for value in values:
            if isinstance(value, str | bytes):
                self._left -= len(value)
        if self._left < 0:
            raise sqlite3.OperationalError(
                f"the answer has more than {LARGEST_ANSWER:,} bytes; select fewer rows or columns"
            )
        return Row(cursor, values)


def limit(db: Connection) -> None:
    """Bounds a connection before a stranger's SQL is run on it."""
    for category, most in LIMITS.items():
        db.setlimit(category, most)
    db.row_factory = AnswerRows()
    db.set_authorizer(_allowed)


def limit_heap(db: Connection) -> None:
    """Bounds what all of SQLite may take in this process."""
    db.execute(f"PRAGMA hard_heap_limit = {HEAP}")


def _allowed(
    action: int,
    first: str | None,
    second: str | None,
    schema: str | None,
    trigger: str | None,
) -> int:
    """SQLite's question for each part of a statement while it is compiled."""
    right = action in READING
    if action == sqlite3.SQLITE_FUNCTION:
        right = str(second).lower() in FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        right = str(first).lower() in PRAGMAS
    elif action == sqlite3.SQLITE_UPDATE:
        # SQLite asks this of json_each and the like; a real change of it SQLite itself refuses.
        right = first == "sqlite_master"
    return sqlite3.SQLITE_OK if right else sqlite3.SQLITE_DENY
