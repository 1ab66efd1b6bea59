"""What WITH SNIPPET and WITH HIGHLIGHT add to found records: where the words stand in their texts.

A snippet is an excerpt of an article, a case or a comment around the first word that was searched
for; a highlight is a selected text with all such words between `<mark>` and `</mark>`. Words with a
wildcard are not marked. Knows no index.

Example: `marked("Boots for trails", frozenset({"boots"}))` is `<mark>Boots</mark> for trails`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from orgweave.soql.needle import Combined, Needle, folded_word
from orgweave.soql.nodes import Literal, QueryFault, WithClause

WORD = re.compile(r"[^\W\d_]+|\d+")
MARKED = frozenset({"string", "textarea", "email"})
"""Types of field in which words are marked."""
EXCERPTED = frozenset({"Knowledge__kav", "KnowledgeArticleVersion", "Case", "CaseComment"})
"""The object types that have snippets; on all others words are highlighted instead."""
MOST_MARKED = 25
"""Records of an object type with marks: the CRM's own bound."""
SHORTEST, LONGEST, USUAL = 50, 1000, 300
"""Characters of a snippet: the CRM's own bounds, and what it takes where none is given."""
CUT = "..."


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What the WITH clauses of a search ask for; `snippet` is a length, 0 for no snippets."""

    highlight: bool = False
    snippet: int = 0
    pricebook: str = ""


def search_options(options: Collection[WithClause]) -> SearchOptions:
    """Reads the WITH clauses of a search; raises QueryFault."""
    highlight, snippet, pricebook = False, 0, ""
    for option in options:
        match option.name:
            case "SECURITY_ENFORCED" | "USER_MODE" | "SYSTEM_MODE":
                _flag(option)
            case "HIGHLIGHT":
                _flag(option)
                highlight = True
            case "SNIPPET":
                snippet = _length(option)
            case "PRICEBOOKID":
                found = _value(
                    option,
                    "string",
                    "a price book's id in quotes",
                )
                pricebook = str(found.value)
            case "METADATA":
                _one_of(option, "LABELS")
            case "DIVISION":
                _one_of(option, "Global")
            case "SPELL_CORRECTION":
                _value(
                    option,
                    "boolean",
                    "true or false",
                )
            case _:
                raise _unknown(option)
    return SearchOptions(
        highlight,
        snippet,
        pricebook,
    )


def _flag(option: WithClause) -> None:
    if option.values:
        raise _fault(option, "takes no value")


def _value(option: WithClause, kind: str, wanted: str) -> Literal:
    value = option.values[0] if len(option.values) == 1 else None
    if value is None or value.kind != kind:
        raise _fault(option, f"takes {wanted}")
    return value


def _one_of(option: WithClause, only: str) -> None:
    found = _value(
        option,
        "string",
        f"'{only}'",
    ).value
    if str(found).lower() != only.lower():
        raise _fault(option, f"takes '{only}' here, not '{str(found)[:40]}'")


def _length(option: WithClause) -> int:
    if not option.values:
        return USUAL
    length = _value(
        option,
        "number",
        "a number of characters",
    ).value
    if not isinstance(length, int) or not SHORTEST <= length <= LONGEST:
        raise _fault(option, f"has a target_length between {SHORTEST} and {LONGEST}")
    return length


def _unknown(option: WithClause) -> QueryFault:
    missing = {
        "NETWORK": "there are no Experience Cloud sites in this org",
        "DATA CATEGORY": "data categories are not set up in this org",
    }
    if option.name in missing:
        message = f"{missing[option.name]}; leave WITH {option.name} out"
        return QueryFault(
            "FUNCTIONALITY_NOT_ENABLED",
            option.position,
            message,
        )
    return _fault(option, "is not available here; leave it out")


def _fault(option: WithClause, why: str) -> QueryFault:
    return QueryFault(
        "MALFORMED_SEARCH",
        option.position,
        f"WITH {option.name} {why}",
    )


def sought(needle: Needle) -> set[str]:
    """Returns the words that a search looks for, but not those that it looks away from."""
    if isinstance(needle, Combined):
        terms = needle.terms[:1] if needle.operator == "NOT" else needle.terms
        found: set[str] = set()
        for term in terms:
            found |= sought(term)
        return found
    return set() if needle.start or needle.wild else {folded_word(word) for word in needle.words}


def marked(text: str, words: Collection[str]) -> str | None:
    """Returns a text with the words marked, or None where it has none of them."""
    if not any(folded_word(found[0]) in words for found in WORD.finditer(text)):
        return None

    def written(found: re.Match[str]) -> str:
        return f"<mark>{found[0]}</mark>" if folded_word(found[0]) in words else found[0]

    return WORD.sub(written, text)


def snippet(text: str, words: Collection[str], length: int) -> str | None:
    """Returns an excerpt of about that length around the first of the words, with marks."""
    for found in WORD.finditer(text):
        if folded_word(found[0]) in words:
            start = max(0, found.start() - length // 3)
            end = min(len(text), start + length)
            shown = marked(text[start:end], words) or ""
            return f"{CUT if start else ''}{shown}{CUT if end < len(text) else ''}"
    return None
