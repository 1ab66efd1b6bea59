"""The tables of a ledger, and how a row of theirs tells that it is what was written.

Each row ends with the SHA-256 of its other columns. A row whose digest is another was changed by
a fault of the disk, or by hand, and nothing of it is used. Rows of formats 0 and 1 have none; they
are taken as they are, where they have the right form, and get one when the ledger is next written
to.

Knows no run and no folder.
"""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DIGEST = "digest"
"""The last column of every table."""
DIGEST_TYPE = "TEXT NOT NULL DEFAULT ''"
OWN_TABLE = "answers"
"""The table that tells a ledger from another SQLite file."""
OBJECT = "object"
COST = "cost"
TOKENS_IN = "tokens_in"
TOKENS_OUT = "tokens_out"
# What one answer may have cost in dollars and tokens: a damaged row may tell any number.
MOST_PAID, MOST_TOKENS = 100.0, 10**7
TABLES: Mapping[str, Mapping[str, str]] = {
    OWN_TABLE: {
        "key": "TEXT PRIMARY KEY",
        OBJECT: "TEXT NOT NULL",
        "request": "TEXT NOT NULL",
        "entries": "TEXT NOT NULL",
        "verdicts": "TEXT NOT NULL",
        TOKENS_IN: "INTEGER NOT NULL",
        TOKENS_OUT: "INTEGER NOT NULL",
        COST: "REAL NOT NULL",
        "seconds": "REAL NOT NULL",
        "writer": "TEXT NOT NULL",
        "sent": "TEXT NOT NULL DEFAULT ''",
        "text": "TEXT NOT NULL DEFAULT ''",
        "trouble": "TEXT NOT NULL DEFAULT ''",
        "cut": "INTEGER NOT NULL DEFAULT 0",
    },
    "rulings": {
        "key": "TEXT PRIMARY KEY",
        OBJECT: "TEXT NOT NULL",
        "request": "TEXT NOT NULL",
        "chosen": "TEXT NOT NULL",
        TOKENS_IN: "INTEGER NOT NULL",
        TOKENS_OUT: "INTEGER NOT NULL",
        COST: "REAL NOT NULL",
        "judge": "TEXT NOT NULL",
        "sent": "TEXT NOT NULL",
        "text": "TEXT NOT NULL",
    },
    "meta": {"key": "TEXT PRIMARY KEY", "value": "TEXT NOT NULL"},
}
"""Table -> its columns with their types, without the digest."""
BY_UNIT: Mapping[str, type] = {"entries": dict, "verdicts": str, "chosen": list}
"""Columns that hold JSON objects by unit, and what each unit has."""
ADDED_LATER = frozenset({"sent", "text", "trouble", "cut", DIGEST})
"""Columns that the first ledgers didn't have."""
LedgerValue = str | int | float
LedgerRow = Sequence[Any]


def create_table(name: str) -> str:
    """The SQL that makes one of the tables where it isn't there."""
    columns = [f"{column} {kind}" for column, kind in TABLES[name].items()]
    columns.append(f"{DIGEST} {DIGEST_TYPE}")
    return f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(columns)})"


def insert(name: str) -> str:
    """The SQL that adds a row, or replaces the one with its key; see `sealed`."""
    columns = [*TABLES[name], DIGEST]
    marks = ", ".join("?" * len(columns))
    return f"INSERT OR REPLACE INTO {name} ({', '.join(columns)}) VALUES ({marks})"


def sealed(values: Sequence[LedgerValue]) -> tuple[LedgerValue, ...]:
    """A row's values in the order of its table's columns, and their digest."""
    return (*values, digest_of(values))


