"""One object type's words: lanes side by side, then rounds in which what is wrong is written again.

Mini-batches of a lane are written in order. Within a mini-batch what is right is kept, and only
what is refused or missing is asked again; one whose answer was cut off is halved. Every asking is
a request with a key of its own, so that a killed or failed run goes through the same requests
again and finds the answered ones in the ledger. The outcome depends on the requests and their
answers alone, never on timing.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Protocol

from pipeline.ledger import LedgerEntry
from pipeline.write.answers import entries_of
from pipeline.write.early_look import EarlyLook
from pipeline.write.held_entry import held
from pipeline.write.judging import session_of
from pipeline.write.mending import LAST_NOTES, Mending, Rewriting
from pipeline.write.nearest import SHORT, nearest
from pipeline.write.pool import all_done, side_by_side, together
from pipeline.write.request import EMPTY, REFUSED, ROUND, WITHHELD, WriteRequest, key_of
from pipeline.write.service import WritingService
from pipeline.write.tries import Tries
from pipeline.write.work import ObjectWork
from pipeline.write.writer import Writer
from schemas.errors import WritingFailed
from schemas.object_type import ObjectType
from verifiers.answer import NO_ENTRY, AnswerRules
from verifiers.likeness import FailedUnits, KnownLots, failed_in_any, repeated_text
from verifiers.material import Entry, Unit
from verifiers.tongue import tongue_of
from verifiers.ways import remedies_of

# Rounds of rewriting; rounds of a writer that has nothing new to say end earlier, see `no_use`.
ROUNDS = 16
# What a unit is told that was withheld when it was asked alone.
MILDER = "no answer came, a filter may have stopped it; say the same in other, milder words"
MISSING = (NO_ENTRY, "answer ")  # reasons that say nothing of the unit's own text


@dataclass(frozen=True, slots=True)
class Batch:
    """Units to be asked together and the entries that they must not repeat.

    `attempt` is part of the request; `empty` counts the empty answers in a row.
    """

    units: tuple[Unit, ...]
    earlier: tuple[str, ...] = ()
    attempt: int = 0
    empty: int = 0


class Leave(Protocol):
    """What is held while a request is asked."""

    async def __aenter__(self) -> None:
        """Waits for it."""

    async def __aexit__(self, *ended: object) -> None:
        """Gives it back."""


Settling = Callable[[Mapping[int, Entry], Collection[int]], None]
"""Is told all entries as they are, and the units whose text may yet become another."""


def no_one(
    entries: Mapping[int, Entry],
    unsettled: Collection[int],
) -> None:
    """For writing that nobody watches."""


@dataclass(slots=True)
class ObjectWriting:
    """The writing of one object type: the service that answers, and the work to be done.

    `settling` is told in each round what stands by then. What is asked for ahead, under `leave`, is
    not counted: that is done by the writing that uses the answers.
    """

    service: WritingService
    work: ObjectWork
    settling: Settling = no_one
    leave: Leave | None = None
    rules: AnswerRules = field(init=False)

    def __post_init__(self) -> None:
        if self.service.lane is not None:
            self.work = self.work.shorter_lanes(self.service.lane)
        beats = self.service.setting.schema.beats or {}
        keys = self.work.item.key_fields
        world = self.service.setting.world
        tongue = tongue_of(self.service.setting.profile.locale, self.service.local)
        self.rules = AnswerRules(
            *(self.work.fields, beats, self.work.roster, keys, world.incidents, tongue),
            remedies=remedies_of(world.issues, world.options),
        )

    @property
    def item(self) -> ObjectType:
        """The object type that is written."""
        return self.work.item

    @property
    def counted(self) -> bool:
        """Whether what is asked for is counted as the object type's."""
        return self.leave is None

    async def write(self) -> dict[int, Entry]:
        """An accepted entry for every unit, by unit id.

        Raises WritingFailed where a unit was refused on every try, or is still misread or not
        unique after every round.
        """
        entries, known = await self._first_entries()
        session = session_of(self.service, self.work, self.counted)
        rewriting = Rewriting(self.work)
        counts: list[int] = []
        new: Sequence[int] = self.work.ids
        for round_number in range(1, ROUNDS + 1):
            # Of two texts alike the one that is written later gives way: what stood before stands,
            # and others may be made from it meanwhile.
            too_like = await self._too_like(entries, new, known)
            wrong = failed_in_any([session.known(entries), too_like])
            counts.append(len(wrong))
            if no_use(counts):
                break
            self.settling(entries, wrong.keys() | session.unread(entries))
            if not wrong:
                wrong = await session.misread(entries)
            if not wrong:
                break
            again = rewriting.asked(wrong, entries)
            new = [unit.id for unit in again]
            settled = {unit: entry for unit, entry in entries.items() if unit not in wrong}
            rewritten: dict[int, Entry] = {}
            await together(
                self._rewrite(entries, again, rewriting, round_number, rewritten),
                session.misread(settled),
            )
            entries |= rewriting.whole(rewritten)
        self._refuse_misread(await session.misread(entries))
        self._refuse_repeated(entries)
        return entries

    async def write_units(self) -> dict[int, Entry]:
        """An accepted entry for every unit, in mini-batches that need not know of one another.

        Nothing is judged or held against other mini-batches. Raises WritingFailed as `write` does.
        """
        batches = [Batch(self._units(batch)) for batch in self.work.batches(self.work.ids)]
        return await self._write_batches(batches)

    async def ask_ahead(self, ready: Set[int]) -> None:
        """Asks for the mini-batches whose units are all ready, so that `write` finds the answers.

        It is for a writing with `leave`.
        """

        async def ask_lane(lane: Sequence[int]) -> None:
            earlier: tuple[str, ...] = ()
            for ids in self.work.batches(lane):
                if not set(ids) <= ready:
                    return  # What follows in the lane is shown what is written here.
                written = await self.write_batch(Batch(self._units(ids), earlier))
                earlier += self._keys_of(written.values())

        lanes = sorted(self.work.lanes, key=len, reverse=True)
        await all_done(lanes, ask_lane, len(lanes))

    async def write_batch(self, batch: Batch) -> dict[int, Entry]:
        """Accepted entries of all units, in their order.

        Raises WritingFailed where one is never written as it should be.
        """
        accepted: dict[int, Entry] = {}
        tries = Tries()
        mending = Mending(self.rules)
        waiting = [batch]
        while waiting:
            current = waiting.pop(0)
            right = [accepted[unit.id] for unit in batch.units if unit.id in accepted]
            current = replace(current, earlier=(*batch.earlier, *self._shown_beside(right)))
            entry, fresh = await self._answered(current)
            if self.counted:
                self.service.usage_of(self.item.name).add(entry)
            accepted |= mending.whole(entry.entries)
            rest = mending.opened(_refused(current.units, entry), self._said(entry))
            # Without a fallback another run tries again. With one that is left to it after so many
            # tries in all: what comes of them must not depend on how often the run was killed.
            if fresh or self.service.fallback:
                tries.add(entry.refused)
            empty = current.empty + 1 if _all_told(entry, EMPTY) else 0
            withheld = empty > 1 or _all_told(entry, REFUSED, WITHHELD)
            left, says = self._left(rest, withheld, entry, tries)
            if left:
                whole = tuple(unit for unit in batch.units if unit.id in left)
                accepted |= await self._fallen_back(replace(current, units=whole), says)
                rest = tuple(unit for unit in rest if unit.id not in left)
            if withheld and len(rest) == 1:
                rest = (_told_milder(rest[0]),)
            pieces = []
            for units in _pieces(rest, entry.cut or withheld):
                pieces.append(Batch(units, (), current.attempt + 1, empty))
            # At the front: of two texts alike it is always the later unit's that gives way.
            waiting = [*pieces, *waiting]
        return {unit.id: accepted[unit.id] for unit in batch.units}

    def _said(self, entry: LedgerEntry) -> list[object]:
        """What an answer held, read again where texts of conversations were refused in it."""
        if not entry.refused or not self.work.units[0].parts:
            return []
        return entries_of(entry.text, entry.cut)

    def _left(
        self,
        rest: tuple[Unit, ...],
        withheld: bool,
        entry: LedgerEntry,
        tries: Tries,
    ) -> tuple[Set[int], str]:
        """The units that are not asked again, and what is told of them."""
        if len(rest) == 1 and len(entry.refused) + len(entry.entries) == 1:
            (unit,) = rest
            if tries.add_alone(unit.id, withheld):
                return {unit.id}, _withheld(self.item, unit, entry)
        given_up = tries.hopeless(rest)
        if not given_up:
            return frozenset(), ""
        return {unit.id for unit in given_up}, _given_up(self.item, given_up, tries)

    async def _fallen_back(
        self,
        batch: Batch,
        says: str,
    ) -> Mapping[int, Entry]:
        """What the fallback writer writes for units that the writer never gets right, as they were
        asked at first.

        Raises WritingFailed, which begins with what it `says` of the units, where there is no such
        writer or a text of it is refused.
        """
        writer = self.service.fallback
        if writer is None:
            raise WritingFailed(
                f"{says}; what was accepted is kept. Look at `orgweave trace <folder> --failed`,"
                " and run the same command again, with --fallback embedded to have the lexicon's"
                " words for what a model won't write, or with another writer"
            )
        plain = replace(batch, units=tuple(replace(unit, notes=()) for unit in batch.units))
        request = self.request_of(plain, writer)
        canonical = request.canonical()
        key = key_of(canonical)
        entry = self.service.ledger.get(key)
        if entry is None:
            entry = await self.service.ask(request, canonical, key, self.rules, writer)
        for reason in entry.refused.values():
            raise WritingFailed(
                f"{says}, and the text of {writer.name} is refused ({reason}); use another model"
            )
        return entry.entries

    def request_of(
        self,
        batch: Batch,
        other: Writer | None = None,
    ) -> WriteRequest:
        """The exact request of a batch; its key decides whether it was answered before.

        It goes to the service's writer, or to another one.
        """
        setting = self.service.setting
        writer = other or self.service.writer
        request = WriteRequest(
            object=self.item.name,
            company=setting.company,
            fields=self.work.fields,
            units=batch.units,
            earlier=batch.earlier,
            attempt=batch.attempt,
            seed=setting.seed,
            node=setting.salted(self.item.name),
            model=writer.name,
        )
        return replace(request, parameters=writer.parameters(request))

    async def _first_entries(self) -> tuple[dict[int, Entry], KnownLots]:
        """Every lane written once, and what is known of its texts by then.

        Units that have nothing open get an entry without texts.
        """
        nothing: Entry = {written.name: [] for written in self.work.fields}
        names = ("unit", *nothing)
        entries: dict[int, Entry] = {}
        look = EarlyLook(self.item, self.work.ids)
        # The longest lanes take the longest: they begin first.
        lanes = sorted(self.work.lanes, key=len, reverse=True)
        at_once = self.service.words.at_once

        async def write_lane(lane: Sequence[int]) -> None:
            async for written in self._written_of(lane):
                entries.update(held(written, names))
                if self.service.calls:
                    look.written(entries)

        try:
            await all_done(lanes, write_lane, at_once)
        finally:
            known = await look.over()
        return dict.fromkeys(self.work.ids, nothing) | entries, known

    async def _written_of(self, lane: Sequence[int]) -> AsyncIterator[dict[int, Entry]]:
        """Yields each mini-batch's entries, each written once those before it in the lane are."""
        earlier: tuple[str, ...] = ()
        for ids in self.work.batches(lane):
            written = await self.write_batch(Batch(self._units(ids), earlier))
            earlier += self._keys_of(written.values())
            if self.counted:
                self.service.progress(self.item.name, len(ids))
            yield written

    async def _rewrite(
        self,
        entries: Mapping[int, Entry],
        units: Sequence[Unit],
        rewriting: Rewriting,
        round_number: int,
        into: dict[int, Entry],
    ) -> None:
        """Writes units once more, told what was wrong with their text and which are near it.

        The batches need not know of one another.
        """
        by_id = {unit.id: unit for unit in units}
        wrong = {unit: rewriting.wrong_texts(unit) for unit in by_id}
        near = nearest(self.item, entries, wrong, round_number)
        batches = []
        for ids in self.work.batches(list(by_id)):
            texts: dict[str, None] = {}  # a set that keeps its order
            for unit in ids:
                texts |= dict.fromkeys(near[unit])
            earlier = tuple(texts)
            asked_again = tuple(by_id[unit] for unit in ids)
            batches.append(Batch(asked_again, earlier, attempt=ROUND * round_number))
        into |= await self._write_batches(batches)

    async def _write_batches(self, batches: Sequence[Batch]) -> dict[int, Entry]:
        at_once = self.service.words.at_once
        entries: dict[int, Entry] = {}
        for written in await side_by_side(batches, self.write_batch, at_once):
            entries |= written
        return entries

    async def _answered(self, batch: Batch) -> tuple[LedgerEntry, bool]:
        """The answer, and whether it was asked for now and not kept before."""
        request = self.request_of(batch)
        canonical = request.canonical()
        key = key_of(canonical)
        kept = self.service.ledger.get(key)
        if kept is not None:
            return kept, False
        if self.leave is None:
            return await self.service.ask(request, canonical, key, self.rules), True
        async with self.leave:
            return await self.service.ask(request, canonical, key, self.rules), True

    def _units(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        return self.work.units_of(ids)

    def _keys_of(self, entries: Iterable[Entry]) -> tuple[str, ...]:
        """What of the entries a later prompt is shown: their key fields, not their whole texts."""
        texts: list[str] = []
        for entry in entries:
            texts += [str(entry[name]) for name in self.item.key_fields]
        return tuple(texts)

    def _shown_beside(self, entries: Sequence[Entry]) -> tuple[str, ...]:
        """What those asked again are shown of their accepted neighbours.

        It is their key fields, or the first field where that is short.
        """
        if self.item.key_fields:
            return self._keys_of(entries)
        texts = [entry[self.work.fields[0].name] for entry in entries]
        return tuple(text for text in texts if isinstance(text, str) and len(text) <= SHORT)

    async def _too_like(
        self,
        entries: Mapping[int, Entry],
        units: Sequence[int],
        known: KnownLots,
    ) -> FailedUnits:
        return await self.service.words.unlike(self.item, units, entries, known)

    def _refuse_misread(self, wrong: FailedUnits) -> None:
        """Raises WritingFailed where a reader still finds other facts in a text."""
        if not wrong:
            return
        name = self.item.name
        unit = min(wrong)
        raise WritingFailed(
            f"{len(wrong)} {name} texts are misread after every round, such as {name}"
            f" {unit}: {wrong[unit][0]}; what was written is kept, use another --judge-model (or"
            " none) and run again"
        )

    def _refuse_repeated(self, entries: Mapping[int, Entry]) -> None:
        """Raises WritingFailed where texts of a unique field are still equal."""
        repeated = repeated_text(self.item, self.work.ids, entries)
        if repeated is None:
            return
        raise WritingFailed(
            f"{self.item.name}.{repeated.field} must be unique, but {repeated.repeats} texts stand"
            f" twice after every round, such as {repeated.text!r}; widen the lexicon or use another"
            " writer"
        )


def noted(
    unit: Unit,
    *reasons: str,
) -> Unit:
    """The unit with the reasons of its last refusals, for the writer to do better."""
    return replace(unit, notes=(*unit.notes, *reasons)[-LAST_NOTES:])


def _told_milder(unit: Unit) -> Unit:
    """A unit that was withheld, told so once."""
    return unit if MILDER in unit.notes else noted(unit, MILDER)


def no_use(counts: Sequence[int]) -> bool:
    """Whether rewriting mends no more, by how many texts were wrong in each round.

    Three rounds that mend less than a tenth of many texts tell that this writer has no more to
    say, and each round costs. Ten texts or fewer are always tried again.
    """
    return len(counts) > 3 and counts[-1] > 0.9 * counts[-4] and counts[-1] > 10


def _refused(
    units: Sequence[Unit],
    entry: LedgerEntry,
) -> tuple[Unit, ...]:
    """The units to ask again; an entry that never came is nobody's fault and leaves no note."""
    again = []
    for unit in units:
        reason = entry.refused.get(unit.id)
        if reason is None:
            continue
        again.append(unit if reason.startswith(MISSING) else noted(unit, reason))
    return tuple(again)


def _all_told(
    entry: LedgerEntry,
    *troubles: str,
) -> bool:
    """Whether that was the trouble with the answer to every unit."""
    reasons = entry.refused.values()
    return bool(reasons) and all(reason.startswith(troubles) for reason in reasons)


def _pieces(
    units: tuple[Unit, ...],
    halved: bool,
) -> list[tuple[Unit, ...]]:
    """The units as the next tries hold them.

    They are halved where an answer was cut off, or withheld: one unit spoils it for the others.
    """
    if not units:
        return []
    if not halved or len(units) == 1:
        return [units]
    middle = (len(units) + 1) // 2
    return [units[:middle], units[middle:]]


def _given_up(
    item: ObjectType,
    units: Sequence[Unit],
    tries: Tries,
) -> str:
    """What is told of units that were refused again and again."""
    reasons = []
    for unit in units[:3]:
        reason = unit.notes[-1] if unit.notes else "no entry came"
        reasons.append(f"{item.name} {unit.id}: {reason}")
    times = max(tries.of(unit.id) for unit in units)
    told = f"{len(units)} {item.name} texts were refused {times} times ({'; '.join(reasons)})"
    return told + _advice(item, units)


def _advice(item: ObjectType, units: Sequence[Unit]) -> str:
    """What to mend where each text stands already: the lexicon has too few ways to word it."""
    rules = set()
    for unit in units:
        for note in unit.notes[-1:]:
            field, taken, _ = note.partition(": duplicate: ")
            if not taken:
                return ""
            rules.add(f"{item.name}.{field}")
    if not rules:
        return ""
    named = ", ".join(sorted(rules))
    return f"; where a lexicon words them, add more lines to {named}"


def _withheld(
    item: ObjectType,
    unit: Unit,
    entry: LedgerEntry,
) -> str:
    """What is told of a unit that the model won't write."""
    return f"{item.name} {unit.id}: the model won't write it ({entry.refused[unit.id]})"
