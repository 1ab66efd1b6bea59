"""Much in one call: requests by `/composite`, graphs of them, and trees of new records.

`/composite` takes 25 requests, each for itself or all or none; `/composite/graph` takes graphs of
requests, each graph all or none. A later request takes values from earlier replies, in its URL and
its body: `@{order.id}`, `@{cases.records[0].Id}`. Knows no single endpoint: `send` answers a
request.

`/composite/batch` takes 25 requests that know nothing of each other.

`/composite/tree/<Object>` creates trees of records, all or nothing, and tells the results by
reference id. Example: `{"records": [{"attributes": {"type": "Account", "referenceId": "a1"},
"Name": "Hale", "Contacts": {"records": [...]}}]}`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from orgweave.crm.field import CrmObject
from orgweave.server.call import (
    ApiRequest,
    ApiResponse,
    JsonObject,
    fault_of,
    records_in,
    refusal,
    text_in,
    type_in,
)
from orgweave.server.records import object_at
from orgweave.server.served import Served
from schemas.errors import Refused

SubRequestHandler = Callable[[Served, ApiRequest], ApiResponse]
# The CRM's own bounds: requests of a composite call; requests and graphs of a call of graphs;
# records, object types and levels of trees.
MOST = 25
NODES = 500
GRAPHS = 75
MOST_RECORDS = 200
MOST_TYPES = 5
MOST_LEVELS = 5
MOST_FILLED = 1_000_000
"""Characters of earlier replies that one call may put into the texts of later requests."""
REFERENCE = re.compile(r"@\{(\w+)((?:\.\w+|\[\d{1,9}\])*)\}", re.ASCII)
STEP = re.compile(r"\.(\w+)|\[(\d{1,9})\]", re.ASCII)
URL = re.compile(r"/services/data/v(\d+\.\d)(/[^?]*)(?:\?(.*))?", re.DOTALL)
BATCH_URL = re.compile(r"/?(?:services/data/)?(v\d+\.\d/.*)", re.DOTALL)
"""In a batch a URL begins with the version; clients send whole paths, too."""
IN_GRAPHS = re.compile(r"/sobjects/\w+(/[^/]+){0,2}/?", re.ASCII)
NO_PARTS = ("/composite/graph", "/composite/batch", "/jobs")
"""How paths begin that can't be part of another call, all in small letters."""
METHODS = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE"})
HALTED = Refused(
    "PROCESSING_HALTED",
    "The transaction was rolled back since another operation in the same transaction failed.",
)


class CompositeUndone(Exception):
    """A request or record failed and all are to be undone; never leaves this module."""


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """One record of a tree.

    `field` holds the id of the parent, whose reference id is `parent`; a root has neither.
    """

    reference: str
    access: CrmObject
    values: JsonObject
    field: str | None = None
    parent: str | None = None


def composite(org: Served, call: ApiRequest, send: SubRequestHandler) -> ApiResponse:
    """Answers with the replies in the order of the requests."""
    body = call.record()
    requests = records_in(body, "compositeRequest")
    if not 0 < len(requests) <= MOST:
        raise Refused(
            "INVALID_INPUT", f"a composite call takes 1 to {MOST} requests, not {len(requests)}"
        )
    _check_requests(requests)
    run = _together if body.get("allOrNone") is True else _run
    replies = run(org, requests, call, send)
    return ApiResponse(200, {"compositeResponse": replies})


