"""Tables as aligned text, for a person at a terminal."""

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[tuple[str, ...]], right: Collection[int]) -> list[str]:
    """A line a row, two spaces between columns; the columns in `right` are set to the right.

    Example: `aligned([("Case", "7"), ("Order", "12")], right=(1,))` is
    `["Case    7", "Order  12"]`.
    """
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            cells.append(cell.rjust(width) if column in right else cell.ljust(width))
        lines.append("  ".join(cells).rstrip())
    return lines
