"""Notes that people write into records: a text of a list, with one of each of its alternatives.

`(Called|Phoned) about the rate.` is two notes. Knows no records and no customers.
"""

import re

import numpy as np

from latent.draws import only
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings

DIGIT = re.compile("#")
ALTERNATIVES = re.compile(r"\(([^()]*\|[^()]*)\)")


def worded(text: str, rng: Stream) -> str:
    """The text with one of each of its alternatives, and a digit for each `#`.

    `Paid (cash|by card).` becomes `Paid cash.`
    """

    def chosen(found: re.Match[str]) -> str:
        choices = found[1].split("|")
        return str(choices[int(rng.integers(len(choices)))])

    def digit(_: re.Match[str]) -> str:
        return str(rng.integers(10))

    return DIGIT.sub(digit, ALTERNATIVES.sub(chosen, text))


def noted(rng: Stream, texts: tuple[str, ...], size: int, share: float) -> Array:
    """A note for so large a share of `size` records, None for the others."""
    if not texts:
        return np.full(size, None, dtype=object)
    known = rng.random(size) < share
    rows = rng.integers(0, len(texts), size=size)
    written = [worded(texts[row], rng) for row in rows]
    return only(known, strings(written))
