"""Random streams: `stream(seed, node, part)` is an independent counter-based generator (numpy
Philox).

Any part of any node can be drawn alone, in any order, on any worker; adding a node reshuffles no
other.
"""

import hashlib
import random

import numpy as np

Stream = np.random.Generator


def stream(seed: int, node: str, part: str = "") -> Stream:
    """A generator that depends on nothing but its three arguments.

    >>> stream(1, "Order", "date").integers(100) == stream(1, "Order", "date").integers(100)
    np.True_
    """
    return np.random.Generator(np.random.Philox(key=_key(seed, node, part)))


def text_stream(seed: int, node: str, part: str) -> random.Random:
    """The same for the embedded writer, which makes many small choices: the standard library's
    generator is quicker at those.
    """
    return random.Random(_key(seed, node, part))


def _key(seed: int, node: str, part: str) -> int:
    digest = hashlib.sha256(f"{seed}|{node}|{part}".encode()).digest()
    return int.from_bytes(digest[:16], "big")
