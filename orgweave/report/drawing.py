"""What all charts of the page share: colors, a figure, and the figure as an element of a page.

Each is a picture with a transparent ground whose lines and letters take the page's color, so that
it stands on a light page and on a dark one. Knows no numbers.
"""

import io
import re
from typing import TYPE_CHECKING

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

SIZE = re.compile(r' (?:width|height)="[^"]*pt"')
"""The size that matplotlib writes into a picture's first element."""

LEFT, RIGHT, BOTTOM, TOP = 0.15, 0.15, 0.3, 0.02
"""Inches beside a drawing, enough for half a number at its ends and for the numbers below it.

They are fixed, since matplotlib draws each picture twice to find margins that fit.
"""

NEED = "the report needs jinja2, matplotlib and networkx; install orgweave[report]"


def figure_of(height: float, width: float = WIDE) -> "Figure":
    """An empty figure, in inches; raises BadInput where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BadInput(NEED) from error
    return Figure(figsize=(width, height))


def axes_of(
    figure: "Figure",
    left: float = LEFT,
    right: float = RIGHT,
    bottom: float = BOTTOM,
    top: float = TOP,
) -> "Axes":
    """A drawing within a figure, with so many inches left free on each side."""
    width, height = figure.get_size_inches()
    across = (width - left - right) / width
    upwards = (height - bottom - top) / height
    return figure.add_axes((left / width, bottom / height, across, upwards))


def plain(axes: "Axes") -> None:
    """Takes the frame away, and gives the rest the page's color."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for spine in axes.spines.values():
        spine.set_color(INK)
    axes.tick_params(colors=INK, labelcolor=INK)
    axes.yaxis.label.set_color(INK)
    axes.xaxis.label.set_color(INK)
    axes.patch.set_alpha(0)


def svg_of(figure: "Figure", label: str) -> str:
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
