"""Charts of the report: elements of a page, drawn from rows alone."""

import re
from collections.abc import Callable
from datetime import date
from xml.etree import ElementTree

import pytest

from orgweave.report.benchmark_facts import AgentScore, TaskSpread
from orgweave.report.calendar_chart import calendar_chart, legend, level_bounds
from orgweave.report.charts import (
    EffectCharts,
    bands_chart,
    costs_chart,
    scores_chart,
    shortcuts_chart,
    spread_chart,
)
from orgweave.report.drawing import INSIDE, OUTSIDE
from orgweave.report.facts import DayCounts

ORDERS = DayCounts("Orders", {date(2020, 12, 31): 4, date(2021, 1, 1): 7, date(2021, 2, 1): 1})
CURVE = [(0.1, 2.0), (0.2, 2.5), (0.4, 3.0), (0.7, 3.1), (1.0, 4.0)]
GROUPS = [(0.0, 0.2), (1.0, 0.6)]
SPREAD = TaskSpread("handle_time", 10, 3, (4, 2, 1), "all years", 0.2)
SCORE = AgentScore("oracle", 10, 1.0, None, {"HTU": 1.0}, 0.0)
DRAWN: dict[str, Callable[[], str]] = {
    "calendar": lambda: calendar_chart(ORDERS),
    "curve": lambda: EffectCharts().drawn("skill shortens cases", CURVE, True),
    "groups": lambda: EffectCharts().drawn("children's shoes are bought", GROUPS, True),
    "bands": lambda: bands_chart([("orders a customer", 2.0, 1.0, 3.0)], "Orders"),
    "shortcuts": lambda: shortcuts_chart([("handle_time: all years", 0.2, 0.5)]),
    "spread": lambda: spread_chart([SPREAD]),
    "scores": lambda: scores_chart([SCORE]),
    "costs": lambda: costs_chart({"Case": 0.2, "Order": 0.0}, "Dollars by object type"),
}


def texts(chart: str) -> list[str]:
    """The words that stand in a chart."""
    found = []
    for element in ElementTree.fromstring(chart).iter():
        if element.tag.endswith("text") and element.text:
            found.append(element.text.strip())
    return found


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_a_chart_is_one_element_of_a_page(name: str) -> None:
    """It has a role and a label for those who can't see it, and no size of its own."""
    root = ElementTree.fromstring(DRAWN[name]())
    assert root.tag.endswith("svg")
    assert root.get("role") == "img" and root.get("aria-label")
    assert root.get("width") is None and root.get("height") is None
    assert root.get("viewBox")


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_the_same_rows_give_the_same_bytes(name: str) -> None:
    """No date and no random id stands in a chart."""
    assert DRAWN[name]() == DRAWN[name]()
    assert "<dc:date>" not in DRAWN[name]()


def test_a_calendar_has_a_row_for_each_year() -> None:
    """Every year from the first record's to the last one's is named, and so are its months."""
    said = texts(calendar_chart(ORDERS))
    assert [word for word in said if word.isdigit()] == ["2020", "2021"]
    assert "".join(word for word in said if word.isalpha()) == "JFMAMJJASOND" * 2


def test_a_calendar_has_a_square_for_each_day() -> None:
    """Also a day without records is drawn: 366 of 2020 and 365 of 2021."""
    paths = re.findall(r'<path d="([^"]+)" clip-path', calendar_chart(ORDERS))
    assert sum(path.count("M") for path in paths) == 366 + 365


def test_a_calendar_without_days_is_empty() -> None:
    """What the org doesn't have leaves no empty picture, and no shade to explain."""
    assert calendar_chart(DayCounts("Cases", {})) == ""
    assert legend({}) == []


def test_levels_are_quarters_of_the_days_that_have_records() -> None:
    """The legend names each number once, and leaves out what no number stands for."""
    days = {date(2021, 1, day): number for day, number in enumerate((1, 1, 1, 1, 2, 3, 4, 9), 1)}
    assert level_bounds(days) == [1, 1, 3, 9]
    assert [says for _, says in legend(days)] == ["0", "1", "2 to 3", "4 to 9"]


