"""Which texts stand twice, or nearly? Exact matches after folding, near ones by rapidfuzz's ratio.

Near matches are found in near-linear time: MinHash signatures over character 4-grams, banded (30
bands of 5) for candidates,
each candidate pair then scored by rapidfuzz. At ratio 95 two texts share about 70 % of their
4-grams or more, which the
bands find with a chance above 0.99. Pure: texts in, pairs of positions out.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process

NEAR = 95.0
GRAM, BANDS, ROWS = 4, 30, 5
CHUNK = 60_000
Signatures = npt.NDArray[np.uint32]
Known = dict[str, Signatures]
Pairs = npt.NDArray[np.int64]


def folded(text: str) -> str:
    """The form in which texts are compared: case and white space do not count."""
    return " ".join(text.split()).casefold()


def exact_repeats(texts: Sequence[str]) -> list[int]:
    """Positions of texts that equal an earlier one, case and white space aside."""
    seen: set[str] = set()
    repeats = []
    for at, text in enumerate(texts):
        key = folded(text)
        if key in seen:
            repeats.append(at)
        seen.add(key)
    return repeats


def near_pairs(
    texts: Sequence[str], ratio: float = NEAR, known: Known | None = None
) -> list[tuple[int, int]]:
    """Pairs (earlier, later) of different texts whose ratio is at least `ratio`, in order; of equal
    texts the first one counts.

    `known` keeps signatures from one call to the next, for texts that are looked at again and
    again.
    """
    first: dict[str, int] = {}
    for at, text in enumerate(texts):
        first.setdefault(folded(text), at)
    plain, places = list(first), list(first.values())
    pairs = (
        _candidates(plain, {} if known is None else known)
        if len(plain) > 1
        else np.empty((0, 2), dtype=np.int64)
    )
    if not len(pairs):
        return []
    scores = process.cpdist(
        [plain[at] for at in pairs[:, 0]],
        [plain[at] for at in pairs[:, 1]],
        scorer=fuzz.ratio,
        score_cutoff=ratio,
    )
    kept = pairs[np.asarray(scores) >= ratio]
    return sorted((places[int(one)], places[int(other)]) for one, other in kept)


def near_repeats(
    texts: Sequence[str], ratio: float = NEAR, known: Known | None = None
) -> dict[int, int]:
    """Each text that equals an earlier one or is too like it, with the first such."""
    seen: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for at, text in enumerate(texts):
        before = seen.setdefault(folded(text), at)
        if before != at:
            repeats[at] = before
    for first, second in near_pairs(texts, ratio, known):
        repeats.setdefault(second, first)
    return repeats


def _candidates(texts: Sequence[str], known: Known) -> Pairs:
    """Pairs that agree in at least one band of their signatures,
    lengths near enough for the ratio.
    """
    fresh = [text for text in texts if text not in known]
    known.update(zip(fresh, _signatures(fresh), strict=True))
    signatures = np.stack([known[text] for text in texts])
    lengths = np.array([len(text) for text in texts])
    found = [
        _band_pairs(signatures[:, band * ROWS : (band + 1) * ROWS], lengths)
        for band in range(BANDS)
    ]
    return np.unique(np.concatenate(found), axis=0)


def _band_pairs(band: Signatures, lengths: npt.NDArray[np.int64]) -> Pairs:
    mixed = band.astype(np.uint64) @ np.array(
        [1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5],
        dtype=np.uint64,
    )
    order = np.argsort(mixed, kind="stable")
    pairs = [np.empty((0, 2), dtype=np.int64)]
    for step in range(1, len(order)):
        same = mixed[order[step:]] == mixed[order[:-step]]
        if not same.any():
            break
        current = np.stack([order[:-step][same], order[step:][same]], axis=1)
        short, long = np.sort(lengths[current], axis=1).T
        pairs.append(np.sort(current[long * 0.9 <= short + 1], axis=1))
    return np.concatenate(pairs)


def _signatures(texts: Sequence[str]) -> Signatures:
    """MinHash of each text, texts × (BANDS × ROWS); in chunks of texts small enough to stay in the
    processor's cache.
    """
    rng = np.random.Generator(np.random.Philox(key=95))
    factors = rng.integers(1, 2**32, size=BANDS * ROWS, dtype=np.uint32) | np.uint32(1)
    offsets = rng.integers(0, 2**32, size=BANDS * ROWS, dtype=np.uint32)
    made = np.empty((len(texts), BANDS * ROWS), dtype=np.uint32)
    start = 0
    for chunk in _chunks(texts):
        grams, starts = _grams(chunk)
        hashed = np.empty_like(grams)
        for at, (factor, offset) in enumerate(zip(factors, offsets, strict=True)):
            np.multiply(grams, factor, out=hashed)
            np.add(hashed, offset, out=hashed)
            made[start : start + len(chunk), at] = np.minimum.reduceat(hashed, starts)
        start += len(chunk)
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


def _grams(texts: Sequence[str]) -> tuple[Signatures, npt.NDArray[np.int64]]:
    """Hashed 4-grams of all texts in a row, and where each text's begin; short texts are padded to
    one gram.
    """
    encoded = [text.encode("utf-8", "surrogatepass").ljust(GRAM) for text in texts]
    counts = np.array([len(raw) - GRAM + 1 for raw in encoded])
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8).astype(np.uint64)
    codes = (
        (data[:-3] << np.uint64(24))
        | (data[1:-2] << np.uint64(16))
        | (data[2:-1] << np.uint64(8))
        | data[3:]
    )
    ends = np.cumsum(counts + GRAM - 1)
    keep = np.ones(len(codes), dtype=bool)
    for back in range(1, GRAM):
        keep[ends[:-1] - back] = False
    mixed = codes[keep] * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(32)).astype(np.uint32), np.cumsum(counts) - counts
