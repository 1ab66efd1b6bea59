"""CSV as Bulk 2.0 has it: named delimiters and line endings, quotes doubled, line breaks inside
quotes kept.

Example: `read_rows('"a","b"\\n"1","2"\\n', "COMMA", "LF")` is `[("a", "b"), ("1", "2")]`.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from schemas.errors import Refused

DELIMITERS = {
    "COMMA": ",",
    "TAB": "\t",
    "PIPE": "|",
    "SEMICOLON": ";",
    "CARET": "^",
    "BACKQUOTE": "`",
}
ENDINGS = {"LF": "\n", "CRLF": "\r\n"}
LONGEST = 32_000
"""Characters in one cell."""
QUOTED = re.compile(r'"(?:[^"]|"")*"')


def read_rows(text: str, delimiter: str, ending: str) -> list[tuple[str, ...]]:
    """All rows, the header first; raises INVALIDBATCH naming the fault."""
    _check_ending(text, ending)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=DELIMITERS[delimiter], strict=True)
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    try:
        rows = [tuple(row) for row in reader if row]
    except csv.Error as error:
        raise Refused(
            "INVALIDBATCH",
            f"InvalidBatch : the CSV can't be read in line {reader.line_num} ({error})",
        ) from error
    finally:
        csv.field_size_limit(limit)
    return _checked(rows)


def write_rows(rows: Iterable[Sequence[str]], delimiter: str = "COMMA", ending: str = "LF") -> str:
    """Rows as CSV, every cell in quotes."""
    out = io.StringIO(newline="")
    csv.writer(
        out,
        delimiter=DELIMITERS[delimiter],
        lineterminator=ENDINGS[ending],
        quoting=csv.QUOTE_ALL,
    ).writerows(rows)
    return out.getvalue()


def _checked(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise Refused(
                "INVALIDBATCH",
                f"InvalidBatch : row {number} has {len(row)} cells, the header {len(rows[0])}",
            )
        if any(len(cell) > LONGEST for cell in row):
            raise Refused(
                "INVALIDBATCH",
                f"InvalidBatch : row {number} has a cell of more than {LONGEST:,} characters; send"
                " such records by REST",
            )
    return rows


def _check_ending(text: str, ending: str) -> None:
    """The first line break outside of quotes is what the job said."""
    bare = QUOTED.sub("", text[:200_000])
    found = re.search(r"\r?\n", bare)
    if found and found[0] != ENDINGS[ending]:
        raise Refused(
            "INVALIDBATCH",
            f"LineEnding is invalid on user data. Current LineEnding setting is {ending}",
        )
