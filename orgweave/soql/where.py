"""Conditions -> SQL, each literal checked beside the field it is compared with.

Knows nothing of how a clause looks its names up; `Conditions.operand` does that.

Each comparison is either true or false, null included, so NOT is exact: `!=` and NOT IN hold for
null too. A negation is pushed down to the comparisons; `x IS NOT TRUE` then turns SQL's unknown
into the CRM's false. Examples: `AccountId = '001…'` takes 15 or 18 characters; `CreatedDate >
2021-03-03` is refused, for a datetime is wanted; `NOT Status = 'New'` is `((t0."Status" COLLATE
NOCASE = ?) IS NOT TRUE)`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orgweave.crm.field import IDS, NUMBERS, TEXTS
from orgweave.soql.literals import FIRST, ID, LAST, Span, cased, span, stored
from orgweave.soql.nodes import (
    Comparison,
    Condition,
    Expression,
    FilterScope,
    FunctionCall,
    Literal,
    Logic,
    Not,
    QueryText,
    SemiJoin,
)
from orgweave.soql.scope import Operand, Scope, column_sql
from orgweave.soql.sql import Sql, SqlValue, chained, collated, folded, in_any_case
from pipeline.world.ids import to_18

ORDERED = ("<", "<=", ">", ">=")
OPPOSITE = {
    "!=": "=",
    "NOT IN": "IN",
    "EXCLUDES": "INCLUDES",
}
NEGATED_LOGIC = {"AND": "OR", "OR": "AND"}
ME = '(SELECT min(u."Id") FROM "User" u)'
"""Whoever asks is taken to be the org's first user."""
MY_GROUPS = f'(SELECT m."GroupId" FROM "GroupMember" m WHERE m."UserOrGroupId" = {ME})'
EVERYBODYS = ("everything", "scopingrule")
OWNED = ("mine", "mine_and_my_groups", "mineandmygroups")
NOBODYS = ("delegated", "team", "allprivate", "mru")
"""Scopes of records that were shared, hidden or opened in a way that no record here was."""
FEW = 20
"""Values written as parameters of their own; more than these go as one JSON array."""
WANTED = {
    "boolean": "boolean and should not be enclosed in quotes",
    "currency": "double and should not be enclosed in quotes",
    "double": "double and should not be enclosed in quotes",
    "int": "int and should not be enclosed in quotes",
    "date": "date and should not be enclosed in quotes",
    "datetime": "dateTime and should not be enclosed in quotes",
}
"""Field type -> the CRM's own words for the literal that it wants."""
FITS: dict[str, tuple[str, ...]] = {
    "boolean": ("boolean",),
    "date": ("date", "relative"),
    "datetime": ("datetime", "relative"),
}
"""Field type -> kinds of literal; numbers take numbers, all else takes strings."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Writes a clause's conditions in SQL.

    `operand` makes an expression an operand, and `semi_join` writes a semi-join in SQL; where it is
    None, the clause takes none.
    """

    text: QueryText
    clock: datetime
    operand: Callable[[Expression], Operand]
    semi_join: Callable[[SemiJoin], Sql] | None = None

    def sql(self, node: Condition, negated: bool = False) -> Sql:
        """Returns the SQL of a condition, or of its opposite."""
        match node:
            case Not():
                return self.sql(node.term, not negated)
            case Logic():
                operator = NEGATED_LOGIC[node.operator] if negated else node.operator
                return chained([self.sql(term, negated) for term in node.terms], operator)
            case SemiJoin():
                return self._semi_join(node)
        return self._comparison(node, negated)

    def _semi_join(self, node: SemiJoin) -> Sql:
        if self.semi_join is None:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                node.position,
                "semi joins and anti joins are allowed in the WHERE clause of the main query only,"
                " not nested and not in HAVING",
            )
        return self.semi_join(node)

    def _comparison(self, node: Comparison, negated: bool) -> Sql:
        operand = self.operand(node.left)
        self._check_operator(node, operand)
        positive = OPPOSITE.get(node.operator, node.operator)
        sql = self._positive(
            node,
            positive,
            operand,
        )
        opposite = negated != (node.operator in OPPOSITE)
        return Sql(f"(({sql.text}) IS NOT TRUE)", sql.params) if opposite else sql

    def _check_operator(self, node: Comparison, operand: Operand) -> None:
        """Refuses an operator that the field's type doesn't have, and null in an order."""
        kind, operator = operand.type, node.operator
        measured = isinstance(node.left, FunctionCall) and node.left.name == "DISTANCE"
        if measured and operator not in ("<", ">"):
            raise self.text.refuse(
                "INVALID_QUERY_FILTER_OPERATOR",
                node.position,
                f"DISTANCE is compared by < and > only, not by {operator}",
            )
        if operand.info is not None and not operand.info.filterable:
            raise self.text.refuse(
                "INVALID_FIELD",
                node.position,
                f"field '{operand.name}' can not be filtered in a query call",
                operand.name,
            )
        if not _allowed(operator, kind):
            named = "id" if kind in IDS else kind
            raise self.text.refuse(
                "INVALID_QUERY_FILTER_OPERATOR",
                node.position,
                f"invalid operator on {named} field: {operator} on {operand.name}",
                operand.name,
            )
        literal = node.values[0]
        if operator in (*ORDERED, "LIKE") and literal.kind == "null":
            raise self.text.refuse(
                "INVALID_QUERY_FILTER_OPERATOR",
                literal.position,
                f"null can't be compared by {operator}; write {operand.name} = null or"
                f" {operand.name} != null",
                operand.name,
            )

    def _positive(
        self,
        node: Comparison,
        operator: str,
        operand: Operand,
    ) -> Sql:
        """The comparison without its negation."""
        if operator == "INCLUDES":
            return chained([self._includes(literal, operand) for literal in node.values], "OR")
        plain = [literal for literal in node.values if literal.kind != "relative"]
        if len(plain) < len(node.values):
            ranges = [literal for literal in node.values if literal.kind == "relative"]
            terms = [
                self._in_range(
                    literal,
                    operator,
                    operand,
                )
                for literal in ranges
            ]
            if plain:
                terms.append(self._among(plain, operand))
            return chained(terms, "OR")
        if operator in ("=", "IN"):
            return self._among(plain, operand)
        value = value_of(
            plain[0],
            operand,
            self.text,
        )
        return (
            _like(value, operand)
            if operator == "LIKE"
            else _ordered(
                operator,
                value,
                operand,
            )
        )

    def _among(self, literals: list[Literal], operand: Operand) -> Sql:
        """Whether the operand is one of the literals, null among them."""
        values = [
            value_of(
                literal,
                operand,
                self.text,
            )
            for literal in literals
        ]
        if operand.type == "boolean":
            # A boolean is never null: `= null` asks for false.
            return among(
                operand.sql,
                sorted({int(bool(value)) for value in values}),
                operand,
            )
        if operand.type == "multipicklist":
            return chained([_same_set(value, operand) for value in values], "OR")
        given = [value for value in values if value is not None]
        terms = (
            [
                among(
                    operand.sql,
                    given,
                    operand,
                )
            ]
            if given
            else []
        )
        if len(given) < len(values):
            terms.append(Sql(f"{operand.sql} IS NULL"))
        return chained(terms, "OR")

    def _in_range(
        self,
        literal: Literal,
        operator: str,
        operand: Operand,
    ) -> Sql:
        """A comparison with a relative date: before, within or behind its range."""
        check_type(
            literal,
            operand,
            self.text,
        )
        start, end = bounds(
            literal,
            operand,
            self.clock,
            self.text,
        )
        match operator:
            case "<" | ">=":
                return Sql(f"{operand.sql} {operator} ?", (start,))
            case ">":
                return Sql(f"{operand.sql} >= ?", (end,))
            case "<=":
                return Sql(f"{operand.sql} < ?", (end,))
        return Sql(f"({operand.sql} >= ? AND {operand.sql} < ?)", (start, end))

    def _includes(self, literal: Literal, operand: Operand) -> Sql:
        """Whether a multi-select picklist holds all of `'a;b'`."""
        value = value_of(
            literal,
            operand,
            self.text,
        )
        members = [member.strip() for member in str(value or "").split(";")]
        return chained([_holds(member, operand) for member in members], "AND")


