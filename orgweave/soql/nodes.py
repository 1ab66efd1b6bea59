"""What a SOQL or SOSL text says, as frozen dataclasses; names are not yet looked up, values not yet
compared with field types.

Example: `WHERE Account.Name LIKE 'A%'` is `Comparison(Path(("Account", "Name"), 26), "LIKE",
(Literal("string", "A%", 44),), 26)`.
`at` is the place in the text, as an offset, for messages.
"""

from dataclasses import dataclass
from typing import Literal as Choice


@dataclass(frozen=True, slots=True)
class Path:
    """A field along relationships: `("Account", "Name")`."""

    names: tuple[str, ...]
    at: int

    @property
    def text(self) -> str:
        """As it was written, without white space."""
        return ".".join(self.names)


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function of fields: `COUNT(Id)`, `CALENDAR_MONTH(convertTimezone(CreatedDate))`; the name
    in capitals.
    """

    name: str
    args: tuple["Expression", ...]
    at: int

    @property
    def text(self) -> str:
        """As it was written, the name in capitals."""
        return f"{self.name}({', '.join(one.text for one in self.args)})"


Expression = Path | FunctionCall
LiteralKind = Choice["string", "number", "date", "datetime", "boolean", "null", "relative"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A value.

    Dates are `2021-03-03`, datetimes the stored form in UTC, relative ones `("LAST_N_DAYS", 30)`.
    """

    kind: LiteralKind
    value: str | int | float | bool | None | tuple[str, int | None]
    at: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator values`; several values only for IN, NOT IN, INCLUDES and EXCLUDES."""

    left: Expression
    operator: str
    values: tuple[Literal, ...]
    at: int


@dataclass(frozen=True, slots=True)
class SemiJoin:
    """`left IN (SELECT …)`, or an anti-join if negated."""

    left: Expression
    negated: bool
    query: "SelectQuery"
    at: int


@dataclass(frozen=True, slots=True)
class Logic:
    """A chain of conditions, all AND or all OR; `depth` is the longest way down to a comparison."""

    operator: Choice["AND", "OR"]
    terms: tuple["Condition", ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    term: "Condition"
    depth: int
    at: int


Condition = Comparison | SemiJoin | Logic | Not


@dataclass(frozen=True, slots=True)
class Sort:
    """One key of ORDER BY."""

    by: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class SelectItem:
    """A field or function to return, and the name to return it by, if one was given."""

    expression: Expression
    alias: str | None
    at: int


@dataclass(frozen=True, slots=True)
class Child:
    """A subquery along a child relationship: `(SELECT Id FROM OrderItems)`."""

    query: "SelectQuery"
    at: int


@dataclass(frozen=True, slots=True)
class TypeOf:
    """`TYPEOF Owner WHEN User THEN Name ELSE Id END`."""

    relationship: Path
    branches: tuple[tuple[Path, tuple[Path, ...]], ...]
    otherwise: tuple[Path, ...]
    at: int


@dataclass(frozen=True, slots=True)
class SelectQuery:
    """A whole SELECT; also what a RETURNING entry of SOSL asks of one object type."""

    items: tuple[SelectItem | Child | TypeOf, ...]
    entity: Path
    alias: str | None = None
    where: Condition | None = None
    groups: tuple[Expression, ...] = ()
    having: Condition | None = None
    sorts: tuple[Sort, ...] = ()
    limit: int | None = None
    offset: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """A whole FIND; `scope` in capitals (ALL, NAME, EMAIL, PHONE, SIDEBAR)."""

    needle: str
    needle_at: int
    scope: str
    returning: tuple[SelectQuery, ...]
    limit: int
