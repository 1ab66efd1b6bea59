"""How varied a set of texts is: distinct-1 and distinct-2, gzip ratio, exact and near duplicates.

Distinct-n is the number of different n-grams over all n-grams; words are split at white space and
their case is folded.
"""

import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from schemas.object_type import ObjectType
from verifiers.columns import texts_in
from verifiers.duplicates import exact_repeats, near_repeats
from verifiers.mail_frame import own_part

LEAST_WORDS = 5  # shorter texts, such as statuses and names, stand twice by nature
# Near duplicates are counted among so many texts: each is like the more others the more there are.
NEAR_AMONG = 5_000
# How `gzip` packs: as small as it can, with a header of its own.
MOST_PACKED = 9
GZIP = 31


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


def measure(texts: Sequence[str]) -> Diversity:
    """The measures of a set of texts; no texts at all measure zero."""
    words = 0
    pairs = 0
    different_words: set[str] = set()
    different_pairs: set[tuple[str, str]] = set()
    long: list[str] = []
    for text in texts:
        row = text.casefold().split()
        words += len(row)
        pairs += max(len(row) - 1, 0)
        different_words.update(row)
        different_pairs.update(pairwise(row))
        if len(row) >= LEAST_WORDS:
            long.append(text)
    return Diversity(
        texts=len(texts),
        words=words,
        distinct_1=round(len(different_words) / max(words, 1), 4),
        distinct_2=round(len(different_pairs) / max(pairs, 1), 4),
        gzip_ratio=_gzip_ratio(texts),
        exact_duplicates=len(exact_repeats(long)),
        near_duplicate_share=round(_near_duplicates(long) / max(len(long), 1), 4),
    )


def measure_field(db: sqlite3.Connection, item: ObjectType, name: str) -> Diversity:
    """The measures of a written field of an object type."""
    texts = texts_in(db, item.name, name)
    source = item.field(name).written
    if source and source.render == "mail":
        # What a mail system repeats says nothing of how somebody writes.
        texts = [own_part(text) for text in texts]
    return measure(texts)


def _near_duplicates(texts: Sequence[str]) -> int:
    starts = range(0, len(texts), NEAR_AMONG)
    return sum(len(near_repeats(texts[start : start + NEAR_AMONG])) for start in starts)


def _gzip_ratio(texts: Sequence[str]) -> float:
    # Text by text: whole fields of a large org, joined and encoded, take as much room again twice.
    packer = zlib.compressobj(MOST_PACKED, wbits=GZIP)
    raw = packed = 0
    for place, text in enumerate(texts):
        line = (f"\n{text}" if place else text).encode("utf-8", "surrogatepass")
        raw += len(line)
        packed += len(packer.compress(line))
    packed += len(packer.flush())
    return round(raw / packed, 2)
