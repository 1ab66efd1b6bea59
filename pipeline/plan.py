"""What a run will do, before it does it: nodes in order, counts, calls, lanes, tokens, money.

Facts are drawn, for they cost little; in place of words stand texts of their usual length. Those of
a large run are drawn for two small ones, and everything is told on the line through both. Prompts
are counted from the real requests, answers from the usual length of each field's texts. No writer
is called and nothing is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from latent.registry import LATENT
from pipeline.config import PreparedRun, at_scale
from pipeline.graph import build_graph, in_order
from pipeline.model.judge import TOKENS_A_TEXT
from pipeline.model.prices import Price
from pipeline.model.tokens import count_messages
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.write.judging import batches_of, chosen_units
from pipeline.write.prompt import Prompts, check_prompts, judge_messages, load_prompts, messages
from pipeline.write.questions import JudgeBatch, questions_of
from pipeline.write.request import WriteRequest
from pipeline.write.senses import senses_of
from pipeline.write.work import LANE, ObjectWork, build_work
from schemas.capacity import records
from schemas.country import Country
from schemas.object_type import ObjectType
from verifiers.material import Unit, WrittenField

WORD = "word "
# WORD is one token, and the words that a model writes are somewhat more than one each.
WORDIER = 1.15
# Up to so many records asked for are drawn whole: three times the shoe company take some seconds.
DRAWN_WHOLE = 50_000
# The scales whose plans tell that of a larger one: far apart, so that chance weighs little (shoes
# and bank at scale 1 are told within a twelfth), and small, since both are waited for.
SMALL = (0.05, 0.2)
# Of the larger one's prompts so many are counted once: those of an object type are of one length.
# Lanes have two mini-batches, and both kinds get their turn.
PROMPTS_ALIKE = 3


def english_words(country: Country) -> str:
    """What is told of the embedded writer's language in a country of another one; "" elsewhere."""
    language = country.language
    if language.is_english:
        return ""
    return (
        "the embedded writer writes English; people, places, prices and days are those of the"
        f" profile's locale, and with --model NAME the words are {language.name}, too"
    )


