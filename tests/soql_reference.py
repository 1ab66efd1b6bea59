"""SOQL a second time, for tests: random queries as plain dicts, their text, and their answer worked out in Python over the records.

Shares nothing with the engine: no grammar, no SQL, its own dates, its own ideas of null. Slow and plain on purpose.
"""

import random
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any

Rows = dict[str, list[dict[str, Any]]]
TYPES = {
    "User": {"Id": "id", "Name": "string", "Email": "string", "IsActive": "boolean"},
    "Account": {
        "Id": "id",
        "IsDeleted": "boolean",
        "Name": "string",
        "Number__c": "string",
        "OwnerId": "id",
        "ShippingState": "string",
        "Rating": "picklist",
        "Employees": "int",
        "Score__c": "double",
        "CreditAmount": "double",
        "Since": "date",
        "CreatedDate": "datetime",
        "Phone": "string",
        "Site": "string",
        "Note": "string",
        "Description": "long",
        "Tags__c": "multi",
    },
    "Case": {
        "Id": "id",
        "IsDeleted": "boolean",
        "CaseNumber": "string",
        "Subject": "string",
        "AccountId": "id",
        "OwnerId": "id",
        "ItemId__c": "id",
        "Status": "picklist",
        "Hours": "int",
        "CreatedDate": "datetime",
        "ClosedDate": "datetime",
        "IsClosed": "boolean",
    },
    "Order": {"Id": "id", "IsDeleted": "boolean", "AccountId": "id", "EffectiveDate": "date", "OwnerId": "id"},
    "OrderItem": {"Id": "id", "IsDeleted": "boolean", "OrderId": "id", "Quantity": "int", "UnitPrice": "double"},
}
PICKLISTS = {"Rating": ["Hot", "Warm", "Cold"], "Status": ["New", "Working", "Closed"]}
PARENTS = {
    "Account": {"Owner": ("OwnerId", "User")},
    "Case": {"Account": ("AccountId", "Account"), "Owner": ("OwnerId", "User"), "ItemId__r": ("ItemId__c", "OrderItem")},
    "Order": {"Account": ("AccountId", "Account"), "Owner": ("OwnerId", "User")},
    "OrderItem": {"Order": ("OrderId", "Order")},
    "User": {},
}
CHILDREN = {"Account": {"Cases": ("Case", "AccountId"), "Orders": ("Order", "AccountId")}, "Order": {"OrderItems": ("OrderItem", "OrderId")}, "OrderItem": {"Cases__r": ("Case", "ItemId__c")}}
SEMI_JOINS = {
    "Account": [("Id", "Case", "AccountId"), ("Id", "Order", "AccountId"), ("OwnerId", "Case", "OwnerId"), ("OwnerId", "User", "Id")],
    "Case": [("AccountId", "Order", "AccountId"), ("AccountId", "Account", "Id"), ("ItemId__c", "OrderItem", "Id")],
    "Order": [("Id", "OrderItem", "OrderId"), ("AccountId", "Case", "AccountId")],
    "OrderItem": [("Id", "Case", "ItemId__c"), ("OrderId", "Order", "Id")],
    "User": [("Id", "Case", "OwnerId"), ("Id", "Account", "OwnerId")],
}
NOT_GROUPED = {"CaseNumber", "Number__c", "Note", "Description"}
FUNCTIONS = [
    "CALENDAR_YEAR",
    "CALENDAR_MONTH",
    "CALENDAR_QUARTER",
    "DAY_IN_MONTH",
    "DAY_IN_WEEK",
    "DAY_IN_YEAR",
    "WEEK_IN_MONTH",
    "WEEK_IN_YEAR",
    "FISCAL_YEAR",
    "FISCAL_QUARTER",
    "HOUR_IN_DAY",
    "DAY_ONLY",
]
LITERALS = ["TODAY", "YESTERDAY", "TOMORROW", "LAST_90_DAYS", "NEXT_90_DAYS", "LAST_N_DAYS", "NEXT_N_DAYS", "N_DAYS_AGO"] + [
    pattern.format(unit) for unit in ("WEEK", "MONTH", "QUARTER", "YEAR", "FISCAL_QUARTER", "FISCAL_YEAR") for pattern in ("LAST_{}", "THIS_{}", "NEXT_{}", "LAST_N_{}S", "NEXT_N_{}S", "N_{}S_AGO")
]
Query = dict[str, Any]
ID = re.compile(r"[0-9a-z]{3}zz000\w{10}")


