"""From text to nodes, by the grammar; every fault is refused with its place. Knows no schema.

The parser is LALR and the nodes are built as it reduces, so neither depth nor length of a text can
exhaust Python's stack.
"""

from functools import cache
from importlib import resources
from typing import Literal, NoReturn

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from orgweave.soql.build import QueryBuilder
from orgweave.soql.nodes import Search, SelectQuery
from orgweave.soql.places import QueryFault, QueryText

LONGEST = 100_000
Language = Literal["SOQL", "SOSL"]
CODES: dict[Language, str] = {"SOQL": "MALFORMED_QUERY", "SOSL": "MALFORMED_SEARCH"}
HINTS = {
    "*": "SOQL has no *; list the fields, or write FIELDS(ALL) with LIMIT 200, or COUNT() to count",
    "AS": "SOQL has no AS; write the alias directly behind, as in COUNT(Id) total",
    "DISTINCT": "SOQL has no DISTINCT; use GROUP BY",
    "JOIN": "SOQL has no JOIN; follow a relationship, as in Account.Name, or use a subquery",
    "ON": "SOQL has no JOIN; follow a relationship, as in Account.Name, or use a subquery",
    "BETWEEN": "SOQL has no BETWEEN; write field >= a AND field <= b",
    "IS": "write field = null or field != null",
    "UNION": "SOQL has no UNION; ask twice",
    "CASE": "SOQL has no CASE",
    "AND": "put parentheses where AND, OR and NOT meet",
    "OR": "put parentheses where AND, OR and NOT meet",
    "NOT": "put parentheses around NOT, as in a = 1 AND (NOT b = 2)",
    ":": "there are no bind variables here; write the value itself",
    ";": "a query has no ; at its end",
    "{": (
        "the search text that begins here has no end: close it with }, and write a brace inside it"
        " as \\{ or \\}"
    ),
    '"': "strings stand in single quotes",
    "==": "equals is written =",
    "ILIKE": "LIKE takes no notice of case",
}


def parse_query(text: str) -> SelectQuery:
    """The nodes of a SOQL text; raises QueryRefused (MALFORMED_QUERY)."""
    parsed = _parse(text, "query", "SOQL")
    assert isinstance(parsed, SelectQuery)
    return parsed


def parse_search(text: str) -> Search:
    """The nodes of a SOSL text; raises QueryRefused (MALFORMED_SEARCH)."""
    parsed = _parse(text, "search", "SOSL")
    assert isinstance(parsed, Search)
    return parsed


def check_text(text: str, language: Language) -> None:
    """Refuses what is no statement at all, whatever it says: nothing, far too much, broken
    characters.
    """
    code = CODES[language]
    if not text.strip():
        raise QueryText("").refuse(code, 0, f"{language} statements cannot be empty or null")
    if len(text) > LONGEST:
        raise QueryText("").refuse(
            code,
            0,
            f"{language} statements cannot be longer than {LONGEST:,} characters; this one has"
            f" {len(text):,}. Ask in parts",
        )
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise QueryText("").refuse(
            code,
            0,
            f"the {language} statement holds half of a surrogate pair; send whole characters in"
            " UTF-8",
        )


def _parse(text: str, start: str, language: Language) -> object:
    check_text(text, language)
    code = CODES[language]
    try:
        return grammar().parse(text, start=start)
    except QueryFault as fault:
        raise QueryText(text).refuse(
            code if fault.code == "MALFORMED_QUERY" else fault.code, fault.at, str(fault)
        ) from fault
    except UnexpectedInput as error:
        _refuse(text, code, error)


@cache
def grammar() -> Lark:
    """The parser, made once; that takes a tenth of a second."""
    rules = resources.files("orgweave.soql").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(rules, start=["query", "search"], parser="lalr", transformer=QueryBuilder())


def _refuse(text: str, code: str, error: UnexpectedInput) -> NoReturn:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        raise QueryText(text).refuse(
            code,
            error.token.start_pos or 0,
            f"unexpected token: '{str(error.token)[:60]}'" + _hint(text, error.token),
        ) from error
    if isinstance(error, UnexpectedCharacters):
        sign = text[error.pos_in_stream or 0]
        place = error.pos_in_stream or 0
        raise QueryText(text).refuse(
            code,
            place,
            f"unexpected character: '{sign}'"
            + (_said(HINTS.get(sign)) or _quote_hint(text, place)),
        ) from error
    raise QueryText(text).refuse(
        code, len(text), "unexpected token: '<EOF>'; the statement breaks off"
    ) from error


def _hint(text: str, token: Token) -> str:
    before = text[: token.start_pos or 0].split()[-1:] or [""]
    return _said(HINTS.get(str(token).upper()) or HINTS.get(before[0].upper()))


def _said(hint: str | None) -> str:
    return f"; {hint}" if hint else ""


def _quote_hint(text: str, place: int) -> str:
    return (
        "; the string that begins here has no end: write a quote inside it as \\'"
        if text[place] == "'"
        else ""
    )
