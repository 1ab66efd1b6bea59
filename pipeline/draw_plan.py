"""A plan as a picture or text: a table, Mermaid, Graphviz dot, or PNG.

Latent variables are grey.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.plan import Plan, PlanNode
from pipeline.text_table import aligned
from schemas.errors import BadInput, StorageFailed

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.figure import Figure

GREY, BLUE = "#c9c9c9", "#9cc4e4"
PNG_MARK, PNG_HEAD = "orgweave plan", 1024
"""What a picture of ours names as its software, and in how many bytes of its beginning."""
COLUMNS = (
    "node",
    "kind",
    "records",
    "sampled",
    "written",
    "batches",
    "lanes",
    "tokens in",
    "tokens out",
)


def as_table(plan: Plan) -> str:
    """A line a node, and what a model would take for all of them.

    A node's line tells what it is, how many records it has, what is sampled, and what is written in
    how many mini-batches and lanes.
    """
    rows = [COLUMNS, *(_row(node) for node in plan.nodes)]
    return "\n".join([*aligned(rows, right=(2, 5, 6, 7, 8)), *_sums(plan)])


def _sums(plan: Plan) -> list[str]:
    """What a model would take: calls, tokens and money.

    For comparison also the prompt tokens of the paper's way on the same org.
    """
    names = (
        "units",
        "tokens_in",
        "tokens_out",
        "papers_tokens_in",
        "judge_calls",
        "judge_tokens_in",
        "judge_tokens_out",
    )
    units, tokens_in, tokens_out, papers, calls, judge_in, judge_out = (
        sum(getattr(node, name) for node in plan.nodes) for name in names
    )
    lines = [
        f"{plan.company}: {plan.mini_batches} mini-batches of at most 10 units ({units:,} units),"
        f" about {tokens_in:,} prompt and {tokens_out:,} answer tokens with a model."
    ]
    lines += [
        "Each prompt shows its own lane's earlier entries; with all earlier entries in every"
        f" prompt it would be {papers:,} prompt tokens."
    ]
    if calls:
        lines += [
            f"A judge reads what tasks depend on and a share of the rest: {calls} calls, about"
            f" {judge_in + judge_out:,} tokens."
        ]
    if plan.price.known:
        lines += [
            f"About ${plan.cost:.2f} in all, at ${plan.price.prompt:g} and ${plan.price.answer:g}"
            " for a million prompt and answer tokens."
        ]
    if plan.language:
        lines += [f"{plan.language[:1].upper()}{plan.language[1:]}."]
    return lines


def _row(node: PlanNode) -> tuple[str, ...]:
    records = f"{node.records:,}"
    if node.kind == "latent":
        return (node.name, "latent", records, ", ".join(node.sampled), *[""] * 5)
    written, fields = ", ".join(node.written), f"{len(node.sampled)} fields"
    counts = (node.mini_batches, node.lanes, node.tokens_in, node.tokens_out)
    numbers = [f"{count:,}" if written else "" for count in counts]
    return (node.name, "object", records, fields, written, *numbers)


def as_mermaid(plan: Plan) -> str:
    """A Mermaid flow chart."""
    nodes = [
        f'  {node.name}["{node.name}<br/>{node.records:,}"]:::{node.kind}' for node in plan.nodes
    ]
    edges = [f"  {read} --> {name}" for read, name in edges_of(plan)]
    return "\n".join(
        [
            "flowchart TD",
            *nodes,
            *edges,
            f"  classDef latent fill:{GREY}",
            f"  classDef object fill:{BLUE}",
        ]
    )


def as_dot(plan: Plan) -> str:
    """A Graphviz digraph."""
    nodes = [
        f'  "{node.name}" [label="{node.name}\\n{node.records:,}", style=filled,'
        f' fillcolor="{_color(node)}"];'
        for node in plan.nodes
    ]
    edges = [f'  "{read}" -> "{name}";' for read, name in edges_of(plan)]
    return "\n".join(["digraph plan {", "  rankdir=TB; node [shape=box];", *nodes, *edges, "}"])


def check_picture_place(path: Path) -> None:
    """Raises BadInput where a file lies there that no plan was drawn into.

    A picture of ours says so in its first kilobyte, in the text chunk `Software`.
    """
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            head = file.read(PNG_HEAD)
    except OSError as error:
        raise BadInput(f"--to {path}: is no file; name another one with --to") from error
    if f"Software\0{PNG_MARK}".encode() not in head:
        raise BadInput(
            f"--to {path}: holds something that `plan` didn't draw; name another file with --to"
        )


def write_png(plan: Plan, path: Path) -> None:
    """A PNG of the plan, laid out in layers.

    Raises BadInput where the extra `plots` is not installed, and StorageFailed where the file
    can't be written.
    """
    try:
        figure = _figure(plan)
    except ImportError as error:
        raise BadInput(
            f"--format png needs {error.name}, which isn't installed; run: pip install"
            " 'orgweave[plots]', or use --format mermaid"
        ) from error
    try:
        figure.savefig(path, bbox_inches="tight", metadata={"Software": PNG_MARK})
    except OSError as error:
        raise StorageFailed(
            f"{path}: can't be written ({error.strerror}); choose another --to"
        ) from error


def edges_of(plan: Plan) -> list[tuple[str, str]]:
    """What is read and what reads it, in the plan's order.

    Left out is what follows from other edges (a transitive reduction): pictures stay readable.
    """
    readers: dict[str, list[str]] = {node.name: [] for node in plan.nodes}
    before: dict[str, set[str]] = {}
    for node in plan.nodes:  # each stands behind all that it reads
        farther: set[str] = set()
        for read in node.reads:
            farther |= before[read]
        for read in set(node.reads) - farther:
            readers[read].append(node.name)
        before[node.name] = farther | set(node.reads)
    edges = []
    for read, names in readers.items():
        edges += [(read, name) for name in sorted(names)]
    return edges


def _color(node: PlanNode) -> str:
    return GREY if node.kind == "latent" else BLUE


def _figure(plan: Plan) -> "Figure":
    """The plan drawn; raises ImportError without the extra `plots`."""
    import networkx as nx
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(node.name for node in plan.nodes)
    graph.add_edges_from(edges_of(plan))
    places = _places(graph)
    figure = Figure(figsize=(15, 10), dpi=110)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_axis_off()
    nx.draw_networkx_edges(
        graph, places, ax=axes, edge_color="#9a9a9a", arrowsize=9, node_size=2400
    )
    for node in plan.nodes:
        box = {"boxstyle": "round,pad=0.35", "facecolor": _color(node), "edgecolor": "#555555"}
        x, y = places[node.name]
        axes.text(
            x, y, f"{node.name}\n{node.records:,}", ha="center", va="center", fontsize=7.5, bbox=box
        )
    return figure


def _places(graph: "nx.DiGraph[str]") -> dict[str, tuple[float, float]]:
    """Where each node stands: a row for each layer, from top to bottom."""
    import networkx as nx

    layers: dict[str, int] = {}
    for layer, names in enumerate(nx.topological_generations(graph)):
        layers.update(dict.fromkeys(names, layer))
    nx.set_node_attributes(graph, layers, "layer")
    layout = nx.multipartite_layout(graph, subset_key="layer", align="horizontal")
    # Every other layer is shifted a little, so that edges over two layers pass beside the nodes.
    return {
        name: (float(x) + 0.07 * (layers[name] % 2), -float(y)) for name, (x, y) in layout.items()
    }
