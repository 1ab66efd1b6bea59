"""Aggregate queries: what is grouped by, what is selected a group, and what HAVING and ORDER BY may
name.

Texts are grouped in any case, as they are compared; the group shows the first of its spellings.
"""

from orgweave.crm.field import TEXTS
from orgweave.soql.functions import AGGREGATES, aggregate, is_aggregate, scalar
from orgweave.soql.nodes import Expression, FunctionCall, Path, SelectItem, SelectQuery
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.shapes import FieldValue, GroupShape

UNSUPPORTED = ("ROLLUP", "CUBE")


class Grouping:
    """The groups of one query."""

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
        """The SQL of GROUP BY."""
        return [
            f"{operand.sql} COLLATE NOCASE" if operand.type in TEXTS else operand.sql
            for operand in self.grouped.values()
        ]

    def columns(self) -> tuple[list[str], GroupShape]:
        """The SQL columns and the shape of a row."""
        sql: list[str] = []
        values: dict[str, FieldValue] = {}
        unnamed = 0
        for item in self.query.items:
            if not isinstance(item, SelectItem):
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    item.at,
                    "a grouped query takes no child subqueries and no TYPEOF",
                )
            operand = self.operand(item.expression)
            name = item.alias or (
                operand.info.name
                if isinstance(item.expression, Path) and operand.info
                else f"expr{unnamed}"
            )
            unnamed += item.alias is None and isinstance(item.expression, FunctionCall)
            if name.lower() in (one.lower() for one in values):
                raise self.text.refuse("MALFORMED_QUERY", item.at, f"duplicate alias: {name}")
            values[name] = FieldValue(name, len(sql), operand.type)
            sql.append(
                f"MIN({operand.sql})"
                if operand.type in TEXTS and not is_aggregate(item.expression)
                else operand.sql
            )
        return sql, GroupShape(tuple(values.values()))

    def operand(self, expression: Expression) -> Operand:
        """An aggregate or something grouped by; raises QueryRefused for anything else."""
        if is_aggregate(expression):
            assert isinstance(expression, FunctionCall)
            return self._aggregate(expression)
        self._refuse_alias(expression)
        operand = scalar(expression, self.scope)
        inner = self._inner(expression)
        if operand.sql in self.grouped or (
            inner is not None and inner.type == "date" and inner.sql in self.grouped
        ):
            return operand
        raise self.text.refuse(
            "MALFORMED_QUERY",
            expression.at,
            f"Field must be grouped or aggregated: {expression.text}",
            expression.text,
        )

    def _aggregate(self, call: FunctionCall) -> Operand:
        operand = aggregate(call, self.scope)
        inner = self.scope.column(call.args[0]) if isinstance(call.args[0], Path) else None
        if inner is not None and inner.sql in self.grouped:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                call.at,
                f"Grouped field should not be aggregated: {inner.name}",
                inner.name,
            )
        return operand

    def _inner(self, expression: Expression) -> Operand | None:
        """The field inside a date function: a date that is grouped by may be cut into years."""
        while isinstance(expression, FunctionCall) and expression.args:
            expression = expression.args[0]
        return self.scope.column(expression) if isinstance(expression, Path) else None

    def _add(self, key: Expression) -> None:
        if isinstance(key, FunctionCall) and key.name in UNSUPPORTED:
            raise self.text.refuse(
                "FUNCTIONALITY_NOT_ENABLED",
                key.at,
                f"GROUP BY {key.name} is not available here; write GROUP BY with the fields and add"
                " the subtotals yourself",
            )
        if isinstance(key, FunctionCall) and key.name in AGGREGATES:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                key.at,
                f"{key.text} can not be grouped in a query call; group by fields or date functions",
            )
        self._refuse_alias(key)
        operand = scalar(key, self.scope)
        if operand.info is not None and not operand.info.groupable:
            hint = (
                f"; group by a date function of it, such as CALENDAR_MONTH({operand.name})"
                if operand.type == "datetime"
                else ""
            )
            raise self.text.refuse(
                "INVALID_FIELD",
                key.at,
                f"field '{operand.name}' can not be grouped in a query call{hint}",
                operand.name,
            )
        if operand.sql in self.grouped:
            raise self.text.refuse(
                "MALFORMED_QUERY", key.at, f"duplicate grouping expression: {key.text}"
            )
        self.grouped[operand.sql] = operand

    def _refuse_alias(self, expression: Expression) -> None:
        """An alias names a result, not something to group, filter or sort by."""
        if (
            not isinstance(expression, Path)
            or len(expression.names) > 1
            or expression.names[0].lower() in self.scope.root.fields
        ):
            return
        for item in self.query.items:
            if (
                isinstance(item, SelectItem)
                and item.alias is not None
                and item.alias.lower() == expression.names[0].lower()
            ):
                message = (
                    f"No such column '{item.alias}' on entity '{self.scope.root.name}'. An alias"
                    f" can't be used here; write {item.expression.text} again."
                )
                raise self.text.refuse("INVALID_FIELD", expression.at, message, item.alias)

    def _check_clauses(self) -> None:
        query = self.query
        if query.having is not None and not query.groups:
            raise self.text.refuse("MALFORMED_QUERY", query.at, "HAVING needs GROUP BY")
        if query.groups:
            return
        for clause, given in (
            ("LIMIT", query.limit is not None),
            ("OFFSET", query.offset),
            ("ORDER BY", query.sorts),
        ):
            if given:
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    query.at,
                    "Non-grouped query that uses overall aggregate functions cannot also use"
                    f" {clause}; leave {clause} out, or add GROUP BY",
                )
