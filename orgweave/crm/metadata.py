"""Objects whose records tell of the org itself: EntityDefinition, FieldDefinition, Organization.

No table holds them. Their records are made of the objects of a schema and written as SQL, which a
query reads as it would a table. KnowledgeArticleVersion is here too, as another name for the
articles' table. Knows no file.

Example: `metadata_objects(objects, "shoes")["fielddefinition"].rows` begins with `(SELECT column1
AS "Id", column2 AS "DurableId", ...`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from orgweave.crm.field import (
    TEXT_LENGTH,
    ChildRelationship,
    CrmField,
    CrmObject,
    FieldType,
)
from pipeline.world.ids import make_ids
from schemas.country import DEFAULT_LOCALE, load_country

ORGANIZATION_PREFIX = "00D"
ARTICLE = "knowledge__kav"
MetadataValue = str | int | None
Columns = Mapping[str, FieldType]
ENTITY: Columns = {
    "Id": "string",
    "DurableId": "string",
    "QualifiedApiName": "string",
    "DeveloperName": "string",
    "NamespacePrefix": "string",
    "Label": "string",
    "MasterLabel": "string",
    "PluralLabel": "string",
    "KeyPrefix": "string",
    "InternalSharingModel": "string",
    "ExternalSharingModel": "string",
    "IsCustomizable": "boolean",
    "IsCustomSetting": "boolean",
    "IsQueryable": "boolean",
    "IsSearchable": "boolean",
    "IsLayoutable": "boolean",
    "IsApexTriggerable": "boolean",
    "IsTriggerable": "boolean",
    "IsDeprecatedAndHidden": "boolean",
    "DefaultImplementation": "string",
    "PublisherId": "string",
    "RecordTypesSupported": "string",
    "LastModifiedDate": "datetime",
    "LastModifiedById": "string",
}
FIELD: Columns = {
    "Id": "string",
    "DurableId": "string",
    "QualifiedApiName": "string",
    "DeveloperName": "string",
    "NamespacePrefix": "string",
    "Label": "string",
    "MasterLabel": "string",
    "EntityDefinitionId": "string",
    "DataType": "string",
    "ValueTypeId": "string",
    "Description": "string",
    "Length": "int",
    "Precision": "int",
    "Scale": "int",
    "ReferenceTo": "string",
    "ReferenceTargetField": "string",
    "RelationshipName": "string",
    "ControllingFieldDefinitionId": "string",
    "ExtraTypeInfo": "string",
    "IsCalculated": "boolean",
    "IsCompound": "boolean",
    "IsIndexed": "boolean",
    "IsNameField": "boolean",
    "IsNillable": "boolean",
    "IsApiFilterable": "boolean",
    "IsApiGroupable": "boolean",
    "IsApiSortable": "boolean",
    "IsHtmlFormatted": "boolean",
    "IsPolymorphicForeignKey": "boolean",
    "LastModifiedDate": "datetime",
    "LastModifiedById": "string",
}
ORGANIZATION: Columns = {
    "Id": "id",
    "Name": "string",
    "OrganizationType": "string",
    "InstanceName": "string",
    "IsSandbox": "boolean",
    "IsReadOnly": "boolean",
    "NamespacePrefix": "string",
    "LanguageLocaleKey": "string",
    "DefaultLocaleSidKey": "string",
    "TimeZoneSidKey": "string",
    "Country": "string",
    "TrialExpirationDate": "datetime",
}
FIELDS = ChildRelationship(
    "Fields",
    "FieldDefinition",
    "EntityDefinitionId",
)
DATA_TYPES: Mapping[str, str] = {
    "id": "Lookup()",
    "boolean": "Checkbox",
    "date": "Date",
    "datetime": "Date/Time",
    "email": "Email",
    "phone": "Phone",
    "url": "URL(255)",
    "picklist": "Picklist",
    "multipicklist": "Picklist (Multi-Select)",
    "idlist": "JunctionIdList",
    "address": "Address",
}
"""Our types that have the same name in Setup whatever their length."""


def metadata_objects(
    objects: Mapping[str, CrmObject],
    name: str,
    locale: str = DEFAULT_LOCALE,
) -> dict[str, CrmObject]:
    """Returns the objects that tell of others, by lower-case name, but for those `objects` has.

    `name` is what the org is called.
    """
    made = [
        replace(
            _object(
                "EntityDefinition",
                ENTITY,
                _entities(objects.values()),
            ),
            children={"fields": FIELDS},
            child_relationships=(FIELDS,),
        ),
        _object(
            "FieldDefinition",
            FIELD,
            _fields(objects.values()),
            entity="EntityDefinition",
        ),
        _object(
            "Organization",
            ORGANIZATION,
            [_organization(name, locale)],
            ORGANIZATION_PREFIX,
        ),
    ]
    if ARTICLE in objects:
        made.append(_version(objects[ARTICLE]))
    return {item.name.lower(): item for item in made if item.name.lower() not in objects}


def _version(article: CrmObject) -> CrmObject:
    """The versions of all articles, whatever their type: in our orgs those of the one type."""
    fields = {key: field for key, field in article.fields.items() if not field.custom}
    return replace(
        article,
        name="KnowledgeArticleVersion",
        fields=fields,
        children={},
        child_relationships=(),
        createable=False,
        deletable=False,
        rows=f'"{article.table}"',
    )


def organization_fields() -> Iterator[CrmField]:
    """Yields what the CRM's Organization has beside its name, where a table holds it."""
    for column, value in zip(
        ORGANIZATION.items(),
        _organization("", DEFAULT_LOCALE),
        strict=True,
    ):
        name, kind = column
        if name not in ("Id", "Name"):
            # ORDER BY would take a bare number for a column's place.
            sql = f"({value} * 1)" if isinstance(value, int) else _sql(value)
            yield CrmField(
                name,
                kind,
                createable=False,
                updateable=False,
                derived=sql,
            )


