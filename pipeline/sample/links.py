"""Samplers that read other records: references, copies along them, templates, maps,
latent columns.
"""

from collections import Counter
from typing import cast

import numpy as np

from pipeline.sample.draw import Draw
from pipeline.world.paths import along, fill
from pipeline.world.tables import Array, strings
from schemas.errors import SchemaError
from schemas.sources import (
    CopySource,
    LatentSource,
    MapSource,
    ReferenceSource,
    TemplateSource,
    WhenSource,
)


def draw_reference(draw: Draw) -> Array:
    """Row numbers of the referenced object type."""
    source = cast(ReferenceSource, draw.source)
    if source.latent:
        return _column(draw, source.latent)
    parents = draw.org.table(source.reference).size
    if not parents and draw.size:
        raise SchemaError(
            f"{draw.item.file}: properties.{draw.field.name}: there are no {source.reference}"
            " records to refer to; ask for at least one"
        )
    if source.by == "uniform":
        return draw.stream().integers(0, max(parents, 1), size=draw.size)
    if source.by == "each":
        return np.arange(draw.size) % max(parents, 1)
    return _parent_rows(draw, source.reference)


def _parent_rows(draw: Draw, parent: str) -> Array:
    count = draw.item.count
    if count.per == parent:
        return np.arange(draw.size) // max(count.number or 1, 1)
    if count.cross and parent in count.cross:
        inner = draw.org.table(count.cross[1]).size
        rows = np.arange(draw.size)
        return rows // inner if parent == count.cross[0] else rows % inner
    raise SchemaError(
        f"{draw.item.file}: properties.{draw.field.name}: {parent} is not a parent in x-count; use"
        " by: uniform"
    )


def draw_latent(draw: Draw) -> Array:
    """A latent variable's column, which must have as many rows as the object."""
    return _column(draw, cast(LatentSource, draw.source).latent)


def _column(draw: Draw, path: str) -> Array:
    values = along(draw.org, draw.at, f"latent.{path}")
    if len(values) != draw.size:
        raise SchemaError(
            f"{draw.item.file}: properties.{draw.field.name}: {path} has {len(values)} rows and"
            f" {draw.item.name} {draw.size}; count the object by that latent table (x-count:"
            " {latent: …})"
        )
    return values


def draw_copy(draw: Draw) -> Array:
    """The value at a path's end."""
    return along(draw.org, draw.at, cast(CopySource, draw.source).copy_)


def draw_when(draw: Draw) -> Array:
    """One of two paths' values, by a third that is true or not."""
    source = cast(WhenSource, draw.source)
    when, then, other = (
        along(draw.org, draw.at, path) for path in (source.when, source.then, source.else_)
    )
    return np.where(when.astype(bool), then, other).astype(object)


def draw_map(draw: Draw) -> Array:
    """A value looked up by another field's."""
    source = cast(MapSource, draw.source)
    keys = along(draw.org, draw.at, source.map)
    found = np.empty(draw.size, dtype=object)
    found[:] = [source.to.get(str(key), source.default) for key in keys]
    return found


def draw_template(draw: Draw) -> Array:
    """A template filled in; where the field is unique, a second `anna.miller@` becomes
    `anna.miller2@`.
    """
    try:
        values = fill(draw.org, draw.at, cast(TemplateSource, draw.source).template)
    except SchemaError as error:
        raise SchemaError(
            f"{draw.item.file}: properties.{draw.field.name}.x-source.template: {error}"
        ) from error
    limit = draw.field.json_schema.get("maxLength")
    cut = strings([value[:limit] for value in values]) if limit else values
    return distinct(cut, limit) if draw.field.unique else cut


def distinct(values: Array, limit: int | None = None) -> Array:
    """Texts made unique by a number before the `@` or at the end, never longer than `limit`."""
    used = set(values)
    seen: Counter[str] = Counter()
    made = []
    for value in values:
        seen[value] += 1
        made.append(value if seen[value] == 1 else _numbered(value, seen, used, limit))
    return strings(made)


def _numbered(value: str, seen: Counter[str], used: set[str], limit: int | None) -> str:
    head, at, tail = value.partition("@")
    while True:
        number = str(seen[value])
        room = limit - len(number) - len(at + tail) if limit else len(head)
        candidate = f"{head[:room]}{number}{at}{tail}"
        if candidate not in used:
            used.add(candidate)
            return candidate
        seen[value] += 1
