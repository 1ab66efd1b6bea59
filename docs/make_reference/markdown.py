"""Markdown's small forms: tables and code in backticks. Knows nothing of what they hold."""

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell's line breaks become blanks and its bars are escaped."""
    lines = [_row(header), _row(["---"] * len(header))]
    lines.extend(_row(row) for row in rows)
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    plain = [" ".join(cell.split()).replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(plain)} |"


def code(text: str) -> str:
    """Text as code; a text with backticks of its own gets a longer fence."""
    if "`" in text:
        return f"`` {text} ``"
    return f"`{text}`"


def fenced(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def paragraph(text: str) -> str:
    """A docstring's lines as Markdown: its paragraphs stay apart, its line breaks go."""
    parts = text.strip().split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)