# --- drawing a query -----------------------------------------------------------------------------------------------------


def draw_query(rng: random.Random, rows: Rows) -> Query:
    """A random query that the engine must answer."""
    entity = rng.choice(list(TYPES))
    query: Query = {"entity": entity, "alias": rng.choice([None, None, "q"]), "where": draw_where(rng, rows, entity), "limit": rng.choice([None, None, 0, 1, 7]), "offset": rng.choice([0, 0, 0, 3])}
    kind = rng.choice(["records", "records", "records", "groups", "groups", "total", "count"])
    query["kind"] = kind
    query["fields"] = [draw_path(rng, entity) for _ in range(rng.randrange(1, 5))]
    query["sorts"], query["children"] = [], {}
    if kind == "records":
        query["fields"] = list(dict.fromkeys(query["fields"]))
        query["sorts"] = draw_sorts(rng, [draw_path(rng, entity, sortable=True) for _ in range(rng.randrange(0, 3))])
        query["children"] = draw_children(rng, rows, entity)
    elif kind == "groups":
        draw_groups(rng, query)
    elif kind == "total":
        query["groups"], query["having"], query["limit"], query["offset"] = [], [], None, 0
        query["aggregates"] = draw_aggregates(rng, entity, [])
    return query


def draw_path(rng: random.Random, entity: str, sortable: bool = False) -> str:
    """A field, sometimes along relationships."""
    steps: list[str] = []
    while PARENTS[entity] and rng.random() < 0.35 and len(steps) < 3:
        step = rng.choice(list(PARENTS[entity]))
        steps.append(step)
        entity = PARENTS[entity][step][1]
    names = [name for name, kind in TYPES[entity].items() if not (sortable and kind in ("long", "multi"))]
    return ".".join([*steps, rng.choice(names)])


def draw_sorts(rng: random.Random, keys: list[Any]) -> list[tuple[Any, bool, bool]]:
    return [(key, rng.random() < 0.5, rng.random() < 0.6) for key in keys]


def draw_children(rng: random.Random, rows: Rows, entity: str) -> dict[str, Query]:
    made = {}
    for name, (child, _) in CHILDREN.get(entity, {}).items():
        if rng.random() < 0.25:
            fields = list(dict.fromkeys(draw_path(rng, child) for _ in range(2)))
            sorts = draw_sorts(rng, [draw_path(rng, child, sortable=True)] * rng.randrange(0, 2))
            made[name] = {
                "kind": "records",
                "entity": child,
                "alias": None,
                "fields": fields,
                "where": draw_where(rng, rows, child, joins=False),
                "sorts": sorts,
                "limit": rng.choice([None, 1, 2]),
                "offset": 0,
                "children": {},
            }
    return made


def draw_groups(rng: random.Random, query: Query) -> None:
    entity = query["entity"]
    keys: list[Any] = []
    for _ in range(rng.randrange(1, 3)):
        path = draw_path(rng, entity, sortable=True)
        kind = type_of(entity, path)
        if kind in ("date", "datetime") and rng.random() < 0.8:
            keys.append((rng.choice([one for one in FUNCTIONS if kind == "datetime" or one not in ("HOUR_IN_DAY", "DAY_ONLY")]), path))
        elif kind not in ("datetime", "double") and path.split(".")[-1] not in NOT_GROUPED:
            keys.append(path)
    query["groups"] = list(dict.fromkeys(keys)) or ["Id"]
    query["aggregates"] = draw_aggregates(rng, entity, query["groups"])
    query["having"] = [(rng.choice(query["aggregates"]), rng.choice(["=", "!=", "<", "<=", ">", ">="]))] if query["aggregates"] and rng.random() < 0.4 else []
    query["having"] = [(one, operator, draw_number(rng)) for one, operator in query["having"] if one[0] in ("COUNT", "COUNT_DISTINCT", "SUM", "AVG")]
    query["sorts"] = draw_sorts(rng, [rng.choice(query["groups"] + query["aggregates"])] * rng.randrange(0, 2))


