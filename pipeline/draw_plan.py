"""A plan as a picture or text: a table, Mermaid, Graphviz dot, or PNG.

Latent variables are grey.
"""

from pathlib import Path

import networkx as nx

from pipeline.plan import Plan, PlanNode
from schemas.errors import BadInput, StorageFailed

GREY, BLUE = "#c9c9c9", "#9cc4e4"


def as_table(plan: Plan) -> str:
    """A line a node: what it is, how many, what is sampled, what is written and in how many
    mini-batches and lanes.
    """
    rows: list[tuple[str, ...]] = [
        (
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
    ]
    rows += [_row(node) for node in plan.nodes]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if at in (2, 5, 6, 7, 8) else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines += _sums(plan)
    return "\n".join(lines)


def _sums(plan: Plan) -> list[str]:
    """What a model would take: calls, tokens, money, and the prompt tokens of the paper's way on
    the same org.
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
    return lines


def _row(node: PlanNode) -> tuple[str, ...]:
    if node.kind == "latent":
        return (
            node.name,
            "latent",
            f"{node.records:,}",
            ", ".join(node.sampled),
            "",
            "",
            "",
            "",
            "",
        )
    written = ", ".join(node.written)
    numbers = [
        f"{number:,}" if written else ""
        for number in (node.mini_batches, node.lanes, node.tokens_in, node.tokens_out)
    ]
    return (
        node.name,
        "object",
        f"{node.records:,}",
        f"{len(node.sampled)} fields",
        written,
        *numbers,
    )


def as_mermaid(plan: Plan) -> str:
    """A Mermaid flow chart."""
    nodes = [
        f'  {node.name}["{node.name}<br/>{node.records:,}"]'
        + (":::latent" if node.kind == "latent" else ":::object")
        for node in plan.nodes
    ]
    edges = [f"  {read} --> {name}" for read, name in as_graph(plan).edges]
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
    edges = [f'  "{read}" -> "{name}";' for read, name in as_graph(plan).edges]
    return "\n".join(["digraph plan {", "  rankdir=TB; node [shape=box];", *nodes, *edges, "}"])


def write_png(plan: Plan, path: Path) -> None:
    """A PNG of the plan, laid out in layers.

    Raises BadInput where matplotlib is not installed, StorageFailed where the file can't be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BadInput(
            f"--format png needs {error.name}, which isn't installed; run: pip install"
            " 'orgweave[plots]', or use --format mermaid"
        ) from error

    graph = as_graph(plan)
    layers = {
        name: layer
        for layer, names in enumerate(nx.topological_generations(graph))
        for name in names
    }
    nx.set_node_attributes(graph, layers, "layer")
    figure = Figure(figsize=(15, 10), dpi=110)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_axis_off()
    layout = nx.multipartite_layout(graph, subset_key="layer", align="horizontal")
    places = {
        name: (float(at[0]) + 0.07 * (layers[name] % 2), -float(at[1]))
        for name, at in layout.items()
    }
    nx.draw_networkx_edges(
        graph, places, ax=axes, edge_color="#9a9a9a", arrowsize=9, node_size=2400
    )
    for node in plan.nodes:
        box = {"boxstyle": "round,pad=0.35", "facecolor": _color(node), "edgecolor": "#555555"}
        x, y = places[node.name]
        axes.text(
            x, y, f"{node.name}\n{node.records:,}", ha="center", va="center", fontsize=7.5, bbox=box
        )
    try:
        figure.savefig(path, bbox_inches="tight", metadata={"Software": None})
    except OSError as error:
        raise StorageFailed(
            f"{path}: can't be written ({error.strerror}); choose another --to"
        ) from error


def as_graph(plan: Plan) -> "nx.DiGraph[str]":
    """The plan as a networkx graph, without the edges that follow from others (transitive
    reduction): pictures stay readable.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(node.name for node in plan.nodes)
    graph.add_edges_from((read, node.name) for node in plan.nodes for read in node.reads)
    kept = sorted(nx.transitive_reduction(graph).edges)
    graph.remove_edges_from(list(graph.edges))
    graph.add_edges_from(kept)
    return graph


def _color(node: PlanNode) -> str:
    return GREY if node.kind == "latent" else BLUE
