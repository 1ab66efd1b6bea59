"""How many different values a field's source can give: a unique field needs one a record, every
range at least one.

Checked before anything is drawn, once counts and period are known. Example: the pattern `A-##` has
a capacity of 100.
"""

import math
from collections.abc import Mapping
from datetime import date, datetime, time

from schemas.errors import SchemaError
from schemas.model import Field, ObjectType, Schema
from schemas.profile import Period
from schemas.sources import ChoiceSource, ConstantSource, PatternSource, RangeSource, Scalar

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MIXED = "abcdefghijklmnopqrstuvwxyz0123456789"
ALPHABETS: dict[str, str] = {"#": "0123456789", "?": LETTERS, "*": MIXED}
"""The signs of a pattern and the characters each stands for."""


def check_capacity(schema: Schema, counts: Mapping[str, int], period: Period) -> None:
    """Raises SchemaError where a unique field has fewer values than its object type has records, or
    a range has none.
    """
    for item in schema.objects:
        size = records(schema, counts, item)
        for field in item.fields:
            check_field(item, field, size, period)


def check_field(item: ObjectType, field: Field, size: int | None, period: Period) -> None:
    """Raises SchemaError where a range is empty, or a unique field has fewer values than `size`
    (None: not known yet).
    """
    values = capacity(field, period)
    where = f"{item.file}: properties.{field.name}.x-source"
    if values is not None and values < 1:
        raise SchemaError(
            f"{where}: the range ends before it begins; swap its bounds or move one of them"
        )
    if field.unique and values is not None and size is not None and values < size:
        raise SchemaError(
            f"{where}: can give only {values:,} different values, but {field.name} is unique and"
            f" there are {size:,} {item.name} records; widen it, drop x-unique, or ask for fewer"
        )


def capacity(field: Field, period: Period) -> int | None:
    """How many different values the field's source can give;
    None where nobody can tell beforehand.
    """
    match field.source:
        case ChoiceSource() as source:
            return (
                sum(weight > 0 for weight in source.choice.values())
                if isinstance(source.choice, dict)
                else len(set(source.choice))
            )
        case ConstantSource():
            return 1
        case PatternSource() as source:
            return math.prod(len(ALPHABETS[sign]) for sign in source.pattern if sign in ALPHABETS)
        case RangeSource(range=(low, high)):
            return _place(field, high, period) - _place(field, low, period) + 1
    return None


def records(schema: Schema, counts: Mapping[str, int], item: ObjectType) -> int | None:
    """How many records an object type will have, parents' counts multiplied; None where a latent
    variable decides.
    """
    if item.count.cross:
        return _product(
            *(records(schema, counts, schema.object(parent)) for parent in item.count.cross)
        )
    if item.count.per:
        return _product(
            records(schema, counts, schema.object(item.count.per)),
            1 if item.count.number is None else item.count.number,
        )
    return counts.get(item.name)


def _product(*numbers: int | None) -> int | None:
    known = [number for number in numbers if number is not None]
    return math.prod(known) if len(known) == len(numbers) else None


def _place(field: Field, bound: Scalar, period: Period) -> int:
    """A bound as a whole number of the field's smallest steps: days, seconds,
    ones or hundredths.
    """
    if field.format in ("date", "date-time"):
        moment = (
            datetime.combine(_day(bound, period), time())
            if bound in ("period.start", "period.end")
            else datetime.fromisoformat(str(bound))
        )
        return moment.toordinal() * (1 if field.format == "date" else 86400) + (
            0 if field.format == "date" else moment.hour * 3600 + moment.minute * 60 + moment.second
        )
    number = float(bound or 0)
    return int(number) if field.type == "integer" else round(number * 100)


def _day(bound: Scalar, period: Period) -> date:
    return period.start if bound == "period.start" else period.end
