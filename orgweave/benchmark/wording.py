"""The writer's part: a paraphrase of every seed query, through the same verifiers and ledger as the
org's own words.

A paraphrase must keep every parameter: it is refused until it does. What is quoted (a new case) is
put behind it afterwards, word for word.
"""

import json
from collections.abc import Sequence

from orgweave.benchmark.instance import Candidate, Parameters
from orgweave.benchmark.registry import TASKS
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.queries import query_field, query_item
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork
from verifiers.material import Facts, Unit


async def paraphrases(
    service: WritingService,
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
        written = await _written(service, name, seed, group)
        for place, text in zip(places, written, strict=True):
            texts[place] = text
    return texts


def with_case(text: str, parameters: Parameters) -> str:
    """The query with the new case behind it, word for word, where it is about one."""
    if "subject" not in parameters:
        return text
    return f"{text}\n\nSubject: {parameters['subject']}\nDescription: {parameters['description']}"


async def _written(
    service: WritingService,
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
    work = ObjectWork(
        item=item,
        fields=(query_field(item.name),),
        units=tuple(units),
        lanes=(),
        rows=tuple((unit.id,) for unit in units),
    )
    entries = await ObjectWriting(service, work).write_units()
    return [str(entries[unit.id]["Query"]) for unit in units]


def _facts(name: str, candidate: Candidate) -> Facts:
    """What the writer is given; a window goes by `period` or `interval`, as the rules call it."""
    task = TASKS[name]
    slots = dict(candidate.slots)
    window = slots.pop("window", "")
    if window:
        slots["period" if candidate.seed.endswith("named") else "interval"] = window
    return {
        "persona": task.persona,
        "seed_query": task.texts.seed_query(candidate),
        "must": json.dumps(candidate.must),
        **slots,
    }
