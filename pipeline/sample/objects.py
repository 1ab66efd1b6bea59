"""One object type's facts: how many rows, and every field that needs no words; `finish` adds those that do.

Knows the order of fields inside an object type; the order of object types stands in `pipeline.plan`.
"""

from collections.abc import Iterable, Mapping

import networkx as nx

from pipeline.org import Org
from pipeline.sample.draw import Draw
from pipeline.sample.registry import SAMPLERS
from pipeline.tables import Array, Table
from schemas.errors import SchemaError
from schemas.model import Field, ObjectType, paths_of


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
    empty = Table(item.name, size_of(org, item), {}, references_of(item))
    return _draw(org, item, empty, (field for field in in_order(item) if field.name not in written | late))


def finish(org: Org, item: ObjectType, facts: Table, words: Mapping[str, Array]) -> Table:
    """The table completed by its words and by the fields made from them, in the order of the schema's file."""
    with_words = Table(facts.name, facts.size, {**facts.columns, **words}, facts.references)
    done = set(with_words.columns)
    whole = _draw(org, item, with_words, (field for field in in_order(item) if field.name not in done))
    return Table(whole.name, whole.size, {field.name: whole[field.name] for field in item.fields}, whole.references)


def references_of(item: ObjectType) -> dict[str, str]:
    """Which columns hold row numbers of which object type (references, and texts that hold ids)."""
    soft = {field.name: field.holds_ids for field in item.fields if field.holds_ids}
    return soft | {field.name: str(field.reference) for field in item.references}


def in_order(item: ObjectType) -> list[Field]:
    """Fields so that each stands behind those it is made from; raises SchemaError on a circle."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(field.name for field in item.fields)
    graph.add_edges_from((name, field.name) for field in item.fields for name in _needs(item, field))
    place = {field.name: at for at, field in enumerate(item.fields)}
    try:
        names = list(nx.lexicographical_topological_sort(graph, key=lambda name: place[name]))
    except nx.NetworkXUnfeasible as error:
        circle = [edge[0] for edge in nx.find_cycle(graph)]
        raise SchemaError(f"{item.file}: fields are made from one another in a circle: {' -> '.join([*circle, circle[0]])}") from error
    return [item.field(name) for name in names]


def _needs(item: ObjectType, field: Field) -> set[str]:
    return {path.split(".")[0] for path in paths_of(field) if item.has(path.split(".")[0])}


def _depending(item: ObjectType, names: set[str]) -> set[str]:
    late: set[str] = set()
    for field in in_order(item):
        if _needs(item, field) & (names | late):
            late.add(field.name)
    return late


def _draw(org: Org, item: ObjectType, start: Table, fields: Iterable[Field]) -> Table:
    columns: dict[str, Array] = dict(start.columns)
    for field in fields:
        at = Table(start.name, start.size, columns, start.references)
        columns[field.name] = SAMPLERS[type(field.source).__name__](Draw(org, item, field, at))
    return Table(start.name, start.size, columns, start.references)
