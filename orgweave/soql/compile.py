"""From a query's nodes to a plan: names looked up, types checked, SQL written.

The one place where the clauses meet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from orgweave.crm.field import IDS, TEXTS, ChildRelationship, CrmObject
from orgweave.soql.functions import is_aggregate, rank, scalar
from orgweave.soql.groups import Grouping
from orgweave.soql.nodes import (
    Condition,
    FunctionCall,
    Logic,
    Not,
    Path,
    SelectQuery,
    SemiJoin,
    Sort,
)
from orgweave.soql.places import QueryText
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.select import SelectColumns
from orgweave.soql.shapes import ChildQuery, QueryPlan, RecordShape
from orgweave.soql.sql import Sql, joined, quoted
from orgweave.soql.where import Conditions

MOST_SEMI_JOINS = 2
MOST_LEVELS = 5
UNLIMITED = -1


@dataclass(frozen=True, slots=True)
class Compiler:
    """What stays the same from query to query within one text."""

    entities: Mapping[str, CrmObject]
    clock: datetime
    text: QueryText

    def plan(self, query: SelectQuery, among: bool = False) -> QueryPlan:
        """The plan of a whole query.

        `among`: only records of a JSON array of ids, the SQL's first parameter, in its order.
        """
        scope = self._scope(query)
        if _counts(query):
            return self._count(query, scope)
        if (
            query.groups
            or query.having
            or any(is_aggregate(getattr(item, "expression", None)) for item in query.items)
        ):
            return self._grouped(query, scope)
        return self._records(query, scope, among=among)

    def _scope(self, query: SelectQuery) -> Scope:
        name = query.entity.text
        entity = self.entities.get(name.lower())
        if entity is None:
            message = (
                f"sObject type '{name}' is not supported. A custom object's name ends in '__c'."
                f" There are: {', '.join(one.name for one in self.entities.values())}."
            )
            raise self.text.refuse("INVALID_TYPE", query.entity.at, message)
        return Scope(self.entities, self.text, entity, query.alias)

    def _records(
        self,
        query: SelectQuery,
        scope: Scope,
        parent: ChildRelationship | None = None,
        level: int = 1,
        among: bool = False,
    ) -> QueryPlan:
        columns = SelectColumns(scope, query.limit)
        if parent is not None:
            columns.slot(f"{scope.sources[()].alias}.{quoted(parent.field)}")
        parts = columns.parts(query.items, lambda child: self._child(child, scope, level))
        shape = RecordShape(scope.root.name, columns.slot(scope.key(())), parts)
        where, orders = self._where(query.where, scope), self._orders(query.sorts, scope)
        if among:
            orders = Sql("hits.key") if not query.sorts else orders
        paged = _paged(query) if parent is None else Sql("")
        first = _first(scope, parent, among)
        select = Sql(f"SELECT {', '.join(columns.sql)} FROM {scope.tables}")
        sql = joined(
            [
                first,
                select,
                _hits(scope, among),
                _where(where, scope, parent),
                Sql(" ORDER BY "),
                orders,
                paged,
            ],
            "",
        )
        return QueryPlan(scope.root.name, sql, shape)

    def _child(self, query: SelectQuery, scope: Scope, level: int) -> ChildQuery:
        relationship = scope.root.children.get(query.entity.text.lower())
        if relationship is None:
            known = (
                ", ".join(one.name for one in scope.root.child_relationships if one.name) or "none"
            )
            message = (
                f"Didn't understand relationship '{query.entity.text}' in FROM part of query call."
                " A custom relationship's name ends in '__r'. Child relationships of"
                f" {scope.root.name}: {known}."
            )
            raise self.text.refuse("INVALID_TYPE", query.entity.at, message)
        if level >= MOST_LEVELS:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.at,
                f"subqueries may be nested at most {MOST_LEVELS - 1} levels deep",
            )
        if (
            query.groups
            or query.having
            or query.offset
            or any(
                isinstance(getattr(item, "expression", None), FunctionCall) and not _is_fields(item)
                for item in query.items
            )
        ):
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.at,
                "a child subquery takes fields, WHERE, ORDER BY and LIMIT; no functions, GROUP BY,"
                " HAVING or OFFSET",
            )
        inner = Scope(
            self.entities, self.text, self.entities[relationship.entity.lower()], query.alias
        )
        return ChildQuery(
            str(relationship.name),
            self._records(query, inner, relationship, level + 1),
            query.limit,
        )

    def _count(self, query: SelectQuery, scope: Scope) -> QueryPlan:
        if query.groups or query.having or query.sorts:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.at,
                "COUNT() stands without GROUP BY, HAVING and ORDER BY; with them write COUNT(Id)",
            )
        where = self._where(query.where, scope)
        inner = joined(
            [Sql(f"SELECT 1 FROM {scope.tables}"), _where(where, scope, None), _paged(query)], ""
        )
        return QueryPlan(
            scope.root.name, Sql(f"SELECT COUNT(*) FROM ({inner.text})", inner.params), None
        )

    def _grouped(self, query: SelectQuery, scope: Scope) -> QueryPlan:
        grouping = Grouping(query, scope)
        columns, shape = grouping.columns()
        where = self._where(query.where, scope)
        having = (
            None
            if query.having is None
            else Conditions(self.text, self.clock, grouping.operand).sql(query.having)
        )
        sorts = joined(
            [
                *(_sorted(grouping.operand(sort.by), sort) for sort in query.sorts),
                *(Sql(key) for key in grouping.keys),
            ],
            ", ",
        )
        parts = [
            Sql(f"SELECT {', '.join(columns)} FROM {scope.tables}"),
            _where(where, scope, None),
        ]
        parts.append(Sql(f" GROUP BY {', '.join(grouping.keys)}" if grouping.keys else ""))
        parts += [Sql(" HAVING "), having] if having else []
        parts += [Sql(" ORDER BY "), sorts] if grouping.keys else []
        return QueryPlan(scope.root.name, joined([*parts, _paged(query)], ""), shape)

    def _where(self, node: Condition | None, scope: Scope, nested: bool = False) -> Sql | None:
        if node is None:
            return None
        if not nested:
            _check_semi_joins(node, self.text)

        def operand(expression: Path | FunctionCall) -> Operand:
            if is_aggregate(expression):
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    expression.at,
                    f"aggregates such as {expression.text} are filtered in HAVING, not in WHERE",
                )
            found = scalar(expression, scope)
            scope.filter_by(found.steps)
            return found

        return Conditions(
            self.text,
            self.clock,
            operand,
            None if nested else lambda join: self._semi_join(join, scope),
        ).sql(node)

    def _semi_join(self, join: SemiJoin, scope: Scope) -> Sql:
        query, refuse = join.query, self.text.refuse
        if not isinstance(join.left, Path):
            raise refuse(
                "MALFORMED_QUERY",
                join.at,
                "the left side of a semi join is an id or a reference, not a function",
            )
        left = scope.column(join.left)
        inner = Scope(self.entities, self.text, self._scope(query).root, query.alias, "s")
        if left.steps or left.type not in IDS:
            raise refuse(
                "INVALID_FIELD",
                join.at,
                f"the left side of a semi join is an id or a reference of {scope.root.name} itself,"
                f" not {left.name}",
                left.name,
            )
        if inner.root.name == scope.root.name:
            raise refuse(
                "MALFORMED_QUERY",
                query.entity.at,
                "the inner and outer selects should not be on the same object type; follow a"
                " relationship instead",
            )
        selected = self._selected(query, inner)
        if not _targets(left, scope) & _targets(selected, inner):
            message = (
                f"{left.name} holds ids of {_named(left, scope)}, but {selected.name} those of"
                f" {_named(selected, inner)}"
            )
            raise refuse(
                "MALFORMED_QUERY",
                query.at,
                f"the types of a semi join differ: {message}",
                selected.name,
            )
        where = self._where(query.where, inner, nested=True)
        body = joined(
            [
                Sql(f"{left.sql} IN (SELECT {selected.sql} FROM {inner.tables}"),
                _where(where, inner, None),
                Sql(")"),
            ],
            "",
        )
        return Sql(f"(({body.text}) IS NOT TRUE)", body.params) if join.negated else body

    def _selected(self, query: SelectQuery, inner: Scope) -> Operand:
        item = query.items[0] if len(query.items) == 1 else None
        path = getattr(item, "expression", None)
        if not isinstance(path, Path) or getattr(item, "alias", None):
            raise self.text.refuse(
                "MALFORMED_QUERY", query.at, "the subquery of a semi join selects exactly one field"
            )
        if query.groups or query.having or query.sorts or query.limit is not None or query.offset:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.at,
                "the subquery of a semi join takes WHERE only; no GROUP BY, ORDER BY, LIMIT or"
                " OFFSET",
            )
        selected = inner.column(path)
        if selected.steps or selected.type not in IDS:
            raise self.text.refuse(
                "INVALID_FIELD",
                path.at,
                f"the subquery of a semi join selects an id or a reference of {inner.root.name}"
                f" itself, not {selected.name}",
                selected.name,
            )
        return selected

    def _orders(self, sorts: tuple[Sort, ...], scope: Scope) -> Sql:
        keys = []
        for sort in sorts:
            if not isinstance(sort.by, Path):
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    sort.by.at,
                    f"ORDER BY {sort.by.text} needs GROUP BY; without it a query is ordered by"
                    " fields",
                )
            operand = scope.column(sort.by)
            if operand.info is not None and not operand.info.sortable:
                raise self.text.refuse(
                    "INVALID_FIELD",
                    sort.by.at,
                    f"field '{operand.name}' can not be sorted in a query call",
                    operand.name,
                )
            keys.append(_sorted(operand, sort))
        return joined([*keys, Sql(scope.key(()))], ", ")


def _sorted(operand: Operand, sort: Sort) -> Sql:
    """Texts in any case, picklists in their own order, nulls first unless asked otherwise."""
    ranked = (
        operand.type == "picklist"
        and operand.info is not None
        and operand.info.values
        and not is_aggregate(sort.by)
    )
    key = (
        rank(operand)
        if ranked
        else f"{operand.sql} COLLATE NOCASE"
        if operand.type in TEXTS
        else operand.sql
    )
    return Sql(
        f"{key} {'DESC' if sort.descending else 'ASC'} NULLS"
        f" {'FIRST' if sort.nulls_first else 'LAST'}"
    )


def _paged(query: SelectQuery) -> Sql:
    if query.limit is None and not query.offset:
        return Sql("")
    return Sql(
        " LIMIT ? OFFSET ?", (UNLIMITED if query.limit is None else query.limit, query.offset)
    )


def _first(scope: Scope, parent: ChildRelationship | None, among: bool) -> Sql:
    return (
        Sql("WITH chosen AS MATERIALIZED (SELECT key, value FROM json_each(?)) ")
        if parent or among
        else Sql("")
    )


def _hits(scope: Scope, among: bool) -> Sql:
    return Sql(f" JOIN chosen hits ON hits.value = {scope.key(())}") if among else Sql("")


def _where(where: Sql | None, scope: Scope, parent: ChildRelationship | None) -> Sql:
    own = (
        Sql(f"{scope.sources[()].alias}.{quoted(parent.field)} IN (SELECT value FROM chosen)")
        if parent
        else None
    )
    terms = [one for one in (own, where) if one is not None]
    return joined([Sql(" WHERE "), joined(terms, " AND ")], "") if terms else Sql("")


def _counts(query: SelectQuery) -> bool:
    """Whether it is `SELECT COUNT() …`."""
    item = query.items[0]
    expression = getattr(item, "expression", None)
    return (
        len(query.items) == 1
        and isinstance(expression, FunctionCall)
        and expression.name == "COUNT"
        and not expression.args
        and getattr(item, "alias", None) is None
    )


def _is_fields(item: object) -> bool:
    expression = getattr(item, "expression", None)
    return isinstance(expression, FunctionCall) and expression.name == "FIELDS"


def _targets(operand: Operand, scope: Scope) -> set[str]:
    assert operand.info is not None
    return {scope.root.name} if operand.type == "id" else set(operand.info.reference_to)


def _named(operand: Operand, scope: Scope) -> str:
    return " or ".join(sorted(_targets(operand, scope)))


def _check_semi_joins(node: Condition, text: QueryText) -> None:
    """At most two, never under OR or NOT."""
    found = 0
    stack: list[tuple[Condition, str]] = [(node, "")]
    while stack:
        here, under = stack.pop()
        match here:
            case SemiJoin():
                found += 1
                if under:
                    raise text.refuse(
                        "MALFORMED_QUERY",
                        here.at,
                        f"Semi join sub-selects are not allowed with the '{under}' operator; ask"
                        " twice",
                    )
                if found > MOST_SEMI_JOINS:
                    raise text.refuse(
                        "MALFORMED_QUERY",
                        here.at,
                        f"at most {MOST_SEMI_JOINS} semi join sub-selects are allowed in one query",
                    )
            case Not():
                stack.append((here.term, "NOT"))
            case Logic():
                stack.extend(
                    (term, under or ("OR" if here.operator == "OR" else "")) for term in here.terms
                )
