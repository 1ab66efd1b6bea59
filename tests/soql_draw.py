"""Random SOQL queries as plain dicts: every clause, operator, function and date literal, in
combinations the engine must answer.
"""

import random
from typing import Any

from tests.soql_model import (
    CHILDREN,
    NOT_GROUPED,
    PARENTS,
    SEMI_JOINS,
    TYPES,
    Query,
    Rows,
    lookup,
    type_of,
)

FUNCTIONS = [f"CALENDAR_{unit}" for unit in ("YEAR", "QUARTER", "MONTH")] + [
    f"FISCAL_{unit}" for unit in ("YEAR", "QUARTER", "MONTH")
]
FUNCTIONS += [f"DAY_IN_{unit}" for unit in ("WEEK", "MONTH", "YEAR")] + [
    "WEEK_IN_MONTH",
    "WEEK_IN_YEAR",
    "HOUR_IN_DAY",
    "DAY_ONLY",
]
LITERALS = [
    "TODAY",
    "YESTERDAY",
    "TOMORROW",
    "LAST_90_DAYS",
    "NEXT_90_DAYS",
    "LAST_N_DAYS",
    "NEXT_N_DAYS",
    "N_DAYS_AGO",
] + [
    pattern.format(unit)
    for unit in ("WEEK", "MONTH", "QUARTER", "YEAR", "FISCAL_QUARTER", "FISCAL_YEAR")
    for pattern in ("LAST_{}", "THIS_{}", "NEXT_{}", "LAST_N_{}S", "NEXT_N_{}S", "N_{}S_AGO")
]


def draw_query(rng: random.Random, rows: Rows) -> Query:
    """A random query that the engine must answer."""
    entity = rng.choice(list(TYPES))
    query: Query = {
        "entity": entity,
        "alias": rng.choice([None, None, "q"]),
        "where": _draw_where(rng, rows, entity),
        "limit": rng.choice([None, None, 0, 1, 7]),
        "offset": rng.choice([0, 0, 0, 3]),
    }
    kind = rng.choice(["records", "records", "records", "groups", "groups", "total", "count"])
    query["kind"] = kind
    query["fields"] = [_draw_path(rng, entity) for _ in range(rng.randrange(1, 5))]
    query["sorts"], query["children"] = [], {}
    if kind == "records":
        query["fields"] = list(dict.fromkeys(query["fields"]))
        query["sorts"] = _draw_sorts(
            rng, [_draw_path(rng, entity, sortable=True) for _ in range(rng.randrange(0, 3))]
        )
        query["children"] = _draw_children(rng, rows, entity)
        query["shown"] = _draw_shown(rng, entity)
        query["sources"] = _draw_sources(rng, entity)
    elif kind == "groups":
        _draw_groups(rng, query)
    elif kind == "total":
        query["totals"] = None
        query["groups"], query["having"], query["limit"], query["offset"] = [], [], None, 0
        query["aggregates"] = _draw_aggregates(rng, entity, [])
    return query


def _draw_path(rng: random.Random, entity: str, sortable: bool = False) -> str:
    """A field, sometimes along relationships."""
    steps: list[str] = []
    while PARENTS[entity] and rng.random() < 0.35 and len(steps) < 3:
        step = rng.choice(list(PARENTS[entity]))
        steps.append(step)
        entity = PARENTS[entity][step][1]
    names = [
        name for name, kind in TYPES[entity].items() if not (sortable and kind in ("long", "multi"))
    ]
    return ".".join([*steps, rng.choice(names)])


def _draw_sorts(rng: random.Random, keys: list[Any]) -> list[tuple[Any, bool, bool]]:
    return [(key, rng.random() < 0.5, rng.random() < 0.6) for key in keys]


def _draw_shown(rng: random.Random, entity: str) -> list[tuple[str, str]]:
    """Fields within FORMAT or toLabel; often none."""
    path = _draw_path(rng, entity)
    kind = type_of(entity, path)
    if rng.random() < 0.5 or kind in ("id", "multi", "boolean", "long"):
        return []
    return [("toLabel" if kind in ("string", "picklist") else "FORMAT", path)]


