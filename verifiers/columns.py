"""Columns of a finished org as texts.

A damaged org may lack a table or a column: it then has no texts, and the invariants on its form
say what is missing.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def texts_in(
    db: sqlite3.Connection,
    table: str,
    column: str,
    distinct: bool = False,
) -> Iterator[str]:
    """Yields the column's values that are there, as texts in the rows' order.

    With `distinct` each text stands once.
    """
    # SQLite takes a bare quoted name that is no column for a text; `a.` makes it an error.
    every = "DISTINCT" if distinct else ""
    query = f"""
        SELECT {every} a."{column}"
        FROM "{table}" a
        WHERE a."{column}" IS NOT NULL
    """
    with suppress(sqlite3.Error):
        for (value,) in db.execute(query):
            yield str(value)


def blocks_of(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yields so many of the values at a time: those of a large org are never all there."""
    left = iter(values)
    block = list(islice(left, size))
    while block:
        yield block
        block = list(islice(left, size))
