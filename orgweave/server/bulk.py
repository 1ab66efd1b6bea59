"""Bulk 2.0 jobs: `/jobs/ingest` takes a CSV of changes, `/jobs/query` gives one of records.

An ingest job is created, its CSV uploaded, the job closed with UploadComplete, asked for its state
and its results. A query job starts at once, and its CSV is fetched in parts if need be. The worker
is the one thread of `served.Jobs`; whatever happens, a job ends in a state that says so.

Example of an ingest job's CSV: `LastName,Account.Ext__c` and `Hale,A-17`; the account is named
by its external id. An empty cell is left out, `#N/A` is null.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from orgweave.crm.field import CrmObject
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, parsed, text_in
from orgweave.server.jobs import (
    INGEST_OPERATIONS,
    QUERY_OPERATIONS,
    BulkJob,
    Cells,
    DoneRow,
    FailedRow,
    JobKind,
)
from orgweave.server.records import taken
from orgweave.server.served import Served
from orgweave.server.tables import DELIMITERS, ENDINGS, read_rows, write_rows
from orgweave.soql.sql import FieldValue, Nested, RecordShape
from schemas.errors import OrgweaveError, Refused

CHUNK = 200
"""Rows that are kept by one change, as many as the CRM gives its triggers at a time."""
NULL = "#N/A"
NO_MORE = "null"
"""The locator behind the last part."""
JOB_TYPES: dict[JobKind, str] = {"ingest": "V2Ingest", "query": "V2Query"}
CSV = "text/csv; charset=UTF-8"
LOG = logging.getLogger(__name__)


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


def work_off(org: Served, job: BulkJob) -> None:
    """Works off a job, or a batch of API 1.0, unless it was aborted while it waited."""
    if job.state != "UploadComplete":
        return
    job.state = "InProgress"
    try:
        if job.ingests:
            _load(org, job)
        else:
            _find(org, job)
        if job.state == "InProgress":
            job.state = "JobComplete"
    except OrgweaveError as error:
        job.state, job.message = "Failed", str(error)
    # A fault of ours, too, ends the job: whoever polls it would wait for ever.
    except Exception as error:  # noqa: BLE001
        LOG.exception("job %s failed", job.id)
        job.state = "Failed"
        job.message = f"unexpected error: {type(error).__name__}; the server's log has more"


def _load(org: Served, job: BulkJob) -> None:
    """Works off the rows of an ingest job."""
    access = org.writer.access(job.object)
    rows = _json_rows(job) if job.as_json else _csv_rows(access, job)
    if job.most_rows is not None and len(rows) > job.most_rows:
        raise Refused("INVALIDBATCH", f"InvalidBatch : Records exceed {job.most_rows:,}")
    job.unprocessed = [row.cells for row in rows]
    for start in range(0, len(rows), CHUNK):
        _chunk(org, job, rows[start : start + CHUNK])


@dataclass(frozen=True, slots=True)
class GivenRow:
    """A row to be worked off: its cells as they came, and its values, read when its turn comes."""

    cells: Cells
    values: Callable[[], JsonObject]


def _csv_rows(access: CrmObject, job: BulkJob) -> list[GivenRow]:
    """The rows of a CSV."""
    header, *rows = read_rows(job.data or "", job.delimiter, job.line_ending) or [()]
    job.columns = header
    _check_header(access, job, header)
    return [GivenRow(row, partial(_given, access, job, row)) for row in rows]


def _json_rows(job: BulkJob) -> list[GivenRow]:
    """The records of a JSON array; a null in one is a value as any other."""
    given = parsed((job.data or "").encode())
    if not isinstance(given, list) or not all(isinstance(record, dict) for record in given):
        raise Refused("INVALIDBATCH", "InvalidBatch : the data must be a JSON array of records")
    job.columns = ("Id",)
    rows = []
    for record in given:
        key, _ = taken(record, "Id")
        rows.append(GivenRow((str(key or ""),), partial(dict, record)))
    return rows


def _chunk(org: Served, job: BulkJob, rows: list[GivenRow]) -> None:
    """Works off rows that are kept by one change; a refused one is undone for itself.

    The job tells of them once they are kept.
    """
    access = org.writer.access(job.object)
    outcomes: list[DoneRow | FailedRow] = []
    with org.store.change():
        for row in rows:
            if job.state == "Aborted":
                break
            try:
                with org.store.change():
                    key, created = _row(org, job, access, row.values())
                outcomes.append(DoneRow(key, created, row.cells))
            except Refused as error:
                outcomes.append(FailedRow(_own_id(job, row.cells), error, row.cells))
    job.outcomes += outcomes
    job.unprocessed = job.unprocessed[len(outcomes) :]


def _row(
    org: Served,
    job: BulkJob,
    access: CrmObject,
    given: JsonObject,
) -> tuple[str, bool]:
    """Does with one row what the job is for; returns its id and whether it is new."""
    if job.operation == "insert":
        return org.writer.insert(access, given), True
    if job.operation == "upsert":
        by = org.writer.key_field(access, str(job.external_id))
        value, given = taken(given, by.name)
        if value is None and by.name != "Id":
            raise Refused(
                "MISSING_ARGUMENT",
                f"{by.name} not specified",
                (by.name,),
            )
        return org.writer.upsert(access, by.name, value, given)
    own, given = taken(given, "Id")
    key = str(own or "")
    if not key:
        raise Refused(
            "MISSING_ARGUMENT",
            "Id not specified in an update call",
            ("Id",),
        )
    if job.operation == "update":
        org.writer.update(access, key, given)
    else:
        org.writer.delete(access, key)
    return key, False


def _given(access: CrmObject, job: BulkJob, row: Cells) -> JsonObject:
    """A row's cells by field; `Account.Ext__c` names the parent by its external id."""
    given: JsonObject = {}
    for name, cell in zip(job.columns, row, strict=True):
        if cell == "":
            continue
        relation, _, field = name.rpartition(".")
        if not relation:
            given[access.fields[name.lower()].name] = None if cell == NULL else cell
        else:
            # `User:Owner.Ext__c` says which object type a polymorphic reference leads to.
            given[relation.rpartition(":")[2]] = None if cell == NULL else {field: cell}
    return given


