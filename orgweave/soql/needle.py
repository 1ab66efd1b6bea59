"""What is searched for: from the text between FIND's braces to an expression of SQLite's full-text
index.

Words are split at punctuation and between letters and digits, as the CRM does; `"two words"` is a
phrase, `boot*` a beginning,
`b?ot` and `b*t` are looked up among the index's words. Example: `trail AND NOT (boot* OR "old
shoe")`.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, v_args

from orgweave.soql.places import QueryFault

LONGEST = 4000
DEEPEST = 20
NOWHERE = '"\ue000"'
"""A word that no text has."""
OPERATORS = ("AND", "OR", "NOT")
BORDER = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
WORDS = re.compile(r"[^\W_]+")
Terms = Callable[[str], list[str]]
"""The index's words that match a GLOB pattern."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a phrase; `wild` if it is one word with `?` or `*` in it, `start` if it ends in
    `*`.
    """

    words: tuple[str, ...]
    start: bool = False
    wild: bool = False


@dataclass(frozen=True, slots=True)
class Combined:
    """Terms under AND, OR or NOT (the first without the second)."""

    operator: str
    terms: tuple["Needle", ...]
    depth: int


Needle = Term | Combined


@dataclass(frozen=True, slots=True)
class Chain:
    """Units that stand beside one another; `ended` behind an AND NOT."""

    units: tuple[Needle, ...]
    ended: bool = False


def parse_needle(text: str, at: int) -> Needle:
    """The needle of a text that stands at that place; raises Fault (MALFORMED_SEARCH)."""
    if len(text) > LONGEST:
        raise QueryFault(
            "MALFORMED_SEARCH",
            at,
            f"a search text may have at most {LONGEST:,} characters; this one has {len(text):,}",
        )
    if len("".join(WORDS.findall(ESCAPED.sub(" ", text)))) < 2:
        raise QueryFault(
            "MALFORMED_SEARCH", at, f"search term must be longer than one character: {text[:40]}"
        )
    try:
        parsed = _parser().parse(text)
    except QueryFault as fault:
        raise QueryFault(fault.code, at + fault.at, str(fault)) from fault
    except UnexpectedInput as error:
        raise _fault(text, at, error) from error
    assert isinstance(parsed, Term | Combined)
    return parsed


def split(text: str) -> str:
    """A space between letters and digits: `SKU123` is `SKU 123`."""
    return BORDER.sub(" ", text)


def match(needle: Needle, terms: Terms) -> str:
    """The needle in the language of the full-text index."""
    if isinstance(needle, Combined):
        return "(" + f" {needle.operator} ".join(match(one, terms) for one in needle.terms) + ")"
    if needle.wild:
        found = terms(needle.words[0])
        return "(" + " OR ".join(f'"{one}"' for one in found) + ")" if found else NOWHERE
    if not needle.words:
        return NOWHERE
    return '"' + " ".join(needle.words) + '"' + (" *" if needle.start else "")


@v_args(inline=True)
class SearchBuilder(Transformer[Token, Any]):
    """One method a grammar rule."""

    def start(self, needle: Needle) -> Needle:
        return needle

    def any(self, *parts: Any) -> Needle:
        return _combined("OR", tuple(_combined("AND", chain.units) for chain in parts[::2]))

    def first(self, unit: Needle) -> Chain:
        return Chain((unit,))

    def further(self, chain: Chain, unit: Needle) -> Chain:
        if chain.ended:
            raise QueryFault(
                "MALFORMED_SEARCH",
                0,
                "what follows AND NOT takes away: put the rest before it, or use parentheses to say"
                " what is taken from what",
            )
        return Chain((*chain.units, unit))

    def further_and(self, chain: Chain, _and: Token, unit: Needle) -> Chain:
        return self.further(chain, unit)

    def without(self, chain: Chain, *rest: Any) -> Chain:
        units = self.further(chain, rest[-1]).units
        return Chain((_combined("NOT", (_combined("AND", units[:-1]), units[-1])),), ended=True)

    def word(self, token: Token) -> Term:
        return _term(str(token), token.start_pos or 0)

    def phrase(self, token: Token) -> Term:
        inner = ESCAPED.sub(" ", str(token)[1:-1])
        return Term(_words(inner.rstrip("*")), inner.endswith("*"))

    def group(self, needle: Needle) -> Needle:
        return needle


def _term(text: str, at: int) -> Term:
    if text.upper() in OPERATORS:
        raise QueryFault(
            "MALFORMED_SEARCH",
            at,
            f"unexpected token: '{text}'; to search for the word itself put it in double quotes",
        )
    plain = ESCAPED.sub(" ", text)
    if plain[0] in "*?":
        raise QueryFault(
            "MALFORMED_SEARCH", at, f"a wildcard can't begin a search term: {plain[:40]}"
        )
    body = plain.rstrip("*")
    if not set(body) & set("*?"):
        return Term(_words(body), body != plain)
    if not re.fullmatch(r"[^\W_*?][^\W_]*(?:[*?]+[^\W_]*)*", body) or BORDER.search(body):
        raise QueryFault(
            "MALFORMED_SEARCH",
            at,
            f"a wildcard inside a term takes one word of letters or of digits: {plain[:40]}",
        )
    return Term((_folded(plain),), wild=True)


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORDS.findall(split(text)))


def _folded(text: str) -> str:
    """As the index keeps words: lower case, without diacritics."""
    return "".join(
        sign
        for sign in unicodedata.normalize("NFD", text.lower())
        if not unicodedata.combining(sign)
    )


def _combined(operator: str, terms: tuple[Needle, ...]) -> Needle:
    if len(terms) == 1:
        return terms[0]
    flat = tuple(
        one
        for term in terms
        for one in (
            term.terms
            if isinstance(term, Combined) and term.operator == operator != "NOT"
            else (term,)
        )
    )
    depth = 1 + max(term.depth if isinstance(term, Combined) else 0 for term in flat)
    if depth > DEEPEST:
        raise QueryFault(
            "QUERY_TOO_COMPLICATED",
            0,
            f"the search text nests AND, OR and NOT more than {DEEPEST} levels deep",
        )
    return Combined(operator, flat, depth)


@cache
def _parser() -> Lark:
    return Lark(
        resources.files("orgweave.soql").joinpath("needle.lark").read_text(encoding="utf-8"),
        parser="lalr",
        transformer=SearchBuilder(),
    )


def _fault(text: str, at: int, error: UnexpectedInput) -> QueryFault:
    if isinstance(error, UnexpectedCharacters):
        place = error.pos_in_stream or 0
        return QueryFault(
            "MALFORMED_SEARCH",
            at + place,
            f"unexpected character: '{text[place]}'; write it as \\{text[place]}, for it is"
            " reserved in a search text",
        )
    place = (
        error.pos_in_stream
        if error.pos_in_stream is not None and error.pos_in_stream >= 0
        else len(text)
    )
    return QueryFault(
        "MALFORMED_SEARCH",
        at + place,
        f"unexpected token: '{text[place : place + 20] or '<EOF>'}'; a search text is words joined"
        " by AND, OR and AND NOT; put such a word itself in double quotes",
    )
