"""Pieces of SQLite's SQL with their parameters.

User values are parameters always; names come from the schema and are quoted.

Example: `chained([Sql("a = ?", (1,)), Sql("b = ?", (2,))], "AND")` is `Sql("(a = ? AND b = ?)", (1,
2))`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SqlValue = str | int | float | None
WIDEST = 200
"""Terms in one chain: SQLite nests a chain to the left and bounds the nesting at 1,000."""


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL and the parameters of its question marks, in order."""

    text: str
    params: tuple[SqlValue, ...] = ()


def quoted(name: str) -> str:
    """A table's or column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def joined(parts: Iterable[Sql], separator: str) -> Sql:
    """The pieces one behind the other."""
    pieces = list(parts)
    return Sql(
        separator.join(piece.text for piece in pieces),
        tuple(value for piece in pieces for value in piece.params),
    )


def chained(terms: Sequence[Sql], operator: str) -> Sql:
    """All terms under one operator; long chains become chains of chains, so that the nesting stays
    shallow.
    """
    level = list(terms)
    while len(level) > WIDEST:
        level = [
            chained(level[start : start + WIDEST], operator)
            for start in range(0, len(level), WIDEST)
        ]
    whole = joined(level, f" {operator} ")
    return whole if len(level) == 1 else Sql(f"({whole.text})", whole.params)
