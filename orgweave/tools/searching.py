"""Search by words over names and texts: any word counts, the rarer and those in the name the more.

Knows no object type.

Example: of "the blue trail boots" the CRM is asked for `the* OR blue* OR trail* OR boot*`; what it
finds is then ranked.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from orgweave.soql.sql import FoundRecord
from orgweave.tools.crm import Crm
from schemas.errors import ToolRefused

MOST_WORDS, CANDIDATES, SHOWN = 40, 200, 10
WORD = re.compile(r"[^\W\d_]{2,}|\d{2,}")
SHORTEST = 3
"""Letters that are left at least of a word whose beginning is looked for."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What is searched: an object type, the fields of its records, which of them is the name and
    which others are texts, and a SOQL condition.
    """

    entity: str
    fields: str
    name: str
    text: str
    where: str = ""


def best(crm: Crm, searched: Searched, term: str) -> list[FoundRecord]:
    """At most 10 records, the best first; none where nothing is alike.

    Raises ToolRefused for a term without a word.
    """
    words = list(dict.fromkeys(_stem(word) for word in WORD.findall(term.lower())))[:MOST_WORDS]
    if not words:
        raise ToolRefused(
            f"search_term {term[:40]!r} has no word of two letters or more; write words of a name"
            " or a text"
        )
    beginnings = list(dict.fromkeys(word[: max(SHORTEST, len(word) // 2)] for word in words))
    return _ranked(crm, searched, words) or _ranked(crm, searched, beginnings)


def _stem(word: str) -> str:
    """Without the plural's s, so that boots finds boot."""
    return word.removesuffix("s") if len(word) > SHORTEST and not word.endswith("ss") else word


def _ranked(crm: Crm, searched: Searched, words: Sequence[str]) -> list[FoundRecord]:
    where = f" WHERE {searched.where}" if searched.where else ""
    needle = " OR ".join(f"{word}*" for word in words)
    found = crm.search(
        f"FIND {{{needle}}} IN ALL FIELDS RETURNING {searched.entity}({searched.fields}{where}"
        f" LIMIT {CANDIDATES})"
    )
    named = [_begins(str(record[searched.name]), words) for record in found]
    there = [_begins(f"{record[searched.name]} {record[searched.text]}", words) for record in found]
    weights = {
        word: math.log(1 + len(found) / (1 + sum(word in one for one in there))) for word in words
    }
    scores = [
        sum(weights[word] for word in (*names, *texts))
        for names, texts in zip(named, there, strict=True)
    ]
    # The CRM's own order, best first, decides between equals.
    order = sorted(range(len(found)), key=lambda at: -scores[at])
    return [found[at] for at in order[:SHOWN]]


def _begins(text: str, words: Sequence[str]) -> set[str]:
    """Those of the words with which a word of the text begins."""
    has = set(WORD.findall(text.lower()))
    return {word for word in words if any(one.startswith(word) for one in has)}
