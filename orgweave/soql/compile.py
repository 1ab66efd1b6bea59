"""From a query's nodes to a plan: names looked up, types checked, SQL written.

The one place where the clauses meet; it reads no row. There are three kinds of query: one for
records, one for groups, and `SELECT COUNT()`, which is a number. Example: `SELECT Id FROM Case
WHERE Status = 'New' LIMIT 2` becomes `SELECT t0."Id" FROM "Case" t0 WHERE t0."Status" COLLATE
NOCASE = ? ORDER BY t0."Id" LIMIT ? OFFSET ?` with the parameters `("New", 2, 0)`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from orgweave.crm.field import IDS, TEXTS, ChildRelationship, CrmObject
from orgweave.soql.functions import is_aggregate, rank, scalar
from orgweave.soql.grouping import Grouping
from orgweave.soql.nodes import (
    Child,
    Condition,
    Expression,
    FunctionCall,
    Logic,
    Not,
    Path,
    QueryText,
    SelectItem,
    SelectQuery,
    SemiJoin,
    Sort,
    TypeOf,
)
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.select import SelectColumns
from orgweave.soql.shown import SHOWN
from orgweave.soql.sql import ChildQuery, QueryPlan, RecordShape, Sql, chained, joined, quoted
from orgweave.soql.where import Conditions, filter_scope

# The CRM's own bounds.
MOST_SEMI_JOINS = 2
MOST_LEVELS = 5
UNLIMITED = -1
"""SQLite's LIMIT for no limit: it has no OFFSET without a LIMIT."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles the queries of one text: a SOQL text has one, a SOSL text one an object type."""

    entities: Mapping[str, CrmObject]
    clock: datetime
    text: QueryText

    def plan(self, query: SelectQuery, among: bool = False) -> QueryPlan:
        """Returns the plan of a whole query.

        With `among` it finds only records of a JSON array of ids, the SQL's first parameter, and
        in the array's order.
        """
        scope = self._scope(query)
        if _counts(query):
            return self._count(query, scope)
        aggregates = any(is_aggregate(_expression(item)) for item in query.items)
        if query.groups or query.having or aggregates:
            return self._grouped(query, scope)
        return self._records(
            query,
            scope,
            among=among,
        )

    def _scope(self, query: SelectQuery) -> Scope:
        """The scope of a query's FROM clause."""
        name = query.entity.text
        entity = self.entities.get(name.lower())
        if entity is None:
            known = ", ".join(entity.name for entity in self.entities.values())
            message = (
                f"sObject type '{name}' is not supported. A custom object's name ends in '__c'."
                f" There are: {known}."
            )
            raise self.text.refuse(
                "INVALID_TYPE",
                query.entity.position,
                message,
            )
        return self._over(entity, query)

    def _over(self, entity: CrmObject, query: SelectQuery, letter: str = "t") -> Scope:
        """The scope of a query of an object, with the aliases of its FROM clause."""
        scope = Scope(
            self.entities,
            self.text,
            entity,
            query.alias,
            letter,
        )
        scope.name_sources(query.sources)
        return scope

    def _records(
        self,
        query: SelectQuery,
        scope: Scope,
        parent: ChildRelationship | None = None,
        level: int = 1,
        among: bool = False,
    ) -> QueryPlan:
        """A query for records: of a whole object type, of some parents, or among found ids.

        The first two parts of the SQL make the JSON array that is the first parameter a table,
        which holds the parents' ids or the found ones.
        """

        def child(subquery: SelectQuery) -> ChildQuery:
            return self._child(subquery, scope, level)

        columns = SelectColumns(scope, query.limit)
        if parent is not None:
            # The first column of a child query is the parent's id.
            columns.slot(f"{scope.sources[()].alias}.{quoted(parent.field)}")
        parts = columns.parts(query.items, child)
        shape = RecordShape(
            scope.root.name,
            columns.slot(scope.key(())),
            parts,
        )
        where = self._filter(query, scope)
        orders = self._orders(query.sorts, scope)
        if among and not query.sorts:
            orders = Sql("hits.key")
        pieces = [
            _chosen(parent is not None or among),
            Sql(f"SELECT {', '.join(columns.sql)} FROM {scope.tables}"),
            _hits(scope, among),
            _where(where, scope, parent),
            Sql(" ORDER BY "),
            orders,
        ]
        if parent is None:
            # A child query's LIMIT counts by parent, which `database` does.
            pieces.append(_paged(query))
        return QueryPlan(
            scope.root.name,
            joined(pieces),
            shape,
        )

    def _child(
        self,
        query: SelectQuery,
        scope: Scope,
        level: int,
    ) -> ChildQuery:
        """A subquery along a child relationship."""
        relationship = scope.child(query.entity)
        if relationship is None:
            names = [child.name for child in scope.root.child_relationships if child.name]
            known = ", ".join(names) or "none"
            message = (
                f"Didn't understand relationship '{query.entity.text}' in FROM part of query call."
                " A custom relationship's name ends in '__r'. Child relationships of"
                f" {scope.root.name}: {known}."
            )
            raise self.text.refuse(
                "INVALID_TYPE",
                query.entity.position,
                message,
            )
        if level >= MOST_LEVELS:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                f"subqueries may be nested at most {MOST_LEVELS - 1} levels deep",
            )
        functions = any(_is_other_function(_expression(item)) for item in query.items)
        if query.groups or query.having or query.offset or functions:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                "a child subquery takes fields, WHERE, ORDER BY and LIMIT; no functions, GROUP BY,"
                " HAVING or OFFSET",
            )
        entity = self.entities[relationship.entity.lower()]
        inner = self._over(entity, query)
        plan = self._records(
            query,
            inner,
            relationship,
            level + 1,
        )
        return ChildQuery(
            str(relationship.name),
            plan,
            query.limit,
        )

    def _count(self, query: SelectQuery, scope: Scope) -> QueryPlan:
        """`SELECT COUNT()`: LIMIT and OFFSET bound what is counted."""
        if query.groups or query.having or query.sorts:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                "COUNT() stands without GROUP BY, HAVING and ORDER BY; with them write COUNT(Id)",
            )
        where = self._filter(query, scope)
        select = Sql(f"SELECT 1 FROM {scope.tables}")
        inner = joined([select, _where(where, scope), _paged(query)])
        sql = Sql(f"SELECT COUNT(*) FROM ({inner.text})", inner.params)
        return QueryPlan(
            scope.root.name,
            sql,
            None,
        )

    def _grouped(self, query: SelectQuery, scope: Scope) -> QueryPlan:
        """A query for groups; the keys end its order, so that it is the same every time."""
        grouping = Grouping(query, scope)
        if grouping.totals:
            return self._with_totals(
                query,
                scope,
                grouping,
            )
        columns, shape = grouping.columns()
        where = self._filter(query, scope)
        having = self._having(query, grouping)
        sorts = [_sorted(grouping.operand(sort.by), sort) for sort in query.sorts]
        sorts += [Sql(key) for key in grouping.keys]
        parts = [
            Sql(f"SELECT {', '.join(columns)} FROM {scope.tables}"),
            _where(where, scope),
        ]
        if grouping.keys:
            parts.append(Sql(f" GROUP BY {', '.join(grouping.keys)}"))
        if having.text:
            parts += [Sql(" HAVING "), having]
        if grouping.keys:
            parts += [Sql(" ORDER BY "), joined(sorts, ", ")]
        parts.append(_paged(query))
        return QueryPlan(
            scope.root.name,
            joined(parts),
            shape,
        )

    def _having(self, query: SelectQuery, grouping: Grouping) -> Sql:
        if query.having is None:
            return Sql("")
        return Conditions(
            self.text,
            self.clock,
            grouping.operand,
        ).sql(query.having)

    def _with_totals(self, query: SelectQuery, scope: Scope, grouping: Grouping) -> QueryPlan:
        """A query with ROLLUP or CUBE: its groupings one behind the other, then put in order.

        The columns of each are those selected, the keys of the order, and whether HAVING holds. A
        subtotal comes behind what it is the total of.
        """
        _, shape = grouping.columns()
        parts = [
            self._part_of_totals(
                query,
                scope,
                part,
            )
            for part in grouping.sets()
        ]
        body = joined(parts, " UNION ALL ")
        selected = len(shape.values)
        ordered = selected + len(query.sorts)
        last = ordered + len(grouping.all_keys) + 1
        orders = [
            f"c{selected + place} {_direction(sort)}" for place, sort in enumerate(query.sorts, 1)
        ]
        orders += _columns(ordered + 1, last)
        text = (
            f"WITH totals({', '.join(_columns(1, last + 1))}) AS ({body.text})"
            f" SELECT {', '.join(_columns(1, selected + 1))} FROM totals"
            f" WHERE c{last} ORDER BY {', '.join(orders)}"
        )
        sql = joined([Sql(text, body.params), _paged(query)])
        return QueryPlan(
            scope.root.name,
            sql,
            shape,
        )

    def _part_of_totals(self, query: SelectQuery, scope: Scope, part: Grouping) -> Sql:
        """One grouping of a ROLLUP or CUBE; that over all is a group, whatever is selected."""
        selected, _ = part.columns()
        having = self._having(query, part)
        sorts = [_sort_key(part.operand(sort.by), sort) for sort in query.sorts]
        columns = [*selected, *sorts, *part.all_keys]
        where = self._filter(query, scope)
        holds = f"COUNT(*) >= 0 AND ({having.text})" if having.text else "COUNT(*) >= 0"
        select = f"SELECT {', '.join(columns)}, {holds} FROM {scope.tables}"
        groups = f" GROUP BY {', '.join(part.keys)}" if part.keys else ""
        return joined([Sql(select, having.params), _where(where, scope), Sql(groups)])

    def _filter(self, query: SelectQuery, scope: Scope) -> Sql | None:
        """What a query's WHERE and USING SCOPE ask of a record."""
        where = self._where(query.where, scope)
        using = filter_scope(query.using, scope)
        if where is None or using is None:
            return where or using
        return chained([using, where], "AND")

    def _where(
        self,
        node: Condition | None,
        scope: Scope,
        nested: bool = False,
    ) -> Sql | None:
        """A WHERE clause's condition; `nested` is one inside a semi-join."""
        if node is None:
            return None

        def operand(expression: Path | FunctionCall) -> Operand:
            if is_aggregate(expression):
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    expression.position,
                    f"aggregates such as {expression.text} are filtered in HAVING, not in WHERE",
                )
            found = scalar(expression, scope)
            scope.filter_by(found.steps)
            return found

        def semi_join(join: SemiJoin) -> Sql:
            return self._semi_join(join, scope)

        if nested:
            return Conditions(
                self.text,
                self.clock,
                operand,
            ).sql(node)
        _check_semi_joins(node, self.text)
        return Conditions(
            self.text,
            self.clock,
            operand,
            semi_join,
        ).sql(node)

    def _semi_join(self, join: SemiJoin, scope: Scope) -> Sql:
        """`left IN (SELECT …)`: both sides hold ids of the same object type."""
        query = join.query
        left = self._joined_by(join, scope)
        inner = self._over(
            self._scope(query).root,
            query,
            "s",
        )
        self._check_left(
            join,
            left,
            scope,
        )
        if inner.root.name == scope.root.name:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.entity.position,
                "the inner and outer selects should not be on the same object type; follow a"
                " relationship instead",
            )
        selected = self._selected(query, inner)
        if not _targets(left, scope) & _targets(selected, inner):
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                f"the types of a semi join differ: {left.name} holds ids of"
                f" {_named(left, scope)}, but {selected.name} those of {_named(selected, inner)}",
                selected.name,
            )
        where = self._where(
            query.where,
            inner,
            nested=True,
        )
        select = Sql(f"{left.sql} IN (SELECT {selected.sql} FROM {inner.tables}")
        body = joined([select, _where(where, inner), Sql(")")])
        return Sql(f"(({body.text}) IS NOT TRUE)", body.params) if join.negated else body

    def _joined_by(self, join: SemiJoin, scope: Scope) -> Operand:
        """The left side of a semi-join, a field."""
        if not isinstance(join.left, Path):
            raise self.text.refuse(
                "MALFORMED_QUERY",
                join.position,
                "the left side of a semi join is an id or a reference, not a function",
            )
        return scope.column(join.left)

    def _check_left(
        self,
        join: SemiJoin,
        left: Operand,
        scope: Scope,
    ) -> None:
        """Refuses a left side that isn't an id of the query's own records."""
        if left.steps or left.type not in IDS:
            raise self.text.refuse(
                "INVALID_FIELD",
                join.position,
                f"the left side of a semi join is an id or a reference of {scope.root.name} itself,"
                f" not {left.name}",
                left.name,
            )

    def _selected(self, query: SelectQuery, inner: Scope) -> Operand:
        """The id or reference that the subquery of a semi-join selects."""
        item = query.items[0] if len(query.items) == 1 else None
        path = None if item is None else _expression(item)
        if not isinstance(path, Path) or getattr(
            item,
            "alias",
            None,
        ):
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                "the subquery of a semi join selects exactly one field",
            )
        paged = query.limit is not None or query.offset
        if query.groups or query.having or query.sorts or query.using or paged:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                query.position,
                "the subquery of a semi join takes WHERE only; no GROUP BY, ORDER BY, LIMIT or"
                " OFFSET",
            )
        selected = inner.column(path)
        if selected.steps or selected.type not in IDS:
            raise self.text.refuse(
                "INVALID_FIELD",
                path.position,
                f"the subquery of a semi join selects an id or a reference of {inner.root.name}"
                f" itself, not {selected.name}",
                selected.name,
            )
        return selected

    def _orders(self, sorts: tuple[Sort, ...], scope: Scope) -> Sql:
        """An ORDER BY clause; the Id ends it, so that the order is the same every time."""
        keys = []
        for sort in sorts:
            if isinstance(sort.by, FunctionCall) and sort.by.name == "DISTANCE":
                keys.append(_sorted(scalar(sort.by, scope), sort))
                continue
            if not isinstance(sort.by, Path):
                raise self.text.refuse(
                    "MALFORMED_QUERY",
                    sort.by.position,
                    f"ORDER BY {sort.by.text} needs GROUP BY; without it a query is ordered by"
                    " fields",
                )
            operand = scope.column(sort.by)
            if operand.info is not None and not operand.info.sortable:
                raise self.text.refuse(
                    "INVALID_FIELD",
                    sort.by.position,
                    f"field '{operand.name}' can not be sorted in a query call",
                    operand.name,
                )
            keys.append(_sorted(operand, sort))
        return joined([*keys, Sql(scope.key(()))], ", ")


