"""Records under `/sobjects`, one a call, and under `/composite/sobjects`, up to 200 a call.

Knows no rule of what may be written; the writer does. In a collection each record is for itself
unless `allOrNone` undoes all where one fails, and results stand in the order of the request.

Example: `POST /sobjects/Contact` with `{"LastName": "Hale"}` answers 201 with `{"id": "003...",
"success": true, "errors": []}`.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from orgweave.crm.describe import global_describe, summary
from orgweave.crm.field import CrmObject
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, fault_of, records_in, type_in
from orgweave.server.served import Served
from orgweave.server.writing.values import stored_value, whole_id
from orgweave.soql.sql import FoundRecord, Sql, quoted
from schemas.errors import Refused

Element = TypeVar("Element")
FIELD = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*){0,5}", re.ASCII)
BODY_ON_UPDATE = 46.0
"""From this API version on an upsert that changes a record answers 200 with a body; before, it was
204 without one."""
MOST, MOST_READ = 200, 2000
"""Records that a collection may change, and read: the CRM's own bounds."""
UNDONE = Refused(
    "ALL_OR_NONE_OPERATION_ROLLED_BACK",
    "Record rolled back because not all records were valid and the request was using AllOrNone"
    " header",
)
RecordWork = Callable[[], JsonObject]
"""Does what is to be done with one record and returns its result."""


class RolledBack(Exception):
    """One record failed and all are to be undone; never leaves this module."""


