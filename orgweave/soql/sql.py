"""Pieces of SQLite's SQL with their parameters, and a compiled query: SQL and its rows' shape.

Knows no SOQL and no database. Values from a query are parameters always; names come from the
schema and are quoted.

Example: `chained([Sql("a = ?", (1,)), Sql("b = ?", (2,))], "AND")` is `Sql("(a = ? AND b = ?)", (1,
2))`. A row is a flat tuple, of which `FieldValue("Subject", 1, "string")` takes the second value;
parents nest, and children come by a query of their own. All is frozen, so that a compiled query
can be kept and shared.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SqlValue = str | int | float | None
StoredRow = tuple[SqlValue, ...]
FoundRecord = dict[str, object]
"""A record as REST gives it."""
WIDEST = 200
"""Terms in one chain: SQLite nests a chain to the left and bounds the nesting at 1,000."""


ALONE = frozenset("\u0130\u212a")
"""The dotted I and the kelvin sign: their lower case is an ASCII letter, or two letters, by which a
text would be shorter in LIKE than in its table."""

OF_ONE_PIECE = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "ı": "i"}
)
"""Letters that Unicode doesn't take apart, and where an English alphabet has them."""


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL and the parameters of its question marks, in order."""

    text: str
    params: tuple[SqlValue, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A field of the record: its name, its place in the row, its CRM type."""

    name: str
    slot: int
    type: str


@dataclass(frozen=True, slots=True)
class FormattedValue:
    """A value that FORMAT shows as a text, by its CRM type and the company's locale."""

    name: str
    slot: int
    type: str
    locale: str


@dataclass(frozen=True, slots=True)
class AddressValue:
    """A whole address: the places in the row of its parts, a part without one being null."""

    name: str
    slots: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Nested:
    """A parent of the record, under its relationship's name; null where its Id is null."""

    name: str
    shape: "RecordShape"


@dataclass(frozen=True, slots=True)
class ChildQuery:
    """The children of all records of a page, found by one query.

    The query's first parameter is a JSON array of the parents' ids, and its first column holds the
    parent's id. `limit` is the most children of one parent.
    """

    name: str
    plan: "QueryPlan"
    limit: int | None


@dataclass(frozen=True, slots=True)
class RecordShape:
    """A record of one object type; `key` is the slot of its Id."""

    entity: str
    key: int
    parts: "tuple[RecordPart, ...]"


RecordPart = FieldValue | FormattedValue | AddressValue | Nested | ChildQuery


@dataclass(frozen=True, slots=True)
class GroupShape:
    """A row of an aggregate query."""

    values: tuple[FieldValue | FormattedValue, ...]


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query ready to run. `shape` is None for COUNT(), whose only row holds the number."""

    entity: str
    sql: Sql
    shape: RecordShape | GroupShape | None


def quoted(name: str) -> str:
    """Returns a table's or column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def joined(parts: Iterable[Sql], separator: str = "") -> Sql:
    """Returns the pieces one behind the other."""
    texts: list[str] = []
    params: list[SqlValue] = []
    for piece in parts:
        texts.append(piece.text)
        params += piece.params
    return Sql(separator.join(texts), tuple(params))


def chained(terms: Sequence[Sql], operator: str) -> Sql:
    """Returns all terms under one operator.

    A long chain becomes a chain of chains, so that the nesting stays shallow.
    """
    level = list(terms)
    while len(level) > WIDEST:
        starts = range(0, len(level), WIDEST)
        level = [chained(level[start : start + WIDEST], operator) for start in starts]
    whole = joined(level, f" {operator} ")
    return whole if len(level) == 1 else Sql(f"({whole.text})", whole.params)


def folded(text: str) -> str:
    """Returns a text in lower case, letter by letter, whatever stands beside a letter."""
    if text.isascii():
        return text.lower()
    return "".join(letter if letter in ALONE else letter.lower() for letter in text)


def collated(text: str) -> str:
    """Returns what a text is ordered by: its letters without case and accents.

    Of texts alike in these the plainest comes first, and the others follow by their accents. Two
    texts have the same key where they are the same in any case. Texts that are longer come later,
    for no text holds the sign that parts the two.

    >>> sorted(["Zoe", "Ärmel", "arm", "Armut", "Arm", "Øre"], key=collated)
    ['arm', 'Arm', 'Ärmel', 'Armut', 'Øre', 'Zoe']
    """
    lower = folded(text)
    if lower.isascii():
        return lower
    apart = unicodedata.normalize("NFD", lower)
    letters = [letter for letter in apart if not unicodedata.combining(letter)]
    plain = "".join(letters).lower().translate(OF_ONE_PIECE)
    return plain if plain == lower else f"{plain}\0{lower}"


def in_any_case(sql: str, values: list[str]) -> tuple[str, list[str]]:
    """Returns an SQL text and the values that it is compared with, both folded.

    SQLite's own NOCASE folds ASCII alone. It serves for values of ASCII, which equal, and precede,
    the same texts by either folding, since no other letter is folded to one of ASCII.
    """
    if all(value.isascii() for value in values):
        return f"{sql} COLLATE NOCASE", values
    return f"fold({sql})", [folded(value) for value in values]
