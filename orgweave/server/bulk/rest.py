"""Bulk API 2.0: `/jobs/ingest` takes a CSV of changes, `/jobs/query` gives one of records.

An ingest job is created, its CSV uploaded, the job closed with UploadComplete, asked for its state
and its results. A query job starts at once, and its CSV is fetched in parts if need be. Knows no
row; `work` does.
"""

from collections.abc import Iterable
from functools import partial

from orgweave.crm.field import CrmObject
from orgweave.server.bulk.jobs import (
    INGEST_OPERATIONS,
    QUERY_OPERATIONS,
    BulkJob,
    Cells,
    JobKind,
)
from orgweave.server.bulk.tables import DELIMITERS, ENDINGS, write_rows
from orgweave.server.bulk.work import work_off
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, text_in
from orgweave.server.served import Served
from schemas.errors import Refused

NO_MORE = "null"
"""The locator behind the last part."""
JOB_TYPES: dict[JobKind, str] = {"ingest": "V2Ingest", "query": "V2Query"}
CSV = "text/csv; charset=UTF-8"


def create_ingest(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers POST /jobs/ingest: a new job in state Open."""
    body = call.record()
    operation, access = text_in(body, "operation"), org.writer.access(text_in(body, "object"))
    external = str(body.get("externalIdFieldName") or "")
    check_operation(org, access, operation, external)
    if body.get("contentType", "CSV") != "CSV":
        raise Refused("INVALIDJOB", "contentType must be CSV")
    delimiter, ending = _form(body)

    def made(key: str) -> BulkJob:
        return BulkJob(
            id=key,
            kind="ingest",
            operation=operation,
            object=access.name,
            created=org.writer.time(),
            version=call.version,
            external_id=external or None,
            delimiter=delimiter,
            line_ending=ending,
        )

    return ApiResponse(200, _info(org.jobs.add(made)))


def check_operation(org: Served, access: CrmObject, operation: str, external: str) -> None:
    """Refuses a job that no CSV could make right: on a read-only server, or without its key."""
    if not org.store.writable:
        with org.store.change():
            pass
    if operation not in INGEST_OPERATIONS:
        known = ", ".join(sorted(INGEST_OPERATIONS))
        raise Refused("INVALIDJOB", f"operation {operation[:40]} isn't one of {known}")
    if operation == "upsert":
        if not external:
            raise Refused("INVALIDJOB", "an upsert needs externalIdFieldName")
        org.writer.key_field(access, external)


def create_query(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers POST /jobs/query: a new job, which starts at once."""
    body = call.record()
    operation, text = text_in(body, "operation"), text_in(body, "query")
    if operation not in QUERY_OPERATIONS:
        raise Refused("INVALIDJOB", f"operation {operation[:40]} isn't query or queryAll")
    delimiter, ending = _form(body)
    entity = org.engine.query(text).entity

    def made(key: str) -> BulkJob:
        return BulkJob(
            id=key,
            kind="query",
            operation=operation,
            object=entity,
            created=org.writer.time(),
            version=call.version,
            query=text,
            delimiter=delimiter,
            line_ending=ending,
            state="UploadComplete",
        )

    return _started(org, org.jobs.add(made))


def all_jobs(kind: JobKind, org: Served, call: ApiRequest) -> ApiResponse:
    """Answers with all jobs of a kind."""
    records = [_info(job) for job in org.jobs.all(kind)]
    return ApiResponse(
        200,
        {
            "done": True,
            "records": records,
            "nextRecordsUrl": None,
        },
    )


def state_of(
    kind: JobKind,
    org: Served,
    call: ApiRequest,
    key: str,
) -> ApiResponse:
    """Answers with how a job stands."""
    return ApiResponse(200, _info(org.jobs.get(kind, key)))


def upload(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Takes an ingest job's CSV, once."""
    job = org.jobs.get("ingest", key)
    if job.state != "Open" or job.data is not None:
        raise Refused(
            "INVALIDJOBSTATE", f"data is uploaded once, to an open job; this one is {job.state}"
        )
    try:
        job.data = call.body.decode("utf-8-sig") if isinstance(call.body, bytes) else ""
    except UnicodeDecodeError as error:
        raise Refused(
            "INVALIDBATCH", f"the CSV isn't UTF-8 ({error.reason} at byte {error.start})"
        ) from error
    return ApiResponse(201)


def close_ingest(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Changes an ingest job's state: UploadComplete starts it, Aborted ends it."""
    job, wanted = org.jobs.get("ingest", key), text_in(call.record(), "state")
    if wanted == "Aborted":
        if job.over:
            raise Refused("INVALIDJOBSTATE", f"a job in state {job.state} can't be aborted")
        job.state = "Aborted"
        return ApiResponse(200, _info(job))
    if wanted != "UploadComplete" or job.state != "Open":
        raise Refused("INVALIDJOBSTATE", f"a job in state {job.state} can't become {wanted[:40]}")
    if job.data is None:
        raise Refused(
            "INVALIDJOBSTATE", "no data was uploaded; PUT the CSV to the job's contentUrl first"
        )
    job.state = "UploadComplete"
    return _started(org, job)


def abort_query(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Ends a query job that is under way."""
    job = org.jobs.get("query", key)
    if text_in(call.record(), "state") != "Aborted" or job.over:
        raise Refused(
            "INVALIDJOBSTATE",
            f"a query job in state {job.state} can only be left alone; one under way can be"
            " Aborted",
        )
    job.state = "Aborted"
    return ApiResponse(200, _info(job))


def delete_ingest(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Forgets an ingest job that isn't under way."""
    job = org.jobs.get("ingest", key)
    if job.state == "InProgress":
        raise Refused("INVALIDJOBSTATE", "a job in progress can't be deleted; abort it first")
    org.jobs.remove(job)
    return ApiResponse(204)


def delete_query(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Forgets a query job that is over."""
    job = org.jobs.get("query", key)
    if not job.over:
        raise Refused("INVALIDJOBSTATE", "a job under way can't be deleted; abort it first")
    org.jobs.remove(job)
    return ApiResponse(204)


def successful(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Answers with the rows that were worked off, with their ids."""
    job = org.jobs.get("ingest", key)
    rows = [(row.key, str(row.created).lower(), *row.cells) for row in job.done]
    return _csv(job, ("sf__Id", "sf__Created"), rows)


def failed(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Answers with the rows that were refused, and why."""
    job = org.jobs.get("ingest", key)
    rows = [(row.key, row.told, *row.cells) for row in job.failed]
    return _csv(job, ("sf__Id", "sf__Error"), rows)


def unprocessed(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Answers with the rows that an aborted or failed job didn't come to."""
    job = org.jobs.get("ingest", key)
    return _csv(job, (), job.unprocessed)


def results(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Answers with a query job's CSV: `maxRecords` rows from `locator` on.

    The header Sforce-Locator names the next part.
    """
    job = org.jobs.get("query", key)
    if job.state != "JobComplete":
        raise Refused(
            "INVALIDJOBSTATE", f"the results are there once the job is complete; it is {job.state}"
        )
    start = _number(call, "locator", 0)
    end = start + _number(call, "maxRecords", max(len(job.rows), 1))
    rows = job.rows[start:end]
    headers = {
        "Sforce-Locator": str(end) if end < len(job.rows) else NO_MORE,
        "Sforce-NumberOfRecords": str(len(rows)),
    }
    answer = _csv(job, (), rows)
    return ApiResponse(
        200,
        answer.body,
        {**answer.headers, **headers},
    )


def _started(org: Served, job: BulkJob) -> ApiResponse:
    """Hands a job to the worker; the answer tells how it stood before, whatever its pace."""
    told = _info(job)
    org.jobs.start(partial(work_off, org, job))
    return ApiResponse(200, told)


def _form(body: JsonObject) -> tuple[str, str]:
    """The CSV's delimiter and line ending, by their names."""
    delimiter, ending = str(body.get("columnDelimiter", "COMMA")), str(body.get("lineEnding", "LF"))
    if delimiter not in DELIMITERS or ending not in ENDINGS:
        raise Refused(
            "INVALIDJOB",
            f"columnDelimiter is one of {', '.join(DELIMITERS)}, lineEnding one of"
            f" {', '.join(ENDINGS)}",
        )
    return delimiter, ending


def _info(job: BulkJob) -> JsonObject:
    """A job as REST gives it."""
    made: JsonObject = {
        "id": job.id,
        "operation": job.operation,
        "object": job.object,
        "createdDate": job.created,
        "systemModstamp": job.created,
        "state": job.state,
        "concurrencyMode": "Parallel",
        "contentType": "CSV",
        "apiVersion": float(job.version),
        "jobType": JOB_TYPES[job.kind],
        "lineEnding": job.line_ending,
        "columnDelimiter": job.delimiter,
        "retries": 0,
    }
    if job.kind == "query":
        made["numberRecordsProcessed"] = len(job.rows)
    else:
        made["contentUrl"] = f"services/data/v{job.version}/jobs/ingest/{job.id}/batches"
        made["numberRecordsProcessed"] = len(job.done) + len(job.failed)
        made["numberRecordsFailed"] = len(job.failed)
        if job.external_id:
            made["externalIdFieldName"] = job.external_id
    if job.message:
        made["errorMessage"] = job.message
    return made


def _number(call: ApiRequest, name: str, missing: int) -> int:
    """A number in the URL, or `missing`."""
    text = call.params.get(name, "")
    if text in ("", NO_MORE):
        return missing
    number = text.isascii() and text.isdigit() and len(text) < 10
    if not number or (name == "maxRecords" and int(text) < 1):
        raise Refused(
            "INVALID_QUERY_LOCATOR",
            f"{name} must be a number that an earlier answer gave, not {text[:40]}",
        )
    return int(text)


def _csv(job: BulkJob, more: Cells, rows: Iterable[Cells]) -> ApiResponse:
    """Rows below the job's header, in the job's own form."""
    text = write_rows(
        [(*more, *job.columns), *rows],
        job.delimiter,
        job.line_ending,
    )
    return ApiResponse(200, text, {"content-type": CSV})
