"""Scores for people: tables in Markdown (tasks across, agents down, as the paper's table 2),
scores.json, a picture. Computes nothing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from orgweave.benchmark.evaluate.results import ALL, SHORTS, Figures, ScoreRow
from pipeline.atomic import write_json, write_text
from pipeline.text_table import column_widths
from schemas.errors import BadInput
from schemas.regular import json_of, regular_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (*SHORTS, ALL)
SCORE_FILES = ("scores.json", "scores.md", "scores.png")
ROW_KEYS = {"agent", "model", "org", "every", "answerable", "unanswerable"}
"""Keys that a row of any version has."""
SCORED = "token F1 for KQA, exact match for all others; ± standard error over facts"
UNKNOWN = "–"
PANEL = 4.5
"""Inches that a set's bars are high."""
BARS = 0.8
"""The width of a task's bars together, where 1 is the way from one task to the next."""
MEANS = (
    "agent",
    "instances",
    "turns",
    "prompt tokens",
    "answer tokens",
    "dollars",
    "stopped or failed",
)
FiguresOfRow = Callable[[ScoreRow], Mapping[str, Figures]]


def table_text(rows: Sequence[ScoreRow]) -> str:
    """All tables: scores, answerable and unanswerable apart, pass^k where there were several
    trials, cost.

    Only agents who were given the same instances stand in one table; each set has tables of its
    own, below a line that says which it is.
    """
    sets = sets_of(rows)
    if len(sets) == 1:
        return _tables(rows)
    parts = []
    for number, own in enumerate(sets, 1):
        parts.append(f"Set {number} of {len(sets)}: {set_name(own[0])}\n\n{_tables(own)}")
    return "\n\n".join(parts)


def sets_of(rows: Sequence[ScoreRow]) -> list[list[ScoreRow]]:
    """The rows by the instances that were tried, the largest set first."""
    found: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        found.setdefault((row.org, row.instances), []).append(row)
    return sorted(found.values(), key=lambda own: -_number(own[0]))


def set_name(row: ScoreRow) -> str:
    """What a row's set of instances is: `165 instances of 11 tasks on shoes`."""
    tasks = [short for short in SHORTS if short in row.every]
    named = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks"
    return f"{_number(row):,} instances of {named} on {row.org}"


def _number(row: ScoreRow) -> int:
    return sum(row.every[short].instances for short in SHORTS if short in row.every)


def _tables(rows: Sequence[ScoreRow]) -> str:
    tables = {
        f"Scores (%): {SCORED}": _scores(rows, lambda row: row.every, errors=True),
        "Whole groups (%): all twins of a group right": _wholes(rows),
        "Answerable only": _scores(rows, lambda row: row.answerable),
        "Unanswerable only": _scores(rows, lambda row: row.unanswerable),
        "pass^k (%), over all tasks but KQA": _passes(rows),
        "A trial on average": _means(rows),
    }
    parts = [f"{title}\n\n{table}" for title, table in tables.items() if table]
    return "\n\n".join(parts)


def check_scores_place(folder: Path, option: str) -> None:
    """Raises BadInput where scores of somebody's own would be replaced; `option` names the folder.

    Scores are ours where scores.json is: it is written first and removed never.
    """
    there = [name for name in SCORE_FILES if (folder / name).exists()]
    if there and not _are_ours(folder / SCORE_FILES[0]):
        raise BadInput(
            f"{option} {folder}: holds {there[0]}, which orgweave didn't write; name another folder"
        )


def _are_ours(path: Path) -> bool:
    """Whether a file is a list of rows as `write_scores` writes them."""
    try:
        rows = json_of(regular_text(path))
    except (OSError, ValueError):
        return False
    if not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, dict) and row.keys() >= ROW_KEYS for row in rows)


def write_scores(rows: Sequence[ScoreRow], folder: Path) -> None:
    """Writes scores.json, scores.md and scores.png."""
    data_file, table_file, picture_file = (folder / name for name in SCORE_FILES)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(data_file, [_without_nan(asdict(row)) for row in rows])
    write_text(table_file, iter([table_text(rows), "\n"]))
    draw(rows, picture_file)


