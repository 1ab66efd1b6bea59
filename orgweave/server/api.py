"""From a call to its reply: the table of endpoints, and errors in the CRM's form.

Knows no HTTP server; `app` puts it on one.

Example: `answer(org, Call("GET", "/sobjects/Case/500...", "59.0"))` -> `Reply(200, {"attributes":
..., "Subject": ...})`.
"""

import re
from collections.abc import Callable
from urllib.parse import unquote

from orgweave.server import actions, bulk_query, collections, composite, ingest, queries, rows, tree
from orgweave.server.call import ApiRequest, ApiResponse, refusal
from orgweave.server.served import Served
from schemas.errors import OrgweaveError, Refused

RouteHandler = Callable[..., ApiResponse]
PATTERN = {"X": r"(\w+)", "*": "([^/]+)"}
ENDPOINTS: tuple[tuple[str, str, RouteHandler], ...] = (
    ("GET", "", actions.resources),
    ("GET", "limits", actions.limits),
    ("GET", "sobjects", rows.all_objects),
    ("GET", "sobjects/X", rows.object_info),
    ("POST", "sobjects/X", rows.create),
    ("GET", "sobjects/X/describe", rows.describe),
    ("GET", "sobjects/X/*", rows.read),
    ("PATCH", "sobjects/X/*", rows.change),
    ("DELETE", "sobjects/X/*", rows.delete),
    ("GET", "sobjects/X/X/*", rows.read_by),
    ("PATCH", "sobjects/X/X/*", rows.upsert),
    ("DELETE", "sobjects/X/X/*", rows.delete_by),
    ("GET", "query", queries.query),
    ("GET", "query/*", queries.more),
    ("GET", "queryAll", queries.query),
    ("GET", "queryAll/*", queries.more),
    ("GET", "search", queries.search),
    ("GET", "parameterizedSearch", queries.parameterized),
    ("POST", "parameterizedSearch", queries.parameterized),
    ("POST", "composite", lambda org, call: composite.composite(org, call, answer)),
    ("POST", "composite/graph", lambda org, call: composite.graph(org, call, answer)),
    ("POST", "composite/tree/X", tree.create),
    ("POST", "composite/sobjects", collections.create),
    ("PATCH", "composite/sobjects", collections.change),
    ("DELETE", "composite/sobjects", collections.delete),
    ("GET", "composite/sobjects/X", collections.read),
    ("POST", "composite/sobjects/X", collections.read),
    ("PATCH", "composite/sobjects/X/X", collections.upsert),
    ("GET", "jobs/ingest", ingest.jobs),
    ("POST", "jobs/ingest", ingest.create),
    ("GET", "jobs/ingest/*", ingest.state),
    ("PATCH", "jobs/ingest/*", ingest.close),
    ("DELETE", "jobs/ingest/*", ingest.delete),
    ("PUT", "jobs/ingest/*/batches", ingest.upload),
    ("GET", "jobs/ingest/*/successfulResults", ingest.successful),
    ("GET", "jobs/ingest/*/failedResults", ingest.failed),
    ("GET", "jobs/ingest/*/unprocessedrecords", ingest.unprocessed),
    ("GET", "jobs/query", bulk_query.jobs),
    ("POST", "jobs/query", bulk_query.create),
    ("GET", "jobs/query/*", bulk_query.state),
    ("PATCH", "jobs/query/*", bulk_query.abort),
    ("DELETE", "jobs/query/*", bulk_query.delete),
    ("GET", "jobs/query/*/results", bulk_query.results),
    ("POST", f"actions/standard/{actions.PUBLISH}", actions.publish),
)
"""Method, path behind the version (X a name, * any one part), handler."""


def _compiled(path: str) -> "re.Pattern[str]":
    parts = [PATTERN.get(part, re.escape(part)) for part in path.split("/") if part]
    return re.compile("".join(f"/{part}" for part in parts) + "/?", re.ASCII | re.IGNORECASE)


ROUTES = tuple((method, _compiled(path), handler) for method, path, handler in ENDPOINTS)


def answer(org: Served, call: ApiRequest) -> ApiResponse:
    """The reply to a call; every error of the project's own becomes one in the CRM's form."""
    try:
        return _routed(org, call)
    except Refused as error:
        return refusal(error)
    except OrgweaveError as error:
        return refusal(Refused("UNKNOWN_EXCEPTION", str(error)))


def _routed(org: Served, call: ApiRequest) -> ApiResponse:
    there = False
    for method, pattern, handler in ROUTES:
        found = pattern.fullmatch(call.path)
        if found and method == call.method:
            return handler(org, call, *(unquote(part) for part in found.groups()))
        there = there or found is not None
    if there:
        raise Refused("METHOD_NOT_ALLOWED", f"HTTP Method '{call.method}' not allowed here")
    raise Refused("NOT_FOUND", "The requested resource does not exist")
