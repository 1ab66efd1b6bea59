"""The SELECT list of a query for records: the columns of the SQL, and how they make a record.

Knows no other clause. Fields come in the order asked for; a parent stands where its first field
was asked for. Example: `SELECT Id, Account.Name FROM Case` gives the columns `t0."Id"`,
`t1."Name"`, `t1."Id"` and the parts `FieldValue("Id", 0, "id")`, `Nested("Account", ...)`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from orgweave.crm.field import CrmObject
from orgweave.soql.functions import DATE_FUNCTIONS
from orgweave.soql.nodes import Child, FunctionCall, Path, SelectItem, SelectQuery, TypeOf
from orgweave.soql.scope import Operand, Scope, column_sql
from orgweave.soql.shown import SHOWN, check_wrappers, distance, unwrapped
from orgweave.soql.sql import (
    AddressValue,
    ChildQuery,
    FieldValue,
    FormattedValue,
    Nested,
    RecordPart,
    RecordShape,
)
from schemas.errors import QueryRefused

MOST_FIELDS = 200
"""Records that FIELDS(ALL) and FIELDS(CUSTOM) may return: the CRM's own bound."""
FIELD_SETS = ("ALL", "CUSTOM", "STANDARD")
ADDRESS_KEYS = {
    "city": "City",
    "country": "Country",
    "geocodeAccuracy": "GeocodeAccuracy",
    "latitude": "Latitude",
    "longitude": "Longitude",
    "postalCode": "PostalCode",
    "state": "State",
    "street": "Street",
}
"""Key of a whole address in JSON -> how the name of the part's own field ends."""
SelectedValue = FieldValue | FormattedValue | AddressValue | ChildQuery


@dataclass(slots=True)
class Branch:
    """A record's parts while they are gathered, by name.

    They are values, child queries, and the branches of its parents.
    """

    steps: tuple[str, ...] = ()
    parts: dict[str, "SelectedValue | Branch"] = field(default_factory=dict)