def _draw_sources(rng: random.Random, entity: str) -> dict[str, str]:
    """Relationships with an alias in FROM; often none."""
    steps = list(PARENTS[entity])
    return {rng.choice(steps): "parent"} if steps and rng.random() < 0.3 else {}


def _draw_children(rng: random.Random, rows: Rows, entity: str) -> dict[str, Query]:
    made = {}
    for name, (child, _) in CHILDREN.get(entity, {}).items():
        if rng.random() < 0.25:
            fields = list(dict.fromkeys(_draw_path(rng, child) for _ in range(2)))
            sorts = _draw_sorts(rng, [_draw_path(rng, child, sortable=True)] * rng.randrange(0, 2))
            made[name] = {
                "kind": "records",
                "entity": child,
                "alias": None,
                "fields": fields,
                "where": _draw_where(rng, rows, child, joins=False),
                "sorts": sorts,
                "limit": rng.choice([None, 1, 2]),
                "offset": 0,
                "children": {},
            }
    return made


def _draw_groups(rng: random.Random, query: Query) -> None:
    entity = query["entity"]
    keys: list[Any] = []
    for _ in range(rng.randrange(1, 3)):
        path = _draw_path(rng, entity, sortable=True)
        kind = type_of(entity, path)
        if kind in ("date", "datetime") and rng.random() < 0.8:
            keys.append(
                (
                    rng.choice(
                        [
                            one
                            for one in FUNCTIONS
                            if kind == "datetime" or one not in ("HOUR_IN_DAY", "DAY_ONLY")
                        ]
                    ),
                    path,
                )
            )
        elif kind not in ("datetime", "double") and path.split(".")[-1] not in NOT_GROUPED:
            keys.append(path)
    query["groups"] = list(dict.fromkeys(keys)) or ["Id"]
    query["totals"] = rng.choice([None, None, None, "ROLLUP", "CUBE"])
    query["aggregates"] = _draw_aggregates(rng, entity, query["groups"])
    query["having"] = (
        [(rng.choice(query["aggregates"]), rng.choice(["=", "!=", "<", "<=", ">", ">="]))]
        if query["aggregates"] and rng.random() < 0.4
        else []
    )
    query["having"] = [
        (one, operator, _draw_number(rng))
        for one, operator in query["having"]
        if one[0] in ("COUNT", "COUNT_DISTINCT", "SUM", "AVG")
    ]
    query["sorts"] = _draw_sorts(
        rng, [rng.choice(query["groups"] + query["aggregates"])] * rng.randrange(0, 2)
    )


def _draw_aggregates(rng: random.Random, entity: str, groups: list[Any]) -> list[tuple[str, str]]:
    """Aggregates of fields that aren't grouped by; at least one where nothing is grouped by."""
    found: list[tuple[str, str]] = []
    while len(found) < (1 if not groups else rng.randrange(0, 3)):
        path = _draw_path(rng, entity, sortable=True)
        kind = type_of(entity, path)
        if path in groups or kind == "boolean":
            continue
        found.append(
            (
                rng.choice(
                    [
                        "COUNT",
                        "COUNT_DISTINCT",
                        "MIN",
                        "MAX",
                        *(["SUM", "AVG"] if kind in ("int", "double") else []),
                    ]
                ),
                path,
            )
        )
    return list(dict.fromkeys(found))


def _draw_where(
    rng: random.Random,
    rows: Rows,
    entity: str,
    depth: int = 0,
    joins: bool = True,
) -> Any:
    roll = rng.random()
    if depth == 0 and roll < 0.15:
        return None
    if depth < 3 and roll < 0.45:
        operator = rng.choice(["AND", "OR"])
        return (
            operator,
            [
                _draw_where(rng, rows, entity, depth + 1, joins and operator == "AND")
                or _draw_comparison(rng, rows, entity)
                for _ in range(rng.randrange(2, 4))
            ],
        )
    if depth < 3 and roll < 0.55:
        return (
            "NOT",
            _draw_where(rng, rows, entity, depth + 1, False) or _draw_comparison(rng, rows, entity),
        )
    if joins and depth == 0 and roll < 0.7:
        left, inner, right = rng.choice(SEMI_JOINS[entity])
        return (
            "JOIN",
            left,
            rng.random() < 0.5,
            inner,
            right,
            _draw_where(rng, rows, inner, 1, False),
        )
    return _draw_comparison(rng, rows, entity)


