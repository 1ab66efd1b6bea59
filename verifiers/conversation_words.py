"""The words of conversations with names, numbers, dates, products and remedies masked.

What is left are the frames in which a writer says things: two conversations that share a long run
of such words were cut from one pattern. Knows no org; names come from outside.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from verifiers.wording import MONTH_NAMES

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|\n+")
SHORT_WORD = 3
"""Words of a product's name that are no longer say nothing of the product: `of`, `the`, `kit`."""

NUMBER, NAME, REMEDY = "#", "@", "$"
"""What stands for what is masked."""

MONTHS = frozenset(chain.from_iterable(MONTH_NAMES)) - {"may"}
"""What months are called; `may` is another word mostly."""


@dataclass(frozen=True, slots=True)
class Masks:
    """What is masked in one conversation: words of names in lower case, and remedies' phrases."""

    names: frozenset[str]
    remedies: re.Pattern[str] | None = None


def name_words(names: Iterable[str]) -> frozenset[str]:
    """The words of names by which somebody or something is told from others.

    >>> sorted(name_words(["Rosa Lindgren", "Trail Runner of the Alps"]))
    ['alps', 'lindgren', 'rosa', 'runner', 'trail']
    """
    words: set[str] = set()
    for name in names:
        words.update(_words(name.casefold()))
    return frozenset(word for word in words if len(word) > SHORT_WORD)


def catalog_of(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Full names in lower case by their first words, as `named_in` looks them up."""
    found: dict[str, list[str]] = {}
    for name in sorted({name.casefold() for name in names}):
        for first in islice(_words(name), 1):
            found.setdefault(first, []).append(name)
    return {first: tuple(known) for first, known in found.items()}


def named_in(text: str, catalog: Mapping[str, Sequence[str]]) -> set[str]:
    """The full names of a catalog that stand in a text, in lower case.

    >>> named_in("Is the Birch Boot in?", catalog_of(["Birch Boot", "Birch Clog"]))
    {'birch boot'}
    """
    plain = text.casefold()
    listed = chain.from_iterable(catalog.get(word, ()) for word in set(_words(plain)))
    return {name for name in listed if name in plain}


def remedy_pattern(phrases: Collection[str]) -> re.Pattern[str] | None:
    """A pattern of all remedies' phrases, the longest first; None where there are none."""
    if not phrases:
        return None
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile("|".join(re.escape(phrase) for phrase in longest_first), re.IGNORECASE)


def masked_words(text: str, masks: Masks) -> list[str]:
    """The words of a text in lower case; what is masked is one word, however long it is.

    >>> masked_words("Rosa paid $24.50 on May 3.", Masks(frozenset({"rosa"})))
    ['@', 'paid', '#', 'on', 'may', '#']
    """
    if masks.remedies is not None:
        text = masks.remedies.sub(" 0remedy ", text)
    words: list[str] = []
    for word in _words(text.casefold()):
        shown = _masked(word, masks.names)
        if shown in (NUMBER, NAME) and words and words[-1] == shown:
            continue
        words.append(shown)
    return words


def runs_of(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """Yields each run of so many words."""
    for start in range(len(words) - length + 1):
        yield tuple(words[start : start + length])


def sentences_of(text: str) -> list[str]:
    """A text's sentences; a line's end ends one as well."""
    return [piece for piece in SENTENCE_END.split(text) if piece.strip()]


def _words(text: str) -> Iterator[str]:
    for found in WORD.finditer(text):
        yield found.group().replace("'", "").replace("’", "")


def _masked(word: str, names: frozenset[str]) -> str:
    if word == "0remedy":
        return REMEDY
    if word in names:
        return NAME
    # A word of letters alone, as most are, is looked through no further.
    if word in MONTHS or (not word.isalpha() and any(sign.isdigit() for sign in word)):
        return NUMBER
    return word
