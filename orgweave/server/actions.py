"""What is neither record nor query: versions, resources, limits, and the action that publishes
articles.
"""

from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, fault_of, records_in
from orgweave.server.rules import DRAFT
from orgweave.server.served import Served
from orgweave.server.store import StoreRow
from orgweave.server.values import whole_id
from schemas.errors import Refused

OLDEST, NEWEST, QUOTA = 31, 64, 1_000_000
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
)
ARTICLE = "Knowledge__kav"
PUBLISH = "publishKnowledgeArticles"


def versions() -> ApiResponse:
    """The API versions; all answer alike."""
    return ApiResponse(
        200,
        [
            {
                "label": f"Version {number}",
                "url": f"/services/data/v{number}.0",
                "version": f"{number}.0",
            }
            for number in range(OLDEST, NEWEST + 1)
        ],
    )


def resources(org: Served, call: ApiRequest) -> ApiResponse:
    """What lies under a version."""
    return ApiResponse(200, {name: f"{call.base}/{name}" for name in RESOURCES})


def limits(org: Served, call: ApiRequest) -> ApiResponse:
    """How often the server was called; nothing is ever refused for it."""
    left = max(QUOTA - org.usage.calls, 0)
    return ApiResponse(
        200,
        {
            "DailyApiRequests": {"Max": QUOTA, "Remaining": left},
            "DailyBulkV2QueryJobs": {"Max": 10_000, "Remaining": 10_000},
        },
    )


def publish(org: Served, call: ApiRequest) -> ApiResponse:
    """Puts drafts of articles online, input by input."""
    results = [_published(org, one) for one in records_in(call.record(), "inputs")]
    return ApiResponse(200 if all(result["isSuccess"] for result in results) else 400, results)


def _published(org: Served, one: JsonObject) -> JsonObject:
    made: JsonObject = {
        "actionName": PUBLISH,
        "errors": None,
        "isSuccess": True,
        "outputValues": {},
    }
    try:
        if one.get("pubAction") not in ("PUBLISH_ARTICLE", "PUBLISH_ARTICLE_NEW_VERSION"):
            raise Refused(
                "INVALID_INPUT", "pubAction must be PUBLISH_ARTICLE or PUBLISH_ARTICLE_NEW_VERSION"
            )
        keys = one.get("articleVersionIdList")
        if not isinstance(keys, list) or not keys:
            raise Refused(
                "REQUIRED_FIELD_MISSING", "Missing required input parameter: articleVersionIdList"
            )
        with org.store.change():
            for key in keys:
                _publish(org, str(key))
    except Refused as error:
        return {**made, "isSuccess": False, "errors": [fault_of(error)], "outputValues": None}
    return made


def _publish(org: Served, key: str) -> None:
    if ARTICLE.lower() not in org.objects:
        raise Refused("INVALID_TYPE", f"sObject type '{ARTICLE}' is not supported by this org")
    with org.store.change() as change:
        row = change.row(ARTICLE, whole_id(key))
        if row is None:
            raise Refused("INVALID_CROSS_REFERENCE_KEY", f"invalid cross reference id: {key[:60]}")
        if row["PublishStatus"] != DRAFT:
            raise Refused(
                "INVALID_INPUT",
                f"The article {key} is {row['PublishStatus']}; only drafts can be published",
            )
        changes: StoreRow = {
            "PublishStatus": "Online",
            **(
                {"FirstPublishedDate": org.writer.time()}
                if row.get("FirstPublishedDate", "") is None
                else {}
            ),
        }
        change.update(ARTICLE, row["Id"], changes)
