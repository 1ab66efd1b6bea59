"""Texts in any case: the one folding by which they are compared, grouped, ordered and counted.

SQLite's own (NOCASE, LIKE) folds ASCII alone. It serves where a query's value is ASCII: such a
value equals, and precedes, the same texts by either folding, since no other letter is folded to one
of ASCII. Everywhere else SQL calls `fold`.

Example: `folded("É")` and `folded("é")` are both `"é"`.
"""

ALONE = frozenset("\u0130\u212a")
"""The dotted I and the kelvin sign: their lower case is an ASCII letter, or two letters, by which a
text would be shorter in LIKE than in its table."""


def folded(text: str) -> str:
    """Returns a text in lower case, letter by letter, whatever stands beside a letter."""
    if text.isascii():
        return text.lower()
    return "".join(letter if letter in ALONE else letter.lower() for letter in text)


def in_any_case(sql: str, values: list[str]) -> tuple[str, list[str]]:
    """Returns an SQL text and the values that it is compared with, both folded."""
    if all(value.isascii() for value in values):
        return f"{sql} COLLATE NOCASE", values
    return f"fold({sql})", [folded(value) for value in values]
