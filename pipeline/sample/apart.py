"""How unique values of a very large org differ between its shards, each of which is drawn without
knowing the others.

Numbers have ranges, random signs and names are dealt out among the shards, and what is made of
other values gets the shard's mark. An org that is drawn whole needs none of it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pipeline.sample.draw import Draw
from pipeline.world.shard import Shard
from pipeline.world.tables import Array, strings
from schemas.capacity import ALPHABETS
from schemas.errors import BadInput, RunFailed
from schemas.object_type import ObjectType
from schemas.paths import Template
from schemas.sources import FakerSource

# A shard's values of a pattern are so many times as many as it needs, where the pattern has them.
ROOM = 1_000_000


def shard_of(draw: Draw[Any]) -> Shard | None:
    """The shard whose own records are drawn; None for an org, and for what all shards share."""
    shard = draw.org.setting.shard
    if shard is None or draw.item.name in shard.common:
        return None
    return shard


def numbers_before(draw: Draw[Any], last: int) -> int:
    """How many running numbers earlier shards may use.

    Raises RunFailed where the shard's own would go on, to `last`, behind the range that it has.
    """
    shard = shard_of(draw)
    if shard is None:
        return 0
    room = shard.ranges.get(draw.item.name)
    if room is not None and last > room:
        raise RunFailed(
            f"{draw.where}: shard {shard.label} needs {last:,} numbers and each shard has"
            f" {room:,}; make larger shards with --shard-size"
        )
    return shard.numbers_before(draw.item.name)


def own_pattern(draw: Draw[Any], pattern: str, text: str) -> str:
    """A pattern's text, its last signs moved to the next that is the shard's.

    Raises BadInput where the pattern has fewer texts than there are shards.
    """
    shard = shard_of(draw)
    if shard is None or not draw.field.unique:
        return text
    places = _last_places(pattern, ROOM * shard.of)
    texts, number = 1, 0
    for place in places:
        alphabet = ALPHABETS[pattern[place]]
        texts *= len(alphabet)
        number *= len(alphabet)
        number += alphabet.index(text[place])
    if texts < shard.of:
        raise BadInput(
            f"{draw.where}: the pattern {pattern} has {texts:,} texts for {shard.of:,} shards;"
            " make larger shards with --shard-size"
        )
    behind = number % shard.of
    number += shard.number - behind
    if number >= texts:
        number -= shard.of
    return _with_number(pattern, text, places, number)


def _last_places(pattern: str, wanted: int) -> list[int]:
    """The last places of signs that give so many texts, or all of them, in their order."""
    places: list[int] = []
    texts = 1
    for place in reversed(range(len(pattern))):
        alphabet = ALPHABETS.get(pattern[place])
        if alphabet is not None and texts < wanted:
            places.insert(0, place)
            texts *= len(alphabet)
    return places


def _with_number(pattern: str, text: str, places: list[int], number: int) -> str:
    """A pattern's text, in which some places hold a number in the digits of their alphabets."""
    signs = list(text)
    for place in reversed(places):
        alphabet = ALPHABETS[pattern[place]]
        number, digit = divmod(number, len(alphabet))
        signs[place] = alphabet[digit]
    return "".join(signs)


def own_steps(draw: Draw[Any], steps: int) -> Array:
    """Which of so many values of a unique field are the shard's."""
    shard = shard_of(draw)
    if shard is None:
        return np.arange(steps)
    return np.arange(shard.number, steps, shard.of)


def marked(draw: Draw[Any], values: Array) -> Array:
    """Unique values with the shard's mark."""
    shard = _marking(draw)
    if shard is None:
        return values
    limit = draw.max_length
    made = [shard.marked(str(value), limit) for value in values]
    return strings(made)


def room_for_mark(draw: Draw[Any]) -> int | None:
    """How many characters a value may have that a mark is put behind, or None."""
    shard = _marking(draw)
    limit = draw.max_length
    if limit is None or shard is None:
        return limit
    return limit - len(shard.ending)


def _marking(draw: Draw[Any]) -> Shard | None:
    """The shard that puts its mark on what is drawn; the first one has none."""
    shard = shard_of(draw)
    if shard is None or shard.first:
        return None
    return shard


def names_someone(item: ObjectType, template: Template) -> bool:
    """Whether a template is made of two names that are told apart, so that it needs no mark."""
    whole = {str(part.path) for part in template.placeholders if not part.filters}
    for field in item.fields:
        source = field.source
        apart = source.apart if isinstance(source, FakerSource) else None
        if apart is not None and {field.name, str(apart)} <= whole:
            return True
    return False


def own_name(
    draw: Draw[FakerSource],
    other: str,
    invent: Callable[[], str],
    tries: int,
) -> str:
    """A name that makes, with the other one, somebody of this shard.

    Where none is found in some tries, it is one with the shard's number behind it.
    """
    shard = shard_of(draw)
    text = invent()
    if shard is None:
        return text
    for _ in range(tries * shard.of):
        if shard.owns(f"{other} {text}"):
            return text
        text = invent()
    return f"{text} {shard.label}"


def given_name(draw: Draw[FakerSource], text: object) -> object:
    """A given name; that of a program in a later shard has the shard's number behind it."""
    shard = _marking(draw)
    if shard is None or not text or draw.source.apart is None:
        return text
    return f"{text} {shard.label}"
