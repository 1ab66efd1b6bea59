"""From a call to its reply: the table of endpoints, errors, and what is neither record nor query.

That is the versions, resources and limits, and the action that publishes articles. Knows no HTTP
server; `app` puts it on one. Example: `answer(org, ApiRequest("GET", "/sobjects/Case/500...",
"59.0"))` -> `ApiResponse(200, {"attributes": ..., "Subject": ...})`.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from urllib.parse import unquote

from orgweave.server import around, composite, queries, records, sync
from orgweave.server.bulk import rest as bulk
from orgweave.server.call import (
    ApiRequest,
    ApiResponse,
    JsonObject,
    fault_of,
    records_in,
    refusal,
)
from orgweave.server.served import Served
from schemas.errors import OrgweaveError, Refused

OLDEST, NEWEST = 31, 66
"""API versions; all answer alike."""
QUOTA = 1_000_000
"""Calls a day that `limits` tells of; none is refused."""
RESOURCES = (
    "sobjects",
    "query",
    "queryAll",
    "search",
    "parameterizedSearch",
    "composite",
    "jobs",
    "limits",
    "actions",
    "recent",
    "tabs",
    "theme",
    "quickActions",
)
NO_CODE = (
    ": there is no code here and no metadata to change; describe calls tell of objects and fields"
)
ARTICLE = "Knowledge__kav"
PUBLISH = "publishKnowledgeArticles"
RouteHandler = Callable[..., ApiResponse]
PATTERN = {"X": r"(\w+)", "*": "([^/]+)"}


def versions() -> ApiResponse:
    """Lists the API versions."""
    found = []
    for number in range(OLDEST, NEWEST + 1):
        version = f"{number}.0"
        url = f"/services/data/v{version}"
        found.append(
            {
                "label": f"Version {number}",
                "url": url,
                "version": version,
            }
        )
    return ApiResponse(200, found)


def resources(org: Served, call: ApiRequest) -> ApiResponse:
    """Lists what lies under a version."""
    found: JsonObject = {name: f"{call.base}/{name}" for name in RESOURCES}
    found["identity"] = f"{call.instance}/id/{org.organization}/{org.user or org.organization}"
    return ApiResponse(200, found)


def limits(org: Served, call: ApiRequest) -> ApiResponse:
    """Tells how often the server was called; nothing is ever refused for it."""
    left = max(QUOTA - org.usage.calls, 0)
    jobs_left = {"Max": 10_000, "Remaining": 10_000}
    calls_left = {"Max": QUOTA, "Remaining": left}
    return ApiResponse(200, {"DailyApiRequests": calls_left, "DailyBulkV2QueryJobs": jobs_left})


def publish(org: Served, call: ApiRequest) -> ApiResponse:
    """Puts drafts of articles online, input by input."""
    results = [_published(org, given) for given in records_in(call.record(), "inputs")]
    return ApiResponse(200 if all(result["isSuccess"] for result in results) else 400, results)


def _composite(org: Served, call: ApiRequest) -> ApiResponse:
    return composite.composite(org, call, answer)


def _graph(org: Served, call: ApiRequest) -> ApiResponse:
    return composite.graph(org, call, answer)


def _batch(org: Served, call: ApiRequest) -> ApiResponse:
    return composite.batch(org, call, answer)


ENDPOINTS: tuple[tuple[str, str, RouteHandler], ...] = (
    ("GET", "", resources),
    ("GET", "limits", limits),
    ("GET", "sobjects", records.all_objects),
    ("GET", "sobjects/X", records.object_info),
    ("POST", "sobjects/X", records.create),
    ("GET", "limits/recordCount", around.record_count),
    ("GET", "recent", around.nothing),
    ("GET", "tabs", around.nothing),
    ("GET", "quickActions", around.nothing),
    ("GET", "theme", around.theme),
    ("GET", "sobjects/X/describe", around.describe),
    ("GET", "sobjects/X/describe/layouts", around.layouts),
    ("GET", "sobjects/X/describe/layouts/X", around.layout),
    ("GET", "sobjects/X/describe/compactLayouts", around.compact_layouts),
    ("GET", "sobjects/X/describe/approvalLayouts", around.approval_layouts),
    ("GET", "sobjects/X/listviews", around.list_views),
    ("GET", "sobjects/X/quickActions", around.actions),
    ("GET", "sobjects/X/updated", sync.updated),
    ("GET", "sobjects/X/deleted", sync.deleted),
    ("GET", "sobjects/X/*", records.read),
    ("PATCH", "sobjects/X/*", records.change),
    ("DELETE", "sobjects/X/*", records.delete),
    ("GET", "sobjects/X/X/*", records.read_by),
    ("PATCH", "sobjects/X/X/*", records.upsert),
    ("DELETE", "sobjects/X/X/*", records.delete_by),
    ("GET", "query", queries.query),
    ("GET", "query/*", queries.more),
    ("GET", "queryAll", queries.query),
    ("GET", "queryAll/*", queries.more),
    ("GET", "search", queries.search),
    ("GET", "parameterizedSearch", queries.parameterized),
    ("POST", "parameterizedSearch", queries.parameterized),
    ("POST", "composite", _composite),
    ("POST", "composite/graph", _graph),
    ("POST", "composite/batch", _batch),
    ("POST", "composite/tree/X", composite.create_tree),
    ("POST", "composite/sobjects", records.create_many),
    ("PATCH", "composite/sobjects", records.change_many),
    ("DELETE", "composite/sobjects", records.delete_many),
    ("GET", "composite/sobjects/X", records.read_many),
    ("POST", "composite/sobjects/X", records.read_many),
    ("PATCH", "composite/sobjects/X/X", records.upsert_many),
    ("GET", "jobs/ingest", partial(bulk.all_jobs, "ingest")),
    ("POST", "jobs/ingest", bulk.create_ingest),
    ("GET", "jobs/ingest/*", partial(bulk.state_of, "ingest")),
    ("PATCH", "jobs/ingest/*", bulk.close_ingest),
    ("DELETE", "jobs/ingest/*", bulk.delete_ingest),
    ("PUT", "jobs/ingest/*/batches", bulk.upload),
    ("GET", "jobs/ingest/*/successfulResults", bulk.successful),
    ("GET", "jobs/ingest/*/failedResults", bulk.failed),
    ("GET", "jobs/ingest/*/unprocessedrecords", bulk.unprocessed),
    ("GET", "jobs/query", partial(bulk.all_jobs, "query")),
    ("POST", "jobs/query", bulk.create_query),
    ("GET", "jobs/query/*", partial(bulk.state_of, "query")),
    ("PATCH", "jobs/query/*", bulk.abort_query),
    ("DELETE", "jobs/query/*", bulk.delete_query),
    ("GET", "jobs/query/*/results", bulk.results),
    ("POST", f"actions/standard/{PUBLISH}", publish),
)
"""Method, path behind the version (X a name, * any one part), handler.

