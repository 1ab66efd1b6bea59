"""`ledger repair`: a damaged ledger made whole again, of the rows that are what was written.

The damaged file stays beside the new one. What was dropped is asked for again by the next run,
and not before somebody has been told.

Knows no writer and calls nothing.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.atomic import CHECK_DISK, on_disk
from pipeline.ledger import (
    DROPPED_COST,
    DROPPED_TOKENS,
    LOG_DAMAGED,
    is_locked,
    require_own,
)
from pipeline.ledger_log import log_is_damaged
from pipeline.ledger_rows import (
    TABLES,
    LedgerCount,
    LedgerRow,
    LedgerValue,
    columns_of,
    create_table,
    insert,
    looked_over,
    readable,
    sealed,
    soundness,
)
from pipeline.locks import locked
from pipeline.manifest import LEDGER_FORMAT, check_format
from pipeline.run_folder import RunFolder, sqlite_uri, user_version
from schemas.errors import BadInput, StorageFailed

SIDE_FILES = ("-wal", "-shm", "-journal")
"""How SQLite names what it keeps beside a database; the first holds what isn't folded in yet."""
EMPTY: Mapping[str, LedgerValue] = {"cut": 0}
"""What stands in a column that older formats lack, where it isn't an empty text."""


@dataclass(frozen=True, slots=True)
class LedgerRepair:
    """What became of a ledger; `backup` is the damaged one, None where nothing had to be done."""

    ledger: Path
    found: LedgerCount
    backup: Path | None = None


def repair(folder: Path) -> LedgerRepair:
    """Makes the ledger of a run's folder whole, where it is damaged.

    Raises BadInput where there is none or another run is at work in the folder, StorageFailed
    where it is locked or nothing can be written.
    """
    path = RunFolder(folder).ledger_file
    if not path.is_file():
        raise BadInput(f"{folder}: has no {path.name}; name a folder that generate wrote")
    RunFolder(folder).require_whole()
    with locked(folder):
        try:
            return _repaired(path)
        except (OSError, sqlite3.Error) as error:
            if is_locked(error):
                raise StorageFailed(
                    f"{path}: another program holds it ({error}); close that, then run the same"
                    " command again"
                ) from error
            raise StorageFailed(f"{path}: can't be repaired ({error}); {CHECK_DISK}") from error


def _repaired(path: Path) -> LedgerRepair:
    found = _whole(path)
    if found is not None:
        return LedgerRepair(path, found)
    backup = _backup_of(path)
    for kept, copy in zip(_files(path), _files(backup), strict=True):
        if kept.is_file():
            shutil.copyfile(kept, copy)
            on_disk([copy])
    on_disk([path.parent])
    draft = path.with_name(f"{path.name}.part")
    found = _rewritten(path, draft)
    # A log of the damaged file must not be taken for one of the new file's.
    for side in _files(path)[1:]:
        side.unlink(missing_ok=True)
    draft.replace(path)
    on_disk([path.parent])
    return LedgerRepair(path, found, backup)


def _whole(path: Path) -> LedgerCount | None:
    """What a ledger that isn't damaged holds; raises BadInput where it isn't one of ours."""
    if log_is_damaged(path):
        return None
    try:
        with closing(_opened(path)) as db:
            check_format(path, user_version(db), LEDGER_FORMAT)
            require_own(path, db)
            found = looked_over(db)
    except sqlite3.DatabaseError as error:
        if is_locked(error):
            raise
        return None
    return found if found.whole and path.stat().st_size else None


def _rewritten(path: Path, draft: Path) -> LedgerCount:
    """Writes every sound row of a damaged ledger into a new one; counts both kinds."""
    found = LedgerCount()
    if log_is_damaged(path):
        found.faults.append(LOG_DAMAGED)
    draft.unlink(missing_ok=True)
    with closing(_opened(path)) as old, closing(sqlite3.connect(draft)) as new:
        for name in TABLES:
            new.execute(create_table(name))
            for row in _sound_rows(old, name, found):
                new.execute(insert(name), sealed(row))
        _keep_account(new, found)
        new.execute(f"PRAGMA user_version = {LEDGER_FORMAT}")
        new.commit()
    on_disk([draft])
    return found


def _keep_account(db: sqlite3.Connection, found: LedgerCount) -> None:
    """Notes what the dropped rows have cost, with those of earlier repairs: it was paid."""
    for key, cost in ((DROPPED_COST, found.paid), (DROPPED_TOKENS, found.tokens)):
        row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        before = float(row[0]) if row else 0.0
        if cost:
            db.execute(insert("meta"), sealed((key, str(before + cost))))


def _sound_rows(db: sqlite3.Connection, name: str, found: LedgerCount) -> Iterator[LedgerRow]:
    """Yields a table's sound rows without their digests, in the order of their keeping."""
    try:
        columns = columns_of(db, name)
        last = _last_row(db, name) if columns else 0
    except sqlite3.Error:
        found.faults.append(f"the table {name} can't be read")
        return
    is_sound = soundness(db, name) if columns else None
    sql = f"SELECT {', '.join(columns)} FROM {name} WHERE rowid = ?"
    # One by one: where a page is damaged, the rows of the others can still be found.
    for number in range(1, last + 1):
        try:
            row = db.execute(sql, (number,)).fetchone()
        except sqlite3.Error:
            found.drop(name, ())
            continue
        if row is not None and is_sound is not None:
            if is_sound(row):
                found.sound += 1
                yield _values(name, dict(zip(columns, row, strict=True)))
            else:
                found.drop(name, row)


def _last_row(db: sqlite3.Connection, name: str) -> int:
    """The highest number of a row that can be found."""
    last = 0
    try:
        for (number,) in db.execute(f"SELECT rowid FROM {name} NOT INDEXED ORDER BY rowid DESC"):
            return int(number)
    except sqlite3.Error:
        # The end of the table is damaged: what lies before it can be counted from the front.
        with suppress(sqlite3.Error):
            for (number,) in db.execute(f"SELECT rowid FROM {name} NOT INDEXED"):
                last = int(number)
    return last


def _values(name: str, told: Mapping[str, LedgerValue]) -> list[LedgerValue]:
    """A row in the order of its table's columns; older formats lack some, which were empty then."""
    return [told.get(column, EMPTY.get(column, "")) for column in TABLES[name]]


def _opened(path: Path) -> sqlite3.Connection:
    # To be written, so that what its log holds is folded in when it is closed.
    db = sqlite3.connect(sqlite_uri(path, "rw"), uri=True)
    db.text_factory = readable
    return db


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(f"{path.name}{side}") for side in SIDE_FILES)]


def _backup_of(path: Path) -> Path:
    """A name beside the ledger that nothing has yet."""
    number = 1
    while True:
        backup = path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")
        if not any(file.exists() for file in _files(backup)):
            return backup
        number += 1
