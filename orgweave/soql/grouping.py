"""What a grouped query groups by, and what its SELECT, HAVING and ORDER BY may name.

ROLLUP and CUBE stand for several groupings, one for each set of keys that is summed over: those of
`ROLLUP(Status, Origin)` are by both, by the status alone, and over all. Knows neither WHERE nor
records.

Example: in `GROUP BY CALENDAR_YEAR(CreatedDate)` the key is `CAST(substr(t0."CreatedDate", 1, 4) AS
INTEGER)`, and the field CreatedDate alone can't be selected.
"""

from copy import copy
from dataclasses import replace
from itertools import combinations

from orgweave.crm.field import TEXTS
from orgweave.soql.functions import AGGREGATES, aggregate, is_aggregate, scalar
from orgweave.soql.nodes import (
    Argument,
    Child,
    Constant,
    Expression,
    FunctionCall,
    Path,
    SelectItem,
    SelectQuery,
    TypeOf,
)
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.shown import SHOWN, check_wrappers, unwrapped
from orgweave.soql.sql import FieldValue, FormattedValue, GroupShape

ROLLUP = "ROLLUP"
TOTALS = (ROLLUP, "CUBE")
MOST_TOTALS = 3
"""Fields of a ROLLUP or CUBE, the CRM's own bound: a CUBE of three has eight groupings."""


class Grouping:
    """What one query groups by, and what it may name beside.

    Raises QueryRefused where its clauses don't go together.
    """

    def __init__(self, query: SelectQuery, scope: Scope) -> None:
        self.query = query
        self.scope = scope
        self.text = scope.text
        self.grouped: dict[str, Operand] = {}
        self.absent: frozenset[str] = frozenset()
        """The SQL of those grouped by that a subtotal is over."""
        self._check_clauses()
        self.totals, keys = self._keys()
        for key in keys:
            self._add(key)

    @property
    def keys(self) -> list[str]:
        """The SQL of each key of GROUP BY that isn't summed over."""
        return [_folded(operand) for sql, operand in self.grouped.items() if sql not in self.absent]

    @property
    def all_keys(self) -> list[str]:
        """The SQL of all keys, those that are summed over null, each behind whether it is."""
        found = []
        for sql, operand in self.grouped.items():
            over = sql in self.absent
            found += [str(int(over)), "NULL" if over else _folded(operand)]
        return found

    def sets(self) -> list["Grouping"]:
        """Returns the groupings that ROLLUP or CUBE stands for, the finest first."""
        names = list(self.grouped)
        count = len(names)
        if self.totals == ROLLUP:
            absent = [names[count - summed :] for summed in range(count + 1)]
        else:
            absent = []
            for summed in range(count + 1):
                absent += [list(chosen) for chosen in combinations(names, summed)]
        return [self._over(frozenset(chosen)) for chosen in absent]

    def _over(self, absent: frozenset[str]) -> "Grouping":
        """The same grouping, summed over some of its keys."""
        made = copy(self)
        made.absent = absent
        return made

    def _keys(self) -> tuple[str, tuple[Expression, ...]]:
        """Whether the query has ROLLUP or CUBE, and what it groups by."""
        groups = self.query.groups
        totals = [key for key in groups if isinstance(key, FunctionCall) and key.name in TOTALS]
        if not totals:
            return "", groups
        call = totals[0]
        keys = [key for key in call.args if not isinstance(key, Constant)]
        message = ""
        if len(groups) > 1:
            message = f"all grouped fields stand inside the parentheses of {call.name}"
        elif not 1 <= len(keys) <= MOST_TOTALS or len(keys) < len(call.args):
            message = f"{call.name} takes one to {MOST_TOTALS} fields"
        if message:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                message,
                call.text,
            )
        return call.name, tuple(keys)

    def columns(self) -> tuple[list[str], GroupShape]:
        """Returns the SQL columns of the SELECT list and the shape of a row."""
        columns: list[str] = []
        values: dict[str, FieldValue | FormattedValue] = {}
        unnamed = 0
        for item in self.query.items:
            selected = self._selected(item)
            inner, is_text = unwrapped(selected.expression)
            operand = self.operand(inner)
            check_wrappers(
                selected.expression,
                operand,
                self.text,
            )
            name = _result_name(
                selected.alias,
                inner,
                operand,
                unnamed,
            )
            if selected.alias is None and isinstance(inner, FunctionCall):
                unnamed += 1
            if name.lower() in values:
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    item.position,
                    f"duplicate alias: {name}",
                )
            plain = FieldValue(name, len(columns), operand.type)
            shown = FormattedValue(name, len(columns), operand.type, self.scope.root.locale)
            values[name.lower()] = shown if is_text else plain
            spelled = operand.type in TEXTS and not is_aggregate(inner)
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
        if isinstance(expression, FunctionCall) and expression.name == "GROUPING" and self.totals:
            return self._is_summed(expression)
        self._refuse_alias(expression)
        operand = scalar(expression, self.scope)
        inner = self._inner(expression)
        of_date = inner is not None and inner.type == "date" and inner.sql in self.grouped
        if of_date or operand.sql in self.grouped:
            key = operand if operand.sql in self.grouped or inner is None else inner
            return replace(operand, sql="NULL") if key.sql in self.absent else operand
        raise self.text.refuse(
            "MALFORMED_QUERY",
            expression.position,
            f"Field must be grouped or aggregated: {expression.text}",
            expression.text,
        )

    def _is_summed(self, call: FunctionCall) -> Operand:
        """GROUPING() of a field: 1 in a subtotal over it, else 0."""
        field = call.args[0] if len(call.args) == 1 else None
        if isinstance(field, Constant) or field is None:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                "GROUPING() takes one grouped field",
            )
        operand = scalar(field, self.scope)
        if operand.sql not in self.grouped:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                f"Field must be grouped: {field.text}",
                field.text,
            )
        # In parentheses, or ORDER BY would take it for a column's place.
        return Operand(
            f"(0 + {int(operand.sql in self.absent)})",
            "int",
            call.text,
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
        inner: Argument = expression
        while isinstance(inner, FunctionCall) and inner.args:
            inner = inner.args[0]
        return self.scope.column(inner) if isinstance(inner, Path) else None

    def _add(self, key: Expression) -> None:
        if isinstance(key, FunctionCall) and key.name in (*AGGREGATES, *SHOWN, *TOTALS):
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


def _folded(operand: Operand) -> str:
    return f"fold({operand.sql})" if operand.type in TEXTS else operand.sql


def _result_name(alias: str | None, inner: Expression, operand: Operand, unnamed: int) -> str:
    """The name of a value in a grouped row: its alias, its field, or `expr0` and so on."""
    if alias:
        return alias
    if isinstance(inner, Path) and operand.info:
        return operand.info.name
    return f"expr{unnamed}"
