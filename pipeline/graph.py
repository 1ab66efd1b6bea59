"""The DAG of a job: object types and latent variables, an edge from what is read to what reads it,
in topological order.
"""

import networkx as nx

from latent.registry import LATENT
from schemas.errors import SchemaError
from schemas.graph import reads
from schemas.model import ObjectType, Schema
from schemas.paths import LatentPath


def build_graph(schema: Schema) -> "nx.DiGraph[str]":
    """All nodes and edges; raises SchemaError for an unknown latent variable or column and for a
    circle.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for item in schema.objects:
        graph.add_node(item.name, kind="object")
        graph.add_edges_from(
            (name, item.name) for name in sorted(reads(schema, item)) if name != item.name
        )
        for path in sorted(item.latents, key=str):
            graph.add_edges_from((name, item.name) for name in _along(item, path))
    _add_latents(graph, schema)
    _check_acyclic(graph)
    return graph


def in_order(schema: Schema) -> list[str]:
    """Node names, each behind all that it reads; ties by name, so that the order never varies."""
    return list(nx.lexicographical_topological_sort(build_graph(schema)))


def is_latent(schema: Schema, name: str) -> bool:
    """Whether a node is a latent variable."""
    return not schema.has(name)


def _along(item: ObjectType, path: LatentPath) -> list[str]:
    """The variable that a path starts in and the object type that it goes on to, if it does."""
    _check_path(item, path)
    named = [path.variable]
    refers = LATENT[path.variable].references
    if path.column and path.column.rest and path.column.first in refers:
        named.append(refers[path.column.first])
    return named


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
    if not nx.is_directed_acyclic_graph(graph):
        circle = [edge[0] for edge in nx.find_cycle(graph)]
        raise SchemaError(
            f"nodes need one another in a circle: {' -> '.join([*circle, circle[0]])}; remove one"
            " of the references"
        )
