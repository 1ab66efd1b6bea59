"""Object types and fields as `describe` tells them, in keeping with what the writer enforces and
the query engine answers.
"""

from collections.abc import Mapping

from orgweave.server.access import Access, ObjectAccess
from orgweave.server.call import JsonObject

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


def described(access: ObjectAccess, base: str, writable: bool) -> JsonObject:
    """An object type with its fields and the relationships of its children."""
    entity = access.entity
    return {
        **summary(access, base, writable),
        "fields": [_field(access, one, writable) for one in access.fields.values()],
        "childRelationships": [
            {
                "childSObject": child.entity,
                "field": child.field,
                "relationshipName": child.name,
                "cascadeDelete": False,
                "restrictedDelete": False,
                "deprecatedAndHidden": False,
            }
            for child in entity.all_children
        ],
        "recordTypeInfos": [],
        "supportedScopes": [{"label": f"All {entity.name}", "name": "everything"}],
    }


def summary(access: ObjectAccess, base: str, writable: bool) -> JsonObject:
    """An object type as the global describe lists it."""
    name = access.name
    at = f"{base}/sobjects/{name}"
    return {
        "name": name,
        "label": _label(name),
        "labelPlural": _label(name) + "s",
        "keyPrefix": access.entity.key_prefix,
        "custom": access.entity.custom,
        "createable": writable and access.createable,
        "updateable": writable and access.createable,
        "deletable": writable and access.deletable,
        "queryable": True,
        "retrieveable": True,
        "searchable": True,
        "undeletable": False,
        "deprecatedAndHidden": False,
        "urls": {"sobject": at, "describe": f"{at}/describe", "rowTemplate": f"{at}/{{ID}}"},
    }


def global_describe(accesses: Mapping[str, ObjectAccess], base: str, writable: bool) -> JsonObject:
    """All object types."""
    return {
        "encoding": "UTF-8",
        "maxBatchSize": 200,
        "sobjects": [summary(one, base, writable) for one in accesses.values()],
    }


def _field(access: ObjectAccess, field: Access, writable: bool) -> JsonObject:
    info = field.info
    return {
        "name": info.name,
        "label": _label(info.name),
        "type": NAMES.get(info.type, info.type),
        "soapType": SOAP.get(info.type, "xsd:string"),
        "length": field.length,
        "byteLength": field.length * 3,
        "nillable": (
            info.type not in ("id", "boolean")
            and not field.required
            and not (field.defaulted and info.name in ("OwnerId", "CreatedDate"))
        ),
        "createable": writable and field.createable,
        "updateable": writable and field.updateable,
        "defaultedOnCreate": field.defaulted,
        "autoNumber": info.auto_number,
        "custom": info.custom,
        "externalId": field.external_id,
        "idLookup": field.looked_up,
        "unique": field.duplicate is not None,
        "nameField": info.name == access.entity.name_field,
        "filterable": info.filterable,
        "groupable": info.groupable,
        "sortable": info.sortable,
        "referenceTo": list(info.reference_to),
        "relationshipName": info.relationship if info.reference_to else None,
        "restrictedPicklist": field.restricted,
        "picklistValues": [
            {"value": value, "label": value, "active": True, "defaultValue": False}
            for value in field.values
        ],
        "deprecatedAndHidden": False,
        "calculated": False,
    }


def _label(name: str) -> str:
    return name.removesuffix("__c").removesuffix("__kav").replace("_", " ")
