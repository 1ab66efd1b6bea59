"""Trees of new records in one call, all or nothing: `/composite/tree/<Object>`.

Results are told by reference id.

Example: `{"records": [{"attributes": {"type": "Account", "referenceId": "a1"}, "Name": "Hale",
"Contacts": {"records": [...]}}]}`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from orgweave.crm.field import CrmObject
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, fault_of, records_in, type_in
from orgweave.server.rows import object_at
from orgweave.server.served import Served
from schemas.errors import Refused

MOST, TYPES, LEVELS = 200, 5, 5


class TreeUndone(Exception):
    """A record of the tree failed; never leaves this module."""


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """One record of a tree, the field that holds its parent's id, and the parent's reference id."""

    reference: str
    access: CrmObject
    values: JsonObject
    field: str | None
    parent: str | None
    level: int


def create(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Creates all records of the trees or none."""
    nodes = [
        node
        for record in records_in(call.record())
        for node in _nodes(org, object_at(org, name), record, None, None, 1)
    ]
    _check(nodes)
    ids: dict[str, str] = {}
    faults: dict[str, Refused] = {}
    try:
        with org.store.change():
            for node in nodes:
                _insert(org, node, ids, faults)
            if faults:
                raise TreeUndone
    except TreeUndone:
        return ApiResponse(
            400,
            {
                "hasErrors": True,
                "results": [
                    {"referenceId": name, "errors": [fault_of(fault)]}
                    for name, fault in faults.items()
                ],
            },
        )
    return ApiResponse(
        201,
        {
            "hasErrors": False,
            "results": [{"referenceId": name, "id": key} for name, key in ids.items()],
        },
    )


def _insert(org: Served, node: TreeRecord, ids: dict[str, str], faults: dict[str, Refused]) -> None:
    """A record whose parent failed isn't tried."""
    if node.parent is not None and node.parent not in ids:
        return
    given = (
        {**node.values, str(node.field): ids[node.parent]}
        if node.parent is not None
        else node.values
    )
    try:
        ids[node.reference] = org.writer.insert(node.access, given)
    except Refused as error:
        faults[node.reference] = error


def _nodes(
    org: Served,
    access: CrmObject,
    record: JsonObject,
    field: str | None,
    parent: str | None,
    level: int,
) -> Iterator[TreeRecord]:
    """A record and then all below it."""
    if level > LEVELS:
        raise Refused("INVALID_INPUT", f"a tree has at most {LEVELS} levels")
    if type_in(record).lower() != access.name.lower():
        raise Refused(
            "INVALID_INPUT", f"a record of type {access.name} is expected, not {type_in(record)}"
        )
    attributes = record["attributes"]
    reference = attributes.get("referenceId") if isinstance(attributes, dict) else None
    if not isinstance(reference, str) or not reference:
        raise Refused("INVALID_INPUT", "Include a reference ID for each record in the request.")
    below = {
        name: value
        for name, value in record.items()
        if name.lower() in access.children and isinstance(value, dict) and "records" in value
    }
    yield TreeRecord(
        reference,
        access,
        {name: value for name, value in record.items() if name not in below},
        field,
        parent,
        level,
    )
    for name, value in below.items():
        child = access.children[name.lower()]
        assert isinstance(value, dict)
        for one in records_in(value):
            yield from _nodes(
                org, org.writer.access(child.entity), one, child.field, reference, level + 1
            )


def _check(nodes: list[TreeRecord]) -> None:
    names = [node.reference for node in nodes]
    if len(nodes) > MOST:
        raise Refused(
            "INVALID_INPUT", f"a call takes at most {MOST} records over all trees, not {len(nodes)}"
        )
    if len({node.access.name for node in nodes}) > TYPES:
        raise Refused("INVALID_INPUT", f"a call takes at most {TYPES} different object types")
    if len(set(names)) < len(names):
        raise Refused(
            "INVALID_INPUT",
            f"Duplicate reference ID: {next(name for name in names if names.count(name) > 1)}",
        )
    if not nodes:
        raise Refused("INVALID_INPUT", "the request has no records")
