"""What a run will do, before it does it: the DAG in order, counts, what is sampled and what is written, mini-batches, lanes, tokens.

Facts are drawn (they cost nothing), words are stood in for by texts of their usual length; no writer is called and nothing is kept.
Tokens are estimated at four characters each, prompts from the real requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from latent.registry import LATENT
from pipeline.config import Job
from pipeline.graph import build_graph, in_order
from pipeline.org import Org
from pipeline.sample.objects import draw_facts, finish
from pipeline.write.prompt import messages
from pipeline.write.request import Unit, WriteRequest, WrittenField
from pipeline.write.units import BATCH, Work, build_work, words_from
from schemas.model import ObjectType

CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node: an object type with its records, fields and writing, or a latent variable with its hidden rows."""

    name: str
    kind: str
    reads: tuple[str, ...]
    records: int
    sampled: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    units: int = 0
    mini_batches: int = 0
    lanes: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """All nodes in the order in which they are made."""

    company: str
    nodes: tuple[PlanNode, ...]

    @property
    def mini_batches(self) -> int:
        """All mini-batches of the run."""
        return sum(node.mini_batches for node in self.nodes)


def make_plan(job: Job) -> Plan:
    """The plan of a job; raises BadInput or SchemaError as the run itself would, before a word is written."""
    org, graph = Org(job.setting), build_graph(job.setting.schema)
    nodes = []
    for name in in_order(job.setting.schema):
        reads = tuple(sorted(graph.predecessors(name)))
        if name in LATENT:
            tables = LATENT[name].draw(org)
            org.add(*tables)
            nodes.append(PlanNode(name, "latent", reads, sum(made.size for made in tables), sampled=tuple(made.name.split(".")[1] for made in tables)))
        else:
            nodes.append(_object_node(job, org, job.setting.schema.object(name), reads))
    return Plan(job.setting.profile.name, tuple(nodes))


def _object_node(job: Job, org: Org, item: ObjectType, reads: tuple[str, ...]) -> PlanNode:
    facts = draw_facts(org, item)
    sampled = tuple(field.name for field in item.fields if not field.written)
    if not item.written:
        org.add(finish(org, item, facts, {}))
        return PlanNode(item.name, "object", reads, facts.size, sampled)
    work = build_work(org, item, facts)
    requests = list(_requests(job, item, work))
    stand_ins = {unit.id: stand_in(work.fields, unit) for unit in work.units}
    org.add(finish(org, item, facts, words_from(item, work, stand_ins, facts.size)))
    beats = job.setting.schema.beats or {}
    return PlanNode(
        item.name,
        "object",
        reads,
        facts.size,
        sampled,
        tuple(field.name for field in work.fields),
        units=sum(len(lane) for lane in work.lanes),
        mini_batches=len(requests),
        lanes=len(work.lanes),
        tokens_in=sum(len(message["content"]) for request in requests for message in messages(request, beats)) // CHARACTERS_A_TOKEN,
        tokens_out=sum(_length(work.fields, work.units[unit]) for lane in work.lanes for unit in lane) // CHARACTERS_A_TOKEN,
    )


def _requests(job: Job, item: ObjectType, work: Work) -> Iterator[WriteRequest]:
    profile = job.setting.profile
    company = {"company": profile.name, "industry": profile.industry, "description": profile.description}
    for lane in work.lanes:
        for start in range(0, len(lane), BATCH):
            units = tuple(work.units[unit] for unit in lane[start : start + BATCH])
            earlier = tuple("x" * 24 for _ in lane[:start]) if item.key_fields else ()
            yield WriteRequest(item.name, company, work.fields, units, earlier)


def stand_in(fields: tuple[WrittenField, ...], unit: Unit) -> dict[str, object]:
    """Texts of the usual length that nobody will see: `Product2 Name 17 …`."""
    texts = {field.name: f"{field.name} {unit.id} " + "word " * max(field.words - 2, 0) for field in fields}
    return {name: [text] * len(unit.open_parts) if unit.parts else text for name, text in texts.items()}


def _length(fields: tuple[WrittenField, ...], unit: Unit) -> int:
    pieces = len(unit.open_parts) if unit.parts else 1
    return sum((field.words * 6 + len(field.name) + 8) * pieces for field in fields) + 20
