"""From the spelling of a value to the value: strings with escapes, numbers, dates and datetimes,
words. Knows no field.

Examples: `'Bob\\'s'` -> `Bob's`; `2021-03-03T10:00:00+02:00` -> `2021-03-03T08:00:00.000+0000`;
`LAST_N_DAYS:30` -> a relative date.
"""

import re
from datetime import UTC, datetime, timedelta

from orgweave.soql.dates import RELATIVE
from orgweave.soql.nodes import Literal
from orgweave.soql.places import QueryFault

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
DATETIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)")
LONGEST_STRING = 4000
LARGEST_NUMBER = 1e18
FIRST, LAST = (
    datetime(1700, 1, 1, tzinfo=UTC),
    datetime(4000, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
)
WORDS: dict[str, Literal] = {
    "TRUE": Literal("boolean", True, 0),
    "FALSE": Literal("boolean", False, 0),
    "NULL": Literal("null", None, 0),
}


def string(spelling: str, at: int, pattern: bool = False) -> Literal:
    """A quoted string.

    As a LIKE `pattern`, a backslash stays before what is meant literally: `\\%`, `\\_` and the
    backslash itself.
    """
    inner = spelling[1:-1]
    if len(inner) > LONGEST_STRING:
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            f"a string in a filter may have at most {LONGEST_STRING:,} characters, this one has"
            f" {len(inner):,}",
        )
    return Literal(
        "string", _whole(ESCAPE.sub(lambda found: _unescaped(found[1], at, pattern), inner), at), at
    )


def number(spelling: str, at: int) -> Literal:
    """An integer where there is no point, else a float."""
    value = float(spelling)
    if abs(value) >= LARGEST_NUMBER:
        raise QueryFault(
            "NUMBER_OUTSIDE_VALID_RANGE", at, f"number outside of the valid range: {spelling[:40]}"
        )
    return Literal("number", value if "." in spelling else int(spelling), at)


def moment(spelling: str, at: int) -> Literal:
    """A date or a datetime with its offset, in UTC."""
    if DATE.fullmatch(spelling):
        return Literal(
            "date", _checked(f"{spelling}T00:00:00+00:00", spelling, at).date().isoformat(), at
        )
    parts = DATETIME.fullmatch(spelling)
    if not parts:
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            f"unexpected token: '{spelling[:40]}'; write a date as 2021-03-03 and a datetime as"
            " 2021-03-03T10:00:00Z, without quotes",
        )
    zone = "+00:00" if parts[3] in "Zz" else f"{parts[3][:3]}:{parts[3][-2:]}"
    fraction = (parts[2] or "0").ljust(6, "0")[:6]
    return Literal("datetime", stored(_checked(f"{parts[1]}.{fraction}{zone}", spelling, at)), at)


def word(spelling: str, at: int) -> Literal:
    """`true`, `null`, `TODAY`, `LAST_N_DAYS:30`, in any case."""
    name, _, count = spelling.upper().replace(" ", "").partition(":")
    name, count = name.strip(), count.strip()
    if name in WORDS and not count:
        return Literal(WORDS[name].kind, WORDS[name].value, at)
    if name not in RELATIVE:
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            f"unexpected token: '{spelling[:40]}'; a value is a string in single quotes, a number,"
            " a date, true, false, null or a date literal such as TODAY",
        )
    if RELATIVE[name].counted != bool(count):
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            f"unexpected token: '{spelling[:40]}'; write"
            f" {name}{':n with a number n' if RELATIVE[name].counted else ' without a number'}",
        )
    if count and (len(count) > 6 or int(count) < 1):
        raise QueryFault(
            "MALFORMED_QUERY", at, f"the number of {name} must be between 1 and 999999"
        )
    return Literal("relative", (name, int(count) if count else None), at)


def stored(value: datetime) -> str:
    """A datetime as the org stores it: UTC, milliseconds, `+0000`."""
    utc = value.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}+0000"


def _unescaped(found: str, at: int, pattern: bool) -> str:
    if pattern and found in ("%", "_", "\\"):
        return "\\" + found
    if len(found) > 1:
        return chr(int(found[1:], 16))
    plain = ESCAPES.get(found) or ESCAPES.get(found.lower() if found.isupper() else "")
    if plain is None:
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            f"illegal character sequence '\\{found}' in a string; write a backslash as \\\\ and a"
            " quote as \\'",
        )
    return plain


def _whole(text: str, at: int) -> str:
    """Surrogate pairs joined; a lone one is no text."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            "a string holds half of a surrogate pair; write both halves or the character itself",
        ) from error


def _checked(text: str, spelling: str, at: int) -> datetime:
    try:
        value = datetime.fromisoformat(text)
        if abs(value.utcoffset() or timedelta()) > timedelta(hours=14):
            raise ValueError("offset")
        inside = FIRST <= value <= LAST
    except (ValueError, OverflowError) as error:
        raise QueryFault("MALFORMED_QUERY", at, f"invalid date: {spelling[:40]}") from error
    if not inside:
        raise QueryFault(
            "MALFORMED_QUERY",
            at,
            f"invalid date: {spelling[:40]}; dates lie between 1700-01-01 and 4000-12-31",
        )
    return value
