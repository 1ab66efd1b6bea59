"""Pieces of SQL: their parameters stay in order, and no chain or name breaks a statement."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.soql.sql import WIDEST, Sql, chained, folded, in_any_case, joined, quoted

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


@given(name=NAMES)
def test_any_name_is_quoted(name: str) -> None:
    """Also one with quotation marks in it."""
    with closing(sqlite3.connect(":memory:")) as db:
        cursor = db.execute(f"SELECT 1 AS {quoted(name)}")
        assert cursor.description[0][0] == name


@given(numbers=st.lists(st.integers(0, 9), max_size=5))
def test_parameters_stand_in_the_order_of_their_pieces(numbers: list[int]) -> None:
    """One behind the other, with what parts them in between."""
    whole = joined([Sql("?", (number,)) for number in numbers], ", ")
    assert whole == Sql(", ".join("?" * len(numbers)), tuple(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, WIDEST, WIDEST + 1, 3 * WIDEST, 20_000])
def test_a_chain_of_any_length_can_be_run(size: int) -> None:
    """It holds where its last term does, and SQLite's bound on nesting is never met."""
    terms = [Sql(f"x = {number}") for number in range(size)]
    whole = chained(terms, "OR")
    with closing(sqlite3.connect(":memory:")) as db:
        sql = f"SELECT count(*) FROM (SELECT {size - 1} AS x) WHERE {whole.text}"
        assert db.execute(sql, whole.params).fetchone()[0] == 1


def test_a_single_term_needs_no_brackets() -> None:
    """Several do, so that they stay together beside others."""
    assert chained([Sql("a = ?", (1,))], "AND") == Sql("a = ?", (1,))
    assert chained([Sql("a = ?", (1,)), Sql("b")], "AND") == Sql("(a = ? AND b)", (1,))


@given(text=st.text(max_size=12))
def test_a_folded_text_keeps_its_length(text: str) -> None:
    """A letter becomes a single one, but for the few whose lower case is longer."""
    assert len(folded(text)) == len(text)
    assert folded(folded(text)) == folded(text)


def test_letters_are_folded_alone() -> None:
    """A sigma at the end of a word is the same as any other, and the kelvin sign stays."""
    assert folded("ΟΔΟΣ") == "οδοσ"
    assert folded("\u212a\u0130") == "\u212a\u0130"


def test_plain_letters_are_compared_by_sqlite_itself() -> None:
    """Others are folded on both sides."""
    assert in_any_case("x", ["Anna"]) == ("x COLLATE NOCASE", ["Anna"])
    assert in_any_case("x", ["Änne", "Anna"]) == ("fold(x)", ["änne", "anna"])
