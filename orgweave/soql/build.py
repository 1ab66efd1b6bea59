"""The parser's callbacks: each grammar rule's parts -> a node.

Called as the parser reduces, bottom up; holds no state.
"""

import re
from typing import Any
from typing import Literal as Choice

from lark import Token, Transformer, v_args

from orgweave.soql import literals
from orgweave.soql.nodes import (
    Child,
    Comparison,
    Condition,
    Expression,
    FunctionCall,
    Literal,
    Logic,
    Not,
    Path,
    Search,
    SelectItem,
    SelectQuery,
    SemiJoin,
    Sort,
    TypeOf,
)
from orgweave.soql.places import QueryFault

DEEPEST = 20
LARGEST_LIMIT = 2**31 - 1
LARGEST_OFFSET = 2000
MOST_HITS = 2000
SCOPES = ("ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR")
ACCEPTED_WITH = ("SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE")
Spelt = tuple[str, str, int]
"""A value's form, spelling and place; what a string's backslashes mean depends on the operator
before it.
"""


@v_args(inline=True)
class QueryBuilder(Transformer[Token, Any]):
    """One method a grammar rule."""

    def query(self, select: SelectQuery) -> SelectQuery:
        return select

    def select(self, *parts: Any) -> SelectQuery:
        first, items, _, entity, alias, _, where, _, groups, having, sorts, limit, offset, _, _ = (
            parts
        )
        return SelectQuery(
            items,
            path_of(entity),
            alias and str(alias),
            where,
            groups,
            having,
            sorts,
            limit,
            offset,
            at(first),
        )

    def items(self, *items: SelectItem | Child | TypeOf) -> tuple[SelectItem | Child | TypeOf, ...]:
        return items

    def field(self, expression: Expression, alias: Token | None) -> SelectItem:
        return SelectItem(expression, alias and str(alias), expression.at)

    def child(self, query: SelectQuery) -> Child:
        return Child(query, query.at)

    def typeof(self, start: Token, relationship: Token, *rest: Any) -> TypeOf:
        *branches, otherwise, _ = rest
        return TypeOf(path_of(relationship), tuple(branches), otherwise, at(start))

    def branch(
        self, _when: Token, name: Token, _then: Token, paths: tuple[Path, ...]
    ) -> tuple[Path, tuple[Path, ...]]:
        return path_of(name), paths

    def otherwise(
        self, _else: Token | None = None, paths: tuple[Path, ...] = ()
    ) -> tuple[Path, ...]:
        return paths

    def paths(self, *names: Token) -> tuple[Path, ...]:
        return tuple(path_of(name) for name in names)

    def alias(self, name: Token | None = None) -> Token | None:
        if name is not None and "." in name:
            raise QueryFault(
                "MALFORMED_QUERY", at(name), f"unexpected token: '{name}'; an alias is one word"
            )
        return name

    def path(self, name: Token) -> Path:
        return path_of(name)

    def call(self, name: Token, *args: Expression) -> FunctionCall:
        if "." in name or any(
            isinstance(one, FunctionCall)
            and any(isinstance(inner, FunctionCall) for inner in one.args)
            for one in args
        ):
            raise QueryFault(
                "MALFORMED_QUERY",
                at(name),
                f"unexpected token: '{name}('; functions are nested at most once, as in"
                " CALENDAR_MONTH(convertTimezone(CreatedDate))",
            )
        return FunctionCall(name.upper(), args, at(name))

    def using(
        self, _using: Token | None = None, _scope: Token | None = None, name: Token | None = None
    ) -> None:
        if name is not None and name.upper() != "EVERYTHING":
            raise QueryFault(
                "INVALID_QUERY_SCOPE",
                at(name),
                f"scope '{name}' is not available here; write USING SCOPE everything, or leave"
                " it out",
            )

    def where(
        self, _where: Token | None = None, logic: Condition | None = None
    ) -> Condition | None:
        return logic

    having = where

    def group(
        self, _group: Token | None = None, _by: Token | None = None, *keys: Expression
    ) -> tuple[Expression, ...]:
        return keys

    def orders(
        self, _order: Token | None = None, _by: Token | None = None, *sorts: Sort
    ) -> tuple[Sort, ...]:
        return sorts

    def sort(self, by: Expression, direction: str, nulls: str) -> Sort:
        return Sort(by, direction == "DESC", nulls != "LAST")

    def direction(self, word: Token | None = None) -> str:
        return (word or "ASC").upper()

    def nulls(self, _nulls: Token | None = None, word: Token | None = None) -> str:
        return (word or "FIRST").upper()

    def limit(self, _limit: Token | None = None, number: Token | None = None) -> int | None:
        return None if number is None else whole(number, LARGEST_LIMIT, "LIMIT")

    def offset(self, _offset: Token | None = None, number: Token | None = None) -> int:
        return 0 if number is None else whole(number, LARGEST_OFFSET, "OFFSET")

    def purposes(self, *_: object) -> None:
        return None

    purpose = rows = purposes

    def every(self, *terms: Any) -> Logic:
        return chain("AND", terms[::2])

    def some(self, *terms: Any) -> Logic:
        return chain("OR", terms[::2])

    def negation(self, word: Token, term: Condition) -> Not:
        return Not(term, deeper((term,), at(word)), at(word))

    def comparison(self, left: Expression, operator: Token, value: Spelt) -> Comparison:
        name = "!=" if operator == "<>" else operator.upper()
        return Comparison(left, name, (value_of(value, name == "LIKE"),), left.at)

    def comparison_set(
        self, left: Expression, operator: Token, values: tuple[Spelt, ...]
    ) -> Comparison:
        return Comparison(
            left, operator.upper(), tuple(value_of(value) for value in values), left.at
        )

    membership = comparison_set

    def non_membership(
        self, left: Expression, _not: Token, _in: Token, values: tuple[Spelt, ...]
    ) -> Comparison:
        return Comparison(left, "NOT IN", tuple(value_of(value) for value in values), left.at)

    def semi_join(self, left: Expression, _in: Token, query: SelectQuery) -> SemiJoin:
        return SemiJoin(left, False, query, left.at)

    def anti_join(self, left: Expression, _not: Token, _in: Token, query: SelectQuery) -> SemiJoin:
        return SemiJoin(left, True, query, left.at)

    def set(self, *values: Spelt) -> tuple[Spelt, ...]:
        return values

    def string(self, token: Token) -> Spelt:
        return "string", str(token), at(token)

    def number(self, token: Token) -> Spelt:
        return "number", str(token), at(token)

    def moment(self, token: Token) -> Spelt:
        return "moment", str(token), at(token)

    def word(self, token: Token) -> Spelt:
        return "word", str(token), at(token)

    def search(
        self,
        _find: Token,
        needle: tuple[str, int],
        scope: str,
        returning: tuple[SelectQuery, ...],
        _mode: None,
        limit: int | None,
        _purposes: None,
    ) -> Search:
        return Search(
            *needle, scope, returning, MOST_HITS if limit is None else min(limit, MOST_HITS)
        )

    def needle(self, token: Token) -> tuple[str, int]:
        inner = str(token)[1:-1]
        return (inner if token.type == "BRACED" else re.sub(r"\\(\\)", r"\1", inner)), at(token) + 1

    def scope(
        self, _in: Token | None = None, name: Token | None = None, _fields: Token | None = None
    ) -> str:
        if name is not None and name.upper() not in SCOPES:
            raise QueryFault(
                "MALFORMED_SEARCH",
                at(name),
                f"unexpected token: '{name}'; search IN one of {', '.join(SCOPES)} FIELDS",
            )
        return "ALL" if name is None else name.upper()

    def returning(
        self, _returning: Token | None = None, *specs: SelectQuery
    ) -> tuple[SelectQuery, ...]:
        return specs

    def spec(
        self,
        entity: Token,
        items: tuple[SelectItem | Child | TypeOf, ...] = (),
        where: Condition | None = None,
        *rest: Any,
    ) -> SelectQuery:
        sorts, limit, offset = rest or ((), None, 0)
        place = at(entity)
        return SelectQuery(
            items or (SelectItem(Path(("Id",), place), None, place),),
            path_of(entity),
            None,
            where,
            (),
            None,
            sorts,
            limit,
            offset,
            place,
        )

    def mode(self, _with: Token | None = None, name: Token | None = None) -> None:
        if name is not None and name.upper() not in ACCEPTED_WITH:
            raise QueryFault(
                "MALFORMED_QUERY", at(name), f"WITH {name} is not available here; leave it out"
            )


