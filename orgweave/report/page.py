"""A run's page: one HTML file that needs no network and no other file.

Puts the facts of a run and their charts into a template. Knows no SQL.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orgweave.explore.captions import caption
from orgweave.explore.views import GOLDEN_ANGLE
from orgweave.report.calendar_chart import calendar_chart, legend
from orgweave.report.charts import (
    EffectCard,
    EffectCharts,
    bands_chart,
    costs_chart,
    scores_chart,
    shortcuts_chart,
    spread_chart,
)
from orgweave.report.drawing import NEED
from orgweave.report.facts import ReportFacts
from schemas.errors import BadInput

REFUSED = 0.5
"""A set of tasks in which a shortcut answers so large a share is refused by `tasks`."""


def page_of(facts: ReportFacts) -> str:
    """The page's HTML; raises BadInput where the extra `report` is not installed."""
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
        calendars=_calendars(facts),
        cards=_cards(check),
        topics=_topics(check),
        spread_picture=spread_chart(facts.benchmark.tasks),
        shortcuts_picture=shortcuts_chart(_shortcuts(facts)),
        scores_picture=scores_chart(facts.benchmark.scores),
        shorts=_shorts(facts),
        costs_picture=_costs(facts),
        graph=_graph(facts),
    )


def _rows(check: Mapping[str, object], name: str) -> list[Mapping[str, Any]]:
    """A list of `check.json`; an older report may lack it."""
    found = check.get(name)
    return [dict(row) for row in found] if isinstance(found, list) else []


def _calendars(facts: ReportFacts) -> list[tuple[str, str, list[tuple[float, str]]]]:
    """Of each kind of record its caption, its calendar, and what the shades mean."""
    return [(days.caption, calendar_chart(days), legend(days.days)) for days in facts.days]


def _cards(check: Mapping[str, object]) -> list[EffectCard]:
    """A card for each effect; an older `check.json` has no curves, and its cards no charts."""
    cards = []
    charts = EffectCharts()
    for row in _rows(check, "effects"):
        present = bool(row["present"])
        seen = [(float(cause), float(value)) for cause, value in row.get("seen", ())]
        label = f"{row['variable']}: {row['says']}"
        cards.append(
            EffectCard(
                variable=str(row["variable"]),
                says=str(row["says"]),
                measure=str(row["measure"]),
                size=float(row["size"]),
                records=int(row["records"]),
                present=present,
                chart=charts.drawn(label, seen, present),
            )
        )
    return cards


def _topics(check: Mapping[str, object]) -> list[tuple[str, int, int, str]]:
    """Of each topic of statistics its name, how many lie within their bands, how many there are,
    and their chart.
    """
    by_topic: dict[str, list[Mapping[str, Any]]] = {}
    for row in (*_rows(check, "realism"), *_rows(check, "conversations")):
        by_topic.setdefault(str(row.get("topic") or "Statistics"), []).append(row)
    topics = []
    for topic, rows in by_topic.items():
        inside = sum(bool(row["inside"]) for row in rows)
        topics.append((topic, inside, len(rows), bands_chart(_bands(rows), topic)))
    return topics


def _bands(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, float, float, float]]:
    found = []
    for row in rows:
        if row.get("value") is not None:
            lower, upper = row["band"]
            found.append((str(row["says"]), float(row["value"]), float(lower), float(upper)))
    return found


def _shorts(facts: ReportFacts) -> list[str]:
    """The short names of the tasks that any agent was given, in their order."""
    shorts: dict[str, None] = {}
    for score in facts.benchmark.scores:
        shorts.update(dict.fromkeys(score.by_task))
    return list(shorts)


def _costs(facts: ReportFacts) -> str:
    """Dollars by object type; tokens where no price is known."""
    dollars = {cost.name: cost.cost for cost in facts.writing}
    if any(dollars.values()):
        return costs_chart(dollars, "Dollars by object type")
    tokens = {cost.name: float(cost.tokens) for cost in facts.writing}
    return costs_chart(tokens, "Tokens by object type")


def _graph(facts: ReportFacts) -> str:
    """How the object types hang together."""
    try:
        from orgweave.explore.diagram import DiagramBox, diagram
    except ImportError as error:
        raise BadInput(NEED) from error

    boxes = {}
    for place, item in enumerate(facts.schema.objects):
        hue = round(place * GOLDEN_ANGLE) % 360
        records = facts.counts.get(item.name, 0)
        boxes[item.name] = DiagramBox(caption(item.name), item.description, records, hue)
    return str(diagram(facts.schema, boxes))


def _shortcuts(facts: ReportFacts) -> list[tuple[str, float, float]]:
    rows = []
    for task in facts.benchmark.tasks:
        if task.passed is not None:
            rows.append((f"{task.name} ({task.shortcut})", task.passed, REFUSED))
    return rows


def _diversity(check: Mapping[str, object]) -> Sequence[tuple[str, Mapping[str, Any]]]:
    found = check.get("diversity")
    return list(found.items()) if isinstance(found, dict) else []