The groups of X and * are the handler's further arguments, in their order.
"""


def _compiled(path: str) -> "re.Pattern[str]":
    """The pattern of a path of the table; the CRM takes no notice of case in paths."""
    parts = [PATTERN.get(part, re.escape(part)) for part in path.split("/") if part]
    pattern = "".join(f"/{part}" for part in parts)
    return re.compile(f"{pattern}/?", re.ASCII | re.IGNORECASE)


@cache
def _routes() -> tuple[tuple[str, "re.Pattern[str]", RouteHandler], ...]:
    return tuple((method, _compiled(path), handler) for method, path, handler in ENDPOINTS)


def answer(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers a call; every error of the project's own becomes one in the CRM's form."""
    try:
        return _routed(org, call)
    except Refused as error:
        return refusal(error)
    except OrgweaveError as error:
        return refusal(Refused("UNKNOWN_EXCEPTION", str(error)))


def _routed(org: Served, call: ApiRequest) -> ApiResponse:
    known = False
    for method, pattern, handler in _routes():
        found = pattern.fullmatch(call.path)
        if found and method == call.method:
            parts = [unquote(part) for part in found.groups()]
            return handler(org, call, *parts)
        known = known or found is not None
    if known:
        raise Refused("METHOD_NOT_ALLOWED", f"HTTP Method '{call.method}' not allowed here")
    hint = NO_CODE if call.path.lower().startswith(("/tooling", "/metadata")) else ""
    raise Refused("NOT_FOUND", f"The requested resource does not exist{hint}")


def _published(org: Served, given: JsonObject) -> JsonObject:
    """Publishes the articles of one input, all or none; returns its result."""
    made: JsonObject = {
        "actionName": PUBLISH,
        "errors": None,
        "isSuccess": True,
        "outputValues": {},
    }
    try:
        if given.get("pubAction") not in ("PUBLISH_ARTICLE", "PUBLISH_ARTICLE_NEW_VERSION"):
            raise Refused(
                "INVALID_INPUT", "pubAction must be PUBLISH_ARTICLE or PUBLISH_ARTICLE_NEW_VERSION"
            )
        keys = given.get("articleVersionIdList")
        if not isinstance(keys, list) or not keys:
            raise Refused(
                "REQUIRED_FIELD_MISSING", "Missing required input parameter: articleVersionIdList"
            )
        with org.store.change():
            for key in keys:
                _publish(org, str(key))
    except Refused as error:
        return {
            **made,
            "isSuccess": False,
            "errors": [fault_of(error)],
            "outputValues": None,
        }
    return made


def _publish(org: Served, key: str) -> None:
    if ARTICLE.lower() not in org.objects:
        raise Refused("INVALID_TYPE", f"sObject type '{ARTICLE}' is not supported by this org")
    org.writer.publish(org.objects[ARTICLE.lower()], key)