def graph(org: Served, call: ApiRequest, send: SubRequestHandler) -> ApiResponse:
    """Answers with the replies graph by graph."""
    graphs = records_in(call.record(), "graphs")
    lists = [records_in(given, "compositeRequest") for given in graphs]
    if len(graphs) > GRAPHS or sum(map(len, lists)) > NODES:
        raise Refused(
            "INVALID_INPUT", f"a call takes at most {GRAPHS} graphs with {NODES} requests in all"
        )
    names = [text_in(given, "graphId") for given in graphs]
    if len(set(names)) < len(names):
        raise Refused("INVALID_INPUT", "each graph needs a graphId of its own")
    for requests in lists:
        _check_requests(requests)
        _check_urls(requests)
    made: list[JsonObject] = []
    for name, requests in zip(names, lists, strict=True):
        replies = _together(org, requests, call, send)
        right = not any(_failed(reply) for reply in replies)
        response = {"compositeResponse": replies}
        made.append(
            {
                "graphId": name,
                "graphResponse": response,
                "isSuccessful": right,
            }
        )
    return ApiResponse(200, {"graphs": made})


def batch(org: Served, call: ApiRequest, send: SubRequestHandler) -> ApiResponse:
    """Answers with a status and a result a request; with haltOnError none follows a failed one."""
    body = call.record()
    requests = records_in(body, "batchRequests")
    if not 0 < len(requests) <= MOST:
        raise Refused("INVALID_INPUT", f"a batch takes 1 to {MOST} requests, not {len(requests)}")
    halts = body.get("haltOnError") is True
    results: list[JsonObject] = []
    failed = False
    for request in requests:
        stopped = Refused("BATCH_PROCESSING_HALTED", "Batch processing halted per request")
        reply = refusal(stopped) if halts and failed else _sent_alone(org, request, call, send)
        failed = failed or reply.failed
        results.append({"statusCode": reply.status, "result": reply.body})
    return ApiResponse(200, {"hasErrors": failed, "results": results})


