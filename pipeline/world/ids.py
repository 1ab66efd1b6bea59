"""Salesforce-shaped record ids: 15 base-62 characters and 3 check characters.

The 15 are the object type's key prefix (3), a marker (5) and a running number (7). The marker tells
a local id from one of a real CRM. Example: `make_ids("001", 1)[0] == "001zz0000000001AAA"`.
"""

import numpy as np
import numpy.typing as npt

from pipeline.world.tables import Array

Codes = npt.NDArray[np.uint8]
"""Characters as their ASCII codes."""

MARKER = "zz000"
NUMBER_LENGTH = 7
DIGITS = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    dtype=np.uint8,
)
CHECKS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", dtype=np.uint8)
"""What each of the 32 sums of a check character is written as."""

BIT_VALUES = 1 << np.arange(5)


def make_ids(prefix: str, count: int, first: int = 1, marker: str = MARKER) -> Array:
    """`count` ids of 18 characters, unique and rising, as an object array of str.

    The running numbers begin with `first`.
    """
    numbers = np.arange(first, first + count, dtype=np.int64)
    codes = np.empty((count, 18), dtype=np.uint8)
    codes[:, :8] = _codes(prefix + marker)
    # The running number's digits, from the last (column 14) to the first (column 8).
    for column in range(14, 14 - NUMBER_LENGTH, -1):
        numbers, digit = np.divmod(numbers, 62)
        codes[:, column] = DIGITS[digit]
    codes[:, 15:] = _check_characters(codes[:, :15])
    texts = codes.view("S18").ravel().astype("U18")
    return texts.astype(object)


def to_18(short: str) -> str:
    """A 15-character id with its check characters.

    Example: `to_18("001M000000qfPyS") == "001M000000qfPySIAU"`.
    """
    checks = _check_characters(_codes(short)[np.newaxis, :])
    return short + checks.tobytes().decode()


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _check_characters(codes: Codes) -> Codes:
    """Three check characters for each row of 15, as Salesforce makes them.

    Each stands for five characters: a bit is set for every capital letter among them, so that ids
    which differ only in capitals differ in their check characters.
    """
    capital = (codes >= ord("A")) & (codes <= ord("Z"))
    groups = capital.reshape(len(codes), 3, 5)
    sums = (groups * BIT_VALUES).sum(axis=2)
    checks: Codes = CHECKS[sums]
    return checks
