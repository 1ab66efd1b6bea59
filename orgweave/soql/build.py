"""The parser's callbacks: the parts of each grammar rule become a node.

The parser calls a method of `QueryBuilder` for each rule it reduces, bottom up, and that method
has the rule's name in `grammar.lark`. Holds no state and knows no schema. Example: the rule
`expression OPERATOR literal -> comparison` calls `comparison(Path(("Status",), 26), "=", ("string",
"'New'", 35))`.
"""

from collections.abc import Sequence
from typing import Any
from typing import Literal as Choice

from lark import Token, Transformer, v_args

from orgweave.soql import literals
from orgweave.soql.nodes import (
    AliasedSource,
    Argument,
    Child,
    Comparison,
    Condition,
    Constant,
    Expression,
    FilterScope,
    FunctionCall,
    Literal,
    Logic,
    Not,
    Path,
    QueryFault,
    Search,
    SelectItem,
    SelectQuery,
    SemiJoin,
    Sort,
    TypeOf,
    WithClause,
)

DEEPEST = 20
"""Levels of a filter. Later stages recurse over it, so this bounds their use of Python's stack."""
# The CRM's own bounds.
LARGEST_LIMIT = 2**31 - 1
LARGEST_OFFSET = 2000
MOST_HITS = 2000
SCOPES = ("ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR")
ACCEPTED_WITH = ("SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE")
"""WITH clauses that change nothing here: whoever asks may see every record."""
SELECTORS = ("AT", "ABOVE", "BELOW", "ABOVE_OR_BELOW")
"""How a data category is chosen."""
DEEPER = "FORMAT"
"""The one function that may stand around a function of a function, but not around itself."""
Spelt = tuple[str, str, int]
"""A value's form, spelling and position.

It isn't read before its operator is known: a string's backslashes mean something else after LIKE.
"""