def create_tree(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Creates all records of the trees or none."""
    nodes: list[TreeRecord] = []
    for record in records_in(call.record()):
        nodes += _nodes(org, object_at(org, name), record, level=1)
    _check_nodes(nodes)
    ids: dict[str, str] = {}
    faults: dict[str, Refused] = {}
    try:
        with org.store.change():
            for node in nodes:
                _insert(org, node, ids, faults)
            if faults:
                raise CompositeUndone
    except CompositeUndone:
        errors = [
            {"referenceId": reference, "errors": [fault_of(fault)]}
            for reference, fault in faults.items()
        ]
        return ApiResponse(400, {"hasErrors": True, "results": errors})
    results = [{"referenceId": reference, "id": key} for reference, key in ids.items()]
    return ApiResponse(201, {"hasErrors": False, "results": results})


def _check_urls(requests: Sequence[JsonObject]) -> None:
    """Refuses what a graph can't undo: all but requests to records."""
    for request in requests:
        url = text_in(request, "url")
        found = URL.fullmatch(url)
        if found is None or not IN_GRAPHS.fullmatch(REFERENCE.sub("x", found[2])):
            raise Refused(
                "INVALID_INPUT", f"a graph takes requests to sobjects only, not {url[:80]}"
            )


def _check_requests(requests: Sequence[JsonObject]) -> None:
    """Refuses requests without a method, URL or reference id, or with the same id."""
    names = [text_in(request, "referenceId") for request in requests]
    if len(set(names)) < len(names):
        raise Refused("INVALID_INPUT", "each request needs a referenceId of its own")
    for request in requests:
        method = str(request.get("method", "")).upper()
        if method not in METHODS or not URL.fullmatch(text_in(request, "url")):
            raise Refused(
                "INVALID_INPUT",
                "a request has a method (GET, POST, PATCH, DELETE) and a url that begins with"
                " /services/data/vXX.X/",
            )


def _together(
    org: Served,
    requests: list[JsonObject],
    call: ApiRequest,
    send: SubRequestHandler,
) -> list[JsonObject]:
    """Runs requests all or none; those that only read need no change."""
    reads = all(str(request["method"]).upper() == "GET" for request in requests)
    if reads and not org.store.writable:
        return _run(org, requests, call, send)
    replies: list[JsonObject] = []
    try:
        with org.store.change():
            replies = _run(org, requests, call, send, stop=True)
            if any(_failed(reply) for reply in replies):
                raise CompositeUndone
    except CompositeUndone:
        pairs = list(zip(requests, replies, strict=True))
        replies = [
            reply if _failed(reply) else _answer(request, refusal(HALTED))
            for request, reply in pairs
        ]
    return replies


def _run(
    org: Served,
    requests: list[JsonObject],
    call: ApiRequest,
    send: SubRequestHandler,
    stop: bool = False,
) -> list[JsonObject]:
    """Runs request by request; with `stop`, none is tried after a failed one."""
    earlier = EarlierReplies()
    replies: list[JsonObject] = []
    halted = False
    for request in requests:
        reply = refusal(HALTED) if halted else _sent(org, request, earlier, call, send)
        halted = stop and (halted or reply.failed)
        if not reply.failed:
            earlier.bodies[str(request["referenceId"])] = reply.body
        replies.append(_answer(request, reply))
    return replies


def _sent(
    org: Served,
    request: JsonObject,
    earlier: "EarlierReplies",
    call: ApiRequest,
    send: SubRequestHandler,
) -> ApiResponse:
    """Sends a request with the values of earlier replies in it."""
    try:
        url = str(earlier.filled(request["url"]))
        body = earlier.filled(request.get("body", {}))
    except Refused as error:
        return refusal(error)
    return _passed_on(org, str(request["method"]), url, body, call, send)


def _sent_alone(
    org: Served,
    request: JsonObject,
    call: ApiRequest,
    send: SubRequestHandler,
) -> ApiResponse:
    """Sends a request of a batch."""
    try:
        found = BATCH_URL.fullmatch(text_in(request, "url"))
        method = text_in(request, "method").upper()
        if found is None or method not in METHODS:
            raise Refused(
                "INVALID_INPUT",
                "a request has a method (GET, POST, PATCH, DELETE) and a url that begins with"
                " vXX.X/",
            )
    except Refused as error:
        return refusal(error)
    url = f"/services/data/{found[1]}"
    return _passed_on(org, method, url, request.get("richInput", {}), call, send)


def _passed_on(
    org: Served,
    method: str,
    url: str,
    body: object,
    call: ApiRequest,
    send: SubRequestHandler,
) -> ApiResponse:
    """Sends a request that was part of another; what holds others itself isn't taken."""
    found = URL.fullmatch(url)
    assert found is not None
    version, path, query = found.groups()
    # The CRM takes no notice of case in paths.
    plain = path.lower().rstrip("/")
    if plain.startswith(NO_PARTS) or plain == "/composite":
        return refusal(Refused("INVALID_INPUT", f"{path[:60]} can't be part of a composite call"))
    subrequest = ApiRequest(
        method=method.upper(),
        path=path,
        version=version,
        params=dict(parse_qsl(query or "", keep_blank_values=True)),
        body=body,
        headers=call.headers,
        instance=call.instance,
    )
    return send(org, subrequest)


def _answer(request: JsonObject, reply: ApiResponse) -> JsonObject:
    return {
        "body": reply.body,
        "httpHeaders": dict(reply.headers),
        "httpStatusCode": reply.status,
        "referenceId": request["referenceId"],
    }


def _failed(reply: JsonObject) -> bool:
    status = reply["httpStatusCode"]
    return isinstance(status, int) and status >= 400


@dataclass(slots=True)
class EarlierReplies:
    """The bodies of earlier replies, by reference id, and how much of them may still be put into
    texts: a short request could else name a long value a thousand times.
    """

    bodies: dict[str, object] = field(default_factory=dict)
    left: int = MOST_FILLED

    def filled(self, value: object) -> object:
        """Returns a value with its references replaced.

        One that is nothing but a reference keeps the type of what it stands for.
        """
        if isinstance(value, dict):
            return {name: self.filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.filled(member) for member in value]
        if not isinstance(value, str):
            return value
        whole = REFERENCE.fullmatch(value)
        return self._reached(whole) if whole else REFERENCE.sub(self._text, value)

    def _text(self, found: "re.Match[str]") -> str:
        text = str(self._reached(found))
        self.left -= len(text)
        if self.left < 0:
            raise Refused(
                "INVALID_INPUT",
                f"references put more than {MOST_FILLED:,} characters into the requests; send them"
                " in parts",
            )
        return text

    def _reached(self, found: "re.Match[str]") -> object:
        """What a reference stands for; raises PROCESSING_HALTED where there is nothing."""
        value: object = self.bodies.get(found[1])
        for name, place in STEP.findall(found[2]):
            value = _member(value, int(place)) if place else _named(value, name.lower())
        if value is None:
            raise Refused(
                "PROCESSING_HALTED",
                f"Invalid reference specified. No value for {found[0][2:-1]} found",
            )
        return value


def _member(value: object, place: int) -> object:
    return value[place] if isinstance(value, list) and place < len(value) else None


def _named(value: object, name: str) -> object:
    """A JSON object's value under a name in any case; `name` is in lower case."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key.lower() == name:
                return member
    return None


def _insert(
    org: Served,
    node: TreeRecord,
    ids: dict[str, str],
    faults: dict[str, Refused],
) -> None:
    """Creates a record of a tree; one whose parent failed isn't tried."""
    given = node.values
    if node.parent is not None:
        if node.parent not in ids:
            return
        given = {**node.values, str(node.field): ids[node.parent]}
    try:
        ids[node.reference] = org.writer.insert(node.access, given)
    except Refused as error:
        faults[node.reference] = error


def _nodes(
    org: Served,
    access: CrmObject,
    record: JsonObject,
    level: int,
    field: str | None = None,
    parent: str | None = None,
) -> Iterator[TreeRecord]:
    """Yields a record and then all below it."""
    if level > MOST_LEVELS:
        raise Refused("INVALID_INPUT", f"a tree has at most {MOST_LEVELS} levels")
    if type_in(record).lower() != access.name.lower():
        raise Refused(
            "INVALID_INPUT", f"a record of type {access.name} is expected, not {type_in(record)}"
        )
    reference = _reference(record)
    below: list[tuple[str, JsonObject]] = []
    values: JsonObject = {}
    for name, value in record.items():
        children = isinstance(value, dict) and "records" in value
        if isinstance(value, dict) and children and name.lower() in access.children:
            below.append((name.lower(), value))
        else:
            values[name] = value
    yield TreeRecord(
        reference,
        access,
        values,
        field,
        parent,
    )
    for name, value in below:
        child = access.children[name]
        for member in records_in(value):
            child_access = org.writer.access(child.entity)
            yield from _nodes(
                org,
                child_access,
                member,
                level + 1,
                child.field,
                reference,
            )


def _reference(record: JsonObject) -> str:
    """The reference id that a record of a tree must have."""
    attributes = record["attributes"]
    reference = attributes.get("referenceId") if isinstance(attributes, dict) else None
    if not isinstance(reference, str) or not reference:
        raise Refused("INVALID_INPUT", "Include a reference ID for each record in the request.")
    return reference


def _check_nodes(nodes: list[TreeRecord]) -> None:
    """Refuses trees that are too large, empty, or name a record twice."""
    names = [node.reference for node in nodes]
    if len(nodes) > MOST_RECORDS:
        raise Refused(
            "INVALID_INPUT",
            f"a call takes at most {MOST_RECORDS} records over all trees, not {len(nodes)}",
        )
    if len({node.access.name for node in nodes}) > MOST_TYPES:
        raise Refused("INVALID_INPUT", f"a call takes at most {MOST_TYPES} different object types")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise Refused("INVALID_INPUT", f"Duplicate reference ID: {repeated[0]}")
    if not nodes:
        raise Refused("INVALID_INPUT", "the request has no records")
