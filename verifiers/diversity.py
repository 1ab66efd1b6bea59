"""How varied a set of texts is: distinct-1 and distinct-2, gzip ratio, exact and near duplicates.

Distinct-n is the number of different n-grams over all n-grams; words are split at white space and
their case is folded.
"""

import hashlib
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from schemas.object_type import ObjectType
from verifiers.columns import texts_in
from verifiers.duplicates import folded, near_repeats
from verifiers.mail_frame import own_part

LEAST_WORDS = 5  # shorter texts, such as statuses and names, stand twice by nature
# Near duplicates are counted among so many texts: each is like the more others the more there are.
NEAR_AMONG = 5_000
# How `gzip` packs: as small as it can, with a header of its own.
MOST_PACKED = 9
GZIP = 31


# Of the number that stands for a text: two texts share one by no chance.
KEY_BYTES = 16

END_OF_TEXT = -1
"""Stands between the numbers of two texts' words: these are no neighbours."""
WORD_BITS = 32
"""So many bits of a pair's number are the second word's; nobody has four billion words."""
LEAST_READ = 200_000
"""Words that are read before they are sorted."""


@dataclass(slots=True)
class _Packed:
    """Texts packed one after the other, of which only the sizes stay."""

    raw: int = 0
    size: int = 0
    # A compressor has no type of its own.
    packer: Any = field(default_factory=lambda: zlib.compressobj(MOST_PACKED, wbits=GZIP))

    def add(self, text: str) -> None:
        """Packs a text."""
        line = text.encode("utf-8", "surrogatepass")
        self.raw += len(line)
        self.size += len(self.packer.compress(line))

    def ratio(self) -> float:
        """Plain bytes over packed ones."""
        self.size += len(self.packer.flush())
        return round(self.raw / self.size, 2)


@dataclass(slots=True)
class _DistinctPairs:
    """Counts the different pairs of neighbouring words of texts, words being numbers.

    What was read lies packed until it is as much as what is known, and then becomes a part of that:
    so each number is sorted a few times only, and a pair takes eight bytes.
    """

    read: "array[int]" = field(default_factory=lambda: array("q"))
    known: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def add(self, words: Sequence[int]) -> None:
        """Adds the pairs of a text."""
        self.read.extend(words)
        self.read.append(END_OF_TEXT)
        if len(self.read) >= max(LEAST_READ, len(self.known)):
            self._keep()

    def count(self) -> int:
        """How many different pairs there are."""
        self._keep()
        return len(self.known)

    def _keep(self) -> None:
        numbers = np.frombuffer(self.read, dtype=np.int64)
        first, second = numbers[:-1], numbers[1:]
        inside = (first != END_OF_TEXT) & (second != END_OF_TEXT)
        pairs = (first[inside] << WORD_BITS) | second[inside]
        self.known = _different(np.concatenate((self.known, pairs)))
        self.read = array("q")


def _different(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The different ones of some numbers, in order; the numbers given are sorted in their place.

    `np.unique` looks each one up in a table of hashes, which is out of the processor's cache in a
    large org and takes ten times as long there, and more.
    """
    numbers.sort()
    is_new = np.ones(len(numbers), dtype=np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    return numbers[is_new]


@dataclass(frozen=True, slots=True)
class Diversity:
    """Measures of one written field.

    `near_duplicate_share` is a share of the texts of five words or more, each held against those
    that share its five thousand; `gzip_ratio` is plain bytes over compressed ones, so that a higher
    one means less variety.
    """

    texts: int
    words: int
    distinct_1: float
    distinct_2: float
    gzip_ratio: float
    exact_duplicates: int
    near_duplicate_share: float


def measure(texts: Iterable[str]) -> Diversity:
    """The measures of a set of texts; no texts at all measure zero."""
    tally = _Tally()
    for text in texts:
        tally.add(text)
    return tally.measures()


def measure_field(db: sqlite3.Connection, item: ObjectType, name: str) -> Diversity:
    """The measures of a written field of an object type."""
    texts = texts_in(db, item.name, name)
    source = item.field(name).written
    if source and source.render == "mail":
        # What a mail system repeats says nothing of how somebody writes.
        return measure(map(own_part, texts))
    return measure(texts)


@dataclass(slots=True)
class _Tally:
    """What is counted of texts that come one by one: those of a large org are never all there."""

    texts: int = 0
    words: int = 0
    pairs: int = 0
    # The number of each word, in the order in which they came.
    different_words: dict[str, int] = field(default_factory=dict)
    different_pairs: _DistinctPairs = field(default_factory=_DistinctPairs)
    long: int = 0
    repeated: int = 0
    near: int = 0
    seen: set[bytes] = field(default_factory=set)
    waiting: list[str] = field(default_factory=list)
    packed: _Packed = field(default_factory=_Packed)

    def add(self, text: str) -> None:
        """Counts a text."""
        own = text.casefold().split()
        numbers = self.different_words
        row = [numbers.setdefault(word, len(numbers)) for word in own]
        # Each text has a line of its own.
        self.packed.add(f"\n{text}" if self.texts else text)
        self.texts += 1
        self.words += len(row)
        self.pairs += max(len(row) - 1, 0)
        self.different_pairs.add(row)
        if len(row) >= LEAST_WORDS:
            self._add_long(text)

    def measures(self) -> Diversity:
        """The measures of all texts that were counted."""
        self._compare()
        return Diversity(
            texts=self.texts,
            words=self.words,
            distinct_1=round(len(self.different_words) / max(self.words, 1), 4),
            distinct_2=round(self.different_pairs.count() / max(self.pairs, 1), 4),
            gzip_ratio=self.packed.ratio(),
            exact_duplicates=self.repeated,
            near_duplicate_share=round(self.near / max(self.long, 1), 4),
        )

    def _add_long(self, text: str) -> None:
        self.long += 1
        raw = folded(text).encode("utf-8", "surrogatepass")
        key = hashlib.blake2b(raw, digest_size=KEY_BYTES).digest()
        self.repeated += key in self.seen
        self.seen.add(key)
        self.waiting.append(text)
        if len(self.waiting) == NEAR_AMONG:
            self._compare()

    def _compare(self) -> None:
        """Counts the near duplicates among the texts that wait for it."""
        self.near += len(near_repeats(self.waiting))
        self.waiting.clear()
