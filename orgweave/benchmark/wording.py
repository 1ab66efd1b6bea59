"""The writer's part: a paraphrase of every seed query, through the same verifiers and ledger as the
org's own words.

A paraphrase must keep every parameter: it is refused until it does. What is quoted (a new case) is
put behind it afterwards, word for word.
"""

import json
from collections.abc import Sequence

from orgweave.benchmark.instance import TASKS, Candidate
from orgweave.benchmark.seeds import Told
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.queries import query_field, query_item
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork
from verifiers.material import Facts, Unit


async def paraphrases(
    service: WritingService, told: Told, task: str, candidates: Sequence[Candidate]
) -> list[str]:
    """A wording of each candidate's seed query, in order; those of one seed are asked together."""
    groups: dict[str, list[int]] = {}
    for at, one in enumerate(candidates):
        groups.setdefault(one.seed, []).append(at)
    texts = [""] * len(candidates)
    for seed, places in sorted(groups.items()):
        written = await _written(service, told, task, seed, [candidates[at] for at in places])
        for at, text in zip(places, written, strict=True):
            texts[at] = text
    return texts


async def _written(
    service: WritingService, told: Told, task: str, seed: str, candidates: Sequence[Candidate]
) -> list[str]:
    item = query_item(task, seed)
    units = tuple(
        Unit(at, _facts(told, task, one), avoid=one.avoid) for at, one in enumerate(candidates)
    )
    work = ObjectWork(
        item=item,
        fields=(query_field(item.name),),
        units=units,
        lanes=(),
        rows=tuple((unit.id,) for unit in units),
    )
    entries = await ObjectWriting(service, work).write_units()
    return [str(entries[unit.id]["Query"]) for unit in units]


def _facts(told: Told, task: str, candidate: Candidate) -> Facts:
    """What the writer is given; a window goes by `period` or `interval`, as the rules call it."""
    slots = dict(candidate.slots)
    if window := slots.pop("window", ""):
        slots["period" if candidate.seed == "named" else "interval"] = window
    return {
        "persona": TASKS[task].persona,
        "seed_query": told.seed_query(task, candidate),
        "must": json.dumps(candidate.must),
        **slots,
    }
