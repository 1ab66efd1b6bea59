"""The page's charts as inline SVG, drawn by matplotlib. Knows numbers and captions, no files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orgweave.report.benchmark_facts import AgentScore, TaskSpread
from orgweave.report.drawing import (
    BAR,
    INK,
    INSIDE,
    LINE,
    NARROW,
    OUTSIDE,
    figure_of,
    plain,
    svg_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.34
"""Inches of a row with its caption above it."""

CAPTION = 8
"""Points of a caption's letters."""

CARD_WIDTH, CARD_HEIGHT = 2.0, 1.05
"""Inches of an effect's chart: two stand beside each other on a phone."""
CARD_LETTERS = 8

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class EffectCard:
    """An effect with its chart; `size` is on the scale that `measure` names."""

    variable: str
    says: str
    measure: str
    size: float
    records: int
    present: bool
    chart: str


def effect_chart(label: str, seen: Sequence[Point], present: bool) -> str:
    """What is seen (upwards) for more and more of a hidden cause (to the right).

    Two points are two groups, without the cause and with it; "" where nothing was measured.
    """
    if len(seen) < 2:
        return ""
    figure = figure_of(CARD_HEIGHT, CARD_WIDTH)
    axes = figure.add_subplot(1, 1, 1)
    color = INSIDE if present else OUTSIDE
    values = [value for _, value in seen]
    if len(seen) == 2:
        axes.bar([0, 1], values, color=[INK, color], width=0.6)
        axes.patches[0].set_alpha(0.25)
        axes.set_xlim(-0.7, 1.7)
    else:
        places = range(len(seen))
        axes.plot(places, values, "o-", color=color, markersize=3.5, linewidth=1.5)
        axes.set_xlim(-0.4, len(seen) - 0.6)
    axes.set_xticks([0, len(seen) - 1], _ends(seen), fontsize=CARD_LETTERS)
    axes.tick_params(axis="y", labelsize=CARD_LETTERS)
    axes.locator_params(axis="y", nbins=3)
    plain(axes)
    return svg_of(figure, label)


def _ends(seen: Sequence[Point]) -> list[str]:
    if len(seen) == 2 and [cause for cause, _ in seen] == [0.0, 1.0]:
        return ["without", "with"]
    return ["least", "most"]


def bands_chart(rows: Sequence[tuple[str, float, float, float]], topic: str) -> str:
    """Each statistic as a point beside its band, `(caption, value, lower, upper)`.

    Every row has a scale of its own: its band is the middle third of the picture, so a point left
    of it is too low. What lies farther out than the picture stands at its edge.
    """
    if not rows:
        return ""
    figure = figure_of(ROW * len(rows) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    for place, (_, value, lower, upper) in enumerate(rows):
        span = (upper - lower) or 1.0
        offset = min(max((value - lower) / span, -1.0), 2.0)
        axes.plot([0, 1], [place, place], color=BAR, linewidth=5, alpha=0.35)
        inside = lower <= value <= upper
        axes.plot([offset], [place], "o", color=INSIDE if inside else OUTSIDE, markersize=4.5)
    axes.set_xlim(-1.05, 2.05)
    axes.set_xticks([0, 1], ["lower bound", "upper bound"])
    _captioned(axes, [caption for caption, *_ in rows], -1.02)
    return svg_of(figure, f"{topic}: statistics beside the bands of real orgs")


def spread_chart(tasks: Sequence[TaskSpread]) -> str:
    """How the instances of each task are spread over answers: a piece for each answer, the
    commonest first, and what nothing answers at the end.
    """
    filled = [task for task in tasks if task.instances]
    if not filled:
        return ""
    figure = figure_of(ROW * len(filled) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    for place, task in enumerate(filled):
        left = 0.0
        for number, count in enumerate(task.answers):
            shade = 0.9 if number % 2 else 0.55
            axes.barh([place], [count], left=left, color=BAR, alpha=shade, height=0.34)
            left += count
        axes.barh([place], [task.unanswerable], left=left, color=INK, alpha=0.2, height=0.34)
    axes.set_xlim(0, max(task.instances for task in filled))
    _captioned(axes, [f"{task.name}: {len(task.answers)} answers" for task in filled], 0.0)
    return svg_of(figure, "How the answers of each task are spread")


def shortcuts_chart(rows: Sequence[tuple[str, float, float]]) -> str:
    """How far the best shortcut gets in each task, `(caption, share, refused from)`."""
    if not rows:
        return ""
    figure = figure_of(ROW * len(rows) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    places = range(len(rows))
    colors = [INSIDE if share < refused else OUTSIDE for _, share, refused in rows]
    axes.barh(list(places), [share for _, share, _ in rows], color=colors, height=0.3)
    axes.axvline(rows[0][2], color=LINE, linewidth=1, linestyle="--")
    axes.set_xlim(0, 1.02)
    _captioned(axes, [caption for caption, *_ in rows], 0.01)
    return svg_of(figure, "What the best shortcut of each task answers rightly")


def scores_chart(scores: Sequence[AgentScore]) -> str:
    """Each agent's mean score with its standard error."""
    if not scores:
        return ""
    figure = figure_of(ROW * len(scores) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    for place, score in enumerate(scores):
        axes.barh([place], [100 * score.mean], color=BAR, height=0.34)
        if score.error is not None:
            error = 100 * score.error
            axes.errorbar([100 * score.mean], [place], xerr=[error], color=INK, linewidth=1)
    axes.set_xlim(0, 102)
    captions = [f"{score.agent}, {score.instances:,} instances" for score in scores]
    _captioned(axes, captions, 0.5)
    return svg_of(figure, "Scores of agents in percent")


def costs_chart(costs: Mapping[str, float], label: str) -> str:
    """What each object type's words took, dollars or tokens; "" where that is nothing."""
    filled = {name: cost for name, cost in costs.items() if cost}
    if not filled:
        return ""
    figure = figure_of(ROW * len(filled) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    axes.barh(range(len(filled)), list(filled.values()), color=BAR, height=0.34)
    _captioned(axes, list(filled), 0.0)
    return svg_of(figure, label)


def _captioned(axes: "Axes", captions: Sequence[str], left: float) -> None:
    """Rows from top to bottom, each with its caption above it, beginning at `left`."""
    for place, caption in enumerate(captions):
        axes.text(left, place - 0.3, caption, fontsize=CAPTION, color=INK, va="bottom")
    axes.set_ylim(len(captions) - 0.6, -0.95)
    axes.set_yticks([])
    plain(axes)
    axes.spines["left"].set_visible(False)
