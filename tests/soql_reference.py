"""SOQL a second time, for tests: the answer to a drawn query, worked out in Python over the
records.

Shares nothing with the engine: no grammar, no SQL, its own dates, its own ideas of null. Slow and
plain on purpose.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any
from unicodedata import combining, normalize

from tests.soql_model import (
    CHILDREN,
    PARENTS,
    PICKLISTS,
    TYPES,
    Query,
    Rows,
    field,
    lookup,
    parent_of,
    type_of,
)

ID = re.compile(r"[0-9a-z]{3}zz000\w{10}")


def answer(query: Query, rows: Rows, now: datetime) -> Any:
    """What the engine must answer: the number, the records as nested dicts without attributes, or
    the groups.
    """
    where = _with_joins(query["where"], rows, now)
    found = [row for row in rows[query["entity"]] if _holds(where, rows, query["entity"], row, now)]
    if query["kind"] == "count":
        return len(_cut(found, query))
    if query["kind"] in ("groups", "total"):
        return _answer_groups(query, rows, found)
    return [_shaped(query, rows, row, now) for row in _cut(_ordered(query, rows, found), query)]


def _cut(found: list[Any], query: Query) -> list[Any]:
    found = found[query["offset"] :]
    return found if query["limit"] is None else found[: query["limit"]]


def _ordered(query: Query, rows: Rows, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = sorted(found, key=lambda row: row["Id"])
    for path, down, first in reversed(query["sorts"]):
        found = _sort_by(
            found,
            lambda row, path=path: _order_key(
                query["entity"],
                path,
                lookup(rows, query["entity"], row, path),
            ),
            down,
            first,
        )  # type: ignore[misc]
    return found


def _sort_by(found: list[Any], key: Callable[[Any], Any], down: bool, first: bool) -> list[Any]:
    """A stable sort, nulls apart."""
    empty = [one for one in found if key(one) is None]
    full = sorted((one for one in found if key(one) is not None), key=key, reverse=down)
    if down:
        groups: dict[Any, list[Any]] = {}
        for one in found:
            if key(one) is not None:
                groups.setdefault(key(one), []).append(one)
        full = [one for value in sorted(groups, reverse=True) for one in groups[value]]
    return empty + full if first else full + empty


def _order_key(entity: str, path: Any, value: Any) -> Any:
    if value is None:
        return None
    kind = type_of(entity, path) if isinstance(path, str) else "other"
    if kind == "picklist":
        return PICKLISTS[path.split(".")[-1]].index(value)
    return _in_alphabet(value) if kind == "string" else value


def _in_alphabet(text: str) -> tuple[str, bool, str]:
    """A text as it is ordered: its letters without case and accents, then with accents."""
    lower = "".join(letter.lower() for letter in text)
    bare = "".join(one for one in normalize("NFD", lower) if not combining(one)).lower()
    for letter, plain in (("æ", "ae"), ("ø", "o"), ("ß", "ss"), ("ł", "l"), ("œ", "oe")):
        bare = bare.replace(letter, plain)
    return bare, bare != lower, lower


def _folded(text: str) -> bytes:
    """A text as it is ordered and grouped: in lower case, letter by letter."""
    return "".join(letter.lower() for letter in text).encode()


def _shaped(query: Query, rows: Rows, row: dict[str, Any], now: datetime) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for path in query["fields"]:
        _put(made, rows, query["entity"], row, path.split("."))
    for place, (name, path) in enumerate(query.get("shown", [])):
        value = lookup(rows, query["entity"], row, path)
        made[f"shown{place}"] = value if name == "toLabel" else _in_words(query, path, value)
    for name, child in query["children"].items():
        _, key = CHILDREN[query["entity"]][name]
        inner = {
            **rows,
            child["entity"]: [one for one in rows[child["entity"]] if one[key] == row["Id"]],
        }
        found = [
            one
            for one in inner[child["entity"]]
            if _holds(child["where"], rows, child["entity"], one, now)
        ]
        records = [
            _shaped(child, rows, one, now) for one in _cut(_ordered(child, rows, found), child)
        ]
        made[name] = (
            {"totalSize": len(records), "done": True, "records": records} if records else None
        )
    return made


def _put(
    made: dict[str, Any],
    rows: Rows,
    entity: str,
    row: dict[str, Any],
    names: list[str],
) -> None:
    if len(names) == 1:
        made[names[0]] = _shown(entity, names[0], field(row, entity, names[0]))
        return
    key, parent = PARENTS[entity][names[0]]
    reached = parent_of(rows, parent, row[key])
    if reached is None:
        made[names[0]] = None
    else:
        made.setdefault(names[0], {})
        _put(made[names[0]], rows, parent, reached, names[1:])


def _shown(entity: str, name: str, value: Any) -> Any:
    if TYPES[entity][name] == "multi":
        return ";".join(re.findall(r"\w+", value))
    return value


def _in_words(query: Query, path: str, value: Any) -> Any:
    """A number or a day as people write it: $1,234.50, 3/15/2023, 3/15/2023, 12:30 PM."""
    if value is None:
        return None
    if isinstance(value, str):
        at = _moment(value)
        day = f"{at.month}/{at.day}/{at.year}"
        if len(value) == 10:
            return day
        return f"{day}, {at.strftime('%I').lstrip('0')}:{at.strftime('%M %p')}"
    if path.endswith(("Price", "Amount")):
        return ("-" if value < 0 else "") + "$" + f"{abs(value):,.2f}"
    return f"{value:,}".removesuffix(".0")


def _answer_groups(query: Query, rows: Rows, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The groups; with ROLLUP or CUBE once for every set of keys that is summed over."""
    keys = query["groups"]
    if not query["totals"]:
        made = _grouped(query, rows, found, keys)
    else:
        made = []
        sets = 2 ** len(keys)
        for chosen in range(sets):
            kept = [key for place, key in enumerate(keys) if not chosen >> place & 1]
            if query["totals"] == "CUBE" or kept == keys[: len(kept)]:
                made += _grouped(query, rows, found, kept)
    entity = query["entity"]
    for key in reversed(keys):
        made = _sort_by(made, partial(_plain_key_in, key), False, True)
        made = _sort_by(made, itemgetter(("GROUPING", key)), False, True)
    for key, down, first in reversed(query["sorts"]):
        made = _sort_by(made, partial(_sorted_key_in, entity, key), down, first)
    labels = {f"k{place}": key for place, key in enumerate(keys)}
    labels |= {f"a{place}": one for place, one in enumerate(query["aggregates"])}
    if query["totals"]:
        labels |= {f"g{place}": ("GROUPING", key) for place, key in enumerate(keys)}
    return [{label: one[name] for label, name in labels.items()} for one in _cut(made, query)]


