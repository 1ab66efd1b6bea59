"""Aligned tables of plain text."""

from pipeline.text_table import aligned

ROWS = [["task", "instances"], ["handle_time", "130"], ["case_routing", "7"]]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    """Cells stand flush left, and no line ends in spaces."""
    assert aligned(ROWS) == [
        "task          instances",
        "handle_time   130",
        "case_routing  7",
    ]


def test_numbers_stand_flush_right() -> None:
    """The columns that are named end at one place."""
    assert aligned(ROWS, right=(1,)) == [
        "task          instances",
        "handle_time         130",
        "case_routing          7",
    ]


def test_no_rows_are_no_lines() -> None:
    """An empty table is empty."""
    assert aligned([]) == []
