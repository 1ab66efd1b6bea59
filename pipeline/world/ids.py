"""Salesforce-shaped record ids: 15 base-62 characters (key prefix, marker, running number) and 3
check characters.

The marker in characters 4-8 tells a local id from a real one. Example: `make_ids("001", 1)[0] ==
"001zz00000000AAAA2"`-like.
"""

import numpy as np

from pipeline.world.tables import Array

MARKER = "zz000"
DIGITS = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", dtype=np.uint8
)
CHECKS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", dtype=np.uint8)
BODY = 7


def make_ids(prefix: str, count: int, first: int = 1, marker: str = MARKER) -> Array:
    """`count` ids of 18 characters as an object array of str, unique and in rising order."""
    numbers = np.arange(first, first + count, dtype=np.int64)
    codes = np.empty((count, 18), dtype=np.uint8)
    codes[:, :8] = np.frombuffer((prefix + marker).encode(), dtype=np.uint8)
    for place in range(BODY):
        codes[:, 14 - place] = DIGITS[numbers % 62]
        numbers = numbers // 62
    codes[:, 15:] = _check_characters(codes[:, :15])
    return codes.view("S18").ravel().astype("U18").astype(object)


def to_18(short: str) -> str:
    """A 15-character id with its check characters: `to_18("001M000000qfPyS") ==
    "001M000000qfPySIAU"`.
    """
    codes = np.frombuffer(short.encode(), dtype=np.uint8)[None, :]
    return short + _check_characters(codes).tobytes().decode()


def _check_characters(
    codes: "np.ndarray[tuple[int, int], np.dtype[np.uint8]]",
) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    upper = ((codes >= ord("A")) & (codes <= ord("Z"))).reshape(len(codes), 3, 5)
    checks: np.ndarray[tuple[int, int], np.dtype[np.uint8]] = CHECKS[
        (upper * (1 << np.arange(5))).sum(axis=2)
    ]
    return checks
