"""Files are written whole or not at all."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from errno import ENOSPC
from pathlib import Path

import pytest

from pipeline.atomic import building, sha256_of, write_json, write_text
from schemas.errors import StorageFailed


def broken() -> Iterator[str]:
    """A text of which only the beginning can be made."""
    yield "half"
    raise ValueError("no more")


def test_a_text_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    """What can't be written to its end doesn't touch the file that was there."""
    file = tmp_path / "a.txt"
    write_text(file, iter(["whole"]))
    with pytest.raises(ValueError, match="no more"):
        write_text(file, broken())
    assert file.read_text() == "whole"


def test_a_database_that_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    """A SQLite file takes its place only when the block that fills it ends well."""
    file = tmp_path / "a.sqlite"
    with building(file) as db:
        db.execute("CREATE TABLE first (x)")
    with pytest.raises(ValueError, match="no more"), building(file) as db:
        db.execute("CREATE TABLE second (x)")
        raise ValueError("no more")
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("first",)]


def full_disk() -> Iterator[str]:
    """A text that the disk takes only in part."""
    yield "half"
    raise OSError(ENOSPC, "No space left on device")


def test_nothing_is_left_on_a_full_disk(tmp_path: Path) -> None:
    """A file that could not be written whole takes no room, a text as little as a database."""
    with pytest.raises(StorageFailed, match="No space left on device"):
        write_text(tmp_path / "a.txt", full_disk())
    with pytest.raises(StorageFailed), building(tmp_path / "a.sqlite") as db:
        db.execute("CREATE TABLE first (x)")
        raise OSError(ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Where the folder isn't there, the error names the file and says what to do."""
    file = tmp_path / "nowhere" / "a.json"
    with pytest.raises(StorageFailed, match=r"a\.json: can't be written .* check space and rights"):
        write_json(file, {})


def test_a_files_digest_is_that_of_its_bytes(tmp_path: Path) -> None:
    """SHA-256 of the empty file is the known one."""
    (tmp_path / "empty").touch()
    assert sha256_of(tmp_path / "empty").startswith("e3b0c44298fc1c149afbf4c8996fb924")
