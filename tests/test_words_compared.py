"""Texts compared by workers: what one process finds, from one call to the next."""

import asyncio

from pipeline.compute.processes import process_pool
from pipeline.config import RunRequest, load_job
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.words import OwnWords, WorkerWords
from tests.likeness_toys import NOTE, UNITS
from verifiers.likeness import KnownLots
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


def test_workers_find_what_one_process_finds() -> None:
    """A unit that fails in two fields is told the first; the second call knows the first one's
    texts, whoever has compared them.
    """
    job = load_job(RunRequest("shoes"))
    writer = EmbeddedWriter(
        job.lexicon, job.setting.schema.beats or {}, job.setting.country.english
    )
    with process_pool(2) as pool:
        own, shared = OwnWords(writer), WorkerWords(pool, writer)
        known: KnownLots = {}
        known_by_workers: KnownLots = {}
        for entries in (FIRST, SECOND):
            alone = asyncio.run(own.unlike(NOTE, UNITS, entries, known))
            found = asyncio.run(shared.unlike(NOTE, UNITS, entries, known_by_workers))
            assert found == alone
            assert known_by_workers.keys() == known.keys()
            for place, lot in known.items():
                found_by_workers = known_by_workers[place]
                assert found_by_workers.values == lot.values
                assert found_by_workers.texts.rows == lot.texts.rows
                assert found_by_workers.texts.near == lot.texts.near
                assert found_by_workers.failed == lot.failed
        assert list(found) == [2]