def _draw_comparison(rng: random.Random, rows: Rows, entity: str) -> Any:
    while True:
        path = _draw_path(rng, entity)
        kind = type_of(entity, path)
        if kind == "long":
            continue
        if kind == "multi":
            return (
                "MULTI",
                path,
                rng.choice(["INCLUDES", "EXCLUDES"]),
                [rng.choice(["red", "GREEN", "red;blue"]) for _ in range(rng.randrange(1, 3))],
            )
        if kind in ("date", "datetime") and rng.random() < 0.35:
            name = rng.choice(
                [one for one in FUNCTIONS[:-1] if kind == "datetime" or one != "HOUR_IN_DAY"]
            )
            return (
                "COMPARE",
                (name, path),
                rng.choice(["=", "!=", "<", ">="]),
                [rng.choice([2021, 2022, 2023, 1, 3, 7, 12, 30])],
            )
        operators = (
            ["=", "!=", "IN", "NOT IN"]
            + (["<", "<=", ">", ">="] if kind != "boolean" else [])
            + (["LIKE", "LIKE"] if kind in ("string", "picklist") else [])
        )
        operator = rng.choice(operators)
        values = [
            _draw_value(rng, rows, entity, path, operator)
            for _ in range(rng.randrange(1, 4) if "IN" in operator else 1)
        ]
        return ("COMPARE", path, operator, values)


def _draw_value(rng: random.Random, rows: Rows, entity: str, path: str, operator: str) -> Any:
    """A value; often one that a record has.

    A string for LIKE is `("LIKE", [signs])`, a date literal `("RELATIVE", name, n)`.
    """
    kind = type_of(entity, path)
    if operator in ("=", "!=", "IN", "NOT IN") and rng.random() < 0.12:
        return None
    seen = [
        value
        for row in rng.sample(rows[entity], min(5, len(rows[entity])))
        if (value := lookup(rows, entity, row, path)) is not None
    ]
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("date", "datetime") and (rng.random() < 0.5 or not seen):
        name = rng.choice(LITERALS)
        return (
            "RELATIVE",
            name,
            (
                rng.randrange(1, 9)
                if "N_" in name.replace("NEXT_", "").replace("IN_", "")
                or name.startswith("NEXT_N_")
                else None
            ),
        )
    if operator == "LIKE":
        return ("LIKE", _draw_pattern(rng, seen))
    if kind in ("int", "double"):
        return _draw_number(rng)
    if not seen:
        return "zz" if kind in ("string", "picklist") else rows["User"][0]["Id"]
    value = rng.choice(seen)
    return (
        rng.choice([value, value.upper(), value.lower(), value + "x"])
        if kind in ("string", "picklist")
        else value
    )


def _draw_number(rng: random.Random) -> int | float:
    return rng.choice([0, 1, 2, 3, 5, 10, 0.1, 0.3, 0.6, 10.1, 99.99, -0.1])


def _draw_pattern(rng: random.Random, seen: list[str]) -> list[str]:
    """Signs of a LIKE pattern: `%` and `_` are wild, `\\%` and `\\_` and `\\\\` are not."""
    text = rng.choice(seen) if seen else "abc"
    start = rng.randrange(0, len(text) + 1)
    body = [sign if sign not in "%_\\" else "\\" + sign for sign in text[start : start + 4]]
    body = [
        (
            "_"
            if rng.random() < 0.15
            else rng.choice([sign, sign.upper(), sign.lower()])
            if len(sign.upper()) == 1
            else sign
        )
        for sign in body
    ]
    return [*rng.choice([[], ["%"]]), *body, *rng.choice([[], ["%"]])]
