"""The writing service: where requests are answered, each of them once.

What the ledger holds is never asked again; what is answered is verified and kept at once. It knows
the setting, the writer, the judge and the ledger, but no lanes and no order.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar

from pipeline.ledger import Ledger, LedgerEntry, Ruling
from pipeline.world.org import RunContext
from pipeline.write.questions import JudgeBatch
from pipeline.write.request import WriteRequest
from pipeline.write.words import OwnWords, WordSource
from pipeline.write.writer import Judge, Writer
from schemas.errors import OrgweaveError
from verifiers.answer import AnswerRules
from verifiers.verdict import Verdict

T = TypeVar("T")


@dataclass(slots=True)
class Usage:
    """What an object type's words took, whether they were answered now or in an earlier run.

    Counts are of texts, costs in dollars; accepted and refused texts stand apart, and so does the
    judge's part.
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

    def add(self, entry: LedgerEntry) -> None:
        """Counts a finished mini-batch; each of its texts, right or refused, costs alike."""
        accepted = len(entry.entries)
        refused = len(entry.refused)
        self.requests += 1
        self.accepted += accepted
        self.refused += refused
        self.tokens_in += entry.tokens_in
        self.tokens_out += entry.tokens_out
        self.cost += entry.cost
        self.cost_of_refused += entry.cost * refused / max(refused + accepted, 1)

    def add_ruling(self, ruling: Ruling) -> None:
        """Counts what a judge's ruling took."""
        self.judge_tokens += ruling.tokens_in + ruling.tokens_out
        self.judge_cost += ruling.cost

    def add_verdict(self, verdict: Verdict) -> None:
        """Counts what a judge's reading of one text came to."""
        if verdict.outcome == "unjudged":
            self.unjudged += 1
            return
        self.judged += 1
        self.judged_wrong += verdict.failed

    def as_json(self) -> dict[str, float]:
        """As the manifest shows it: money to a millionth of a dollar."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


@dataclass(slots=True, repr=False)  # asyncio writes out its tasks' results, settings and all
class WritingService:
    """All that writing needs: the setting, a writer, the ledger, and maybe a judge.

    `progress` is told the object type and how many of its units are done. `fallback` writes what
    the writer withholds. `source` is where the writer's words come from; without one they are
    asked and verified here. `local` says whether the writer writes the language of the company's
    country, `calls` whether there is time while its answers are waited for, and `lane` how many
    mini-batches of a lane wait for one another at most. `usage` has an account for each object
    type; `under_way` holds the keys of the requests that are being answered, and `freed` is told
    each time when one has been.
    """

    setting: RunContext
    writer: Writer
    ledger: Ledger
    progress: Callable[[str, int], None] = lambda name, done: None
    judge: Judge | None = None
    fallback: Writer | None = None
    source: WordSource | None = None
    local: bool = False
    calls: bool = False
    lane: int | None = None
    usage: dict[str, Usage] = field(default_factory=dict)
    stopped: OrgweaveError | None = None
    under_way: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    freed: Callable[[], None] = lambda: None

    @property
    def words(self) -> WordSource:
        """Where the writer's words come from."""
        return self.source or OwnWords(self.writer)

    def usage_of(self, name: str) -> Usage:
        """The account of an object type."""
        return self.usage.setdefault(name, Usage())

    async def ask(
        self,
        request: WriteRequest,
        canonical: str,
        key: str,
        rules: AnswerRules,
        other: Writer | None = None,
    ) -> LedgerEntry:
        """Asks the writer, or another one, verifies the answer and keeps it under the key.

        A request that is under way already is waited for instead. Once one asking failed for good,
        none starts any more; those under way are finished and kept.
        """
        while key in self.under_way:
            await asyncio.shield(self.under_way[key])
            kept = self.ledger.get(key)
            if kept is not None:
                return kept
        with self._answering(key):
            return await self._asked(request, canonical, key, rules, other or self.writer)

    @contextmanager
    def _answering(self, key: str) -> Iterator[None]:
        """While a request is under way, others that ask the same wait for it."""
        self.under_way[key] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            self.under_way.pop(key).set_result(None)
            self.freed()

    async def _asked(
        self,
        request: WriteRequest,
        canonical: str,
        key: str,
        rules: AnswerRules,
        writer: Writer,
    ) -> LedgerEntry:
        started = time.monotonic()
        source = self.words if writer is self.writer else OwnWords(writer)
        found = await self._guarded(lambda: source.words(request, rules))
        answer = found.answer
        entry = LedgerEntry(
            entries=found.accepted,
            refused=found.refused,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            cost=answer.cost,
            seconds=time.monotonic() - started,
            sent=answer.sent,
            text=answer.text,
            trouble=answer.trouble,
            cut=answer.cut,
        )
        self.ledger.put(
            key,
            request.object,
            canonical,
            entry,
            writer.name,
        )
        return entry

    async def ruling(self, batch: JudgeBatch) -> Ruling | None:
        """The judge's ruling, from the ledger or now; None where the judge can't be asked.

        Texts that an earlier ruling passed over are asked again. Raises what stops the run.
        """
        judge = self.judge
        if judge is None:
            return None
        while batch.key in self.under_way:
            await asyncio.shield(self.under_way[batch.key])
        before = self.ledger.ruling(batch.key)
        if before is not None:
            left = tuple(item for item in batch.items if item.unit not in before.chosen)
            if len(left) < len(batch.items):
                more = await self.ruling(replace(batch, items=left)) if left else None
                return before if more is None else _joined(before, more)
        with self._answering(batch.key):
            ruling = await self._guarded(lambda: judge.judge(batch))
            if ruling is not None:
                self.ledger.put_ruling(
                    batch.key,
                    batch.object,
                    batch.canonical(),
                    ruling,
                    judge.name,
                )
        return ruling

    async def _guarded(self, work: Callable[[], Coroutine[None, None, T]]) -> T:
        if self.stopped is not None:
            raise self.stopped
        try:
            return await work()
        except OrgweaveError as error:
            self.stopped = self.stopped or error
            raise


def _joined(first: Ruling, second: Ruling) -> Ruling:
    return Ruling(
        chosen={**first.chosen, **second.chosen},
        tokens_in=first.tokens_in + second.tokens_in,
        tokens_out=first.tokens_out + second.tokens_out,
        cost=first.cost + second.cost,
    )
