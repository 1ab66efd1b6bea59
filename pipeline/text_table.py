"""Tables of plain text for a terminal: columns as wide as their widest cell.

Example: `aligned([["task", "n"], ["handle_time", "130"]], right=(1,))` is `["task           n",
"handle_time  130"]`.
"""

from collections.abc import Collection, Sequence

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """The rows as lines of text; the columns at the places `right` are set flush right.

    All rows have as many cells as the first.
    """
    widths = column_widths(rows)
    lines = []
    for row in rows:
        cells = []
        for column, cell in enumerate(row):
            width = widths[column]
            cells.append(cell.rjust(width) if column in right else cell.ljust(width))
        lines.append(GAP.join(cells).rstrip())
    return lines


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """The length of the longest cell in each column."""
    return [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
