"""Bulk 2.0 ingest jobs under `/jobs/ingest`: create, upload a CSV, say UploadComplete, ask for the
state, fetch the results.
"""

from collections.abc import Iterator

from orgweave.crm.field import CrmObject
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, text_in
from orgweave.server.jobs import BulkJob, Done, Failed, info_of
from orgweave.server.served import Served
from orgweave.server.tables import DELIMITERS, ENDINGS, read_rows, write_rows
from schemas.errors import OrgweaveError, Refused

OPERATIONS = frozenset({"insert", "update", "upsert", "delete", "hardDelete"})
CHUNK = 200
NULL = "#N/A"


def create(org: Served, call: ApiRequest) -> ApiResponse:
    """A new job in state Open."""
    if not org.store.writable:
        with org.store.change():
            pass
    body = call.record()
    operation, access = text_in(body, "operation"), org.writer.access(text_in(body, "object"))
    external = body.get("externalIdFieldName")
    if operation not in OPERATIONS:
        raise Refused(
            "INVALIDJOB", f"operation {operation[:40]} isn't one of {', '.join(sorted(OPERATIONS))}"
        )
    if operation == "upsert":
        org.writer.key_field(access, text_in(body, "externalIdFieldName"))
    if body.get("contentType", "CSV") != "CSV":
        raise Refused("INVALIDJOB", "contentType must be CSV")
    delimiter, ending = str(body.get("columnDelimiter", "COMMA")), str(body.get("lineEnding", "LF"))
    if delimiter not in DELIMITERS or ending not in ENDINGS:
        raise Refused(
            "INVALIDJOB",
            f"columnDelimiter is one of {', '.join(DELIMITERS)}, lineEnding one of"
            f" {', '.join(ENDINGS)}",
        )
    job = org.jobs.add(
        lambda key: BulkJob(
            key,
            "ingest",
            operation,
            access.name,
            org.writer.time(),
            call.version,
            "",
            str(external) if external else None,
            delimiter,
            ending,
        )
    )
    return ApiResponse(200, info(job))


def jobs(org: Served, call: ApiRequest) -> ApiResponse:
    """All jobs."""
    return ApiResponse(
        200,
        {
            "done": True,
            "records": [info(job) for job in org.jobs.all("ingest")],
            "nextRecordsUrl": None,
        },
    )


