"""What the values of a table's columns are like, counted in the finished org: few or many, long or
short, which ids. Knows no page.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from orgweave.soql.sql import quoted
from schemas.model import Field, ObjectType


@dataclass(frozen=True, slots=True)
class Measured:
    """One column: how many different values, the longest one's length, whether any has a line
    break, how many records have none.

    `prefixes` are the first three letters of the ids in a column that holds ids of several object
    types.
    """

    distinct: int
    longest: int
    broken: bool
    empty: int
    prefixes: frozenset[str] = frozenset()


def measured(db: sqlite3.Connection, item: ObjectType) -> Mapping[str, Measured]:
    """Every column of an object type's table."""
    terms = [term for field in item.fields for term in _terms(quoted(field.name))]
    row = db.execute(f"SELECT {', '.join(terms)} FROM {quoted(item.name)}").fetchone()
    return {
        field.name: _column(db, item, field, row[at * 4 : at * 4 + 4])
        for at, field in enumerate(item.fields)
    }


def _terms(name: str) -> tuple[str, ...]:
    return (
        f"count(DISTINCT {name})",
        f"coalesce(max(length({name})), 0)",
        f"coalesce(max(instr({name}, char(10))), 0)",
        f"count(*) - count({name})",
    )


def _column(
    db: sqlite3.Connection, item: ObjectType, field: Field, values: tuple[int, ...]
) -> Measured:
    distinct, longest, broken, empty = values
    return Measured(
        distinct,
        longest,
        broken > 0,
        empty,
        _prefixes(db, item, field) if field.holds_ids == "*" else frozenset(),
    )


def _prefixes(db: sqlite3.Connection, item: ObjectType, field: Field) -> frozenset[str]:
    ids = (
        f"SELECT value FROM {quoted(item.name)}, json_each({quoted(field.name)})"
        if field.type == "array"
        else f"SELECT {quoted(field.name)} AS value FROM {quoted(item.name)}"
    )
    return frozenset(
        str(row[0])
        for row in db.execute(
            f"SELECT DISTINCT substr(value, 1, 3) FROM ({ids}) WHERE value IS NOT NULL"
        )
    )
