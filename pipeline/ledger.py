"""The ledger: cache, checkpoint and account in one SQLite file.

A key is the SHA-256 of the exact request; its value is what was accepted. An answer is kept once it
has been verified, in a transaction of its own, so that a run may be killed at any moment.

Knows no prompt, no writer and no object type.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from types import TracebackType
from typing import Any, Literal

from pipeline.atomic import CHECK_DISK
from pipeline.ledger_log import log_is_damaged
from pipeline.ledger_rows import (
    DIGEST,
    DIGEST_TYPE,
    OWN_TABLE,
    TABLES,
    LedgerCount,
    LedgerValue,
    create_table,
    digest_of,
    insert,
    looked_over,
    missing_columns,
    readable,
    sealed,
)
from pipeline.manifest import LEDGER_FORMAT, check_format
from pipeline.run_folder import RunFolder, sqlite_uri, user_version
from schemas.errors import BadInput, StorageFailed

DAMAGE = ("not a database", "malformed", "no such", "Could not decode")
"""What SQLite says of a file that is damaged: of its pages, its tables and columns, its texts."""
LOG_DAMAGED = "its log, which holds the last mini-batches of a killed run, is not what was written"
DROPPED_COST, DROPPED_TOKENS = "dropped cost", "dropped tokens"
"""The notes on what rows have cost that a repair dropped: paid is paid."""


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

    Every row is looked at when it is opened: of a ledger with a damaged one nothing is used, so
    that no other words than those that were accepted get into an org, and none is paid for twice
    unasked. Raises StorageFailed where the file is damaged, locked or can't be written, BadInput
    where a newer version of orgweave made it.
    """

    def __init__(self, path: Path, look: bool = False) -> None:
        """With `look` the file is only read, as it is, and may be where nothing can be written."""
        self.path = path
        # A run that is killed at its very begin leaves an empty file too, but no manifest.
        emptied = path.is_file() and not path.stat().st_size
        if emptied and RunFolder(path.parent).manifest_file.is_file():
            raise self._damaged("it is empty")
        # Before SQLite sees it, which folds in what is left of a log and takes it away.
        if not look and log_is_damaged(path):
            raise self._damaged(LOG_DAMAGED)
        with ExitStack() as stack:
            try:
                self._db = _opened_to_look(path) if look else sqlite3.connect(path)
                stack.callback(self._db.close)
                self._begin(look)
            except sqlite3.Error as error:
                raise self._failed(error) from error
            stack.pop_all()

    def get(self, key: str) -> LedgerEntry | None:
        """The finished mini-batch of that request, or None."""
        row = self._row("answers", key)
        if row is None:
            return None
        return LedgerEntry(
            _by_unit(row["entries"]),
            _by_unit(row["verdicts"]),
            tokens_in=row["tokens_in"],
            tokens_out=row["tokens_out"],
            cost=row["cost"],
            seconds=row["seconds"],
            text=str(row.get("text", "")),
            cut=bool(row["cut"]),
        )

    def put(self, key: str, name: str, request: str, kept: LedgerEntry, writer: str) -> None:
        """Keeps a finished mini-batch."""
        self._keep(
            "answers",
            key,
            name,
            request,
            json.dumps(kept.entries, ensure_ascii=False),
            json.dumps(kept.refused, ensure_ascii=False),
            int(kept.tokens_in),
            int(kept.tokens_out),
            float(kept.cost),
            float(kept.seconds),
            writer,
            kept.sent,
            kept.text,
            kept.trouble,
            int(kept.cut),
        )

    def ruling(self, key: str) -> Ruling | None:
        """The judge's ruling on exactly that question, or None."""
        row = self._row("rulings", key)
        if row is None:
            return None
        places = {unit: tuple(found) for unit, found in _by_unit(row["chosen"]).items()}
        return Ruling(places, row["tokens_in"], row["tokens_out"], row["cost"])

    def put_ruling(self, key: str, name: str, request: str, ruling: Ruling, judge: str) -> None:
        """Keeps a judge's ruling."""
        self._keep(
            "rulings",
            key,
            name,
            request,
            json.dumps(ruling.chosen),
            int(ruling.tokens_in),
            int(ruling.tokens_out),
            float(ruling.cost),
            judge,
            ruling.sent,
            ruling.text,
        )

    def paid(self) -> tuple[float, int]:
        """Dollars and tokens of everything that this ledger holds, or held before a repair."""
        dollars = float(self.note(DROPPED_COST) or 0)
        tokens = float(self.note(DROPPED_TOKENS) or 0)
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
        row = self._row("meta", key)
        return None if row is None else str(row["value"])

    def set_note(self, key: str, value: str) -> None:
        """Keeps a value about the run itself."""
        self._keep("meta", key, value)

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

    def _begin(self, look: bool) -> None:
        """Looks at all of the file, and readies it for writing unless it is only looked at."""
        self._db.text_factory = readable
        found = user_version(self._db)
        check_format(self.path, found, LEDGER_FORMAT)
        require_own(self.path, self._db)
        self._require_sound(looked_over(self._db))
        if not look:
            self._begin_writing(found)

    def _begin_writing(self, found: int) -> None:
        """Readies the file for writing; `found` is the number of its format."""
        # One transaction a mini-batch: with a log beside the file that costs no wait for the
        # disk, and a kill loses nothing that was committed.
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if found < LEDGER_FORMAT:
            # All or nothing, with the number of the format, whenever it is killed.
            self._db.execute("BEGIN IMMEDIATE")
            for name in TABLES:
                self._bring_up_to_date(name)
            self._db.execute(f"PRAGMA user_version = {LEDGER_FORMAT}")
            self._db.commit()

    def _bring_up_to_date(self, name: str) -> None:
        """Makes a table, or adds the columns that one of an older format lacks.

        Its rows, which were looked at and found to have the right form, get their digests.
        """
        self._db.execute(create_table(name))
        missing = missing_columns(self._db, name)
        for column, kind in {**TABLES[name], DIGEST: DIGEST_TYPE}.items():
            if column in missing:
                self._db.execute(f"ALTER TABLE {name} ADD COLUMN {column} {kind}")
        if DIGEST in missing:
            rows = self._db.execute(f"SELECT rowid, {', '.join(TABLES[name])} FROM {name}")
            seals = [(digest_of(row), rowid) for rowid, *row in rows]
            self._db.executemany(f"UPDATE {name} SET {DIGEST} = ? WHERE rowid = ?", seals)

    def _require_sound(self, found: LedgerCount) -> None:
        """Raises StorageFailed where a row or a page isn't what was written."""
        if not found.whole:
            raise self._damaged(found.says())

    def _damaged(self, fault: str) -> StorageFailed:
        return StorageFailed(f"{self.path}: is damaged ({fault}); {repair_hint(self.path)}")

    def _keep(self, name: str, *values: LedgerValue) -> None:
        """Writes a row with its digest, in a transaction of its own."""
        self._run(insert(name), sealed(values))
        self._commit()

    def _row(self, name: str, key: str) -> dict[str, Any] | None:
        """The row of a key, by its columns; those of an older format are fewer."""
        try:
            cursor = self._db.execute(f"SELECT * FROM {name} WHERE key = ?", (key,))
            row = cursor.fetchone()
        except sqlite3.Error as error:
            raise self._failed(error) from error
        names = [column[0] for column in cursor.description]
        return None if row is None else dict(zip(names, row, strict=True))

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
        if is_locked(error):
            return StorageFailed(
                f"{self.path}: is in use by another run or program (it is locked); wait for it or"
                " use another --out"
            )
        return StorageFailed(f"{self.path}: can't be written ({text}); {CHECK_DISK}")


def is_locked(error: Exception) -> bool:
    """Whether SQLite failed because another program holds the file, which isn't damaged then."""
    return isinstance(error, sqlite3.Error) and "locked" in str(error)


def require_own(path: Path, db: sqlite3.Connection) -> None:
    """Raises BadInput for a file that holds other tables: it is somebody's own."""
    tables = _tables(db)
    if tables and OWN_TABLE not in tables:
        raise BadInput(
            f"{path}: is no ledger of orgweave (it holds the table {tables[0]}); move it away or"
            " name another --out"
        )


def _by_unit(text: str) -> dict[int, Any]:
    """The values of a column by their units."""
    return {int(unit): value for unit, value in json.loads(text).items()}


def repair_hint(path: Path) -> str:
    """What to do where a ledger is damaged."""
    folder = quote(str(path.parent))
    return (
        f"`orgweave ledger repair {folder}` keeps every sound row, and the damaged file beside it;"
        " or move it away and run the same command again to make it anew"
    )


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
