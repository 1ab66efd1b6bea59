"""Files that are written beside their place and moved there whole.

A killed run leaves the old file or the new one, never half of one. Knows nothing of what the files
hold.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from schemas.errors import StorageFailed
from schemas.regular import check_regular

CHECK_DISK = "check space and rights, then run the same command again"


class SqliteDraft:
    """A new SQLite file beside its place, which `keep` moves there whole.

    Several threads may write it in turn. Everything raises StorageFailed where it can't be written.
    """

    def __init__(self, path: Path) -> None:
        """Begins the file; what an earlier draft left is removed."""
        self.path = path
        self._draft = _draft_of(path)
        with self.writing():
            self._draft.unlink(missing_ok=True)
            self.db = sqlite3.connect(self._draft, check_same_thread=False)
            # A draft that is lost with the power is made again, so it needs no journal.
            self.db.execute("PRAGMA journal_mode = OFF")
            self.db.execute("PRAGMA synchronous = OFF")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """For what writes into the file."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StorageFailed(f"{self.path}: can't be written ({error}); {CHECK_DISK}") from error

    def keep(self) -> None:
        """Moves the file to its place."""
        with self.writing():
            self.db.commit()
            self.db.close()
            self._draft.replace(self.path)

    def drop(self) -> None:
        """Gives the file up, where it isn't kept: half of it would only fill a full disk."""
        self.db.close()
        _remove(self._draft)


@contextmanager
def building(path: Path) -> Iterator[sqlite3.Connection]:
    """A new SQLite file, moved to `path` when the block ends well.

    Raises StorageFailed where it can't be written.
    """
    draft = SqliteDraft(path)
    try:
        with draft.writing():
            yield draft.db
        draft.keep()
    finally:
        draft.drop()


def write_text(path: Path, chunks: Iterator[str]) -> None:
    """Writes a text file; raises StorageFailed where it can't be written."""
    draft = _draft_of(path)
    try:
        with draft.open("w", encoding="utf-8") as out:
            out.writelines(chunks)
        draft.replace(path)
    except OSError as error:
        _remove(draft)
        raise StorageFailed(f"{path}: can't be written ({error.strerror}); {CHECK_DISK}") from error


def write_json(path: Path, data: Mapping[str, object] | Sequence[object]) -> None:
    """Writes a JSON file, indented, with its keys in the order given."""
    write_text(path, iter([json.dumps(data, indent=2, ensure_ascii=False), "\n"]))


def on_disk(paths: Iterable[Path], sync: Callable[[int], None] = os.fsync) -> None:
    """Returns when files and folders have reached the disk, so that they outlive a loss of power.

    A folder holds the names of its files. Raises StorageFailed for what can't be written out.
    """
    for path in paths:
        if path.is_dir() and os.name == "nt":
            continue  # Windows opens no folder, and keeps names by itself
        try:
            # Windows writes out only what is open for writing.
            handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
            try:
                sync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StorageFailed(
                f"{path}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits; raises OSError."""
    check_regular(path)
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _remove(draft: Path) -> None:
    """Removes what is left of a draft; where that fails, why it broke off is what matters."""
    with suppress(OSError):
        draft.unlink(missing_ok=True)


def _draft_of(path: Path) -> Path:
    return path.with_suffix(path.suffix + ".part")