def _check_header(access: CrmObject, job: BulkJob, header: Cells) -> None:
    """Refuses a header that is empty, names no field, or one twice."""
    if not header:
        raise Refused(
            "INVALIDBATCH", "InvalidBatch : the CSV is empty; its first line names the fields"
        )
    names = [name.lower() for name in header]
    if job.operation in ("delete", "hardDelete") and names != ["id"]:
        raise Refused(
            "INVALIDBATCH", "InvalidBatch : a delete job's CSV has the column Id and no other"
        )
    for name in header:
        if not _known(access, name.lower()):
            raise Refused("INVALIDBATCH", f"InvalidBatch : Field name not found : {name[:80]}")
    if len(set(names)) < len(names):
        raise Refused("INVALIDBATCH", "InvalidBatch : a field name stands twice in the header")


def _known(access: CrmObject, name: str) -> bool:
    """Whether a column's name is that of a field, or of a parent with a field of its own."""
    relation, _, _ = name.rpartition(".")
    if relation:
        return relation.rpartition(":")[2] in access.parents
    field = access.fields.get(name)
    return field is not None and field.type != "idlist"


def _own_id(job: BulkJob, row: Cells) -> str:
    """The id that a row names itself, if it has one."""
    for column, cell in zip(job.columns, row, strict=True):
        if column.lower() == "id":
            return cell
    return ""


def _find(org: Served, job: BulkJob) -> None:
    """Runs the query of a query job."""
    result = org.engine.query(job.query)
    shape = result.plan.shape
    if not isinstance(shape, RecordShape):
        raise Refused(
            "FEATURENOTENABLED", "Aggregate queries are not supported by Bulk API queries"
        )
    paths = list(_paths(shape))
    job.columns = tuple(".".join(path) for path in paths)
    if job.as_json:
        job.records = list(result)
    else:
        job.rows = [_cells(record, paths) for record in result]


def _paths(shape: RecordShape) -> Iterator[tuple[str, ...]]:
    """The way to each value of a record, through its parents."""
    for part in shape.parts:
        match part:
            case FieldValue():
                yield (part.name,)
            case Nested():
                for path in _paths(part.shape):
                    yield (part.name, *path)
            case _:
                raise Refused(
                    "FEATURENOTENABLED", "Nested queries are not supported by Bulk API queries"
                )


def _cells(record: object, paths: list[tuple[str, ...]]) -> Cells:
    return tuple(_text(record, path) for path in paths)


def _text(record: object, path: tuple[str, ...]) -> str:
    """A value of a record as CSV has it."""
    value = record
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


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
