"""Functions of fields, and the aggregate queries that use them.

A date function has a value in each row, an aggregate one in each group; here is what each takes,
gives and is in SQL, and what a grouped query may name in SELECT, HAVING and ORDER BY. Knows
neither WHERE nor records.

Example: `CALENDAR_MONTH(CreatedDate)` is an int, `CAST(substr(t0."CreatedDate", 6, 2) AS INTEGER)`.
Days are days in UTC. Texts are grouped in any case, as they are compared, and a group shows the
first of its spellings.
"""

from dataclasses import dataclass, replace

from orgweave.crm.field import IDS, NUMBERS, TEXTS
from orgweave.soql.nodes import (
    Child,
    Expression,
    FunctionCall,
    Path,
    QueryText,
    SelectItem,
    SelectQuery,
    TypeOf,
)
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.sql import FieldValue, GroupShape, in_any_case


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
}


UNSUPPORTED = ("ROLLUP", "CUBE")


def is_aggregate(expression: object) -> bool:
    """Whether an expression is a call of COUNT, SUM and the like."""
    return isinstance(expression, FunctionCall) and expression.name in AGGREGATES


def scalar(expression: Expression, scope: Scope) -> Operand:
    """Returns a field or a date function of one; raises QueryRefused for any other function."""
    if isinstance(expression, Path):
        return scope.column(expression)
    text = scope.text
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


class Grouping:
    """What one query groups by, and what it may name beside.

    Raises QueryRefused where its clauses don't go together.
    """

    def __init__(self, query: SelectQuery, scope: Scope) -> None:
        self.query = query
        self.scope = scope
        self.text = scope.text
        self.grouped: dict[str, Operand] = {}
        self._check_clauses()
        for key in query.groups:
            self._add(key)

    @property
    def keys(self) -> list[str]:
        """The SQL of each key of GROUP BY."""
        return [
            f"fold({operand.sql})" if operand.type in TEXTS else operand.sql
            for operand in self.grouped.values()
        ]

    def columns(self) -> tuple[list[str], GroupShape]:
        """Returns the SQL columns of the SELECT list and the shape of a row."""
        columns: list[str] = []
        values: dict[str, FieldValue] = {}
        unnamed = 0
        for item in self.query.items:
            selected = self._selected(item)
            operand = self.operand(selected.expression)
            name = _result_name(selected, operand, unnamed)
            if selected.alias is None and isinstance(selected.expression, FunctionCall):
                unnamed += 1
            if name.lower() in values:
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    item.position,
                    f"duplicate alias: {name}",
                )
            values[name.lower()] = FieldValue(name, len(columns), operand.type)
            spelled = operand.type in TEXTS and not is_aggregate(selected.expression)
            columns.append(f"MIN({operand.sql})" if spelled else operand.sql)
        return columns, GroupShape(tuple(values.values()))

    def _selected(self, item: SelectItem | Child | TypeOf) -> SelectItem:
        if not isinstance(item, SelectItem):
            raise self.text.refuse(
                "MALFORMED_QUERY",
                item.position,
                "a grouped query takes no child subqueries and no TYPEOF",
            )
        return item

    def operand(self, expression: Expression) -> Operand:
        """Returns an aggregate or something grouped by; raises QueryRefused for anything else."""
        if is_aggregate(expression):
            assert isinstance(expression, FunctionCall)
            return self._aggregate(expression)
        self._refuse_alias(expression)
        operand = scalar(expression, self.scope)
        inner = self._inner(expression)
        of_date = inner is not None and inner.type == "date" and inner.sql in self.grouped
        if of_date or operand.sql in self.grouped:
            return operand
        raise self.text.refuse(
            "MALFORMED_QUERY",
            expression.position,
            f"Field must be grouped or aggregated: {expression.text}",
            expression.text,
        )

    def _aggregate(self, call: FunctionCall) -> Operand:
        operand = aggregate(call, self.scope)
        inner = self.scope.column(call.args[0]) if isinstance(call.args[0], Path) else None
        if inner is not None and inner.sql in self.grouped:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                f"Grouped field should not be aggregated: {inner.name}",
                inner.name,
            )
        return operand

    def _inner(self, expression: Expression) -> Operand | None:
        """The field inside a date function: a date that is grouped by may be cut into years.

        Not so a datetime, which can't be grouped by.
        """
        while isinstance(expression, FunctionCall) and expression.args:
            expression = expression.args[0]
        return self.scope.column(expression) if isinstance(expression, Path) else None

    def _add(self, key: Expression) -> None:
        if isinstance(key, FunctionCall) and key.name in UNSUPPORTED:
            raise self.text.refuse(
                "FUNCTIONALITY_NOT_ENABLED",
                key.position,
                f"GROUP BY {key.name} is not available here; write GROUP BY with the fields and add"
                " the subtotals yourself",
            )
        if isinstance(key, FunctionCall) and key.name in AGGREGATES:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                key.position,
                f"{key.text} can not be grouped in a query call; group by fields or date functions",
            )
        self._refuse_alias(key)
        operand = scalar(key, self.scope)
        if operand.info is not None and not operand.info.groupable:
            hint = ""
            if operand.type == "datetime":
                hint = f"; group by a date function of it, such as CALENDAR_MONTH({operand.name})"
            raise self.text.refuse(
                "INVALID_FIELD",
                key.position,
                f"field '{operand.name}' can not be grouped in a query call{hint}",
                operand.name,
            )
        if operand.sql in self.grouped:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                key.position,
                f"duplicate grouping expression: {key.text}",
            )
        self.grouped[operand.sql] = operand

    def _refuse_alias(self, expression: Expression) -> None:
        """An alias names a result, not something to group, filter or sort by."""
        if not isinstance(expression, Path) or len(expression.names) > 1:
            return
        name = expression.names[0].lower()
        if name in self.scope.root.fields:
            return
        for item in self.query.items:
            if not isinstance(item, SelectItem) or item.alias is None:
                continue
            if item.alias.lower() == name:
                message = (
                    f"No such column '{item.alias}' on entity '{self.scope.root.name}'. An alias"
                    f" can't be used here; write {item.expression.text} again."
                )
                raise self.text.refuse(
                    "INVALID_FIELD",
                    expression.position,
                    message,
                    item.alias,
                )

    def _check_clauses(self) -> None:
        query = self.query
        if query.having is not None and not query.groups:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                "HAVING needs GROUP BY",
            )
        if query.groups:
            return
        clauses = {
            "LIMIT": query.limit is not None,
            "OFFSET": query.offset,
            "ORDER BY": query.sorts,
        }
        for clause, given in clauses.items():
            if given:
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    query.position,
                    "Non-grouped query that uses overall aggregate functions cannot also use"
                    f" {clause}; leave {clause} out, or add GROUP BY",
                )


def _result_name(item: SelectItem, operand: Operand, unnamed: int) -> str:
    """The name of a value in a grouped row: its alias, its field, or `expr0` and so on."""
    if item.alias:
        return item.alias
    if isinstance(item.expression, Path) and operand.info:
        return operand.info.name
    return f"expr{unnamed}"
