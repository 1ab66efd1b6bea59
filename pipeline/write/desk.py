"""One object type's words: lanes side by side, mini-batches in order, what fails asked again, near-duplicates written again.

The outcome depends on the requests and their answers alone, never on timing. Everything verified goes to the ledger at once.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from pipeline.ledger import Kept, Ledger
from pipeline.org import Setting
from pipeline.write.request import Unit, WriteRequest, WrittenField
from pipeline.write.units import BATCH, Entry, Work
from pipeline.write.verify import verify_answer
from pipeline.write.writer import Writer
from schemas.errors import WritingFailed
from schemas.model import ObjectType
from verifiers.duplicates import Known, exact_repeats, near_repeats

TRIES, ROUNDS = 5, 16
LEAST_WORDS = 5


@dataclass(slots=True)
class Spent:
    """What an object's words took in this run, whether answered now or before: tokens, dollars, accepted and refused texts."""

    requests: int = 0
    accepted: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def add(self, kept: Kept) -> None:
        """Counts a finished mini-batch."""
        self.requests += 1
        self.accepted += len(kept.entries)
        self.refused += len(kept.refused)
        self.tokens_in += kept.tokens_in
        self.tokens_out += kept.tokens_out
        self.cost += kept.cost


@dataclass(frozen=True, slots=True)
class Desk:
    """All that writing needs: the setting, a writer, the ledger, and who wants to know of progress (object, units done)."""

    setting: Setting
    writer: Writer
    ledger: Ledger
    progress: Callable[[str, int], None] = lambda name, done: None
    connections: int = 64
    spent: dict[str, Spent] = field(default_factory=dict)


def write_object(desk: Desk, item: ObjectType, work: Work) -> dict[int, Entry]:
    """An accepted entry for every unit; raises WritingFailed where a unit was refused on every try."""
    try:
        return asyncio.run(_write(desk, item, work))
    except ExceptionGroup as group:
        raise _first(group) from group


def _first(error: Exception) -> Exception:
    """The first error of a group of lanes: the others were stopped because of it."""
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


async def _write(desk: Desk, item: ObjectType, work: Work) -> dict[int, Entry]:
    gate = asyncio.Semaphore(desk.connections)
    async with asyncio.TaskGroup() as group:
        lanes = [group.create_task(_lane(desk, item, work, lane, gate)) for lane in work.lanes]
    nothing: Entry = {one.name: [] for one in work.fields}
    entries = {unit.id: nothing for unit in work.units} | {unit: entry for lane in lanes for unit, entry in lane.result().items()}
    known: Known = {}
    for round_number in range(1, ROUNDS + 1):
        again = _too_like(item, work, entries, known)
        if not again:
            break
        entries |= await _rewrite(desk, item, work, again, round_number, gate)
    _refuse_equal_keys(item, work, entries)
    return entries


async def _lane(desk: Desk, item: ObjectType, work: Work, lane: Sequence[int], gate: asyncio.Semaphore) -> dict[int, Entry]:
    done: dict[int, Entry] = {}
    for start in range(0, len(lane), BATCH):
        units = tuple(work.unit(unit) for unit in lane[start : start + BATCH])
        earlier = tuple(str(entry[name]) for entry in done.values() for name in item.key_fields)
        done |= await _batch(desk, item, work, units, earlier, gate)
        desk.progress(item.name, len(units))
    return done


async def _batch(desk: Desk, item: ObjectType, work: Work, units: tuple[Unit, ...], earlier: tuple[str, ...], gate: asyncio.Semaphore, first: int = 0) -> dict[int, Entry]:
    """A mini-batch until all its units are accepted; valid entries are kept, only the refused are asked again.

    Tries of this run are bounded; those of a run before are gone through without asking, so that a failed run can be gone on with.
    """
    accepted: dict[int, Entry] = {}
    pending, attempt, asked = units, first, 0
    while asked < TRIES:
        request = _request(desk, item, work.fields, pending, earlier, attempt)
        kept = desk.ledger.get(request.key)
        if kept is None:
            kept, asked = await _ask(desk, request, gate, work.roster), asked + 1
        attempt += 1
        desk.spent.setdefault(item.name, Spent()).add(kept)
        accepted |= kept.entries
        pending = tuple(replace(unit, notes=(*unit.notes, kept.refused[unit.id])) for unit in pending if unit.id in kept.refused)
        if not pending:
            return {unit.id: accepted[unit.id] for unit in units}
    reasons = "; ".join(f"{item.name} {unit.id}: {unit.notes[-1]}" for unit in pending[:3])
    raise WritingFailed(f"{len(pending)} of {len(units)} {item.name} texts were refused {TRIES} times ({reasons}); what was accepted is kept, run the same command again or use another writer")