def filter_scope(using: FilterScope | None, scope: Scope) -> Sql | None:
    """Returns what USING SCOPE asks of a record; None where that is nothing.

    Raises QueryRefused for a scope that isn't known, or that the object type hasn't got.
    """
    if using is None or using.name in EVERYBODYS:
        return None
    if using.name in NOBODYS:
        return Sql("0")
    owner = scope.root.find("OwnerId")
    if using.name not in OWNED or owner is None or "user" not in scope.entities:
        known = ", ".join((*EVERYBODYS, *OWNED, *NOBODYS))
        why = f"{scope.root.name} has no owner" if using.name in OWNED else f"there are {known}"
        raise scope.text.refuse(
            "INVALID_QUERY_SCOPE",
            using.position,
            f"scope '{using.name}' is not available here; {why}",
        )
    column = column_sql(scope.sources[()].alias, owner)
    mine = Sql(f"{column} = {ME}")
    if using.name == "mine" or "groupmember" not in scope.entities:
        return mine
    return chained([mine, Sql(f"{column} IN {MY_GROUPS}")], "OR")


def value_of(literal: Literal, operand: Operand, text: QueryText) -> SqlValue:
    """Returns the literal as SQLite's value: None for null and for an empty string.

    Raises QueryRefused where it isn't of the field's type.
    """
    if literal.kind == "null":
        return None
    check_type(
        literal,
        operand,
        text,
    )
    kind, value = operand.type, literal.value
    if kind in IDS:
        return (
            id_of(
                str(value),
                literal.position,
                text,
                operand.name,
            )
            if value
            else None
        )
    if kind in TEXTS or kind == "multipicklist":
        return str(value) or None
    assert not isinstance(value, tuple)
    return int(value) if isinstance(value, bool) else value


