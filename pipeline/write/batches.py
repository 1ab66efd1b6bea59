"""One mini-batch until each of its units has an accepted entry: what is right is kept, only what is
refused or missing is asked again.

A batch whose answer was cut off is halved. Every asking is a request of its own with a key of its
own, so a killed or failed run
goes through the same requests again and finds the answered ones in the ledger.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pipeline.ledger import LedgerEntry
from pipeline.write.desk import WritingService
from pipeline.write.request import Unit, WriteRequest, key_of
from pipeline.write.units import Entry, ObjectWork
from schemas.errors import WritingFailed
from schemas.model import ObjectType

TRIES = 12
LAST_NOTES = 3
SHORT = 80
MISSING = ("format: no entry", "answer ")


@dataclass(frozen=True, slots=True)
class Batch:
    """Units to be asked together, the entries they must not repeat, and how many tries they have
    behind them in this run.
    """

    units: tuple[Unit, ...]
    earlier: tuple[str, ...]
    attempt: int = 0
    asked: int = 0


async def write_batch(
    desk: WritingService, item: ObjectType, work: ObjectWork, batch: Batch
) -> dict[int, Entry]:
    """Accepted entries of all units, in their order; raises WritingFailed where one was refused on
    every try.
    """
    accepted: dict[int, Entry] = {}
    open_batches = [batch]
    while open_batches:
        now = open_batches.pop(0)
        beside = _beside(
            item, work, (accepted[unit.id] for unit in batch.units if unit.id in accepted)
        )
        request = request_of(desk, item, work, replace(now, earlier=(*batch.earlier, *beside)))
        canonical = request.canonical()
        key = key_of(canonical)
        kept, asked = desk.ledger.get(key), now.asked
        if kept is None:
            if asked == TRIES:
                raise _given_up(item, now)
            kept, asked = await desk.ask(request, canonical, key, work), asked + 1
        desk.spent_on(item.name).add(kept)
        accepted |= kept.entries
        rest = _refused(now.units, kept)
        open_batches += [
            Batch(piece, (), now.attempt + 1, asked) for piece in _pieces(rest, kept.cut)
        ]
    return {unit.id: accepted[unit.id] for unit in batch.units}


def request_of(
    desk: WritingService, item: ObjectType, work: ObjectWork, batch: Batch
) -> WriteRequest:
    """The exact request of a batch; its key decides whether it was answered before."""
    setting = desk.setting
    request = WriteRequest(
        object=item.name,
        company=setting.company,
        fields=work.fields,
        units=batch.units,
        earlier=batch.earlier,
        attempt=batch.attempt,
        seed=setting.seed,
        node=setting.salted(item.name),
        model=desk.writer.name,
    )
    return replace(request, parameters=desk.writer.parameters(request))


def keys_of(item: ObjectType, entries: Iterable[Entry]) -> tuple[str, ...]:
    """What of the entries a later prompt is shown: their key fields, not their whole texts."""
    return tuple(str(entry[name]) for entry in entries for name in item.key_fields)


def _beside(item: ObjectType, work: ObjectWork, entries: Iterable[Entry]) -> tuple[str, ...]:
    """What those asked again are shown of their accepted neighbours: key fields, or the first field
    where it is short.
    """
    if item.key_fields:
        return keys_of(item, entries)
    return tuple(
        text
        for entry in entries
        if isinstance(text := entry[work.fields[0].name], str) and len(text) <= SHORT
    )


def noted(unit: Unit, *reasons: str) -> Unit:
    """The unit with the reasons of its last refusals, for the writer to do better."""
    return replace(unit, notes=(*unit.notes, *reasons)[-LAST_NOTES:])


def _refused(units: Sequence[Unit], kept: LedgerEntry) -> tuple[Unit, ...]:
    """The units to ask again; an entry that never came is nobody's fault and leaves no note."""
    return tuple(
        unit if kept.refused[unit.id].startswith(MISSING) else noted(unit, kept.refused[unit.id])
        for unit in units
        if unit.id in kept.refused
    )


def _pieces(units: tuple[Unit, ...], cut: bool) -> list[tuple[Unit, ...]]:
    if cut and len(units) > 1:
        middle = (len(units) + 1) // 2
        return [units[:middle], units[middle:]]
    return [units] if units else []


def _given_up(item: ObjectType, batch: Batch) -> WritingFailed:
    reasons = "; ".join(
        f"{item.name} {unit.id}: {unit.notes[-1] if unit.notes else 'no entry came'}"
        for unit in batch.units[:3]
    )
    return WritingFailed(
        f"{len(batch.units)} {item.name} texts were refused {TRIES} times ({reasons}); what was"
        " accepted is kept, run the same command again, look at `python -m pipeline trace <folder>"
        " --failed`, or use another writer"
    )