class SelectColumns:
    """The SQL columns of a SELECT list, each once, and the parts of the record they make."""

    def __init__(self, scope: Scope, limit: int | None) -> None:
        self.scope = scope
        self.limit = limit
        self.sql: list[str] = []
        self.root = Branch()
        self.unnamed = 0

    def slot(self, sql: str) -> int:
        """Returns the place in the row of an SQL expression, which is added if it is new."""
        if sql not in self.sql:
            self.sql.append(sql)
        return self.sql.index(sql)

    def parts(
        self,
        items: tuple[SelectItem | Child | TypeOf, ...],
        child: Callable[[SelectQuery], ChildQuery],
    ) -> tuple[RecordPart, ...]:
        """Returns the record's parts; `child` makes the plan of a subquery."""
        for item in items:
            match item:
                case SelectItem():
                    self._item(item)
                case TypeOf():
                    self._type_of(item)
                case Child():
                    query = child(item.query)
                    self._keep(
                        self.root,
                        query.name,
                        query,
                        item.position,
                    )
        return self._frozen(self.root)

    def _item(self, item: SelectItem) -> None:
        if isinstance(item.expression, FunctionCall) and item.expression.name in SHOWN:
            self._shown(item, item.expression)
            return
        if item.alias is not None:
            self._refuse_alias(item)
        for path in self._paths(item):
            self._add(self.scope.column(path), path.position)

    def _shown(self, item: SelectItem, call: FunctionCall) -> None:
        """Adds a value that a function shows in another way, under its alias or its own name."""
        inner, is_text = unwrapped(call)
        if isinstance(inner, Path):
            operand = self.scope.column(inner)
        elif inner.name == "DISTANCE":
            operand = distance(inner, self.scope)
        else:
            raise self._not_in_select(inner)
        check_wrappers(
            call,
            operand,
            self.scope.text,
        )
        steps = () if item.alias else operand.steps
        name = item.alias or (operand.info.name if operand.info else f"expr{self.unnamed}")
        self.unnamed += operand.info is None and item.alias is None
        slot = self.slot(operand.sql)
        plain = FieldValue(
            name,
            slot,
            operand.type,
        )
        value = (
            FormattedValue(
                name,
                slot,
                operand.type,
                self.scope.root.locale,
            )
            if is_text
            else plain
        )
        self._keep(
            self._branch(steps, item.position),
            name,
            value,
            item.position,
        )

    def _add(self, operand: Operand, position: int) -> None:
        branch = self._branch(operand.steps, position)
        name = operand.info.name if operand.info else operand.name
        if operand.type == "address":
            value: SelectedValue = self._address(operand, name)
        else:
            value = FieldValue(
                name,
                self.slot(operand.sql),
                operand.type,
            )
        self._keep(
            branch,
            name,
            value,
            position,
        )

    def _address(self, operand: Operand, name: str) -> AddressValue:
        """A whole address by the fields of its parts."""
        source = self.scope.sources[operand.steps]
        slots: list[tuple[str, int | None]] = []
        for key, ending in ADDRESS_KEYS.items():
            part = source.entity.find(name.removesuffix("Address") + ending)
            slot = None if part is None else self.slot(column_sql(source.alias, part))
            slots.append((key, slot))
        return AddressValue(name, tuple(slots))

    def _branch(self, steps: tuple[str, ...], position: int) -> Branch:
        """The branch of a parent, made where the record has none yet."""
        branch = self.root
        for depth, step in enumerate(steps, 1):
            found = branch.parts.setdefault(step, Branch(steps[:depth]))
            if not isinstance(found, Branch):
                raise self.scope.text.refuse(
                    "INVALID_FIELD",
                    position,
                    f"duplicate field selected: {step}",
                    step,
                )
            branch = found
        return branch

    def _keep(
        self,
        branch: Branch,
        name: str,
        part: SelectedValue,
        position: int,
    ) -> None:
        if name in branch.parts:
            path = ".".join((*branch.steps, name))
            raise self.scope.text.refuse(
                "INVALID_FIELD",
                position,
                f"duplicate field selected: {path}",
                name,
            )
        branch.parts[name] = part

    def _frozen(self, branch: Branch) -> tuple[RecordPart, ...]:
        parts: list[RecordPart] = []
        for name, part in branch.parts.items():
            if isinstance(part, Branch):
                parts.append(Nested(name, self._nested(part)))
            else:
                parts.append(part)
        return tuple(parts)

    def _nested(self, branch: Branch) -> RecordShape:
        entity = self.scope.sources[branch.steps].entity
        key = self.slot(self.scope.key(branch.steps))
        return RecordShape(
            entity.name,
            key,
            self._frozen(branch),
        )

    def _paths(self, item: SelectItem) -> Iterator[Path]:
        """The fields that an item stands for: itself, or all of a FIELDS()."""
        expression = item.expression
        if isinstance(expression, Path):
            yield expression
            return
        if expression.name != "FIELDS":
            raise self._not_in_select(expression)
        for name in self._field_set(expression):
            yield Path((name,), item.position)

    def _not_in_select(self, call: FunctionCall) -> QueryRefused:
        """The refusal of a function that a SELECT list doesn't take."""
        message = f"unexpected token: '{call.name}('; this function is not available in SELECT"
        if call.name in DATE_FUNCTIONS:
            message = (
                f"{call.text} in SELECT needs the same in GROUP BY; select the field itself instead"
            )
        return self.scope.text.refuse(
            "MALFORMED_QUERY",
            call.position,
            message,
        )

    def _field_set(self, call: FunctionCall) -> list[str]:
        which = call.args[0].text.upper() if len(call.args) == 1 else ""
        if which not in FIELD_SETS:
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                f"FIELDS() takes one of {', '.join(FIELD_SETS)}",
            )
        if which != "STANDARD" and (self.limit is None or self.limit > MOST_FIELDS):
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                f"FIELDS({which}) must have a LIMIT of at most {MOST_FIELDS}",
            )
        names = field_set(self.scope.root, which)
        if not names:
            raise self.scope.text.refuse(
                "MALFORMED_QUERY",
                call.position,
                f"FIELDS({which}) selects nothing: {self.scope.root.name} has no such fields; a"
                " query must select at least one",
            )
        return names

    def _refuse_alias(self, item: SelectItem) -> None:
        hint = "only aggregate expressions and grouped fields use field aliasing"
        if item.expression.text.upper() == "DISTINCT":
            hint = "SOQL has no DISTINCT; use GROUP BY"
        raise self.scope.text.refuse(
            "MALFORMED_QUERY",
            item.position,
            f"unexpected token: '{item.alias}'; {hint}",
        )

    def _type_of(self, item: TypeOf) -> None:
        """Adds the fields of a TYPEOF.

        The org holds one object type behind each reference, so the branch is known before any row
        is read.
        """
        text, scope = self.scope.text, self.scope
        steps = scope.steps(item.relationship)
        owner = scope.sources[steps[:-1]].entity
        info = owner.parents[steps[-1].lower()]
        if not info.polymorphic:
            raise text.refuse(
                "INVALID_FIELD",
                item.position,
                f"TYPEOF takes a polymorphic relationship; {item.relationship.text} always leads to"
                f" {info.target}",
                item.relationship.text,
            )
        reachable = {entity.lower() for entity in info.reference_to}
        chosen = item.otherwise
        for name, paths in item.branches:
            if name.text.lower() not in reachable:
                raise text.refuse(
                    "INVALID_TYPE",
                    name.position,
                    f"{item.relationship.text} leads to {' or '.join(info.reference_to)}, not to"
                    f" '{name.text}'",
                )
            if name.text.lower() == str(info.target).lower():
                chosen = paths
        self._branch(steps, item.position)
        for path in chosen:
            self._add(scope.column(Path((*steps, *path.names), path.position)), path.position)


def field_set(entity: CrmObject, which: str) -> list[str]:
    """Returns the fields of FIELDS(ALL), FIELDS(STANDARD) or FIELDS(CUSTOM), in schema order."""
    infos = entity.fields.values()
    if which == "ALL":
        return [info.name for info in infos]
    return [info.name for info in infos if info.custom == (which == "CUSTOM")]
