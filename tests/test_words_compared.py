"""Texts compared by workers: what one process finds, from one call to the next."""

import asyncio
import pickle

import pytest

from pipeline.compute.executor import InProcess
from pipeline.compute.processes import process_pool
from pipeline.config import RunRequest, load_job
from pipeline.write.comparing import SpreadComparing
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.words import OwnWords
from pipeline.write.worker_words import SPREAD_FROM, WorkerWords
from tests.likeness_toys import NOTE, UNITS
from verifiers.duplicates import KnownTexts, folded_repeats
from verifiers.likeness import KnownLot, KnownLots
from verifiers.material import Entry

HOLE = "My tent has a hole in its left side"
FIRST: dict[int, Entry] = {
    3: {"Title": "A hole", "Body": HOLE},
    1: {"Title": "A HOLE", "Body": f"{HOLE}!"},
    2: {"Title": "Another thing", "Body": f"{HOLE}."},
}
SECOND: dict[int, Entry] = {
    **FIRST,
    1: {"Title": "No poles", "Body": "All poles are gone, it fell"},
}


def lots_of(known: KnownLots) -> dict[tuple[str, int], KnownLot]:
    """All lots, those that only workers know among them."""
    lots = dict(known.lots)
    for packed in known.packed.values():
        lots |= pickle.loads(packed).lots
    return lots


@pytest.mark.parametrize("spread_from", [1, SPREAD_FROM])
def test_workers_find_what_one_process_finds(spread_from: int) -> None:
    """A unit that fails in two fields is told the first; the second call knows the first one's
    texts, whoever has compared them: a worker a field, or all of them together.
    """
    job = load_job(RunRequest("shoes"))
    writer = EmbeddedWriter(
        job.lexicon, job.setting.schema.beats or {}, job.setting.country.english
    )
    with process_pool(2) as pool:
        own, shared = OwnWords(writer), WorkerWords(pool, writer, spread_from)
        known, known_by_workers = KnownLots(), KnownLots()
        for entries in (FIRST, SECOND):
            alone = asyncio.run(own.unlike(NOTE, UNITS, entries, known))
            found = asyncio.run(shared.unlike(NOTE, UNITS, entries, known_by_workers))
            assert found == alone
            told = lots_of(known_by_workers)
            assert told.keys() == known.lots.keys()
            for place, lot in known.lots.items():
                found_by_workers = told[place]
                assert found_by_workers.values == lot.values
                assert found_by_workers.texts.rows == lot.texts.rows
                assert found_by_workers.texts.near == lot.texts.near
                assert found_by_workers.failed == lot.failed
        assert list(found) == [2]


def test_what_is_shared_out_is_what_is_found_alone() -> None:
    """More texts and pairs than go in a call, some rewritten in a second look: the same repeats."""
    texts = [f"the zip of tent {place * 7919 % 121} broke on day {place}" for place in range(250)]
    alone, together = KnownTexts(), KnownTexts()
    comparing = SpreadComparing(InProcess(), texts_a_call=200, pairs_a_call=500)
    for some in (texts, [*texts[:-9], *texts[:9]], [], texts[:1]):
        found = folded_repeats(some, together, comparing)
        assert found == folded_repeats(some, alone)
        assert together.near == alone.near
    assert folded_repeats(texts)
