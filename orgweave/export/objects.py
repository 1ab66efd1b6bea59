"""An org's object types as they are exported to a CRM: API names, in load order.

They are the `CrmObject`s of the server's rules, so what is exported is what it takes; only their
columns are those of the run's tables. A field without a column, but with `insert_as`, has
that text in every record.

Example: the clinic's `Patient.BirthDate` is `Patient__c.BirthDate__c`, with the column `BirthDate`;
`Case.IssueId__c` refers by `IssueId__r` to an Issue__c.
"""

from collections.abc import Iterator
from dataclasses import replace

from orgweave.crm.build import api_name, crm_objects
from orgweave.crm.facts import Catalog, shipped
from orgweave.crm.field import CrmField, CrmObject
from orgweave.crm.order import load_order
from orgweave.crm.setup import deployed
from schemas.model import Schema
from schemas.object_type import ObjectType

EXTERNAL_ID = "Synth_Id__c"
"""The field that holds our id in the CRM.

It is the key of relationship columns and of upserts, and answers are mapped back by it.
"""
BASE = "force-app"
"""The metadata package of what every org can have."""
STANDARD_BOOK = "STANDARD_PRICEBOOK_ID"
PROFILE = "STANDARD_PROFILE_ID"
"""Placeholders for what an org has already and nobody can create."""
SET_UP = "it leads to what a loader can't insert"
NOT_BY_LOADERS = frozenset({"User", "Profile"})
"""What no loader looks up by our key: who owns a record, and what a user may do."""


def export_objects(schema: Schema, catalog: Catalog | None = None) -> tuple[CrmObject, ...]:
    """All object types in load order, and before them those that a CRM wants a record of for each.

    An example of the latter is the visitor that every chat transcript refers to.
    """
    facts = catalog or shipped()
    whole = deployed(schema, EXTERNAL_ID, catalog=facts)
    built = crm_objects(whole, facts, crm_names=True)
    found: list[CrmObject] = []
    for name in load_order(whole, facts):
        item = whole.object(name)
        crm_object = built[api_name(item, facts).lower()]
        if schema.has(name) and crm_object.createable:
            found.append(_exported(schema.object(name), crm_object, built))
        elif crm_object.createable:
            beside = whole.object(facts.object(name).comes_with)
            found.append(_beside(built[api_name(beside, facts).lower()], crm_object))
    return tuple(found)


def _exported(item: ObjectType, crm_object: CrmObject, built: dict[str, CrmObject]) -> CrmObject:
    """An object type of ours with the fields that its records have."""
    fields = {field.name.lower(): field for field in _fields(item, crm_object, built)}
    return replace(crm_object, fields=fields)


def set_up_objects(schema: Schema, catalog: Catalog | None = None) -> tuple[str, ...]:
    """The object types whose records no loader creates: an administrator's, or the CRM's own."""
    facts = catalog or shipped()
    return tuple(
        item.name for item in schema.objects if not facts.object(api_name(item, facts)).createable
    )


def _fields(
    item: ObjectType,
    crm_object: CrmObject,
    built: dict[str, CrmObject],
) -> Iterator[CrmField]:
    for field in crm_object.fields.values():
        if field.derived:
            continue
        is_set_up = field.target and not built[field.target.lower()].createable
        if is_set_up and field.target != "Profile":
            yield replace(field, not_loaded=SET_UP)
        elif item.has(field.column) and not is_set_up:
            yield field
        elif field.name == EXTERNAL_ID:
            if not crm_object.natural_key:
                yield replace(field, column="Id")
        elif field.target and built[field.target.lower()].createable:
            # It refers to a record made for this one, which has the same key.
            yield replace(field, column="Id")
        elif field.target:
            yield replace(field, column="", insert_as=PROFILE)


def _beside(ours: CrmObject, crm_object: CrmObject) -> CrmObject:
    """An object of the CRM's with a record for each of ours: nothing but the same key."""
    key = replace(ours.field(EXTERNAL_ID), column="Id")
    return replace(crm_object, table=ours.table, fields={key.name.lower(): key})


def loaded(crm_object: CrmObject) -> tuple[CrmField, ...]:
    """The fields that a loader sets, on creating a record or later."""
    return tuple(field for field in crm_object.fields.values() if why_not(field) is None)


def is_own_kind(crm_object: CrmObject, field: CrmField) -> bool:
    """Whether a field refers to another record of its own object, as a user's manager does.

    It is set when all of them are in.
    """
    return field.target == crm_object.name and field.column != "Id"


def inserted(crm_object: CrmObject) -> tuple[CrmField, ...]:
    """The fields that a new record is given, if only a first value."""
    return tuple(field for field in loaded(crm_object) if not is_own_kind(crm_object, field))


def lookups(crm_object: CrmObject) -> tuple[CrmField, ...]:
    """The references that a new record is given, but for the owner."""
    found = []
    for field in inserted(crm_object):
        if field.target and field.target not in NOT_BY_LOADERS:
            found.append(field)
    return tuple(found)


def why_not(field: CrmField) -> str | None:
    """Why a field isn't loaded, or None."""
    if field.not_loaded:
        return field.not_loaded
    if field.type == "idlist":
        return "a list of ids, which no file format of the CRM resolves"
    return None if field.createable else "the CRM sets it itself"
