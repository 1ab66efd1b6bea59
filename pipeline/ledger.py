"""The ledger: cache, checkpoint and account in one SQLite file. Key: SHA-256 of the exact request; value: what was accepted.

An answer is kept once it has been verified, in a transaction of its own, so that a run may be killed at any moment.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from schemas.errors import StorageFailed

TABLES = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, object TEXT NOT NULL, request TEXT NOT NULL, entries TEXT NOT NULL, verdicts TEXT NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost REAL NOT NULL, seconds REAL NOT NULL, writer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A finished mini-batch: accepted entries by unit, the reasons of the refused ones, tokens and dollars."""

    entries: Mapping[int, Mapping[str, object]]
    refused: Mapping[int, str]
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0


class Ledger:
    """Opens or makes the ledger of a run; raises StorageFailed where the file is damaged or can't be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(TABLES)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def get(self, key: str) -> Kept | None:
        """The finished mini-batch of that request, or None."""
        row = self._run("SELECT entries, verdicts, tokens_in, tokens_out, cost, seconds FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        entries = {int(unit): entry for unit, entry in json.loads(row[0]).items()}
        return Kept(entries, {int(unit): reason for unit, reason in json.loads(row[1]).items()}, *row[2:])

    def put(self, key: str, name: str, request: str, kept: Kept, writer: str) -> None:
        """Keeps a finished mini-batch."""
        entries, refused = json.dumps(kept.entries, ensure_ascii=False), json.dumps(kept.refused, ensure_ascii=False)
        row = (key, name, request, entries, refused, kept.tokens_in, kept.tokens_out, kept.cost, kept.seconds, writer)
        self._run("INSERT OR REPLACE INTO answers VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        self._commit()

    def note(self, key: str) -> str | None:
        """A value kept about the run itself."""
        row = self._run("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

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
        if "not a database" in text or "malformed" in text:
            return StorageFailed(f"{self.path}: is damaged ({text}); move it away and run the same command again to make it anew")
        if "locked" in text:
            return StorageFailed(f"{self.path}: is in use by another run; wait for it or use another --out")
        return StorageFailed(f"{self.path}: can't be written ({text}); check space and rights, then run the same command again")
