"""Which texts stand twice, or nearly? Exact matches after folding, near ones by rapidfuzz's ratio.

Near matches are found in near-linear time: each text gets a MinHash signature over its character
4-grams, bands of the signatures (30 bands of 5 numbers) give candidates, and rapidfuzz scores each
candidate pair. At ratio 95 two texts share about 70 % of their 4-grams or more, and the bands find
such a pair with a chance above 0.99. Texts come in, pairs of positions go out.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process

NEAR = 95.0
GRAM, BANDS, ROWS = 4, 30, 5
# Characters hashed at once: their 4-grams stay in the processor's cache, which is twice as quick.
CHUNK = 60_000
# Texts whose lengths differ by more than a tenth can't reach ratio 95.
SHORTEST_SHARE = 0.9
# The golden ratio as 64 bits: it spreads neighbouring numbers far apart (Fibonacci hashing).
SPREAD = 0x9E3779B97F4A7C15
# Odd numbers without a pattern: they mix the five numbers of a band into one.
MIXERS = (SPREAD, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)

Signatures = npt.NDArray[np.uint32]  # texts x (BANDS * ROWS)
Positions = npt.NDArray[np.int64]
KnownSignatures = dict[str, Signatures]  # folded text -> its signature


def folded(text: str) -> str:
    """The form in which texts are compared: case and white space do not count."""
    return " ".join(text.split()).casefold()


def exact_repeats(texts: Sequence[str]) -> list[int]:
    """Positions of texts that equal an earlier one, case and white space aside."""
    seen: set[str] = set()
    repeats = []
    for position, text in enumerate(texts):
        key = folded(text)
        if key in seen:
            repeats.append(position)
        seen.add(key)
    return repeats


def near_pairs(
    texts: Sequence[str],
    ratio: float = NEAR,
    known: KnownSignatures | None = None,
) -> list[tuple[int, int]]:
    """Pairs (earlier, later) of different texts whose ratio is at least `ratio`, in order.

    Of equal texts the first one counts. `known` keeps signatures from one call to the next, for
    texts that are looked at again and again.
    """
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        first.setdefault(folded(text), position)
    if len(first) < 2:
        return []
    plain = list(first)
    positions = list(first.values())
    pairs = _candidates(plain, {} if known is None else known)
    if not len(pairs):
        return []
    scores = process.cpdist(
        [plain[place] for place in pairs[:, 0]],
        [plain[place] for place in pairs[:, 1]],
        scorer=fuzz.ratio,
        score_cutoff=ratio,
    )
    near = pairs[np.asarray(scores) >= ratio]
    return sorted((positions[int(left)], positions[int(right)]) for left, right in near)


def near_repeats(
    texts: Sequence[str],
    ratio: float = NEAR,
    known: KnownSignatures | None = None,
) -> dict[int, int]:
    """Each text that equals an earlier one or is too like it, with the first such."""
    seen: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for position, text in enumerate(texts):
        before = seen.setdefault(folded(text), position)
        if before != position:
            repeats[position] = before
    for earlier, later in near_pairs(texts, ratio, known):
        repeats.setdefault(later, earlier)
    return repeats


def _candidates(texts: Sequence[str], known: KnownSignatures) -> Positions:
    """Pairs that agree in at least one band of their signatures, an array of n x 2.

    Their lengths are near enough for the ratio.
    """
    fresh = [text for text in texts if text not in known]
    known.update(zip(fresh, _signatures(fresh), strict=True))
    signatures = np.stack([known[text] for text in texts])
    lengths = np.array([len(text) for text in texts])
    found = []
    for start in range(0, BANDS * ROWS, ROWS):
        found.append(_band_pairs(signatures[:, start : start + ROWS], lengths))
    return np.unique(np.concatenate(found), axis=0)


def _band_pairs(band: Signatures, lengths: Positions) -> Positions:
    """Pairs of texts that agree in one band (texts x ROWS), the lower position first."""
    mixed = band.astype(np.uint64) @ np.array([1, *MIXERS], dtype=np.uint64)
    order = np.argsort(mixed, kind="stable")
    pairs = [np.empty((0, 2), dtype=np.int64)]
    # Equal bands stand together now: compare each with its neighbour, the next but one, and on.
    for step in range(1, len(order)):
        same = mixed[order[step:]] == mixed[order[:-step]]
        if not same.any():
            break
        current = np.stack([order[:-step][same], order[step:][same]], axis=1)
        short, long = np.sort(lengths[current], axis=1).T
        near = long * SHORTEST_SHARE <= short + 1
        pairs.append(np.sort(current[near], axis=1))
    return np.concatenate(pairs)


def _signatures(texts: Sequence[str]) -> Signatures:
    """The MinHash of each text, texts x (BANDS * ROWS)."""
    # A fixed key: the same texts have the same signatures in every run.
    rng = np.random.Generator(np.random.Philox(key=95))
    factors = rng.integers(1, 2**32, size=BANDS * ROWS, dtype=np.uint32) | np.uint32(1)
    offsets = rng.integers(0, 2**32, size=BANDS * ROWS, dtype=np.uint32)
    made = np.empty((len(texts), BANDS * ROWS), dtype=np.uint32)
    start = 0
    for chunk in _chunks(texts):
        grams, starts = _grams(chunk)
        hashed = np.empty_like(grams)
        end = start + len(chunk)
        for place, (factor, offset) in enumerate(zip(factors, offsets, strict=True)):
            np.multiply(grams, factor, out=hashed)
            np.add(hashed, offset, out=hashed)
            made[start:end, place] = np.minimum.reduceat(hashed, starts)
        start = end
    return made


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


def _grams(texts: Sequence[str]) -> tuple[Signatures, Positions]:
    """Hashed 4-grams of all texts in a row, and where each text's begin.

    Short texts are padded to one gram.
    """
    encoded = [text.encode("utf-8", "surrogatepass").ljust(GRAM) for text in texts]
    counts = np.array([len(raw) - GRAM + 1 for raw in encoded])
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8).astype(np.uint64)
    codes = data[:-3] << np.uint64(24)
    codes |= data[1:-2] << np.uint64(16)
    codes |= data[2:-1] << np.uint64(8)
    codes |= data[3:]
    ends = np.cumsum(counts + GRAM - 1)
    keep = np.ones(len(codes), dtype=bool)
    for back in range(1, GRAM):
        keep[ends[:-1] - back] = False  # grams that reach from one text into the next
    mixed = codes[keep] * np.uint64(SPREAD)
    return (mixed >> np.uint64(32)).astype(np.uint32), np.cumsum(counts) - counts
