"""Functions of fields: date functions a row, aggregates a group.

What each takes, gives and is in SQL.

Example: `CALENDAR_MONTH(CreatedDate)` is an int, `CAST(substr(t0."CreatedDate", 6, 2) AS INTEGER)`.
Days are days in UTC.
"""

from dataclasses import dataclass, replace

from orgweave.crm.field import IDS, NUMBERS, TEXTS
from orgweave.soql.nodes import Expression, FunctionCall, Path
from orgweave.soql.places import QueryText
from orgweave.soql.scope import Operand, Scope


@dataclass(frozen=True, slots=True)
class DateFunction:
    """SQL with `{0}` for the date or datetime, the type of the result, and whether it takes
    datetimes only.
    """

    sql: str
    type: str = "int"
    datetime_only: bool = False


MONTH = "CAST(substr({0}, 6, 2) AS INTEGER)"
DAY = "CAST(substr({0}, 9, 2) AS INTEGER)"
YEAR = "CAST(substr({0}, 1, 4) AS INTEGER)"
DAY_OF_YEAR = "CAST(strftime('%j', substr({0}, 1, 10)) AS INTEGER)"
DATE_FUNCTIONS: dict[str, DateFunction] = {
    "CALENDAR_MONTH": DateFunction(MONTH),
    "CALENDAR_QUARTER": DateFunction(f"(({MONTH} + 2) / 3)"),
    "CALENDAR_YEAR": DateFunction(YEAR),
    "DAY_IN_MONTH": DateFunction(DAY),
    "DAY_IN_WEEK": DateFunction("(CAST(strftime('%w', substr({0}, 1, 10)) AS INTEGER) + 1)"),
    "DAY_IN_YEAR": DateFunction(DAY_OF_YEAR),
    "DAY_ONLY": DateFunction("substr({0}, 1, 10)", "date", datetime_only=True),
    "FISCAL_MONTH": DateFunction(MONTH),
    "FISCAL_QUARTER": DateFunction(f"(({MONTH} + 2) / 3)"),
    "FISCAL_YEAR": DateFunction(YEAR),
    "HOUR_IN_DAY": DateFunction("CAST(substr({0}, 12, 2) AS INTEGER)", datetime_only=True),
    "WEEK_IN_MONTH": DateFunction(f"(({DAY} + 6) / 7)"),
    "WEEK_IN_YEAR": DateFunction(f"(({DAY_OF_YEAR} + 6) / 7)"),
}
"""Sunday is day 1 of a week; the first week of a month or year is its first seven days; fiscal
years begin in January.
"""

ANY = TEXTS | NUMBERS | IDS | {"date", "datetime"}
AGGREGATES: dict[str, frozenset[str]] = {
    "COUNT": ANY,
    "COUNT_DISTINCT": ANY,
    "MIN": ANY,
    "MAX": ANY,
    "SUM": NUMBERS,
    "AVG": NUMBERS,
}
"""Aggregate -> the types of field it takes."""

ELSEWHERE = {
    "FIELDS": (
        "FIELDS() stands alone in the SELECT list, as FIELDS(ALL), FIELDS(STANDARD) or"
        " FIELDS(CUSTOM)"
    ),
    "CONVERTTIMEZONE": "convertTimezone() stands inside a date function only",
}


def is_aggregate(expression: object) -> bool:
    """Whether it is COUNT, SUM and the like."""
    return isinstance(expression, FunctionCall) and expression.name in AGGREGATES


