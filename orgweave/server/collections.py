"""Up to 200 records a call: `/composite/sobjects`.

Results stand in the order of the request; allOrNone undoes all where one fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, fault_of, records_in, type_in
from orgweave.server.rows import asked_fields, fetch, object_at
from orgweave.server.served import Served
from schemas.errors import Refused

Element = TypeVar("Element")
MOST, MOST_READ = 200, 2000
UNDONE = Refused(
    "ALL_OR_NONE_OPERATION_ROLLED_BACK",
    "Record rolled back because not all records were valid and the request was using AllOrNone"
    " header",
)


class RolledBack(Exception):
    """One record failed and all are to be undone; never leaves this module."""


@dataclass(frozen=True, slots=True)
class RecordWork:
    """What is to be done with one record; gives its result."""

    run: Callable[[], JsonObject]


def create(org: Served, call: ApiRequest) -> ApiResponse:
    """New records, of several types if need be."""
    body = call.record()

    def one(record: JsonObject) -> RecordWork:
        return RecordWork(
            lambda: {
                "id": org.writer.insert(org.writer.access(type_in(record)), record),
                "success": True,
                "errors": [],
            }
        )

    return _all(
        org, [one(record) for record in _bounded(records_in(body))], body.get("allOrNone") is True
    )


def change(org: Served, call: ApiRequest) -> ApiResponse:
    """Changed records; each has its Id."""
    body = call.record()
    return _all(
        org,
        [RecordWork(partial(_changed, org, record)) for record in _bounded(records_in(body))],
        body.get("allOrNone") is True,
    )


def upsert(org: Served, call: ApiRequest, name: str, field: str) -> ApiResponse:
    """Records of one type by an external id."""
    access, body = object_at(org, name), call.record()
    by = org.writer.key_field(access, field)

    def one(record: JsonObject) -> JsonObject:
        if type_in(record).lower() != access.name.lower():
            raise Refused("INVALID_TYPE", f"all records must be of type {access.name}")
        given = {name: value for name, value in record.items() if name.lower() != by.name.lower()}
        value = next(
            (value for name, value in record.items() if name.lower() == by.name.lower()), None
        )
        if value is None and by.name != "Id":
            raise Refused("MISSING_ARGUMENT", f"{by.name} not specified", (by.name,))
        key, created = org.writer.upsert(access, field, value, given)
        return {"id": key, "success": True, "errors": [], "created": created}

    return _all(
        org,
        [RecordWork(partial(one, record)) for record in _bounded(records_in(body))],
        body.get("allOrNone") is True,
    )


def delete(org: Served, call: ApiRequest) -> ApiResponse:
    """Deleted records by `?ids=`."""
    keys = [key for key in call.params.get("ids", "").split(",") if key]
    if not keys:
        raise Refused("REQUIRED_FIELD_MISSING", "name the records: ?ids=001...,001...")

    def one(key: str) -> JsonObject:
        access = org.writer.of_id(key)
        if access is None:
            raise Refused("MALFORMED_ID", f"malformed id {key[:60]}")
        _known(lambda: org.writer.delete(access, key))
        return {"id": key, "success": True, "errors": []}

    return _all(
        org,
        [RecordWork(partial(one, key)) for key in _bounded(keys)],
        call.params.get("allOrNone", "").lower() == "true",
    )


def read(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Records of one type by their ids, null for those that aren't there."""
    access = object_at(org, name)
    keys, fields = _wanted(call)
    if len(keys) > MOST_READ:
        raise Refused("EXCEEDED_ID_LIMIT", f"at most {MOST_READ} records a call, not {len(keys)}")
    return ApiResponse(200, fetch(org, call, access, keys, asked_fields(fields)))


def _wanted(call: ApiRequest) -> tuple[list[str], list[str]]:
    if call.method == "GET":
        parts = [
            [one for one in call.params.get(name, "").split(",") if one]
            for name in ("ids", "fields")
        ]
    else:
        body = call.record()
        parts = [
            [str(one) for one in found] if isinstance(found := body.get(name), list) else []
            for name in ("ids", "fields")
        ]
    if not parts[0] or not parts[1]:
        raise Refused("REQUIRED_FIELD_MISSING", "ids and fields are both needed")
    return parts[0], parts[1]


def _changed(org: Served, record: JsonObject) -> JsonObject:
    key = next((str(value) for name, value in record.items() if name.lower() == "id"), None)
    if key is None:
        raise Refused("MISSING_ARGUMENT", "Id not specified in an update call", ("Id",))
    given = {name: value for name, value in record.items() if name.lower() != "id"}
    access = org.writer.access(type_in(record))
    _known(lambda: org.writer.update(access, key, given))
    return {"id": key, "success": True, "errors": []}


def _known(work: Callable[[], None]) -> None:
    """In a collection a record that isn't there is a wrong reference, not a wrong address."""
    try:
        work()
    except Refused as error:
        raise (
            Refused("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id")
            if error.code == "NOT_FOUND"
            else error
        ) from error


def _bounded(items: list[Element]) -> list[Element]:
    if len(items) > MOST:
        raise Refused(
            "EXCEEDED_ID_LIMIT",
            f"record limit reached. cannot submit more than {MOST} records into this call",
        )
    return items


def _all(org: Served, works: list[RecordWork], all_or_none: bool) -> ApiResponse:
    results: list[JsonObject] = []
    try:
        with org.store.change():
            for work in works:
                results.append(_tried(org, work))
            if all_or_none and not all(result["success"] for result in results):
                raise RolledBack
    except RolledBack:
        results = [
            {"success": False, "errors": [fault_of(UNDONE)]} if result["success"] else result
            for result in results
        ]
    return ApiResponse(200, results)


def _tried(org: Served, work: RecordWork) -> JsonObject:
    try:
        with org.store.change():
            return work.run()
    except Refused as error:
        return {"success": False, "errors": [fault_of(error)]}
