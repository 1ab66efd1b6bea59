"""Functions of fields: what each takes, gives and is in SQL.

A date function has a value in each row, an aggregate one in each group. Knows no clause.

Example: `CALENDAR_MONTH(CreatedDate)` is an int, `CAST(substr(t0."CreatedDate", 6, 2) AS INTEGER)`.
Days are days in UTC. Texts are grouped in any case, as they are compared, and a group shows the
first of its spellings.
"""

from dataclasses import dataclass, replace

from orgweave.crm.field import IDS, NUMBERS, TEXTS
from orgweave.soql.nodes import Expression, FunctionCall, Path, QueryText
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.shown import distance, label, unwrapped
from orgweave.soql.sql import in_any_case


@dataclass(frozen=True, slots=True)
class DateFunction:
    """What a date function is in SQL, with `{0}` for the field, and the type of its result.

    `datetime_only`: it takes no date.
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
    "DAY_ONLY": DateFunction(
        "substr({0}, 1, 10)",
        "date",
        datetime_only=True,
    ),
    "FISCAL_MONTH": DateFunction(MONTH),
    "FISCAL_QUARTER": DateFunction(f"(({MONTH} + 2) / 3)"),
    "FISCAL_YEAR": DateFunction(YEAR),
    "HOUR_IN_DAY": DateFunction("CAST(substr({0}, 12, 2) AS INTEGER)", datetime_only=True),
    "WEEK_IN_MONTH": DateFunction(f"(({DAY} + 6) / 7)"),
    "WEEK_IN_YEAR": DateFunction(f"(({DAY_OF_YEAR} + 6) / 7)"),
}
"""Sunday is day 1 of a week; the first week of a month or a year is its first seven days; fiscal
years begin in January."""

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
    "FORMAT": "FORMAT() stands in the SELECT list only",
    "CONVERTCURRENCY": "convertCurrency() stands in the SELECT list only",
    "GEOLOCATION": "GEOLOCATION() stands inside DISTANCE() only",
    "GROUPING": "GROUPING() takes a field of GROUP BY ROLLUP or GROUP BY CUBE",
}
VALUES = {"TOLABEL": label, "DISTANCE": distance}
"""Other functions that have a value in each row."""


def is_aggregate(expression: Expression | None) -> bool:
    """Whether an expression is a call of COUNT, SUM and the like, or FORMAT of one."""
    if not isinstance(expression, FunctionCall):
        return False
    inner, _ = unwrapped(expression)
    return isinstance(inner, FunctionCall) and inner.name in AGGREGATES


def scalar(expression: Expression, scope: Scope) -> Operand:
    """Returns a field or what a function makes of one; raises QueryRefused for any other."""
    if isinstance(expression, Path):
        return scope.column(expression)
    text = scope.text
    if expression.name in VALUES:
        return VALUES[expression.name](expression, scope)
    function = DATE_FUNCTIONS.get(expression.name)
    if function is None:
        known = f"functions are {', '.join((*AGGREGATES, *DATE_FUNCTIONS))}"
        hint = ELSEWHERE.get(expression.name, known)
        raise text.refuse(
            "MALFORMED_QUERY",
            expression.position,
            f"unexpected token: '{expression.name}('; {hint}",
        )
    inner = scope.column(_field_of(expression, text))
    if inner.type not in ("date", "datetime") or (function.datetime_only and inner.type == "date"):
        wanted = "dateTime" if function.datetime_only else "date or dateTime"
        raise text.refuse(
            "MALFORMED_QUERY",
            expression.position,
            f"{expression.name} takes a field of type {wanted}; {inner.name} is of type"
            f" {inner.type}",
        )
    sql = function.sql.format(inner.sql)
    return Operand(
        sql,
        function.type,
        expression.text,
        None,
        inner.steps,
    )


def aggregate(call: FunctionCall, scope: Scope) -> Operand:
    """Returns an aggregate over a field; raises QueryRefused where the field's type has none."""
    text = scope.text
    if len(call.args) != 1 or not isinstance(call.args[0], Path):
        raise text.refuse(
            "MALFORMED_QUERY",
            call.position,
            f"{call.name}() takes exactly one field, as in {call.name}(Id); COUNT() alone stands by"
            " itself in the SELECT list",
        )
    field = scope.column(call.args[0])
    info = field.info
    if field.type not in AGGREGATES[call.name] or (info is not None and not info.sortable):
        raise text.refuse(
            "MALFORMED_QUERY",
            call.position,
            f"field {field.name} does not support aggregate operator {call.name}",
            field.name,
        )
    kind = _result_type(call.name, field.type)
    # The least or greatest value of a field is still one of its values, and compared as they are.
    same = replace(info, name=call.text) if info and call.name in ("MIN", "MAX") else None
    return Operand(
        _aggregated(call.name, field),
        kind,
        call.text,
        same,
    )


def _field_of(call: FunctionCall, text: QueryText) -> Path:
    """The field that a date function takes.

    All times are in UTC here, so `convertTimezone` around the field changes nothing.
    """
    inner = call.args[0] if len(call.args) == 1 else None
    if isinstance(inner, FunctionCall) and inner.name == "CONVERTTIMEZONE" and len(inner.args) == 1:
        inner = inner.args[0]
    if not isinstance(inner, Path):
        raise text.refuse(
            "MALFORMED_QUERY",
            call.position,
            f"{call.name}() takes one field, or convertTimezone() of one",
        )
    return inner


def _aggregated(name: str, field: Operand) -> str:
    folded = f"fold({field.sql})" if field.type in TEXTS else field.sql
    match name:
        case "COUNT":
            return f"COUNT({field.sql})"
        case "COUNT_DISTINCT":
            return f"COUNT(DISTINCT {folded})"
        case "SUM" | "AVG":
            return f"exact_{name.lower()}({field.sql})"
    if field.type == "picklist" and field.info and field.info.values:
        return _by_rank(name, field)
    if field.type in TEXTS:
        return f"text_{name.lower()}({field.sql})"
    return f"{name}({field.sql})"


def _by_rank(name: str, field: Operand) -> str:
    """The SQL of the least or greatest picklist value in the picklist's own order."""
    assert field.info is not None
    values = enumerate(field.info.values)
    back = " ".join(f"WHEN {place} THEN '{_escaped(value)}'" for place, value in values)
    return f"(CASE {name}({rank(field)}) {back} ELSE text_{name.lower()}({field.sql}) END)"


def rank(field: Operand) -> str:
    """Returns the SQL of a picklist value's place in its picklist.

    A value that isn't in the picklist comes behind all of them; null stays null.
    """
    assert field.info is not None
    key, values = in_any_case(field.sql, list(field.info.values))
    places = enumerate(values)
    cases = " ".join(f"WHEN '{_escaped(value)}' THEN {place}" for place, value in places)
    return (
        f"(CASE {key} {cases} ELSE CASE WHEN {field.sql} IS NULL THEN NULL"
        f" ELSE {len(field.info.values)} END END)"
    )


def _escaped(value: str) -> str:
    """Escapes a value from the schema, never one from a query, for an SQL string."""
    return value.replace("'", "''")


def _result_type(name: str, kind: str) -> str:
    if name in ("COUNT", "COUNT_DISTINCT"):
        return "int"
    return "double" if name == "AVG" else kind
