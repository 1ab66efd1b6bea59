"""A schema's object types as a CRM has them: general rules, overruled by the facts of `facts`.

`describe`, queries, write rules and exports are made from the same objects, so they agree.

Example: `crm_objects(schema)["case"].fields["subject"].required` is False, though every case of the
org has a subject: the CRM demands none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from orgweave.crm.derived import derived_fields
from orgweave.crm.facts import Catalog, FieldFacts, shipped
from orgweave.crm.field import (
    IDS,
    LISTS,
    TEXT_LENGTH,
    TEXTS,
    ChildRelationship,
    CrmField,
    CrmObject,
    FieldType,
)
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import SequenceSource

FORMATS: Mapping[str, FieldType] = {
    "date": "date",
    "date-time": "datetime",
    "email": "email",
    "uri": "url",
}
MONEY = ("Price", "Amount", "Cost", "Revenue", "Fee")
"""The ends of names that say that a number is an amount of money."""
DIGITS = {"currency": (18, 2), "double": (18, 6), "int": (18, 0)}
"""Precision and scale of numbers: 18 digits are the most that the CRM keeps."""
NOT_GROUPABLE = frozenset({"datetime", "double", "currency", *LISTS})
ID_LENGTH = 18
LONG_LENGTH = 4000
"""Characters of the longest text that the CRM lets queries filter and sort by."""
LONG_AREA, LONGEST_AREA = 32_000, 131_072
"""Characters of a usual long text area, and of the longest that there can be."""


def crm_objects(
    schema: Schema,
    catalog: Catalog | None = None,
    crm_names: bool = False,
) -> dict[str, CrmObject]:
    """Every object type of a schema by its lower-case name.

    With `crm_names` what isn't the CRM's own is called as it would be there: the clinic's
    `Patient.BirthDate` is `Patient__c.BirthDate__c`.
    """
    return _Builder(schema, catalog or shipped(), crm_names).objects()


def api_name(item: ObjectType, catalog: Catalog | None = None) -> str:
    """What an object type is called in the CRM."""
    known = (catalog or shipped()).is_standard(item.name)
    if known or item.name.endswith(("__c", "__kav")):
        return item.name
    return f"{item.name}__c"


@dataclass(frozen=True, slots=True)
class _Builder:
    """Builds the objects of one schema."""

    schema: Schema
    catalog: Catalog
    crm_names: bool

    def objects(self) -> dict[str, CrmObject]:
        fields: dict[str, dict[str, CrmField]] = {}
        for item in self.schema.objects:
            built = self._fields(item)
            fields[self._name(item)] = {field.name.lower(): field for field in built}
        found: dict[str, CrmObject] = {}
        for item in self.schema.objects:
            name = self._name(item)
            found[name.lower()] = self._object(item, fields[name], self._children(name, fields))
        return found

    def _name(self, item: ObjectType) -> str:
        return api_name(item, self.catalog) if self.crm_names else item.name

    def _object(
        self,
        item: ObjectType,
        fields: Mapping[str, CrmField],
        children: tuple[ChildRelationship, ...],
    ) -> CrmObject:
        name = self._name(item)
        facts = self.catalog.object(name)
        named = fields.get(facts.name_field.lower())
        name_field = named.name if named else None
        together = facts.unique_together
        return CrmObject(
            name=name,
            key_prefix=item.key_prefix,
            description=item.description,
            fields=fields,
            parents={
                field.relationship.lower(): field for field in fields.values() if field.relationship
            },
            children={child.name.lower(): child for child in children if child.name},
            child_relationships=children,
            name_field=name_field,
            search_names=facts.search_names or ((name_field,) if name_field else ()),
            createable=facts.createable,
            deletable=facts.deletable,
            unique_together=together.fields if together else (),
            duplicate_message=together.message if together else "",
            table=item.name,
            package=facts.package,
            natural_key=facts.natural_key,
            own_permissions=facts.own_permissions,
            locale=self.schema.locale,
        )

    def _fields(self, item: ObjectType) -> Iterator[CrmField]:
        has_is_deleted = self.catalog.object(self._name(item)).has_is_deleted
        for field in item.fields:
            yield self._field(item, field)
            if field.name == "Id" and has_is_deleted and not item.has("IsDeleted"):
                yield CrmField(
                    "IsDeleted",
                    "boolean",
                    nillable=False,
                    createable=False,
                    updateable=False,
                )
        yield from self._derived(item)

    def _derived(self, item: ObjectType) -> Iterator[CrmField]:
        """What the CRM has on the object beside, as far as the schema has what it is made of."""
        own = frozenset(self._field_name(item, field) for field in item.fields)
        for derived in derived_fields(self._name(item), own):
            others = [need.split(".") for need in derived.needs if "." in need]
            if all(self._has(name, field) for name, field in others):
                yield derived.field

    def _has(self, name: str, field: str) -> bool:
        return self.schema.has(name) and self.schema.object(name).has(field)

    def _field(self, item: ObjectType, field: Field) -> CrmField:
        name = self._field_name(item, field)
        facts = self.catalog.field(self._name(item), name)
        made = self._as_reference(item, field, _plain(name, field, facts), facts)
        return self._with_write_rules(item, field, made, facts)

    def _field_name(self, item: ObjectType, field: Field) -> str:
        """The field's name; a custom object's fields are custom but for the CRM's own few."""
        own = field.name in self.catalog.common.system_fields or field.name.endswith("__c")
        if own or not self.crm_names or not self._name(item).endswith("__c"):
            return field.name
        return f"{field.name}__c"

    def _as_reference(
        self,
        item: ObjectType,
        field: Field,
        plain: CrmField,
        facts: FieldFacts,
    ) -> CrmField:
        """The field with what it refers to, if it is a reference."""
        target = self.schema.target(item, field) if plain.type != "id" else None
        if target is None:
            return plain
        name = self._name(self.schema.object(target))
        if self.crm_names and plain.custom and not self.catalog.object(name).custom_lookup:
            text = CrmField(plain.name, "string", ID_LENGTH)
            return replace(text, column=plain.column, insert_as=plain.insert_as, holds_ids=target)
        return replace(
            plain,
            type="reference",
            length=ID_LENGTH,
            groupable=True,
            target=name,
            reference_to=facts.refers_to or (name,),
            relationship=relationship_name(plain.name),
        )

    def _with_write_rules(
        self,
        item: ObjectType,
        field: Field,
        made: CrmField,
        facts: FieldFacts,
    ) -> CrmField:
        """The field with what may be written to it."""
        of_object = self.catalog.object(self._name(item))
        createable = field.createable and field.name != "Id" and of_object.createable
        defaulted = made.type == "boolean" or made.auto_number or facts.default is not None
        required = field.required and made.type not in ("id", "boolean")
        if of_object.required is not None:
            required = made.name in of_object.required
        external = made.custom and field.unique
        filled = createable and facts.defaulted
        demanded = createable and required and not (defaulted or facts.defaulted)
        return replace(
            made,
            length=self._length(made),
            nillable=made.type not in ("id", "boolean") and not demanded and not filled,
            createable=createable,
            updateable=createable and not (facts.create_only or facts.insert_only),
            insert_only=facts.insert_only,
            defaulted=createable and (defaulted or facts.defaulted),
            default=facts.default,
            duplicate_code="DUPLICATE_VALUE" if external else facts.duplicate_code,
            case_sensitive=external,
            external_id=external,
            id_lookup=external or made.type == "id" or facts.id_lookup,
            restricted=made.type in ("picklist", "multipicklist")
            and (made.custom or facts.restricted),
            more_values=facts.more_values,
            on_delete=facts.on_delete,
            load_as=facts.load_as,
            value_set=facts.value_set,
            closing_values=facts.closing_values,
            not_loaded=facts.not_loaded,
        )

    def _length(self, made: CrmField) -> int:
        """The schema's length; a standard text without one has the CRM's."""
        if made.type not in TEXTS or made.custom or made.length != TEXT_LENGTH:
            return made.length
        for ending, length in self.catalog.common.lengths.items():
            if made.name.endswith(ending):
                return length
        return made.length

    def _children(
        self,
        parent: str,
        fields: Mapping[str, Mapping[str, CrmField]],
    ) -> tuple[ChildRelationship, ...]:
        """All references to an object; of two that would share a name the later gets a longer."""
        found: list[ChildRelationship] = []
        for child, of_child in fields.items():
            for field in of_child.values():
                if field.target != parent or field.derived:
                    continue
                name = self._child_name(child, field)
                if name is not None and name in {other.name for other in found}:
                    name = f"{name.removesuffix('__r')}_{field.relationship}"
                found.append(ChildRelationship(name, child, field.name, field.on_delete))
        return tuple(found)

    def _child_name(self, child: str, field: CrmField) -> str | None:
        facts = self.catalog.field(child, field.name)
        if facts.unnamed_children:
            return None
        if facts.child_name:
            return facts.child_name
        custom = field.custom or child.endswith("__c")
        return _plural(child.removesuffix("__c").removesuffix("__kav")) + ("__r" if custom else "")