def test_an_effect_is_drawn_from_its_groups_or_its_curve() -> None:
    """Two groups are those without the cause and with it; a curve goes from least to most."""
    assert {"without", "with"} <= set(texts(EffectCharts().drawn("a", GROUPS, True)))
    assert {"least", "most"} <= set(texts(EffectCharts().drawn("a", CURVE, True)))
    assert EffectCharts().drawn("a", [], True) == ""


def test_groups_that_are_nearly_alike_are_told_apart() -> None:
    """Bars of two years of birth would seem equally high: points on a scale of their own stand for
    them, and the one with the cause is the higher one.
    """
    chart = EffectCharts().drawn("years", [(0.0, 1985.0), (1.0, 1999.0)], True)
    assert "1985" in texts(chart) or "1990" in texts(chart)
    assert "0" not in texts(chart)


def test_charts_on_one_figure_are_those_on_their_own() -> None:
    """What was drawn before leaves nothing behind."""
    charts = EffectCharts()
    charts.drawn("first", CURVE, True)
    charts.drawn("second", GROUPS, False)
    assert charts.drawn("curve", CURVE, True) == EffectCharts().drawn("curve", CURVE, True)
    assert charts.drawn("groups", GROUPS, True) == EffectCharts().drawn("groups", GROUPS, True)


def test_answers_are_counted_beside_their_task() -> None:
    """The caption says how many different answers there are."""
    assert "handle_time: 3 answers" in texts(spread_chart([SPREAD]))
    assert spread_chart([]) == scores_chart([]) == ""


def test_what_costs_nothing_is_not_drawn() -> None:
    """An object type without a cost has no bar, and without any there is no chart."""
    assert "Order" not in texts(costs_chart({"Case": 0.2, "Order": 0.0}, "Dollars"))
    assert costs_chart({"Case": 0.0}, "Dollars") == ""


@pytest.mark.parametrize(
    ("value", "color"), [(2.0, INSIDE), (1.0, INSIDE), (0.9, OUTSIDE), (99.0, OUTSIDE)]
)
def test_a_statistic_outside_its_band_has_another_color(value: float, color: str) -> None:
    """The bounds themselves belong to the band."""
    chart = bands_chart([("orders a customer", value, 1.0, 3.0)], "Orders")
    assert color in chart
    assert (OUTSIDE if color == INSIDE else INSIDE) not in chart


def test_a_band_of_one_value_can_be_drawn() -> None:
    """A statistic whose bounds are equal has a scale too."""
    assert "exactly one" in texts(bands_chart([("exactly one", 1.0, 1.0, 1.0)], "Orders"))


def test_what_lies_far_out_stands_at_the_edge() -> None:
    """A value a thousand times too large is drawn where one of the band's double width would be."""
    far = bands_chart([("orders", 3000.0, 1.0, 3.0)], "Orders")
    assert far == bands_chart([("orders", 5.0, 1.0, 3.0)], "Orders")


def test_an_effect_that_is_absent_has_another_color() -> None:
    """Present effects and absent ones are told apart without reading."""
    assert INSIDE in EffectCharts().drawn("a", CURVE, True)
    assert OUTSIDE in EffectCharts().drawn("a", CURVE, False)


def test_a_shortcut_that_passes_too_often_has_another_color() -> None:
    """From the refused share on, a shortcut answers more than it may."""
    assert OUTSIDE not in shortcuts_chart([("task", 0.49, 0.5)])
    assert OUTSIDE in shortcuts_chart([("task", 0.5, 0.5)])
    assert shortcuts_chart([]) == ""


def test_the_ink_is_the_pages_own() -> None:
    """Axes and letters take the color of the page's text, on a light page and on a dark one."""
    chart = calendar_chart(ORDERS)
    assert "currentColor" in chart
    assert not re.search(r"fill: #000", chart)
