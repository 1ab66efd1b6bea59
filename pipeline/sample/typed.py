"""A drawn column in its field's own type, so that every file of the org says the same.

A source need not know the type of its field: weights are keyed by texts (`choice: {"5": 4}`), and a
map or a copy gives whatever stands at its end. The type is settled here, once, where the column is
made. Row numbers of references, dates and lists are left as they are.
"""

import math
import re
from collections.abc import Callable

from pipeline.sample.draw import Draw
from pipeline.world.tables import Array, objects
from schemas.errors import SchemaError
from schemas.sources import BaseSource

NUMPY_KINDS = {"integer": "iu", "number": "iuf", "boolean": "b"}
"""A JSON type -> the kinds of numpy columns that have it already.

A column of whole numbers is one of numbers too: JSON knows no difference.
"""

BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
"""What a boolean may be written as where a source keeps its values as texts."""

WHOLE = re.compile(r"[+-]?\d+")


def typed(draw: Draw[BaseSource], values: Array) -> Array:
    """`values` in the type of the draw's field; empty values stay None.

    Raises SchemaError that names the field and the first value that can't have its type.
    """
    kind = draw.field.type
    if kind not in CASTS or _is_settled(draw, values):
        return values
    cast = CASTS[kind]
    made = []
    for value in values.tolist():
        try:
            made.append(None if value is None else cast(value))
        except ValueError as error:
            raise SchemaError(
                f"{draw.where}: its source gives {value!r}, which is no {kind}; mend x-source or"
                " the field's type"
            ) from error
    return objects(made)


def _is_settled(draw: Draw[BaseSource], values: Array) -> bool:
    """Whether a column is a reference, holds dates, or is of a numpy type that fits."""
    numpy_kind = values.dtype.kind
    if draw.field.name in draw.table.references and numpy_kind in "iu":
        return True
    return numpy_kind == "M" or numpy_kind in NUMPY_KINDS.get(draw.field.type, "")


def _integer(value: object) -> int:
    number = _number(value)
    # SQLite's whole numbers have 64 bits.
    if int(number) != number or not -(2**63) <= number < 2**63:
        raise ValueError(value)
    return int(number)


def _number(value: object) -> int | float:
    if isinstance(value, bool):
        raise ValueError(value)
    if isinstance(value, int):
        return value
    text = str(value)
    if WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    # Python reads nan and inf as numbers; JSON and the CRM know neither.
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _boolean(value: object) -> bool:
    word = str(value).lower()
    if word not in BOOLEANS:
        raise ValueError(value)
    return BOOLEANS[word]


def _text(value: object) -> object:
    # An unquoted yes or no in YAML is a boolean; its writer meant the word.
    if isinstance(value, bool):
        raise ValueError(value)
    if isinstance(value, int | float):
        return str(value)
    return value


CASTS: dict[str, Callable[[object], object]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": _text,
}
"""A JSON type -> what makes a value of that type; raises ValueError for one that can't have it."""
