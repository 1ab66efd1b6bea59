"""The page's charts as inline SVG, drawn by matplotlib.

Each is a picture with a transparent ground whose lines and letters take the page's color, so that
it stands on a light page and on a dark one. Knows numbers and captions, no files.
"""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from orgweave.report.facts import MonthCounts
from schemas.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#010203"
"""Stands for the page's color until the picture is finished: no chart has it else."""

BAR, LINE, INSIDE, OUTSIDE = "#4a7fb5", "#c9803a", "#3f9c6b", "#c0504d"
"""Bars, lines, and what lies within its bounds or not: told apart on white and on black, and by
their lightness where somebody doesn't see the colors.
"""

WIDE, NARROW = 7.2, 5.2
"""Inches of a chart over time, and of one with captions; the page makes both as wide as there is
room. A narrow one can be read on a phone, 400 pixels wide, without moving it sideways.
"""

ROW = 0.34
"""Inches of a row with its caption above it."""

CAPTION = 8
"""Points of a caption's letters."""

SIZE = re.compile(r' (?:width|height)="[^"]*pt"')
"""The size that matplotlib writes into a picture's first element."""

NEED = "the report needs matplotlib and jinja2; install orgweave[report]"


def months_chart(series: Sequence[MonthCounts]) -> str:
    """Records by month: a panel each, one below the other; "" where there are none."""
    filled = [counts for counts in series if counts.months]
    if not filled:
        return ""
    figure = _figure(1.5 * len(filled) + 0.3)
    for place, counts in enumerate(filled):
        axes = figure.add_subplot(len(filled), 1, place + 1)
        months = [month for month, _ in counts.months]
        axes.bar(range(len(months)), [number for _, number in counts.months], color=BAR, width=0.8)
        januaries = [number for number, month in enumerate(months) if month.endswith("-01")]
        axes.set_xticks(januaries, [months[number][:4] for number in januaries])
        axes.set_ylabel(counts.caption)
        _plain(axes)
    return _svg(figure, "Records by month")


def effects_chart(effects: Sequence[tuple[str, float, bool]]) -> str:
    """Hidden causes against what is seen: a bar each from -1 to 1, `(caption, size, present)`."""
    if not effects:
        return ""
    figure = _figure(ROW * len(effects) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    rows = range(len(effects))
    colors = [INSIDE if present else OUTSIDE for _, _, present in effects]
    axes.barh(list(rows), [size for _, size, _ in effects], color=colors, height=0.3)
    axes.axvline(0, color=INK, linewidth=0.5, alpha=0.3)
    axes.set_xlim(-1.02, 1.02)
    _captioned(axes, [caption for caption, _, _ in effects], -1.0)
    return _svg(figure, "Effects of the hidden causes")


def bands_chart(rows: Sequence[tuple[str, float, float, float]]) -> str:
    """Each statistic as a point beside its band, `(caption, value, lower, upper)`.

    Every row has a scale of its own: its band is the middle third of the picture, so a point left
    of it is too low. What lies farther out than the picture stands at its edge.
    """
    if not rows:
        return ""
    figure = _figure(ROW * len(rows) + 0.4, NARROW)
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
    return _svg(figure, "Statistics beside the bands of real orgs")


def shortcuts_chart(rows: Sequence[tuple[str, float, float]]) -> str:
    """How far the best shortcut gets in each task, `(caption, share, refused from)`."""
    if not rows:
        return ""
    figure = _figure(ROW * len(rows) + 0.4, NARROW)
    axes = figure.add_subplot(1, 1, 1)
    places = range(len(rows))
    colors = [INSIDE if share < refused else OUTSIDE for _, share, refused in rows]
    axes.barh(list(places), [share for _, share, _ in rows], color=colors, height=0.3)
    axes.axvline(rows[0][2], color=LINE, linewidth=1, linestyle="--")
    axes.set_xlim(0, 1.02)
    _captioned(axes, [caption for caption, *_ in rows], 0.01)
    return _svg(figure, "What the best shortcut of each task answers rightly")


def _captioned(axes: "Axes", captions: Sequence[str], left: float) -> None:
    """Rows from top to bottom, each with its caption above it, beginning at `left`."""
    for place, caption in enumerate(captions):
        axes.text(left, place - 0.3, caption, fontsize=CAPTION, color=INK, va="bottom")
    axes.set_ylim(len(captions) - 0.6, -0.95)
    axes.set_yticks([])
    _plain(axes)
    axes.spines["left"].set_visible(False)


def _figure(height: float, width: float = WIDE) -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BadInput(NEED) from error
    return Figure(figsize=(width, height), layout="constrained")


def _plain(axes: "Axes") -> None:
    """Without a frame, in the page's color."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for spine in axes.spines.values():
        spine.set_color(INK)
    axes.tick_params(colors=INK, labelcolor=INK)
    axes.yaxis.label.set_color(INK)
    axes.patch.set_alpha(0)


def _svg(figure: "Figure", label: str) -> str:
    """The picture as an element of a page: letters stay letters, the ink is the page's color.

    The same numbers give the same bytes: ids are salted by the label, and there is no date.
    """
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": label, "font.family": "sans-serif"}
    ):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    found = text.getvalue()
    found = found[found.index("<svg") :].replace(INK, "currentColor")
    # The page's own style decides how wide it is.
    found = SIZE.sub("", found, count=2)
    return found.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
