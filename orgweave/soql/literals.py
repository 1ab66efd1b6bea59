"""From the spelling of a value to the value: strings, numbers, dates, ids, and relative dates.

Knows no field; `where` compares a value with the field's type.

Examples: `'Bob\\'s'` -> `Bob's`; `2021-03-03T10:00:00+02:00` -> `2021-03-03T08:00:00.000+0000`;
`LAST_N_DAYS:30` -> `("LAST_N_DAYS", 30)`. A relative date becomes a half-open range around a clock:
at 2021-03-03T10:00Z `span("LAST_N_MONTHS", 2, clock)` is 2021-01-01T00:00Z up to, and without,
2021-03-01T00:00Z. All is in UTC, weeks begin on Sunday, fiscal years in January.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from orgweave.soql.nodes import Literal, QueryFault

ESCAPES = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "b": "\b",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
}
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
DATETIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)")
ID = re.compile(r"[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?")
CHECKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
"""The digits of an id's check: each stands for five bits, one for every capital among five."""
# The CRM's own bounds: a string in a filter, a number's size, the calendar it can store.
LONGEST_STRING = 4000
LARGEST_NUMBER = 1e18
FIRST = datetime(1700, 1, 1, tzinfo=UTC)
LAST = datetime(
    4000,
    12,
    31,
    23,
    59,
    59,
    999999,
    tzinfo=UTC,
)
WIDEST_OFFSET = timedelta(hours=14)
"""No place on earth is further from UTC."""
WORDS: dict[str, Literal] = {
    "TRUE": Literal("boolean", True, 0),
    "FALSE": Literal("boolean", False, 0),
    "NULL": Literal("null", None, 0),
}

DateStep = Callable[[datetime, int], datetime]


@dataclass(frozen=True, slots=True)
class Relative:
    """What a relative date literal means, in units counted from the current one.

    `first` and `last` are the first and last unit of the range, such as -1 and -1 for YESTERDAY;
    None stands for the literal's own number, which counts backwards where `past`.
    """

    unit: str
    first: int | None
    last: int | None
    counted: bool = False
    past: bool = True


@dataclass(frozen=True, slots=True)
class Span:
    """From `start`, included, to `end`, not included."""

    start: datetime
    end: datetime


def string(spelling: str, position: int, pattern: bool = False) -> Literal:
    """Reads a quoted string.

    As a LIKE `pattern`, a backslash stays before what is meant literally: `\\%`, `\\_` and the
    backslash itself.
    """
    inner = spelling[1:-1]
    if len(inner) > LONGEST_STRING:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"a string in a filter may have at most {LONGEST_STRING:,} characters, this one has"
            f" {len(inner):,}",
        )

    def unescaped(found: re.Match[str]) -> str:
        return _unescaped(found[1], position, pattern)

    text = ESCAPE.sub(unescaped, inner)
    return Literal(
        "string",
        _joined_surrogates(text, position),
        position,
    )


def number(spelling: str, position: int) -> Literal:
    """Reads a number: an integer where it has no point, else a float."""
    value = float(spelling)
    if abs(value) >= LARGEST_NUMBER:
        raise QueryFault(
            "NUMBER_OUTSIDE_VALID_RANGE",
            position,
            f"number outside of the valid range: {spelling[:40]}",
        )
    return Literal(
        "number",
        value if "." in spelling else int(spelling),
        position,
    )


def moment(spelling: str, position: int) -> Literal:
    """Reads a date, or a datetime with its offset, which becomes one in UTC."""
    if DATE.fullmatch(spelling):
        day = _checked(f"{spelling}T00:00:00+00:00", spelling, position).date()
        return Literal("date", day.isoformat(), position)
    parts = DATETIME.fullmatch(spelling)
    if not parts:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"unexpected token: '{spelling[:40]}'; write a date as 2021-03-03 and a datetime as"
            " 2021-03-03T10:00:00Z, without quotes",
        )
    zone = "+00:00" if parts[3] in "Zz" else f"{parts[3][:3]}:{parts[3][-2:]}"
    fraction = (parts[2] or "0").ljust(6, "0")[:6]
    value = _checked(
        f"{parts[1]}.{fraction}{zone}",
        spelling,
        position,
    )
    return Literal("datetime", stored(value), position)