def upload(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """The job's CSV, once."""
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


def state(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """How the job stands."""
    return ApiResponse(200, info(org.jobs.get("ingest", key)))


def close(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """UploadComplete starts the job, Aborted ends it."""
    job, wanted = org.jobs.get("ingest", key), text_in(call.record(), "state")
    if wanted == "Aborted":
        if job.over:
            raise Refused("INVALIDJOBSTATE", f"a job in state {job.state} can't be aborted")
        job.state = "Aborted"
    elif wanted != "UploadComplete" or job.state != "Open":
        raise Refused("INVALIDJOBSTATE", f"a job in state {job.state} can't become {wanted[:40]}")
    elif job.data is None:
        raise Refused(
            "INVALIDJOBSTATE", "no data was uploaded; PUT the CSV to the job's contentUrl first"
        )
    else:
        job.state = "UploadComplete"
        told = info(job)
        org.jobs.start(lambda: work(org, job))
        return ApiResponse(200, told)
    return ApiResponse(200, info(job))


def delete(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Forgets a job that is over."""
    job = org.jobs.get("ingest", key)
    if job.state == "InProgress":
        raise Refused("INVALIDJOBSTATE", "a job in progress can't be deleted; abort it first")
    org.jobs.remove(job)
    return ApiResponse(204)


def successful(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """The rows that were worked off, with their ids."""
    job = org.jobs.get("ingest", key)
    return _csv(
        job,
        ("sf__Id", "sf__Created"),
        ((row.key, str(row.created).lower(), *row.cells) for row in job.done),
    )


def failed(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """The rows that were refused, and why."""
    job = org.jobs.get("ingest", key)
    return _csv(
        job, ("sf__Id", "sf__Error"), ((row.key, row.error, *row.cells) for row in job.failed)
    )


def unprocessed(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """The rows that an aborted or failed job didn't come to."""
    job = org.jobs.get("ingest", key)
    return _csv(job, (), iter(job.unprocessed))


def info(job: BulkJob) -> JsonObject:
    """A job as REST gives it."""
    at = f"services/data/v{job.version}/jobs/ingest/{job.id}/batches"
    own: JsonObject = {
        "contentUrl": at,
        "numberRecordsProcessed": len(job.done) + len(job.failed),
        "numberRecordsFailed": len(job.failed),
    }
    return info_of(
        job,
        "V2Ingest",
        {**own, **({"externalIdFieldName": job.external_id} if job.external_id else {})},
    )


def work(org: Served, job: BulkJob) -> None:
    """Works a job off; whatever happens, the job ends in a state that says so."""
    if job.state != "UploadComplete":
        return
    job.state = "InProgress"
    try:
        header, *rows = read_rows(job.data or "", job.delimiter, job.line_ending) or [()]
        job.columns, job.unprocessed = header, list(rows)
        _check_header(org.writer.access(job.object), job, header)
        for start in range(0, len(rows), CHUNK):
            _chunk(org, job, rows[start : start + CHUNK])
        if job.state == "InProgress":
            job.state = "JobComplete"
    except OrgweaveError as error:
        job.state, job.message = "Failed", str(error)


def _chunk(org: Served, job: BulkJob, rows: list[tuple[str, ...]]) -> None:
    """Rows that are kept by one change; each is undone for itself where it is refused."""
    access = org.writer.access(job.object)
    with org.store.change():
        for row in rows:
            if job.state == "Aborted":
                return
            try:
                with org.store.change():
                    key, created = _row(org, job, access, dict(_given(access, job, row)))
                job.done.append(Done(key, created, row))
            except Refused as error:
                job.failed.append(
                    Failed(
                        _cell(job, row, "id"),
                        f"{error.code}:{error}:{','.join(error.fields) or ''} --",
                        row,
                    )
                )
            job.unprocessed = job.unprocessed[1:]


def _row(org: Served, job: BulkJob, access: CrmObject, given: JsonObject) -> tuple[str, bool]:
    if job.operation == "insert":
        return org.writer.insert(access, given), True
    if job.operation == "upsert":
        by = org.writer.key_field(access, str(job.external_id))
        value = given.pop(by.name, None)
        if value is None and by.name != "Id":
            raise Refused("MISSING_ARGUMENT", f"{by.name} not specified", (by.name,))
        return org.writer.upsert(access, by.name, value, given)
    key = str(given.pop("Id", "") or "")
    if not key:
        raise Refused("MISSING_ARGUMENT", "Id not specified in an update call", ("Id",))
    if job.operation == "update":
        org.writer.update(access, key, given)
    else:
        org.writer.delete(access, key)
    return key, False


def _given(access: CrmObject, job: BulkJob, row: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    """A row's cells by field; an empty cell is left out, `#N/A` is null, `Account.Ext__c` names the
    parent by its external id.
    """
    for name, cell in zip(job.columns, row, strict=True):
        if cell == "":
            continue
        relation, _, field = name.rpartition(".")
        if relation:
            yield relation.rpartition(":")[2], None if cell == NULL else {field: cell}
        else:
            yield access.fields[name.lower()].name, None if cell == NULL else cell


def _check_header(access: CrmObject, job: BulkJob, header: tuple[str, ...]) -> None:
    if not header:
        raise Refused(
            "INVALIDBATCH", "InvalidBatch : the CSV is empty; its first line names the fields"
        )
    if job.operation in ("delete", "hardDelete") and tuple(name.lower() for name in header) != (
        "id",
    ):
        raise Refused(
            "INVALIDBATCH", "InvalidBatch : a delete job's CSV has the column Id and no other"
        )
    for name in header:
        relation, _, _ = name.rpartition(".")
        field = access.fields.get(name.lower())
        known = (
            relation.rpartition(":")[2].lower() in access.parents
            if relation
            else field is not None and field.type != "idlist"
        )
        if not known:
            raise Refused("INVALIDBATCH", f"InvalidBatch : Field name not found : {name[:80]}")
    if len({name.lower() for name in header}) < len(header):
        raise Refused("INVALIDBATCH", "InvalidBatch : a field name stands twice in the header")


def _cell(job: BulkJob, row: tuple[str, ...], name: str) -> str:
    return next(
        (cell for column, cell in zip(job.columns, row, strict=True) if column.lower() == name), ""
    )


def _csv(job: BulkJob, more: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> ApiResponse:
    text = write_rows([(*more, *job.columns), *rows], job.delimiter, job.line_ending)
    return ApiResponse(200, text, {"content-type": "text/csv; charset=UTF-8"})
