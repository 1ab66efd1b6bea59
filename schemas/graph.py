"""References between object types: do they lead somewhere, and never in a circle?

Works on a Schema alone; what latent variables need stands in `pipeline.graph`.
"""

from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from schemas.errors import SchemaError
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType, written_from
from schemas.paths import LATENT, PROFILE_WORDS, ValuePath
from schemas.sources import ReferenceSource


def check_references(schema: Schema) -> None:
    """Raises SchemaError where a reference, a count or a path leads nowhere."""
    for item in schema.objects:
        for name, where in _named_objects(item):
            if not schema.has(name):
                raise SchemaError(
                    f"{item.file}: {where}: there is no object type {name}; add {name}.yaml or mend"
                    " the name"
                )
        for path, where in _paths(item):
            follow(schema, item, path, f"{item.file}: {where}")
        if item.label:
            for path in item.label.paths:
                _check_label(schema, item, path)
        for name, field in item.roster:
            named = schema.object(name)
            follow(schema, named, ValuePath((field,)), f"{item.file}: x-roster")


def follow(schema: Schema, item: ObjectType, path: ValuePath, where: str) -> Field | None:
    """The field at the end of a path, or None for a path into the profile or a latent variable.

    Raises SchemaError that begins with `where` for a path that leads nowhere.
    """
    if _leaves_records(path):
        return None
    if not item.has(path.first):
        raise SchemaError(
            f"{where}: {item.name} has no field {path.first}; add it or mend the path '{path}'"
        )
    field = item.field(path.first)
    if path.rest is None:
        return field
    if field.reference is None:
        raise SchemaError(
            f"{where}: {item.name}.{path.first} is no reference, so '{path}' can't go on behind it;"
            " end the path there or go by a reference"
        )
    return follow(schema, schema.object(field.reference), path.rest, where)


def _leaves_records(path: ValuePath) -> bool:
    return path.first == LATENT or path.first in PROFILE_WORDS


def _check_label(schema: Schema, item: ObjectType, path: ValuePath) -> None:
    """Raises SchemaError for a path that ends in no field.

    A label is read from the finished org, which has no latent value and no profile in it.
    """
    field = follow(schema, item, path, f"{item.file}: x-label")
    if field is None:
        raise SchemaError(
            f"{item.file}: x-label: '{path}' is no field; name a field of {item.name} or one behind"
            " its references"
        )


def load_order(schema: Schema, ranks: Mapping[str, int] | None = None) -> list[str]:
    """Object types so that each stands behind those it is made from.

    Where that leaves a choice, lower ranks come first (0 without `ranks`), then names.
    """
    rank = ranks or {}
    return sorted_by_needs(_needs(schema), lambda name: (rank.get(name, 0), name))


def word_levels(schema: Schema) -> dict[str, int]:
    """Object type -> how many writings lie before its records are whole, one after the other.

    It is 0 where nothing written is needed, and 3 for mails on cases about products.
    """
    needs = _needs(schema)
    levels: dict[str, int] = {}
    for name in load_order(schema):
        before = max((levels[other] for other in needs[name]), default=0)
        levels[name] = before + bool(schema.object(name).written)
    return levels


def _needs(schema: Schema) -> dict[str, set[str]]:
    """Object type -> the others that it is made from."""
    return {item.name: reads(schema, item) - {item.name} for item in schema.objects}


def sorted_by_needs(
    needs: Mapping[str, set[str]], key: Callable[[str], tuple[int, str]]
) -> list[str]:
    """Names so that each stands behind those it needs; where that leaves a choice, by `key`.

    Raises CycleError where they need one another in a circle.
    """
    # Sorted, so that of several circles the same one is named every time.
    sorter = TopologicalSorter({name: sorted(needed) for name, needed in needs.items()})
    sorter.prepare()
    ready: list[tuple[tuple[int, str], str]] = []
    order = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heappush(ready, (key(name), name))
        _, first = heappop(ready)
        order.append(first)
        sorter.done(first)
    return order


def reads(schema: Schema, item: ObjectType) -> set[str]:
    """The object types that an object type's records are made from, also behind references."""
    found = {name for name, _ in _named_objects(item)}
    for path, _ in _paths(item):
        found |= _passed(schema, item, path)
    return found


