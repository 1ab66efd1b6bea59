"""A drawn query (see `soql_draw`) as SOQL text."""

import re
from typing import Any

from tests.soql_model import Query


def spelled(query: Query) -> str:
    """The query as SOQL."""
    fields = [_written(path, query) for path in query["fields"]]
    if query["kind"] == "count":
        fields = ["COUNT()"]
    elif query["kind"] in ("groups", "total"):
        fields = [f"{_spell(key)} k{at}" for at, key in enumerate(query["groups"])] + [
            f"{_spell(one)} a{at}" for at, one in enumerate(query["aggregates"])
        ]
        if query["totals"]:
            fields += [f"GROUPING({_spell(key)}) g{at}" for at, key in enumerate(query["groups"])]
    fields += [
        f"{name}({path}) shown{place}" for place, (name, path) in enumerate(query.get("shown", []))
    ]
    fields += [f"({spelled({**child, 'name': name})})" for name, child in query["children"].items()]
    text = f"SELECT {', '.join(fields)} FROM {query.get('name', query['entity'])}" + (
        f" {query['alias']}" if query["alias"] else ""
    )
    for step, alias in query.get("sources", {}).items():
        text += f", {_written(step, {**query, 'sources': {}})} {alias}"
    if query["where"] is not None:
        text += f" WHERE {_spell_where(query['where'])}"
    if query.get("groups"):
        keys = ", ".join(_spell(key) for key in query["groups"])
        text += f" GROUP BY {query['totals']}({keys})" if query["totals"] else f" GROUP BY {keys}"
    if query.get("having"):
        text += " HAVING " + " AND ".join(
            f"{_spell(one)} {operator} {value}" for one, operator, value in query["having"]
        )
    if query["sorts"]:
        text += " ORDER BY " + ", ".join(
            f"{_spell(key)} {'DESC' if down else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"
            for key, down, first in query["sorts"]
        )
    text += f" LIMIT {query['limit']}" if query["limit"] is not None else ""
    return text + (f" OFFSET {query['offset']}" if query["offset"] else "")


def _written(path: str, query: Query) -> str:
    step, _, rest = path.partition(".")
    if rest and step in query.get("sources", {}):
        return f"{query['sources'][step]}.{rest}"
    return f"{query['alias']}.{path}" if query["alias"] else path


def _spell(expression: Any) -> str:
    return expression if isinstance(expression, str) else f"{expression[0]}({expression[1]})"


def _spell_where(node: Any) -> str:
    match node:
        case ("AND" | "OR") as operator, terms:
            return f" {operator} ".join(f"({_spell_where(one)})" for one in terms)
        case "NOT", term:
            return f"NOT ({_spell_where(term)})"
        case "JOIN", left, negated, inner, right, where:
            return (
                f"{left} {'NOT ' if negated else ''}IN (SELECT {right} FROM"
                f" {inner}{f' WHERE {_spell_where(where)}' if where else ''})"
            )
        case "MULTI", path, operator, values:
            return f"{path} {operator} ({', '.join(_spell_value(one) for one in values)})"
    _, left, operator, values = node
    if "IN" in operator:
        return f"{_spell(left)} {operator} ({', '.join(_spell_value(one) for one in values)})"
    return f"{_spell(left)} {operator} {_spell_value(values[0])}"


def _spell_value(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case "RELATIVE", name, count:
            return name if count is None else f"{name}:{count}"
        case "LIKE", signs:
            return "'" + "".join(_quote(one) for one in signs) + "'"
        case str() if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return value
        case str() if re.fullmatch(r"\d{4}-\d\d-\d\dT\S+", value):
            return value.replace(".000+0000", "Z")
        case str():
            return (
                "'" + "".join(_quote(sign) for sign in value.replace("\\", "\\\\")) + "'"
                if "\\" in value
                else "'" + "".join(_quote(sign) for sign in value) + "'"
            )
    return str(value)


def _quote(sign: str) -> str:
    return {"'": "\\'", "\n": "\\n"}.get(sign, sign)
