"""Random streams: each part of each node has a generator of its own.

`stream(seed, node, part)` is counter-based (numpy's Philox) and depends on nothing but its
arguments. Any part of any node can therefore be drawn alone, in any order and on any worker, and a
new node changes nothing in the others.
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
    key = _key(seed, node, part)
    return np.random.Generator(np.random.Philox(key=key))


def text_stream(seed: int, node: str, part: str) -> random.Random:
    """The same for the embedded writer, which makes many small choices one by one: the standard
    library's generator is quicker at those.
    """
    return random.Random(_key(seed, node, part))


def _key(seed: int, node: str, part: str) -> int:
    name = f"{seed}|{node}|{part}"
    digest = hashlib.sha256(name.encode()).digest()
    # A key of Philox has 128 bits.
    return int.from_bytes(digest[:16], "big")