def _object(
    name: str,
    columns: Columns,
    rows: Iterable[Sequence[MetadataValue]],
    key_prefix: str = "",
    entity: str = "",
) -> CrmObject:
    """An object of the CRM's own; `entity` is the object that an EntityDefinitionId leads to."""
    fields = {
        field.lower(): _field(
            field,
            kind,
            entity,
        )
        for field, kind in columns.items()
    }
    listed = ", ".join(f'column{place} AS "{field}"' for place, field in enumerate(columns, 1))
    values = ", ".join(f"({', '.join(_sql(value) for value in row)})" for row in rows)
    parents = {field.relationship.lower(): field for field in fields.values() if field.relationship}
    return CrmObject(
        name=name,
        fields=fields,
        key_prefix=key_prefix,
        description=f"The CRM's own {name}.",
        parents=parents,
        name_field="Name" if "name" in fields else None,
        createable=False,
        deletable=False,
        rows=f"(SELECT {listed} FROM (VALUES {values}))",
    )


def _field(name: str, kind: FieldType, entity: str) -> CrmField:
    # It holds an API name, so it is a text, but leads to the object as a reference does.
    leads = bool(entity) and name == f"{entity}Id"
    return CrmField(
        name,
        kind,
        TEXT_LENGTH if kind == "string" else 0,
        createable=False,
        updateable=False,
        column=name,
        target=entity if leads else None,
        relationship=entity if leads else None,
    )


def _sql(value: MetadataValue) -> str:
    """A value from a schema, never one from a query, as SQL writes it."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def _entities(objects: Iterable[CrmObject]) -> Iterator[tuple[MetadataValue, ...]]:
    for item in objects:
        stem = item.name.removesuffix("__c").removesuffix("__kav")
        names = (item.name, item.name, item.name, stem, None, item.label, item.label)
        sharing = (item.plural_label, item.key_prefix, "ReadWrite", "Private")
        flags = (int(item.createable), 0, 1, 1, int(item.createable), 1, 1, 0)
        yield (*names, *sharing, *flags, None, "System", None, None, None)


def _fields(objects: Iterable[CrmObject]) -> Iterator[tuple[MetadataValue, ...]]:
    for item in objects:
        for field in item.fields.values():
            yield _definition(item, field)


def _definition(item: CrmObject, field: CrmField) -> tuple[MetadataValue, ...]:
    key = f"{item.name}.{field.name}"
    stem = field.name.removesuffix("__c")
    names = (key, key, field.name, stem, None, field.label, field.label, item.name)
    kind = (_data_type(field), field.type, None, field.length, field.precision, field.scale)
    indexed = field.type in ("id", "reference") or field.external_id or field.unique
    leads = ", ".join(field.reference_to) or None
    flags = (
        *(int(bool(field.derived)), int(field.type == "address"), int(indexed)),
        *(int(field.name == item.name_field), int(field.nillable), int(field.filterable)),
        *(int(field.groupable), int(field.sortable), 0, int(field.polymorphic)),
    )
    return (*names, *kind, leads, None, field.relationship, None, None, *flags, None, None)


def _data_type(field: CrmField) -> str:
    """A field's type as Setup writes it: `Text(255)`, `Lookup(Account)`."""
    if field.auto_number:
        return "Auto Number"
    if field.reference_to:
        return f"Lookup({','.join(field.reference_to)})"
    match field.type:
        case "string":
            return f"Text({field.length})"
        case "textarea":
            return f"Long Text Area({field.length})"
        case "currency" | "double" | "int":
            kind = "Currency" if field.type == "currency" else "Number"
            return f"{kind}({field.precision - field.scale}, {field.scale})"
    return DATA_TYPES.get(field.type, field.type)


def _organization(name: str, locale: str) -> tuple[MetadataValue, ...]:
    """The org as a sandbox: a client that asks whether it may try things out is told it may."""
    key = make_ids(ORGANIZATION_PREFIX, 1)[0]
    kept = (key, name, "Enterprise Edition", "LOCAL", 1, 0, None)
    country = load_country(locale)
    return (*kept, country.language.key, locale, country.time_zone, country.code, None)
