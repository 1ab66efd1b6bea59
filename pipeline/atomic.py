"""Files that are written beside their place and moved there whole.

A killed run leaves the old file or the new one, never half of one. Knows nothing of what the files
hold.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import StorageFailed

CHECK_DISK = "check space and rights, then run the same command again"


@contextmanager
def building(path: Path) -> Iterator[sqlite3.Connection]:
    """A new SQLite file, moved to `path` when the block ends well.

    Raises StorageFailed where it can't be written.
    """
    draft = _draft_of(path)
    try:
        draft.unlink(missing_ok=True)
        db = sqlite3.connect(draft)
        try:
            # A draft that is lost with the power is made again, so it needs no journal.
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            with db:
                yield db
        finally:
            db.close()
        draft.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StorageFailed(f"{path}: can't be written ({error}); {CHECK_DISK}") from error


def write_text(path: Path, chunks: Iterator[str]) -> None:
    """Writes a text file; raises StorageFailed where it can't be written."""
    draft = _draft_of(path)
    try:
        with draft.open("w", encoding="utf-8") as out:
            out.writelines(chunks)
        draft.replace(path)
    except OSError as error:
        raise StorageFailed(f"{path}: can't be written ({error.strerror}); {CHECK_DISK}") from error


def write_json(path: Path, data: Mapping[str, object] | Sequence[object]) -> None:
    """Writes a JSON file, indented, with its keys in the order given."""
    write_text(path, iter([json.dumps(data, indent=2, ensure_ascii=False), "\n"]))


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _draft_of(path: Path) -> Path:
    return path.with_suffix(path.suffix + ".part")