def at(token: Token) -> int:
    """A token's offset."""
    return token.start_pos or 0


def path_of(token: Token) -> Path:
    """A dotted name."""
    return Path(tuple(name.strip() for name in token.split(".")), at(token))


def chain(operator: Choice["AND", "OR"], terms: tuple[Condition, ...]) -> Logic:
    """An AND or OR of terms; the same operator in parentheses becomes part of it."""
    flat = tuple(
        one
        for term in terms
        for one in (
            term.terms if isinstance(term, Logic) and term.operator == operator else (term,)
        )
    )
    return Logic(operator, flat, deeper(flat, 0))


def deeper(terms: tuple[Condition, ...], place: int) -> int:
    """One more than the deepest of the terms; refuses what no query needs."""
    depth = 1 + max(term.depth if isinstance(term, Logic | Not) else 0 for term in terms)
    if depth > DEEPEST:
        raise QueryFault(
            "QUERY_TOO_COMPLICATED",
            place,
            f"the filter alternates AND, OR and NOT more than {DEEPEST} levels deep; simplify it",
        )
    return depth


def whole(token: Token, largest: int, clause: str) -> int:
    """A number of rows."""
    if not token.isdigit():
        raise QueryFault(
            "MALFORMED_QUERY",
            at(token),
            f"unexpected token: '{str(token)[:40]}'; {clause} takes a whole number that isn't"
            " negative",
        )
    if len(token) > 12 or int(token) > largest:
        raise QueryFault(
            "NUMBER_OUTSIDE_VALID_RANGE",
            at(token),
            f"maximum SOQL {clause.lower()} allowed is {largest}",
        )
    return int(token)


def value_of(spelt: Spelt, pattern: bool = False) -> Literal:
    """The value of a spelling."""
    form, spelling, place = spelt
    match form:
        case "string":
            return literals.string(spelling, place, pattern)
        case "number":
            return literals.number(spelling, place)
        case "moment":
            return literals.moment(spelling, place)
    return literals.word(spelling, place)
