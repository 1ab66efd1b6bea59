"""How many different values a field's source can give.

A unique field needs one for each record, and every range needs one at least. Both are checked
before anything is drawn, once counts and period are known. Example: the pattern `A-##` can give 100
values.
"""

import math
from collections.abc import Mapping
from datetime import datetime, time

from schemas.errors import BadInput, SchemaError
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.profile import Period
from schemas.sources import ChoiceSource, ConstantSource, PatternSource, RangeSource, Scalar

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
ALPHABETS: dict[str, str] = {
    "#": DIGITS,
    "?": LETTERS,
    "*": LETTERS.lower() + DIGITS,
}
"""The signs of a pattern and the characters each stands for."""

SECONDS_A_DAY = 86400

MOST_RECORDS = 50_000_000
"""Of a run. A thousand times the shoe company are forty million; more is a slip of the hand."""

GIGABYTE = 1e9

BYTES_A_VALUE = 40
"""What a field's value takes in memory while a run is made.

Measured: 471,000 more records of the shoe company, with 10 fields each, took 166 MB more. That is
35 bytes; the rest is room for companies that write more.
"""


def check_size(
    schema: Schema,
    counts: Mapping[str, int],
    memory: int,
    at_once: Mapping[str, int] | None = None,
) -> None:
    """Raises BadInput where a run would have more records than anybody wants, or than fit into
    `memory` bytes; `at_once` counts those that are held at the same time, by default all.

    It is estimated before anything is made. Records that a latent variable counts are left out.
    """
    size = values = 0
    largest, most = "", -1
    for item in schema.objects:
        number = records(schema, counts, item) or 0
        size += number
        held = number if at_once is None else records(schema, at_once, item) or 0
        values += held * len(item.fields)
        if number > most:
            largest, most = item.name, number
    estimate = values * BYTES_A_VALUE
    told = f"{size:,} records (most of them {largest}, {most:,})"
    if size > MOST_RECORDS:
        raise BadInput(
            f"this would make {told}, and a run has at most {MOST_RECORDS:,}; lower counts, --set"
            " or --scale"
        )
    if estimate > memory:
        raise BadInput(
            f"this would make {told}, which take about {estimate / GIGABYTE:,.1f} GB of memory, and"
            f" there are {memory / GIGABYTE:,.1f}; lower counts, --set or --scale"
        )


def check_capacity(schema: Schema, counts: Mapping[str, int], period: Period) -> None:
    """Raises SchemaError for every field that `check_field` refuses, by the records asked for."""
    for item in schema.objects:
        size = records(schema, counts, item)
        for field in item.fields:
            check_field(item, field, size, period)


def check_field(item: ObjectType, field: Field, size: int | None, period: Period) -> None:
    """Raises SchemaError where a range is empty, or a unique field has fewer values than `size`
    records (None: not known yet).
    """
    values = capacity(field, period)
    if values is None:
        return
    where = f"{item.file}: properties.{field.name}.x-source"
    if values < 1:
        raise SchemaError(
            f"{where}: the range ends before it begins; swap its bounds or move one of them"
        )
    if field.unique and size is not None and values < size:
        raise SchemaError(
            f"{where}: can give only {values:,} different values, but {field.name} is unique and"
            f" there are {size:,} {item.name} records; widen it, drop x-unique, or ask for fewer"
        )


def capacity(field: Field, period: Period) -> int | None:
    """How many different values the field's source can give, or None where nobody can tell."""
    match field.source:
        case ChoiceSource(choice=choice):
            return _choices(choice)
        case ConstantSource():
            return 1
        case PatternSource(pattern=pattern):
            # A character that is no sign stands for itself alone.
            return math.prod(len(ALPHABETS.get(sign, sign)) for sign in pattern)
        case RangeSource(range=(low, high)):
            first = _steps(field, low, period)
            last = _steps(field, high, period)
            return last - first + 1
    return None


def _choices(choice: list[Scalar] | dict[str, float]) -> int:
    if isinstance(choice, dict):
        return sum(weight > 0 for weight in choice.values())
    return len(set(choice))


def records(schema: Schema, counts: Mapping[str, int], item: ObjectType) -> int | None:
    """How many records an object type will have, or None where a latent variable decides.

    The numbers of its parents are multiplied: three for each of 20 orders are 60.
    """
    if not item.count.parents:
        return counts.get(item.name)
    product = item.count.times
    for name in item.count.parents:
        parents = records(schema, counts, schema.object(name))
        if parents is None:
            return None
        product *= parents
    return product


def _steps(field: Field, bound: Scalar, period: Period) -> int:
    """A bound as a whole number of the field's smallest steps.

    The step is a day, a second, one, or a hundredth, by the field's type and format.
    """
    if field.format not in ("date", "date-time"):
        number = float(bound or 0)
        if field.type == "integer":
            return int(number)
        return round(number * 100)
    moment = _moment(bound, period)
    if field.format == "date":
        return moment.toordinal()
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return moment.toordinal() * SECONDS_A_DAY + seconds


def _moment(bound: Scalar, period: Period) -> datetime:
    if bound == "period.start":
        return datetime.combine(period.start, time())
    if bound == "period.end":
        return datetime.combine(period.end, time())
    return datetime.fromisoformat(str(bound))
