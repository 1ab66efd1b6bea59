"""Which texts a judge reads, and what follows: units whose text was misread are written again,
those that nobody could judge are counted.

Always judged: units that a task depends on. Of the others a share of the mini-batches, drawn by a
stream of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.world.streams import text_stream
from pipeline.write.desk import WritingService
from pipeline.write.pool import side_by_side
from pipeline.write.questions import JudgeBatch, JudgeItem, Questions, Ruling, questions_of
from pipeline.write.units import Entry, ObjectWork
from schemas.errors import WritingFailed
from schemas.model import ObjectType

AT_ONCE = 10


@dataclass(slots=True)
class JudgeSession:
    """The judging of one object type.

    Each text is judged once, also over several rounds of rewriting; `seen` holds what came of it.
    """

    desk: WritingService
    questions: Questions
    chosen: tuple[int, ...]
    seen: dict[tuple[int, str], str] = field(default_factory=dict)

    def known(self, entries: Mapping[int, Entry]) -> dict[int, str]:
        """Those of which that is known already, without asking."""
        return {
            read.unit: reason
            for read in self._reads(entries)
            if (reason := self.seen.get((read.unit, read.text), ""))
        }

    async def misread(self, entries: Mapping[int, Entry]) -> dict[int, str]:
        """Units whose text a reader understands otherwise than the facts have it,
        with the reason.
        """
        reads = [read for read in self._reads(entries) if (read.unit, read.text) not in self.seen]
        judge = self.desk.judge
        if judge is None:
            return {}
        asked = [
            JudgeBatch(
                self.questions.item.name, tuple(reads[at : at + AT_ONCE]), judge.name, judge.prompt
            )
            for at in range(0, len(reads), AT_ONCE)
        ]
        rulings = await side_by_side(asked, self.desk.ruling, self.desk.writer.at_once)
        for one, ruling in zip(asked, rulings, strict=True):
            wrong = self._wrong(one, ruling)
            self.seen |= {(read.unit, read.text): wrong.get(read.unit, "") for read in one.reads}
        return self.known(entries)

    def _reads(self, entries: Mapping[int, Entry]) -> list[JudgeItem]:
        found = (
            self.questions.read(self.questions.work.unit(unit), entries[unit])
            for unit in self.chosen
            if unit in entries
        )
        return [read for read in found if read is not None]

    def _wrong(self, asked: JudgeBatch, ruling: Ruling | None) -> dict[int, str]:
        account = self.desk.spent_on(asked.object)
        if ruling is None:
            account.unjudged += len(asked.reads)
            return {}
        account.judge_tokens += ruling.tokens_in + ruling.tokens_out
        account.judge_cost += ruling.cost
        wrong: dict[int, str] = {}
        for read in asked.reads:
            verdict = self.questions.verdict(
                self.questions.work.unit(read.unit), ruling.chosen.get(read.unit, ())
            )
            account.judged += verdict.outcome != "unjudged"
            account.unjudged += verdict.outcome == "unjudged"
            account.judged_wrong += verdict.failed
            if verdict.failed:
                wrong[read.unit] = verdict.reason
        return wrong


def jury_of(desk: WritingService, item: ObjectType, work: ObjectWork) -> JudgeSession:
    """The jury of an object type; it has nobody to ask where there is no judge."""
    questions = questions_of(item, work, desk.setting.seed)
    return JudgeSession(
        desk,
        questions,
        chosen_units(item, work, desk.setting.seed, desk.judge.share if desk.judge else None),
    )


def chosen_units(
    item: ObjectType, work: ObjectWork, seed: int, share: float | None
) -> tuple[int, ...]:
    """The units that are judged, in canonical order; `share` None where nobody judges."""
    if share is None or not item.judging.questions:
        return ()
    units: list[int] = []
    for batch in (batch for lane in work.lanes for batch in work.batches(lane)):
        drawn = text_stream(seed, f"judge {item.name}", f"batch {batch[0]}").random() < share
        units += [unit for unit in batch if drawn or unit in work.always]
    return tuple(units)


def refuse_misread(item: ObjectType, reasons: Mapping[int, str]) -> None:
    """Raises WritingFailed where a reader still understands a text otherwise than its facts,
    however often it was rewritten.
    """
    if reasons:
        unit, reason = min(reasons.items())
        raise WritingFailed(
            f"{len(reasons)} {item.name} texts are misread after every round, such as {item.name}"
            f" {unit}: {reason}; what was written is kept, use another --judge-model (or none) and"
            " run again"
        )