def _sorted(operand: Operand, sort: Sort) -> Sql:
    """One key of an order, with its direction."""
    return Sql(f"{_sort_key(operand, sort)} {_direction(sort)}")


def _sort_key(operand: Operand, sort: Sort) -> str:
    """What is ordered by: texts by their letters, picklists in their own order."""
    listed = operand.type == "picklist" and operand.info is not None and operand.info.values
    if listed and not is_aggregate(sort.by):
        return rank(operand)
    return f"collated({operand.sql})" if operand.type in TEXTS else operand.sql


def _direction(sort: Sort) -> str:
    direction = "DESC" if sort.descending else "ASC"
    nulls = "FIRST" if sort.nulls_first else "LAST"
    return f"{direction} NULLS {nulls}"


def _columns(first: int, end: int) -> list[str]:
    """The names of columns from one number to before another."""
    return [f"c{number}" for number in range(first, end)]


def _paged(query: SelectQuery) -> Sql:
    """A query's LIMIT and OFFSET."""
    if query.limit is None and not query.offset:
        return Sql("")
    limit = UNLIMITED if query.limit is None else query.limit
    return Sql(" LIMIT ? OFFSET ?", (limit, query.offset))


def _chosen(wanted: bool) -> Sql:
    """The table `chosen`: a JSON array's places (`key`) and ids (`value`)."""
    if not wanted:
        return Sql("")
    return Sql("WITH chosen AS MATERIALIZED (SELECT key, value FROM json_each(?)) ")