@dataclass(frozen=True, slots=True)
class PlanCosting:
    """What a plan must know of the model, to count its tokens and price them.

    `prompts` are the templates. `judge_share` is the share of the mini-batches judged beside those
    that tasks depend on; None means that nothing is judged. The prices are the writer's and the
    judge's.
    """

    prompts: Prompts
    judge_share: float | None = None
    price: Price = Price(0.0, 0.0, known=False)
    judge_price: Price = Price(0.0, 0.0, known=False)


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node: an object type with its records, or a latent variable with its hidden rows.

    `papers_tokens_in` is what the prompts would take if each showed all earlier entries of its
    object (CRMArena, section 3.3).
    """

    name: str
    kind: str
    reads: tuple[str, ...]
    records: int
    sampled: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    units: int = 0
    mini_batches: int = 0
    lanes: int = 0
    longest_lane: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    papers_tokens_in: int = 0
    judge_calls: int = 0
    judge_tokens_in: int = 0
    judge_tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """All nodes in the order in which they are made, and what their tokens cost.

    `estimated` says that the figures are told from two small plans.
    `language` says what there is to say of the words' language, "" where all is English.
    """

    company: str
    nodes: tuple[PlanNode, ...]
    price: Price
    judge_price: Price
    estimated: bool = False
    language: str = ""

    @property
    def mini_batches(self) -> int:
        """All mini-batches of the run."""
        return sum(node.mini_batches for node in self.nodes)

    @property
    def tokens(self) -> int:
        """All tokens of the run, prompts and answers, the writer's and the judge's."""
        tokens = 0
        for node in self.nodes:
            tokens += node.tokens_in + node.tokens_out
            tokens += node.judge_tokens_in + node.judge_tokens_out
        return tokens

    @property
    def cost(self) -> float:
        """Dollars for all of them; 0 where no price is known."""
        dollars = 0.0
        for node in self.nodes:
            dollars += self.price.of(node.tokens_in, node.tokens_out)
            dollars += self.judge_price.of(node.judge_tokens_in, node.judge_tokens_out)
        return dollars


def make_plan(
    job: PreparedRun, costing: PlanCosting | None = None, whole: int = DRAWN_WHOLE
) -> Plan:
    """The plan of a run; where more than `whole` records are asked for, from two small ones.

    Raises BadInput or SchemaError as the run itself would, before a word is written.
    """
    costing = costing or PlanCosting(load_prompts())
    if job.ask.scale <= max(SMALL) or sum(job.setting.counts.values()) <= whole:
        return _drawn_plan(job, costing)
    # The small plans' prompts are of one length: some are counted in one of them.
    less = _drawn_plan(at_scale(job, min(SMALL)), costing, alike=None)
    more = _drawn_plan(at_scale(job, max(SMALL)), costing, alike=PROMPTS_ALIKE)
    nodes = []
    for few, many in zip(less.nodes, more.nodes, strict=True):
        nodes.append(_grown(job, few, many))
    return replace(more, nodes=tuple(nodes), estimated=True)


def _grown(job: PreparedRun, few: PlanNode, many: PlanNode) -> PlanNode:
    """A node at the size that is asked for, on the line through what it is at the small ones."""
    less, more = SMALL
    beyond = (job.ask.scale - more) / (more - less)
    numbers: dict[str, Any] = {}
    for field in fields(PlanNode):
        small = getattr(few, field.name)
        large = getattr(many, field.name)
        if isinstance(large, int):
            numbers[field.name] = max(round(large + (large - small) * beyond), 0)
    numbers["longest_lane"] = max(few.longest_lane, many.longest_lane)
    numbers["tokens_in"] = round(many.tokens_in * _share(numbers, many, "mini_batches"))
    # Each mini-batch but the first would show what all before it hold: that grows with the square.
    shown = numbers["tokens_out"] * max(numbers["mini_batches"] - 1, 0) // 2
    numbers["papers_tokens_in"] = numbers["tokens_in"] + shown
    schema = job.setting.schema
    if schema.has(many.name):
        known = records(schema, job.setting.counts, schema.object(many.name))
        numbers["records"] = numbers["records"] if known is None else known
    return replace(many, **numbers)


def _share(numbers: Mapping[str, int], node: PlanNode, name: str) -> float:
    """How many times as many of something there are in these numbers as in a node."""
    number: int = getattr(node, name)
    return numbers[name] / number if number else 0.0


def _drawn_plan(job: PreparedRun, costing: PlanCosting, alike: int | None = 1) -> Plan:
    """The plan of a run whose facts are all drawn.

    Of so many prompts `alike` the first is counted; with None none is, and prompts have no tokens.
    """
    schema = job.setting.schema
    check_prompts(costing.prompts, [item.name for item in schema.objects])
    org = Org(job.setting)
    graph = build_graph(schema)
    nodes = []
    for name in in_order(schema):
        reads = tuple(sorted(graph[name]))
        if name in LATENT:
            nodes.append(_latent_node(org, name, reads))
        else:
            nodes.append(_object_node(job, org, schema.object(name), reads, costing, alike))
    told = english_words(job.setting.country)
    name = job.setting.profile.name
    return Plan(name, tuple(nodes), costing.price, costing.judge_price, language=told)


def _latent_node(org: Org, name: str, reads: tuple[str, ...]) -> PlanNode:
    tables = LATENT[name].draw(org)
    org.add(*tables)
    rows = sum(table.size for table in tables)
    sampled = tuple(table.name.split(".")[1] for table in tables)
    return PlanNode(name, "latent", reads, rows, sampled=sampled)


def _object_node(
    job: PreparedRun,
    org: Org,
    item: ObjectType,
    reads: tuple[str, ...],
    costing: PlanCosting,
    alike: int | None,
) -> PlanNode:
    facts = draw_facts(org, item)
    sampled = tuple(field.name for field in item.fields if not field.written)
    if not item.written:
        org.add(finish(org, item, facts, {}))
        return PlanNode(item.name, "object", reads, facts.size, sampled)
    work = build_work(org, item, facts).shorter_lanes(LANE)
    # They are gone through some times, and are few.
    work = replace(work, units=tuple(work.units))
    stand_ins = {unit.id: stand_in(work.fields, unit) for unit in work.units}
    org.add(finish(org, item, facts, work.columns(stand_ins, facts.size)))
    answers = [work.usual_tokens(ids) for ids in work.lane_batches()]
    tokens_in = _prompt_tokens(job, work, costing, alike) if alike else 0
    batches = list(_judged(job, work, costing))
    judged = [count_messages(judge_messages(batch, costing.prompts)) for batch in batches]
    return PlanNode(
        item.name,
        "object",
        reads,
        facts.size,
        sampled,
        tuple(field.name for field in work.fields),
        units=sum(len(lane) for lane in work.lanes),
        mini_batches=len(answers),
        lanes=len(work.lanes),
        longest_lane=max((len(list(work.batches(lane))) for lane in work.lanes), default=0),
        tokens_in=tokens_in,
        tokens_out=sum(answers),
        papers_tokens_in=tokens_in + sum(_shown_before(answers)),
        judge_calls=len(judged),
        judge_tokens_in=sum(judged),
        judge_tokens_out=sum(TOKENS_A_TEXT // 2 * len(batch.items) for batch in batches),
    )


def _prompt_tokens(job: PreparedRun, work: ObjectWork, costing: PlanCosting, alike: int) -> int:
    """The tokens of all mini-batches' prompts; of so many that are alike the first is counted."""
    beats = job.setting.schema.beats or {}
    senses = senses_of(job.lexicon)
    requests = list(_requests(job, work))
    counted = [
        count_messages(messages(request, beats, costing.prompts, senses))
        for request in requests[::alike]
    ]
    return round(sum(counted) * len(requests) / max(len(counted), 1))


