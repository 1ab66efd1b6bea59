"""Conditions -> SQL.

Each comparison is either true or false, null included, so NOT is exact: `!=` and NOT IN hold for
null too.

A negation is pushed down to the comparisons; `x IS NOT TRUE` then turns SQL's unknown into the
CRM's false.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from orgweave.crm.field import IDS, NUMBERS, TEXTS
from orgweave.soql.nodes import Comparison, Condition, Expression, Literal, Logic, Not, SemiJoin
from orgweave.soql.places import QueryText
from orgweave.soql.scope import Operand
from orgweave.soql.sql import Sql, SqlValue, chained
from orgweave.soql.values import bounds, check_type, value_of

ORDERED = ("<", "<=", ">", ">=")
OPPOSITE = {"!=": "=", "NOT IN": "IN", "EXCLUDES": "INCLUDES"}
FEW = 20
"""Values written as parameters of their own; more than these go as one JSON array."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a clause's conditions need: how an expression becomes an operand, and how a semi-join
    becomes SQL (None: not here).
    """

    text: QueryText
    clock: datetime
    operand: Callable[[Expression], Operand]
    semi_join: Callable[[SemiJoin], Sql] | None = None

    def sql(self, node: Condition, negated: bool = False) -> Sql:
        """The SQL of a condition, or of its opposite."""
        match node:
            case Not():
                return self.sql(node.term, not negated)
            case Logic():
                operator = {"AND": "OR", "OR": "AND"}[node.operator] if negated else node.operator
                return chained([self.sql(term, negated) for term in node.terms], operator)
            case SemiJoin():
                return self._semi_join(node)
        return self._comparison(node, negated)

    def _semi_join(self, node: SemiJoin) -> Sql:
        if self.semi_join is None:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                node.at,
                "semi joins and anti joins are allowed in the WHERE clause of the main query only,"
                " not nested and not in HAVING",
            )
        return self.semi_join(node)

    def _comparison(self, node: Comparison, negated: bool) -> Sql:
        operand = self.operand(node.left)
        self._check_operator(node, operand)
        positive = OPPOSITE.get(node.operator, node.operator)
        sql = self._positive(node, positive, operand)
        opposite = negated != (node.operator in OPPOSITE)
        return Sql(f"(({sql.text}) IS NOT TRUE)", sql.params) if opposite else sql

    def _check_operator(self, node: Comparison, operand: Operand) -> None:
        kind, operator = operand.type, node.operator
        if operand.info is not None and not operand.info.filterable:
            raise self.text.refuse(
                "INVALID_FIELD",
                node.at,
                f"field '{operand.name}' can not be filtered in a query call",
                operand.name,
            )
        allowed = operator not in ("LIKE", "INCLUDES", "EXCLUDES", *ORDERED)
        allowed = (
            allowed
            or (operator == "LIKE" and kind in TEXTS)
            or (operator in ORDERED and kind not in ("boolean", "multipicklist"))
        )
        if not (allowed or (operator in ("INCLUDES", "EXCLUDES") and kind == "multipicklist")):
            named = "id" if kind in IDS else kind
            raise self.text.refuse(
                "INVALID_QUERY_FILTER_OPERATOR",
                node.at,
                f"invalid operator on {named} field: {operator} on {operand.name}",
                operand.name,
            )
        if operator in (*ORDERED, "LIKE") and node.values[0].kind == "null":
            raise self.text.refuse(
                "INVALID_QUERY_FILTER_OPERATOR",
                node.values[0].at,
                f"null can't be compared by {operator}; write {operand.name} = null or"
                f" {operand.name} != null",
                operand.name,
            )

    def _positive(self, node: Comparison, operator: str, operand: Operand) -> Sql:
        if operator == "INCLUDES":
            return chained([self._includes(one, operand) for one in node.values], "OR")
        ranges = [one for one in node.values if one.kind == "relative"]
        if ranges:
            plain = [one for one in node.values if one.kind != "relative"]
            terms = [self._in_range(one, operator, operand) for one in ranges]
            return chained([*terms, self._among(plain, operand)] if plain else terms, "OR")
        if operator in ("=", "IN"):
            return self._among(list(node.values), operand)
        value = value_of(node.values[0], operand, self.text)
        return (
            self._like(value, operand) if operator == "LIKE" else _ordered(operator, value, operand)
        )

    def _among(self, literals: list[Literal], operand: Operand) -> Sql:
        values = [value_of(one, operand, self.text) for one in literals]
        if operand.type == "boolean":
            return among(operand.sql, sorted({int(bool(value)) for value in values}), operand)
        if operand.type == "multipicklist":
            return chained([_same_set(value, operand) for value in values], "OR")
        given = [value for value in values if value is not None]
        terms = [among(operand.sql, given, operand)] if given else []
        return chained(
            [*terms, Sql(f"{operand.sql} IS NULL")] if len(given) < len(values) else terms, "OR"
        )

    def _in_range(self, literal: Literal, operator: str, operand: Operand) -> Sql:
        check_type(literal, operand, self.text)
        start, end = bounds(literal, operand, self.clock, self.text)
        match operator:
            case "<" | ">=":
                return Sql(f"{operand.sql} {operator} ?", (start,))
            case ">" | "<=":
                return Sql(f"{operand.sql} {'>=' if operator == '>' else '<'} ?", (end,))
        return Sql(f"({operand.sql} >= ? AND {operand.sql} < ?)", (start, end))

    def _like(self, value: SqlValue, operand: Operand) -> Sql:
        """SQLite's LIKE folds ASCII alone; other letters are folded on both sides."""
        pattern = str(value or "")
        if pattern.isascii():
            return Sql(f"{operand.sql} LIKE ? ESCAPE '\\'", (pattern,))
        return Sql(f"fold({operand.sql}) LIKE ? ESCAPE '\\'", (pattern.lower(),))

    def _includes(self, literal: Literal, operand: Operand) -> Sql:
        chosen = str(value_of(literal, operand, self.text) or "").split(";")
        return chained(
            [
                Sql(
                    f"EXISTS (SELECT 1 FROM json_each({operand.sql}) WHERE value = ? COLLATE"
                    " NOCASE)",
                    (one.strip(),),
                )
                for one in chosen
            ],
            "AND",
        )


