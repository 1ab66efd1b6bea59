"""How Bulk API 1.0 spells jobs, batches, results and errors: XML, or JSON where that is asked for.

Knows no job's work. Example: the job `AsyncJob("750...", "insert", "Contact", ...)` is
`<jobInfo xmlns="..."><id>750...</id><operation>insert</operation>...</jobInfo>`.
"""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from orgweave.server.bulk.jobs import AsyncJob, BulkJob, DoneRow, FailedRow, JobState
from orgweave.server.bulk.tables import write_rows
from orgweave.server.call import ApiResponse, JsonObject, fault_of, parsed
from schemas.errors import Refused

SPACE = "http://www.force.com/2009/06/asyncapi/dataload"
# Exactly these, for clients compare the whole header.
XML = "application/xml"
JSON = "application/json"
CSV = "text/csv"
CODES = {
    "INVALID_SESSION_ID": "InvalidSessionId",
    "INSUFFICIENT_ACCESS_OR_READONLY": "FeatureNotEnabled",
    "INVALIDJOB": "InvalidJob",
    "INVALIDJOBSTATE": "InvalidJobState",
    "INVALIDBATCH": "InvalidBatch",
    "INVALID_TYPE": "InvalidEntity",
    "JSON_PARSER_ERROR": "ClientInputError",
    "REQUEST_TOO_LARGE": "ClientInputError",
    "METHOD_NOT_ALLOWED": "InvalidUrl",
    "NOT_FOUND": "InvalidUrl",
}
"""Our error codes -> those of this API; all others are its `Unknown`."""
STATES: Mapping[JobState, str] = {
    "UploadComplete": "Queued",
    "InProgress": "InProgress",
    "JobComplete": "Completed",
    "Failed": "Failed",
    "Aborted": "NotProcessed",
}
NOTHING_FOUND = "Records not found for this query"
"""What the CSV of a query without records is, instead of a header."""
RESULT_HEADER = ("Id", "Success", "Created", "Error")
Told = Mapping[str, str | int | float | None]


def settings(body: object, as_json: bool) -> Mapping[str, str]:
    """Returns a job's settings off the wire, from JSON or XML; raises INVALIDJOB."""
    raw = body if isinstance(body, bytes) else b""
    if as_json:
        given = parsed(raw)
        if not isinstance(given, dict):
            raise Refused("INVALIDJOB", "a job is a JSON object: {...}")
        return {name: str(value) for name, value in given.items() if value is not None}
    # A document type could hold entities that grow without a bound.
    if b"<!" in raw or b"\0" in raw:
        raise Refused("INVALIDJOB", "a job is XML without a document type")
    try:
        root = ElementTree.fromstring(raw)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Refused("INVALIDJOB", f"the job isn't XML ({error})") from error
    return {element.tag.rpartition("}")[2]: (element.text or "").strip() for element in root}


def answer_job(job: AsyncJob, as_json: bool, status: int = 200) -> ApiResponse:
    """Returns the answer that tells of a job."""
    return _one("jobInfo", _job(job), as_json, status)


def answer_batch(job: AsyncJob, batch: BulkJob, as_json: bool, status: int = 200) -> ApiResponse:
    """Returns the answer that tells of a batch."""
    return _one("batchInfo", _batch(job, batch), as_json, status)


def answer_batches(job: AsyncJob, as_json: bool) -> ApiResponse:
    """Returns the answer that lists a job's batches."""
    batches = [_batch(job, batch) for batch in job.batches]
    if as_json:
        return ApiResponse(200, {"batchInfo": batches}, {"content-type": JSON})
    inside = "".join(f"<batchInfo>{_elements(batch)}</batchInfo>" for batch in batches)
    return _xml("batchInfoList", inside)


def answer_result_list(keys: Sequence[str], as_json: bool) -> ApiResponse:
    """Returns the answer that lists the ids of a query's results."""
    if as_json:
        return ApiResponse(200, list(keys), {"content-type": JSON})
    return _xml("result-list", "".join(f"<result>{key}</result>" for key in keys))


