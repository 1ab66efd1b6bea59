"""The DAG of a run: object types and latent variables, with an edge from what is read to what
reads it.

Knows no counts and draws nothing.
"""

from graphlib import CycleError

from latent.registry import LATENT, READ_WHERE_MADE
from schemas.errors import SchemaError
from schemas.graph import circle_in, reads, referred_by_number, sorted_by_needs
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.paths import LatentPath

RunGraph = dict[str, set[str]]
"""The nodes, each with those that it reads."""


def build_graph(schema: Schema) -> RunGraph:
    """All nodes and edges.

    Raises SchemaError for an unknown latent variable or column, for an object type with a
    variable's name, and for a circle.
    """
    graph: RunGraph = {}
    for item in schema.objects:
        if item.name in LATENT:
            raise SchemaError(
                f"{item.file}: title: {item.name} is the name of a latent variable; choose another"
            )
        graph[item.name] = _read_by(schema, item)
    _add_latents(graph, schema)
    ordered(graph)
    return graph


def drawing_graph(schema: Schema) -> RunGraph:
    """The nodes, each with those that have to be drawn before it.

    These are those that it reads, but for object types of which it needs only the number: the
    first texts are asked for before those who keep them up have names. Raises as `build_graph`.
    """
    graph = build_graph(schema)
    for item in schema.objects:
        graph[item.name] -= referred_by_number(schema, item)
    return graph


def in_order(schema: Schema) -> list[str]:
    """Node names, each behind all that it reads; ties by name, so that the order never varies."""
    return ordered(build_graph(schema))


def needed_for(graph: RunGraph, name: str) -> set[str]:
    """All nodes that a node is made from, directly or by way of others."""
    needed: set[str] = set()
    waiting = [name]
    while waiting:
        fresh = graph[waiting.pop()] - needed
        needed |= fresh
        waiting += fresh
    return needed


def first_graph(schema: Schema) -> RunGraph:
    """The written object types that are made from no other written one, and all that these need,
    each with those that have to be drawn before it.

    Only what these need is looked at, so that a run has its first texts under way before it knows
    the rest of its graph. Raises as `build_graph`.
    """
    written = {item.name for item in schema.objects if item.written}
    first: RunGraph = {}
    for name in sorted(written):
        if _objects_behind(schema, name).isdisjoint(written):
            found = _graph_behind(schema, name)
            if found.keys().isdisjoint(written - {name}):
                first |= found
    ordered(first)
    return first


def _objects_behind(schema: Schema, name: str) -> set[str]:
    """The object types that one is made from as the schema alone tells."""
    behind: set[str] = set()
    waiting = [name]
    while waiting:
        fresh = reads(schema, schema.object(waiting.pop())) - behind - {name}
        behind |= fresh
        waiting += fresh
    return behind


def _graph_behind(schema: Schema, name: str) -> RunGraph:
    """A node and all that have to be drawn before it, each with those before it."""
    graph: RunGraph = {}
    waiting = [name]
    while waiting:
        node = waiting.pop()
        if node in graph:
            continue
        if schema.has(node):
            item = schema.object(node)
            graph[node] = _read_by(schema, item) - referred_by_number(schema, item)
        else:
            graph[node] = _read_by_latent(schema, node)
        waiting += graph[node]
    return graph


def _read_by(schema: Schema, item: ObjectType) -> set[str]:
    read = reads(schema, item) - {item.name}
    for path in sorted(item.latents, key=str):
        read.update(_along(item, path))
    return read


def _read_by_latent(schema: Schema, name: str) -> set[str]:
    return {known for known in LATENT[name].reads if known in LATENT or schema.has(known)}


def _along(item: ObjectType, path: LatentPath) -> list[str]:
    """The variable that a path starts in and the object type that it goes on to, if it does."""
    _check_path(item, path)
    column, references = path.column, LATENT[path.variable].references
    if column and column.rest and column.first in references:
        return [path.variable, references[column.first]]
    return [path.variable]


def _check_path(item: ObjectType, path: LatentPath) -> None:
    variable, table, column = path.variable, path.table, path.column
    if variable not in LATENT:
        raise SchemaError(
            f"{item.file}: {path}: there is no latent variable {variable}; use one of"
            f" {', '.join(LATENT)}"
        )
    tables = LATENT[variable].tables
    if table not in tables:
        raise SchemaError(
            f"{item.file}: {path}: {variable} has no table {table}; it has {', '.join(tables)}"
        )
    if column and column.first not in tables[table]:
        raise SchemaError(
            f"{item.file}: {path}: {variable}.{table} has no column {column.first}; it has"
            f" {', '.join(tables[table])}"
        )


def _add_latents(graph: RunGraph, schema: Schema) -> None:
    """Adds the variables that object types read, and those that they read in turn."""
    waiting = [name for name in set().union(*graph.values()) if not schema.has(name)]
    while waiting:
        name = waiting.pop()
        if name in graph:
            continue
        graph[name] = _read_by_latent(schema, name)
        waiting += graph[name] - graph.keys()
    for name, others in READ_WHERE_MADE.items():
        if name in graph:
            graph[name] |= graph.keys() & set(others)


def ordered(graph: RunGraph) -> list[str]:
    """The nodes of a graph, each behind those it names; ties by name.

    Raises SchemaError for a circle.
    """
    try:
        return sorted_by_needs(graph, lambda name: (0, name))
    except CycleError as error:
        circle = circle_in(error)
        told = " -> ".join([*circle, circle[0]])
        raise SchemaError(
            f"nodes need one another in a circle: {told}; remove one of the references"
        ) from error