def digest_of(values: LedgerRow) -> str:
    """SHA-256 of a row's values without its digest, 64 hexadecimal digits."""
    text = json.dumps(list(values), ensure_ascii=False, default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def readable(raw: bytes) -> str:
    """A text as SQLite has it; one that is no UTF-8 is read all the same, to be found damaged."""
    return raw.decode("utf-8", "replace")


@dataclass(slots=True)
class LedgerCount:
    """What a look at all rows found.

    `dropped` counts unsound rows by object type (`meta` for the run's own notes), `paid` and
    `tokens` are what those cost, as far as they tell. `faults` is what SQLite says of the file.
    """

    sound: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    paid: float = 0.0
    tokens: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every row and every page is as it was written."""
        return not self.dropped and not self.faults

    def drop(self, name: str, row: LedgerRow) -> None:
        """Counts a row that isn't sound."""
        told = dict(zip(TABLES[name], row, strict=False))
        self.dropped[str(told.get(OBJECT, name))] += 1
        self.paid += _within(told.get(COST), MOST_PAID)
        self.tokens += int(_within(told.get(TOKENS_IN), MOST_TOKENS))
        self.tokens += int(_within(told.get(TOKENS_OUT), MOST_TOKENS))

    def says(self) -> str:
        """What is damaged, in a few words: `2 of 812 rows (Case 2)`."""
        number = self.dropped.total()
        if not number:
            return self.faults[0]
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.dropped.items()))
        return f"{number:,} of {number + self.sound:,} rows: {kinds}"


def _within(told: object, most: float) -> float:
    """A number of a damaged row, 0 where it can't be right."""
    if isinstance(told, int | float) and 0 <= told <= most:
        return told
    return 0.0


def looked_over(db: sqlite3.Connection) -> LedgerCount:
    """Looks at every page and every row of a ledger of any format; raises sqlite3.Error."""
    found = LedgerCount()
    for (fault,) in db.execute("PRAGMA integrity_check(1)"):
        if fault != "ok":
            found.faults.append(" ".join(str(fault).split()))
    for name in tables_of(db):
        is_sound = soundness(db, name)
        # Not by the index: a row that it has lost would be asked for again in silence.
        for row in db.execute(f"SELECT {', '.join(columns_of(db, name))} FROM {name} NOT INDEXED"):
            if is_sound(row):
                found.sound += 1
            else:
                found.drop(name, row)
    return found


def tables_of(db: sqlite3.Connection) -> Iterator[str]:
    """Those of the ledger's tables that are there."""
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for name in TABLES:
        if name in there:
            yield name


def columns_of(db: sqlite3.Connection, name: str) -> list[str]:
    """The columns of a table, as far as this version knows them; the digest comes last."""
    there = {row[1] for row in db.execute(f"PRAGMA table_info({name})")}
    return [column for column in (*TABLES[name], DIGEST) if column in there]


def missing_columns(db: sqlite3.Connection, name: str) -> set[str]:
    """The columns that a table of an older format, or a damaged one, lacks."""
    return {*TABLES[name], DIGEST}.difference(columns_of(db, name))


def soundness(db: sqlite3.Connection, name: str) -> Callable[[LedgerRow], bool]:
    """Tells of a table's rows, read by `columns_of`, whether they are what was written.

    Whether the table has digests decides, and not the file's number, which a fault may change.
    """
    columns = columns_of(db, name)
    places = [(columns.index(part), kind) for part, kind in BY_UNIT.items() if part in columns]
    lost = missing_columns(db, name) - ADDED_LATER

    def verifies(row: LedgerRow) -> bool:
        return bool(row[-1] == digest_of(row[:-1]))

    def has_form(row: LedgerRow) -> bool:
        return not lost and all(is_by_unit(row[place], kind) for place, kind in places)

    return verifies if columns[-1] == DIGEST else has_form


def is_by_unit(text: object, kind: type) -> bool:
    """Whether a text is a JSON object with a number for each unit and such a value for it."""
    try:
        values = json.loads(str(text))
        if not isinstance(values, dict):
            return False
        return all(isinstance(values[unit], kind) and int(unit) >= 0 for unit in values)
    except (ValueError, RecursionError):
        return False