def _grouped(
    query: Query,
    rows: Rows,
    found: list[dict[str, Any]],
    kept: list[Any],
) -> list[dict[str, Any]]:
    """The groups by some of the keys; the others are null."""
    entity = query["entity"]
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {} if kept else {(): []}
    for row in found:
        values = [_evaluate(rows, entity, row, key) for key in kept]
        groups.setdefault(tuple(_plain_key(value) for value in values), []).append(row)
    made = []
    for members in groups.values():
        aggregates = {one: _aggregate(rows, entity, one, members) for one in query["aggregates"]}
        if all(
            _compare(aggregates[one], operator, value) for one, operator, value in query["having"]
        ):
            keys: dict[Any, Any] = {}
            for key in query["groups"]:
                spellings = (_evaluate(rows, entity, row, key) for row in members)
                keys[key] = _first_spelling(spellings) if key in kept else None
                keys["GROUPING", key] = int(key not in kept)
            made.append({**keys, **aggregates})
    return made


def _sorted_key(entity: str, key: Any, value: Any) -> Any:
    return (
        (_in_alphabet(value) if isinstance(_plain_key(value), bytes) else value)
        if isinstance(key, tuple) and key[0] in ("MIN", "MAX")
        else _order_key(entity, key, value)
    )


def _sorted_key_in(entity: str, key: Any, group: dict[Any, Any]) -> Any:
    return _sorted_key(entity, key, group[key])


