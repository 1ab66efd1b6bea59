"""Samplers that read other values: references, copies along them, templates, maps, latent columns.

Each value is made from the tables of the org so far or from columns of the same record.
"""

from collections import Counter

import numpy as np

from pipeline.sample.apart import marked, names_someone, room_for_mark
from pipeline.sample.draw import Draw
from pipeline.world.paths import along, fill, latent_values
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, objects, strings
from schemas.errors import SchemaError
from schemas.paths import LatentPath
from schemas.sources import (
    BaseSource,
    CopySource,
    KeptReference,
    LatentSource,
    MapSource,
    PresentReference,
    ReferenceSource,
    TemplateSource,
    WhenSource,
)

# Records and users both grow with the company; so many pairs at once take some megabytes.
PAIRS_AT_ONCE = 250_000


def draw_reference(draw: Draw[ReferenceSource]) -> Array:
    """Row numbers of the referenced object type."""
    drawn = _referred(draw)
    kept = draw.source.kept
    if kept is None:
        return drawn
    same = along(draw.org, draw.table, kept.value) == along(draw.org, draw.table, kept.equals)
    return np.where(same, _kept(draw, kept), drawn)


def _kept(draw: Draw[ReferenceSource], kept: KeptReference) -> Array:
    """Row numbers that are taken where two values are equal."""
    if kept.refers is not None:
        return along(draw.org, draw.table, kept.refers)
    assert kept.weights is not None
    return _weighted(draw, kept.weights, draw.shared_stream(f"{draw.field.name}.kept"))


def _weighted(draw: Draw[ReferenceSource], path: LatentPath, rng: Stream) -> Array:
    """Row numbers by a latent column's weights."""
    weights = latent_values(draw.org, path).astype(float)
    return rng.choice(len(weights), size=draw.size, p=weights / weights.sum())


