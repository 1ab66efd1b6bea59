"""The SQL of invariants only reads the org: whatever a schema's author wrote into it."""

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from schemas.errors import SchemaError
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.proofs import Invariant
from schemas.rule_sql import RULES_SECONDS, only_reading, rules_seconds
from tests.toys import write_object
from verifiers.integrity import verify_integrity
from verifiers.verdict import Finding

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"

HARMFUL = {
    "attach": "ATTACH '{file}' AS e",
    "drop": "DROP TABLE Toy",
    "delete": "DELETE FROM Toy",
    "insert that answers": "INSERT INTO Toy VALUES ('x') RETURNING Id",
    "vacuum": "VACUUM",
    "vacuum into a new file": "VACUUM INTO '{new}'",
    "pragma": "PRAGMA writable_schema = 1",
    "pragma as a table": "SELECT * FROM pragma_database_list",
    "a transaction": "BEGIN EXCLUSIVE",
    "a rebuilt index": "REINDEX",
    "a second statement": "SELECT 1; DROP TABLE Toy",
    "a second statement behind a bracket": "SELECT 1); DROP TABLE Toy; --",
    "a plan in place of an answer": "EXPLAIN SELECT 1",
    "an extension": "SELECT load_extension('{file}')",
    "no SQL": "every toy has a name",
    "an unknown table": "SELECT Id FROM Tyo",
    "an unknown column": "SELECT t.Nmae FROM Toy t",
    "a NUL character": "SELECT 'a\0b'",
}
"""What is no single SELECT on the org: each as a rule's query."""


def schema_with(folder: Path, broken: str, tried: str = "SELECT count(*) FROM Toy") -> Schema:
    """The schema of one object type, Toy, with one rule."""
    write_object(folder, "Toy")
    rule = {"name": "rule", "says": "A rule.", "tried": tried, "broken": broken}
    # JSON is YAML too, and writes every character.
    text = json.dumps({"invariants": [rule]})
    (folder / "_invariants.yaml").write_text(text, encoding="utf-8")
    return load_schema(folder)


def found(path: Path, broken: str, seconds: float = 60.0) -> Finding:
    """What is found of a rule that no file was read for, on an org of two toys."""
    rule = Invariant("rule", "A rule.", "SELECT count(*) FROM Toy", broken)
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE IF NOT EXISTS Toy (Id)")
        db.executemany("INSERT INTO Toy VALUES (?)", [("1",), ("2",)])
        db.commit()
        (finding,) = verify_integrity(db, Schema("toys", (), invariants=(rule,)), seconds)
        assert db.execute("SELECT count(*) FROM Toy").fetchone() == (2,)
    return finding


def test_rules_have_more_time_where_there_is_more_to_read() -> None:
    """Up to a million records two minutes are enough; of fifty million each is read as long."""
    assert rules_seconds(0) == rules_seconds(1_000_000) == RULES_SECONDS
    assert rules_seconds(50_000_000) == 50 * RULES_SECONDS


@pytest.mark.parametrize("query", HARMFUL.values(), ids=HARMFUL)
@pytest.mark.parametrize("key", ["tried", "broken"])
def test_a_rule_is_one_select_on_the_org(tmp_path: Path, query: str, key: str) -> None:
    """Any other statement is refused when the file is read, with its place, and nothing is run."""
    other = tmp_path / "mine.sqlite"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE precious (thing)")
    new = tmp_path / "new.sqlite"
    before = other.read_bytes()
    sql = query.format(file=other, new=new)
    asked = {"broken": "SELECT Id FROM Toy", key: sql}
    with pytest.raises(SchemaError, match=f"_invariants.yaml: rule: {key}: is no query") as caught:
        schema_with(tmp_path / "toy", **asked)
    assert "write one SELECT" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert other.read_bytes() == before
    assert not new.exists()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT Id FROM Toy;",
        "SELECT Id FROM Toy -- the last word",
        "WITH t AS (SELECT Id FROM Toy) SELECT Id FROM t ORDER BY Id LIMIT 3",
        "SELECT t.Id FROM Toy t, json_each('[1, 2]') j WHERE j.value > 5",
        "SELECT Id FROM (SELECT Id, lag(Id) OVER (ORDER BY rowid) AS b FROM Toy) WHERE b > Id",
        ENDLESS.format("i") + " LIMIT 5",
    ],
)
def test_every_kind_of_reading_is_a_rule(tmp_path: Path, query: str) -> None:
    """Joins, windows, recursions, JSON, comments and a semicolon at the end are all taken."""
    assert schema_with(tmp_path, query).invariants[0].broken == query


@pytest.mark.parametrize(
    "query",
    ["ATTACH '{file}' AS e", "VACUUM INTO '{file}'", "DROP TABLE Toy", "DELETE FROM Toy"],
)
def test_a_rule_can_t_write_even_unread(tmp_path: Path, query: str) -> None:
    """A rule that comes from no file is stopped where it runs, and counts as broken."""
    new = tmp_path / "new.sqlite"
    finding = found(tmp_path / "org.sqlite", query.format(file=new))
    assert finding.broken == 1
    assert "authoriz" in finding.examples[0]
    assert not new.exists()


def test_a_rule_without_an_end_is_stopped(tmp_path: Path) -> None:
    """When the time of all rules is over, a rule counts as broken and says why."""
    finding = found(tmp_path / "org.sqlite", ENDLESS.format("sum(i)"), seconds=0.0)
    assert finding.broken == 1
    assert "take too long together" in finding.examples[0]


def test_a_rule_keeps_no_endless_list(tmp_path: Path) -> None:
    """A rule that selects records without an end is stopped at a number of them."""
    finding = found(tmp_path / "org.sqlite", ENDLESS.format("i"))
    assert finding.examples == ("can't be tried: its query selects more than 200,000 records",)
    assert (finding.tried, finding.broken) == (0, 1)


def test_a_rule_makes_no_giant_value(tmp_path: Path) -> None:
    """A value of more than five megabytes is refused before it takes memory."""
    finding = found(tmp_path / "org.sqlite", "SELECT zeroblob(1000000000)")
    assert "too big" in finding.examples[0]


def test_a_connection_is_its_owner_s_again(tmp_path: Path) -> None:
    """Behind `only_reading` a connection attaches, writes and reads long values as before."""
    with closing(sqlite3.connect(tmp_path / "org.sqlite")) as db:
        with only_reading(db), pytest.raises(sqlite3.DatabaseError):
            db.execute("CREATE TABLE t (a)")
        db.execute("CREATE TABLE t (a)")
        db.execute("ATTACH ? AS other", (str(tmp_path / "other.sqlite"),))
        assert db.execute("SELECT length(zeroblob(6000000))").fetchone() == (6000000,)


@pytest.mark.parametrize("where", ["function", "authorizer"])
def test_ctrl_c_in_the_middle_of_a_query_is_an_interrupt(where: str) -> None:
    """Ctrl-C while SQLite calls back into Python is no fault of the query."""
    # A process in the background of a shell ignores it from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with closing(sqlite3.connect(":memory:")) as db:
        db.create_function("press", 0, lambda: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt), only_reading(db):
            if where == "authorizer":
                db.set_authorizer(lambda *_: signal.raise_signal(signal.SIGINT))
            db.execute("SELECT press()").fetchone()
    signal.signal(signal.SIGINT, before)