async def _ask(desk: Desk, request: WriteRequest, gate: asyncio.Semaphore, roster: AbstractSet[str]) -> Kept:
    async with gate:
        started = time.monotonic()
        answer = await desk.writer.write(request)
    verdicts = verify_answer(request, answer.entries, desk.setting.schema.beats or {}, roster)
    kept = Kept(
        entries={unit: entry for unit, (_, entry) in verdicts.items() if entry is not None},
        refused={unit: f"{verdict.path}: {verdict.reason}".lstrip(": ") for unit, (verdict, entry) in verdicts.items() if entry is None},
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        seconds=time.monotonic() - started,
    )
    desk.ledger.put(request.key, request.object, request.canonical(), kept, desk.writer.name)
    return kept


def _request(desk: Desk, item: ObjectType, fields: tuple[WrittenField, ...], units: tuple[Unit, ...], earlier: tuple[str, ...], attempt: int) -> WriteRequest:
    setting, profile = desk.setting, desk.setting.profile
    return WriteRequest(
        object=item.name,
        company={"company": profile.name, "industry": profile.industry, "description": profile.description},
        fields=fields,
        units=units,
        earlier=earlier,
        attempt=attempt,
        seed=setting.seed,
        node=setting.salted(item.name),
        model=desk.writer.name,
    )


async def _rewrite(desk: Desk, item: ObjectType, work: Work, again: Mapping[int, str], round_number: int, gate: asyncio.Semaphore) -> dict[int, Entry]:
    """Units that were too like an earlier one, told what they must not be like."""
    units = [replace(work.unit(unit), notes=(f"too like an earlier text: {text[:300]}",)) for unit, text in sorted(again.items())]
    entries: dict[int, Entry] = {}
    for start in range(0, len(units), BATCH):
        entries |= await _batch(desk, item, work, tuple(units[start : start + BATCH]), (), gate, first=round_number * TRIES)
    return entries


def _too_like(item: ObjectType, work: Work, entries: Mapping[int, Entry], known: Known) -> dict[int, str]:
    """Units whose text equals, or nearly equals, an earlier unit's, with that earlier text."""
    again: dict[int, str] = {}
    for one in item.written:
        owners, texts = _compared(work, entries, one.name, bool(one.written and one.written.render), one.unique)
        for at, before in near_repeats(texts, known=known).items():
            again.setdefault(owners[at], texts[before])
    return again


def _compared(work: Work, entries: Mapping[int, Entry], name: str, whole: bool, unique: bool) -> tuple[list[int], list[str]]:
    """Texts worth comparing, of five words or more (or of a unique field), in canonical order, and whose they are."""
    rows = [(unit.id, text) for unit in work.units for text in _texts(entries[unit.id][name], whole)]
    rows = [row for row in rows if unique or len(row[1].split()) >= LEAST_WORDS]
    return [row[0] for row in rows], [row[1] for row in rows]


def _texts(value: object, whole: bool) -> Iterator[str]:
    if isinstance(value, list | tuple):
        yield from (" ".join(str(text) for text in value),) if whole else (str(text) for text in value)
    else:
        yield str(value)


def _refuse_equal_keys(item: ObjectType, work: Work, entries: Mapping[int, Entry]) -> None:
    for one in item.written:
        if one.unique and (repeats := exact_repeats([str(entries[unit.id][one.name]) for unit in work.units])):
            text = entries[work.units[repeats[0]].id][one.name]
            raise WritingFailed(f"{item.name}.{one.name} must be unique, but {len(repeats)} texts stand twice after {ROUNDS} rounds, such as {text!r}; widen the lexicon or use another writer")
