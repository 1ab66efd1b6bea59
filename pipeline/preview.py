"""A quick look: the first few records of each object type, with the words of just those and of what
they refer to.

Rows that nobody looks at keep stand-in texts, so a preview is shown and saved as JSON, never as an
org.
"""

from collections.abc import Mapping

import numpy as np

from latent.registry import LATENT
from pipeline.config import PreparedRun
from pipeline.graph import in_order
from pipeline.plan import stand_in
from pipeline.sample.objects import draw_facts, finish
from pipeline.store import ColumnValue, rows_of
from pipeline.world.org import Org
from pipeline.world.tables import NONE
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import build_work
from schemas.model import ObjectType
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
    org = Org(job.setting)
    for name in in_order(job.setting.schema):
        if name in LATENT:
            org.add(*LATENT[name].draw(org))
            continue
        item = job.setting.schema.object(name)
        drawn = draw_facts(org, item)
        words = {}
        if item.written:
            work = build_work(org, item, drawn)
            entries: dict[int, Entry] = {
                unit.id: stand_in(work.fields, unit) for unit in work.units
            }
            if service is not None:
                part = work.part(needed.get(name, set()))
                entries |= await ObjectWriting(service, part).write()
            words = work.columns(entries, drawn.size)
        org.add(finish(org, item, drawn, words))
    return org


def _needed(org: Org, limit: int) -> dict[str, set[int]]:
    """The first rows of each object type and, along references,
    every row that they are made from.
    """
    needed = {
        item.name: set(range(min(limit, org.table(item.name).size)))
        for item in org.setting.schema.objects
    }
    for item in reversed(
        [
            org.setting.schema.object(name)
            for name in in_order(org.setting.schema)
            if name not in LATENT
        ]
    ):
        at, rows = org.table(item.name), np.array(sorted(needed[item.name]), dtype=np.int64)
        for column, target in at.references.items():
            if at[column].dtype.kind in "iu" and target in needed:
                needed[target] |= {int(row) for row in at[column][rows] if row != NONE}
    return needed


def _first(org: Org, item: ObjectType, limit: int) -> list[dict[str, ColumnValue]]:
    names = [field.name for field in item.fields]
    return [
        dict(zip(names, row, strict=True))
        for row, _ in zip(rows_of(org, item), range(limit), strict=False)
    ]
