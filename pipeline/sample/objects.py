"""One object type's facts: how many rows, and every field that needs no words; `finish` adds those
that do.

The order of fields inside an object type comes from `schemas.graph`, that of object types from
`pipeline.graph`.
"""

from collections.abc import Iterable, Mapping

from pipeline.sample.draw import Draw
from pipeline.sample.registry import SAMPLERS
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table
from schemas.capacity import check_field
from schemas.graph import fields_in_order, own_fields
from schemas.model import Field, ObjectType, Schema


def size_of(org: Org, item: ObjectType) -> int:
    """How many records an object type has in this org."""
    count = item.count
    if count.per:
        return org.table(count.per).size * (count.number if count.number is not None else 1)
    if count.cross:
        first, second = count.cross
        return org.table(first).size * org.table(second).size
    if count.latent:
        return org.table(count.latent).size
    return org.setting.count(item.name)


def draw_facts(org: Org, item: ObjectType) -> Table:
    """The object's table with every field that depends on no written one."""
    written = {field.name for field in item.written}
    late = _depending(item, written)
    empty = Table(item.name, size_of(org, item), {}, references_of(org.setting.schema, item))
    return _draw(
        org,
        item,
        empty,
        (field for field in fields_in_order(item) if field.name not in written | late),
    )


def finish(org: Org, item: ObjectType, facts: Table, words: Mapping[str, Array]) -> Table:
    """The table completed by its words and by the fields made from them, in the order of the
    schema's file.
    """
    with_words = Table(facts.name, facts.size, {**facts.columns, **words}, facts.references)
    done = set(with_words.columns)
    whole = _draw(
        org, item, with_words, (field for field in fields_in_order(item) if field.name not in done)
    )
    return Table(
        whole.name,
        whole.size,
        {field.name: whole[field.name] for field in item.fields},
        whole.references,
    )


def references_of(schema: Schema, item: ObjectType) -> dict[str, str]:
    """Which columns hold row numbers of which object type (references, copies of references, and
    texts that hold ids).
    """
    soft = {field.name: field.holds_ids for field in item.fields if field.holds_ids}
    return soft | {
        field.name: target
        for field in item.fields
        if field.name != "Id" and (target := schema.target(item, field))
    }


def _depending(item: ObjectType, names: set[str]) -> set[str]:
    late: set[str] = set()
    for field in fields_in_order(item):
        if own_fields(item, field) & (names | late):
            late.add(field.name)
    return late


def _draw(org: Org, item: ObjectType, start: Table, fields: Iterable[Field]) -> Table:
    columns: dict[str, Array] = dict(start.columns)
    for field in fields:
        check_field(item, field, start.size, org.setting.profile.period)
        at = Table(start.name, start.size, columns, start.references)
        columns[field.name] = SAMPLERS[type(field.source).__name__](Draw(org, item, field, at))
    return Table(start.name, start.size, columns, start.references)
