"""The names that a query can use, and what each is in SQL.

They are the fields of its object type and, along relationships, those of its parents, each parent
being a table of a join. Knows no clause. Example: in a query of Case, `Account.Owner.Name` joins
Account and User and is the column `t2."Name"`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from orgweave.crm.field import ChildRelationship, CrmField, CrmObject
from orgweave.soql.nodes import AliasedSource, Path, QueryText
from orgweave.soql.sql import quoted
from schemas.errors import QueryRefused

MOST_STEPS = 5
"""Relationships in one path: the CRM's own bound."""


@dataclass(frozen=True, slots=True)
class Operand:
    """Something that has a value in each row: a field, a function of a field, an aggregate.

    `sql` has no parameters, `type` is the CRM's, `name` is for messages, `info` is the field if it
    is one, and `steps` are the relationships on the way to it.
    """

    sql: str
    type: str
    name: str
    info: CrmField | None = None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """One table of the FROM clause, with its SQL alias.

    `join` is the clause that brings it in; the query's own table has none.
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
        self.aliases: dict[str, tuple[str, ...]] = {}
        self.filtering: set[tuple[str, ...]] = set()
        self.sources: dict[tuple[str, ...], JoinedTable] = {(): JoinedTable(entity, f"{letter}0")}

    @property
    def tables(self) -> str:
        """The FROM clause.

        What the filter needs is joined first, so that the other parents are looked up only for the
        rows that pass.
        """
        ordered = sorted(self.sources, key=lambda steps: steps not in self.filtering)
        joins = "".join(self.sources[steps].join for steps in ordered)
        return f"{_table(self.root)} {self.letter}0{joins}"

    def name_sources(self, sources: Iterable[AliasedSource]) -> None:
        """Notes the aliases of relationships: in `FROM Contact c, c.Account a` `a` is `Account`."""
        for source in sources:
            names = self._without_prefix(source.path.names)
            self.aliases[source.alias.lower()] = self.steps(Path(names, source.path.position))

    def filter_by(self, steps: tuple[str, ...]) -> None:
        """Notes that the filter needs that parent, and so every one on the way to it."""
        while steps:
            self.filtering.add(steps)
            steps = steps[:-1]

    def column(self, path: Path) -> Operand:
        """Returns the column that a path means; raises QueryRefused (INVALID_FIELD)."""
        names = self._without_prefix(path.names)
        steps = self.steps(Path(names[:-1], path.position))
        if names[-1].lower() == "type" and steps and self._polymorphic(steps):
            return self._type_of(steps, path)
        source = self.sources[steps]
        name = self._own_name(steps, names[-1])
        info = self.field(
            source.entity,
            name,
            path.position,
        )
        sql = column_sql(source.alias, info)
        if name != names[-1]:
            # A name can be grouped by, even where the number that stands for it can't.
            info = replace(info, name="Name", groupable=True)
        return Operand(
            sql,
            info.type,
            path.text,
            info,
            steps,
        )

    def child(self, path: Path) -> ChildRelationship | None:
        """Returns the child relationship that a path means: `Contacts`, or `Account.Contacts`."""
        names = self._without_prefix(path.names)
        return self.root.children.get(names[0].lower()) if len(names) == 1 else None

    def steps(self, path: Path) -> tuple[str, ...]:
        """Returns the canonical relationship names of a path, and joins each."""
        if len(path.names) > MOST_STEPS:
            raise self.text.refuse(
                "MALFORMED_QUERY",
                path.position,
                f"a path may follow at most {MOST_STEPS} relationships; {path.text} follows"
                f" {len(path.names)}",
            )
        steps: tuple[str, ...] = ()
        for name in path.names:
            steps = (
                *steps,
                self._joined(
                    steps,
                    name,
                    path.position,
                ),
            )
        return steps

    def key(self, steps: tuple[str, ...]) -> str:
        """Returns the SQL of a source's Id."""
        return f'{self.sources[steps].alias}."Id"'

    def field(self, entity: CrmObject, name: str, position: int) -> CrmField:
        """Returns a field by its name in any case."""
        info = entity.fields.get(name.lower())
        if info is None:
            raise self.unknown(
                entity,
                name,
                position,
            )
        return info

    def unknown(
        self,
        entity: CrmObject,
        name: str,
        position: int,
    ) -> QueryRefused:
        """Returns the refusal of a field that isn't there, with the fields that are nearly so."""
        near = [entity.fields[key].name for key in get_close_matches(name.lower(), entity.fields)]
        names = [info.name for info in entity.fields.values()]
        hint = f" It has: {', '.join(names)}."
        if near:
            hint = f" Did you mean {' or '.join(near)}?"
        return self.text.refuse(
            "INVALID_FIELD",
            position,
            f"No such column '{name}' on entity '{entity.name}'. If it is a custom field, its name"
            f" ends in '__c'.{hint}",
            name,
        )

    def _without_prefix(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Takes the query's alias or object type off the beginning of a path.

        `c.Status` in `FROM Case c`, and `Case.Status`, are `Status`; but a relationship that is
        called as the object type goes first.
        """
        first = names[0].lower()
        if len(names) > 1 and first in self.aliases:
            return (*self.aliases[first], *names[1:])
        alias = self.alias is not None and first == self.alias.lower()
        entity = first == self.root.name.lower() and first not in self.root.parents
        return names[1:] if len(names) > 1 and (alias or entity) else names

    def _own_name(self, steps: tuple[str, ...], name: str) -> str:
        """A field's name; a case behind a polymorphic reference has its number for a Name."""
        if not steps or name.lower() != "name" or not self._polymorphic(steps):
            return name
        entity = self.sources[steps].entity
        return name if entity.has(name) else entity.name_field or name

    def _joined(
        self,
        steps: tuple[str, ...],
        name: str,
        position: int,
    ) -> str:
        """Joins one more parent; returns its relationship's canonical name."""
        here = self.sources[steps]
        info = here.entity.parents.get(name.lower())
        if info is None or info.relationship is None:
            parents = here.entity.parents.values()
            known = ", ".join(str(parent.relationship) for parent in parents) or "none"
            raise self.text.refuse(
                "INVALID_FIELD",
                position,
                f"Didn't understand relationship '{name}' in field path. A custom relationship's"
                f" name ends in '__r'. Relationships of {here.entity.name}: {known}.",
                name,
            )
        there = (*steps, info.relationship)
        if there not in self.sources:
            entity = self.entities[str(info.target).lower()]
            alias = f"{self.letter}{len(self.sources)}"
            condition = f'{alias}."Id" = {column_sql(here.alias, info)}'
            join = f" LEFT JOIN {_table(entity)} {alias} ON {condition}"
            self.sources[there] = JoinedTable(
                entity,
                alias,
                join,
            )
        return info.relationship

    def _polymorphic(self, steps: tuple[str, ...]) -> bool:
        """Whether the last step may lead to several object types."""
        owner = self.sources[steps[:-1]].entity
        return owner.parents[steps[-1].lower()].polymorphic

    def _type_of(self, steps: tuple[str, ...], path: Path) -> Operand:
        """`Owner.Type`, a constant: the org holds one object type behind each reference."""
        name = self.sources[steps].entity.name
        sql = f"CASE WHEN {self.key(steps)} IS NULL THEN NULL ELSE '{name}' END"
        return Operand(
            sql,
            "string",
            path.text,
            CrmField("Type", "string"),
            steps,
        )


def _table(entity: CrmObject) -> str:
    """Returns what an object's records are read from."""
    return entity.rows or quoted(entity.name)


def column_sql(alias: str, info: CrmField) -> str:
    """Returns a field's SQL: a boolean is never null, not even of a parent that isn't there."""
    if info.derived:
        return info.derived.format(alias)
    if not info.stored:
        # False, but no bare number, which ORDER BY would take for a column's place.
        return f'(({alias}."Id" IS NULL) * 0)'
    sql = f"{alias}.{quoted(info.name)}"
    return f"COALESCE({sql}, 0)" if info.type == "boolean" else sql
