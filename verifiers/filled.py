"""How many cells of a finished org are filled, by object type and field.

An empty text counts as not filled.
"""

import sqlite3
from collections.abc import Mapping

from schemas.model import Schema
from schemas.object_type import ObjectType

Filled = dict[str, dict[str, float]]


def filled_cells(db: sqlite3.Connection, schema: Schema) -> Filled:
    """Object type -> field -> the share of its records that have it; 0 where it can't be read."""
    return {item.name: _filled(db, item) for item in schema.objects}


def mean_share(filled: Mapping[str, Mapping[str, float]]) -> float:
    """The mean over all declared fields of all object types."""
    shares: list[float] = []
    for fields in filled.values():
        shares += fields.values()
    return round(sum(shares) / max(len(shares), 1), 4)


def _filled(db: sqlite3.Connection, item: ObjectType) -> dict[str, float]:
    names = [field.name for field in item.fields]
    shares = ", ".join(f"""avg(a."{name}" IS NOT NULL AND a."{name}" <> '')""" for name in names)
    try:
        row = db.execute(f'SELECT {shares} FROM "{item.name}" a').fetchone()
    except sqlite3.Error:
        row = [0.0] * len(names)
    filled = {}
    for name, share in zip(names, row, strict=True):
        filled[name] = round(float(share or 0), 4)  # an empty table has no mean
    return filled
