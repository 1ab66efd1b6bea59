"""Where in a text a message points: the line, a caret beneath it, row and column.

Knows nothing of SOQL.

Example: `point("SELECT Foo FROM Case", 7)` is `"\\nSELECT Foo FROM Case\\n       ^\\nERROR at
Row:1:Column:8\\n"`.
"""

from schemas.errors import QueryRefused

AROUND = 60
LONGEST_MESSAGE, LONGEST_NAME = 1200, 100


def point(text: str, at: int) -> str:
    """The head of a message about the character at that offset; long lines are cut around it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : len(text) if end < 0 else end]
    column, row = at - start, text.count("\n", 0, at) + 1
    left = max(0, column - AROUND)
    shown = line[left : column + AROUND].replace("\t", " ").replace("\r", " ")
    return f"\n{shown}\n{' ' * (column - left)}^\nERROR at Row:{row}:Column:{column + 1}\n"


class QueryText:
    """A query's text, to refuse it with a place."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, code: str, at: int, message: str, *fields: str) -> QueryRefused:
        """The error to raise: place and reason."""
        return QueryRefused(
            code,
            point(self.text, at) + _cut(message, LONGEST_MESSAGE),
            tuple(_cut(name, LONGEST_NAME) for name in fields),
        )


class QueryFault(Exception):
    """What is wrong at an offset of a text that is not at hand; whoever has the text turns it into
    a QueryRefused.
    """

    def __init__(self, code: str, at: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.at = at


def _cut(text: str, length: int) -> str:
    """What a text quotes of a query may be as long as the query."""
    return text if len(text) <= length else text[: length - 2] + " …"
