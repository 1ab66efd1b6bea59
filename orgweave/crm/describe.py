"""Objects as the REST API's `describe` tells of them: made from ours, and read from a CRM's answer.

Examples: `described(objects["case"], "/services/data/v59.0", True)["fields"][0]["name"]` is `"Id"`;
`parsed(answer).field("Subject").length` is 255.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orgweave.crm.field import ChildRelationship, CrmField, CrmObject
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
    "address": "urn:address",
}
NAMES = {"idlist": "junctionidlist"}
"""Our types that the API calls by another name."""
BYTES = 3
"""Bytes of a character in UTF-8, as `byteLength` counts them."""
MOST_RECORDS = 200
"""Records that one call may hold."""
OF_FIELDS: Mapping[str, object] = {
    "aiPredictionField": False,
    "calculated": False,
    "calculatedFormula": None,
    "controllerName": None,
    "defaultValueFormula": None,
    "dependentPicklist": False,
    "deprecatedAndHidden": False,
    "displayLocationInDecimal": False,
    "encrypted": False,
    "filteredLookupInfo": None,
    "formulaTreatNullNumberAsZero": False,
    "highScaleNumber": False,
    "htmlFormatted": False,
    "inlineHelpText": None,
    "mask": None,
    "maskType": None,
    "referenceTargetField": None,
    "relationshipOrder": None,
    "searchPrefilterable": False,
    "writeRequiresMasterRead": False,
}
"""What is so of every field here: no formula, dependent picklist, mask, encryption or master."""
OF_SUMMARIES: Mapping[str, object] = {
    "activateable": False,
    "associateEntityType": None,
    "associateParentEntity": None,
    "customSetting": False,
    "deepCloneable": False,
    "deprecatedAndHidden": False,
    "feedEnabled": False,
    "hasSubtypes": False,
    "isInterface": False,
    "isSubtype": False,
    "mergeable": False,
    "mruEnabled": False,
    "triggerable": False,
    "undeletable": False,
}
"""What is so of every object here: no trigger, no feed, no merging, nothing comes back."""
OF_OBJECTS: Mapping[str, object] = {
    "actionOverrides": [],
    "defaultImplementation": None,
    "extendedBy": None,
    "extendsInterfaces": None,
    "implementedBy": None,
    "implementsInterfaces": None,
    "listviewable": None,
    "lookupLayoutable": None,
    "namedLayoutInfos": [],
    "networkScopeFieldName": None,
    "sobjectDescribeOption": "FULL",
}


@dataclass(frozen=True, slots=True)
class RecordTypeInfo:
    """A record type as a describe lists it."""

    id: str
    name: str
    developer_name: str
    active: bool = True
    master: bool = False


# The CRM's own id of the type that every record without another one has.
MASTER = RecordTypeInfo(
    "012000000000000AAA",
    "Master",
    "Master",
    master=True,
)


def described(
    crm_object: CrmObject,
    base: str,
    writable: bool,
    record_types: Sequence[RecordTypeInfo] = (),
) -> Json:
    """An object with its fields and the relationships of its children.

    `base` begins its URLs; in an org that isn't `writable` nothing can be created or changed.
    `record_types` are those that the org has of this object, beside the CRM's own Master.
    """
    fields = crm_object.fields.values()
    children = crm_object.child_relationships
    types = [MASTER, *record_types]
    return {
        **summary(crm_object, base, writable),
        **OF_OBJECTS,
        "fields": [_field(crm_object, field, writable) for field in fields],
        "childRelationships": [_child(child) for child in children],
        "recordTypeInfos": [
            _record_type(info, f"{base}/sobjects/{crm_object.name}") for info in types
        ],
        "supportedScopes": _scopes(crm_object),
        "compactLayoutable": True,
        "searchLayoutable": False,
    }


def summary(crm_object: CrmObject, base: str, writable: bool) -> Json:
    """An object as the global describe lists it."""
    url = f"{base}/sobjects/{crm_object.name}"
    return {
        **OF_SUMMARIES,
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
        "layoutable": True,
        "replicateable": crm_object.stamp is not None,
        "urls": {
            "sobject": url,
            "describe": f"{url}/describe",
            "rowTemplate": f"{url}/{{ID}}",
            "layouts": f"{url}/describe/layouts",
            "compactLayouts": f"{url}/describe/compactLayouts",
            "approvalLayouts": f"{url}/describe/approvalLayouts",
            "listviews": f"{url}/listviews",
            "quickActions": f"{url}/quickActions",
        },
    }


def global_describe(objects: Mapping[str, CrmObject], base: str, writable: bool) -> Json:
    """All objects in short."""
    return {
        "encoding": "UTF-8",
        "maxBatchSize": MOST_RECORDS,
        "sobjects": [summary(crm_object, base, writable) for crm_object in objects.values()],
    }


def _scopes(crm_object: CrmObject) -> list[Json]:
    """The scopes of USING SCOPE: everything, and what the caller owns where somebody does."""
    scopes: list[Json] = [{"label": f"All {crm_object.plural_label}", "name": "everything"}]
    if crm_object.has("OwnerId"):
        scopes.append({"label": f"My {crm_object.plural_label}", "name": "mine"})
    return scopes


def _child(child: ChildRelationship) -> Json:
    """Records that refer to this object, and what becomes of them when it is deleted."""
    return {
        "childSObject": child.entity,
        "field": child.field,
        "relationshipName": child.name,
        "cascadeDelete": child.on_delete == "cascade",
        "restrictedDelete": child.on_delete == "restrict",
        "deprecatedAndHidden": False,
        "junctionIdListNames": [],
        "junctionReferenceTo": [],
    }


def _record_type(info: RecordTypeInfo, url: str) -> Json:
    return {
        "name": info.name,
        "developerName": info.developer_name,
        "recordTypeId": info.id,
        "active": info.active,
        "available": info.active,
        "master": info.master,
        "defaultRecordTypeMapping": info.master,
        "urls": {"layout": f"{url}/describe/layouts/{info.id}"},
    }


def _field(crm_object: CrmObject, field: CrmField, writable: bool) -> Json:
    return {
        **OF_FIELDS,
        "name": field.name,
        "label": field.label,
        "type": NAMES.get(field.type, field.type),
        "soapType": SOAP.get(field.type, "xsd:string"),
        "extraTypeInfo": "plaintextarea" if field.type == "textarea" else None,
        "length": field.length,
        "byteLength": field.length * BYTES,
        "digits": field.precision if field.type == "int" else 0,
        "precision": 0 if field.type == "int" else field.precision,
        "scale": field.scale,
        "nillable": field.nillable,
        "createable": writable and field.createable,
        "updateable": writable and field.updateable,
        "permissionable": field.nillable and field.createable,
        "defaultedOnCreate": field.defaulted,
        "defaultValue": _default(field),
        "autoNumber": field.auto_number,
        "custom": field.custom,
        "caseSensitive": field.case_sensitive,
        "externalId": field.external_id,
        "idLookup": field.id_lookup,
        "unique": field.unique,
        "nameField": field.name == crm_object.name_field,
        "compoundFieldName": crm_object.compound_of(field),
        "queryByDistance": field.type == "address",
        "aggregatable": field.sortable and field.type != "boolean",
        "filterable": field.filterable,
        "groupable": field.groupable,
        "sortable": field.sortable,
        **_reference(field),
        "restrictedPicklist": field.restricted,
        "picklistValues": [_value(field, value) for value in field.picklist],
    }


def _default(field: CrmField) -> object:
    """What a new record has in a field; a picklist's stands with its values."""
    if field.type == "boolean":
        return bool(field.default)
    return None if field.picklist else field.default


def _reference(field: CrmField) -> Json:
    """Where a field leads to, and what becomes of the record when what it leads to is deleted."""
    return {
        "referenceTo": list(field.reference_to),
        "relationshipName": field.relationship if field.reference_to else None,
        "namePointing": field.polymorphic,
        "polymorphicForeignKey": field.polymorphic,
        "cascadeDelete": bool(field.reference_to) and field.on_delete == "cascade",
        "restrictedDelete": bool(field.reference_to) and field.on_delete == "restrict",
    }


def _value(field: CrmField, value: str) -> Json:
    """A picklist's value; none depends on another field."""
    return {
        "value": value,
        "label": value,
        "active": True,
        "defaultValue": value == field.default,
        "validFor": None,
    }


class DescribedValue(BaseModel):
    """A picklist's value in an answer."""

    model_config = ConfigDict(frozen=True, defer_build=True)
    value: str | None = None
    active: bool = True


class DescribedField(BaseModel):
    """A field in an answer, as far as a loader asks; what an older API doesn't tell is usual."""

    model_config = ConfigDict(frozen=True, defer_build=True)
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

    model_config = ConfigDict(frozen=True, defer_build=True)
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
