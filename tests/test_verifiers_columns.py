"""The texts of a column: all of them, or each once, and none where the column isn't there."""

import sqlite3

import pytest

from verifiers.columns import texts_in

pytestmark = pytest.mark.quick


@pytest.fixture
def toys() -> sqlite3.Connection:
    """Four toys, two of which are called the same, and one of which has no name."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE Toy (Name TEXT)")
    db.executemany("INSERT INTO Toy VALUES (?)", [("Bear",), ("Kite",), (None,), ("Bear",)])
    return db


def test_a_text_stands_as_often_as_records_have_it(toys: sqlite3.Connection) -> None:
    """Two records with the same text give it twice, in the records' order; empty ones nothing."""
    assert list(texts_in(toys, "Toy", "Name")) == ["Bear", "Kite", "Bear"]


def test_distinct_texts_stand_once(toys: sqlite3.Connection) -> None:
    """Who asks for distinct texts gets each of them a single time."""
    assert sorted(texts_in(toys, "Toy", "Name", distinct=True)) == ["Bear", "Kite"]


@pytest.mark.parametrize(("table", "column"), [("Toy", "Color"), ("Doll", "Name")])
def test_what_a_damaged_org_lacks_has_no_texts(
    table: str, column: str, toys: sqlite3.Connection
) -> None:
    """A missing column or table is no error here: it has no texts."""
    assert list(texts_in(toys, table, column)) == []
