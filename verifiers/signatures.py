"""MinHash signatures of texts, by which near ones are found without trying every pair.

A signature tells of 150 places which 4-gram of characters comes first in a shuffled order. Two
texts agree in about as many places as they share 4-grams. It is kept in two short forms: 30 keys of
5 places each, of which like texts share one, and a byte of each place, by which pairs are told
apart that share a key by chance. Texts come in, arrays go out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Keys of five places in 30 bands: two texts that agree in half of the places share a key in 6 of
# 10 cases, in 70 % of them in 996 of 1,000, and in a fifth in 1 of 100.
GRAM = 4
BANDS = 30
ROWS = 5
PLACES = BANDS * ROWS
# Hashes have 32 bits.
HASHES = 2**32
# Characters hashed at once: their 4-grams stay in the processor's cache, which is twice as quick.
CHUNK = 60_000
# The golden ratio as 64 bits: it spreads neighbouring numbers far apart (Fibonacci hashing).
SPREAD = 0x9E3779B97F4A7C15
# Odd numbers without a pattern: they mix the five numbers of a band into one.
MIXERS = (1, SPREAD, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
# The upper half of a mixed number depends on all of its bits, the lower one does not.
UPPER_HALF = np.uint64(32)

Keys = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of some texts: `keys` (texts x BANDS) and `places` (texts x PLACES)."""

    keys: Keys
    places: Bytes

    def taken(self, rows: Positions) -> "Signatures":
        """Those of the texts in these rows."""
        return Signatures(self.keys[rows], self.places[rows])

    def joined(self, others: "Signatures") -> "Signatures":
        """These, and others behind them."""
        keys = np.concatenate([self.keys, others.keys])
        places = np.concatenate([self.places, others.places])
        return Signatures(keys, places)


def signatures_of(texts: Sequence[str]) -> Signatures:
    """The signature of each text."""
    # A fixed key: the same texts have the same signatures in every run.
    rng = np.random.Generator(np.random.Philox(key=95))
    # Odd factors only: they send different numbers to different ones.
    drawn = rng.integers(1, HASHES, size=PLACES, dtype=np.uint32)
    factors = drawn | np.uint32(1)
    offsets = rng.integers(0, HASHES, size=PLACES, dtype=np.uint32)
    number = len(texts)
    keys = np.empty((number, BANDS), dtype=np.uint32)
    places = np.empty((number, PLACES), dtype=np.uint8)
    start = 0
    for chunk in _chunks(texts):
        end = start + len(chunk)
        least = _least(chunk, factors, offsets)
        keys[start:end] = _band_keys(least)
        places[start:end] = least.astype(np.uint8)
        start = end
    return Signatures(keys, places)


def _least(texts: Sequence[str], factors: Keys, offsets: Keys) -> Keys:
    """The least hash of each text's 4-grams in each of the shuffled orders, texts x PLACES."""
    grams, starts = _grams(texts)
    hashed = np.empty_like(grams)
    shape = (len(texts), PLACES)
    least = np.empty(shape, dtype=np.uint32)
    for place in range(PLACES):
        np.multiply(grams, factors[place], out=hashed)
        np.add(hashed, offsets[place], out=hashed)
        least[:, place] = np.minimum.reduceat(hashed, starts)
    return least


def _band_keys(least: Keys) -> Keys:
    """One number for the five of each band, texts x BANDS."""
    mixers = np.array(MIXERS, dtype=np.uint64)
    bands = least.reshape(-1, BANDS, ROWS).astype(np.uint64)
    mixed = bands @ mixers
    spread = np.asarray(mixed * np.uint64(SPREAD))
    upper = spread >> UPPER_HALF
    return upper.astype(np.uint32)


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text)
        if size > CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _grams(texts: Sequence[str]) -> tuple[Keys, Positions]:
    """Hashed 4-grams of all texts in a row, and where each text's begin.

    Short texts are padded to one gram.
    """
    encoded = []
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        encoded.append(raw.ljust(GRAM))
    lengths = np.array([len(raw) for raw in encoded])
    codes = _codes(b"".join(encoded))
    ends = np.cumsum(lengths)
    inner_ends = ends[:-1]
    keep = np.ones(len(codes), dtype=bool)
    for back in range(1, GRAM):
        keep[inner_ends - back] = False  # grams that reach from one text into the next
    mixed = codes[keep] * np.uint64(SPREAD)
    hashed = (mixed >> UPPER_HALF).astype(np.uint32)
    counts = lengths - GRAM + 1
    starts = np.cumsum(counts) - counts
    return hashed, starts


def _codes(text: bytes) -> npt.NDArray[np.uint64]:
    """Each four bytes in a row as one number, the first of them in front."""
    data = np.frombuffer(text, dtype=np.uint8)
    number = len(data) - GRAM + 1
    codes = np.zeros(max(number, 0), dtype=np.uint64)
    for place in range(GRAM):
        end = place + len(codes)
        codes <<= np.uint64(8)
        codes |= data[place:end]
    return codes
