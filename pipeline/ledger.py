"""The ledger: cache, checkpoint and account in one SQLite file.

A key is the SHA-256 of the exact request; its value is what was accepted. An answer is kept once it
has been verified, in a transaction of its own, so that a run may be killed at any moment.

Knows no prompt, no writer and no object type.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from pipeline.atomic import CHECK_DISK
from pipeline.run_folder import LEDGER_FORMAT, check_format, sqlite_uri, user_version
from schemas.errors import BadInput, StorageFailed

T = TypeVar("T")

TABLES = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY,
  object TEXT NOT NULL,
  request TEXT NOT NULL,
  entries TEXT NOT NULL,
  verdicts TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost REAL NOT NULL,
  seconds REAL NOT NULL,
  writer TEXT NOT NULL,
  sent TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL DEFAULT '',
  trouble TEXT NOT NULL DEFAULT '',
  cut INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS rulings (
  key TEXT PRIMARY KEY,
  object TEXT NOT NULL,
  request TEXT NOT NULL,
  chosen TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost REAL NOT NULL,
  judge TEXT NOT NULL,
  sent TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
COLUMNS = (
    "key",
    "object",
    "request",
    "entries",
    "verdicts",
    "tokens_in",
    "tokens_out",
    "cost",
    "seconds",
    "writer",
    "sent",
    "text",
    "trouble",
    "cut",
)
DAMAGE = ("not a database", "malformed", "no such", "Could not decode")
"""What SQLite says of a file that is damaged: of its pages, its tables and columns, its texts."""
OWN_TABLE = "answers"
"""The table that tells a ledger from another SQLite file."""
# Columns that the first ledgers didn't have.
ADDED_COLUMNS = {
    "sent": "TEXT NOT NULL DEFAULT ''",
    "text": "TEXT NOT NULL DEFAULT ''",
    "trouble": "TEXT NOT NULL DEFAULT ''",
    "cut": "INTEGER NOT NULL DEFAULT 0",
}


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A finished mini-batch.

    `entries` are the accepted entries by unit, `refused` the reasons for the other units. `cost` is
    in dollars. `sent` and `text` are what went over the wire; `trouble` is what was wrong with the
    whole answer, and `cut` tells that it was too long.
    """

    entries: Mapping[int, Mapping[str, object]]
    refused: Mapping[int, str]
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    sent: str = ""
    text: str = ""
    trouble: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge chose.

    `chosen` has for each unit the chosen candidates' places, in the order of its questions; -1
    means that there is no such candidate.
    """

    chosen: Mapping[int, tuple[int, ...]]
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    sent: str = ""
    text: str = ""


class Ledger:
    """The ledger of a run, opened or made.

    Raises StorageFailed where the file is damaged or can't be written, BadInput where a newer
    version of orgweave made it.
    """

    def __init__(self, path: Path, look: bool = False) -> None:
        """With `look` the file is only read, as it is, and may be where nothing can be written."""
        self.path = path
        try:
            self._db = _opened_to_look(path) if look else sqlite3.connect(path)
            found = user_version(self._db)
            check_format(path, found, LEDGER_FORMAT)
            self._require_own()
            if look:
                return
            # One transaction a mini-batch: with a log beside the file that costs no wait for the
            # disk, and a kill loses nothing that was committed.
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            if found < LEDGER_FORMAT:
                self._bring_up_to_date()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def get(self, key: str) -> LedgerEntry | None:
        """The finished mini-batch of that request, or None."""
        row = self._row(
            "SELECT entries, verdicts, tokens_in, tokens_out, cost, seconds, cut FROM answers WHERE"
            " key = ?",
            (key,),
        )
        if row is None:
            return None
        entries, refused, tokens_in, tokens_out, cost, seconds, cut = row
        return LedgerEntry(
            self._by_unit(key, entries, dict),
            self._by_unit(key, refused, str),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
            seconds=seconds,
            cut=bool(cut),
        )

    def put(self, key: str, name: str, request: str, kept: LedgerEntry, writer: str) -> None:
        """Keeps a finished mini-batch."""
        row = (
            key,
            name,
            request,
            json.dumps(kept.entries, ensure_ascii=False),
            json.dumps(kept.refused, ensure_ascii=False),
            kept.tokens_in,
            kept.tokens_out,
            kept.cost,
            kept.seconds,
            writer,
            kept.sent,
            kept.text,
            kept.trouble,
            int(kept.cut),
        )
        self._run(
            f"INSERT OR REPLACE INTO answers ({', '.join(COLUMNS)}) VALUES"
            f" ({', '.join('?' * len(COLUMNS))})",
            row,
        )
        self._commit()

    def ruling(self, key: str) -> Ruling | None:
        """The judge's ruling on exactly that question, or None."""
        row = self._row(
            "SELECT chosen, tokens_in, tokens_out, cost FROM rulings WHERE key = ?", (key,)
        )
        if row is None:
            return None
        chosen, tokens_in, tokens_out, cost = row
        chosen_places = self._by_unit(key, chosen, list)
        places = {unit: tuple(found) for unit, found in chosen_places.items()}
        return Ruling(places, tokens_in, tokens_out, cost)

    def put_ruling(self, key: str, name: str, request: str, ruling: Ruling, judge: str) -> None:
        """Keeps a judge's ruling."""
        row = (
            key,
            name,
            request,
            json.dumps(ruling.chosen),
            ruling.tokens_in,
            ruling.tokens_out,
            ruling.cost,
            judge,
            ruling.sent,
            ruling.text,
        )
        self._run("INSERT OR REPLACE INTO rulings VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        self._commit()

    def paid(self) -> tuple[float, int]:
        """Dollars and tokens of everything that this ledger holds."""
        dollars, tokens = 0.0, 0.0
        for name in ("answers", "rulings"):
            sql = f"SELECT total(cost), total(tokens_in) + total(tokens_out) FROM {name}"
            row = self._run(sql, ()).fetchone()
            dollars, tokens = dollars + row[0], tokens + row[1]
        return dollars, int(tokens)

    def rows(
        self,
        columns: str,
        where: str,
        values: tuple[object, ...],
        table: Literal["answers", "rulings"] = "answers",
    ) -> Iterator[tuple[Any, ...]]:
        """Mini-batches (or rulings) as they were kept, in the order of their keeping."""
        sql = f"SELECT {columns} FROM {table} WHERE {where} ORDER BY rowid"
        try:
            yield from self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def note(self, key: str) -> str | None:
        """A value kept about the run itself."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else str(row[0])

    def set_note(self, key: str, value: str) -> None:
        """Keeps a value about the run itself."""
        self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        self._commit()

    def size(self) -> int:
        """How many mini-batches are kept."""
        return int(self._run("SELECT count(*) FROM answers", ()).fetchone()[0])

    def close(self) -> None:
        """Folds the journal into the file."""
        self._db.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _require_own(self) -> None:
        """Raises BadInput for a file that holds other tables: it is somebody's own."""
        tables = _tables(self._db)
        if tables and OWN_TABLE not in tables:
            self._db.close()
            raise BadInput(
                f"{self.path}: is no ledger of orgweave (it holds the table {tables[0]}); move it"
                " away or name another --out"
            )

    def _bring_up_to_date(self) -> None:
        """Makes the tables of a new file, and the columns that one of format 0 may lack."""
        self._db.executescript(TABLES)
        known = {row[1] for row in self._db.execute("PRAGMA table_info(answers)")}
        for name, kind in ADDED_COLUMNS.items():
            if name not in known:
                self._db.execute(f"ALTER TABLE answers ADD COLUMN {name} {kind}")
        # The number comes last: a kill before it leaves a file that is brought up to date again.
        self._db.execute(f"PRAGMA user_version = {LEDGER_FORMAT}")
        self._db.commit()

    def _by_unit(self, key: str, text: object, kind: type[T]) -> dict[int, T]:
        """The values of a row by their units; raises StorageFailed where the row is damaged."""
        try:
            values = {int(unit): value for unit, value in json.loads(str(text)).items()}
        except (ValueError, AttributeError, RecursionError) as error:
            raise self._damaged(f"row {key}: {error}") from error
        for unit, value in values.items():
            if not isinstance(value, kind):
                raise self._damaged(f"row {key}: unit {unit} is no {kind.__name__}")
        return values

    def _damaged(self, fault: str) -> StorageFailed:
        return StorageFailed(
            f"{self.path}: is damaged ({fault}); move it away and run the same command again to"
            " make it anew"
        )

    def _row(self, sql: str, values: tuple[object, ...]) -> tuple[Any, ...] | None:
        """The first row; a damaged text in it is met only when the row is fetched."""
        try:
            row: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise self._failed(error) from error
        return row

    def _run(self, sql: str, values: tuple[object, ...]) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _commit(self) -> None:
        try:
            self._db.commit()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> StorageFailed:
        text = str(error)
        if any(sign in text for sign in DAMAGE):
            return self._damaged(text)
        if "locked" in text:
            return StorageFailed(
                f"{self.path}: is in use by another run; wait for it or use another --out"
            )
        return StorageFailed(f"{self.path}: can't be written ({text}); {CHECK_DISK}")


def is_ledger(path: Path) -> bool:
    """Whether a file is a ledger; one that can't be read as SQLite is none."""
    if not path.is_file():
        return False
    try:
        with closing(_opened_to_look(path)) as db:
            return OWN_TABLE in _tables(db)
    except sqlite3.Error:
        return False


def _tables(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def _opened_to_look(path: Path) -> sqlite3.Connection:
    """The file without its locks, unless a log beside it says that a run is at work on it."""
    log = path.with_name(f"{path.name}-wal")
    uri = sqlite_uri(path, "ro")
    return sqlite3.connect(uri if log.exists() else f"{uri}&immutable=1", uri=True)
