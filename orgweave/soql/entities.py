"""The metadata layer: each object type's fields with their CRM types, what may be done with them,
and relationships by name.

Made from the schema alone, so `describe` and the query engine say the same. Example:
`entities["case"].fields["accountid"]` is a
reference to Account with the relationship `Account`. Names are looked up in lower case; the CRM
takes no notice of case.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from orgweave.soql import standard
from schemas.model import Field, ObjectType, Schema
from schemas.sources import SequenceSource

FieldType = Literal[
    "id",
    "reference",
    "string",
    "textarea",
    "picklist",
    "multipicklist",
    "idlist",
    "boolean",
    "currency",
    "double",
    "int",
    "date",
    "datetime",
    "email",
    "phone",
    "url",
]
TEXTS = frozenset({"string", "textarea", "picklist", "email", "phone", "url"})
NUMBERS = frozenset({"currency", "double", "int"})
IDS = frozenset({"id", "reference"})
NOT_GROUPABLE = frozenset({"datetime", "double", "currency", "multipicklist", "idlist"})
FORMATS: dict[str, FieldType] = {
    "date": "date",
    "date-time": "datetime",
    "email": "email",
    "uri": "url",
}
MONEY = ("Price", "Amount", "Cost", "Revenue", "Fee")
TEXT_LENGTH, LONG_LENGTH, LONGEST_LENGTH = 255, 4000, 131_072


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """A field as the CRM describes it.

    `stored` is False for what every record has but the org needn't keep (IsDeleted).
    """

    name: str
    type: FieldType
    length: int = 0
    nillable: bool = True
    unique: bool = False
    createable: bool = True
    filterable: bool = True
    groupable: bool = True
    sortable: bool = True
    auto_number: bool = False
    values: tuple[str, ...] = ()
    reference_to: tuple[str, ...] = ()
    target: str | None = None
    relationship: str | None = None
    stored: bool = True

    @property
    def custom(self) -> bool:
        """Whether it isn't one of the CRM's own."""
        return self.name.endswith("__c")


@dataclass(frozen=True, slots=True)
class ChildRelationship:
    """Records of `entity` whose `field` refers to a parent, under the parent's name for them; None
    where it has none.
    """

    name: str | None
    entity: str
    field: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An object type; `fields`, `parents` and `children` by lower-case name."""

    name: str
    key_prefix: str
    description: str
    fields: Mapping[str, FieldInfo]
    parents: Mapping[str, FieldInfo]
    children: Mapping[str, ChildRelationship]
    all_children: tuple[ChildRelationship, ...]
    name_field: str | None

    @property
    def custom(self) -> bool:
        """Whether it isn't one of the CRM's own."""
        return self.name.endswith("__c")


def entities_of(schema: Schema) -> dict[str, Entity]:
    """Every object type of a schema by its lower-case name."""
    fields = {
        item.name: {info.name.lower(): info for info in _fields(schema, item)}
        for item in schema.objects
    }
    children = {item.name: _children(item.name, fields) for item in schema.objects}
    return {
        item.name.lower(): _entity(item, fields[item.name], children[item.name])
        for item in schema.objects
    }


def _entity(
    item: ObjectType, fields: dict[str, FieldInfo], children: tuple[ChildRelationship, ...]
) -> Entity:
    name_field = standard.NAME_FIELDS.get(item.name, "Name")
    return Entity(
        name=item.name,
        key_prefix=item.key_prefix,
        description=item.description,
        fields=fields,
        parents={info.relationship.lower(): info for info in fields.values() if info.relationship},
        children={one.name.lower(): one for one in children if one.name},
        all_children=children,
        name_field=fields[name_field.lower()].name if name_field.lower() in fields else None,
    )


def _fields(schema: Schema, item: ObjectType) -> Iterator[FieldInfo]:
    for field in item.fields:
        yield _field(schema, item, field)
        if (
            field.name == "Id"
            and item.name not in standard.NEVER_DELETED
            and not item.has("IsDeleted")
        ):
            yield FieldInfo("IsDeleted", "boolean", nillable=False, createable=False, stored=False)


def _field(schema: Schema, item: ObjectType, field: Field) -> FieldInfo:
    kind, length = _type(item, field), _length(item, field)
    target = schema.target(item, field)
    auto = isinstance(field.source, SequenceSource) and not field.createable
    info = FieldInfo(
        name=field.name,
        type=kind,
        length=length if kind in TEXTS else 18 if kind in IDS else 0,
        nillable=not field.required and kind not in ("id", "boolean"),
        unique=field.unique,
        createable=field.createable,
        filterable=kind != "idlist" and not (kind == "textarea" and length > LONG_LENGTH),
        sortable=kind not in ("idlist", "multipicklist")
        and not (kind == "textarea" and length > LONG_LENGTH),
        groupable=kind not in NOT_GROUPABLE and not auto and length <= TEXT_LENGTH,
        auto_number=auto,
        values=_values(field),
    )
    if target is None or kind == "id":
        return info
    reached = standard.POLYMORPHIC.get((item.name, field.name), (target,))
    return replace(
        info,
        type="reference",
        length=18,
        groupable=True,
        target=target,
        reference_to=reached,
        relationship=_relationship(field.name),
    )


def _type(item: ObjectType, field: Field) -> FieldType:
    if field.name == "Id":
        return "id"
    match field.type:
        case "boolean":
            return "boolean"
        case "integer":
            return "int"
        case "number":
            return "currency" if field.name.removesuffix("__c").endswith(MONEY) else "double"
        case "array":
            return "multipicklist" if "enum" in field.json_schema.get("items", {}) else "idlist"
    if field.format in FORMATS:
        return FORMATS[field.format]
    if "enum" in field.json_schema:
        return "picklist"
    if field.name.endswith("Phone"):
        return "phone"
    return "textarea" if _length(item, field) > TEXT_LENGTH else "string"


def _length(item: ObjectType, field: Field) -> int:
    length = int(field.json_schema.get("maxLength", TEXT_LENGTH))
    return (
        max(length, LONG_LENGTH * 8)
        if (item.name, field.name) in standard.LONG_TEXT
        else min(length, LONGEST_LENGTH)
    )


def _values(field: Field) -> tuple[str, ...]:
    allowed = field.json_schema.get("enum") or field.json_schema.get("items", {}).get("enum", ())
    return tuple(str(value) for value in allowed if value is not None)


def _relationship(field: str) -> str | None:
    """`AccountId` -> `Account`, `IssueId__c` -> `IssueId__r`; None for a standard field of another
    form.
    """
    if field.endswith("__c"):
        return field.removesuffix("__c") + "__r"
    return field.removesuffix("Id") if field.endswith("Id") and field != "Id" else None


def _children(
    parent: str, fields: Mapping[str, Mapping[str, FieldInfo]]
) -> tuple[ChildRelationship, ...]:
    found: list[ChildRelationship] = []
    for child, infos in fields.items():
        for info in infos.values():
            if info.target == parent:
                name = _child_name(child, info)
                clashes = name is not None and any(one.name == name for one in found)
                found.append(
                    ChildRelationship(
                        f"{str(name).removesuffix('__r')}_{info.relationship}" if clashes else name,
                        child,
                        info.name,
                    )
                )
    return tuple(found)


def _child_name(child: str, info: FieldInfo) -> str | None:
    if (child, info.name) in standard.CHILD_NAMES:
        return standard.CHILD_NAMES[child, info.name]
    plural = _plural(child.removesuffix("__c").removesuffix("__kav"))
    return plural + "__r" if info.custom or child.endswith("__c") else plural


def _plural(name: str) -> str:
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
