"""An org's object types as a CRM takes them: API names, fields with their rules, parents before
children.

Made from the schema and the same rules as `describe`, so that what is exported is what the server
takes. Example: the clinic's
`Patient.BirthDate` is `Patient__c.BirthDate__c`; `Case.IssueId__c` refers by `IssueId__r` to an
Issue__c.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import networkx as nx

from orgweave.export.standard import (
    BASE,
    EXTERNAL_ID,
    NO_EXTERNAL_ID,
    NO_LOOKUP,
    PACKAGES,
    PERSON_ACCOUNT,
    PROFILE,
    STANDARD,
    SYSTEM_FIELDS,
    package,
)
from orgweave.server.access import Access, ObjectAccess, accesses
from orgweave.server.deploy import deployed
from orgweave.soql.entities import entities_of
from schemas.model import Field, ObjectType, Schema
from schemas.sources import ConstantSource, ReferenceSource

VISITOR = "LiveChatVisitor"
VISITED = "LiveChatTranscript"


@dataclass(frozen=True, slots=True)
class Column:
    """A field as the CRM has it.

    `stored` is its column in the org's file; `fill` stands in every record instead, where there is
    one.
    """

    access: Access
    stored: str = ""
    fill: str = ""
    holds_ids: str = ""

    @property
    def name(self) -> str:
        """The API name."""
        return self.access.name

    @property
    def target(self) -> str | None:
        """The object type that it looks up."""
        return self.access.info.target


@dataclass(frozen=True, slots=True)
class CrmObject:
    """An object type as the CRM has it; `table` is where its records lie in the org's file."""

    table: str
    access: ObjectAccess
    columns: tuple[Column, ...]
    item: ObjectType

    @property
    def name(self) -> str:
        """The API name."""
        return self.access.name

    @property
    def loaded(self) -> tuple[Column, ...]:
        """The columns that can be set on creating a record."""
        return tuple(column for column in self.columns if why_not(self, column) is None)

    @property
    def lookups(self) -> tuple[Column, ...]:
        """The loaded references, but for the owner."""
        return tuple(
            column
            for column in self.loaded
            if column.target and column.target not in ("User", "Profile")
        )


def crm_objects(schema: Schema) -> tuple[CrmObject, ...]:
    """All object types in load order: each behind those it looks up, those that not every org has
    as late as can be.
    """
    renamed = replace(schema, objects=tuple(_renamed(schema, item) for item in schema.objects))
    rules = accesses(entities_of(deployed(renamed, EXTERNAL_ID)))
    found = {
        new.name: _object(old, new, rules[new.name.lower()])
        for old, new in zip(schema.objects, renamed.objects, strict=True)
    }
    if VISITED in found:
        found[VISITOR] = _visitor(found[VISITED], rules[VISITOR.lower()])
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(found)
    graph.add_edges_from(
        (str(column.target), one.name)
        for one in found.values()
        for column in one.columns
        if column.target in found and column.target != one.name
    )
    return tuple(found[name] for name in nx.lexicographical_topological_sort(graph, key=_rank))


def _rank(name: str) -> tuple[int, bool, str]:
    return [BASE, *PACKAGES].index(package(name)), name != "User", name


def why_not(one: CrmObject, column: Column) -> str | None:
    """Why a column isn't loaded, or None."""
    if (one.name, column.name) in PERSON_ACCOUNT:
        return (
            "only person accounts have it, ours are business accounts; the contact holds the same"
        )
    if column.access.info.type == "idlist":
        return "a list of ids, which no file format of the CRM resolves"
    if not column.access.createable:
        return "the CRM sets it itself"
    return None


def api_name(item: ObjectType) -> str:
    """What an object type is called in the CRM."""
    return (
        item.name
        if item.name in STANDARD or item.name.endswith(("__c", "__kav"))
        else f"{item.name}__c"
    )


def _renamed(schema: Schema, item: ObjectType) -> ObjectType:
    """The object type under its API names, its references direct."""
    return replace(
        item,
        name=api_name(item),
        fields=tuple(_renamed_field(schema, item, field) for field in item.fields),
    )


def _renamed_field(schema: Schema, item: ObjectType, field: Field) -> Field:
    custom = (
        api_name(item).endswith("__c")
        and not field.name.endswith("__c")
        and field.name not in SYSTEM_FIELDS
    )
    name = f"{field.name}__c" if custom else field.name
    target = schema.target(item, field) if field.name != "Id" else None
    if target is None:
        return replace(field, name=name)
    if name.endswith("__c") and target in NO_LOOKUP:
        return replace(
            field,
            name=name,
            source=ConstantSource(constant=None),
            holds_ids=target,
            json_schema={"type": "string", "maxLength": 18},
        )
    return replace(
        field, name=name, source=ReferenceSource(reference=api_name(schema.object(target)))
    )


def _object(old: ObjectType, new: ObjectType, access: ObjectAccess) -> CrmObject:
    pairs = {
        field.name.lower(): (mine, field)
        for mine, field in zip(old.fields, new.fields, strict=True)
    }
    return CrmObject(old.name, access, tuple(_columns(access, pairs)), old)


def _columns(access: ObjectAccess, pairs: dict[str, tuple[Field, Field]]) -> Iterator[Column]:
    for key, one in access.fields.items():
        if key in pairs:
            mine, field = pairs[key]
            yield Column(one, mine.name, field.insert_as or "", field.holds_ids or "")
        elif one.name == "ProfileId":
            yield Column(one, fill=PROFILE)
        elif one.info.stored and not (one.name == EXTERNAL_ID and access.name in NO_EXTERNAL_ID):
            yield Column(one, "Id")


def _visitor(chat: CrmObject, access: ObjectAccess) -> CrmObject:
    """A visitor a chat: nothing but the key that the chat refers to."""
    key = next(column for column in chat.columns if column.name == EXTERNAL_ID)
    return CrmObject(chat.table, access, (key,), chat.item)