def _plain_key_in(key: Any, group: dict[Any, Any]) -> Any:
    return _plain_key(group[key])


def _plain_key(value: Any) -> Any:
    """What two values share that are grouped together: letters in any case, ids exactly."""
    return _folded(value) if isinstance(value, str) and not ID.fullmatch(value) else value


def _first_spelling(values: Any) -> Any:
    found = list(values)
    return (
        min(found, key=lambda one: one.encode())
        if found and isinstance(found[0], str)
        else found[0]
    )


def _aggregate(rows: Rows, entity: str, one: tuple[str, str], members: list[dict[str, Any]]) -> Any:
    name, path = one
    values = [value for row in members if (value := lookup(rows, entity, row, path)) is not None]
    if name == "COUNT":
        return len(values)
    if name == "COUNT_DISTINCT":
        return len({_plain_key(value) for value in values})
    if not values:
        return None
    if name in ("MIN", "MAX"):
        best = (min if name == "MIN" else max)(_order_key(entity, path, value) for value in values)
        return _first_spelling(value for value in values if _order_key(entity, path, value) == best)
    total = sum(Fraction(str(value)) for value in values)
    if name == "SUM":
        return int(total) if all(isinstance(value, int) for value in values) else float(total)
    return float(total / len(values))


def _with_joins(node: Any, rows: Rows, now: datetime) -> Any:
    """The condition with each semi-join's ids found beforehand."""
    match node:
        case ("AND" | "OR") as operator, terms:
            return operator, [_with_joins(one, rows, now) for one in terms]
        case "JOIN", left, negated, inner, right, where:
            return (
                "JOIN",
                left,
                negated,
                {
                    one[right]
                    for one in rows[inner]
                    if one[right] is not None and _holds(where, rows, inner, one, now)
                },
            )
    return node


def _holds(node: Any, rows: Rows, entity: str, row: dict[str, Any], now: datetime) -> bool:
    match node:
        case None:
            return True
        case "AND", terms:
            return all(_holds(one, rows, entity, row, now) for one in terms)
        case "OR", terms:
            return any(_holds(one, rows, entity, row, now) for one in terms)
        case "NOT", term:
            return not _holds(term, rows, entity, row, now)
        case "JOIN", left, negated, found:
            return (row[left] in found) != negated
        case "MULTI", path, operator, values:
            value = lookup(rows, entity, row, path)
            held = set() if value is None else {one.lower() for one in re.findall(r"\w+", value)}
            return any(all(part.lower() in held for part in one.split(";")) for one in values) == (
                operator == "INCLUDES"
            )
    _, left, operator, values = node
    value = _evaluate(rows, entity, row, left)
    if operator in ("IN", "NOT IN"):
        return any(_equal(value, one, now) for one in values) == (operator == "IN")
    if operator in ("=", "!="):
        return _equal(value, values[0], now) == (operator == "=")
    return value is not None and (
        _matches(value, values[0][1])
        if operator == "LIKE"
        else _beside(value, operator, values[0], now)
    )


def _equal(value: Any, wanted: Any, now: datetime) -> bool:
    if isinstance(value, bool):
        return value == bool(wanted)
    if isinstance(wanted, tuple):
        start, end = _relative(wanted, now)
        return value is not None and start <= _moment(value) < end
    if isinstance(value, str) and isinstance(wanted, str):
        return value.lower() == wanted.lower() if not ID.fullmatch(value) else value == wanted
    return bool(value == wanted)


def _beside(value: Any, operator: str, wanted: Any, now: datetime) -> bool:
    if isinstance(wanted, tuple):
        start, end = _relative(wanted, now)
        at = _moment(value)
        return {"<": at < start, "<=": at < end, ">": at >= end, ">=": at >= start}[operator]
    if isinstance(value, str) and not ID.fullmatch(value):
        return _compare(_in_alphabet(value), operator, _in_alphabet(wanted))
    return _compare(value, operator, wanted)


