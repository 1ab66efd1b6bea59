"""What the values of a table's columns are like, counted in the finished org: few or many, long or
short, which ids. Knows no page.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from orgweave.soql.sql import quoted
from schemas.field import Field
from schemas.object_type import ObjectType

TERMS = (
    "count(DISTINCT {0})",
    "coalesce(max(length({0})), 0)",
    "coalesce(max(instr({0}, char(10))), 0)",
    "count(*) - count({0})",
)
"""SQL for each of a column's figures, as Measured has them."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One column.

    Attributes:
        distinct: how many different values there are.
        longest: characters of the longest one.
        broken: whether any has a line break.
        empty: how many records have none.
        prefixes: the first three letters of the ids in a column that holds ids of several object
            types.
    """

    distinct: int
    longest: int
    broken: bool
    empty: int
    prefixes: frozenset[str] = frozenset()


def measured(db: sqlite3.Connection, item: ObjectType) -> Mapping[str, Measured]:
    """Every column of an object type's table."""
    terms: list[str] = []
    for field in item.fields:
        terms += [term.format(quoted(field.name)) for term in TERMS]
    row = db.execute(f"SELECT {', '.join(terms)} FROM {quoted(item.name)}").fetchone()
    values = iter(row)
    found: dict[str, Measured] = {}
    for field in item.fields:
        distinct, longest, line_break, empty = islice(values, len(TERMS))
        prefixes = _prefixes(db, item, field) if field.holds_ids == "*" else frozenset()
        found[field.name] = Measured(distinct, longest, line_break > 0, empty, prefixes)
    return found


def _prefixes(db: sqlite3.Connection, item: ObjectType, field: Field) -> frozenset[str]:
    """How the ids begin that a column holds, in lists or one by one."""
    table, column = quoted(item.name), quoted(field.name)
    ids = f"SELECT {column} AS value FROM {table}"
    if field.type == "array":
        ids = f"SELECT value FROM {table}, json_each({column})"
    sql = f"SELECT DISTINCT substr(value, 1, 3) FROM ({ids}) WHERE value IS NOT NULL"
    return frozenset(str(row[0]) for row in db.execute(sql))
