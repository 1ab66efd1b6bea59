"""The writer's part: a paraphrase of every seed query, through the same verifiers and ledger as the
org's own words.

A paraphrase must keep every parameter: it is refused until it does. What is quoted (a new case) is
put behind it afterwards, word for word.
"""

import json
from collections.abc import Sequence

from orgweave.benchmark.instance import Candidate, Parameters
from orgweave.benchmark.registry import TASKS
from pipeline.write.batches import Batch, write_batch
from pipeline.write.desk import WritingService
from pipeline.write.pool import side_by_side
from pipeline.write.queries import query_field, query_item
from pipeline.write.request import Facts, Unit
from pipeline.write.units import ObjectWork


async def paraphrases(
    desk: WritingService,
    name: str,
    candidates: Sequence[Candidate],
) -> list[str]:
    """A wording of each candidate's seed query, in order; those of one seed are asked together."""
    groups: dict[str, list[int]] = {}
    for place, candidate in enumerate(candidates):
        groups.setdefault(candidate.seed, []).append(place)
    texts = [""] * len(candidates)
    for seed, places in sorted(groups.items()):
        group = [candidates[place] for place in places]
        written = await _written(desk, name, seed, group)
        for place, text in zip(places, written, strict=True):
            texts[place] = text
    return texts


def with_case(text: str, parameters: Parameters) -> str:
    """The query with the new case behind it, word for word, where it is about one."""
    if "subject" not in parameters:
        return text
    return f"{text}\n\nSubject: {parameters['subject']}\nDescription: {parameters['description']}"


async def _written(
    desk: WritingService,
    name: str,
    seed: str,
    candidates: Sequence[Candidate],
) -> list[str]:
    item = query_item(name, seed)
    units = []
    for place, candidate in enumerate(candidates):
        units.append(
            Unit(
                place,
                _facts(name, candidate),
                avoid=candidate.avoid,
            )
        )
    lanes = tuple((unit.id,) for unit in units)
    work = ObjectWork((query_field(item.name),), tuple(units), (), lanes)
    batches = []
    for ids in work.batches([unit.id for unit in units]):
        batches.append(Batch(tuple(work.unit(unit) for unit in ids), ()))
    written = await side_by_side(
        batches, lambda batch: write_batch(desk, item, work, batch), desk.writer.at_once
    )
    queries: dict[int, str] = {}
    for entries in written:
        for unit, entry in entries.items():
            queries[unit] = str(entry["Query"])
    return [queries[unit.id] for unit in units]


def _facts(name: str, candidate: Candidate) -> Facts:
    """What the writer is given; a window goes by `period` or `interval`, as the rules call it."""
    task = TASKS[name]
    slots = dict(candidate.slots)
    window = slots.pop("window", "")
    if window:
        slots["period" if candidate.seed == "named" else "interval"] = window
    return {
        "persona": task.persona,
        "seed_query": task.texts.seed_query(candidate),
        "must": json.dumps(candidate.must),
        **slots,
    }