def draw_aggregates(rng: random.Random, entity: str, groups: list[Any]) -> list[tuple[str, str]]:
    """Aggregates of fields that aren't grouped by; at least one where nothing is grouped by."""
    found: list[tuple[str, str]] = []
    while len(found) < (1 if not groups else rng.randrange(0, 3)):
        path = draw_path(rng, entity, sortable=True)
        kind = type_of(entity, path)
        if path in groups or kind == "boolean":
            continue
        found.append((rng.choice(["COUNT", "COUNT_DISTINCT", "MIN", "MAX", *(["SUM", "AVG"] if kind in ("int", "double") else [])]), path))
    return list(dict.fromkeys(found))


def draw_where(rng: random.Random, rows: Rows, entity: str, depth: int = 0, joins: bool = True) -> Any:
    roll = rng.random()
    if depth == 0 and roll < 0.15:
        return None
    if depth < 3 and roll < 0.45:
        operator = rng.choice(["AND", "OR"])
        return (operator, [draw_where(rng, rows, entity, depth + 1, joins and operator == "AND") or draw_comparison(rng, rows, entity) for _ in range(rng.randrange(2, 4))])
    if depth < 3 and roll < 0.55:
        return ("NOT", draw_where(rng, rows, entity, depth + 1, False) or draw_comparison(rng, rows, entity))
    if joins and depth == 0 and roll < 0.7:
        left, inner, right = rng.choice(SEMI_JOINS[entity])
        return ("JOIN", left, rng.random() < 0.5, inner, right, draw_where(rng, rows, inner, 1, False))
    return draw_comparison(rng, rows, entity)


def draw_comparison(rng: random.Random, rows: Rows, entity: str) -> Any:
    while True:
        path = draw_path(rng, entity)
        kind = type_of(entity, path)
        if kind == "long":
            continue
        if kind == "multi":
            return ("MULTI", path, rng.choice(["INCLUDES", "EXCLUDES"]), [rng.choice(["red", "GREEN", "red;blue"]) for _ in range(rng.randrange(1, 3))])
        if kind in ("date", "datetime") and rng.random() < 0.35:
            name = rng.choice([one for one in FUNCTIONS[:-1] if kind == "datetime" or one != "HOUR_IN_DAY"])
            return ("COMPARE", (name, path), rng.choice(["=", "!=", "<", ">="]), [rng.choice([2021, 2022, 2023, 1, 3, 7, 12, 30])])
        operators = ["=", "!=", "IN", "NOT IN"] + (["<", "<=", ">", ">="] if kind != "boolean" else []) + (["LIKE", "LIKE"] if kind in ("string", "picklist") else [])
        operator = rng.choice(operators)
        values = [draw_value(rng, rows, entity, path, operator) for _ in range(rng.randrange(1, 4) if "IN" in operator else 1)]
        return ("COMPARE", path, operator, values)


def draw_value(rng: random.Random, rows: Rows, entity: str, path: str, operator: str) -> Any:
    """A value; often one that a record has. A string for LIKE is `("LIKE", [signs])`, a date literal `("RELATIVE", name, n)`."""
    kind = type_of(entity, path)
    if operator in ("=", "!=", "IN", "NOT IN") and rng.random() < 0.12:
        return None
    seen = [value for row in rng.sample(rows[entity], min(5, len(rows[entity]))) if (value := lookup(rows, entity, row, path)) is not None]
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("date", "datetime") and (rng.random() < 0.5 or not seen):
        name = rng.choice(LITERALS)
        return ("RELATIVE", name, rng.randrange(1, 9) if "N_" in name.replace("NEXT_", "").replace("IN_", "") or name.startswith("NEXT_N_") else None)
    if operator == "LIKE":
        return ("LIKE", draw_pattern(rng, seen))
    if kind in ("int", "double"):
        return draw_number(rng)
    if not seen:
        return "zz" if kind in ("string", "picklist") else rows["User"][0]["Id"]
    value = rng.choice(seen)
    return rng.choice([value, value.upper(), value.lower(), value + "x"]) if kind in ("string", "picklist") else value


