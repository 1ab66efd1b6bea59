"""Which texts stand twice, or nearly? Exact matches after folding, near ones by rapidfuzz's ratio.

Near matches are found in near-linear time: texts that share a key of their signatures are
candidates, and rapidfuzz scores those that agree in enough places. At ratio 95 two texts share
about 70 % of their 4-grams or more, and the keys find such a pair with a chance above 0.99. Texts
come in, pairs of positions go out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from verifiers.signatures import BANDS, PLACES, Keys, Positions, Signatures, signatures_of

# At most one letter in twenty differs, as where a name or a number was changed.
NEAR = 95.0
# Texts whose lengths differ by more than a tenth can't reach ratio 95.
SHORTEST_SHARE = 0.9
# Pairs at ratio 95 agree in about half of the places, those that share a key by chance in few.
LEAST_AGREEING = PLACES // 3
# Pairs compared place by place at once: they take 30 MB.
PAIRS = 100_000
# Up to so many pairs of a fresh text and any are compared key by key at once: that takes 8 MB, and
# to go band by band takes longer.
FEW_PAIRS = 250_000
# Bits of a key's lower half, and how many upper halves there are: a table of them is small.
HALF = np.uint32(16)
HALVES = 2**16


@dataclass(slots=True)
class KnownTexts:
    """What is known of the texts of the last call: their signatures, and which of them are near.

    The next call compares with all others only the texts that were not there. `rows` has the row
    of each folded text in the signatures, `near` the rows of each near pair.
    """

    rows: dict[str, int] = field(default_factory=dict)
    signatures: Signatures = field(default_factory=lambda: signatures_of([]))
    near: list[tuple[int, int]] = field(default_factory=list)


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


def near_pairs(texts: Sequence[str], known: KnownTexts | None = None) -> list[tuple[int, int]]:
    """Pairs (earlier, later) of different texts whose ratio is at least NEAR, in order.

    Of equal texts the first one counts. `known` is kept from one call to the next, for texts that
    are looked at again and again.
    """
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        first.setdefault(folded(text), position)
    return _near_positions(first, known or KnownTexts(), OwnComparing())


def near_repeats(texts: Sequence[str], known: KnownTexts | None = None) -> dict[int, int]:
    """Each text that equals an earlier one or is too like it, with the first such."""
    return folded_repeats([folded(text) for text in texts], known)


def folded_repeats(
    texts: Sequence[str],
    known: KnownTexts | None = None,
    comparing: "Comparing | None" = None,
) -> dict[int, int]:
    """The same of texts that are folded already, compared here or by others."""
    seen: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for position, text in enumerate(texts):
        before = seen.setdefault(text, position)
        if before != position:
            repeats[position] = before
    for earlier, later in _near_positions(seen, known or KnownTexts(), comparing or OwnComparing()):
        repeats.setdefault(later, earlier)
    return repeats


class Comparing(Protocol):
    """Who computes that by which near texts are found: it depends on the texts alone."""

    def signatures(self, texts: Sequence[str]) -> Signatures:
        """The signature of each text."""

    def candidates(
        self,
        signatures: Signatures,
        lengths: Positions,
        fresh: Positions,
    ) -> Iterator[Positions]:
        """Yields what `candidates_in` does for all bands, in any order."""

    def near(self, texts: Sequence[str], pairs: Positions) -> Positions:
        """Those of the pairs whose texts are near."""


class OwnComparing:
    """Compares in this process."""

    def signatures(self, texts: Sequence[str]) -> Signatures:
        """The signature of each text."""
        return signatures_of(texts)

    def candidates(
        self,
        signatures: Signatures,
        lengths: Positions,
        fresh: Positions,
    ) -> Iterator[Positions]:
        """Yields the pairs of all bands."""
        if len(fresh) * len(lengths) <= FEW_PAIRS:
            yield few_candidates(signatures, lengths, fresh)
        else:
            yield from candidates_in(range(BANDS), signatures, lengths, fresh)

    def near(self, texts: Sequence[str], pairs: Positions) -> Positions:
        """Those of the pairs whose texts are near."""
        lefts = [texts[row] for row in pairs[:, 0]]
        rights = [texts[row] for row in pairs[:, 1]]
        return pairs[are_near(lefts, rights)]


def are_near(lefts: Sequence[str], rights: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each text is near the one that stands at its place."""
    # Here, since a run's first calls go out before any text is compared.
    from rapidfuzz import fuzz, process

    scores = process.cpdist(lefts, rights, scorer=fuzz.ratio, score_cutoff=NEAR)
    return np.asarray(scores) >= NEAR


def _near_positions(
    first: Mapping[str, int],
    known: KnownTexts,
    comparing: Comparing,
) -> list[tuple[int, int]]:
    """The near pairs of folded texts, as the positions in which each stood first."""
    positions = list(first.values())
    pairs = []
    for left, right in _near_rows(list(first), known, comparing):
        pair = (positions[left], positions[right])
        pairs.append(pair)
    return sorted(pairs)


def _near_rows(
    texts: Sequence[str],
    known: KnownTexts,
    comparing: Comparing,
) -> list[tuple[int, int]]:
    """The near pairs of different folded texts as their rows, the lower one first.

    What was found in the last call is taken from `known`, which then tells of these texts.
    """
    rows = {text: row for row, text in enumerate(texts)}
    lengths = np.array([len(text) for text in texts])
    near = list(_still_near(rows, known))
    signatures, fresh = _signatures(texts, known, comparing)
    for pairs in comparing.candidates(signatures, lengths, fresh):
        for left, right in comparing.near(texts, pairs).tolist():
            near.append((left, right))
    # In order, whoever has found them.
    near.sort()
    known.rows = rows
    known.signatures = signatures
    known.near = near
    return near


