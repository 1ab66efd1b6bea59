"""What is searched for: from the text between FIND's braces to an expression of SQLite's FTS5.

Knows no org and no field. Words are split at punctuation and between letters and digits, as the CRM
does; a word stands for all forms of it that the index has. `"two words"` is a phrase and means just
these, `boot*` is a beginning, and `b?ot` and `b*t` are looked up among the index's words. The
grammar stands in `needle.lark`. Example: `trail AND NOT (boot* OR "old shoe")` becomes `(("trail"
OR "trails") NOT ("boot" * OR "old shoe"))`.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import Any, Protocol

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, v_args

from orgweave.soql.nodes import QueryFault

LONGEST = 4000
"""Characters of a search text: the CRM's own bound."""
DEEPEST = 20
"""Levels of a needle: `match` recurses over it, and FTS5 bounds the depth of an expression."""
NOWHERE = '"\ue000"'
"""A word that no text has: a private character."""
OPERATORS = ("AND", "OR", "NOT")
# The border between a letter and a digit.
BORDER = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
WORDS = re.compile(r"[^\W_]+")
POSSESSIVE = re.compile(r"(?:\\?[\u2019]|\\')s?(?![^\W_])", re.IGNORECASE)
"""What `Bob\\'s` has more than `Bob`, and `kids\\'` more than `kids`."""
UNESCAPED_QUOTE = re.compile(r"(?<!\\)(?:\\\\)*'")
MOST_PHRASES = 32
"""Phrases that one term of several words may stand for, each word in its forms."""


class Vocabulary(Protocol):
    """The words of an index."""

    def like(self, pattern: str) -> list[str]:
        """Those that match a GLOB pattern."""
        ...

    def forms(self, word: str) -> list[str]:
        """Those that are forms of a word, itself among them if the index has it."""
        ...


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a phrase.

    `start`: it is a beginning, written with a `*` at its end. `wild`: it is one word with `?` or
    `*` inside. `exact`: it stood in quotes, and has no other forms.
    """

    words: tuple[str, ...]
    start: bool = False
    wild: bool = False
    exact: bool = False


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


def parse_needle(text: str, position: int) -> Needle:
    """Returns the needle of a text that stands at that position of a statement.

    Raises QueryFault (MALFORMED_SEARCH).
    """
    if len(text) > LONGEST:
        raise QueryFault(
            "MALFORMED_SEARCH",
            position,
            f"a search text may have at most {LONGEST:,} characters; this one has {len(text):,}",
        )
    letters = "".join(WORDS.findall(ESCAPED.sub(" ", text)))
    if len(letters) < 2:
        raise QueryFault(
            "MALFORMED_SEARCH",
            position,
            f"search term must be longer than one character: {text[:40]}",
        )
    try:
        parsed = _parser().parse(text)
    except QueryFault as fault:
        # The builders count from the needle's beginning.
        raise QueryFault(
            fault.code,
            position + fault.position,
            str(fault),
        ) from fault
    except UnexpectedInput as error:
        raise _fault(
            text,
            position,
            error,
        ) from error
    assert isinstance(parsed, Term | Combined)
    return parsed


def split(text: str) -> str:
    """Returns the text with a space between letters and digits: `SKU123` is `SKU 123`."""
    return BORDER.sub(" ", text)


def match(needle: Needle, vocabulary: Vocabulary) -> str:
    """Returns the needle in FTS5's language; `vocabulary` holds the index's words."""
    if isinstance(needle, Combined):
        parts = [match(term, vocabulary) for term in needle.terms]
        return f"({f' {needle.operator} '.join(parts)})"
    if needle.wild:
        return _any_of([[word] for word in vocabulary.like(needle.words[0])])
    if needle.start and needle.words:
        return f'"{" ".join(needle.words)}" *'
    if needle.exact:
        return _any_of([needle.words])
    return _any_of(_phrases(needle.words, vocabulary))


def _any_of(phrases: Sequence[Sequence[str]]) -> str:
    """Phrases of which any is to be found."""
    found = [f'"{" ".join(words)}"' for words in phrases if words]
    if not found:
        return NOWHERE
    return found[0] if len(found) == 1 else f"({' OR '.join(found)})"


def _phrases(words: tuple[str, ...], vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    """A term's words in all their forms; as they are where those are too many."""
    choices = [vocabulary.forms(folded_word(word)) or [word] for word in words]
    if math.prod(len(choice) for choice in choices) > MOST_PHRASES:
        return [words]
    return list(product(*choices))


