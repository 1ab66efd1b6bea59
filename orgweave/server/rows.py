"""Single records: describe, read, create, change, delete, upsert under `/sobjects`."""

import re

from orgweave.server.access import ObjectAccess
from orgweave.server.call import ApiRequest, ApiResponse
from orgweave.server.describe import described, global_describe, summary
from orgweave.server.served import Served
from orgweave.server.values import stored_value, whole_id
from orgweave.soql.sql import FoundRecord, Sql, quoted
from schemas.errors import Refused

FIELD = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*){0,5}", re.ASCII)
BODY_ON_UPDATE = 46.0
"""From this API version on an upsert that changes a record answers 200 with a body, before it 204
without.
"""


def all_objects(org: Served, call: ApiRequest) -> ApiResponse:
    """Global describe."""
    return ApiResponse(200, global_describe(org.accesses, call.base, org.store.writable))


def object_info(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """An object type in short."""
    return ApiResponse(
        200,
        {
            "objectDescribe": summary(object_at(org, name), call.base, org.store.writable),
            "recentItems": [],
        },
    )


def describe(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """An object type with its fields."""
    return ApiResponse(200, described(object_at(org, name), call.base, org.store.writable))


def create(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """A new record."""
    return ApiResponse(
        201,
        {
            "id": org.writer.insert(object_at(org, name), call.record()),
            "success": True,
            "errors": [],
        },
    )


def read(org: Served, call: ApiRequest, name: str, key: str) -> ApiResponse:
    """A record, all its fields or those asked for."""
    access = object_at(org, name)
    records = fetch(org, call, access, [key], _asked(access, call.params.get("fields", "")))
    if records[0] is None:
        raise Refused(
            "NOT_FOUND",
            f"Provided external ID field does not exist or is not accessible: {key[:60]}",
        )
    return ApiResponse(200, records[0])


def change(org: Served, call: ApiRequest, name: str, key: str) -> ApiResponse:
    """Changes a record."""
    org.writer.update(object_at(org, name), key, call.record())
    return ApiResponse(204)


def delete(org: Served, call: ApiRequest, name: str, key: str) -> ApiResponse:
    """Deletes a record."""
    org.writer.delete(object_at(org, name), key)
    return ApiResponse(204)


def read_by(org: Served, call: ApiRequest, name: str, field: str, value: str) -> ApiResponse:
    """A record by an external id."""
    return read(org, call, name, _found(org, object_at(org, name), field, value))


def upsert(org: Served, call: ApiRequest, name: str, field: str, value: str) -> ApiResponse:
    """Changes the record with that external id, or creates it."""
    key, created = org.writer.upsert(object_at(org, name), field, value, call.record())
    if not created and float(call.version) < BODY_ON_UPDATE:
        return ApiResponse(204)
    return ApiResponse(
        201 if created else 200, {"id": key, "success": True, "errors": [], "created": created}
    )


def delete_by(org: Served, call: ApiRequest, name: str, field: str, value: str) -> ApiResponse:
    """Deletes the record with that external id."""
    return delete(org, call, name, _found(org, object_at(org, name), field, value))


def object_at(org: Served, name: str) -> ObjectAccess:
    """An object type that a URL names; raises NOT_FOUND."""
    access = org.accesses.get(name.lower())
    if access is None:
        raise Refused("NOT_FOUND", "The requested resource does not exist")
    return access


def fetch(
    org: Served, call: ApiRequest, access: ObjectAccess, keys: list[str], fields: list[str]
) -> list[FoundRecord | None]:
    """Records by their ids, in that order, None for those that aren't there."""
    wanted = [whole_id(key) for key in keys]
    known = ", ".join(f"'{key}'" for key in wanted if key)
    if not known:
        return [None] * len(keys)
    text = (
        f"SELECT {', '.join(dict.fromkeys(['Id', *fields]))} FROM {access.name} WHERE Id IN"
        f" ({known})"
    )
    found = {record["Id"]: record for record in org.engine.query(text, base=call.base).page()}
    return [_without_id(found.get(key), fields) for key in wanted]


def _without_id(record: FoundRecord | None, fields: list[str]) -> FoundRecord | None:
    if record is None or any(field.lower() == "id" for field in fields):
        return record
    return {name: value for name, value in record.items() if name != "Id"} | {"Id": record["Id"]}


def _asked(access: ObjectAccess, text: str) -> list[str]:
    return (
        asked_fields(text.split(",")) if text else [field.name for field in access.fields.values()]
    )


def asked_fields(names: list[str]) -> list[str]:
    """Names of fields, checked in form and taken once; raises INVALID_FIELD."""
    fields = {name.strip().lower(): name.strip() for name in names}
    for name in fields.values():
        if not FIELD.fullmatch(name):
            raise Refused("INVALID_FIELD", f"No such column '{name[:80]}'", (name[:80],))
    return list(fields.values())


def _found(org: Served, access: ObjectAccess, field: str, value: str) -> str:
    by = org.writer.key_field(access, field)
    rows = org.store.rows(
        Sql(
            f'SELECT "Id" FROM {quoted(access.name)} WHERE {quoted(by.name)} = ?',
            (stored_value(by, value),),
        )
    )
    if not rows:
        raise Refused("NOT_FOUND", "The requested resource does not exist")
    return str(rows[0][0])
