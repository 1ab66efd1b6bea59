"""Many requests in one: `/composite` (25, each for itself or all or none) and `/composite/graph`
(each graph all or none).

A later request takes values from earlier replies: `@{order.id}`, `@{cases.records[0].Id}`, in its
URL and its body.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl

from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, records_in, refusal, text_in
from orgweave.server.served import Served
from schemas.errors import Refused

SubRequestHandler = Callable[[Served, ApiRequest], ApiResponse]
MOST, NODES, GRAPHS = 25, 500, 75
REFERENCE = re.compile(r"@\{(\w+)((?:\.\w+|\[\d+\])*)\}", re.ASCII)
STEP = re.compile(r"\.(\w+)|\[(\d+)\]", re.ASCII)
URL = re.compile(r"/services/data/v(\d+\.\d)(/[^?]*)(?:\?(.*))?", re.DOTALL)
IN_GRAPHS = re.compile(r"/sobjects/\w+(/[^/]+){0,2}/?", re.ASCII)
METHODS = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE"})
HALTED = Refused(
    "PROCESSING_HALTED",
    "The transaction was rolled back since another operation in the same transaction failed.",
)


class CompositeUndone(Exception):
    """A request failed and all are to be undone; never leaves this module."""


def composite(org: Served, call: ApiRequest, send: SubRequestHandler) -> ApiResponse:
    """The replies in the order of the requests."""
    body = call.record()
    requests = records_in(body, "compositeRequest")
    if not 0 < len(requests) <= MOST:
        raise Refused(
            "INVALID_INPUT", f"a composite call takes 1 to {MOST} requests, not {len(requests)}"
        )
    _check(requests)
    replies = (
        _together(org, requests, call, send)
        if body.get("allOrNone") is True
        else _run(org, requests, call, send)
    )
    return ApiResponse(200, {"compositeResponse": replies})


def graph(org: Served, call: ApiRequest, send: SubRequestHandler) -> ApiResponse:
    """The replies graph by graph."""
    graphs = records_in(call.record(), "graphs")
    lists = [records_in(one, "compositeRequest") for one in graphs]
    if len(graphs) > GRAPHS or sum(map(len, lists)) > NODES:
        raise Refused(
            "INVALID_INPUT", f"a call takes at most {GRAPHS} graphs with {NODES} requests in all"
        )
    names = [text_in(one, "graphId") for one in graphs]
    if len(set(names)) < len(names):
        raise Refused("INVALID_INPUT", "each graph needs a graphId of its own")
    for requests in lists:
        _check(requests)
        for one in requests:
            found = URL.fullmatch(text_in(one, "url"))
            if found is None or not IN_GRAPHS.fullmatch(REFERENCE.sub("x", found[2])):
                raise Refused(
                    "INVALID_INPUT",
                    f"a graph takes requests to sobjects only, not {text_in(one, 'url')[:80]}",
                )
    return ApiResponse(
        200,
        {
            "graphs": [
                _graph(org, name, requests, call, send)
                for name, requests in zip(names, lists, strict=True)
            ]
        },
    )


def _graph(
    org: Served, name: str, requests: list[JsonObject], call: ApiRequest, send: SubRequestHandler
) -> JsonObject:
    replies = _together(org, requests, call, send)
    right = not any(_failed(reply) for reply in replies)
    return {"graphId": name, "graphResponse": {"compositeResponse": replies}, "isSuccessful": right}


def _check(requests: Sequence[JsonObject]) -> None:
    names = [text_in(one, "referenceId") for one in requests]
    if len(set(names)) < len(names):
        raise Refused("INVALID_INPUT", "each request needs a referenceId of its own")
    for one in requests:
        if str(one.get("method", "")).upper() not in METHODS or not URL.fullmatch(
            text_in(one, "url")
        ):
            raise Refused(
                "INVALID_INPUT",
                "a request has a method (GET, POST, PATCH, DELETE) and a url that begins with"
                " /services/data/vXX.X/",
            )


def _together(
    org: Served, requests: list[JsonObject], call: ApiRequest, send: SubRequestHandler
) -> list[JsonObject]:
    """All or none; requests that only read need no change."""
    if not org.store.writable and all(str(one["method"]).upper() == "GET" for one in requests):
        return _run(org, requests, call, send)
    replies: list[JsonObject] = []
    try:
        with org.store.change():
            replies = _run(org, requests, call, send, stop=True)
            if any(_failed(reply) for reply in replies):
                raise CompositeUndone
    except CompositeUndone:
        replies = [
            reply if _failed(reply) else _answer(one, refusal(HALTED))
            for one, reply in zip(requests, replies, strict=True)
        ]
    return replies


def _run(
    org: Served,
    requests: list[JsonObject],
    call: ApiRequest,
    send: SubRequestHandler,
    stop: bool = False,
) -> list[JsonObject]:
    """ApiRequest by request; with `stop`, none is tried behind a failed one."""
    bodies: dict[str, object] = {}
    replies: list[JsonObject] = []
    for one in requests:
        reply = (
            refusal(HALTED)
            if stop and replies and any(_failed(made) for made in replies)
            else _sent(org, one, bodies, call, send)
        )
        if not reply.failed:
            bodies[str(one["referenceId"])] = reply.body
        replies.append(_answer(one, reply))
    return replies


def _sent(
    org: Served,
    one: JsonObject,
    bodies: Mapping[str, object],
    call: ApiRequest,
    send: SubRequestHandler,
) -> ApiResponse:
    try:
        url = str(_filled(one["url"], bodies))
        body = _filled(one.get("body", {}), bodies)
    except Refused as error:
        return refusal(error)
    found = URL.fullmatch(url)
    assert found is not None
    if found[2].startswith(("/composite/graph", "/jobs")) or found[2].rstrip("/") == "/composite":
        return refusal(
            Refused("INVALID_INPUT", f"{found[2][:60]} can't be part of a composite call")
        )
    params = dict(parse_qsl(found[3] or "", keep_blank_values=True))
    return send(
        org, ApiRequest(str(one["method"]).upper(), found[2], found[1], params, body, call.headers)
    )


def _answer(one: JsonObject, reply: ApiResponse) -> JsonObject:
    return {
        "body": reply.body,
        "httpHeaders": dict(reply.headers),
        "httpStatusCode": reply.status,
        "referenceId": one["referenceId"],
    }


def _failed(reply: JsonObject) -> bool:
    status = reply["httpStatusCode"]
    return isinstance(status, int) and status >= 400


def _filled(value: object, bodies: Mapping[str, object]) -> object:
    """A value with its references replaced; one that is nothing but a reference keeps the type of
    what it stands for.
    """
    if isinstance(value, dict):
        return {name: _filled(one, bodies) for name, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, bodies) for one in value]
    if not isinstance(value, str):
        return value
    whole = REFERENCE.fullmatch(value)
    return (
        _reached(whole, bodies)
        if whole
        else REFERENCE.sub(lambda found: str(_reached(found, bodies)), value)
    )


def _reached(found: "re.Match[str]", bodies: Mapping[str, object]) -> object:
    at: object = bodies.get(found[1])
    for name, place in STEP.findall(found[2]):
        if place:
            at = at[int(place)] if isinstance(at, list) and int(place) < len(at) else None
        else:
            at = (
                next((one for key, one in at.items() if key.lower() == name.lower()), None)
                if isinstance(at, dict)
                else None
            )
    if at is None:
        raise Refused(
            "PROCESSING_HALTED", f"Invalid reference specified. No value for {found[0][2:-1]} found"
        )
    return at