def among(sql: str, values: Sequence[SqlValue], operand: Operand) -> Sql:
    """Whether it is one of the values: strings in any case, ids and numbers exactly."""
    if operand.type in TEXTS:
        plain = all(str(value).isascii() for value in values)
        sql = f"{sql} COLLATE NOCASE" if plain else f"fold({sql})"
        values = values if plain else [str(value).lower() for value in values]
    if len(values) == 1:
        return Sql(f"{sql} = ?", (values[0],))
    if len(values) <= FEW:
        return Sql(f"{sql} IN ({', '.join('?' * len(values))})", tuple(values))
    return Sql(f"{sql} IN (SELECT value FROM json_each(?))", (json.dumps(list(values)),))


def _ordered(operator: str, value: SqlValue, operand: Operand) -> Sql:
    if value is None:
        return Sql("0")
    exact = operand.type in NUMBERS | IDS | {"date", "datetime"}
    return Sql(
        f"{operand.sql} {operator} ?" if exact else f"{operand.sql} COLLATE NOCASE {operator} ?",
        (value,),
    )


def _same_set(value: SqlValue, operand: Operand) -> Sql:
    """A multi-select picklist equals `'a;b'` if it holds exactly these."""
    if value is None:
        return Sql(f"COALESCE({operand.sql}, '[]') = '[]'")
    chosen = sorted({one.strip() for one in str(value).split(";")})
    count = Sql(f"json_array_length({operand.sql}) = {len(chosen)}")
    return chained(
        [
            count,
            *(
                Sql(
                    f"EXISTS (SELECT 1 FROM json_each({operand.sql}) WHERE value = ? COLLATE"
                    " NOCASE)",
                    (one,),
                )
                for one in chosen
            ),
        ],
        "AND",
    )
