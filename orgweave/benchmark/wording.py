"""The writer's part: a paraphrase of every seed query, through the same verifiers and ledger as the
org's own words.

A paraphrase must keep every parameter: it is refused until it does. What is quoted (a new case) is
put behind it afterwards, word for word.
"""

import json
from collections import Counter
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
    groups: Sequence[int],
) -> list[str]:
    """A wording of each candidate's seed query, in order; `groups` says who are twins.

    Those of one seed are asked together. Twins are worded alike, one after the other: worded by
    chance, a few words that happen to stand in more questions without an answer would tell them.
    """
    texts = [""] * len(candidates)
    for seed, sets in sorted(_apart(candidates, groups).items()):
        twins: dict[int, str] = {}
        for places in sets:
            units = []
            for place in places:
                facts = _facts(name, candidates[place], twins.get(groups[place], ""))
                units.append(Unit(groups[place], facts, avoid=candidates[place].avoid))
            written = await _written(service, name, seed, units)
            for place in places:
                texts[place] = twins[groups[place]] = written[groups[place]]
    return texts


def _apart(
    candidates: Sequence[Candidate],
    groups: Sequence[int],
) -> dict[str, list[list[int]]]:
    """The places of each seed's candidates, in sets in which no group stands twice.

    All sets go by the groups' numbers: a writer keeps a question unlike those around it, and so
    twins have twins around them.
    """
    apart: dict[str, list[list[int]]] = {}
    so_far: Counter[tuple[str, int]] = Counter()
    for place in sorted(range(len(groups)), key=lambda place: groups[place]):
        seed, group = candidates[place].seed, groups[place]
        sets = apart.setdefault(seed, [])
        number = so_far[seed, group]
        so_far[seed, group] += 1
        if number == len(sets):
            sets.append([])
        sets[number].append(place)
    return apart


def with_case(text: str, parameters: Parameters) -> str:
    """The query with the new case behind it, word for word, where it is about one."""
    if "subject" not in parameters:
        return text
    return f"{text}\n\nSubject: {parameters['subject']}\nDescription: {parameters['description']}"


async def _written(
    service: WritingService,
    name: str,
    seed: str,
    units: Sequence[Unit],
) -> dict[int, str]:
    """The queries of one seed by their units' ids.

    A unit's id decides how the embedded writer words it, and twins have the id of their group.
    """
    item = query_item(name, seed)
    work = ObjectWork(
        item=item,
        fields=(query_field(item.name),),
        units=tuple(units),
        lanes=(),
        rows=tuple((unit.id,) for unit in units),
    )
    entries = await ObjectWriting(service, work).write_units()
    return {number: str(entry["Query"]) for number, entry in entries.items()}


def _facts(name: str, candidate: Candidate, twin: str) -> Facts:
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
        "twin": twin,
        **slots,
    }