def referred_by_number(schema: Schema, item: ObjectType) -> set[str]:
    """Those of the object types read of which an object type needs no more than their number.

    Its records refer to theirs by row, and how many there are is asked for beforehand: neither has
    to be drawn before the other.
    """
    needed = {name for name, _ in _named_otherwise(item)}
    for path, _ in _paths(item):
        needed |= _passed(schema, item, path)
    referred = {name for name, _ in _referred_objects(item)} - needed
    return {name for name in referred if schema.object(name).count.is_asked_for}


def check_acyclic(schema: Schema) -> None:
    """Raises SchemaError where object types, or the fields of one, need one another in a circle.

    The message names the circle: `Case -> EmailMessage -> Case`.
    """
    for item in schema.objects:
        _check_self(schema, item)
        fields_in_order(item)
    try:
        load_order(schema)
    except CycleError as error:
        named = circle_in(error)
        files = ", ".join(schema.object(name).file for name in named)
        arrows = " -> ".join([*named, named[0]])
        raise SchemaError(
            f"{files}: object types need one another in a circle: {arrows}; remove one of its"
            " references"
        ) from error


def circle_in(error: CycleError) -> list[str]:
    """The names of a circle, each before one that needs it; the first in the alphabet begins."""
    circle: list[str] = error.args[1][:-1]
    start = circle.index(min(circle))
    return circle[start:] + circle[:start]


def fields_in_order(item: ObjectType) -> list[Field]:
    """Fields so that each stands behind those it is made from; raises SchemaError on a circle."""
    needs = {field.name: own_fields(item, field) for field in item.fields}
    places = {field.name: place for place, field in enumerate(item.fields)}
    try:
        names = sorted_by_needs(needs, lambda name: (places[name], name))
    except CycleError as error:
        circle = circle_in(error)
        named = " -> ".join([*circle, circle[0]])
        raise SchemaError(
            f"{item.file}: properties.{circle[0]}: fields are made from one another in a circle:"
            f" {named}; give one of them another source"
        ) from error
    return [item.field(name) for name in names]


def own_fields(item: ObjectType, field: Field) -> set[str]:
    """The fields of its own record that a field is made from."""
    return {path.first for path in field.paths if item.has(path.first)}


def _check_self(schema: Schema, item: ObjectType) -> None:
    for name, where in _named_objects(item):
        # A text may hold ids of its own object type: the ids are there when it is put together.
        if name == item.name and not where.endswith("x-holds-ids"):
            raise SchemaError(
                f"{item.file}: {where}: object types need one another in a circle: {name} ->"
                f" {name}; a record can't be drawn from its own kind, remove the reference"
            )
    for path, where in _paths(item):
        if item.name in _passed(schema, item, path):
            raise SchemaError(
                f"{item.file}: {where}: object types need one another in a circle: '{path}' leads"
                f" from {item.name} to {item.name}, whose records aren't there yet; end the path"
                " before"
            )


def self_references(item: ObjectType) -> frozenset[str]:
    """The fields that refer to other records of their own object type."""
    own = [field.name for field in item.references if field.reference == item.name]
    return frozenset(own)


def _by_row(field: Field) -> bool:
    """Whether a reference is given as row numbers, which need no record to be there."""
    return isinstance(field.source, ReferenceSource) and field.source.latent is not None


def _named_objects(item: ObjectType) -> Iterator[tuple[str, str]]:
    yield from _referred_objects(item)
    yield from _named_otherwise(item)


def _referred_objects(item: ObjectType) -> Iterator[tuple[str, str]]:
    for field in item.references:
        if field.reference != item.name or not _by_row(field):
            yield str(field.reference), f"properties.{field.name}.x-source.reference"


def _named_otherwise(item: ObjectType) -> Iterator[tuple[str, str]]:
    for field in item.fields:
        if field.holds_ids and field.holds_ids != "*":
            yield field.holds_ids, f"properties.{field.name}.x-holds-ids"
    for name in item.count.parents:
        yield name, "x-count"
    if item.follows:
        yield item.follows, "x-follows"
    for name, _ in item.roster:
        yield name, "x-roster"


def _paths(item: ObjectType) -> Iterator[tuple[ValuePath, str]]:
    for field in item.fields:
        for path in field.paths:
            yield path, f"properties.{field.name}.x-source"
    yield from written_from(item)


def _passed(schema: Schema, item: ObjectType, path: ValuePath) -> set[str]:
    """The object types that a path goes on to behind its references."""
    if _leaves_records(path) or path.rest is None:
        return set()
    target = item.field(path.first).reference
    if target is None:
        return set()
    behind = _passed(schema, schema.object(target), path.rest)
    return {target} | behind