def _weighted_there(
    draw: Draw[ReferenceSource],
    path: LatentPath,
    present: PresentReference,
) -> Array:
    """Row numbers by a latent column's weights, of those who are there at each record's moment.

    Where nobody with a weight is there, it is one of all.
    """
    weights = latent_values(draw.org, path).astype(float)
    # Only some of all users have a weight, which keeps the matrices small.
    may = np.flatnonzero(weights)
    since = latent_values(draw.org, present.since)[may]
    last_day = latent_values(draw.org, present.until)[may]
    moments = along(draw.org, draw.table, present.moment)
    points = draw.stream().random(draw.size)
    found = np.empty(draw.size, dtype=np.int64)
    at_once = max(PAIRS_AT_ONCE // max(len(may), 1), 1)
    for start in range(0, draw.size, at_once):
        rows = slice(start, start + at_once)
        there = _there(moments[rows], since, last_day)
        likely = np.where(there, weights[may], 0.0)
        nobody = ~there.any(axis=1)
        likely[nobody] = weights[may]
        found[rows] = may[_columns(likely, points[rows])]
    return found


def _there(
    moments: Array,
    since: Array,
    last_day: Array,
) -> Array:
    """Who is there at each moment, a row a moment: from their first moment to their last day."""
    moment = moments.astype("datetime64[s]")[:, None]
    day = moment.astype("datetime64[D]")
    last = last_day.astype("datetime64[D]")
    has_come = since.astype("datetime64[s]") <= moment
    stays = np.isnat(last) | (day <= last)
    both: Array = has_come & stays
    return both


def _columns(
    weights: Array,
    points: Array,
) -> Array:
    """The column of each row that its point between 0 and 1 falls on, by the row's weights."""
    bounds = np.cumsum(weights, axis=1)
    whole = bounds[:, -1:]
    behind = points[:, None] * whole >= bounds
    # A point behind the last bound, by rounding, is within it.
    last = weights.shape[1] - 1
    columns: Array = np.minimum(behind.sum(axis=1), last)
    return columns


def _referred(draw: Draw[ReferenceSource]) -> Array:
    source = draw.source
    if source.latent:
        return _latent_column(draw, source.latent)
    parents = _number_of(draw, source.reference)
    if not parents and draw.size:
        raise SchemaError(
            f"{draw.where}: there are no {source.reference} records to refer to; ask for at least"
            " one"
        )
    # With neither parents nor rows to draw, 1 stands in for a bound that must not be 0.
    bound = max(parents, 1)
    if source.weights and source.present:
        return _weighted_there(draw, source.weights, source.present)
    if source.weights:
        return _weighted(draw, source.weights, draw.stream())
    if source.by == "uniform":
        return draw.stream().integers(0, bound, size=draw.size)
    if source.by == "each":
        return np.arange(draw.size) % bound
    return _parent_rows(draw)


def _number_of(draw: Draw[ReferenceSource], name: str) -> int:
    """How many records another object type has; where that was asked for it may yet be drawn."""
    count = draw.org.setting.schema.object(name).count
    return draw.org.setting.count(name) if count.is_asked_for else draw.org.table(name).size


def _parent_rows(draw: Draw[ReferenceSource]) -> Array:
    """The row of the parent that each record was counted by.

    `{per: Order, number: 2}` gives 0 0 1 1 ...; `{cross: [A, B]}` goes through all B for each A.
    """
    count, parent = draw.item.count, draw.source.reference
    rows = np.arange(draw.size)
    if count.per == parent:
        return rows // max(count.number or 1, 1)
    if count.cross and parent in count.cross:
        outer, inner = count.cross
        inner_size = draw.org.table(inner).size
        return rows // inner_size if parent == outer else rows % inner_size
    raise SchemaError(f"{draw.where}: {parent} is not a parent in x-count; use by: uniform")


def draw_latent(draw: Draw[LatentSource]) -> Array:
    """A latent variable's column, which must have a row for each record."""
    return _latent_column(draw, draw.source.latent)


def _latent_column(draw: Draw[BaseSource], path: LatentPath) -> Array:
    values = latent_values(draw.org, path)
    if len(values) != draw.size:
        rows, name = len(values), draw.item.name
        raise SchemaError(
            f"{draw.where}: {path} has {rows} rows and {name} {draw.size}; count the object by that"
            " latent table (x-count: {latent: …})"
        )
    return values


def draw_copy(draw: Draw[CopySource]) -> Array:
    """The value at a path's end."""
    return along(draw.org, draw.table, draw.source.path)


def draw_when(draw: Draw[WhenSource]) -> Array:
    """One of two paths' values, by a third that is true or not."""
    source = draw.source
    when = along(draw.org, draw.table, source.when)
    then = along(draw.org, draw.table, source.then)
    otherwise = along(draw.org, draw.table, source.otherwise)
    return np.where(when.astype(bool), then, otherwise).astype(object)


def draw_map(draw: Draw[MapSource]) -> Array:
    """A value looked up by another field's."""
    source = draw.source
    keys = along(draw.org, draw.table, source.map)
    found = [source.to.get(str(key), source.default) for key in keys]
    return objects(found)


def draw_template(draw: Draw[TemplateSource]) -> Array:
    """A template filled in, cut to the field's length.

    Where the field is unique, a second `anna.miller@` becomes `anna.miller2@`.
    """
    try:
        values = fill(draw.org, draw.table, draw.source.template)
    except SchemaError as error:
        raise SchemaError(f"{draw.where}.x-source.template: {error}") from error
    is_marked = draw.field.unique and not names_someone(draw.item, draw.source.template)
    limit = room_for_mark(draw) if is_marked else draw.max_length
    if limit:
        values = strings([value[:limit] for value in values])
    if draw.field.unique:
        values = distinct(values, limit)
    return marked(draw, values) if is_marked else values


def distinct(values: Array, limit: int | None = None) -> Array:
    """Texts made unique by a number before the `@` or at the end, never longer than `limit`."""
    used = set(values)
    seen: Counter[str] = Counter()
    made = []
    for value in values:
        seen[value] += 1
        if seen[value] == 1:
            made.append(value)
        else:
            made.append(_numbered(value, seen, used, limit))
    return strings(made)


def _numbered(value: str, seen: Counter[str], used: set[str], limit: int | None) -> str:
    """`value` with the next number that makes a new text.

    The number is counted on in `seen`, and the new text is noted in `used`.
    """
    head, at_sign, tail = value.partition("@")
    while True:
        ending = f"{seen[value]}{at_sign}{tail}"
        room = limit - len(ending) if limit else len(head)
        candidate = head[:room] + ending
        if candidate not in used:
            used.add(candidate)
            return candidate
        seen[value] += 1
