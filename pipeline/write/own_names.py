"""Texts that no other shard of a very large org has: those of unique fields name the shard's
number, as the later generations of a product do.

`Yoredale Park Sneaker` is a name of the first shard, `Yoredale Park Sneaker Gen 2` one of the
second. The number alone would not do: `Yoredale Park Sneaker 2` may be one of the first, too.
"""

from collections.abc import Mapping
from dataclasses import replace

from pipeline.world.org import Org
from pipeline.world.tables import Array, strings
from schemas.object_type import ObjectType
from verifiers.material import Unit, WrittenField

GENERATION = "generation"
"""The fact that holds the generation, such as `Gen 2`."""


def own_facts(org: Org, item: ObjectType, size: int) -> Mapping[str, Array]:
    """The generation as a fact of each of so many units; nothing where texts need none."""
    if not _are_told_apart(org, item):
        return {}
    shard = org.setting.shard
    return {GENERATION: strings([f"Gen {shard.label}" if shard else ""] * size)}


def own_fields(
    org: Org, item: ObjectType, fields: tuple[WrittenField, ...]
) -> tuple[WrittenField, ...]:
    """The fields; what must be unique has to name the generation."""
    if not _are_told_apart(org, item):
        return fields
    unique = {field.name for field in item.written if field.unique}
    made = []
    for field in fields:
        must = (*field.must, GENERATION) if field.name in unique else field.must
        made.append(replace(field, must=must))
    return tuple(made)


def with_generation(text: str, written: WrittenField, unit: Unit) -> str:
    """A text with the generation behind it, where the field has to name it."""
    if GENERATION not in written.must:
        return text
    return f"{text} {unit.facts[GENERATION]}"


def _are_told_apart(org: Org, item: ObjectType) -> bool:
    """Whether other shards have records of the object type, which may have the same texts."""
    shard = org.setting.shard
    if shard is None or shard.first or item.name in shard.common:
        return False
    return any(field.unique for field in item.written)
