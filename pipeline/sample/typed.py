"""A drawn column in its field's own type, so that every file of the org says the same.

A source need not know the type of its field: weights are keyed by texts (`choice: {"5": 4}`), and a
map or a copy gives whatever stands at its end. The type is settled here, once, where the column is
made. Row numbers of references, dates and lists are left as they are.
"""

from collections.abc import Callable

from pipeline.sample.draw import Draw
from pipeline.world.tables import Array, objects
from schemas.errors import SchemaError
from schemas.sources import BaseSource

NUMPY_KINDS = {"integer": "iu", "number": "iuf", "boolean": "b"}
"""A JSON type -> the kinds of numpy columns that have it already.

A column of whole numbers is one of numbers too: JSON knows no difference.
"""


def typed(draw: Draw[BaseSource], values: Array) -> Array:
    """`values` in the type of the draw's field; empty values stay None.

    Raises SchemaError that names the field and the first value that can't have its type.
    """
    name, kind = draw.field.name, draw.field.type
    is_reference = name in draw.table.references and values.dtype.kind in "iu"
    is_settled = values.dtype.kind in NUMPY_KINDS.get(kind, "")
    cast = CASTS.get(kind)
    if is_reference or is_settled or cast is None or values.dtype.kind == "M":
        return values
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


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(value)
    number = float(value)
    if not number.is_integer():
        raise ValueError(value)
    return int(value)


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(value)
    return float(value) if isinstance(value, str) else value


def _boolean(value: object) -> bool:
    words = {"true": True, "false": False, "1": True, "0": False}
    try:
        return words[str(value).lower()]
    except KeyError:
        raise ValueError(value) from None


def _text(value: object) -> object:
    # An unquoted yes or no in YAML is a boolean; its writer meant the word.
    if isinstance(value, bool):
        raise ValueError(value)
    return str(value) if isinstance(value, int | float) else value


CASTS: dict[str, Callable[[object], object]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": _text,
}
"""A JSON type -> what makes a value of that type; raises ValueError for one that can't have it."""