def word(spelling: str, position: int) -> Literal:
    """Reads a bare word in any case: `true`, `null`, `TODAY`, `LAST_N_DAYS:30`."""
    name, _, count = spelling.upper().replace(" ", "").partition(":")
    name, count = name.strip(), count.strip()
    if name in WORDS and not count:
        return Literal(WORDS[name].kind, WORDS[name].value, position)
    if name not in RELATIVE:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"unexpected token: '{spelling[:40]}'; a value is a string in single quotes, a number,"
            " a date, true, false, null or a date literal such as TODAY",
        )
    counted = RELATIVE[name].counted
    if counted != bool(count):
        form = ":n with a number n" if counted else " without a number"
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"unexpected token: '{spelling[:40]}'; write {name}{form}",
        )
    if count and (len(count) > 6 or int(count) < 1):
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"the number of {name} must be between 1 and 999999",
        )
    return Literal(
        "relative",
        (name, int(count) if count else None),
        position,
    )


def stored(value: datetime) -> str:
    """Returns a datetime as the org stores it: UTC, milliseconds, `+0000`."""
    utc = value.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}+0000"


def cased(spelling: str) -> str | None:
    """Returns an id of 18 characters in the case that its check characters tell.

    None where the last three characters aren't the check of the others. The check has a bit for
    each of the 15 characters before it, set where that character is a capital.
    """
    body, suffix = spelling[:15], spelling[15:].upper()
    if any(sign not in CHECKS for sign in suffix):
        return None
    signs = []
    for place, sign in enumerate(body):
        bits = CHECKS.index(suffix[place // 5])
        upper = bits >> (place % 5) & 1
        if upper and sign.isdigit():
            return None
        signs.append(sign.upper() if upper else sign.lower())
    return "".join(signs) + suffix


def span(name: str, count: int | None, clock: datetime) -> Span:
    """Returns the range that a relative date means at that clock.

    LAST_N_DAYS and LAST_90_DAYS end with the current second, as the CRM documents it; all others
    end at a midnight. Raises OverflowError or ValueError where the range leaves the calendar.
    """
    literal, number = RELATIVE[name], count or 0
    sign = -1 if literal.past else 1
    first = sign * number if literal.first is None else literal.first
    last = sign * number if literal.last is None else literal.last
    begin, step = UNITS[literal.unit]
    current = begin(
        clock.replace(
            hour=0,
            minute=0,
            second=0,
            microsecond=0,
        )
    )
    start = step(current, first)
    if literal.unit == "DAY" and last == 0 and first < 0:
        return Span(start, clock.replace(microsecond=0) + timedelta(seconds=1))
    return Span(start, step(current, last + 1))


def in_utc(clock: datetime) -> datetime:
    """Returns the clock in UTC; a naive one is taken to be in UTC."""
    return clock.replace(tzinfo=UTC) if clock.tzinfo is None else clock.astimezone(UTC)


def _unescaped(sign: str, position: int, pattern: bool) -> str:
    """Returns what a backslash and `sign` mean."""
    if pattern and sign in ("%", "_", "\\"):
        return "\\" + sign
    if len(sign) > 1:
        return chr(int(sign[1:], 16))
    plain = ESCAPES.get(sign) or ESCAPES.get(sign.lower() if sign.isupper() else "")
    if plain is None:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"illegal character sequence '\\{sign}' in a string; write a backslash as \\\\ and a"
            " quote as \\'",
        )
    return plain


def _joined_surrogates(text: str, position: int) -> str:
    """Joins the halves of surrogate pairs that `\\u` escapes made; a lone half is no text."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            "a string holds half of a surrogate pair; write both halves or the character itself",
        ) from error


def _checked(text: str, spelling: str, position: int) -> datetime:
    """Reads a date in ISO form; refuses one that isn't in the calendar or out of its bounds."""
    try:
        value = datetime.fromisoformat(text)
        if abs(value.utcoffset() or timedelta()) > WIDEST_OFFSET:
            raise ValueError("offset")
        inside = FIRST <= value <= LAST
    except (ValueError, OverflowError) as error:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"invalid date: {spelling[:40]}",
        ) from error
    if not inside:
        raise QueryFault(
            "MALFORMED_QUERY",
            position,
            f"invalid date: {spelling[:40]}; dates lie between 1700-01-01 and 4000-12-31",
        )
    return value


