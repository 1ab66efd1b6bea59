"""The SELECT list of a query for records: which columns the SQL returns, and how they make a record
with its parents.

Fields come in the order asked for; a parent stands where its first field was asked for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from orgweave.crm.field import CrmObject
from orgweave.soql.functions import DATE_FUNCTIONS
from orgweave.soql.nodes import Child, FunctionCall, Path, SelectItem, SelectQuery, TypeOf
from orgweave.soql.scope import Operand, Scope
from orgweave.soql.shapes import ChildQuery, FieldValue, Nested, RecordShape

MOST_FIELDS = 200
FIELD_SETS = ("ALL", "CUSTOM", "STANDARD")


@dataclass(slots=True)
class Branch:
    """A record's parts while they are gathered: values, child queries, and the branches of its
    parents by name.
    """

    steps: tuple[str, ...] = ()
    parts: dict[str, "FieldValue | ChildQuery | Branch"] = field(default_factory=dict)


class SelectColumns:
    """The SQL columns of a SELECT list, each once, and the parts of the record they make."""

    def __init__(self, scope: Scope, limit: int | None) -> None:
        self.scope = scope
        self.limit = limit
        self.sql: list[str] = []
        self.root = Branch()

    def slot(self, sql: str) -> int:
        """The place in the row of an SQL expression, added if it is new."""
        if sql not in self.sql:
            self.sql.append(sql)
        return self.sql.index(sql)

    def parts(
        self,
        items: tuple[SelectItem | Child | TypeOf, ...],
        child: Callable[[SelectQuery], ChildQuery],
    ) -> tuple[FieldValue | Nested | ChildQuery, ...]:
        """The record's parts."""
        for item in items:
            match item:
                case SelectItem():
                    self._item(item)
                case TypeOf():
                    self._type_of(item)
                case Child():
                    self._keep(self.root, (made := child(item.query)).name, made, item.at)
        return self._frozen(self.root)

    def _item(self, item: SelectItem) -> None:
        if item.alias is not None:
            self._refuse_alias(item)
        for path in self._paths(item):
            self._add(self.scope.column(path), path.at)

    def _add(self, operand: Operand, at: int) -> None:
        branch = self._branch(operand.steps, at)
        name = operand.info.name if operand.info else operand.name
        self._keep(branch, name, FieldValue(name, self.slot(operand.sql), operand.type), at)

    def _branch(self, steps: tuple[str, ...], at: int) -> Branch:
        branch = self.root
        for depth, step in enumerate(steps, 1):
            found = branch.parts.setdefault(step, Branch(steps[:depth]))
            if not isinstance(found, Branch):
                raise self.scope.text.refuse(
                    "INVALID_FIELD", at, f"duplicate field selected: {step}", step
                )
            branch = found
        return branch

    def _keep(self, branch: Branch, name: str, part: FieldValue | ChildQuery, at: int) -> None:
        if name in branch.parts:
            raise self.scope.text.refuse(
                "INVALID_FIELD",
                at,
                f"duplicate field selected: {'.'.join((*branch.steps, name))}",
                name,
            )
        branch.parts[name] = part

    def _frozen(self, branch: Branch) -> tuple[FieldValue | Nested | ChildQuery, ...]:
        return tuple(
            Nested(name, self._nested(part)) if isinstance(part, Branch) else part
            for name, part in branch.parts.items()
        )

    def _nested(self, branch: Branch) -> RecordShape:
        return RecordShape(
            self.scope.sources[branch.steps].entity.name,
            self.slot(self.scope.key(branch.steps)),
            self._frozen(branch),
        )

    def _paths(self, item: SelectItem) -> Iterator[Path]:
        expression = item.expression
        if isinstance(expression, Path):
            yield expression
            return
        if expression.name in DATE_FUNCTIONS:
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                item.at,
                f"{expression.text} in SELECT needs the same in GROUP BY; select the field itself"
                " instead",
            )
        if expression.name != "FIELDS":
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                item.at,
                f"unexpected token: '{expression.name}('; this function is not available in SELECT",
            )
        yield from (Path((name,), item.at) for name in self._field_set(expression))

    def _field_set(self, call: FunctionCall) -> list[str]:
        which = call.args[0].text.upper() if len(call.args) == 1 else ""
        if which not in FIELD_SETS:
            raise self.scope.text.refuse(
                "MALFORMED_QUERY", call.at, f"FIELDS() takes one of {', '.join(FIELD_SETS)}"
            )
        if which != "STANDARD" and (self.limit is None or self.limit > MOST_FIELDS):
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                call.at,
                f"FIELDS({which}) must have a LIMIT of at most {MOST_FIELDS}",
            )
        names = field_set(self.scope.root, which)
        if not names:
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                call.at,
                f"FIELDS({which}) selects nothing: {self.scope.root.name} has no such fields; a"
                " query must select at least one",
            )
        return names

    def _refuse_alias(self, item: SelectItem) -> None:
        word = item.expression.text.upper()
        hint = (
            "SOQL has no DISTINCT; use GROUP BY"
            if word == "DISTINCT"
            else "only aggregate expressions and grouped fields use field aliasing"
        )
        raise self.scope.text.refuse(
            "MALFORMED_QUERY", item.at, f"unexpected token: '{item.alias}'; {hint}"
        )

    def _type_of(self, item: TypeOf) -> None:
        """An org holds one object type behind each reference, so the branch is known before any row
        is read.
        """
        text, scope = self.scope.text, self.scope
        steps = scope.steps(item.relationship)
        owner = scope.sources[steps[:-1]].entity
        info = owner.parents[steps[-1].lower()]
        if not info.polymorphic:
            raise text.refuse(
                "INVALID_FIELD",
                item.at,
                f"TYPEOF takes a polymorphic relationship; {item.relationship.text} always leads to"
                f" {info.target}",
                item.relationship.text,
            )
        chosen = item.otherwise
        for name, paths in item.branches:
            if name.text.lower() not in {one.lower() for one in info.reference_to}:
                raise text.refuse(
                    "INVALID_TYPE",
                    name.at,
                    f"{item.relationship.text} leads to {' or '.join(info.reference_to)}, not to"
                    f" '{name.text}'",
                )
            chosen = paths if name.text.lower() == str(info.target).lower() else chosen
        self._branch(steps, item.at)
        for path in chosen:
            self._add(scope.column(Path((*steps, *path.names), path.at)), path.at)


def field_set(entity: CrmObject, which: str) -> list[str]:
    """The fields of FIELDS(ALL), FIELDS(STANDARD) or FIELDS(CUSTOM), in the schema's order."""
    return [
        info.name
        for info in entity.fields.values()
        if which == "ALL" or info.custom == (which == "CUSTOM")
    ]