def answer_found(batch: BulkJob) -> ApiResponse:
    """Returns the answer with what a query found."""
    if batch.as_json:
        return ApiResponse(200, batch.records, {"content-type": JSON})
    text = write_rows([batch.columns, *batch.rows]) if batch.rows else NOTHING_FOUND
    return ApiResponse(200, text, {"content-type": CSV})


def answer_outcomes(batch: BulkJob) -> ApiResponse:
    """Returns the answer with what became of the rows, in their order."""
    if batch.as_json:
        results = [_result(row) for row in batch.outcomes]
        return ApiResponse(200, results, {"content-type": JSON})
    rows = [_result_row(row) for row in batch.outcomes]
    return ApiResponse(200, write_rows([RESULT_HEADER, *rows]), {"content-type": CSV})


def answer_error(error: Refused, as_json: bool) -> ApiResponse:
    """Returns an error in this API's form; all are 400 but those of the session."""
    status = 401 if error.code == "INVALID_SESSION_ID" else 400
    told = {"exceptionCode": CODES.get(error.code, "Unknown"), "exceptionMessage": str(error)}
    return _one("error", told, as_json, status)


def _job(job: AsyncJob) -> Told:
    states = [batch.state for batch in job.batches]
    done = sum(len(batch.outcomes) + len(batch.rows) + len(batch.records) for batch in job.batches)
    told: dict[str, str | int | float | None] = {
        "id": job.id,
        "operation": job.operation,
        "object": job.object,
        "createdDate": job.created,
        "systemModstamp": job.created,
        "state": job.state,
        "externalIdFieldName": job.external_id or None,
        "concurrencyMode": "Parallel",
        "contentType": job.content_type,
        "numberBatchesQueued": states.count("UploadComplete"),
        "numberBatchesInProgress": states.count("InProgress"),
        "numberBatchesCompleted": states.count("JobComplete"),
        "numberBatchesFailed": states.count("Failed"),
        "numberBatchesTotal": len(states),
        "numberRecordsProcessed": done,
        "numberRetries": 0,
        "apiVersion": float(job.version),
        "numberRecordsFailed": sum(len(batch.failed) for batch in job.batches),
    }
    return told


def _batch(job: AsyncJob, batch: BulkJob) -> Told:
    return {
        "id": batch.id,
        "jobId": job.id,
        "state": STATES[batch.state],
        "stateMessage": batch.message,
        "createdDate": batch.created,
        "systemModstamp": batch.created,
        "numberRecordsProcessed": len(batch.outcomes) + len(batch.rows) + len(batch.records),
        "numberRecordsFailed": len(batch.failed),
    }


def _result(row: DoneRow | FailedRow) -> JsonObject:
    if isinstance(row, DoneRow):
        return {"success": True, "created": row.created, "id": row.key, "errors": []}
    key = row.key or None
    return {"success": False, "created": False, "id": key, "errors": [fault_of(row.error)]}


def _result_row(row: DoneRow | FailedRow) -> tuple[str, ...]:
    if isinstance(row, DoneRow):
        return (row.key, "true", str(row.created).lower(), "")
    return (row.key, "false", "false", row.told)


def _one(name: str, told: Told, as_json: bool, status: int) -> ApiResponse:
    """One thing told by its properties; those that are null are left out of XML."""
    if as_json:
        return ApiResponse(status, dict(told), {"content-type": JSON})
    return _xml(name, _elements(told), status)


def _elements(told: Told) -> str:
    known = [(name, str(value)) for name, value in told.items() if value is not None]
    return "".join(f"<{name}>{escape(value)}</{name}>" for name, value in known)


def _xml(name: str, inside: str, status: int = 200) -> ApiResponse:
    text = f'<?xml version="1.0" encoding="UTF-8"?><{name} xmlns="{SPACE}">{inside}</{name}>'
    return ApiResponse(status, text, {"content-type": XML})
