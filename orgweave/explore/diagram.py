"""How object types hang together, as an inline SVG: a box each, an edge for each reference that no
longer way says already. Who wrote a record is left out, for that is a user everywhere.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
from markupsafe import Markup

from orgweave.explore.cells import DATABASE
from orgweave.explore.views import AUDIT, ObjectView
from schemas.model import Schema

WIDTH, HEIGHT = 134, 54
"""Pixels of a box: room for two lines of a caption, and for the number below them."""
ACROSS, DOWN = 34, 12
"""Pixels between boxes: eight columns are as wide as a page."""
LEADING = 15
"""Pixels from a line of a box to the next."""
LINE_LETTERS = 16
"""Letters of a caption that fit on a line of a box."""
LINE = 1
"""Pixels around the picture, so that the outermost lines aren't cut."""
SWEEPS = 6
"""How often the columns are sorted by their neighbours; more change nothing in our schemas."""


@dataclass(frozen=True, slots=True)
class BoxCorner:
    """A box's upper left corner."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class DiagramBox:
    """What a box tells of an object type; without a `url` it leads nowhere."""

    caption: str
    says: str
    records: int
    hue: int
    url: str = ""


def boxes_of(kinds: Mapping[str, ObjectView]) -> dict[str, DiagramBox]:
    """A box for each object type of a site, which leads to its list."""
    boxes = {}
    for kind in kinds.values():
        url = f"/{DATABASE}/{kind.name}"
        boxes[kind.name] = DiagramBox(kind.caption, kind.says, kind.records, kind.hue, url)
    return boxes


def diagram(schema: Schema, kinds: Mapping[str, DiagramBox]) -> Markup:
    """The SVG; boxes link to the object types' lists, what is referred to stands to the left of
    what refers.
    """
    graph = _references(schema)
    columns = _columns(graph)
    places = _places(columns)
    width = max(place.x for place in places.values()) + WIDTH + 2
    height = max(place.y for place in places.values()) + HEIGHT + 2
    edges = Markup("").join(_edge(places[start], places[end]) for start, end in graph.edges)
    boxes = Markup("").join(_box(kinds[name], place) for name, place in places.items())
    return Markup(
        '<svg class="diagram" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img"'
        ' aria-label="How object types refer to one another">{e}{b}</svg>'
    ).format(w=round(width), h=round(height), e=edges, b=boxes)


def _references(schema: Schema) -> "nx.DiGraph[str]":
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(item.name for item in schema.objects)
    for item in schema.objects:
        telling = [field for field in item.references if field.name not in AUDIT]
        # A user's manager is a user, but nothing stands to the left of itself.
        targets = {str(field.reference) for field in telling} - {item.name}
        graph.add_edges_from((target, item.name) for target in sorted(targets))
    return nx.transitive_reduction(graph)


def _columns(graph: "nx.DiGraph[str]") -> list[list[str]]:
    """Object types by column, each just to the right of the last that it refers to; inside a column
    near what they are joined to.
    """
    column: dict[str, int] = {}
    for name in nx.lexicographical_topological_sort(graph):
        before = [column[other] for other in graph.predecessors(name)]
        column[name] = max(before, default=-1) + 1
    columns: list[list[str]] = [[] for _ in range(max(column.values()) + 1)]
    for name in sorted(graph):
        columns[column[name]].append(name)
    for _ in range(SWEEPS):
        height = _heights(columns)
        for names in columns:
            names.sort(key=lambda name: _middle(graph, name, height))
    return columns


def _heights(columns: Sequence[Sequence[str]]) -> dict[str, float]:
    """How far down each object type stands in its column: 0 is the top, 1 the bottom."""
    height: dict[str, float] = {}
    for names in columns:
        for row, name in enumerate(names):
            height[name] = (row + 0.5) / len(names)
    return height


def _middle(graph: "nx.DiGraph[str]", name: str, height: Mapping[str, float]) -> tuple[float, str]:
    """The mean height of what an object type is joined to; what stands alone goes to the bottom."""
    near = [height[other] for other in nx.all_neighbors(graph, name)]
    return (sum(near) / len(near) if near else 1.0, name)


def _places(columns: Sequence[Sequence[str]]) -> dict[str, BoxCorner]:
    """The corner of each box; short columns stand in the middle of the picture's height."""
    most = max(len(names) for names in columns)
    places: dict[str, BoxCorner] = {}
    for number, names in enumerate(columns):
        x = LINE + number * (WIDTH + ACROSS)
        above = (most - len(names)) / 2
        for row, name in enumerate(names):
            places[name] = BoxCorner(x, LINE + (row + above) * (HEIGHT + DOWN))
    return places


def _edge(start: BoxCorner, end: BoxCorner) -> Markup:
    x1, y1, x2, y2 = start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2
    bend = (x2 - x1) / 2
    return Markup('<path d="M{:.0f} {:.0f} C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}"/>').format(
        x1,
        y1,
        x1 + bend,
        y1,
        x2 - bend,
        y2,
        x2,
        y2,
    )


def _box(kind: DiagramBox, place: BoxCorner) -> Markup:
    lines = _lines(kind.caption)
    top = place.y + (HEIGHT - LEADING * (len(lines) + 1)) / 2 + 12
    x = place.x + 9
    texts = Markup("")
    for number, line in enumerate(lines):
        y = top + LEADING * number
        texts += Markup('<text x="{:.0f}" y="{:.0f}">{}</text>').format(x, y, line)
    inside = Markup(
        '<title>{says}</title><rect x="{x:.0f}" y="{y:.0f}" width="{w}" height="{h}" rx="9"/>'
        '{texts}<text class="n" x="{tx:.0f}" y="{ny:.0f}">{n:,}</text>'
    ).format(
        says=f"{kind.caption}: {kind.says}",
        x=place.x,
        y=place.y,
        w=WIDTH,
        h=HEIGHT,
        texts=texts,
        tx=x,
        ny=top + LEADING * len(lines),
        n=kind.records,
    )
    if not kind.url:
        return Markup('<g style="--hue:{}">{}</g>').format(kind.hue, inside)
    return Markup('<a href="{}" style="--hue:{}">{}</a>').format(kind.url, kind.hue, inside)


def _lines(caption: str) -> list[str]:
    """A caption on two lines at most; what is too long even so ends in an ellipsis."""
    lines = textwrap.wrap(caption, LINE_LETTERS)
    if len(lines) > 1:
        lines = [lines[0], textwrap.shorten(" ".join(lines[1:]), LINE_LETTERS, placeholder=" …")]
    return lines