def _day(day: datetime) -> datetime:
    return day


def _days(day: datetime, count: int) -> datetime:
    return day + timedelta(days=count)


def _week(day: datetime) -> datetime:
    """The Sunday on or before a day: isoweekday counts from Monday, 1, to Sunday, 7."""
    return day - timedelta(days=day.isoweekday() % 7)


def _weeks(day: datetime, count: int) -> datetime:
    return day + timedelta(days=7 * count)


def _month(day: datetime) -> datetime:
    return day.replace(day=1)


def _months(day: datetime, count: int) -> datetime:
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return day.replace(year=year, month=month + 1)


def _quarter(day: datetime) -> datetime:
    return day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1)


def _quarters(day: datetime, count: int) -> datetime:
    return _months(day, 3 * count)


def _year(day: datetime) -> datetime:
    return day.replace(day=1, month=1)


def _years(day: datetime, count: int) -> datetime:
    return _months(day, 12 * count)


UNITS: dict[str, tuple[Callable[[datetime], datetime], DateStep]] = {
    "DAY": (_day, _days),
    "WEEK": (_week, _weeks),
    "MONTH": (_month, _months),
    "QUARTER": (_quarter, _quarters),
    "YEAR": (_year, _years),
}
"""Unit -> the beginning of the one that holds a day, and the beginning n units further."""

CALENDAR = {
    "WEEK": "WEEK",
    "MONTH": "MONTH",
    "QUARTER": "QUARTER",
    "YEAR": "YEAR",
    "FISCAL_QUARTER": "QUARTER",
    "FISCAL_YEAR": "YEAR",
}
"""Word in a literal's name -> unit."""
RELATIVE: dict[str, Relative] = {
    "YESTERDAY": Relative("DAY", -1, -1),
    "TODAY": Relative("DAY", 0, 0),
    "TOMORROW": Relative("DAY", 1, 1),
    "LAST_90_DAYS": Relative("DAY", -90, 0),
    "NEXT_90_DAYS": Relative("DAY", 1, 90),
    "LAST_N_DAYS": Relative("DAY", None, 0, counted=True),
    "NEXT_N_DAYS": Relative("DAY", 1, None, counted=True, past=False),
    "N_DAYS_AGO": Relative("DAY", None, None, counted=True),
    **{f"LAST_{name}": Relative(unit, -1, -1) for name, unit in CALENDAR.items()},
    **{f"THIS_{name}": Relative(unit, 0, 0) for name, unit in CALENDAR.items()},
    **{f"NEXT_{name}": Relative(unit, 1, 1) for name, unit in CALENDAR.items()},
    **{
        f"LAST_N_{name}S": Relative(unit, None, -1, counted=True) for name, unit in CALENDAR.items()
    },
    **{
        f"NEXT_N_{name}S": Relative(unit, 1, None, counted=True, past=False)
        for name, unit in CALENDAR.items()
    },
    **{
        f"N_{name}S_AGO": Relative(unit, None, None, counted=True)
        for name, unit in CALENDAR.items()
    },
}
"""Every relative date literal by its name."""
