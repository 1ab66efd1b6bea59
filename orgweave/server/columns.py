"""What a query tells of itself before anybody reads its records: its columns, and how it is run.

Knows no grammar; the engine compiles the text. Example: `columns_of(org, "SELECT Id, Account.Name
FROM Case")["columnMetadata"]` has an entry `Id` and an entry `Account` with `joinColumns`.
"""

from collections.abc import Iterator
from typing import Any

from orgweave.crm.field import NUMBERS, TEXTS, CrmField, CrmObject
from orgweave.server.call import JsonObject
from orgweave.server.served import Served
from orgweave.soql.sql import (
    AddressValue,
    ChildQuery,
    FieldValue,
    FormattedValue,
    GroupShape,
    Nested,
    QueryPlan,
    RecordShape,
)

APEX_TYPES = {
    "id": "Id",
    "reference": "Id",
    "boolean": "Boolean",
    "int": "Integer",
    "double": "Double",
    "currency": "Double",
    "date": "Date",
    "datetime": "Datetime",
    "address": "Address",
}
"""Our types by Apex's names; all others are texts."""


def columns_of(org: Served, text: str) -> JsonObject:
    """Returns the columns of a query's answer, as `?columns=true` gives them.

    Raises QueryRefused where the query itself is refused.
    """
    plan = org.engine.query(text).plan
    entity = org.objects[plan.entity.lower()]
    columns = list(_columns(org, plan))
    return {
        "columnMetadata": columns,
        "entityName": entity.name,
        "groupBy": isinstance(plan.shape, GroupShape),
        "idSelected": any(column["columnName"] == "Id" for column in columns),
        "keyPrefix": entity.key_prefix,
    }


def explained(org: Served, text: str) -> JsonObject:
    """Returns the plan of a query, as `?explain=` gives it: every record is looked at."""
    found = org.engine.query(text)
    every = org.engine.query(f"SELECT COUNT() FROM {found.entity}").total
    plan = {
        "cardinality": found.total,
        "fields": [],
        "leadingOperationType": "TableScan",
        "notes": [],
        "relativeCost": 1.0,
        "sobjectCardinality": every,
        "sobjectType": found.entity,
    }
    return {"plans": [plan], "sourceQuery": text}


def _columns(org: Served, plan: QueryPlan) -> Iterator[dict[str, Any]]:
    entity = org.objects[plan.entity.lower()]
    match plan.shape:
        case RecordShape():
            yield from _of_record(org, entity, plan.shape)
        case GroupShape():
            for value in plan.shape.values:
                kind = "string" if isinstance(value, FormattedValue) else value.type
                yield _column(entity, value.name, kind, aggregate=True)
        case None:
            return


def _of_record(org: Served, entity: CrmObject, shape: RecordShape) -> Iterator[dict[str, Any]]:
    for part in shape.parts:
        match part:
            case FieldValue():
                yield _column(entity, part.name, part.type)
            case FormattedValue():
                yield _column(entity, part.name, "string")
            case AddressValue():
                yield _column(entity, part.name, "address")
            case Nested():
                parent = org.objects[part.shape.entity.lower()]
                inside = list(_of_record(org, parent, part.shape))
                yield _joined(entity, part.name, inside)
            case ChildQuery():
                inside = list(_columns(org, part.plan))
                yield _joined(entity, part.name, inside, aggregate=True)


def _column(entity: CrmObject, name: str, kind: str, aggregate: bool = False) -> dict[str, Any]:
    """A column of values of a type."""
    field = None if aggregate else entity.find(name)
    return {
        **_plain(name, field),
        "aggregate": aggregate,
        "apexType": APEX_TYPES.get(kind, "String"),
        "booleanType": kind == "boolean",
        "foreignKeyName": field.relationship if field is not None else None,
        "numberType": kind in NUMBERS,
        "textType": kind in TEXTS,
    }


def _joined(
    entity: CrmObject,
    name: str,
    inside: list[dict[str, Any]],
    aggregate: bool = False,
) -> dict[str, Any]:
    """A column of records: a parent, or an aggregate of children."""
    field = entity.parents.get(name.lower())
    return {
        **_plain(name, None),
        "aggregate": aggregate,
        "apexType": None,
        "booleanType": False,
        "foreignKeyName": field.name if field is not None else None,
        "numberType": False,
        "textType": False,
        "joinColumns": inside,
    }


def _plain(name: str, field: CrmField | None) -> dict[str, Any]:
    """What any column has."""
    return {
        "columnName": name,
        "displayName": name,
        "custom": name.endswith(("__c", "__r")),
        "insertable": field is not None and field.createable,
        "updatable": field is not None and field.updateable,
        "joinColumns": [],
    }
