"""Running numbers, such as a return's `RO-00000042`: how they go on, and how they are written.

A sampler numbers records by them, and a latent variable whose numbers are told before the records
are drawn finds the same ones. Knows nothing of records.
"""

import numpy as np

from pipeline.world.org import RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array
from schemas.sources import SequenceSource


def running(rng: Stream, source: SequenceSource, size: int) -> Array:
    """The numbers of so many records, in the order of their making."""
    steps = np.ones(size, dtype=np.int64)
    if source.gaps:
        # A geometric step leaves as many numbers out as there are shares of them.
        steps = rng.geometric(1 - source.gaps, size=size)
        steps[:1] = 1
    return np.asarray(source.start - 1 + np.cumsum(steps))


def numbered(setting: RunContext, name: str, field: str, size: int) -> list[str]:
    """The numbers that a field of an object type will have, where its schema numbers them in turn.

    Where it does not, they are empty.
    """
    for item in setting.schema.objects:
        source = next((each.source for each in item.fields if each.name == field), None)
        if item.name == name and isinstance(source, SequenceSource):
            numbers = running(setting.stream(name, field), source, size)
            numbers += setting.numbers_before(name)
            return [source.written(number) for number in numbers.tolist()]
    return [""] * size
