"""What a SOQL or SOSL text says, as frozen dataclasses, and how a fault points into that text.

Knows no schema: names are not yet looked up, and values are not yet compared with field types.

Example: `WHERE Account.Name LIKE 'A%'` is `Comparison(Path(("Account", "Name"), 26), "LIKE",
(Literal("string", "A%", 44),), 26)`. Each `position` counts characters from the text's beginning,
and a message shows it as a line with a caret:

    SELECT Foo FROM Case
           ^
    ERROR at Row:1:Column:8
"""

from dataclasses import dataclass
from typing import Literal as Choice

from schemas.errors import QueryRefused

AROUND = 60
"""Characters shown on either side of a fault: a query of 100,000 characters may be one line."""
LONGEST_MESSAGE = 1200
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Path:
    """A field along relationships: `("Account", "Name")`."""

    names: tuple[str, ...]
    position: int

    @property
    def text(self) -> str:
        """The path as it was written, without white space."""
        return ".".join(self.names)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or a string among a function's arguments, such as those of GEOLOCATION.

    `text` is its spelling, a string's with the quotes.
    """

    text: str
    position: int


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function of fields, its name in capitals.

    Examples: `COUNT(Id)`, `CALENDAR_MONTH(convertTimezone(CreatedDate))`.
    """

    name: str
    args: tuple["Argument", ...]
    position: int

    @property
    def text(self) -> str:
        """The call as it was written, its name in capitals."""
        arguments = ", ".join(argument.text for argument in self.args)
        return f"{self.name}({arguments})"


Expression = Path | FunctionCall
Argument = Expression | Constant
LiteralKind = Choice["string", "number", "date", "datetime", "boolean", "null", "relative"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A value in a filter.

    A date is `2021-03-03`, a datetime has the stored form in UTC, and a relative date is a name
    with its number, such as `("LAST_N_DAYS", 30)`.
    """

    kind: LiteralKind
    value: str | int | float | bool | None | tuple[str, int | None]
    position: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator values`.

    Only IN, NOT IN, INCLUDES and EXCLUDES have several values.
    """

    left: Expression
    operator: str
    values: tuple[Literal, ...]
    position: int


@dataclass(frozen=True, slots=True)
class SemiJoin:
    """`left IN (SELECT …)`, or an anti-join if negated."""

    left: Expression
    negated: bool
    query: "SelectQuery"
    position: int


@dataclass(frozen=True, slots=True)
class Logic:
    """A chain of conditions, all AND or all OR.

    `depth` is the longest way down to a comparison.
    """

    operator: Choice["AND", "OR"]
    terms: tuple["Condition", ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    term: "Condition"
    depth: int
    position: int


Condition = Comparison | SemiJoin | Logic | Not


@dataclass(frozen=True, slots=True)
class Sort:
    """One key of ORDER BY."""

    by: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class SelectItem:
    """A field or function to return, and the alias to return it by, if the query gives one."""

    expression: Expression
    alias: str | None
    position: int


@dataclass(frozen=True, slots=True)
class Child:
    """A subquery along a child relationship: `(SELECT Id FROM OrderItems)`."""

    query: "SelectQuery"
    position: int


@dataclass(frozen=True, slots=True)
class TypeOf:
    """`TYPEOF Owner WHEN User THEN Name ELSE Id END`."""

    relationship: Path
    branches: tuple[tuple[Path, tuple[Path, ...]], ...]
    otherwise: tuple[Path, ...]
    position: int


@dataclass(frozen=True, slots=True)
class AliasedSource:
    """A relationship with an alias behind the first object of FROM: `c.Account a`."""

    path: Path
    alias: str


@dataclass(frozen=True, slots=True)
class FilterScope:
    """`USING SCOPE mine`, its name in lower case."""

    name: str
    position: int


@dataclass(frozen=True, slots=True)
class WithClause:
    """What stands behind a WITH, its name in capitals: `SPELL_CORRECTION = true`."""

    name: str
    values: tuple[Literal, ...]
    position: int


@dataclass(frozen=True, slots=True)
class SelectQuery:
    """A whole SELECT, or what one RETURNING entry of SOSL asks of its object type."""

    items: tuple[SelectItem | Child | TypeOf, ...]
    entity: Path
    alias: str | None = None
    sources: tuple[AliasedSource, ...] = ()
    using: FilterScope | None = None
    where: Condition | None = None
    groups: tuple[Expression, ...] = ()
    having: Condition | None = None
    sorts: tuple[Sort, ...] = ()
    limit: int | None = None
    offset: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """A whole FIND; `scope` is ALL, NAME, EMAIL, PHONE or SIDEBAR."""

    needle: str
    needle_position: int
    scope: str
    returning: tuple[SelectQuery, ...]
    options: tuple[WithClause, ...]
    limit: int


class QueryText:
    """A query's text, which refuses the query with a message that points into it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, code: str, position: int, message: str, *fields: str) -> QueryRefused:
        """Returns the error to raise: the place as `point` shows it, then the reason."""
        shown = point(self.text, position) + _cut(message, LONGEST_MESSAGE)
        named = tuple(_cut(name, LONGEST_NAME) for name in fields)
        return QueryRefused(code, shown, named)


class QueryFault(Exception):
    """What is wrong at a position of a text that isn't at hand.

    Grammar callbacks raise it; whoever has the text turns it into a QueryRefused.
    """

    def __init__(self, code: str, position: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


def point(text: str, position: int) -> str:
    """Returns the head of a message: the line, a caret beneath the character, row and column.

    A long line is cut around the character.
    """
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : len(text) if end < 0 else end]
    column = position - start
    row = text.count("\n", 0, position) + 1
    left = max(0, column - AROUND)
    shown = line[left : column + AROUND].replace("\t", " ").replace("\r", " ")
    indent = " " * (column - left)
    return f"\n{shown}\n{indent}^\nERROR at Row:{row}:Column:{column + 1}\n"


def _cut(text: str, length: int) -> str:
    """Cuts a text that quotes the query, for that may be as long as the query itself."""
    return text if len(text) <= length else text[: length - 2] + " …"