@v_args(inline=True)
class SearchBuilder(Transformer[Token, Any]):
    """One method a grammar rule."""

    def start(self, needle: Needle) -> Needle:
        return needle

    def any(self, *parts: Any) -> Needle:
        every = tuple(_combined("AND", chain.units) for chain in parts[::2])
        return _combined("OR", every)

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
        *kept, taken = self.further(chain, rest[-1]).units
        every = _combined("AND", tuple(kept))
        return Chain((_combined("NOT", (every, taken)),), ended=True)

    def word(self, token: Token) -> Term:
        return _term(str(token), token.start_pos or 0)

    def phrase(self, token: Token) -> Term:
        raw = str(token)[1:-1]
        quote = UNESCAPED_QUOTE.search(raw)
        if quote:
            raise QueryFault(
                "MALFORMED_SEARCH",
                (token.start_pos or 0) + quote.end(),
                "unexpected character: '; write it as \\', in double quotes too",
            )
        inner = ESCAPED.sub(" ", raw)
        return Term(
            _words(inner.rstrip("*")),
            inner.endswith("*"),
            exact=True,
        )

    def group(self, needle: Needle) -> Needle:
        return needle


def _term(text: str, position: int) -> Term:
    if text.upper() in OPERATORS:
        raise QueryFault(
            "MALFORMED_SEARCH",
            position,
            f"unexpected token: '{text}'; to search for the word itself put it in double quotes",
        )
    plain = ESCAPED.sub(" ", POSSESSIVE.sub(" ", text))
    if plain[0] in "*?":
        raise QueryFault(
            "MALFORMED_SEARCH",
            position,
            f"a wildcard can't begin a search term: {plain[:40]}",
        )
    body = plain.rstrip("*")
    if not set(body) & set("*?"):
        return Term(_words(body), body != plain)
    if not re.fullmatch(r"[^\W_*?][^\W_]*(?:[*?]+[^\W_]*)*", body) or BORDER.search(body):
        raise QueryFault(
            "MALFORMED_SEARCH",
            position,
            f"a wildcard inside a term takes one word of letters or of digits: {plain[:40]}",
        )
    return Term((folded_word(plain),), wild=True)


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORDS.findall(split(text)))


def folded_word(text: str) -> str:
    """Returns a word as the index keeps it: lower case, without diacritics."""
    signs = unicodedata.normalize("NFD", text.lower())
    return "".join(sign for sign in signs if not unicodedata.combining(sign))


def _combined(operator: str, terms: tuple[Needle, ...]) -> Needle:
    """Terms under an operator; the same operator in parentheses becomes part of it.

    Not so NOT: `a NOT (b NOT c)` takes less from `a` than `a NOT b NOT c`.
    """
    if len(terms) == 1:
        return terms[0]
    flat: list[Needle] = []
    for term in terms:
        if operator != "NOT" and isinstance(term, Combined) and term.operator == operator:
            flat += term.terms
        else:
            flat.append(term)
    depth = 1 + max(term.depth if isinstance(term, Combined) else 0 for term in flat)
    if depth > DEEPEST:
        raise QueryFault(
            "QUERY_TOO_COMPLICATED",
            0,
            f"the search text nests AND, OR and NOT more than {DEEPEST} levels deep",
        )
    return Combined(
        operator,
        tuple(flat),
        depth,
    )


@cache
def _parser() -> Lark:
    file = resources.files("orgweave.soql").joinpath("needle.lark")
    rules = file.read_text(encoding="utf-8")
    return Lark(
        rules,
        parser="lalr",
        transformer=SearchBuilder(),
    )


def _fault(text: str, position: int, error: UnexpectedInput) -> QueryFault:
    """The fault of what the parser didn't expect."""
    if isinstance(error, UnexpectedCharacters):
        place = error.pos_in_stream or 0
        sign = text[place]
        return QueryFault(
            "MALFORMED_SEARCH",
            position + place,
            f"unexpected character: '{sign}'; write it as \\{sign}, for it is reserved in a"
            " search text",
        )
    found: int | None = error.pos_in_stream
    # Lark gives no place to the end of the text.
    place = len(text) if found is None or found < 0 else found
    return QueryFault(
        "MALFORMED_SEARCH",
        position + place,
        f"unexpected token: '{text[place : place + 20] or '<EOF>'}'; a search text is words joined"
        " by AND, OR and AND NOT; put such a word itself in double quotes",
    )
