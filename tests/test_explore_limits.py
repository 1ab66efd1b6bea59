"""A stranger's SQL reads the private copy, with the usual functions and a bounded amount."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orgweave.explore.limits import FUNCTIONS, LARGEST_ANSWER, limit

pytestmark = pytest.mark.quick


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """A bounded connection to a table of three cases."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Cases (Id, Subject)")
        db.executemany("INSERT INTO Cases VALUES (?, ?)", [(1, "a"), (2, "b"), (3, "b")])
        db.commit()
        limit(db)
        yield db


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT count(*) FROM Cases", [3]),
        ("SELECT upper(Subject) FROM Cases WHERE Id = 2", ["B"]),
        (
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n LIMIT 3) SELECT * FROM n",
            [1, 2, 3],
        ),
        ("SELECT value FROM json_each('[4, 5]')", [4, 5]),
        ("SELECT row_number() OVER (ORDER BY Id) FROM Cases", [1, 2, 3]),
        ("SELECT json_extract('{\"a\": 7}', '$.a')", [7]),
    ],
)
def test_what_reads_is_answered(db: sqlite3.Connection, sql: str, rows: list[object]) -> None:
    """Aggregates, windows, recursion and JSON are among it."""
    assert [row[0] for row in db.execute(sql)] == rows


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM Cases",
        "UPDATE Cases SET Id = 7",
        "INSERT INTO Cases VALUES (4, 'c')",
        "DROP TABLE Cases",
        "CREATE TABLE Mine (Id)",
        "CREATE TEMP TABLE Mine (Id)",
        "PRAGMA user_version = 7",
        "PRAGMA query_only = 0",
        "BEGIN",
    ],
)
def test_what_changes_anything_is_refused(db: sqlite3.Connection, sql: str) -> None:
    """The table stays as it was."""
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        db.execute(sql)
    assert db.execute("SELECT sum(Id) FROM Cases").fetchone()[0] == 6


@pytest.mark.parametrize("name", ["zeroblob(9)", "printf('%9d', 1)", "hex('a')", "trim('a')"])
def test_functions_that_grow_in_a_single_step_are_refused(
    db: sqlite3.Connection, name: str
) -> None:
    """No clock would stop them."""
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        db.execute(f"SELECT {name}")
    assert name.partition("(")[0] not in FUNCTIONS


def test_no_other_file_is_opened(db: sqlite3.Connection, tmp_path: Path) -> None:
    """Neither one that is there nor a new one."""
    with pytest.raises(sqlite3.DatabaseError):
        db.execute("ATTACH ? AS other", (str(tmp_path / "other.sqlite"),))
    with pytest.raises(sqlite3.DatabaseError):
        db.execute(f"VACUUM INTO '{tmp_path / 'other.sqlite'}'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT '{'x' * 60_000}'",
        "SELECT " + "+".join("1" * 300),
        "SELECT 'a' LIKE '" + "%" * 300 + "'",
        " UNION ALL ".join(["SELECT 1"] * 60),
    ],
)
def test_long_and_deep_statements_are_refused(db: sqlite3.Connection, sql: str) -> None:
    """Their length, depth, patterns and parts have bounds."""
    with pytest.raises((sqlite3.DatabaseError, sqlite3.DataError)):
        db.execute(sql).fetchall()


def test_an_answer_has_a_bounded_size(db: sqlite3.Connection) -> None:
    """Each statement has the whole bound anew; the message says what to do."""
    part = "x" * 900_000
    sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n LIMIT ?) SELECT ? FROM n"
    fitting = LARGEST_ANSWER // len(part)
    for _ in range(2):
        assert len(db.execute(sql, (fitting, part)).fetchall()) == fitting
    with pytest.raises(sqlite3.OperationalError, match="select fewer rows or columns"):
        db.execute(sql, (fitting + 1, part)).fetchall()


def test_rows_are_found_by_the_names_of_their_columns(db: sqlite3.Connection) -> None:
    """As Datasette reads them."""
    row = db.execute("SELECT Id, Subject FROM Cases ORDER BY Id").fetchone()
    assert (row["Id"], row["Subject"]) == (1, "a")