def draw_number(rng: random.Random) -> int | float:
    return rng.choice([0, 1, 2, 3, 5, 10, 0.1, 0.3, 0.6, 10.1, 99.99, -0.1])


def draw_pattern(rng: random.Random, seen: list[str]) -> list[str]:
    """Signs of a LIKE pattern: `%` and `_` are wild, `\\%` and `\\_` and `\\\\` are not."""
    text = rng.choice(seen) if seen else "abc"
    start = rng.randrange(0, len(text) + 1)
    body = [sign if sign not in "%_\\" else "\\" + sign for sign in text[start : start + 4]]
    body = ["_" if rng.random() < 0.15 else rng.choice([sign, sign.upper(), sign.lower()]) if len(sign.upper()) == 1 else sign for sign in body]
    return [*rng.choice([[], ["%"]]), *body, *rng.choice([[], ["%"]])]


# --- writing a query -----------------------------------------------------------------------------------------------------


def spelled(query: Query) -> str:
    """The query as SOQL."""
    fields = [written(path, query) for path in query["fields"]]
    if query["kind"] == "count":
        fields = ["COUNT()"]
    elif query["kind"] in ("groups", "total"):
        fields = [f"{spell(key)} k{at}" for at, key in enumerate(query["groups"])] + [f"{spell(one)} a{at}" for at, one in enumerate(query["aggregates"])]
    fields += [f"({spelled({**child, 'name': name})})" for name, child in query["children"].items()]
    text = f"SELECT {', '.join(fields)} FROM {query.get('name', query['entity'])}" + (f" {query['alias']}" if query["alias"] else "")
    if query["where"] is not None:
        text += f" WHERE {spell_where(query['where'])}"
    if query.get("groups"):
        text += f" GROUP BY {', '.join(spell(key) for key in query['groups'])}"
    if query.get("having"):
        text += " HAVING " + " AND ".join(f"{spell(one)} {operator} {value}" for one, operator, value in query["having"])
    if query["sorts"]:
        text += " ORDER BY " + ", ".join(f"{spell(key)} {'DESC' if down else 'ASC'} NULLS {'FIRST' if first else 'LAST'}" for key, down, first in query["sorts"])
    text += f" LIMIT {query['limit']}" if query["limit"] is not None else ""
    return text + (f" OFFSET {query['offset']}" if query["offset"] else "")


def written(path: str, query: Query) -> str:
    return f"{query['alias']}.{path}" if query["alias"] else path


def spell(expression: Any) -> str:
    return expression if isinstance(expression, str) else f"{expression[0]}({expression[1]})"


def spell_where(node: Any) -> str:
    match node:
        case ("AND" | "OR") as operator, terms:
            return f" {operator} ".join(f"({spell_where(one)})" for one in terms)
        case "NOT", term:
            return f"NOT ({spell_where(term)})"
        case "JOIN", left, negated, inner, right, where:
            return f"{left} {'NOT ' if negated else ''}IN (SELECT {right} FROM {inner}{f' WHERE {spell_where(where)}' if where else ''})"
        case "MULTI", path, operator, values:
            return f"{path} {operator} ({', '.join(spell_value(one) for one in values)})"
    _, left, operator, values = node
    if "IN" in operator:
        return f"{spell(left)} {operator} ({', '.join(spell_value(one) for one in values)})"
    return f"{spell(left)} {operator} {spell_value(values[0])}"