def check_type(literal: Literal, operand: Operand, text: QueryText) -> None:
    """Refuses a literal that isn't of the field's type; null is of every type."""
    kind = operand.type
    fits = FITS.get(kind) or (("number",) if kind in NUMBERS else ("string",))
    if literal.kind not in (*fits, "null"):
        wanted = WANTED.get(kind, "string and should be enclosed in quotes")
        raise text.refuse(
            "INVALID_FIELD",
            literal.position,
            f"value of filter criterion for field '{operand.name}' must be of type {wanted}",
            operand.name,
        )


def id_of(spelling: str, position: int, text: QueryText, field: str) -> str:
    """Returns an id of 18 characters; one in another case is put right by its check characters."""
    if not ID.fullmatch(spelling):
        raise text.refuse(
            "INVALID_QUERY_FILTER_OPERATOR",
            position,
            f"invalid ID field: {spelling[:60]}",
            field,
        )
    if len(spelling) == 15:
        return to_18(spelling)
    right = cased(spelling)
    if right is None:
        raise text.refuse(
            "INVALID_QUERY_FILTER_OPERATOR",
            position,
            f"invalid ID field: {spelling}; its last three characters are not the check of the"
            " others",
            field,
        )
    return right


def bounds(
    literal: Literal,
    operand: Operand,
    clock: datetime,
    text: QueryText,
) -> tuple[str, str]:
    """Returns a relative date's first moment and the first one behind it, in the field's form."""
    assert isinstance(literal.value, tuple)
    name, count = literal.value
    try:
        found = span(
            name,
            count,
            clock,
        )
        inside = found.start >= FIRST and found.end <= LAST + timedelta(days=1)
    except (OverflowError, ValueError):
        inside = False
    if not inside:
        raise text.refuse(
            "INVALID_FIELD",
            literal.position,
            f"invalid date: {name}:{count} leads out of 1700-01-01 to 4000-12-31",
            operand.name,
        )
    return _days(found) if operand.type == "date" else (stored(found.start), stored(found.end))


def among(sql: str, values: Sequence[SqlValue], operand: Operand) -> Sql:
    """Returns whether `sql` is one of the values: texts in any case, ids and numbers exactly."""
    if operand.type in TEXTS:
        sql, values = in_any_case(sql, [str(value) for value in values])
    if len(values) == 1:
        return Sql(f"{sql} = ?", (values[0],))
    if len(values) <= FEW:
        marks = ", ".join("?" * len(values))
        return Sql(f"{sql} IN ({marks})", tuple(values))
    return Sql(f"{sql} IN (SELECT value FROM json_each(?))", (json.dumps(list(values)),))


def _allowed(operator: str, kind: str) -> bool:
    """Whether a type of field has an operator."""
    if operator == "LIKE":
        return kind in TEXTS
    if operator in ORDERED:
        return kind not in ("boolean", "multipicklist")
    if operator in ("INCLUDES", "EXCLUDES"):
        return kind == "multipicklist"
    return True


def _like(value: SqlValue, operand: Operand) -> Sql:
    """SQLite's LIKE folds ASCII alone; other letters are folded on both sides."""
    pattern = str(value or "")
    if pattern.isascii():
        return Sql(f"{operand.sql} LIKE ? ESCAPE '\\'", (pattern,))
    return Sql(f"fold({operand.sql}) LIKE ? ESCAPE '\\'", (folded(pattern),))


def _ordered(operator: str, value: SqlValue, operand: Operand) -> Sql:
    """A comparison by order, that of ORDER BY; with an empty string, which is null, it never holds.

    So whoever reads on behind the last name of a page misses none.
    """
    if value is None:
        return Sql("0")
    exact = operand.type in NUMBERS | IDS | {"date", "datetime"}
    if exact:
        return Sql(f"{operand.sql} {operator} ?", (value,))
    return Sql(f"collated({operand.sql}) {operator} ?", (collated(str(value)),))


def _same_set(value: SqlValue, operand: Operand) -> Sql:
    """A multi-select picklist equals `'a;b'` if it holds exactly these."""
    if value is None:
        return Sql(f"COALESCE({operand.sql}, '[]') = '[]'")
    members = sorted({member.strip() for member in str(value).split(";")})
    count = Sql(f"json_array_length({operand.sql}) = {len(members)}")
    return chained([count, *(_holds(member, operand) for member in members)], "AND")


def _holds(member: str, operand: Operand) -> Sql:
    """Whether a multi-select picklist, stored as a JSON array, holds a value in any case."""
    members = f"json_each({operand.sql})"
    left, values = in_any_case("value", [member])
    return Sql(f"EXISTS (SELECT 1 FROM {members} WHERE {left} = ?)", tuple(values))


def _days(found: Span) -> tuple[str, str]:
    """A range as days: a day that the range only begins counts whole."""
    midnight = found.end.replace(
        hour=0,
        minute=0,
        second=0,
        microsecond=0,
    )
    end = found.end if found.end == midnight else midnight + timedelta(days=1)
    return found.start.date().isoformat(), end.date().isoformat()