def _compare(value: Any, operator: str, wanted: Any) -> bool:
    if operator == "!=":
        return bool(value != wanted)
    return value is not None and bool(
        {
            "=": value == wanted,
            "<": value < wanted,
            "<=": value <= wanted,
            ">": value > wanted,
            ">=": value >= wanted,
        }[operator]
    )


def _matches(value: str, signs: list[str]) -> bool:
    pattern = "".join({"%": ".*", "_": "."}.get(sign, re.escape(sign[-1])) for sign in signs)
    return re.fullmatch(pattern, value, re.IGNORECASE | re.DOTALL) is not None


def _evaluate(rows: Rows, entity: str, row: dict[str, Any], expression: Any) -> Any:
    if isinstance(expression, str):
        return lookup(rows, entity, row, expression)
    name, path = expression
    value = lookup(rows, entity, row, path)
    return None if value is None else _date_part(name, value)


def _date_part(name: str, value: str) -> Any:
    at = _moment(value)
    day = at.timetuple().tm_yday
    return {
        "CALENDAR_YEAR": at.year,
        "FISCAL_YEAR": at.year,
        "CALENDAR_MONTH": at.month,
        "FISCAL_MONTH": at.month,
        "CALENDAR_QUARTER": -(-at.month // 3),
        "FISCAL_QUARTER": -(-at.month // 3),
        "DAY_IN_MONTH": at.day,
        "DAY_IN_WEEK": at.isoweekday() % 7 + 1,
        "DAY_IN_YEAR": day,
        "WEEK_IN_MONTH": -(-at.day // 7),
        "WEEK_IN_YEAR": -(-day // 7),
        "HOUR_IN_DAY": at.hour,
        "DAY_ONLY": value[:10],
    }[name]


def _moment(value: str) -> datetime:
    if len(value) == 10:
        return datetime.combine(date.fromisoformat(value), datetime.min.time(), UTC)
    return datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%f%z")


@lru_cache
def _relative(value: tuple[str, str, int | None], now: datetime) -> tuple[datetime, datetime]:
    """The range of a date literal, by counting days and months one after the other."""
    _, name, count = value
    n = count or 0
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    fixed = {
        "TODAY": (today, today + day),
        "YESTERDAY": (today - day, today),
        "TOMORROW": (today + day, today + 2 * day),
        "LAST_90_DAYS": (today - 90 * day, now + timedelta(seconds=1)),
        "NEXT_90_DAYS": (today + day, today + 91 * day),
        "LAST_N_DAYS": (today - n * day, now + timedelta(seconds=1)),
        "NEXT_N_DAYS": (today + day, today + (n + 1) * day),
        "N_DAYS_AGO": (today - n * day, today - n * day + day),
    }
    if name in fixed:
        return fixed[name]
    found = re.fullmatch(
        r"(LAST|THIS|NEXT)_(N_)?(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)S?"
        r"|N_(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)S_AGO",
        name,
    )
    assert found, name
    unit = found[3] or found[4]
    here = _beginning(today, unit)
    if found[4]:
        return _walk(here, unit, -n), _walk(here, unit, 1 - n)
    steps = n if found[2] else 1
    return {
        "LAST": (_walk(here, unit, -steps), here),
        "THIS": (here, _walk(here, unit, 1)),
        "NEXT": (_walk(here, unit, 1), _walk(here, unit, 1 + steps)),
    }[found[1]]


def _beginning(at: datetime, unit: str) -> datetime:
    while not {
        "WEEK": at.weekday() == 6,
        "MONTH": at.day == 1,
        "QUARTER": at.day == 1 and at.month in (1, 4, 7, 10),
        "YEAR": at.day == 1 and at.month == 1,
    }[unit]:
        at -= timedelta(days=1)
    return at


def _walk(at: datetime, unit: str, steps: int) -> datetime:
    for _ in range(abs(steps)):
        at = (
            _beginning(at - timedelta(days=1), unit)
            if steps < 0
            else next(
                at + timedelta(days=ahead)
                for ahead in range(1, 400)
                if _beginning(at + timedelta(days=ahead), unit) == at + timedelta(days=ahead)
            )
        )
    return at
