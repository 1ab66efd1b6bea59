"""Which texts a judge reads, and what it finds in them.

Units that a task depends on are always judged; of the others a share of the mini-batches is, drawn
by a stream of their own. Texts that nobody could judge are counted, never taken for right or wrong.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pipeline.ledger import Ruling
from pipeline.world.streams import text_stream
from pipeline.write.pool import side_by_side
from pipeline.write.questions import JudgeBatch, JudgeItem, Questions, questions_of
from pipeline.write.service import Usage, WritingService
from pipeline.write.work import ObjectWork
from verifiers.likeness import FailedUnits
from verifiers.material import Entry
from verifiers.verdict import fail

AT_ONCE = 10  # texts a judge reads in one call, as many as a mini-batch has units


@dataclass(slots=True)
class JudgeSession:
    """The judging of one object type.

    Each text is judged once, also over several rounds of rewriting; `seen` holds what was found
    in it, by unit and text, an empty reason where it is right or nobody could say. `counted` says
    whether what the judge took is counted as the object type's.
    """

    service: WritingService
    questions: Questions
    chosen: tuple[int, ...]
    counted: bool = True
    seen: dict[tuple[int, str], str] = field(default_factory=dict)

    def known(self, entries: Mapping[int, Entry]) -> FailedUnits:
        """The units whose text is known to be misread, with the reason, without asking."""
        found: FailedUnits = {}
        for item in self._items(entries):
            reason = self.seen.get((item.unit, item.text), "")
            if reason:
                found[item.unit] = (fail(reason),)
        return found

    async def misread(self, entries: Mapping[int, Entry]) -> FailedUnits:
        """The units whose text a reader understands otherwise than the facts, with the reason."""
        judge = self.service.judge
        if judge is None:
            return {}
        fresh = [item for item in self._items(entries) if (item.unit, item.text) not in self.seen]
        batches = list(batches_of(self.questions.work.item.name, fresh, judge.name, judge.prompt))
        rulings = await side_by_side(batches, self.service.ruling, self.service.words.at_once)
        for batch, ruling in zip(batches, rulings, strict=True):
            self._take(batch, ruling)
        return self.known(entries)

    def unread(self, entries: Mapping[int, Entry]) -> set[int]:
        """The units whose text will be judged and has not been."""
        if self.service.judge is None:
            return set()
        items = self._items(entries)
        return {item.unit for item in items if (item.unit, item.text) not in self.seen}

    def _items(self, entries: Mapping[int, Entry]) -> Iterator[JudgeItem]:
        for number in self.chosen:
            if number not in entries:
                continue
            unit = self.questions.work.unit(number)
            item = self.questions.item(unit, entries[number])
            if item is not None:
                yield item

    def _take(
        self,
        batch: JudgeBatch,
        ruling: Ruling | None,
    ) -> None:
        """Counts a ruling and keeps what it says of each text."""
        usage = self.service.usage_of(batch.object) if self.counted else Usage()
        if ruling is None:
            usage.unjudged += len(batch.items)
        else:
            usage.add_ruling(ruling)
        for item in batch.items:
            reason = ""
            if ruling is not None:
                unit = self.questions.work.unit(item.unit)
                verdict = self.questions.verdict(unit, ruling.chosen.get(item.unit, ()))
                usage.add_verdict(verdict)
                reason = verdict.reason if verdict.failed else ""
            self.seen[item.unit, item.text] = reason


def session_of(service: WritingService, work: ObjectWork, counted: bool = True) -> JudgeSession:
    """The judging of an object type; without a judge nothing is chosen and nobody asked."""
    seed = service.setting.seed
    share = service.judge.share if service.judge else None
    chosen = chosen_units(work, seed, share)
    # To find what may be chosen among takes a look at every unit.
    questions = questions_of(work, seed) if chosen else Questions(work, {}, seed)
    return JudgeSession(service, questions, chosen, counted)


def batches_of(
    name: str,
    items: list[JudgeItem],
    judge: str,
    prompt: str,
) -> Iterator[JudgeBatch]:
    """Yields a judge's mini-batches of AT_ONCE texts."""
    for start in range(0, len(items), AT_ONCE):
        yield JudgeBatch(name, tuple(items[start : start + AT_ONCE]), judge, prompt)


def chosen_units(
    work: ObjectWork,
    seed: int,
    share: float | None,
) -> tuple[int, ...]:
    """The units that are judged, in canonical order; `share` is None where nobody judges."""
    if share is None or not work.item.judging.questions:
        return ()
    units: list[int] = []
    for batch in work.lane_batches():
        rng = text_stream(seed, f"judge {work.item.name}", f"batch {batch[0]}")
        drawn = rng.random() < share
        units += [unit for unit in batch if drawn or unit in work.always]
    return tuple(units)
