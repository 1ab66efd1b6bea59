"""Objects as the REST API's `describe` tells of them: made from ours, and read from a CRM's answer.

Examples: `described(objects["case"], "/services/data/v59.0", True)["fields"][0]["name"]` is `"Id"`;
`parsed(answer).field("Subject").length` is 255.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orgweave.crm.field import CrmField, CrmObject
from schemas.errors import CrmUnreachable
from schemas.files import explain

Json = dict[str, object]
SOAP = {
    "id": "tns:ID",
    "reference": "tns:ID",
    "boolean": "xsd:boolean",
    "int": "xsd:int",
    "double": "xsd:double",
    "currency": "xsd:double",
    "date": "xsd:date",
    "datetime": "xsd:dateTime",
    "idlist": "urn:JunctionIdListNames",
}
NAMES = {"idlist": "junctionidlist"}
"""Our types that the API calls by another name."""
BYTES = 3
"""Bytes of a character in UTF-8, as `byteLength` counts them."""
MOST_RECORDS = 200
"""Records that one call may hold."""


def described(crm_object: CrmObject, base: str, writable: bool) -> Json:
    """An object with its fields and the relationships of its children.

    `base` begins its URLs; in an org that isn't `writable` nothing can be created or changed.
    """
    fields = crm_object.fields.values()
    return {
        **summary(crm_object, base, writable),
        "fields": [_field(crm_object, field, writable) for field in fields],
        "childRelationships": [
            {
                "childSObject": child.entity,
                "field": child.field,
                "relationshipName": child.name,
                "cascadeDelete": False,
                "restrictedDelete": False,
                "deprecatedAndHidden": False,
            }
            for child in crm_object.child_relationships
        ],
        "recordTypeInfos": [],
        "supportedScopes": [{"label": f"All {crm_object.name}", "name": "everything"}],
    }


def summary(crm_object: CrmObject, base: str, writable: bool) -> Json:
    """An object as the global describe lists it."""
    url = f"{base}/sobjects/{crm_object.name}"
    return {
        "name": crm_object.name,
        "label": crm_object.label,
        "labelPlural": crm_object.plural_label,
        "keyPrefix": crm_object.key_prefix,
        "custom": crm_object.custom,
        "createable": writable and crm_object.createable,
        "updateable": writable and crm_object.createable,
        "deletable": writable and crm_object.deletable,
        "queryable": True,
        "retrieveable": True,
        "searchable": True,
        "undeletable": False,
        "deprecatedAndHidden": False,
        "urls": {"sobject": url, "describe": f"{url}/describe", "rowTemplate": f"{url}/{{ID}}"},
    }


def global_describe(objects: Mapping[str, CrmObject], base: str, writable: bool) -> Json:
    """All objects in short."""
    return {
        "encoding": "UTF-8",
        "maxBatchSize": MOST_RECORDS,
        "sobjects": [summary(crm_object, base, writable) for crm_object in objects.values()],
    }


def _field(crm_object: CrmObject, field: CrmField, writable: bool) -> Json:
    return {
        "name": field.name,
        "label": field.label,
        "type": NAMES.get(field.type, field.type),
        "soapType": SOAP.get(field.type, "xsd:string"),
        "length": field.length,
        "byteLength": field.length * BYTES,
        "nillable": field.nillable,
        "createable": writable and field.createable,
        "updateable": writable and field.updateable,
        "defaultedOnCreate": field.defaulted,
        "autoNumber": field.auto_number,
        "custom": field.custom,
        "externalId": field.external_id,
        "idLookup": field.id_lookup,
        "unique": field.unique,
        "nameField": field.name == crm_object.name_field,
        "filterable": field.filterable,
        "groupable": field.groupable,
        "sortable": field.sortable,
        "referenceTo": list(field.reference_to),
        "relationshipName": field.relationship if field.reference_to else None,
        "restrictedPicklist": field.restricted,
        "picklistValues": [
            {"value": value, "label": value, "active": True, "defaultValue": False}
            for value in field.picklist
        ],
        "deprecatedAndHidden": False,
        "calculated": False,
    }


class DescribedValue(BaseModel):
    """A picklist's value in an answer."""

    model_config = ConfigDict(frozen=True)
    value: str | None = None
    active: bool = True


class DescribedField(BaseModel):
    """A field in an answer, as far as a loader asks; what an older API doesn't tell is usual."""

    model_config = ConfigDict(frozen=True)
    name: str
    type: str
    length: int | None = 0
    createable: bool = False
    updateable: bool = False
    nillable: bool = False
    defaulted: bool = Field(default=False, alias="defaultedOnCreate")
    external_id: bool = Field(default=False, alias="externalId")
    id_lookup: bool | None = Field(default=False, alias="idLookup")
    unique: bool = False
    filterable: bool = True
    groupable: bool = True
    sortable: bool = True
    auto_number: bool = Field(default=False, alias="autoNumber")
    reference_to: tuple[str, ...] | None = Field(default=(), alias="referenceTo")
    relationship: str | None = Field(default=None, alias="relationshipName")
    restricted: bool = Field(default=False, alias="restrictedPicklist")
    values: tuple[DescribedValue, ...] | None = Field(default=(), alias="picklistValues")


class DescribedObject(BaseModel):
    """An object in an answer."""

    model_config = ConfigDict(frozen=True)
    name: str
    createable: bool
    deletable: bool = False
    key_prefix: str | None = Field(default="", alias="keyPrefix")
    fields_: tuple[DescribedField, ...] = Field(alias="fields")


def parsed(answer: Mapping[str, Any]) -> CrmObject:
    """What a CRM's describe says of an object.

    Raises CrmUnreachable where the answer isn't a describe's.
    """
    try:
        told = DescribedObject.model_validate(answer)
    except ValidationError as error:
        raise CrmUnreachable(
            f"the CRM's describe of {answer.get('name', 'an object')} can't be read"
            f" ({explain(error)}); is it the instance URL of a CRM?"
        ) from error
    fields = [_parsed_field(field) for field in told.fields_]
    return CrmObject(
        name=told.name,
        key_prefix=told.key_prefix or "",
        fields={field.name.lower(): field for field in fields},
        createable=told.createable,
        deletable=told.deletable,
    )


def _parsed_field(told: DescribedField) -> CrmField:
    own_names = {theirs: ours for ours, theirs in NAMES.items()}
    reference_to = told.reference_to or ()
    values = [value.value for value in told.values or () if value.active]
    return CrmField(
        name=told.name,
        type=own_names.get(told.type, told.type),
        length=told.length or 0,
        nillable=told.nillable,
        createable=told.createable,
        updateable=told.updateable,
        defaulted=told.defaulted,
        duplicate_code="DUPLICATE_VALUE" if told.unique else "",
        external_id=told.external_id,
        id_lookup=bool(told.id_lookup),
        restricted=told.restricted,
        values=tuple(value for value in values if value is not None),
        filterable=told.filterable,
        groupable=told.groupable,
        sortable=told.sortable,
        auto_number=told.auto_number,
        reference_to=reference_to,
        target=reference_to[0] if len(reference_to) == 1 else None,
        relationship=told.relationship,
        column=told.name,
    )
