"""A quick look: the first few records of each object type.

The words of just those are written, and of what they refer to. All other rows keep stand-in texts,
so a preview is shown and saved as JSON, never as an org.
"""

from collections.abc import Mapping
from itertools import islice

import numpy as np

from latent.registry import LATENT
from pipeline.config import PreparedRun
from pipeline.graph import in_order
from pipeline.plan import stand_in
from pipeline.sample.objects import draw_facts, finish
from pipeline.sql_tables import ColumnValue
from pipeline.store import rows_of
from pipeline.world.org import Org
from pipeline.world.tables import NONE
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork, build_work
from schemas.object_type import ObjectType
from verifiers.material import Entry


async def preview(
    job: PreparedRun, service: WritingService, limit: int
) -> dict[str, list[dict[str, ColumnValue]]]:
    """Object type -> its first `limit` records, whole."""
    facts = await _made(job, None, {})
    org = await _made(job, service, _needed(facts, limit))
    return {item.name: _first(org, item, limit) for item in job.setting.schema.objects}


async def _made(
    job: PreparedRun, service: WritingService | None, needed: Mapping[str, set[int]]
) -> Org:
    """The whole org; `service` writes the words of the needed rows, without it nobody does."""
    org = Org(job.setting)
    for name in in_order(job.setting.schema):
        if name in LATENT:
            org.add(*LATENT[name].draw(org))
            continue
        item = job.setting.schema.object(name)
        facts = draw_facts(org, item)
        words = {}
        if item.written:
            work = build_work(org, item, facts)
            entries = await _entries(service, work, needed.get(name, set()))
            words = work.columns(entries, facts.size)
        org.add(finish(org, item, facts, words))
    return org


async def _entries(
    service: WritingService | None, work: ObjectWork, rows: set[int]
) -> dict[int, Entry]:
    """The written entries of the needed rows, and stand-ins for the others."""
    entries: dict[int, Entry] = {unit.id: stand_in(work.fields, unit) for unit in work.units}
    if service is None:
        return entries
    return entries | await ObjectWriting(service, work.part(rows)).write()


def _needed(org: Org, limit: int) -> dict[str, set[int]]:
    """The first rows of each object type, and all rows that these refer to."""
    schema = org.setting.schema
    needed = {item.name: set(range(limit)) for item in schema.objects}
    # Backwards, so that all rows of an object type that are referred to are known when it is
    # their turn to refer to others.
    for name in reversed(in_order(schema)):
        if name in LATENT:
            continue
        table = org.table(name)
        needed[name] &= set(range(table.size))
        rows = np.array(sorted(needed[name]), dtype=np.int64)
        for column, target in table.references.items():
            values = table[column]
            if values.dtype.kind in "iu" and target in needed:
                needed[target] |= set(values[rows].tolist()) - {NONE}
    return needed


def _first(org: Org, item: ObjectType, limit: int) -> list[dict[str, ColumnValue]]:
    names = [field.name for field in item.fields]
    return [dict(zip(names, row, strict=True)) for row in islice(rows_of(org, item), limit)]