@v_args(inline=True)
class QueryBuilder(Transformer[Token, Any]):
    """One method a grammar rule."""

    def query(self, select: SelectQuery) -> SelectQuery:
        return select

    def select(self, *parts: Any) -> SelectQuery:
        first, items, _, entity, alias, sources, using, where, options, *rest = parts
        groups, having, sorts, limit, offset, *_ = rest
        for option in options:
            if option.name not in ACCEPTED_WITH:
                raise _unavailable(option)
        return SelectQuery(
            items=items,
            entity=path_of(entity),
            alias=alias and str(alias),
            sources=sources,
            using=using,
            where=where,
            groups=groups,
            having=having,
            sorts=sorts,
            limit=limit,
            offset=offset,
            position=position_of(first),
        )

    def items(self, *items: SelectItem | Child | TypeOf) -> tuple[SelectItem | Child | TypeOf, ...]:
        return items

    def field(self, expression: Expression, alias: Token | None) -> SelectItem:
        return SelectItem(
            expression,
            alias and str(alias),
            expression.position,
        )

    def child(self, query: SelectQuery) -> Child:
        return Child(query, query.position)

    def typeof(self, start: Token, relationship: Token, *rest: Any) -> TypeOf:
        *branches, otherwise, _ = rest
        return TypeOf(
            path_of(relationship),
            tuple(branches),
            otherwise,
            position_of(start),
        )

    def branch(
        self,
        _when: Token,
        name: Token,
        _then: Token,
        paths: tuple[Path, ...],
    ) -> tuple[Path, tuple[Path, ...]]:
        return path_of(name), paths

    def otherwise(
        self,
        _else: Token | None = None,
        paths: tuple[Path, ...] = (),
    ) -> tuple[Path, ...]:
        return paths

    def paths(self, *names: Token) -> tuple[Path, ...]:
        return tuple(path_of(name) for name in names)

    def alias(self, name: Token | None = None) -> Token | None:
        if name is not None and "." in name:
            raise QueryFault(
                "MALFORMED_QUERY",
                position_of(name),
                f"unexpected token: '{name}'; an alias is one word",
            )
        return name

    def sources(self, *sources: AliasedSource) -> tuple[AliasedSource, ...]:
        return sources

    def source(self, path: Token, alias: Token) -> AliasedSource:
        name = self.alias(alias)
        return AliasedSource(path_of(path), str(name))

    def path(self, name: Token) -> Path:
        return path_of(name)

    def string_argument(self, token: Token) -> Constant:
        return Constant(str(token), position_of(token))

    number_argument = string_argument

    def call(self, name: Token, *args: Argument) -> FunctionCall:
        outer = name.upper() == DEEPER
        if "." in name or any(_too_deep(argument, outer) for argument in args):
            raise QueryFault(
                "MALFORMED_QUERY",
                position_of(name),
                f"unexpected token: '{name}('; functions are nested at most once, as in"
                " CALENDAR_MONTH(convertTimezone(CreatedDate))",
            )
        return FunctionCall(
            name.upper(),
            args,
            position_of(name),
        )

    def using(
        self,
        _using: Token | None = None,
        _scope: Token | None = None,
        name: Token | None = None,
    ) -> FilterScope | None:
        return None if name is None else FilterScope(name.lower(), position_of(name))

    def where(
        self,
        _where: Token | None = None,
        logic: Condition | None = None,
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
        return Sort(
            by,
            descending=direction == "DESC",
            nulls_first=nulls != "LAST",
        )

    def direction(self, word: Token | None = None) -> str:
        return (word or "ASC").upper()

    def nulls(self, _nulls: Token | None = None, word: Token | None = None) -> str:
        return (word or "FIRST").upper()

    def limit(self, _limit: Token | None = None, number: Token | None = None) -> int | None:
        return (
            None
            if number is None
            else whole(
                number,
                LARGEST_LIMIT,
                "LIMIT",
            )
        )

    def offset(self, _offset: Token | None = None, number: Token | None = None) -> int:
        return (
            0
            if number is None
            else whole(
                number,
                LARGEST_OFFSET,
                "OFFSET",
            )
        )

    def purposes(self, *_: object) -> None:
        return None

    purpose = rows = purposes

    def every(self, *terms: Any) -> Logic:
        return chain("AND", terms[::2])

    def some(self, *terms: Any) -> Logic:
        return chain("OR", terms[::2])

    def negation(self, word: Token, term: Condition) -> Not:
        return Not(
            term,
            deeper((term,), position_of(word)),
            position_of(word),
        )

    def comparison(
        self,
        left: Expression,
        operator: Token,
        value: Spelt,
    ) -> Comparison:
        name = "!=" if operator == "<>" else operator.upper()
        literal = value_of(value, pattern=name == "LIKE")
        return Comparison(
            left,
            name,
            (literal,),
            left.position,
        )

    def comparison_set(
        self,
        left: Expression,
        operator: Token,
        values: tuple[Spelt, ...],
    ) -> Comparison:
        chosen = tuple(value_of(value) for value in values)
        return Comparison(
            left,
            operator.upper(),
            chosen,
            left.position,
        )

    membership = comparison_set

    def non_membership(
        self,
        left: Expression,
        _not: Token,
        _in: Token,
        values: tuple[Spelt, ...],
    ) -> Comparison:
        chosen = tuple(value_of(value) for value in values)
        return Comparison(
            left,
            "NOT IN",
            chosen,
            left.position,
        )

    def semi_join(
        self,
        left: Expression,
        _in: Token,
        query: SelectQuery,
    ) -> SemiJoin:
        return SemiJoin(
            left,
            negated=False,
            query=query,
            position=left.position,
        )

    def anti_join(
        self,
        left: Expression,
        _not: Token,
        _in: Token,
        query: SelectQuery,
    ) -> SemiJoin:
        return SemiJoin(
            left,
            negated=True,
            query=query,
            position=left.position,
        )

    def set(self, *values: Spelt) -> tuple[Spelt, ...]:
        return values

    def string(self, token: Token) -> Spelt:
        return "string", str(token), position_of(token)

    def number(self, token: Token) -> Spelt:
        return "number", str(token), position_of(token)

    def moment(self, token: Token) -> Spelt:
        return "moment", str(token), position_of(token)

    def word(self, token: Token) -> Spelt:
        return "word", str(token), position_of(token)

    def search(
        self,
        _find: Token,
        needle: tuple[str, int],
        scope: str,
        returning: tuple[SelectQuery, ...],
        options: tuple[WithClause, ...],
        limit: int | None,
        _purposes: None,
    ) -> Search:
        text, position = needle
        most = MOST_HITS if limit is None else min(limit, MOST_HITS)
        return Search(
            text,
            position,
            scope,
            returning,
            options,
            most,
        )

    def needle(self, token: Token) -> tuple[str, int]:
        if token.type != "BRACED":
            raise QueryFault(
                "MALFORMED_SEARCH",
                position_of(token),
                f"search term must be enclosed in braces; write FIND {{{str(token)[1:-1][:60]}}}."
                " Quotes around it are Apex's",
            )
        return str(token)[1:-1], position_of(token) + 1

    def scope(
        self,
        _in: Token | None = None,
        name: Token | None = None,
        _fields: Token | None = None,
    ) -> str:
        if name is not None and name.upper() not in SCOPES:
            raise QueryFault(
                "MALFORMED_SEARCH",
                position_of(name),
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
        _list_view: None = None,
        where: Condition | None = None,
        *rest: Any,
    ) -> SelectQuery:
        sorts, limit, offset = rest or ((), None, 0)
        position = position_of(entity)
        return SelectQuery(
            items=items
            or (
                SelectItem(
                    Path(("Id",), position),
                    None,
                    position,
                ),
            ),
            entity=path_of(entity),
            where=where,
            sorts=sorts,
            limit=limit,
            offset=offset,
            position=position,
        )

    def list_view(self, using: Token | None = None, *parts: Token) -> None:
        if using is None:
            return
        if parts[0].upper() != "LISTVIEW":
            raise QueryFault(
                "MALFORMED_SEARCH",
                position_of(parts[0]),
                f"unexpected token: '{parts[0]}'; RETURNING takes USING ListView = name",
            )
        raise QueryFault(
            "FUNCTIONALITY_NOT_ENABLED",
            position_of(using),
            f"there is no list view '{parts[-1]}' here, nor any other; write WHERE instead",
        )

    def options(self, *options: WithClause) -> tuple[WithClause, ...]:
        return options

    def flag(self, _with: Token, name: Token) -> WithClause:
        return WithClause(
            name.upper(),
            (),
            position_of(name),
        )

    def setting(self, _with: Token, name: Token, operator: Token, value: Any) -> WithClause:
        spelt = value if operator.type == "IN" else (value,)
        if operator.type != "IN" and operator != "=":
            raise QueryFault(
                "MALFORMED_QUERY",
                position_of(operator),
                f"unexpected token: '{operator}'; write WITH {name} = value",
            )
        values = tuple(value_of(given) for given in spelt)
        return WithClause(
            name.upper(),
            values,
            position_of(name),
        )

    def setting_inside(
        self,
        with_: Token,
        name: Token,
        inner: Token,
        operator: Token,
        value: Spelt,
    ) -> WithClause:
        if (name.upper(), inner.upper()) != ("SNIPPET", "TARGET_LENGTH"):
            raise QueryFault(
                "MALFORMED_QUERY",
                position_of(inner),
                f"unexpected token: '{inner}'; only SNIPPET has something in parentheses, as in"
                " WITH SNIPPET (target_length=120)",
            )
        return self.setting(
            with_,
            name,
            operator,
            value,
        )

    def categories(self, _with: Token, data: Token, *_: object) -> WithClause:
        return WithClause(
            "DATA CATEGORY",
            (),
            position_of(data),
        )

    def category(self, _group: Token, selector: Token, *_: Token) -> None:
        if selector.upper() not in SELECTORS:
            raise QueryFault(
                "MALFORMED_QUERY",
                position_of(selector),
                f"unexpected token: '{selector}'; a data category is chosen by one of"
                f" {', '.join(SELECTORS)}",
            )


def position_of(token: Token) -> int:
    """Returns a token's position in the text."""
    return token.start_pos or 0


def path_of(token: Token) -> Path:
    """Returns a dotted name as a path."""
    names = tuple(name.strip() for name in token.split("."))
    return Path(names, position_of(token))


def chain(operator: Choice["AND", "OR"], terms: tuple[Condition, ...]) -> Logic:
    """Returns an AND or OR of terms; the same operator in parentheses becomes part of it."""
    flat: list[Condition] = []
    for term in terms:
        if isinstance(term, Logic) and term.operator == operator:
            flat += term.terms
        else:
            flat.append(term)
    return Logic(
        operator,
        tuple(flat),
        deeper(flat, 0),
    )


def deeper(terms: Sequence[Condition], position: int) -> int:
    """Returns one more than the depth of the deepest term; refuses what no query needs."""
    depth = 1 + max(term.depth if isinstance(term, Logic | Not) else 0 for term in terms)
    if depth > DEEPEST:
        raise QueryFault(
            "QUERY_TOO_COMPLICATED",
            position,
            f"the filter alternates AND, OR and NOT more than {DEEPEST} levels deep; simplify it",
        )
    return depth


def whole(token: Token, largest: int, clause: str) -> int:
    """Returns a number of rows; refuses one that is negative, broken or too large."""
    if not token.isdigit():
        raise QueryFault(
            "MALFORMED_QUERY",
            position_of(token),
            f"unexpected token: '{str(token)[:40]}'; {clause} takes a whole number that isn't"
            " negative",
        )
    if len(token) > 12 or int(token) > largest:
        raise QueryFault(
            "NUMBER_OUTSIDE_VALID_RANGE",
            position_of(token),
            f"maximum SOQL {clause.lower()} allowed is {largest}",
        )
    return int(token)


def value_of(spelt: Spelt, pattern: bool = False) -> Literal:
    """Reads a value; `pattern` is one that follows LIKE."""
    form, spelling, position = spelt
    match form:
        case "string":
            return literals.string(
                spelling,
                position,
                pattern,
            )
        case "number":
            return literals.number(spelling, position)
        case "moment":
            return literals.moment(spelling, position)
    return literals.word(spelling, position)


def _unavailable(clause: WithClause) -> QueryFault:
    """The fault of a WITH clause that a query doesn't take."""
    if clause.name == "DATA CATEGORY":
        return QueryFault(
            "FUNCTIONALITY_NOT_ENABLED",
            clause.position,
            "data categories are not set up in this org; leave WITH DATA CATEGORY out and filter"
            " by fields",
        )
    return QueryFault(
        "MALFORMED_QUERY",
        clause.position,
        f"WITH {clause.name} is not available here; leave it out",
    )


def _too_deep(argument: Argument, outer: bool) -> bool:
    """Whether an argument nests functions too deep; `outer` is FORMAT, which may nest once more."""
    if not isinstance(argument, FunctionCall):
        return False
    if outer:
        return argument.name == DEEPER
    return any(isinstance(inner, FunctionCall) for inner in argument.args)
