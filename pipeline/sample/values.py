"""Samplers that need nothing but a stream: choice, range, distribution, sequence, pattern,
constant, id.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from pipeline.sample.draw import Draw
from pipeline.world.ids import make_ids
from pipeline.world.paths import along
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings
from schemas.capacity import ALPHABETS
from schemas.errors import SchemaError
from schemas.sources import (
    ChoiceSource,
    ConstantSource,
    DistributionSource,
    PatternSource,
    RangeSource,
    SequenceSource,
)


def draw_id(draw: Draw) -> Array:
    """Ids in running order."""
    return make_ids(draw.item.key_prefix, draw.size)


def draw_choice(draw: Draw) -> Array:
    """One of the values, evenly or by weight."""
    choice = cast(ChoiceSource, draw.source).choice
    values = list(dict.fromkeys(choice) if draw.field.unique else choice)
    weights = np.array(list(choice.values()) if isinstance(choice, dict) else [1.0] * len(values))
    picked = draw.stream().choice(
        len(values), size=draw.size, replace=not draw.field.unique, p=weights / weights.sum()
    )
    return _array(values)[picked]


def draw_range(draw: Draw) -> Array:
    """Evenly between the bounds, both included: whole numbers, numbers with two places, dates or
    datetimes.
    """
    source = cast(RangeSource, draw.source)
    if draw.field.format in ("date", "date-time"):
        return _dates(draw, source)
    low, high = (float(cast(float, bound)) for bound in source.range)
    if draw.field.type == "integer":
        return (
            _apart(draw, int(low), int(high))
            if draw.field.unique
            else draw.stream().integers(int(low), int(high) + 1, size=draw.size)
        )
    return (
        _apart(draw, round(low * 100), round(high * 100)) / 100
        if draw.field.unique
        else np.round(draw.stream().uniform(low, high, size=draw.size), 2)
    )


def _apart(draw: Draw, low: int, high: int) -> Array:
    """Whole numbers within both bounds, none twice."""
    return low + draw.stream().choice(high - low + 1, size=draw.size, replace=False)


def _dates(draw: Draw, source: RangeSource) -> Array:
    unit = "D" if draw.field.format == "date" else "s"
    low, high = (
        np.full(draw.size, _bound(draw, bound), dtype=f"datetime64[{unit}]").astype(np.int64)
        for bound in source.range
    )
    if draw.field.unique and not source.after and draw.size:
        return _apart(draw, int(low[0]), int(high[0])).astype(f"datetime64[{unit}]")
    if source.after:
        after = (
            along(draw.org, draw.at, source.after).astype(f"datetime64[{unit}]").astype(np.int64)
        )
        low = np.minimum(np.maximum(low, after), high)
    return draw.stream().integers(low, high + 1).astype(f"datetime64[{unit}]")


def _bound(draw: Draw, bound: object) -> np.datetime64:
    if bound == "period.start":
        return draw.org.setting.first_day
    if bound == "period.end":
        return draw.org.setting.last_day
    return np.datetime64(str(bound))


def draw_distribution(draw: Draw) -> Array:
    """A numpy distribution, clipped, rounded to whole numbers or two places by the field's type."""
    source = cast(DistributionSource, draw.source)
    try:
        values = getattr(draw.stream(), source.distribution)(*source.args, size=draw.size)
    except (TypeError, ValueError) as error:
        where = f"{draw.item.file}: properties.{draw.field.name}.x-source.args"
        raise SchemaError(
            f"{where}: numpy's {source.distribution} doesn't take them ({error}); mend args"
        ) from error
    clipped = (
        np.clip(values, source.low, source.high)
        if (source.low, source.high) != (None, None)
        else values
    )
    return np.asarray(
        np.round(clipped).astype(np.int64) if draw.field.type == "integer" else np.round(clipped, 2)
    )


def draw_sequence(draw: Draw) -> Array:
    """A running number in its format."""
    source = cast(SequenceSource, draw.source)
    return strings([source.sequence.format(source.start + row) for row in range(draw.size)])


def draw_pattern(draw: Draw) -> Array:
    """Random characters in the pattern's places; drawn again where the field must be unique."""
    source, rng = cast(PatternSource, draw.source), draw.stream()
    values = [_patterned(source.pattern, rng) for _ in range(draw.size)]
    if draw.field.unique:
        values = _distinct(values, source.pattern, rng)
    return strings(values)


def draw_constant(draw: Draw) -> Array:
    """The same value for all."""
    return _array([cast(ConstantSource, draw.source).constant])[np.zeros(draw.size, dtype=np.int64)]


def _distinct(values: list[str], pattern: str, rng: Stream) -> list[str]:
    seen: set[str] = set()
    for row, value in enumerate(values):
        while value in seen:
            value = _patterned(pattern, rng)
        seen.add(value)
        values[row] = value
    return values


def _patterned(pattern: str, rng: Stream) -> str:
    return "".join(
        ALPHABETS[sign][rng.integers(len(ALPHABETS[sign]))] if sign in ALPHABETS else sign
        for sign in pattern
    )


def _array(values: Sequence[object]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
