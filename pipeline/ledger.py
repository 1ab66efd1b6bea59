"""The ledger: cache, checkpoint and account in one SQLite file.

Key: SHA-256 of the exact request; value: what was accepted.

An answer is kept once it has been verified, in a transaction of its own, so that a run may be
killed at any moment.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from schemas.errors import StorageFailed

TABLES = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, object TEXT NOT NULL, request TEXT NOT NULL, entries TEXT NOT NULL, verdicts TEXT NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost REAL NOT NULL, seconds REAL NOT NULL, writer TEXT NOT NULL,
  sent TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '', trouble TEXT NOT NULL DEFAULT '', cut INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS rulings (
  key TEXT PRIMARY KEY, object TEXT NOT NULL, request TEXT NOT NULL, chosen TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
  cost REAL NOT NULL, judge TEXT NOT NULL, sent TEXT NOT NULL, text TEXT NOT NULL);
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


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A finished mini-batch: accepted entries by unit, the reasons of the refused ones, tokens and
    dollars.

    `sent` and `text` are what went over the wire; `trouble` is what was wrong with the whole
    answer, `cut` that it was too long.
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
    """What a judge chose: for each unit the chosen candidates' places, in the order of its
    questions (-1: no such candidate).
    """

    chosen: Mapping[int, tuple[int, ...]]
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    sent: str = ""
    text: str = ""


class Ledger:
    """Opens or makes the ledger of a run; raises StorageFailed where the file is damaged or can't
    be written.
    """

    def __init__(self, path: Path, look: bool = False) -> None:
        """With `look` the file is only read, as it stands, and may lie where nothing can be
        written.
        """
        self.path = path
        try:
            if look:
                self._db = sqlite3.connect(
                    f"{path.resolve().as_uri()}?mode=ro{'' if path.with_name(path.name + '-wal').exists() else '&immutable=1'}",
                    uri=True,
                )
                return
            self._db = sqlite3.connect(path)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(TABLES)
            self._widen()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def get(self, key: str) -> LedgerEntry | None:
        """The finished mini-batch of that request, or None."""
        row = self._run(
            "SELECT entries, verdicts, tokens_in, tokens_out, cost, seconds, cut FROM answers WHERE"
            " key = ?",
            (key,),
        ).fetchone()
        if row is None:
            return None
        entries = {int(unit): entry for unit, entry in json.loads(row[0]).items()}
        return LedgerEntry(
            entries,
            {int(unit): reason for unit, reason in json.loads(row[1]).items()},
            tokens_in=row[2],
            tokens_out=row[3],
            cost=row[4],
            seconds=row[5],
            cut=bool(row[6]),
        )

    def put(self, key: str, name: str, request: str, kept: LedgerEntry, writer: str) -> None:
        """Keeps a finished mini-batch."""
        entries, refused = (
            json.dumps(kept.entries, ensure_ascii=False),
            json.dumps(kept.refused, ensure_ascii=False),
        )
        paid = (kept.tokens_in, kept.tokens_out, kept.cost, kept.seconds, writer)
        row = (
            key,
            name,
            request,
            entries,
            refused,
            *paid,
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
        row = self._run(
            "SELECT chosen, tokens_in, tokens_out, cost FROM rulings WHERE key = ?", (key,)
        ).fetchone()
        return (
            None
            if row is None
            else Ruling(
                {int(unit): tuple(places) for unit, places in json.loads(row[0]).items()}, *row[1:]
            )
        )

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
        rows = [
            self._run(
                f"SELECT total(cost), total(tokens_in) + total(tokens_out) FROM {name}", ()
            ).fetchone()
            for name in ("answers", "rulings")
        ]
        return sum(row[0] for row in rows), int(sum(row[1] for row in rows))

    def rows(
        self,
        columns: str,
        where: str,
        values: tuple[object, ...],
        table: Literal["answers", "rulings"] = "answers",
    ) -> Iterator[tuple[Any, ...]]:
        """Mini-batches (or rulings) as they were kept, in the order of their keeping; for looking
        at them.
        """
        yield from self._run(f"SELECT {columns} FROM {table} WHERE {where} ORDER BY rowid", values)

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _widen(self) -> None:
        """Adds the columns that a ledger of an older version lacks."""
        known = {row[1] for row in self._db.execute("PRAGMA table_info(answers)")}
        for name in COLUMNS:
            if name not in known:
                self._db.execute(
                    f"ALTER TABLE answers ADD COLUMN {name}"
                    f" {'INTEGER' if name == 'cut' else 'TEXT'} NOT NULL DEFAULT"
                    f" {0 if name == 'cut' else repr('')}"
                )
        self._db.commit()

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
            return StorageFailed(
                f"{self.path}: is damaged ({text}); move it away and run the same command again to"
                " make it anew"
            )
        if "locked" in text:
            return StorageFailed(
                f"{self.path}: is in use by another run; wait for it or use another --out"
            )
        return StorageFailed(
            f"{self.path}: can't be written ({text}); check space and rights, then run the same"
            " command again"
        )
