"""Columns of a finished org as texts.

A damaged org may lack a table or a column: it then has no texts, and the invariants on its form
say what is missing.
"""

import sqlite3


def texts_in(
    db: sqlite3.Connection,
    table: str,
    column: str,
    distinct: bool = False,
) -> list[str]:
    """The column's values that are there, as texts in the rows' order.

    With `distinct` each text stands once.
    """
    # SQLite takes a bare quoted name that is no column for a text; `a.` makes it an error.
    every = "DISTINCT" if distinct else ""
    query = f"""
        SELECT {every} a."{column}"
        FROM "{table}" a
        WHERE a."{column}" IS NOT NULL
    """
    try:
        return [str(row[0]) for row in db.execute(query)]
    except sqlite3.Error:
        return []
