"""The ids of a whole table at once, the same as `ids.make_ids` gives.

Knows no object type. Forty million records at a thousand times the shoe company's size are why a
column has a way of its own: an array operation for all instead of some calls for each.
"""

import numpy as np
import numpy.typing as npt

from pipeline.world import ids
from pipeline.world.packed_texts import as_texts
from pipeline.world.tables import Array

Codes = npt.NDArray[np.uint8]
"""Characters as their ASCII codes."""

DIGITS = np.frombuffer(ids.DIGITS.encode(), dtype=np.uint8)
CHECKS = np.frombuffer(ids.CHECKS.encode(), dtype=np.uint8)
BIT_VALUES = 1 << np.arange(5)
# Ids made together: on the way each takes some three hundred bytes.
CHUNK = 65_536


def id_column(prefix: str, count: int, first: int = 1) -> Array:
    """`count` ids of 18 characters, unique and rising, as an object array of str.

    The running numbers begin with `first`.
    """
    ids_made: Array = np.empty(count, dtype=object)
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        ids_made[start : start + size] = _some_ids(prefix, size, first + start)
    return ids_made


def _some_ids(prefix: str, count: int, first: int) -> Array:
    """So few that what they are made of takes little room."""
    numbers = np.arange(first, first + count, dtype=np.int64)
    codes = np.empty((count, 18), dtype=np.uint8)
    codes[:, :8] = np.frombuffer((prefix + ids.MARKER).encode(), dtype=np.uint8)
    # The running number's digits, from the last (column 14) to the first (column 8).
    for column in range(14, 14 - ids.NUMBER_LENGTH, -1):
        numbers, digit = np.divmod(numbers, 62)
        codes[:, column] = DIGITS[digit]
    codes[:, 15:] = _check_characters(codes[:, :15])
    return as_texts(codes)


def _check_characters(codes: Codes) -> Codes:
    """Three check characters for each row of 15, each for five of them."""
    capital = (codes >= ord("A")) & (codes <= ord("Z"))
    groups = capital.reshape(len(codes), 3, 5)
    sums = (groups * BIT_VALUES).sum(axis=2)
    checks: Codes = CHECKS[sums]
    return checks
