"""From text to nodes, by the grammar in `grammar.lark`; every fault is refused with its place.

Knows no schema. The parser is LALR and builds the nodes as it reduces, so neither depth nor length
of a text can exhaust Python's stack. Example: `parse_query("SELECT Id FROM Case LIMIT 1")` is
`SelectQuery((SelectItem(Path(("Id",), 7), None, 7),), Path(("Case",), 15), limit=1, ...)`.
"""

import re
from functools import cache
from importlib import resources
from typing import Literal, NoReturn

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from orgweave.soql.build import QueryBuilder
from orgweave.soql.nodes import QueryFault, QueryText, Search, SelectQuery

LONGEST = 100_000
"""Characters of a statement: the CRM's own bound."""
HALF_PAIR = re.compile("[\ud800-\udfff]")
Language = Literal["SOQL", "SOSL"]
CODES: dict[Language, str] = {"SOQL": "MALFORMED_QUERY", "SOSL": "MALFORMED_SEARCH"}
# What people who know SQL, or a model, write most often instead of SOQL.
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
OPEN_STRING = "the string that begins here has no end: write a quote inside it as \\'"


def parse_query(text: str) -> SelectQuery:
    """Returns the nodes of a SOQL text; raises QueryRefused (MALFORMED_QUERY)."""
    parsed = _parse(text, "query", "SOQL")
    assert isinstance(parsed, SelectQuery)
    return parsed


def parse_search(text: str) -> Search:
    """Returns the nodes of a SOSL text; raises QueryRefused (MALFORMED_SEARCH)."""
    parsed = _parse(text, "search", "SOSL")
    assert isinstance(parsed, Search)
    return parsed


def check_text(text: str, language: Language) -> None:
    """Refuses what can't be a statement, whatever it says.

    That is an empty text, one that is too long, and one with broken characters.
    """
    code = CODES[language]
    if not text.strip():
        raise QueryText("").refuse(
            code,
            0,
            f"{language} statements cannot be empty or null",
        )
    if len(text) > LONGEST:
        raise QueryText("").refuse(
            code,
            0,
            f"{language} statements cannot be longer than {LONGEST:,} characters; this one has"
            f" {len(text):,}. Ask in parts",
        )
    if HALF_PAIR.search(text):
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
        # Builders don't know which of the two languages they serve.
        own = code if fault.code == "MALFORMED_QUERY" else fault.code
        raise QueryText(text).refuse(own, fault.position, str(fault)) from fault
    except UnexpectedInput as error:
        _refuse(text, code, error)


@cache
def grammar() -> Lark:
    """Returns the parser, which is made once, for that takes a tenth of a second."""
    file = resources.files("orgweave.soql").joinpath("grammar.lark")
    rules = file.read_text(encoding="utf-8")
    return Lark(
        rules,
        start=["query", "search"],
        parser="lalr",
        transformer=QueryBuilder(),
    )


def _refuse(text: str, code: str, error: UnexpectedInput) -> NoReturn:
    """Raises the refusal of what the parser didn't expect, with a hint where one is known."""
    position = len(text)
    message = "unexpected token: '<EOF>'; the statement breaks off"
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        position = error.token.start_pos or 0
        message = f"unexpected token: '{str(error.token)[:60]}'{_token_hint(text, error.token)}"
    elif isinstance(error, UnexpectedCharacters):
        position = error.pos_in_stream or 0
        sign = text[position]
        hint = OPEN_STRING if sign == "'" else HINTS.get(sign)
        message = f"unexpected character: '{sign}'{_said(hint)}"
    raise QueryText(text).refuse(code, position, message) from error


def _token_hint(text: str, token: Token) -> str:
    """The hint for a token, or for the word before it: in `a IS null` it is `null` that fails."""
    words_before = text[: token.start_pos].split()
    before = words_before[-1] if words_before else ""
    return _said(HINTS.get(str(token).upper()) or HINTS.get(before.upper()))


def _said(hint: str | None) -> str:
    return f"; {hint}" if hint else ""
