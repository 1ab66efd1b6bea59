"""The facts of the companies that are no shops, at a fifth of their size, drawn once a process."""

from functools import cache

from latent.registry import LATENT
from pipeline.config import RunRequest, load_job
from pipeline.graph import in_order
from pipeline.plan import stand_in
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.write.work import build_work


@cache
def drawn_company(name: str, scale: float = 0.2) -> Org:
    """All facts of a company at a share of its size, its words stood in for."""
    org = Org(load_job(RunRequest(name, scale=scale)).setting)
    for node in in_order(org.setting.schema):
        if node in LATENT:
            org.add(*LATENT[node].draw(org))
            continue
        item = org.setting.schema.object(node)
        facts = draw_facts(org, item)
        work = build_work(org, item, facts)
        entries = {unit.id: stand_in(work.fields, unit) for unit in work.units}
        org.add(finish(org, item, facts, work.columns(entries, facts.size)))
    return org