def _still_near(rows: dict[str, int], known: KnownTexts) -> Iterator[tuple[int, int]]:
    """Yields the near pairs of the last call whose texts are both still there."""
    texts = list(known.rows)
    for left, right in known.near:
        left_now = rows.get(texts[left])
        right_now = rows.get(texts[right])
        if left_now is not None and right_now is not None:
            earlier = min(left_now, right_now)
            later = max(left_now, right_now)
            yield earlier, later


def _signatures(
    texts: Sequence[str],
    known: KnownTexts,
    comparing: Comparing,
) -> tuple[Signatures, Positions]:
    """The signatures of all texts, and the rows of those that were not there in the last call."""
    rows = [row for row, text in enumerate(texts) if text not in known.rows]
    fresh = np.array(rows, dtype=np.int64)
    own = comparing.signatures([texts[row] for row in rows])
    if len(rows) == len(texts):
        return own, fresh
    # The fresh ones are put behind the known ones, and all are taken in the order of the texts.
    next_place = len(known.rows)
    places = []
    for text in texts:
        place = known.rows.get(text)
        if place is None:
            place = next_place
            next_place += 1
        places.append(place)
    every = known.signatures.joined(own)
    in_order = every.taken(np.array(places, dtype=np.int64))
    return in_order, fresh


def candidates_in(
    bands: Iterable[int],
    signatures: Signatures,
    lengths: Positions,
    fresh: Positions,
) -> Iterator[Positions]:
    """Yields arrays (n x 2) of pairs that may be near, each pair once, the lower row first.

    One of the two is fresh; they share a key of these bands and none of a lower one, agree in
    enough places, and their lengths are near enough for the ratio.
    """
    is_fresh = np.zeros(len(lengths), dtype=bool)
    is_fresh[fresh] = True
    for band in bands:
        keys = signatures.keys[:, band]
        rows = np.arange(len(keys))
        if not is_fresh.all():
            rows = _sharing(keys, keys[fresh])
        for pairs in _pairs_of_group(keys, lengths, rows):
            has_fresh = is_fresh[pairs].any(axis=1)
            pairs = pairs[has_fresh]
            for start in range(0, len(pairs), PAIRS):
                some = pairs[start : start + PAIRS]
                yield _agreeing(signatures, some, band)


def few_candidates(signatures: Signatures, lengths: Positions, fresh: Positions) -> Positions:
    """The same pairs (n x 2) of all bands, in another order, where few texts are fresh."""
    keys = signatures.keys
    shares = (keys[fresh, None, :] == keys[None, :, :]).any(axis=2)
    longest = np.maximum(lengths[fresh, None], lengths[None, :])
    shortest = np.minimum(lengths[fresh, None], lengths[None, :])
    near = longest * SHORTEST_SHARE <= shortest + 1
    left, right = np.nonzero(shares & near)
    pairs = np.sort(np.stack([fresh[left], right], axis=1), axis=1)
    # Two fresh texts are met from both sides, and each one meets itself.
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return _agreeing(signatures, pairs, 0)


def _sharing(keys: Keys, wanted: Keys) -> Positions:
    """The rows of the keys that are wanted, in order.

    Of many keys few are: most are told apart by their upper half, without sorting.
    """
    halves = np.zeros(HALVES, dtype=bool)
    halves[wanted >> HALF] = True
    may_be = halves[keys >> HALF]
    rows = np.flatnonzero(may_be)
    is_wanted = np.isin(keys[rows], wanted)
    return rows[is_wanted]


def _pairs_of_group(keys: Keys, lengths: Positions, rows: Positions) -> Iterator[Positions]:
    """Yields pairs of rows with equal keys whose lengths are near, the lower row first.

    By key and length in order, the partners of a row stand right behind it. Each is compared with
    its neighbour, then the next but one, and on, as long as that one is of its group and not too
    long: what is beyond it is longer still.
    """
    by_key_and_length = np.lexsort((lengths[rows], keys[rows]))
    order = rows[by_key_and_length]
    keys = keys[order]
    lengths = lengths[order]
    left = np.arange(len(order))
    for step in range(1, len(order)):
        left = left[left < len(order) - step]
        right = left + step
        same = keys[left] == keys[right]
        longest = lengths[left] + 1
        near = lengths[right] * SHORTEST_SHARE <= longest
        left = left[same & near]
        if not len(left):
            return
        right = left + step
        pairs = np.stack([order[left], order[right]], axis=1)
        yield np.sort(pairs, axis=1)


def _agreeing(signatures: Signatures, pairs: Positions, band: int) -> Positions:
    """The pairs that agree in enough places and shared no key of an earlier band."""
    keys = signatures.keys[:, :band]
    left, right = pairs.T
    shared_earlier = keys[left] == keys[right]
    is_new = ~shared_earlier.any(axis=1)
    pairs = pairs[is_new]
    left, right = pairs.T
    places = signatures.places
    agree = places[left] == places[right]
    number = agree.sum(axis=1)
    return np.asarray(pairs[number >= LEAST_AGREEING])
