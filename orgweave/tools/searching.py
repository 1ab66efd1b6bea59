"""Search by words over names and texts: any word counts, rarer words and those in the name more.

Knows no object type. Example: of "the blue trail boots" the CRM is asked for `the* OR blue* OR
trail* OR boot*`; what it finds is then ranked.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
from schemas.errors import ToolRefused

MOST_WORDS = 40
"""Words of a term that are searched for: some hundred characters of SOSL, far below its bound."""
CANDIDATES = 200
"""Records that are ranked; the CRM gives its own best."""
SHOWN = 10
WORD = re.compile(r"[^\W\d_]{2,}|\d{2,}")
SHORTEST = 3
"""Letters that are left at least of a word whose beginning is looked for."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What is searched: an object type, and its fields that are wanted.

    `name` and `text` say which of the fields hold them; `where` is a SOQL condition.
    """

    entity: str
    fields: str
    name: str
    text: str
    where: str = ""


def best(crm: Crm, searched: Searched, term: str) -> list[FoundRecord]:
    """Returns at most 10 records, the best first; none where nothing is alike.

    Raises ToolRefused for a term without a word.
    """
    stems = [_stem(word) for word in WORD.findall(term.lower())]
    words = list(dict.fromkeys(stems))[:MOST_WORDS]
    if not words:
        raise ToolRefused(
            f"search_term {term[:40]!r} has no word of two letters or more; write words of a name"
            " or a text"
        )
    halves = [word[: max(SHORTEST, len(word) // 2)] for word in words]
    beginnings = list(dict.fromkeys(halves))
    return _ranked(crm, searched, words) or _ranked(crm, searched, beginnings)


def _stem(word: str) -> str:
    """Without the plural's s, so that boots finds boot."""
    return word.removesuffix("s") if len(word) > SHORTEST and not word.endswith("ss") else word


def _ranked(crm: Crm, searched: Searched, words: Sequence[str]) -> list[FoundRecord]:
    """What begins with any of the words, by the weight of the words in name and text."""
    where = f" WHERE {searched.where}" if searched.where else ""
    needle = " OR ".join(f"{word}*" for word in words)
    returned = f"{searched.entity}({searched.fields}{where} LIMIT {CANDIDATES})"
    found = crm.search(f"FIND {{{needle}}} IN ALL FIELDS RETURNING {returned}")
    in_names: list[set[str]] = []
    in_either: list[set[str]] = []
    for record in found:
        name, text = record[searched.name], record[searched.text]
        in_names.append(_begins(str(name), words))
        in_either.append(_begins(f"{name} {text}", words))
    counts: Counter[str] = Counter()
    for matched in in_either:
        counts.update(matched)
    # The inverse document frequency: the fewer records have a word, the more it tells.
    weights = {word: math.log(1 + len(found) / (1 + counts[word])) for word in words}
    scores = []
    for names, either in zip(in_names, in_either, strict=True):
        # An exact sum: that of a set's floats would depend on the set's order.
        scores.append(math.fsum(weights[word] for word in (*names, *either)))
    # The CRM's own order, best first, decides between equals: sorted() keeps it.
    order = sorted(
        range(len(found)),
        key=scores.__getitem__,
        reverse=True,
    )
    return [found[place] for place in order[:SHOWN]]


def _begins(text: str, words: Sequence[str]) -> set[str]:
    """Those of the words with which a word of the text begins."""
    own = set(WORD.findall(text.lower()))
    return {word for word in words if any(other.startswith(word) for other in own)}
