"""What changed in a span of time: `/sobjects/X/updated` and `/sobjects/X/deleted`.

Changed records are found by SystemModstamp; deleted ones are remembered as long as the server
lives. Knows no other way to synchronize: queries by SystemModstamp do, too.

Example: `GET /sobjects/Case/updated/?start=2023-12-01T00:00:00Z&end=2023-12-31T00:00:00Z` answers
`{"ids": ["500...", ...], "latestDateCovered": "2023-12-31T00:00:00.000+0000"}`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from orgweave.crm.field import CrmObject
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject
from orgweave.server.records import object_at
from orgweave.server.served import Served
from orgweave.soql.literals import in_utc, stored
from schemas.errors import Refused

FARTHEST = timedelta(days=30)
"""How far back a span may begin: the CRM's own bound."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From `start` up to, and without, `end`, in the org's form; `start` is before `end`."""

    start: str
    end: str


def updated(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the ids of the records that were created or changed in a span of time."""
    access = object_at(org, name)
    span = _span(org, call)
    stamp = _stamp(access)
    text = (
        f"SELECT Id FROM {access.name} WHERE {stamp} >= {span.start} AND {stamp} < {span.end}"
        f" ORDER BY {stamp}, Id"
    )
    ids = [record["Id"] for record in org.engine.query(text)]
    return ApiResponse(200, {"ids": ids, "latestDateCovered": span.end})


def deleted(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the records that were deleted in a span of time, and when."""
    access = object_at(org, name)
    _stamp(access)
    span = _span(org, call)
    records: list[JsonObject] = []
    for key, when in org.writer.deleted_of(access):
        if span.start <= when < span.end:
            records.append({"id": key, "deletedDate": when})
    answer: JsonObject = {
        "deletedRecords": records,
        "earliestDateAvailable": stored(in_utc(org.engine.clock) - FARTHEST),
        "latestDateCovered": span.end,
    }
    return ApiResponse(200, answer)


def _stamp(access: CrmObject) -> str:
    if access.stamp is None:
        raise Refused(
            "INVALID_TYPE_FOR_OPERATION", f"{access.name} keeps no time of its records' changes"
        )
    return access.stamp


def _span(org: Served, call: ApiRequest) -> TimeSpan:
    """The span that a URL names, cut off at now."""
    start, end = _moment(call, "start"), _moment(call, "end")
    # The current second is over for whoever asks: a stamp has no fractions.
    now = org.engine.clock.replace(microsecond=0) + timedelta(seconds=1)
    if start >= end:
        raise Refused("INVALID_REPLICATION_DATE", "start must be before end")
    if start < now - FARTHEST:
        raise Refused(
            "INVALID_REPLICATION_DATE",
            f"start must be within the last {FARTHEST.days} days; it is {stored(now)} here",
        )
    return TimeSpan(stored(start), stored(max(start, min(end, now))))


def _moment(call: ApiRequest, name: str) -> datetime:
    text = call.params.get(name, "").replace(" ", "+")
    try:
        return in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise Refused(
            "INVALID_REPLICATION_DATE",
            f"{name} must be a datetime such as 2023-12-31T08:00:00Z, not {text[:40]}",
        ) from error
