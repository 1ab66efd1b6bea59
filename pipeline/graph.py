"""The DAG of a run: object types and latent variables, with an edge from what is read to what
reads it.

Knows no counts and draws nothing.
"""

import networkx as nx

from latent.registry import LATENT
from schemas.errors import SchemaError
from schemas.graph import reads
from schemas.model import ObjectType, Schema
from schemas.paths import LatentPath


def build_graph(schema: Schema) -> "nx.DiGraph[str]":
    """All nodes and edges.

    Raises SchemaError for an unknown latent variable or column, for an object type with a
    variable's name, and for a circle.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for item in schema.objects:
        if item.name in LATENT:
            raise SchemaError(
                f"{item.file}: title: {item.name} is the name of a latent variable; choose another"
            )
        graph.add_node(item.name, kind="object")
        for name in sorted(reads(schema, item) - {item.name}):
            graph.add_edge(name, item.name)
        for path in sorted(item.latents, key=str):
            for name in _along(item, path):
                graph.add_edge(name, item.name)
    _add_latents(graph, schema)
    _check_acyclic(graph)
    return graph


def in_order(schema: Schema) -> list[str]:
    """Node names, each behind all that it reads; ties by name, so that the order never varies."""
    return list(nx.lexicographical_topological_sort(build_graph(schema)))


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


def _add_latents(graph: "nx.DiGraph[str]", schema: Schema) -> None:
    waiting = [name for name in graph if not schema.has(name)]
    while waiting:
        name = waiting.pop()
        graph.add_node(name, kind="latent")
        for read in LATENT[name].reads:
            if read in LATENT and read not in graph:
                waiting.append(read)
            if read in LATENT or schema.has(read):
                graph.add_edge(read, name)


def _check_acyclic(graph: "nx.DiGraph[str]") -> None:
    if nx.is_directed_acyclic_graph(graph):
        return
    circle = [edge[0] for edge in nx.find_cycle(graph)]
    told = " -> ".join([*circle, circle[0]])
    raise SchemaError(f"nodes need one another in a circle: {told}; remove one of the references")
