"""The page's charts as inline SVG, drawn by matplotlib. Knows numbers and captions, no files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from orgweave.report.benchmark_facts import AgentScore, TaskSpread
from orgweave.report.drawing import (
    BAR,
    INK,
    INSIDE,
    LINE,
    NARROW,
    OUTSIDE,
    axes_of,
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
CARD_LEFT, CARD_RIGHT, CARD_BOTTOM, CARD_TOP = 0.45, 0.05, 0.22, 0.06
"""Inches beside an effect's drawing: on its left stand numbers of up to six letters."""
CARD_AIR = 0.06
"""Share of a chart's height that is left free above its highest value, and below its lowest."""

LEAST_GAP = 0.1
"""Share of the higher of two bars by which they must differ to be told apart at this size."""

POINT = 20
"""The size of a statistic's point, in square points."""

PIECE = 0.34
"""How high a piece is, where 1 is the distance between two rows."""

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


class EffectCharts:
    """Draws what is seen (upwards) for more and more of a hidden cause (to the right).

    All are drawn on a single figure, one after the other: to make a figure with its scales takes
    longer than to draw on it.
    """

    def __init__(self) -> None:
        self.figure = figure_of(CARD_HEIGHT, CARD_WIDTH)
        self.axes = axes_of(self.figure, CARD_LEFT, CARD_RIGHT, CARD_BOTTOM, CARD_TOP)
        self.axes.tick_params(axis="y", labelsize=CARD_LETTERS)
        self.axes.yaxis.set_major_formatter("{x:.4g}")
        self.axes.locator_params(axis="y", nbins=3)
        plain(self.axes)

    def drawn(self, label: str, seen: Sequence[Point], present: bool) -> str:
        """The chart of an effect; "" where nothing was measured.

        Two points are two groups, without the cause and with it.
        """
        if len(seen) < 2:
            return ""
        for artist in (*self.axes.lines, *self.axes.patches):
            artist.remove()
        color = INSIDE if present else OUTSIDE
        if len(seen) == 2:
            self._groups([value for _, value in seen], color)
        else:
            self._curve([value for _, value in seen], color)
        self.axes.set_xticks([0, len(seen) - 1], _ends(seen), fontsize=CARD_LETTERS)
        return svg_of(self.figure, label)

    def _groups(self, values: Sequence[float], color: str) -> None:
        """A bar of each of two groups, the first one pale.

        Points stand for bars that would seem equally high, such as those of two years of birth.
        """
        lowest, highest = sorted(values)
        if highest - lowest < LEAST_GAP * max(abs(lowest), abs(highest)):
            self.axes.plot([0], values[:1], "o", color=INK, alpha=0.4)
            self.axes.plot([1], values[1:], "o", color=color)
            self.axes.set_xlim(-0.7, 1.7)
            self._fit(lowest, highest)
            return
        bars = self.axes.bar([0, 1], values, color=[INK, color], width=0.6)
        bars[0].set_alpha(0.25)
        self.axes.set_xlim(-0.7, 1.7)
        self._fit(min(0.0, *values), max(0.0, *values))

    def _curve(self, values: Sequence[float], color: str) -> None:
        places = range(len(values))
        self.axes.plot(places, values, "o-", color=color, markersize=3.5, linewidth=1.5)
        self.axes.set_xlim(-0.4, len(values) - 0.6)
        self._fit(min(values), max(values))

    def _fit(self, lowest: float, highest: float) -> None:
        """Sets the scale to the values drawn, with a little air."""
        air = (highest - lowest) * CARD_AIR or CARD_AIR
        below = air if lowest else 0.0
        self.axes.set_ylim(lowest - below, highest + air)


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
    axes = axes_of(figure)
    offsets, colors = [], []
    for _, value, lower, upper in rows:
        span = (upper - lower) or 1.0
        offsets.append(min(max((value - lower) / span, -1.0), 2.0))
        colors.append(INSIDE if lower <= value <= upper else OUTSIDE)
    places = range(len(rows))
    axes.hlines(places, 0, 1, color=BAR, linewidth=5, alpha=0.35)
    axes.scatter(offsets, places, color=colors, s=POINT, zorder=2)
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
    axes = axes_of(figure)
    for place, task in enumerate(filled):
        ends = list(accumulate(task.answers, initial=0))
        pieces = list(zip(ends, task.answers, strict=False))
        row = (place - PIECE / 2, PIECE)
        axes.broken_barh(pieces[::2], row, color=BAR, alpha=0.55, linewidth=0)
        axes.broken_barh(pieces[1::2], row, color=BAR, alpha=0.9, linewidth=0)
        nothing = [(ends[-1], task.unanswerable)]
        axes.broken_barh(nothing, row, color=INK, alpha=0.2, linewidth=0)
    axes.set_xlim(0, max(task.instances for task in filled))
    _captioned(axes, [f"{task.name}: {len(task.answers)} answers" for task in filled], 0.0)
    return svg_of(figure, "How the answers of each task are spread")


def shortcuts_chart(rows: Sequence[tuple[str, float, float]]) -> str:
    """How far the best shortcut gets in each task, `(caption, share, refused from)`."""
    if not rows:
        return ""
    figure = figure_of(ROW * len(rows) + 0.4, NARROW)
    axes = axes_of(figure)
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
    axes = axes_of(figure)
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
    axes = axes_of(figure)
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