def draw(rows: Sequence[ScoreRow], path: Path) -> None:
    """Draws bars of every row's scores by task, with standard errors; a panel for each set."""
    from matplotlib.figure import Figure

    sets = sets_of(rows)
    figure = Figure(figsize=(11, PANEL * len(sets)), layout="constrained")
    for number, own in enumerate(sets, 1):
        axes = figure.add_subplot(len(sets), 1, number)
        axes.set_title(set_name(own[0]), fontsize="medium")
        _draw_set(axes, own)
    figure.savefig(path, dpi=150)


def _draw_set(axes: "Axes", rows: Sequence[ScoreRow]) -> None:
    width = BARS / len(rows)
    for number, row in enumerate(rows):
        left = width * (number + 0.5) - BARS / 2
        places, heights, errors = [], [], []
        for place, short in enumerate(COLUMNS):
            if short in row.every:
                figures = row.every[short]
                places.append(place + left)
                heights.append(100 * figures.mean)
                errors.append(0.0 if math.isnan(figures.error) else 100 * figures.error)
        axes.bar(
            places,
            heights,
            width,
            yerr=errors,
            label=row.name,
            error_kw={"elinewidth": 0.8},
        )
    axes.set_xticks(range(len(COLUMNS)), COLUMNS)
    # A little room above 100 % for the error bars.
    axes.set_ylim(0, 105)
    axes.set_ylabel("score (%)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")


def _scores(
    rows: Sequence[ScoreRow],
    figures_of_row: FiguresOfRow,
    errors: bool = False,
) -> str:
    body = []
    for row in rows:
        figures = figures_of_row(row)
        if figures:
            cells = [_score(figures.get(short), errors) for short in COLUMNS]
            body.append([row.name, *cells])
    return _markdown(["agent", *COLUMNS], body)


def _score(figures: Figures | None, error: bool) -> str:
    if figures is None:
        return UNKNOWN
    mean = f"{100 * figures.mean:.1f}"
    if not error or math.isnan(figures.error):
        return mean
    return f"{mean} ± {100 * figures.error:.1f}"


def _wholes(rows: Sequence[ScoreRow]) -> str:
    """The share of groups that are right as a whole; an empty text where every group is one."""
    if all(row.every[ALL].groups == row.every[ALL].instances for row in rows):
        return ""
    body = []
    for row in rows:
        cells = [row.name]
        for short in COLUMNS:
            figures = row.every.get(short)
            cells.append(UNKNOWN if figures is None else f"{100 * figures.whole:.1f}")
        body.append(cells)
    return _markdown(["agent", *COLUMNS], body)


def _passes(rows: Sequence[ScoreRow]) -> str:
    most = max((len(row.every[ALL].passes) for row in rows), default=0)
    if most < 2:
        return ""
    body = []
    for row in rows:
        passes = row.every[ALL].passes
        cells = [row.name]
        for k in range(1, most + 1):
            cells.append(f"{100 * passes[k]:.1f}" if k in passes else UNKNOWN)
        body.append(cells)
    return _markdown(["agent", *(f"k={k}" for k in range(1, most + 1))], body)


def _means(rows: Sequence[ScoreRow]) -> str:
    body = []
    for row in rows:
        figures = row.every[ALL]
        cells = [
            row.name,
            str(figures.instances),
            f"{figures.turns:.1f}",
            f"{figures.tokens_in:,.0f}",
            f"{figures.tokens_out:,.0f}",
            UNKNOWN if figures.cost is None else f"{figures.cost:.4f}",
            str(figures.failed),
        ]
        body.append(cells)
    return _markdown(MEANS, body)


def _markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table in Markdown whose source is aligned; an empty text without rows."""
    if not body:
        return ""
    widths = column_widths([head, *body])
    rule = ["-" * width for width in widths]
    lines = []
    for row in (head, rule, *body):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _without_nan(value: object) -> object:
    """JSON has no NaN: a standard error of one value is null."""
    if isinstance(value, dict):
        return {str(key): _without_nan(part) for key, part in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value
