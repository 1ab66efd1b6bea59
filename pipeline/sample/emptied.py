"""A drawn column with the values taken out that its field's `x-filled` leaves empty.

Real records are never complete: who has no phone gives none, and nobody asks in the shop. Which
records lack a value is drawn from a stream of its own, so that the values of the others stay.
"""

import numpy as np

from pipeline.sample.draw import Draw
from pipeline.world.paths import along
from pipeline.world.tables import NONE, Array
from schemas.errors import SchemaError
from schemas.sources import BaseSource


def emptied(draw: Draw[BaseSource], values: Array) -> Array:
    """`values`, with an empty one wherever the field's rule says so.

    Raises SchemaError where what decides is no share.
    """
    rule = draw.field.filled
    if rule is None:
        return values
    chance = np.full(draw.size, rule.share)
    if rule.by:
        chance = chance * _shares(draw, along(draw.org, draw.table, rule.by))
    points = draw.shared_stream(f"{draw.field.name}.filled").random(draw.size)
    return _without(values, points >= chance, draw.field.name in draw.table.references)


def _shares(draw: Draw[BaseSource], decides: Array) -> Array:
    try:
        shares = decides.astype(float)
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"{draw.where}.x-filled.by: gives what is no share ({error}); name a path to true or"
            " false, or to a number from 0 to 1"
        ) from error
    if not np.all((shares >= 0) & (shares <= 1)):
        raise SchemaError(
            f"{draw.where}.x-filled.by: gives a number that is no share; name a path to true or"
            " false, or to a number from 0 to 1"
        )
    return shares


def _without(values: Array, empty: Array, refers: bool) -> Array:
    """The values, none in the rows that are empty: row -1, no date, or None."""
    if refers and values.dtype.kind in "iu":
        return np.where(empty, NONE, values)
    if values.dtype.kind == "M":
        return np.where(empty, np.datetime64("NaT"), values)
    left = values.astype(object)
    left[empty] = None
    return left
