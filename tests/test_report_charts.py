"""Charts of the report: elements of a page, drawn from rows alone."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from orgweave.report.charts import (
    INSIDE,
    OUTSIDE,
    bands_chart,
    effects_chart,
    months_chart,
    shortcuts_chart,
)
from orgweave.report.facts import MonthCounts

ORDERS = MonthCounts("Orders", (("2020-12", 4), ("2021-01", 7), ("2021-02", 5)))
CASES = MonthCounts("Cases", (("2021-01", 2), ("2021-02", 1)))
DRAWN: dict[str, Callable[[], str]] = {
    "months": lambda: months_chart([ORDERS, CASES]),
    "effects": lambda: effects_chart([("skill shortens cases", 0.4, True)]),
    "bands": lambda: bands_chart([("orders a customer", 2.0, 1.0, 3.0)]),
    "shortcuts": lambda: shortcuts_chart([("handle_time: all years", 0.2, 0.5)]),
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


def test_a_year_begins_with_a_tick() -> None:
    """Only Januaries are named below the bars, and each series has its caption."""
    said = texts(months_chart([ORDERS, CASES]))
    assert said.count("2021") == 2
    assert "2020" not in said
    assert "Orders" in said and "Cases" in said


def test_a_series_without_months_takes_no_panel() -> None:
    """What the org doesn't have leaves no empty picture between the others."""
    assert months_chart([ORDERS, MonthCounts("Cases", ())]) == months_chart([ORDERS])


@pytest.mark.parametrize(
    ("value", "color"), [(2.0, INSIDE), (1.0, INSIDE), (0.9, OUTSIDE), (99.0, OUTSIDE)]
)
def test_a_statistic_outside_its_band_has_another_color(value: float, color: str) -> None:
    """The bounds themselves belong to the band."""
    chart = bands_chart([("orders a customer", value, 1.0, 3.0)])
    assert color in chart
    assert (OUTSIDE if color == INSIDE else INSIDE) not in chart


def test_a_band_of_one_value_can_be_drawn() -> None:
    """A statistic whose bounds are equal has a scale too."""
    assert "exactly one" in texts(bands_chart([("exactly one", 1.0, 1.0, 1.0)]))


def test_what_lies_far_out_stands_at_the_edge() -> None:
    """A value a thousand times too large is drawn where one of the band's double width would be."""
    far = bands_chart([("orders", 3000.0, 1.0, 3.0)])
    assert far == bands_chart([("orders", 5.0, 1.0, 3.0)])


def test_an_effect_that_is_absent_has_another_color() -> None:
    """Present effects and absent ones are told apart without reading."""
    chart = effects_chart([("skill shortens", 0.4, True), ("anger lengthens", 0.0, False)])
    assert INSIDE in chart and OUTSIDE in chart
    assert texts(chart).index("skill shortens") < texts(chart).index("anger lengthens")


def test_a_shortcut_that_passes_too_often_has_another_color() -> None:
    """From the refused share on, a shortcut answers more than it may."""
    assert OUTSIDE not in shortcuts_chart([("task", 0.49, 0.5)])
    assert OUTSIDE in shortcuts_chart([("task", 0.5, 0.5)])
    assert shortcuts_chart([]) == ""


def test_the_ink_is_the_pages_own() -> None:
    """Axes and letters take the color of the page's text, on a light page and on a dark one."""
    chart = months_chart([ORDERS])
    assert "currentColor" in chart
    assert not re.search(r"fill: #000", chart)
