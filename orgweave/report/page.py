"""A run's page: one HTML file that needs no network and no other file.

Puts the facts of a run and their charts into a template. Knows no SQL.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orgweave.report.charts import (
    NEED,
    bands_chart,
    effects_chart,
    months_chart,
    shortcuts_chart,
)
from orgweave.report.facts import ReportFacts
from schemas.errors import BadInput

REFUSED = 0.5
"""A set of tasks in which a shortcut answers so large a share is refused by `tasks`."""


def page_of(facts: ReportFacts) -> str:
    """The page's HTML; raises BadInput where jinja2 or matplotlib is not installed."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise BadInput(NEED) from error
    folder = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    check = facts.check
    return environment.get_template("page.html").render(
        facts=facts,
        records=sum(facts.counts.values()),
        invariants=_rows(check, "invariants"),
        broken=[row for row in _rows(check, "invariants") if row.get("broken")],
        effects=_rows(check, "effects"),
        realism=_rows(check, "realism"),
        conversations=_rows(check, "conversations"),
        diversity=_diversity(check),
        months=months_chart(facts.months),
        effects_picture=effects_chart(_effects(check)),
        bands_picture=bands_chart(_bands(check)),
        tasks_picture=shortcuts_chart(_shortcuts(facts)),
    )


def _rows(check: Mapping[str, object], name: str) -> list[Mapping[str, Any]]:
    """A list of `check.json`; an older report may lack it."""
    found = check.get(name)
    return [dict(row) for row in found] if isinstance(found, list) else []


def _effects(check: Mapping[str, object]) -> list[tuple[str, float, bool]]:
    """Effects whose size is a correlation or a difference of shares: only those share a scale."""
    shown = []
    for row in _rows(check, "effects"):
        size = float(row["size"])
        if -1 <= size <= 1:
            shown.append((f"{row['variable']}: {row['says']}", size, bool(row["present"])))
    return shown


def _bands(check: Mapping[str, object]) -> list[tuple[str, float, float, float]]:
    rows = []
    for row in (*_rows(check, "realism"), *_rows(check, "conversations")):
        if row.get("value") is not None:
            lower, upper = row["band"]
            rows.append((str(row["says"]), float(row["value"]), float(lower), float(upper)))
    return rows


def _shortcuts(facts: ReportFacts) -> list[tuple[str, float, float]]:
    rows = []
    for task in facts.tasks:
        if task.passed is not None:
            rows.append((f"{task.name} ({task.shortcut})", task.passed, REFUSED))
    return rows


def _diversity(check: Mapping[str, object]) -> Sequence[tuple[str, Mapping[str, Any]]]:
    found = check.get("diversity")
    return list(found.items()) if isinstance(found, dict) else []
