"""One object type's words: lanes side by side, mini-batches of a lane in order, then rounds in
which what is too alike or misread is written again.

The outcome depends on the requests and their answers alone, never on timing.
"""

from collections.abc import Mapping, Sequence

from pipeline.write.batches import Batch, keys_of, noted, write_batch
from pipeline.write.desk import WritingService
from pipeline.write.judging import jury_of, refuse_misread
from pipeline.write.likeness import Known, nearest, refuse_equal_keys, too_like
from pipeline.write.pool import side_by_side, together
from pipeline.write.request import Unit
from pipeline.write.units import Entry, ObjectWork
from schemas.model import ObjectType

ROUNDS, ROUND = 16, 100


async def write_object(
    desk: WritingService, item: ObjectType, work: ObjectWork
) -> dict[int, Entry]:
    """An accepted entry for every unit;
    raises WritingFailed where a unit was refused on every try.
    """
    lanes = sorted(work.lanes, key=len, reverse=True)
    nothing: Entry = {one.name: [] for one in work.fields}
    entries = {unit.id: nothing for unit in work.units}
    await side_by_side(
        lanes, lambda lane: _lane(desk, item, work, lane, entries), desk.writer.at_once
    )
    known: Known = {}
    jury = jury_of(desk, item, work)
    again: dict[int, Unit] = {}
    counts: list[int] = []
    for round_number in range(1, ROUNDS + 1):
        reasons = jury.known(entries) | too_like(item, work, entries, known)
        counts.append(len(reasons))
        if _no_use(counts):
            break
        if not reasons and not (reasons := await jury.misread(entries)):
            break
        again |= {
            unit: noted(again.get(unit, work.unit(unit)), reason)
            for unit, reason in sorted(reasons.items())
        }
        settled = {unit: entry for unit, entry in entries.items() if unit not in reasons}
        rewritten: dict[int, Entry] = {}
        await together(
            _rewrite(
                desk,
                item,
                work,
                entries,
                [again[unit] for unit in sorted(reasons)],
                round_number,
                rewritten,
            ),
            jury.misread(settled),
        )
        entries |= rewritten
    refuse_misread(item, await jury.misread(entries))
    refuse_equal_keys(item, work, entries)
    return entries


def _no_use(counts: Sequence[int]) -> bool:
    """Whether three rounds of rewriting have mended less than a tenth: this writer has no more to
    say, and each round costs.
    """
    return len(counts) > 3 and counts[-1] > 0.9 * counts[-4] and counts[-1] > 10


async def _lane(
    desk: WritingService,
    item: ObjectType,
    work: ObjectWork,
    lane: Sequence[int],
    into: dict[int, Entry],
) -> None:
    earlier: tuple[str, ...] = ()
    for units in work.batches(lane):
        written = await write_batch(
            desk, item, work, Batch(tuple(work.unit(unit) for unit in units), earlier)
        )
        earlier += keys_of(item, written.values())
        into |= written
        desk.progress(item.name, len(units))


async def _rewrite(
    desk: WritingService,
    item: ObjectType,
    work: ObjectWork,
    entries: Mapping[int, Entry],
    units: Sequence[Unit],
    round_number: int,
    into: dict[int, Entry],
) -> None:
    """Units written once more, told what was wrong with their text and which texts are near it; the
    batches need not know of one another.
    """
    by_id = {unit.id: unit for unit in units}
    near = nearest(item, entries, list(by_id), round_number)
    batches = [
        Batch(
            tuple(by_id[unit] for unit in ids),
            tuple(dict.fromkeys(text for unit in ids for text in near.get(unit, ()))),
            attempt=ROUND * round_number,
        )
        for ids in work.batches(list(by_id))
    ]
    written = await side_by_side(
        batches, lambda batch: write_batch(desk, item, work, batch), desk.writer.at_once
    )
    for fresh in written:
        into |= fresh
