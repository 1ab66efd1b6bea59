"""Tables as aligned text, for a person at a terminal."""

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """A line a row, two spaces between columns; the columns in `right` are set to the right.

    Example: `aligned([("Case", "7"), ("Order", "12")], right=(1,))` is
    `["Case    7", "Order  12"]`.
    """
    widths = column_widths(rows)
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            cells.append(cell.rjust(width) if column in right else cell.ljust(width))
        lines.append("  ".join(cells).rstrip())
    return lines


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """The length of the longest cell in each column."""
    columns = zip(*rows, strict=True)
    return [max(len(cell) for cell in column) for column in columns]
