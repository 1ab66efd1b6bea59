"""Records by day: a square each, a row of weeks for each year, darker where there are more.

Knows a caption and counts by day, no files.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

from orgweave.report.drawing import BAR, INK, RIGHT, axes_of, figure_of, plain, svg_of
from orgweave.report.facts import DayCounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

YEAR = 1.08
"""Inches of a year's row."""
ROOM, BELOW = 0.4, 0.2
"""Inches for the year's number on the left of a row, and for the names of its months below it."""
SQUARE = 0.84
"""Of a day's place: the rest is the gap to the next."""
SHADES = (0.07, 0.28, 0.5, 0.75, 1.0)
"""How opaque a day without records is, and one of each of the four levels."""
LEVELS = len(SHADES) - 1
MONTHS = "JFMAMJJASOND"
WEEK = 7
MOST_WEEKS = 53.2
"""The weeks that a row has room for, with a margin."""


def calendar_chart(counts: DayCounts) -> str:
    """All years of a period, one below the other; "" where there is no record."""
    if not counts.days:
        return ""
    first = min(counts.days).year
    last = max(counts.days).year
    number = last - first + 1
    bounds = level_bounds(counts.days)
    figure = figure_of(YEAR * number)
    for place in range(number):
        later = (number - place - 1) * YEAR
        earlier = place * YEAR
        axes = axes_of(figure, ROOM, RIGHT, later + BELOW, earlier)
        _draw_year(axes, first + place, counts.days, bounds)
    return svg_of(figure, f"{counts.caption} by day")


def level_bounds(days: Mapping[date, int]) -> list[int]:
    """The most records of a day in each level, by quarters of the days that have any."""
    numbers = sorted(days.values())
    bounds = []
    for level in range(1, LEVELS + 1):
        last = level * len(numbers) // LEVELS - 1
        bounds.append(numbers[max(last, 0)])
    return bounds


def legend(days: Mapping[date, int]) -> list[tuple[float, str]]:
    """How opaque each level is, and which numbers stand for it; a level without any is left out.

    There is nothing to explain where there is no record, and so no calendar.
    """
    if not days:
        return []
    shown = [(SHADES[0], "0")]
    least = 1
    for shade, most in zip(SHADES[1:], level_bounds(days), strict=True):
        if most < least:
            continue
        numbers = str(most) if most == least else f"{least} to {most}"
        shown.append((shade, numbers))
        least = most + 1
    return shown


def _draw_year(axes: "Axes", year: int, days: Mapping[date, int], bounds: list[int]) -> None:
    _draw_squares(axes, year, days, bounds)
    axes.set_xlim(0, MOST_WEEKS)
    axes.set_ylim(WEEK, 0)
    axes.set_xticks(_month_places(year), list(MONTHS), fontsize=8)
    axes.set_yticks([])
    axes.set_ylabel(str(year))
    axes.tick_params(length=0)
    plain(axes)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_squares(axes: "Axes", year: int, days: Mapping[date, int], bounds: list[int]) -> None:
    """Draws the squares of a year, all of a level as a single shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    first = date(year, 1, 1)
    offset = first.weekday()
    next_first = date(year + 1, 1, 1)
    length = (next_first - first).days
    squares: dict[int, list[Path]] = defaultdict(list)
    for number in range(length):
        day = first + timedelta(days=number)
        level = _level(days.get(day, 0), bounds)
        week, weekday = divmod(offset + number, WEEK)
        square = Path(_corners(week, weekday), closed=True)
        squares[level].append(square)
    for level, paths in sorted(squares.items()):
        color = BAR if level else INK
        whole = Path.make_compound_path(*paths)
        patch = PathPatch(whole, color=color, alpha=SHADES[level], linewidth=0)
        # As a patch it would be measured, and the limits are set anyway.
        axes.add_artist(patch)


def _month_places(year: int) -> list[float]:
    """The weeks behind a year's begin at which the months' names stand: two after each begin."""
    first = date(year, 1, 1)
    offset = first.weekday()
    places = []
    for month in range(1, 13):
        day = (date(year, month, 1) - first).days
        week = (offset + day) / WEEK
        places.append(week + 2)
    return places


def _corners(left: float, top: float) -> list[tuple[float, float]]:
    """The corners of a day's square, the first one again at the end."""
    right = left + SQUARE
    bottom = top + SQUARE
    return [
        (left, top),
        (right, top),
        (right, bottom),
        (left, bottom),
        (left, top),
    ]


def _level(number: int, bounds: list[int]) -> int:
    """0 for a day without records, else the first level whose bound isn't passed."""
    if not number:
        return 0
    return bisect_left(bounds, number) + 1
