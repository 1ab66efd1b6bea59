"""Texts that are compared by workers together: what near ones are found by is shared out.

Signatures go by ranges of texts, band keys by their bands, and pairs that may be near by their
number. Each worker gets what its part takes. What is found does not depend on who found it, nor
when; which of two texts has to give way is decided by whoever asked, in canonical order.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from pipeline.compute.executor import Executor
from verifiers.duplicates import are_near, candidates_in
from verifiers.signatures import BANDS, Positions, Signatures, signatures_of

# Texts in a call: some tenths of a second of work.
TEXTS_A_CALL = 2_000
PAIRS_A_CALL = 5_000
# Calls of each worker, so that none waits long for the one with most pairs.
CALLS_A_WORKER = 3


@dataclass(frozen=True, slots=True)
class SpreadComparing:
    """Has an executor's workers compare, so much in a call; waits for what they find."""

    executor: Executor
    texts_a_call: int = TEXTS_A_CALL
    pairs_a_call: int = PAIRS_A_CALL

    def signatures(self, texts: Sequence[str]) -> Signatures:
        """The signature of each text, each range by a worker."""
        sent = []
        for start in range(0, len(texts), self.texts_a_call):
            some = texts[start : start + self.texts_a_call]
            sent.append(self.executor.submit(signatures_of, some))
        parts = [each.result() for each in sent] or [signatures_of([])]
        keys = np.concatenate([part.keys for part in parts])
        return Signatures(keys, np.concatenate([part.places for part in parts]))

    def candidates(
        self,
        signatures: Signatures,
        lengths: Positions,
        fresh: Positions,
    ) -> Iterator[Positions]:
        """Yields the pairs of all bands, those of some bands by a worker."""
        calls = min(self.executor.workers * CALLS_A_WORKER, BANDS)
        shared = self.executor.share(signatures)
        sent = []
        for first in range(calls):
            bands = range(first, BANDS, calls)
            sent.append(
                self.executor.submit(
                    pairs_in,
                    bands,
                    shared,
                    lengths,
                    fresh,
                ),
            )
        for each in sent:
            yield each.result()

    def near(self, texts: Sequence[str], pairs: Positions) -> Positions:
        """Those of the pairs whose texts are near, some thousands by a worker."""
        sent: list[Future[Positions]] = []
        for start in range(0, len(pairs), self.pairs_a_call):
            some = pairs[start : start + self.pairs_a_call]
            lefts = [texts[row] for row in some[:, 0]]
            rights = [texts[row] for row in some[:, 1]]
            sent.append(
                self.executor.submit(
                    near_among,
                    some,
                    lefts,
                    rights,
                )
            )
        parts = [each.result() for each in sent]
        return np.concatenate(parts) if parts else pairs


def pairs_in(
    bands: Sequence[int],
    signatures: Signatures,
    lengths: Positions,
    fresh: Positions,
) -> Positions:
    """The pairs that may be near by some bands: a worker's work."""
    found = list(candidates_in(bands, signatures, lengths, fresh))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)


def near_among(pairs: Positions, lefts: Sequence[str], rights: Sequence[str]) -> Positions:
    """Those of the pairs whose texts are near: a worker's work."""
    return pairs[are_near(lefts, rights)]
