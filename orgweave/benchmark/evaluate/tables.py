"""Scores for people: tables in Markdown (tasks across, agents down, as the paper's table 2),
scores.json, a picture. Computes nothing.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from orgweave.benchmark.evaluate.results import ALL, SHORTS, Figures, ScoreRow

COLUMNS = (*SHORTS, ALL)
NOTHING = "–"
BARS = 0.8


def table_text(rows: Sequence[ScoreRow]) -> str:
    """All tables: scores, answerable and unanswerable apart, pass^k where there were several
    trials, cost.
    """
    parts = [
        (
            "Scores (%): token F1 for KQA, exact match for all others; ± standard error",
            _scores(rows, lambda row: row.every, True),
        ),
        ("Answerable only", _scores(rows, lambda row: row.answerable)),
        ("Unanswerable only", _scores(rows, lambda row: row.unanswerable)),
        ("pass^k (%), over all tasks but KQA", _passes(rows)),
        ("A trial on average", _means(rows)),
    ]
    return "\n\n".join(f"{title}\n\n{table}" for title, table in parts if table)


def write_scores(rows: Sequence[ScoreRow], folder: Path) -> None:
    """scores.json, scores.md and scores.png."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.json").write_text(
        json.dumps([_without_nan(asdict(row)) for row in rows], indent=2) + "\n", encoding="utf-8"
    )
    (folder / "scores.md").write_text(table_text(rows) + "\n", encoding="utf-8")
    draw(rows, folder / "scores.png")


def draw(rows: Sequence[ScoreRow], path: Path) -> None:
    """Bars of every row's scores by task, with standard errors."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    axes = figure.subplots()
    width = BARS / len(rows)
    for at, row in enumerate(rows):
        shown = [
            (place, row.every[short]) for place, short in enumerate(COLUMNS) if short in row.every
        ]
        places = [place - BARS / 2 + width * (at + 0.5) for place, _ in shown]
        errors = [0.0 if math.isnan(one.error) else 100 * one.error for _, one in shown]
        axes.bar(
            places,
            [100 * one.mean for _, one in shown],
            width,
            yerr=errors,
            label=row.name,
            error_kw={"elinewidth": 0.8},
        )
    axes.set_xticks(range(len(COLUMNS)), COLUMNS)
    axes.set_ylim(0, 105)
    axes.set_ylabel("score (%)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    figure.savefig(path, dpi=150)


def _scores(
    rows: Sequence[ScoreRow], of: Callable[[ScoreRow], Mapping[str, Figures]], errors: bool = False
) -> str:
    shown = [row for row in rows if of(row)]
    return _table(
        ["agent", *COLUMNS],
        [[row.name, *(_score(of(row).get(short), errors) for short in COLUMNS)] for row in shown],
    )


def _score(figures: Figures | None, error: bool) -> str:
    if figures is None:
        return NOTHING
    return f"{100 * figures.mean:.1f}" + (
        f" ± {100 * figures.error:.1f}" if error and not math.isnan(figures.error) else ""
    )


def _passes(rows: Sequence[ScoreRow]) -> str:
    most = max((len(row.every[ALL].passes) for row in rows), default=0)
    if most < 2:
        return ""
    cells = [
        [
            row.name,
            *(
                f"{100 * row.every[ALL].passes[k]:.1f}" if k in row.every[ALL].passes else NOTHING
                for k in range(1, most + 1)
            ),
        ]
        for row in rows
    ]
    return _table(["agent", *(f"k={k}" for k in range(1, most + 1))], cells)


def _means(rows: Sequence[ScoreRow]) -> str:
    return _table(
        [
            "agent",
            "instances",
            "turns",
            "prompt tokens",
            "answer tokens",
            "dollars",
            "stopped or failed",
        ],
        [[row.name, *_of_trial(row.every[ALL])] for row in rows],
    )


def _of_trial(figures: Figures) -> list[str]:
    cost = NOTHING if figures.cost is None else f"{figures.cost:.4f}"
    return [
        str(figures.instances),
        f"{figures.turns:.1f}",
        f"{figures.tokens_in:,.0f}",
        f"{figures.tokens_out:,.0f}",
        cost,
        str(figures.failed),
    ]


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    if not body:
        return ""
    widths = [max(len(line[at]) for line in [head, *body]) for at in range(len(head))]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join(
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    )


def _without_nan(value: object) -> object:
    """JSON has no NaN: a standard error of one value is null."""
    if isinstance(value, dict):
        return {str(key): _without_nan(one) for key, one in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value
