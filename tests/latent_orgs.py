"""The shoe company's facts at a fifth of its size, drawn once a seed and test process."""

from dataclasses import replace
from functools import cache

import numpy as np

from latent.registry import LATENT
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.graph import in_order
from pipeline.plan import stand_in
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import Table
from pipeline.write.work import build_work

SEEDS = range(10)


@cache
def job() -> PreparedRun:
    """The shoe company at a fifth of its size."""
    return load_job(RunRequest("shoes", scale=0.2))


@cache
def drawn(seed: int, salted: str = "") -> Org:
    """All facts of a seed, words stood in for; `salted` names a node that is drawn anew."""
    return facts_of(replace(job().setting, seed=seed, salts={salted: 1} if salted else {}))


def facts_of(setting: RunContext) -> Org:
    """All facts of a company, words stood in for."""
    org = Org(setting)
    for name in in_order(org.setting.schema):
        if name in LATENT:
            org.add(*LATENT[name].draw(org))
            continue
        item = org.setting.schema.object(name)
        facts = draw_facts(org, item)
        work = build_work(org, item, facts)
        entries = {unit.id: stand_in(work.fields, unit) for unit in work.units}
        org.add(finish(org, item, facts, work.columns(entries, facts.size)))
    return org


def setting_with(**counts: int) -> RunContext:
    """The company with other numbers of records of some object types."""
    setting = job().setting
    return replace(setting, counts={**setting.counts, **counts})


def part_of(org: Org, *replaced: Table, setting: RunContext | None = None) -> Org:
    """The same tables in an org of its own, some of them replaced by others."""
    other = Org(setting or org.setting, dict(org.tables))
    other.add(*replaced)
    return other


def with_columns(table: Table, **columns: "np.ndarray[tuple[int], np.dtype[np.generic]]") -> Table:
    """The same table with other values in some columns."""
    size = len(next(iter(columns.values())))
    return Table(table.name, size, {**table.columns, **columns}, table.references)


def same(table: Table, other: Table) -> bool:
    """Whether two tables hold the same values."""
    if table.columns.keys() != other.columns.keys():
        return False
    for name in table.columns:
        if not np.array_equal(table[name].astype(str), other[name].astype(str)):
            return False
    return True


def limits_of(org: Org) -> dict[tuple[int, str], int]:
    """Day limit by issue and option."""
    listed = org.table("Solution.listed")
    limits = {}
    for issue, option, limit in zip(
        listed["issue"],
        listed["option"],
        listed["limit"],
        strict=True,
    ):
        limits[int(issue), str(option)] = int(limit)
    return limits
