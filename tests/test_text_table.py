"""Aligned tables."""

from pipeline.text_table import aligned


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    """Cells are filled up to the left or right edge of their column, and no line ends in spaces."""
    rows = [("name", "count", ""), ("Case", "7", "many"), ("EmailMessage", "1,200", "")]
    assert aligned(rows, right=(1,)) == [
        "name          count",
        "Case              7  many",
        "EmailMessage  1,200",
    ]


def test_no_rows_are_no_lines() -> None:
    """A table without rows is empty."""
    assert aligned([], right=()) == []
