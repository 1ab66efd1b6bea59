"""Bulk 2.0 query jobs under `/jobs/query`: a SOQL text whose answer is fetched as CSV, in parts if
need be.
"""

from collections.abc import Iterator

from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, text_in
from orgweave.server.jobs import BulkJob, info_of
from orgweave.server.served import Served
from orgweave.server.tables import DELIMITERS, ENDINGS, write_rows
from orgweave.soql.sql import FieldValue, Nested, RecordShape
from schemas.errors import OrgweaveError, Refused

OPERATIONS = frozenset({"query", "queryAll"})
NO_MORE = "null"


def create(org: Served, call: ApiRequest) -> ApiResponse:
    """A new job, which starts at once."""
    body = call.record()
    operation, text = text_in(body, "operation"), text_in(body, "query")
    if operation not in OPERATIONS:
        raise Refused("INVALIDJOB", f"operation {operation[:40]} isn't query or queryAll")
    delimiter, ending = str(body.get("columnDelimiter", "COMMA")), str(body.get("lineEnding", "LF"))
    if delimiter not in DELIMITERS or ending not in ENDINGS:
        raise Refused(
            "INVALIDJOB",
            f"columnDelimiter is one of {', '.join(DELIMITERS)}, lineEnding one of"
            f" {', '.join(ENDINGS)}",
        )
    entity = org.engine.query(text).entity
    job = org.jobs.add(
        lambda key: BulkJob(
            key,
            "query",
            operation,
            entity,
            org.writer.time(),
            call.version,
            text,
            None,
            delimiter,
            ending,
            "UploadComplete",
        )
    )
    told = info(job)
    org.jobs.start(lambda: work(org, job))
    return ApiResponse(200, told)


def jobs(org: Served, call: ApiRequest) -> ApiResponse:
    """All jobs."""
    return ApiResponse(
        200,
        {
            "done": True,
            "records": [info(job) for job in org.jobs.all("query")],
            "nextRecordsUrl": None,
        },
    )


def state(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """How the job stands."""
    return ApiResponse(200, info(org.jobs.get("query", key)))


def abort(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Ends a job."""
    job = org.jobs.get("query", key)
    if text_in(call.record(), "state") != "Aborted" or job.over:
        raise Refused(
            "INVALIDJOBSTATE",
            f"a query job in state {job.state} can only be left alone; one under way can be"
            " Aborted",
        )
    job.state = "Aborted"
    return ApiResponse(200, info(job))


def delete(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Forgets a job that is over."""
    job = org.jobs.get("query", key)
    if not job.over:
        raise Refused("INVALIDJOBSTATE", "a job under way can't be deleted; abort it first")
    org.jobs.remove(job)
    return ApiResponse(204)


def results(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """The answer as CSV: `maxRecords` rows from `locator` on; the header Sforce-Locator names the
    next part.
    """
    job = org.jobs.get("query", key)
    if job.state != "JobComplete":
        raise Refused(
            "INVALIDJOBSTATE", f"the results are there once the job is complete; it is {job.state}"
        )
    start, size = _number(call, "locator", 0), _number(call, "maxRecords", max(len(job.rows), 1))
    rows = job.rows[start : start + size]
    following = str(start + size) if start + size < len(job.rows) else NO_MORE
    headers = {
        "content-type": "text/csv; charset=UTF-8",
        "Sforce-Locator": following,
        "Sforce-NumberOfRecords": str(len(rows)),
    }
    return ApiResponse(
        200, write_rows([job.columns, *rows], job.delimiter, job.line_ending), headers
    )


def info(job: BulkJob) -> JsonObject:
    """A job as REST gives it."""
    return info_of(job, "V2Query", {"numberRecordsProcessed": len(job.rows)})


def work(org: Served, job: BulkJob) -> None:
    """Runs the query; whatever happens, the job ends in a state that says so."""
    if job.state != "UploadComplete":
        return
    job.state = "InProgress"
    try:
        result = org.engine.query(job.query)
        shape = result.plan.shape
        if not isinstance(shape, RecordShape):
            raise Refused(
                "FEATURENOTENABLED", "Aggregate queries are not supported by Bulk API queries"
            )
        paths = tuple(_paths(shape))
        job.columns = tuple(".".join(path) for path in paths)
        job.rows = [tuple(_text(record, path) for path in paths) for record in result]
        job.state = "JobComplete" if job.state == "InProgress" else job.state
    except OrgweaveError as error:
        job.state, job.message = "Failed", str(error)


def _paths(shape: RecordShape) -> Iterator[tuple[str, ...]]:
    for part in shape.parts:
        match part:
            case FieldValue():
                yield (part.name,)
            case Nested():
                yield from ((part.name, *path) for path in _paths(part.shape))
            case _:
                raise Refused(
                    "FEATURENOTENABLED", "Nested queries are not supported by Bulk API queries"
                )


def _text(record: object, path: tuple[str, ...]) -> str:
    for name in path:
        record = record.get(name) if isinstance(record, dict) else None
    if isinstance(record, bool):
        return str(record).lower()
    return "" if record is None else str(record)


def _number(call: ApiRequest, name: str, missing: int) -> int:
    text = call.params.get(name, "")
    if text in ("", NO_MORE):
        return missing
    if not (text.isascii() and text.isdigit() and len(text) < 10) or (
        name == "maxRecords" and int(text) < 1
    ):
        raise Refused(
            "INVALID_QUERY_LOCATOR",
            f"{name} must be a number that an earlier answer gave, not {text[:40]}",
        )
    return int(text)
