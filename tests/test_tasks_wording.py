"""How questions are worded: twins alike, so that no word tells which of them nothing answers."""

import asyncio
from pathlib import Path

from orgweave.benchmark.instance import NOTHING, Candidate
from orgweave.benchmark.wording import paraphrases
from pipeline.config import job_of
from pipeline.ledger import Ledger
from pipeline.run import FinishedRun
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.service import WritingService

CLOSE, MEND = "close", "mend"


def asked(seed: str, case: str) -> Candidate:
    """A question on a case, of one of two forms."""
    slots = {"case": case}
    return Candidate(seed, {"action": seed, **slots}, slots, ((case,),), NOTHING)


def worded(
    small_shoes: FinishedRun,
    ledger: Path,
    candidates: list[Candidate],
    groups: list[int],
) -> list[str]:
    """The embedded writer's wordings of some actions."""
    job = job_of(small_shoes.folder)
    with Ledger(ledger) as kept:
        service = WritingService(job.setting, EmbeddedWriter(job.lexicon, {}), kept)
        return asyncio.run(paraphrases(service, "case_action", candidates, groups))


def test_twins_are_worded_alike(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """The questions of a group differ in their case alone, wherever they stand; two groups are
    worded by chance, each for itself.
    """
    cases = [f"500zz0000000{letter}AAA" for letter in "ABCDEF"]
    candidates = [asked(CLOSE, case) for case in cases]
    texts = worded(small_shoes, tmp_path / "l", candidates, [1, 2, 3, 1, 3, 2])
    plain = [text.replace(case, "_") for text, case in zip(texts, cases, strict=True)]
    assert all(case in text for text, case in zip(texts, cases, strict=True))
    assert plain[0] == plain[3]
    assert plain[1] == plain[5]
    assert plain[2] == plain[4]
    assert len(set(plain)) == 3


def test_twins_of_other_forms_have_words_of_their_own(
    small_shoes: FinishedRun,
    tmp_path: Path,
) -> None:
    """Where twins ask by two seed queries, each is worded by its own rule, in its place."""
    candidates = [asked(MEND, "500zz1"), asked(CLOSE, "500zz2")]
    mend, close = worded(small_shoes, tmp_path / "l", candidates, [7, 7])
    assert "500zz1" in mend
    assert "comment" in mend
    assert "500zz2" in close
    assert "14 days" in close
