"""A second reader for the tasks whose truth lies in texts: a judge sees the org's text and some
choices, and must choose the instance's answer.

Without a judge nothing is asked: the rules of the content verifier stand alone.
"""

from collections.abc import Mapping, Sequence

from orgweave.benchmark.instance import Candidate
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.task import JudgeReading, TaskSources
from pipeline.write.judging import batches_of
from pipeline.write.pool import side_by_side
from pipeline.write.questions import JudgeItem
from pipeline.write.service import WritingService

MISREAD = "the judge reads another answer in the org's text"


async def misread(
    service: WritingService,
    sources: TaskSources,
    name: str,
    candidates: Sequence[Candidate],
) -> set[int]:
    """The places of candidates in which a judge reads something else; none where there is no judge,
    or it is out of reach.
    """
    judge = service.judge
    if judge is None:
        return set()
    readings = _readings(sources, name, candidates)
    items = [
        JudgeItem(place, reading.text, (reading.question,)) for place, reading in readings.items()
    ]
    batches = list(batches_of(f"TaskQuery {name}", items, judge.name, judge.prompt))
    wrong = set()
    for ruling in await side_by_side(batches, service.ruling, service.writer.at_once):
        chosen = ruling.chosen if ruling is not None else {}
        for place, choices in chosen.items():
            if list(choices) != [readings[place].right]:
                wrong.add(place)
    return wrong


def _readings(
    sources: TaskSources,
    name: str,
    candidates: Sequence[Candidate],
) -> Mapping[int, JudgeReading]:
    """What is asked about each candidate, by its place."""
    read = TASKS[name].judge_reading
    readings: dict[int, JudgeReading] = {}
    if read is None:
        return readings
    for place, candidate in enumerate(candidates):
        reading = read(sources, candidate, candidates)
        if reading is not None:
            readings[place] = reading
    return readings
