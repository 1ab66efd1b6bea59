"""How many cells of an org are filled: what counts as filled, and what a damaged org gives."""

import sqlite3
from contextlib import closing
from pathlib import Path

from schemas.loader import load_schema
from schemas.model import Schema
from tests.toys import write_object
from verifiers.filled import Filled, filled_cells, mean_share


def toys(folder: Path) -> Schema:
    """A schema with one object type, whose records have a name."""
    write_object(folder / "toy", "Toy", "Name: {type: string, x-source: {constant: a}}")
    return load_schema(folder / "toy")


def filled_of(schema: Schema, *statements: str) -> Filled:
    """What is filled in an org made by these statements."""
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in statements:
            db.execute(statement)
        return filled_cells(db, schema)


def test_neither_null_nor_an_empty_text_fills_a_cell(tmp_path: Path) -> None:
    """Of four names one is missing and one is empty; 0 is a value like any other."""
    found = filled_of(
        toys(tmp_path),
        "CREATE TABLE Toy (Id, Name)",
        "INSERT INTO Toy VALUES ('1', 'Kite'), ('2', NULL), ('3', ''), ('4', 0)",
    )
    assert found == {"Toy": {"Id": 1.0, "Name": 0.5}}
    assert mean_share(found) == 0.75


def test_shares_have_four_digits(tmp_path: Path) -> None:
    """Two of three names are a share of 0.6667; the mean over two fields is rounded as well."""
    found = filled_of(
        toys(tmp_path),
        "CREATE TABLE Toy (Id, Name)",
        "INSERT INTO Toy VALUES ('1', 'Kite'), ('2', NULL), ('3', 'Bear')",
    )
    assert found["Toy"]["Name"] == 0.6667
    assert mean_share(found) == 0.8334
    assert mean_share({"Toy": {"Name": 0.5}}) == 0.5


def test_a_table_that_is_empty_or_missing_fills_nothing(tmp_path: Path) -> None:
    """A damaged org has a share of 0 instead of an error."""
    nothing = {"Toy": {"Id": 0.0, "Name": 0.0}}
    schema = toys(tmp_path)
    assert filled_of(schema, "CREATE TABLE Toy (Id, Name)") == nothing
    assert filled_of(schema) == nothing
    assert mean_share({}) == 0.0
