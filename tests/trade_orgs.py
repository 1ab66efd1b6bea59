"""The facts of the companies that are no shops, at a fifth of their size, drawn once a process."""

from functools import cache

from latent.registry import LATENT
from pipeline.config import RunRequest, load_job
from pipeline.graph import in_order
from pipeline.plan import stand_in
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.world.tables import Table
from pipeline.write.work import build_work


@cache
def drawn_company(name: str, scale: float = 0.2) -> Org:
    """All facts of a company at a share of its size, its words stood in for."""
    org = Org(load_job(RunRequest(name, scale=scale)).setting)
    for node in in_order(org.setting.schema):
        org.add(*drawn_node(org, node))
    return org


def drawn_node(org: Org, node: str) -> tuple[Table, ...]:
    """A node's tables, drawn from what an org holds, its words stood in for."""
    if node in LATENT:
        return LATENT[node].draw(org)
    item = org.setting.schema.object(node)
    facts = draw_facts(org, item)
    work = build_work(org, item, facts)
    entries = {unit.id: stand_in(work.fields, unit) for unit in work.units}
    return (finish(org, item, facts, work.columns(entries, facts.size)),)
