"""Does a text word a remedy in one of the ways that people do?

A way is a pattern of a lexicon, as plain as a phrase: `bonus & add*/paid/by hand ! fee`. Works on
single texts in plain form; knows no remedies and no units.

- `...` stands for a few other words, and `&` for any: what it joins stands in one sentence, in
  either order.
- `/` parts words of which one will do, and `*` ends a word that may go on: `refund*`.
- Behind `!` stands what mustn't be in the sentence, since it would tell something else.
- What stands in brackets may be `it` or `one` once the talk has named it: `(statement)`.
- `? ` before a way says that it is no sure one. It will do where the remedy is refused, for nobody
  gets any then, and where the text has no way, sure or not, of another remedy of the issue.
- `{stake}` is a fact of the case; without the fact there is no such way.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemas.issues import Issue, Option
from verifiers.material import Facts
from verifiers.tongue import Tongue
from verifiers.wording import GAP, plain_phrase, stands_in

BOTH, EITHER, NOT, OPEN_END, UNSURE = " & ", "/", " ! ", "*", "? "
WITHIN_GAP = r"\b.{1,40}?\b"
NAMED = "("
"""With this begins in a way what may be `it` once the talk has named it."""
MEANT = "it/this/that/them/these/those/one/ones"
"""What stands for a thing that was named before."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_NAMED_THING = re.compile(r"\(([^()]+)\)")
_FACT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class WayPattern:
    """A way as it is looked for: all of these, and none of those, in one sentence."""

    all_of: tuple[re.Pattern[str], ...]
    none_of: re.Pattern[str] | None = None

    def fits(self, sentence: str) -> bool:
        """Whether a sentence in plain form words it so."""
        if not all(pattern.search(sentence) for pattern in self.all_of):
            return False
        return self.none_of is None or self.none_of.search(sentence) is None


Remedies = Mapping[str, Mapping[str, tuple[str, ...]]]
"""The ways of all remedies that can be granted for an issue, by the keys of issue and remedy."""


def remedies_of(issues: Iterable[Issue], options: Iterable[Option]) -> Remedies:
    """The ways by which the remedies of each issue are told from one another."""
    ways = {option.key: option.ways for option in options}
    remedies = {}
    for issue in issues:
        keys = {*issue.options, *issue.sometimes, *issue.lenient, *(issue.mended_by or ())}
        remedies[issue.key] = {key: ways[key] for key in sorted(keys) if key in ways}
    return remedies


def sure_ways(ways: Iterable[str], facts: Facts, before: str) -> Iterator[str]:
    """Yields the ways that tell a remedy from any other, as they are here.

    `before` is what the talk has said so far, in plain form.
    """
    return _as_here((way for way in ways if not way.startswith(UNSURE)), facts, before)


def all_ways(ways: Iterable[str], facts: Facts, before: str) -> Iterator[str]:
    """Yields all ways, as where a remedy is refused: whoever does may compare it with others."""
    bare = (way.removeprefix(UNSURE).partition(NOT)[0] for way in ways)
    return _as_here(bare, facts, before)


def unsure_ways(ways: Iterable[str], facts: Facts, before: str) -> Iterator[str]:
    """Yields the ways that will do where no other remedy is spoken of."""
    unsure = (way.removeprefix(UNSURE) for way in ways if way.startswith(UNSURE))
    return _as_here(unsure, facts, before)


def _as_here(ways: Iterable[str], facts: Facts, before: str) -> Iterator[str]:
    for way in filter(None, ways):
        named = _NAMED_THING.sub(lambda found: _or_meant(found.group(1), before), way)
        if all(facts.get(name) for name in _FACT.findall(named)):
            yield _FACT.sub(lambda found: str(facts[found.group(1)]), named)


def says_any(ways: Sequence[str], text: str, tongue: Tongue | None = None) -> bool:
    """Whether a sentence of a plain text words something in one of these ways.

    >>> says_any(["credit* & $25"], "for the wait i've put 25 dollars there as a credit.")
    True
    >>> says_any(["refund* ! part"], "i've refunded a part of it.")
    False
    """
    if not ways:
        return False
    sentences = _SENTENCE.split(text)
    for way in ways:
        pattern = _pattern(way, tongue)
        if any(pattern.fits(sentence) for sentence in sentences):
            return True
    return False


def shown_ways(ways: str) -> Iterator[str]:
    """Yields the ways of a remedy as examples for a writer, each once, but for those that need a
    fact.
    """
    told = [way for way in ways.split("|") if not way.startswith(UNSURE) and not _FACT.search(way)]
    yield from dict.fromkeys(shown_way(way) for way in filter(None, told))


def shown_way(way: str) -> str:
    """A way as an example for a writer: the first word of several, and no more.

    >>> shown_way("(bonus) & add*/paid ! fee")
    'bonus ... add'
    """
    wanted = _NAMED_THING.sub(r"\1", way.partition(NOT)[0]).replace(OPEN_END, "")
    shown = []
    for joined in wanted.split(BOTH):
        parts = [part.split(EITHER)[0].strip() for part in joined.split(GAP)]
        shown.append(f" {GAP} ".join(parts))
    return f" {GAP} ".join(shown)


def _or_meant(words: str, before: str) -> str:
    """Words, and what stands for them where one of them was said before."""
    said = any(stands_in(plain_phrase(word), before) for word in words.split(EITHER))
    return f"{words}{EITHER}{MEANT}" if said else words


@lru_cache(maxsize=8192)
def _pattern(way: str, tongue: Tongue | None) -> WayPattern:
    wanted, _, unwanted = way.partition(NOT)
    all_of = tuple(re.compile(_gapped(part, tongue)) for part in wanted.split(BOTH))
    return WayPattern(all_of, re.compile(_one_of(unwanted, tongue)) if unwanted else None)


def _gapped(part: str, tongue: Tongue | None) -> str:
    return WITHIN_GAP.join(_one_of(words, tongue) for words in part.split(GAP))


def _one_of(words: str, tongue: Tongue | None) -> str:
    """One of several words or phrases, each of them whole but where it may go on."""
    found = []
    for phrase in words.split(EITHER):
        bare = plain_phrase(phrase.strip().rstrip(OPEN_END), tongue).strip()
        end = r"\w*" if phrase.strip().endswith(OPEN_END) else ""
        found.append(f"{re.escape(bare)}{end}")
    return rf"(?<!\w)(?:{'|'.join(found)})(?!\w)"