def all_objects(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers with a global describe."""
    return ApiResponse(
        200,
        global_describe(
            org.objects,
            call.base,
            org.store.writable,
        ),
    )


def object_info(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with an object type in short; nobody has looked at a record of it lately."""
    found = summary(
        object_at(org, name),
        call.base,
        org.store.writable,
    )
    return ApiResponse(200, {"objectDescribe": found, "recentItems": []})


def create(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Creates a record."""
    key = org.writer.insert(object_at(org, name), call.record())
    return ApiResponse(201, _success(key))


def read(org: Served, call: ApiRequest, name: str, key: str) -> ApiResponse:
    """Answers with a record: all its fields, or those asked for."""
    access = object_at(org, name)
    records = fetch(
        org,
        call,
        access,
        [key],
        _asked(access, call.params.get("fields", "")),
    )
    if records[0] is None:
        raise Refused(
            "NOT_FOUND",
            f"Provided external ID field does not exist or is not accessible: {key[:60]}",
        )
    return ApiResponse(200, records[0])


def change(
    org: Served,
    call: ApiRequest,
    name: str,
    key: str,
) -> ApiResponse:
    """Changes a record."""
    org.writer.update(
        object_at(org, name),
        key,
        call.record(),
    )
    return ApiResponse(204)


def delete(
    org: Served,
    call: ApiRequest,
    name: str,
    key: str,
) -> ApiResponse:
    """Deletes a record."""
    org.writer.delete(object_at(org, name), key)
    return ApiResponse(204)


def read_by(
    org: Served,
    call: ApiRequest,
    name: str,
    field: str,
    value: str,
) -> ApiResponse:
    """Answers with a record by an external id, or with what a record's relationship leads to."""
    access = object_at(org, name)
    if field.lower() not in access.fields and whole_id(field) is not None:
        return related(org, call, access, field, value)
    return read(
        org,
        call,
        name,
        _found(org, access, field, value),
    )


def related(
    org: Served,
    call: ApiRequest,
    access: CrmObject,
    key: str,
    relationship: str,
) -> ApiResponse:
    """Answers with a record's parent, or with the first page of its children."""
    if fetch(org, call, access, [key], ["Id"])[0] is None:
        raise Refused("NOT_FOUND", "The requested resource does not exist")
    parent = access.parents.get(relationship.lower())
    child = access.children.get(relationship.lower())
    if parent is not None:
        text = f"SELECT {parent.name} FROM {access.name} WHERE Id = '{whole_id(key)}'"
        leads_to = org.engine.query(text).page()[0][parent.name]
        target = str(parent.target)
        if leads_to is None:
            raise Refused("NOT_FOUND", "The requested resource does not exist")
        return read(org, call, target, str(leads_to))
    if child is None:
        known = ", ".join(sorted(str(name.name) for name in access.children.values()))
        raise Refused("NOT_FOUND", f"{access.name} has no such relationship; it has {known}")
    target_access = object_at(org, child.entity)
    fields = ", ".join(_asked(target_access, call.params.get("fields", "")))
    text = f"SELECT {fields} FROM {child.entity} WHERE {child.field} = '{whole_id(key)}'"
    result = org.engine.query(text, base=call.base)
    return ApiResponse(200, org.pages.first(result, call.base))


def upsert(
    org: Served,
    call: ApiRequest,
    name: str,
    field: str,
    value: str,
) -> ApiResponse:
    """Changes the record with that external id, or creates it."""
    key, created = org.writer.upsert(
        object_at(org, name),
        field,
        value,
        call.record(),
    )
    if not created and float(call.version) < BODY_ON_UPDATE:
        return ApiResponse(204)
    return ApiResponse(201 if created else 200, {**_success(key), "created": created})


def delete_by(
    org: Served,
    call: ApiRequest,
    name: str,
    field: str,
    value: str,
) -> ApiResponse:
    """Deletes the record with that external id."""
    return delete(
        org,
        call,
        name,
        _found(org, object_at(org, name), field, value),
    )


def object_at(org: Served, name: str) -> CrmObject:
    """Returns the object type that a URL names; raises NOT_FOUND."""
    access = org.objects.get(name.lower())
    if access is None:
        raise Refused("NOT_FOUND", "The requested resource does not exist")
    return access


def fetch(
    org: Served,
    call: ApiRequest,
    access: CrmObject,
    keys: list[str],
    fields: list[str],
) -> list[FoundRecord | None]:
    """Returns records by their ids, in that order, with None for those that aren't there."""
    wanted = [whole_id(key) for key in keys]
    known = ", ".join(f"'{key}'" for key in wanted if key)
    if not known:
        return [None] * len(keys)
    selected = ", ".join(dict.fromkeys(["Id", *fields]))
    text = f"SELECT {selected} FROM {access.name} WHERE Id IN ({known})"
    result = org.engine.query(text, base=call.base)
    found = {record["Id"]: record for record in result.page()}
    return [_id_last(found.get(key), fields) for key in wanted]


def _id_last(record: FoundRecord | None, fields: list[str]) -> FoundRecord | None:
    """A record with its Id last where that wasn't asked for, as the CRM gives it."""
    if record is None or any(field.lower() == "id" for field in fields):
        return record
    others = {name: value for name, value in record.items() if name != "Id"}
    return {**others, "Id": record["Id"]}


def _asked(access: CrmObject, text: str) -> list[str]:
    """The fields that a URL names, or all."""
    if text:
        return asked_fields(text.split(","))
    return [field.name for field in access.fields.values()]


def asked_fields(names: list[str]) -> list[str]:
    """Returns the names of fields, each once; raises INVALID_FIELD for what is no name."""
    fields = {name.strip().lower(): name.strip() for name in names}
    for name in fields.values():
        if not FIELD.fullmatch(name):
            raise Refused(
                "INVALID_FIELD",
                f"No such column '{name[:80]}'",
                (name[:80],),
            )
    return list(fields.values())


def _found(
    org: Served,
    access: CrmObject,
    field: str,
    value: str,
) -> str:
    """The id of the record with that external id; raises NOT_FOUND."""
    by = org.writer.key_field(access, field)
    if by.name == "Id":
        return value
    text = f'SELECT "Id" FROM {quoted(access.name)} WHERE {quoted(by.name)} = ?'
    rows = org.store.rows(Sql(text, (stored_value(by, value),)))
    if not rows:
        raise Refused("NOT_FOUND", "The requested resource does not exist")
    return str(rows[0][0])


def create_many(org: Served, call: ApiRequest) -> ApiResponse:
    """Creates records, of several object types if need be."""
    body = call.record()
    works = [partial(_created, org, record) for record in _bounded(records_in(body))]
    return _all(org, works, body.get("allOrNone") is True)


def change_many(org: Served, call: ApiRequest) -> ApiResponse:
    """Changes records, each of which has its Id."""
    body = call.record()
    works = [partial(_changed, org, record) for record in _bounded(records_in(body))]
    return _all(org, works, body.get("allOrNone") is True)


def upsert_many(
    org: Served,
    call: ApiRequest,
    name: str,
    field: str,
) -> ApiResponse:
    """Changes or creates records of one object type by an external id."""
    access, body = object_at(org, name), call.record()
    org.writer.key_field(access, field)
    records = _bounded(records_in(body))
    works = [partial(_upserted, org, access, field, record) for record in records]
    return _all(org, works, body.get("allOrNone") is True)


def delete_many(org: Served, call: ApiRequest) -> ApiResponse:
    """Deletes the records in `?ids=`."""
    keys = [key for key in call.params.get("ids", "").split(",") if key]
    if not keys:
        raise Refused("REQUIRED_FIELD_MISSING", "name the records: ?ids=001...,001...")
    works = [partial(_deleted, org, key) for key in _bounded(keys)]
    return _all(
        org,
        works,
        call.params.get("allOrNone", "").lower() == "true",
    )


def read_many(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with records of one object type by their ids, null for those that aren't there."""
    access = object_at(org, name)
    keys, fields = _listed(call, "ids"), _listed(call, "fields")
    if not keys or not fields:
        raise Refused("REQUIRED_FIELD_MISSING", "ids and fields are both needed")
    if len(keys) > MOST_READ:
        raise Refused("EXCEEDED_ID_LIMIT", f"at most {MOST_READ} records a call, not {len(keys)}")
    return ApiResponse(
        200,
        fetch(
            org,
            call,
            access,
            keys,
            asked_fields(fields),
        ),
    )


def _listed(call: ApiRequest, name: str) -> list[str]:
    """A list in the URL, its members between commas, or in the body."""
    if call.method == "GET":
        return [member for member in call.params.get(name, "").split(",") if member]
    found = call.record().get(name)
    return [str(member) for member in found] if isinstance(found, list) else []


def _success(key: str) -> JsonObject:
    return {
        "id": key,
        "success": True,
        "errors": [],
    }


def _created(org: Served, record: JsonObject) -> JsonObject:
    access = org.writer.access(type_in(record))
    return _success(org.writer.insert(access, record))


def _changed(org: Served, record: JsonObject) -> JsonObject:
    if "id" not in {name.lower() for name in record}:
        raise Refused(
            "MISSING_ARGUMENT",
            "Id not specified in an update call",
            ("Id",),
        )
    key, given = taken(record, "Id")
    access = org.writer.access(type_in(record))
    _known(
        partial(
            org.writer.update,
            access,
            str(key),
            given,
        )
    )
    return _success(str(key))


def _upserted(
    org: Served,
    access: CrmObject,
    field: str,
    record: JsonObject,
) -> JsonObject:
    if type_in(record).lower() != access.name.lower():
        raise Refused("INVALID_TYPE", f"all records must be of type {access.name}")
    by = org.writer.key_field(access, field)
    value, given = taken(record, by.name)
    if value is None and by.name != "Id":
        raise Refused(
            "MISSING_ARGUMENT",
            f"{by.name} not specified",
            (by.name,),
        )
    key, created = org.writer.upsert(access, field, value, given)
    return {**_success(key), "created": created}


def _deleted(org: Served, key: str) -> JsonObject:
    access = org.writer.of_id(key)
    if access is None:
        raise Refused("MALFORMED_ID", f"malformed id {key[:60]}")
    _known(partial(org.writer.delete, access, key))
    return _success(key)


def taken(record: JsonObject, field: str) -> tuple[object, JsonObject]:
    """Takes a field, in any case of letters, out of a record; returns its first value and the rest.

    The value is None where the record hasn't that field.
    """
    wanted = field.lower()
    values = [value for name, value in record.items() if name.lower() == wanted]
    rest = {name: value for name, value in record.items() if name.lower() != wanted}
    return values[0] if values else None, rest


def _known(work: Callable[[], None]) -> None:
    """In a collection a record that isn't there is a wrong reference, not a wrong address."""
    try:
        work()
    except Refused as error:
        if error.code != "NOT_FOUND":
            raise
        raise Refused("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id") from error


def _bounded(items: list[Element]) -> list[Element]:
    """Refuses more records than a collection may change."""
    if len(items) > MOST:
        raise Refused(
            "EXCEEDED_ID_LIMIT",
            f"record limit reached. cannot submit more than {MOST} records into this call",
        )
    return items


def _all(org: Served, works: Sequence[RecordWork], all_or_none: bool) -> ApiResponse:
    """Does all works within one change; answers with their results."""
    results: list[JsonObject] = []
    try:
        with org.store.change():
            for work in works:
                results.append(_tried(org, work))
            if all_or_none and not all(result["success"] for result in results):
                raise RolledBack
    except RolledBack:
        undone: JsonObject = {"success": False, "errors": [fault_of(UNDONE)]}
        results = [undone if result["success"] else result for result in results]
    return ApiResponse(200, results)


def _tried(org: Served, work: RecordWork) -> JsonObject:
    """Does one work; a refused one is undone for itself."""
    try:
        with org.store.change():
            return work()
    except Refused as error:
        return {"success": False, "errors": [fault_of(error)]}
