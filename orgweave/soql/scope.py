"""The names a query can use: fields of its object type and, along relationships, of parents, each
becoming a column of a join.

Example: in a query of Case, `Account.Owner.Name` joins Account and User and is the column
`t2."Name"`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from orgweave.crm.field import CrmField, CrmObject
from orgweave.soql.nodes import Path
from orgweave.soql.places import QueryText
from orgweave.soql.sql import quoted
from schemas.errors import QueryRefused

MOST_STEPS = 5


@dataclass(frozen=True, slots=True)
class Operand:
    """Something with a value a row: its SQL (free of parameters), its CRM type, its name in
    messages, its field if it is one.
    """

    sql: str
    type: str
    name: str
    info: CrmField | None = None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """One table of the FROM clause, with its SQL alias and the join that brings it in (empty for
    the query's own).
    """

    entity: CrmObject
    alias: str
    join: str = ""


class Scope:
    """The tables of one SELECT, growing as paths are looked up."""

    def __init__(
        self,
        entities: Mapping[str, CrmObject],
        text: QueryText,
        entity: CrmObject,
        alias: str | None,
        letter: str = "t",
    ) -> None:
        self.entities = entities
        self.text = text
        self.root = entity
        self.alias = alias
        self.letter = letter
        self.filtering: set[tuple[str, ...]] = set()
        self.sources: dict[tuple[str, ...], JoinedTable] = {(): JoinedTable(entity, f"{letter}0")}

    @property
    def tables(self) -> str:
        """The FROM clause; what the filter needs is joined first, so that the rest is looked up for
        the rows that pass.
        """
        ordered = sorted(self.sources, key=lambda steps: steps not in self.filtering)
        return f"{quoted(self.root.name)} {self.letter}0" + "".join(
            self.sources[steps].join for steps in ordered
        )

    def filter_by(self, steps: tuple[str, ...]) -> None:
        """Notes that the filter needs that parent, and so every one on the way to it."""
        self.filtering.update(steps[:depth] for depth in range(len(steps) + 1))

    def column(self, path: Path) -> Operand:
        """The column a path means; raises QueryRefused (INVALID_FIELD)."""
        names = self._without_prefix(path.names)
        steps = self.steps(Path(names[:-1], path.at))
        if names[-1].lower() == "type" and steps and self._polymorphic(steps):
            return self._type_of(steps, path)
        source = self.sources[steps]
        info = self.field(source.entity, names[-1], path.at)
        return Operand(_column(source.alias, info), info.type, path.text, info, steps)

    def steps(self, path: Path) -> tuple[str, ...]:
        """The canonical relationship names of a path, each joined."""
        if len(path.names) > MOST_STEPS:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                path.at,
                f"a path may follow at most {MOST_STEPS} relationships; {path.text} follows"
                f" {len(path.names)}",
            )
        steps: tuple[str, ...] = ()
        for name in path.names:
            steps = (*steps, self._joined(steps, name, path.at))
        return steps

    def key(self, steps: tuple[str, ...]) -> str:
        """The SQL of a source's Id."""
        return f"{self.sources[steps].alias}.{quoted('Id')}"

    def field(self, entity: CrmObject, name: str, at: int) -> CrmField:
        """A field by its name in any case."""
        info = entity.fields.get(name.lower())
        if info is None:
            raise self.unknown(entity, name, at)
        return info

    def unknown(self, entity: CrmObject, name: str, at: int) -> QueryRefused:
        """The refusal of a field that isn't there."""
        near = get_close_matches(name.lower(), entity.fields, 3, 0.6)
        hint = (
            f" Did you mean {' or '.join(entity.fields[one].name for one in near)}?"
            if near
            else f" It has: {', '.join(info.name for info in entity.fields.values())}."
        )
        return self.text.refuse(
            "INVALID_FIELD",
            at,
            f"No such column '{name}' on entity '{entity.name}'. If it is a custom field, its name"
            f" ends in '__c'.{hint}",
            name,
        )

    def _without_prefix(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """`c.Status` in `FROM Case c`, and `Case.Status`, are `Status`; a relationship of that name
        goes first.
        """
        if len(names) == 1:
            return names
        first = names[0].lower()
        own = self.alias is not None and first == self.alias.lower()
        return (
            names[1:]
            if own or (first == self.root.name.lower() and first not in self.root.parents)
            else names
        )

    def _joined(self, steps: tuple[str, ...], name: str, at: int) -> str:
        here = self.sources[steps]
        info = here.entity.parents.get(name.lower())
        if info is None or info.relationship is None:
            known = (
                ", ".join(str(one.relationship) for one in here.entity.parents.values()) or "none"
            )
            raise self.text.refuse(
                "INVALID_FIELD",
                at,
                f"Didn't understand relationship '{name}' in field path. A custom relationship's"
                f" name ends in '__r'. Relationships of {here.entity.name}: {known}.",
                name,
            )
        there = (*steps, info.relationship)
        if there not in self.sources:
            entity = self.entities[str(info.target).lower()]
            alias = f"{self.letter}{len(self.sources)}"
            join = (
                f" LEFT JOIN {quoted(entity.name)} {alias} ON {alias}.{quoted('Id')} ="
                f" {here.alias}.{quoted(info.name)}"
            )
            self.sources[there] = JoinedTable(entity, alias, join)
        return info.relationship

    def _polymorphic(self, steps: tuple[str, ...]) -> bool:
        owner = self.sources[steps[:-1]].entity
        return owner.parents[steps[-1].lower()].polymorphic

    def _type_of(self, steps: tuple[str, ...], path: Path) -> Operand:
        sql = (
            f"CASE WHEN {self.key(steps)} IS NULL THEN NULL ELSE"
            f" '{self.sources[steps].entity.name}' END"
        )
        return Operand(sql, "string", path.text, CrmField("Type", "string"), steps)


def _column(alias: str, info: CrmField) -> str:
    """A boolean is never null, not even of a parent that isn't there.

    What isn't stored is false, and no bare number, which ORDER BY would take for a column.
    """
    if not info.stored:
        return f"(({alias}.{quoted('Id')} IS NULL) * 0)"
    sql = f"{alias}.{quoted(info.name)}"
    return f"COALESCE({sql}, 0)" if info.type == "boolean" else sql
