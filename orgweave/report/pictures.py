"""The charts of a run's page as files of their own, such as for slides.

Takes them out of the page as it stands. Knows neither orgs nor how charts are drawn.
"""

import html
import re
from pathlib import Path

from pipeline.atomic import write_text
from schemas.errors import BadInput

CHART = re.compile(r'<svg role="img" aria-label="([^"]*)".*?</svg>', re.DOTALL)
"""A chart of the page, with what it is called."""

LONGEST_NAME = 60
"""Letters of a file's name; what a chart shows may be a sentence."""


def write_pictures(page: str, folder: Path) -> int:
    """Writes each chart of a page as an SVG file, numbered in the page's order; how many.

    They are named by what they show: `01-orders-by-day.svg`. Raises BadInput for a folder that
    holds anything.
    """
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise BadInput(f"{folder}: is in use; name a new folder for the pictures")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: can't be made ({error.strerror}); name another") from error
    charts = list(CHART.finditer(page))
    for number, chart in enumerate(charts, 1):
        words = re.sub(r"[^a-z0-9]+", "-", html.unescape(chart[1]).lower())
        name = f"{number:02d}-{words[:LONGEST_NAME].strip('-')}.svg"
        write_text(folder / name, iter([chart[0], "\n"]))
    return len(charts)