def spell_value(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case "RELATIVE", name, count:
            return name if count is None else f"{name}:{count}"
        case "LIKE", signs:
            return "'" + "".join(quote(one) for one in signs) + "'"
        case str() if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return value
        case str() if re.fullmatch(r"\d{4}-\d\d-\d\dT\S+", value):
            return value.replace(".000+0000", "Z")
        case str():
            return "'" + "".join(quote(sign) for sign in value.replace("\\", "\\\\")) + "'" if "\\" in value else "'" + "".join(quote(sign) for sign in value) + "'"
    return str(value)


def quote(sign: str) -> str:
    return {"'": "\\'", "\n": "\\n"}.get(sign, sign)


# --- answering a query ---------------------------------------------------------------------------------------------------


def answer(query: Query, rows: Rows, now: datetime) -> Any:
    """What the engine must answer: the number, the records as nested dicts without attributes, or the groups."""
    where = with_joins(query["where"], rows, now)
    found = [row for row in rows[query["entity"]] if holds(where, rows, query["entity"], row, now)]
    if query["kind"] == "count":
        return len(cut(found, query))
    if query["kind"] in ("groups", "total"):
        return answer_groups(query, rows, found)
    return [shaped(query, rows, row, now) for row in cut(ordered(query, rows, found), query)]


def cut(found: list[Any], query: Query) -> list[Any]:
    found = found[query["offset"] :]
    return found if query["limit"] is None else found[: query["limit"]]


def ordered(query: Query, rows: Rows, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = sorted(found, key=lambda row: row["Id"])
    for path, down, first in reversed(query["sorts"]):
        found = sort_by(found, lambda row, path=path: order_key(query["entity"], path, lookup(rows, query["entity"], row, path)), down, first)  # type: ignore[misc]
    return found


def sort_by(found: list[Any], key: Callable[[Any], Any], down: bool, first: bool) -> list[Any]:
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


def order_key(entity: str, path: Any, value: Any) -> Any:
    if value is None:
        return None
    kind = type_of(entity, path) if isinstance(path, str) else "other"
    if kind == "picklist":
        return PICKLISTS[path.split(".")[-1]].index(value)
    return ascii_folded(value) if kind == "string" else value


def ascii_folded(text: str) -> bytes:
    return bytes(one + 32 if 65 <= one <= 90 else one for one in text.encode())


def shaped(query: Query, rows: Rows, row: dict[str, Any], now: datetime) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for path in query["fields"]:
        put(made, rows, query["entity"], row, path.split("."))
    for name, child in query["children"].items():
        _, key = CHILDREN[query["entity"]][name]
        inner = {**rows, child["entity"]: [one for one in rows[child["entity"]] if one[key] == row["Id"]]}
        found = [one for one in inner[child["entity"]] if holds(child["where"], rows, child["entity"], one, now)]
        records = [shaped(child, rows, one, now) for one in cut(ordered(child, rows, found), child)]
        made[name] = {"totalSize": len(records), "done": True, "records": records} if records else None
    return made


def put(made: dict[str, Any], rows: Rows, entity: str, row: dict[str, Any], names: list[str]) -> None:
    if len(names) == 1:
        made[names[0]] = shown(entity, names[0], field(row, entity, names[0]))
        return
    key, parent = PARENTS[entity][names[0]]
    reached = by_id(rows, parent).get(row[key])
    if reached is None:
        made[names[0]] = None
    else:
        made.setdefault(names[0], {})
        put(made[names[0]], rows, parent, reached, names[1:])


def shown(entity: str, name: str, value: Any) -> Any:
    if TYPES[entity][name] == "multi":
        return ";".join(re.findall(r"\w+", value))
    return value


def answer_groups(query: Query, rows: Rows, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    entity = query["entity"]
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {} if query["groups"] else {(): []}
    for row in found:
        values = [evaluate(rows, entity, row, key) for key in query["groups"]]
        groups.setdefault(tuple(plain_key(value) for value in values), []).append(row)
    made = []
    for members in groups.values():
        aggregates = {one: aggregate(rows, entity, one, members) for one in query["aggregates"]}
        if all(compare(aggregates[one], operator, value) for one, operator, value in query["having"]):
            keys = {key: first_spelling(evaluate(rows, entity, row, key) for row in members) for key in query["groups"]}
            made.append({**keys, **aggregates})
    for key in reversed(query["groups"]):
        made = sort_by(made, lambda one, key=key: plain_key(one[key]), False, True)  # type: ignore[misc]
    for key, down, first in reversed(query["sorts"]):
        made = sort_by(made, lambda one, key=key: sorted_key(entity, key, one[key]), down, first)  # type: ignore[misc]
    names = [*query["groups"], *query["aggregates"]]
    labels = [f"k{at}" for at in range(len(query["groups"]))] + [f"a{at}" for at in range(len(query["aggregates"]))]
    return [{label: one[name] for label, name in zip(labels, names, strict=True)} for one in cut(made, query)]


def sorted_key(entity: str, key: Any, value: Any) -> Any:
    return plain_key(value) if isinstance(key, tuple) and key[0] in ("MIN", "MAX") else order_key(entity, key, value)


def plain_key(value: Any) -> Any:
    """What two values share that are grouped together: letters in any case, ids exactly."""
    return ascii_folded(value) if isinstance(value, str) and not ID.fullmatch(value) else value


def first_spelling(values: Any) -> Any:
    found = list(values)
    return min(found, key=lambda one: one.encode()) if found and isinstance(found[0], str) else found[0]


def aggregate(rows: Rows, entity: str, one: tuple[str, str], members: list[dict[str, Any]]) -> Any:
    name, path = one
    values = [value for row in members if (value := lookup(rows, entity, row, path)) is not None]
    if name == "COUNT":
        return len(values)
    if name == "COUNT_DISTINCT":
        return len({plain_key(value) for value in values})
    if not values:
        return None
    if name in ("MIN", "MAX"):
        best = (min if name == "MIN" else max)(order_key(entity, path, value) for value in values)
        return first_spelling(value for value in values if order_key(entity, path, value) == best)
    total = sum(Fraction(str(value)) for value in values)
    if name == "SUM":
        return int(total) if all(isinstance(value, int) for value in values) else float(total)
    return float(total / len(values))


def with_joins(node: Any, rows: Rows, now: datetime) -> Any:
    """The condition with each semi-join's ids found beforehand."""
    match node:
        case ("AND" | "OR") as operator, terms:
            return operator, [with_joins(one, rows, now) for one in terms]
        case "JOIN", left, negated, inner, right, where:
            return "JOIN", left, negated, {one[right] for one in rows[inner] if one[right] is not None and holds(where, rows, inner, one, now)}
    return node


def holds(node: Any, rows: Rows, entity: str, row: dict[str, Any], now: datetime) -> bool:
    match node:
        case None:
            return True
        case "AND", terms:
            return all(holds(one, rows, entity, row, now) for one in terms)
        case "OR", terms:
            return any(holds(one, rows, entity, row, now) for one in terms)
        case "NOT", term:
            return not holds(term, rows, entity, row, now)
        case "JOIN", left, negated, found:
            return (row[left] in found) != negated
        case "MULTI", path, operator, values:
            value = lookup(rows, entity, row, path)
            held = set() if value is None else {one.lower() for one in re.findall(r"\w+", value)}
            return any(all(part.lower() in held for part in one.split(";")) for one in values) == (operator == "INCLUDES")
    _, left, operator, values = node
    value = evaluate(rows, entity, row, left)
    if operator in ("IN", "NOT IN"):
        return any(equal(value, one, now) for one in values) == (operator == "IN")
    if operator in ("=", "!="):
        return equal(value, values[0], now) == (operator == "=")
    return value is not None and (matches(value, values[0][1]) if operator == "LIKE" else beside(value, operator, values[0], now))


def equal(value: Any, wanted: Any, now: datetime) -> bool:
    if isinstance(value, bool):
        return value == bool(wanted)
    if isinstance(wanted, tuple):
        start, end = relative(wanted, now)
        return value is not None and start <= moment(value) < end
    if isinstance(value, str) and isinstance(wanted, str):
        return value.lower() == wanted.lower() if not ID.fullmatch(value) else value == wanted
    return bool(value == wanted)


def beside(value: Any, operator: str, wanted: Any, now: datetime) -> bool:
    if isinstance(wanted, tuple):
        start, end = relative(wanted, now)
        at = moment(value)
        return {"<": at < start, "<=": at < end, ">": at >= end, ">=": at >= start}[operator]
    if isinstance(value, str) and not ID.fullmatch(value):
        return compare(ascii_folded(value), operator, ascii_folded(wanted))
    return compare(value, operator, wanted)


def compare(value: Any, operator: str, wanted: Any) -> bool:
    if operator == "!=":
        return bool(value != wanted)
    return value is not None and bool({"=": value == wanted, "<": value < wanted, "<=": value <= wanted, ">": value > wanted, ">=": value >= wanted}[operator])


def matches(value: str, signs: list[str]) -> bool:
    pattern = "".join({"%": ".*", "_": "."}.get(sign, re.escape(sign[-1])) for sign in signs)
    return re.fullmatch(pattern, value, re.IGNORECASE | re.DOTALL) is not None


def evaluate(rows: Rows, entity: str, row: dict[str, Any], expression: Any) -> Any:
    if isinstance(expression, str):
        return lookup(rows, entity, row, expression)
    name, path = expression
    value = lookup(rows, entity, row, path)
    return None if value is None else date_part(name, value)


def date_part(name: str, value: str) -> Any:
    at = moment(value)
    day = at.timetuple().tm_yday
    return {
        "CALENDAR_YEAR": at.year,
        "FISCAL_YEAR": at.year,
        "CALENDAR_MONTH": at.month,
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


def moment(value: str) -> datetime:
    if len(value) == 10:
        return datetime.combine(date.fromisoformat(value), datetime.min.time(), UTC)
    return datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%f%z")


@lru_cache
def relative(value: tuple[str, str, int | None], now: datetime) -> tuple[datetime, datetime]:
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
    found = re.fullmatch(r"(LAST|THIS|NEXT)_(N_)?(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)S?|N_(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)S_AGO", name)
    assert found, name
    unit = found[3] or found[4]
    here = beginning(today, unit)
    if found[4]:
        return walk(here, unit, -n), walk(here, unit, 1 - n)
    steps = n if found[2] else 1
    return {"LAST": (walk(here, unit, -steps), here), "THIS": (here, walk(here, unit, 1)), "NEXT": (walk(here, unit, 1), walk(here, unit, 1 + steps))}[found[1]]


def beginning(at: datetime, unit: str) -> datetime:
    while not {"WEEK": at.weekday() == 6, "MONTH": at.day == 1, "QUARTER": at.day == 1 and at.month in (1, 4, 7, 10), "YEAR": at.day == 1 and at.month == 1}[unit]:
        at -= timedelta(days=1)
    return at


def walk(at: datetime, unit: str, steps: int) -> datetime:
    for _ in range(abs(steps)):
        at = (
            beginning(at - timedelta(days=1), unit)
            if steps < 0
            else next(at + timedelta(days=ahead) for ahead in range(1, 400) if beginning(at + timedelta(days=ahead), unit) == at + timedelta(days=ahead))
        )
    return at


def field(row: dict[str, Any], entity: str, name: str) -> Any:
    if name == "IsDeleted":
        return False
    return bool(row[name]) if TYPES[entity][name] == "boolean" else row[name]


def lookup(rows: Rows, entity: str, row: dict[str, Any] | None, path: str) -> Any:
    """The value at the end of a path; of a parent that isn't there null, or false if a boolean."""
    *steps, name = path.split(".")
    for step in steps:
        key, entity = PARENTS[entity][step]
        row = None if row is None else by_id(rows, entity).get(row[key])
    if row is None:
        return False if TYPES[entity][name] == "boolean" else None
    return field(row, entity, name)


def type_of(entity: str, path: str) -> str:
    *steps, name = path.split(".")
    for step in steps:
        entity = PARENTS[entity][step][1]
    return TYPES[entity][name]


def by_id(rows: Rows, entity: str) -> dict[str, dict[str, Any]]:
    kept = _KEPT.get(id(rows[entity]))
    if kept is None or kept[0] is not rows[entity]:
        kept = _KEPT[id(rows[entity])] = (rows[entity], {row["Id"]: row for row in rows[entity]})
    return kept[1]


_KEPT: dict[int, tuple[Any, dict[str, dict[str, Any]]]] = {}