def _plain(name: str, field: Field, facts: FieldFacts) -> CrmField:
    """A field by its JSON Schema alone, without what it refers to and what may be written."""
    length = _text_length(field, facts)
    kind = _type(name, field, length)
    automatic = isinstance(field.source, SequenceSource) and not field.createable
    long = kind == "textarea" and length > LONG_LENGTH
    precision, scale = DIGITS.get(kind, (0, 0))
    stored_length = length if kind in TEXTS else 0
    return CrmField(
        name=name,
        type=kind,
        length=ID_LENGTH if kind in IDS else stored_length,
        precision=precision,
        scale=scale,
        filterable=kind != "idlist" and not long,
        sortable=kind not in LISTS and not long,
        groupable=kind not in NOT_GROUPABLE and not automatic and length <= TEXT_LENGTH,
        auto_number=automatic,
        values=_values(field),
        column=field.name,
        insert_as=field.insert_as or "",
        holds_ids=field.holds_ids or "",
    )


def _type(name: str, field: Field, length: int) -> FieldType:
    if field.name == "Id":
        return "id"
    match field.type:
        case "boolean":
            return "boolean"
        case "integer":
            return "int"
        case "number":
            return "currency" if name.removesuffix("__c").endswith(MONEY) else "double"
        case "array":
            return "multipicklist" if "enum" in field.json_schema.get("items", {}) else "idlist"
    if field.format in FORMATS:
        return FORMATS[field.format]
    if "enum" in field.json_schema:
        return "picklist"
    if name.endswith("Phone"):
        return "phone"
    return "textarea" if length > TEXT_LENGTH else "string"


def _text_length(field: Field, facts: FieldFacts) -> int:
    length = int(field.json_schema.get("maxLength", TEXT_LENGTH))
    return max(length, LONG_AREA) if facts.long_text else min(length, LONGEST_AREA)


def _values(field: Field) -> tuple[str, ...]:
    allowed = field.json_schema.get("enum") or field.json_schema.get("items", {}).get("enum", ())
    return tuple(str(value) for value in allowed if value is not None)


def relationship_name(field: str) -> str | None:
    """What queries call the record that a reference leads to.

    `AccountId` -> `Account`, `IssueId__c` -> `IssueId__r`; None for a standard field that doesn't
    end in `Id`.
    """
    if field.endswith("__c"):
        return field.removesuffix("__c") + "__r"
    return field.removesuffix("Id") if field.endswith("Id") and field != "Id" else None


def _plural(name: str) -> str:
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
