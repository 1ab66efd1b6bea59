"""The toy org's fields and relationships, written down a second time for tests, and plain look-ups
in its records.
"""

from typing import Any

Rows = dict[str, list[dict[str, Any]]]
Query = dict[str, Any]
TYPES = {
    "User": {"Id": "id", "Name": "string", "Email": "string", "IsActive": "boolean"},
    "Account": {
        "Id": "id",
        "IsDeleted": "boolean",
        "Name": "string",
        "Number__c": "string",
        "OwnerId": "id",
        "ShippingState": "string",
        "Rating": "picklist",
        "Employees": "int",
        "Score__c": "double",
        "CreditAmount": "double",
        "Since": "date",
        "CreatedDate": "datetime",
        "Phone": "string",
        "Site": "string",
        "Note": "string",
        "Description": "long",
        "Tags__c": "multi",
    },
    "Case": {
        "Id": "id",
        "IsDeleted": "boolean",
        "CaseNumber": "string",
        "Subject": "string",
        "AccountId": "id",
        "OwnerId": "id",
        "ItemId__c": "id",
        "Status": "picklist",
        "Hours": "int",
        "CreatedDate": "datetime",
        "ClosedDate": "datetime",
        "IsClosed": "boolean",
    },
    "Order": {
        "Id": "id",
        "IsDeleted": "boolean",
        "AccountId": "id",
        "EffectiveDate": "date",
        "OwnerId": "id",
    },
    "OrderItem": {
        "Id": "id",
        "IsDeleted": "boolean",
        "OrderId": "id",
        "Quantity": "int",
        "UnitPrice": "double",
    },
}
PICKLISTS = {"Rating": ["Hot", "Warm", "Cold"], "Status": ["New", "Working", "Closed"]}
PARENTS = {
    "Account": {"Owner": ("OwnerId", "User")},
    "Case": {
        "Account": ("AccountId", "Account"),
        "Owner": ("OwnerId", "User"),
        "ItemId__r": ("ItemId__c", "OrderItem"),
    },
    "Order": {"Account": ("AccountId", "Account"), "Owner": ("OwnerId", "User")},
    "OrderItem": {"Order": ("OrderId", "Order")},
    "User": {},
}
CHILDREN = {
    "Account": {"Cases": ("Case", "AccountId"), "Orders": ("Order", "AccountId")},
    "Order": {"OrderItems": ("OrderItem", "OrderId")},
    "OrderItem": {"Cases__r": ("Case", "ItemId__c")},
}
SEMI_JOINS = {
    "Account": [
        ("Id", "Case", "AccountId"),
        ("Id", "Order", "AccountId"),
        ("OwnerId", "Case", "OwnerId"),
        ("OwnerId", "User", "Id"),
    ],
    "Case": [
        ("AccountId", "Order", "AccountId"),
        ("AccountId", "Account", "Id"),
        ("ItemId__c", "OrderItem", "Id"),
    ],
    "Order": [("Id", "OrderItem", "OrderId"), ("AccountId", "Case", "AccountId")],
    "OrderItem": [("Id", "Case", "ItemId__c"), ("OrderId", "Order", "Id")],
    "User": [("Id", "Case", "OwnerId"), ("Id", "Account", "OwnerId")],
}
NOT_GROUPED = {"CaseNumber", "Number__c", "Note", "Description"}


def field(row: dict[str, Any], entity: str, name: str) -> Any:
    """A field's value; booleans as such."""
    if name == "IsDeleted":
        return False
    return bool(row[name]) if TYPES[entity][name] == "boolean" else row[name]


def lookup(rows: Rows, entity: str, row: dict[str, Any] | None, path: str) -> Any:
    """The value at the end of a path; of a parent that isn't there null, or false if a boolean."""
    *steps, name = path.split(".")
    for step in steps:
        key, entity = PARENTS[entity][step]
        row = None if row is None else parent_of(rows, entity, row[key])
    if row is None:
        return False if TYPES[entity][name] == "boolean" else None
    return field(row, entity, name)


def type_of(entity: str, path: str) -> str:
    """The type at the end of a path."""
    *steps, name = path.split(".")
    for step in steps:
        entity = PARENTS[entity][step][1]
    return TYPES[entity][name]


def parent_of(rows: Rows, entity: str, key: Any) -> dict[str, Any] | None:
    """The record with that id."""
    return next((row for row in rows[entity] if row["Id"] == key), None)