def _hits(scope: Scope, among: bool) -> Sql:
    """The join that leaves only the found records, beside their places."""
    return Sql(f" JOIN chosen hits ON hits.value = {scope.key(())}") if among else Sql("")


def _where(where: Sql | None, scope: Scope, parent: ChildRelationship | None = None) -> Sql:
    """A WHERE clause: the query's own condition, and in a child query that of its parents."""
    terms: list[Sql] = []
    if parent is not None:
        reference = f"{scope.sources[()].alias}.{quoted(parent.field)}"
        terms.append(Sql(f"{reference} IN (SELECT value FROM chosen)"))
    if where is not None:
        terms.append(where)
    return joined([Sql(" WHERE "), joined(terms, " AND ")]) if terms else Sql("")


def _counts(query: SelectQuery) -> bool:
    """Whether it is `SELECT COUNT() …`."""
    item = query.items[0]
    if len(query.items) > 1 or not isinstance(item, SelectItem) or item.alias is not None:
        return False
    call = item.expression
    return isinstance(call, FunctionCall) and call.name == "COUNT" and not call.args


def _expression(item: SelectItem | Child | TypeOf) -> Expression | None:
    return item.expression if isinstance(item, SelectItem) else None


def _is_other_function(expression: Expression | None) -> bool:
    """Whether it is a function that no child query takes; FIELDS() stands for fields."""
    if is_aggregate(expression):
        return True
    return isinstance(expression, FunctionCall) and expression.name not in ("FIELDS", *SHOWN)


def _targets(operand: Operand, scope: Scope) -> set[str]:
    """The object types whose ids an operand holds."""
    assert operand.info is not None
    return {scope.root.name} if operand.type == "id" else set(operand.info.reference_to)


def _named(operand: Operand, scope: Scope) -> str:
    return " or ".join(sorted(_targets(operand, scope)))


def _check_semi_joins(node: Condition, text: QueryText) -> None:
    """Refuses more semi-joins than two, and one under OR or NOT."""
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
                        here.position,
                        f"Semi join sub-selects are not allowed with the '{under}' operator; ask"
                        " twice",
                    )
                if found > MOST_SEMI_JOINS:
                    raise text.refuse(
                        "MALFORMED_QUERY",
                        here.position,
                        f"at most {MOST_SEMI_JOINS} semi join sub-selects are allowed in one query",
                    )
            case Not():
                stack.append((here.term, "NOT"))
            case Logic():
                below = "OR" if here.operator == "OR" else ""
                stack += [(term, under or below) for term in here.terms]
