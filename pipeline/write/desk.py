"""The desk: where requests are answered once.

What the ledger holds is never asked again; what is answered is verified and kept at once.

Knows the setting, the writer, the judge and the ledger; no lanes and no order.
"""

import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar

from pipeline.ledger import Ledger, LedgerEntry, Ruling
from pipeline.world.org import RunContext
from pipeline.write.questions import JudgeBatch
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.units import ObjectWork
from pipeline.write.verify import verify_answer
from pipeline.write.writer import Judge, Writer
from schemas.errors import OrgweaveError

T = TypeVar("T")


@dataclass(slots=True)
class Usage:
    """What an object's words took, whether answered now or before: texts and dollars, accepted and
    refused apart, and the judge's share.
    """

    requests: int = 0
    accepted: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    cost_of_refused: float = 0.0
    judged: int = 0
    judged_wrong: int = 0
    unjudged: int = 0
    judge_tokens: int = 0
    judge_cost: float = 0.0

    def add(self, kept: LedgerEntry) -> None:
        """Counts a finished mini-batch; its cost falls on its texts alike, so the refused ones'
        part can be told.
        """
        self.requests += 1
        self.accepted += len(kept.entries)
        self.refused += len(kept.refused)
        self.tokens_in += kept.tokens_in
        self.tokens_out += kept.tokens_out
        self.cost += kept.cost
        self.cost_of_refused += (
            kept.cost * len(kept.refused) / max(len(kept.refused) + len(kept.entries), 1)
        )

    def as_json(self) -> dict[str, float]:
        """As the manifest shows it: money to a millionth of a dollar."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


@dataclass(slots=True)
class WritingService:
    """All that writing needs: the setting, a writer, the ledger, maybe a judge, and who wants to
    know of progress (object, units done).
    """

    setting: RunContext
    writer: Writer
    ledger: Ledger
    progress: Callable[[str, int], None] = lambda name, done: None
    judge: Judge | None = None
    spent: dict[str, Usage] = field(default_factory=dict)
    stopped: OrgweaveError | None = None

    def spent_on(self, name: str) -> Usage:
        """The account of an object type."""
        return self.spent.setdefault(name, Usage())

    async def ask(
        self, request: WriteRequest, canonical: str, key: str, work: ObjectWork
    ) -> LedgerEntry:
        """Asks the writer, verifies, keeps.

        Once one asking failed for good, none starts any more; those under way are finished and
        kept.
        """
        started = time.monotonic()
        answer = await self._guarded(lambda: self.writer.write(request))
        verdicts = verify_answer(
            request, answer.entries, self.setting.schema.beats or {}, work.roster, work.keys
        )
        kept = LedgerEntry(
            entries={unit: entry for unit, (_, entry) in verdicts.items() if entry is not None},
            refused={
                unit: _reason(verdict.path, verdict.reason, answer)
                for unit, (verdict, entry) in verdicts.items()
                if entry is None
            },
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            cost=answer.cost,
            seconds=time.monotonic() - started,
            sent=answer.sent,
            text=answer.text,
            trouble=answer.trouble,
            cut=answer.cut,
        )
        self.ledger.put(key, request.object, canonical, kept, self.writer.name)
        return kept

    async def ruling(self, asked: JudgeBatch) -> Ruling | None:
        """The judge's ruling, from the ledger or now; None where the judge can't be asked.

        Raises what stops the run.

        Texts that an earlier ruling passed over are asked again.
        """
        if self.judge is None:
            return None
        kept = self.ledger.ruling(asked.key)
        left = tuple(read for read in asked.reads if kept is None or read.unit not in kept.chosen)
        if kept is not None and len(left) < len(asked.reads):
            more = await self.ruling(replace(asked, reads=left)) if left else None
            return kept if more is None else _joined(kept, more)
        judge = self.judge
        ruling = await self._guarded(lambda: judge.judge(asked))
        if ruling is not None:
            self.ledger.put_ruling(asked.key, asked.object, asked.canonical(), ruling, judge.name)
        return ruling

    async def _guarded(self, work: Callable[[], Coroutine[None, None, T]]) -> T:
        if self.stopped is not None:
            raise self.stopped
        try:
            return await work()
        except OrgweaveError as error:
            self.stopped = self.stopped or error
            raise


def _joined(one: Ruling, other: Ruling) -> Ruling:
    return Ruling(
        {**one.chosen, **other.chosen},
        one.tokens_in + other.tokens_in,
        one.tokens_out + other.tokens_out,
        one.cost + other.cost,
    )


def _reason(path: str, reason: str, answer: WriterAnswer) -> str:
    """Why a unit was refused; where the whole answer was unfit, that."""
    if reason.startswith("format: no entry") and answer.trouble:
        return answer.trouble
    return f"{path}: {reason}".lstrip(": ")
