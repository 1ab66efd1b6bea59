"""A literal beside the field it is compared with: does the type fit, and what is it as SQLite's
value.

Examples: `AccountId = '001…'` takes 15 or 18 characters; `CreatedDate > 2021-03-03` is refused, for
a datetime is wanted.
"""

import re
from datetime import datetime, timedelta

from orgweave.crm.field import IDS, NUMBERS, TEXTS
from orgweave.soql.dates import Span, span
from orgweave.soql.literals import FIRST, LAST, stored
from orgweave.soql.nodes import Literal
from orgweave.soql.places import QueryText
from orgweave.soql.scope import Operand
from orgweave.soql.sql import SqlValue
from pipeline.world.ids import to_18

ID = re.compile(r"[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?")
CHECKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
WANTED = {
    "boolean": "boolean and should not be enclosed in quotes",
    "currency": "double and should not be enclosed in quotes",
    "double": "double and should not be enclosed in quotes",
    "int": "int and should not be enclosed in quotes",
    "date": "date and should not be enclosed in quotes",
    "datetime": "dateTime and should not be enclosed in quotes",
}
FITS: dict[str, tuple[str, ...]] = {
    "boolean": ("boolean",),
    "date": ("date", "relative"),
    "datetime": ("datetime", "relative"),
}


def value_of(literal: Literal, operand: Operand, text: QueryText) -> SqlValue:
    """The literal as SQLite's value, None for null and for an empty string; raises QueryRefused
    where types differ.
    """
    if literal.kind == "null":
        return None
    check_type(literal, operand, text)
    kind = operand.type
    if kind in IDS:
        return id_of(str(literal.value), literal.at, text, operand.name) if literal.value else None
    if kind in TEXTS or kind == "multipicklist":
        return str(literal.value) or None
    assert not isinstance(literal.value, tuple)
    return int(literal.value) if isinstance(literal.value, bool) else literal.value


def check_type(literal: Literal, operand: Operand, text: QueryText) -> None:
    """Refuses a literal that isn't of the field's type; null is of every type."""
    kind = operand.type
    fits = FITS.get(kind) or (("number",) if kind in NUMBERS else ("string",))
    if literal.kind not in (*fits, "null"):
        wanted = WANTED.get(kind, "string and should be enclosed in quotes")
        raise text.refuse(
            "INVALID_FIELD",
            literal.at,
            f"value of filter criterion for field '{operand.name}' must be of type {wanted}",
            operand.name,
        )


def id_of(spelling: str, at: int, text: QueryText, field: str) -> str:
    """An id of 18 characters; one of 18 in another case is put right by its check characters."""
    if not ID.fullmatch(spelling):
        raise text.refuse(
            "INVALID_QUERY_FILTER_OPERATOR", at, f"invalid ID field: {spelling[:60]}", field
        )
    if len(spelling) == 15:
        return to_18(spelling)
    right = cased(spelling)
    if right is None:
        raise text.refuse(
            "INVALID_QUERY_FILTER_OPERATOR",
            at,
            f"invalid ID field: {spelling}; its last three characters are not the check of the"
            " others",
            field,
        )
    return right


def bounds(literal: Literal, operand: Operand, clock: datetime, text: QueryText) -> tuple[str, str]:
    """A relative date's first moment and the first one behind it, in the field's form."""
    assert isinstance(literal.value, tuple)
    try:
        found = span(*literal.value, clock)
        inside = found.start >= FIRST and found.end <= LAST + timedelta(days=1)
    except (OverflowError, ValueError):
        inside = False
    if not inside:
        raise text.refuse(
            "INVALID_FIELD",
            literal.at,
            f"invalid date: {literal.value[0]}:{literal.value[1]} leads out of 1700-01-01 to"
            " 4000-12-31",
            operand.name,
        )
    return _days(found) if operand.type == "date" else (stored(found.start), stored(found.end))


def _days(found: Span) -> tuple[str, str]:
    """As days: a day that the range only begins counts whole."""
    midnight = found.end.replace(hour=0, minute=0, second=0, microsecond=0)
    end = found.end if found.end == midnight else midnight + timedelta(days=1)
    return found.start.date().isoformat(), end.date().isoformat()


def cased(spelling: str) -> str | None:
    """An id of 18 characters in the case that its check characters tell, or None where they aren't
    its check.
    """
    body, suffix = spelling[:15], spelling[15:].upper()
    if any(sign not in CHECKS for sign in suffix):
        return None
    signs = []
    for place, sign in enumerate(body):
        upper = CHECKS.index(suffix[place // 5]) >> (place % 5) & 1
        if upper and sign.isdigit():
            return None
        signs.append(sign.upper() if upper else sign.lower())
    return "".join(signs) + suffix
