"""One object type's facts: how many rows it has, and every field that needs no words.

`draw_facts` makes the table before anything is written, `finish` completes it by the words and by
the fields made from them. The order of fields inside an object type comes from `schemas.graph`,
that of object types from `pipeline.graph`.
"""

from collections.abc import Iterable, Mapping

from pipeline.sample import links, people, values
from pipeline.sample.draw import Draw, Sampler
from pipeline.sample.emptied import emptied
from pipeline.sample.typed import typed
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table
from schemas.capacity import check_field
from schemas.field import Field
from schemas.graph import fields_in_order, own_fields
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import (
    BaseSource,
    ChoiceSource,
    ConstantSource,
    CopySource,
    DistributionSource,
    FakerSource,
    IdSource,
    LatentSource,
    LaterSource,
    MapSource,
    PatternSource,
    PlaceSource,
    RangeSource,
    ReferenceSource,
    SequenceSource,
    TemplateSource,
    WhenSource,
)

SAMPLERS: dict[type[BaseSource], Sampler] = {
    IdSource: values.draw_id,
    ReferenceSource: links.draw_reference,
    ChoiceSource: values.draw_choice,
    RangeSource: values.draw_range,
    DistributionSource: values.draw_distribution,
    LaterSource: values.draw_later,
    FakerSource: people.draw_faker,
    PlaceSource: people.draw_place,
    SequenceSource: values.draw_sequence,
    PatternSource: values.draw_pattern,
    ConstantSource: values.draw_constant,
    TemplateSource: links.draw_template,
    CopySource: links.draw_copy,
    WhenSource: links.draw_when,
    MapSource: links.draw_map,
    LatentSource: links.draw_latent,
}
"""A kind of source -> its sampler; words have none. A new kind is one function and one line here,
and its model in `schemas.sources`.
"""


def size_of(org: Org, item: ObjectType) -> int:
    """How many records an object type has in this org."""
    count = item.count
    if count.latent:
        return org.table(count.latent.table_name).size
    if not count.parents:
        return org.setting.count(item.name)
    size = count.times
    for parent in count.parents:
        size *= org.table(parent).size
    return size


def draw_facts(org: Org, item: ObjectType) -> Table:
    """The object's table with every field that depends on no written one."""
    late = _made_from_words(item)
    fields = [field for field in fields_in_order(item) if field.name not in late]
    references = references_of(org.setting.schema, item)
    drawn = Table(item.name, size_of(org, item), {}, references).packed()
    _draw(org, item, drawn, fields)
    return drawn


def finish(org: Org, item: ObjectType, facts: Table, words: Mapping[str, Array]) -> Table:
    """The table completed by its words and by the fields made from them.

    Its columns stand in the order of the schema's file.
    """
    whole = facts.packed_anew()
    for name, texts in words.items():
        whole.put(name, texts)
    fields = [field for field in fields_in_order(item) if field.name not in whole.columns]
    _draw(org, item, whole, fields)
    return whole.in_order([field.name for field in item.fields])


def references_of(schema: Schema, item: ObjectType) -> dict[str, str]:
    """Column -> the object type it leads to.

    The columns are references, copies of references, and texts that hold ids.
    """
    found = {}
    for field in item.fields:
        if field.holds_ids:
            found[field.name] = field.holds_ids
    for field in item.fields:
        target = schema.target(item, field)
        if target and field.name != "Id":
            found[field.name] = target
    return found


def _made_from_words(item: ObjectType) -> set[str]:
    """The written fields, and those that are made from one, also by way of others."""
    late = {field.name for field in item.written}
    for field in fields_in_order(item):
        if own_fields(item, field) & late:
            late.add(field.name)
    return late


def _draw(org: Org, item: ObjectType, table: Table, fields: Iterable[Field]) -> None:
    """Adds a column for each of the fields to a packed table, drawn in their order.

    Each is packed before the next one is drawn, which sees it: unpacked, those of a large org take
    ten times the room.
    """
    for field in fields:
        check_field(item, field, table.size, org.setting.profile.period)
        draw = Draw(org, item, field, field.source, table)
        drawn = SAMPLERS[type(field.source)](draw)
        table.put(field.name, emptied(draw, typed(draw, drawn)))
    table.close()
