"""How varied a set of texts is: distinct-1 and distinct-2, gzip ratio, shares of exact and near
duplicates. Pure.
"""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass

from verifiers.duplicates import exact_repeats, near_repeats

LEAST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Diversity:
    """Measures of one written field; shares of all its texts, near duplicates counted among texts
    of five words or more.
    """

    texts: int
    words: int
    distinct_1: float
    distinct_2: float
    gzip_ratio: float
    exact_duplicates: int
    near_duplicate_share: float


def measure(texts: Sequence[str]) -> Diversity:
    """Distinct-n: different n-grams over all n-grams, words split at white space, case folded."""
    words = [text.casefold().split() for text in texts]
    ones = {word for row in words for word in row}
    twos = {pair for row in words for pair in zip(row, row[1:], strict=False)}
    total, pairs = sum(map(len, words)), sum(max(len(row) - 1, 0) for row in words)
    long = [text for text, row in zip(texts, words, strict=True) if len(row) >= LEAST_WORDS]
    raw = "\n".join(texts).encode("utf-8", "surrogatepass")
    return Diversity(
        texts=len(texts),
        words=total,
        distinct_1=round(len(ones) / max(total, 1), 4),
        distinct_2=round(len(twos) / max(pairs, 1), 4),
        gzip_ratio=round(len(raw) / max(len(gzip.compress(raw, mtime=0)), 1), 2),
        exact_duplicates=len(exact_repeats(long)),
        near_duplicate_share=round(len(near_repeats(long)) / max(len(long), 1), 4),
    )