def scalar(expression: Expression, scope: Scope) -> Operand:
    """A field or a date function of one; raises QueryRefused for any other function."""
    if isinstance(expression, Path):
        return scope.column(expression)
    text = scope.text
    function = DATE_FUNCTIONS.get(expression.name)
    if function is None:
        hint = (
            ELSEWHERE.get(expression.name)
            or f"functions are {', '.join((*AGGREGATES, *DATE_FUNCTIONS))}"
        )
        raise text.refuse(
            "MALFORMED_QUERY", expression.at, f"unexpected token: '{expression.name}('; {hint}"
        )
    inner = scope.column(_field_of(expression, text))
    if inner.type not in ("date", "datetime") or (function.datetime_only and inner.type == "date"):
        wanted = "dateTime" if function.datetime_only else "date or dateTime"
        raise text.refuse(
            "MALFORMED_QUERY",
            expression.at,
            f"{expression.name} takes a field of type {wanted}; {inner.name} is of type"
            f" {inner.type}",
        )
    return Operand(
        function.sql.format(inner.sql), function.type, expression.text, None, inner.steps
    )


def aggregate(call: FunctionCall, scope: Scope) -> Operand:
    """An aggregate over a field; raises QueryRefused where the field's type has none."""
    text = scope.text
    if len(call.args) != 1 or not isinstance(call.args[0], Path):
        raise text.refuse(
            "MALFORMED_QUERY",
            call.at,
            f"{call.name}() takes exactly one field, as in {call.name}(Id); COUNT() alone stands by"
            " itself in the SELECT list",
        )
    field = scope.column(call.args[0])
    info = field.info
    if field.type not in AGGREGATES[call.name] or (info is not None and not info.sortable):
        raise text.refuse(
            "MALFORMED_QUERY",
            call.at,
            f"field {field.name} does not support aggregate operator {call.name}",
            field.name,
        )
    return Operand(
        _aggregated(call.name, field),
        _result_type(call.name, field.type),
        call.text,
        replace(info, name=call.text) if info and call.name in ("MIN", "MAX") else None,
    )


def _field_of(call: FunctionCall, text: QueryText) -> Path:
    inner = call.args[0] if len(call.args) == 1 else None
    if isinstance(inner, FunctionCall) and inner.name == "CONVERTTIMEZONE" and len(inner.args) == 1:
        inner = inner.args[0]
    if not isinstance(inner, Path):
        raise text.refuse(
            "MALFORMED_QUERY",
            call.at,
            f"{call.name}() takes one field, or convertTimezone() of one",
        )
    return inner


def _aggregated(name: str, field: Operand) -> str:
    folded = f"{field.sql} COLLATE NOCASE" if field.type in TEXTS else field.sql
    match name:
        case "COUNT":
            return f"COUNT({field.sql})"
        case "COUNT_DISTINCT":
            return f"COUNT(DISTINCT {folded})"
        case "SUM" | "AVG":
            return f"exact_{name.lower()}({field.sql})"
    if field.type == "picklist" and field.info and field.info.values:
        return _by_rank(name, field)
    return f"text_{name.lower()}({field.sql})" if field.type in TEXTS else f"{name}({field.sql})"


def _by_rank(name: str, field: Operand) -> str:
    """The least or greatest picklist value in the picklist's own order."""
    assert field.info is not None
    back = " ".join(
        f"WHEN {at} THEN '{_escaped(value)}'" for at, value in enumerate(field.info.values)
    )
    return f"(CASE {name}({rank(field)}) {back} ELSE text_{name.lower()}({field.sql}) END)"


def rank(field: Operand) -> str:
    """A picklist value's place in its picklist; behind all of them for a value that isn't in it,
    null for null.
    """
    assert field.info is not None
    cases = " ".join(
        f"WHEN '{_escaped(value)}' THEN {at}" for at, value in enumerate(field.info.values)
    )
    return (
        f"(CASE {field.sql} COLLATE NOCASE {cases} ELSE CASE WHEN {field.sql} IS NULL THEN NULL"
        f" ELSE {len(field.info.values)} END END)"
    )


def _escaped(value: str) -> str:
    """A value from the schema, never from a query, as an SQL string."""
    return value.replace("'", "''")


def _result_type(name: str, kind: str) -> str:
    if name in ("COUNT", "COUNT_DISTINCT"):
        return "int"
    return "double" if name == "AVG" else kind
