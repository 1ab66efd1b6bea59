"""References between object types: do they lead somewhere, and never in a circle?

Works on a Schema alone.
"""

from collections.abc import Iterator, Mapping

import networkx as nx

from schemas.errors import SchemaError
from schemas.model import Field, ObjectType, Schema, paths_of, template_paths

PROFILE_WORDS = {
    "company": ("name", "team", "domain", "industry", "description"),
    "period": ("start", "end"),
}
"""What a path may start with instead of a field, and what may stand behind it."""


def check_references(schema: Schema) -> None:
    """Every reference, count and path names an object type and a field that exist; raises
    SchemaError otherwise.
    """
    for item in schema.objects:
        for name, where in _named_objects(item):
            if not schema.has(name):
                raise SchemaError(
                    f"{item.file}: {where}: there is no object type {name}; add {name}.yaml or mend"
                    " the name"
                )
        for path, where in _paths(item):
            follow(schema, item, path, f"{item.file}: {where}")
        for path in template_paths(item.label):
            _check_label(schema, item, path)
        for name, field in (one.split(".") for one in item.roster):
            follow(schema, schema.object(name), field, f"{item.file}: x-roster")


def follow(schema: Schema, item: ObjectType, path: str, where: str) -> Field | None:
    """The field at the end of a path; None for paths into the profile or a latent variable."""
    first, *rest = path.split(".")
    if first in PROFILE_WORDS:
        _check_word(first, rest, path, where)
        return None
    if first == "latent":
        return None
    if not item.has(first):
        raise SchemaError(
            f"{where}: {item.name} has no field {first}; add it or mend the path {path!r}"
        )
    field = item.field(first)
    if not rest:
        return field
    if field.reference is None:
        raise SchemaError(
            f"{where}: {item.name}.{first} is no reference, so {path!r} can't go on behind it; end"
            " the path there or go by a reference"
        )
    return follow(schema, schema.object(field.reference), ".".join(rest), where)


def _check_label(schema: Schema, item: ObjectType, path: str) -> None:
    """A label is made from fields alone: it is read from the finished org, which has no latent
    value and no profile in it.
    """
    if follow(schema, item, path, f"{item.file}: x-label") is None:
        raise SchemaError(
            f"{item.file}: x-label: {path!r} is no field; name a field of {item.name} or one behind"
            " its references"
        )


def _check_word(first: str, rest: list[str], path: str, where: str) -> None:
    if len(rest) != 1 or rest[0] not in PROFILE_WORDS[first]:
        raise SchemaError(
            f"{where}: there is no {path}; use one of"
            f" {', '.join(f'{first}.{word}' for word in PROFILE_WORDS[first])}"
        )


def object_graph(schema: Schema) -> "nx.DiGraph[str]":
    """Edges from what is read to what reads it, among object types alone."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(item.name for item in schema.objects)
    for item in schema.objects:
        graph.add_edges_from(
            (name, item.name) for name in sorted(reads(schema, item)) if name != item.name
        )
    return graph


def load_order(schema: Schema, ranks: Mapping[str, int] | None = None) -> list[str]:
    """Object types so that each stands behind those it is made from.

    Where that leaves a choice, lower ranks come first (0 without `ranks`), then names.
    """
    rank = ranks or {}
    order = nx.lexicographical_topological_sort(
        object_graph(schema), key=lambda name: (rank.get(name, 0), name)
    )
    return list(order)


def reads(schema: Schema, item: ObjectType) -> set[str]:
    """The object types that an object type's records are made from,
    paths followed to their ends.
    """
    found = {name for name, _ in _named_objects(item)}
    for path, _ in _paths(item):
        found |= _along(schema, item, path)
    return found


def check_acyclic(schema: Schema) -> None:
    """Raises SchemaError that names the circle, among object types (`Case -> EmailMessage -> Case`)
    or inside one.
    """
    for item in schema.objects:
        _check_self(item)
        fields_in_order(item)
    graph = object_graph(schema)
    if nx.is_directed_acyclic_graph(graph):
        return
    circle = [edge[0] for edge in nx.find_cycle(graph)]
    start = min(range(len(circle)), key=lambda at: circle[at])
    named = circle[start:] + circle[:start]
    files = ", ".join(schema.object(name).file for name in named)
    raise SchemaError(
        f"{files}: object types need one another in a circle: {' -> '.join([*named, named[0]])};"
        " remove one of its references"
    )


def fields_in_order(item: ObjectType) -> list[Field]:
    """Fields so that each stands behind those it is made from; raises SchemaError on a circle."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(field.name for field in item.fields)
    graph.add_edges_from(
        (name, field.name) for field in item.fields for name in own_fields(item, field)
    )
    place = {field.name: at for at, field in enumerate(item.fields)}
    try:
        names = list(nx.lexicographical_topological_sort(graph, key=lambda name: place[name]))
    except nx.NetworkXUnfeasible as error:
        circle = [edge[0] for edge in nx.find_cycle(graph)]
        named = " -> ".join([*circle, circle[0]])
        raise SchemaError(
            f"{item.file}: properties.{circle[0]}: fields are made from one another in a circle:"
            f" {named}; give one of them another source"
        ) from error
    return [item.field(name) for name in names]


def own_fields(item: ObjectType, field: Field) -> set[str]:
    """The fields of its own record that a field is made from."""
    return {path.split(".")[0] for path in paths_of(field) if item.has(path.split(".")[0])}


def _check_self(item: ObjectType) -> None:
    named = [(str(field.reference), f"properties.{field.name}") for field in item.references]
    counted = [(name, "x-count") for name in (item.count.per, *(item.count.cross or ()))]
    for name, where in [*named, *counted, (item.follows, "x-follows")]:
        if name == item.name:
            raise SchemaError(
                f"{item.file}: {where}: object types need one another in a circle: {name} ->"
                f" {name}; a record can't be drawn from its own kind, remove the reference"
            )


def _named_objects(item: ObjectType) -> Iterator[tuple[str, str]]:
    for field in item.references:
        yield str(field.reference), f"properties.{field.name}.x-source.reference"
    for field in item.fields:
        if field.holds_ids and field.holds_ids != "*":
            yield field.holds_ids, f"properties.{field.name}.x-holds-ids"
    for name in (item.count.per, *(item.count.cross or ())):
        if name:
            yield name, "x-count"
    if item.follows:
        yield item.follows, "x-follows"
    for one in item.roster:
        yield one.split(".")[0], "x-roster"


def _paths(item: ObjectType) -> Iterator[tuple[str, str]]:
    for field in item.fields:
        for path in paths_of(field):
            yield path, f"properties.{field.name}.x-source"
    for name, path in (item.facts or {}).items():
        for one in template_paths(path) if "{" in path else (path,):
            yield one, f"x-facts.{name}"
    if item.unit.group and item.part_facts:
        for name, path in item.part_facts.items():
            yield path, f"x-part-facts.{name}"
    if item.lane:
        yield item.lane, "x-lane"
    if item.avoid:
        yield item.avoid, "x-avoid"
    if item.judging.always not in ("", "true"):
        yield item.judging.always, "x-judge.always"


def _along(schema: Schema, item: ObjectType, path: str) -> set[str]:
    first, *rest = path.split(".")
    if first in PROFILE_WORDS or first == "latent" or not rest:
        return set()
    target = item.field(first).reference
    return (
        {str(target)} | _along(schema, schema.object(str(target)), ".".join(rest))
        if target
        else set()
    )