def _shown_before(answers: list[int]) -> Iterator[int]:
    """For each mini-batch the tokens of all answers before it, which the paper shows in it."""
    before = 0
    for tokens in answers:
        yield before
        before += tokens


def _requests(job: PreparedRun, work: ObjectWork) -> Iterator[WriteRequest]:
    """The requests of a run in which each answer is right at once."""
    item = work.item
    key = " ".join(WORD * field.words for field in work.fields if field.name in item.key_fields)
    for lane in work.lanes:
        before = 0
        for ids in work.batches(lane):
            yield WriteRequest(
                item.name,
                job.setting.company,
                work.fields,
                work.units_of(ids),
                (key,) * before if key else (),
            )
            before += len(ids)


def _judged(job: PreparedRun, work: ObjectWork, costing: PlanCosting) -> Iterator[JudgeBatch]:
    """What the judge would be asked, with texts of the usual length for the written ones."""
    chosen = chosen_units(work, job.setting.seed, costing.judge_share)
    if not chosen:
        return
    questions = questions_of(work, job.setting.seed)
    items = []
    for number in chosen:
        unit = work.unit(number)
        item = questions.item(unit, _wordy(work.fields, unit))
        if item is not None:
            items.append(item)
    yield from batches_of(work.item.name, items, judge="", prompt="")


def _wordy(fields: tuple[WrittenField, ...], unit: Unit) -> dict[str, object]:
    """Texts with as many words as such texts usually have."""
    texts = {field.name: WORD * round(field.words * WORDIER) for field in fields}
    return _in_parts(texts, unit)


def stand_in(fields: tuple[WrittenField, ...], unit: Unit) -> dict[str, object]:
    """Texts that nobody will see, different for each unit: `Product2 Name 17 …`."""
    texts = {}
    for field in fields:
        texts[field.name] = f"{field.name} {unit.id} " + WORD * max(field.words - 2, 0)
    return _in_parts(texts, unit)


def _in_parts(texts: dict[str, str], unit: Unit) -> dict[str, object]:
    """The texts as the unit has them: one each, or one for each part that is to be written."""
    if not unit.parts:
        return dict(texts)
    return {name: [text] * len(unit.open_parts) for name, text in texts.items()}
