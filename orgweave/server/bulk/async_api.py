"""Bulk API 1.0: `/services/async/59.0/job`, its batches and their results.

Each batch is worked off by the worker of Bulk 2.0, as soon as it comes. Data is CSV or JSON; XML
isn't taken. Knows no spelling of an answer; `async_forms` does.

Example: a job `{"operation": "insert", "object": "Contact", "contentType": "JSON"}`, to which
`[{"LastName": "Hale"}]` is posted as a batch, has the results `[{"id": "003...", "success": true,
...}]`.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from orgweave.server.bulk import async_forms
from orgweave.server.bulk.async_forms import (
    answer_batch,
    answer_batches,
    answer_error,
    answer_found,
    answer_job,
    answer_outcomes,
    answer_result_list,
)
from orgweave.server.bulk.jobs import QUERY_OPERATIONS, AsyncJob, BulkJob
from orgweave.server.bulk.rest import check_operation
from orgweave.server.bulk.work import work_off
from orgweave.server.call import ApiRequest, ApiResponse
from orgweave.server.served import Served
from schemas.errors import OrgweaveError, Refused

SESSION = "x-sfdc-session"
"""The header that holds the token; Authorization does too."""
CONTENT_TYPES = ("CSV", "JSON")
MOST_BYTES, MOST_ROWS = 10_000_000, 10_000
"""What a batch may have: the CRM's own bounds."""
AsyncHandler = Callable[..., ApiResponse]


def answer(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers a call of this API; every error of the project's own becomes one in its form."""
    try:
        return _routed(org, call)
    except Refused as error:
        return refusal(call.headers, error)
    except OrgweaveError as error:
        return refusal(call.headers, Refused("UNKNOWN_EXCEPTION", str(error)))


def refusal(headers: Mapping[str, str], error: Refused) -> ApiResponse:
    """Returns an error in the form that the client reads."""
    return answer_error(error, _wants_json(headers))


def create(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers POST /job: a new job, which is open for batches."""
    given = async_forms.settings(call.body, _wants_json(call.headers))
    operation, content_type = given.get("operation", ""), given.get("contentType") or "XML"
    access = org.writer.access(given.get("object", ""))
    external = given.get("externalIdFieldName", "")
    if content_type not in CONTENT_TYPES:
        raise Refused(
            "INVALIDJOB", f"contentType {content_type[:20]} isn't taken; send CSV or JSON"
        )
    if operation not in QUERY_OPERATIONS:
        check_operation(org, access, operation, external)

    def made(key: str) -> AsyncJob:
        return AsyncJob(
            id=key,
            operation=operation,
            object=access.name,
            created=org.writer.time(),
            version=call.version,
            content_type=content_type,
            external_id=external,
        )

    return answer_job(org.async_jobs.add(made), _wants_json(call.headers), status=201)


def state_of(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Answers with how a job stands."""
    job = org.async_jobs.get(key)
    return answer_job(job, _as_json(call, job))


def change(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Closes a job, which then takes no more batches, or aborts it with what waits."""
    job = org.async_jobs.get(key)
    state = async_forms.settings(call.body, _wants_json(call.headers)).get("state", "")
    if job.state != "Open" or state not in ("Closed", "Aborted"):
        raise Refused("INVALIDJOBSTATE", f"a job in state {job.state} can't become {state[:40]}")
    job.state = "Closed" if state == "Closed" else "Aborted"
    for batch in job.batches:
        if job.state == "Aborted" and not batch.over:
            batch.state = "Aborted"
    return answer_job(job, _as_json(call, job))


def add_batch(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Takes a batch: rows, or the text of a query; it is worked off at once."""
    job = org.async_jobs.get(key)
    if job.state != "Open":
        raise Refused("INVALIDJOBSTATE", f"a job in state {job.state} takes no more batches")
    raw = call.body if isinstance(call.body, bytes) else b""
    if len(raw) > MOST_BYTES:
        raise Refused("INVALIDBATCH", f"a batch has at most {MOST_BYTES:,} bytes; send several")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(
            "INVALIDBATCH", f"the batch isn't UTF-8 ({error.reason} at byte {error.start})"
        ) from error
    batch = org.async_jobs.add_batch(job, partial(_new_batch, org, job, text))
    told = answer_batch(job, batch, _as_json(call, job), status=201)
    org.jobs.start(partial(work_off, org, batch))
    return told


def batches(org: Served, call: ApiRequest, key: str) -> ApiResponse:
    """Answers with all batches of a job."""
    job = org.async_jobs.get(key)
    return answer_batches(job, _as_json(call, job))


def batch_state(org: Served, call: ApiRequest, key: str, batch_key: str) -> ApiResponse:
    """Answers with how a batch stands."""
    job = org.async_jobs.get(key)
    return answer_batch(job, _batch(job, batch_key), _as_json(call, job))


def request_of(org: Served, call: ApiRequest, key: str, batch_key: str) -> ApiResponse:
    """Answers with what was sent as a batch."""
    job = org.async_jobs.get(key)
    batch = _batch(job, batch_key)
    kind = async_forms.JSON if job.as_json else async_forms.CSV
    return ApiResponse(200, batch.data or batch.query, {"content-type": kind})


def result(org: Served, call: ApiRequest, key: str, batch_key: str) -> ApiResponse:
    """Answers with what became of a batch's rows, or with the ids of what a query found."""
    job = org.async_jobs.get(key)
    batch = _finished(job, batch_key)
    if job.operation in QUERY_OPERATIONS:
        # One result, by the batch's own number.
        return answer_result_list([_result_key(batch)], _as_json(call, job))
    return answer_outcomes(batch)


def found(org: Served, call: ApiRequest, key: str, batch_key: str, result_key: str) -> ApiResponse:
    """Answers with what a query found."""
    job = org.async_jobs.get(key)
    batch = _finished(job, batch_key)
    if job.operation not in QUERY_OPERATIONS or result_key != _result_key(batch):
        raise Refused("INVALIDBATCH", f"Result not found: {result_key[:60]}")
    return answer_found(batch)


ROUTES: tuple[tuple[str, str, AsyncHandler], ...] = (
    ("POST", r"/job/?", create),
    ("GET", r"/job/(\w+)/?", state_of),
    ("POST", r"/job/(\w+)/?", change),
    ("POST", r"/job/(\w+)/batch/?", add_batch),
    ("GET", r"/job/(\w+)/batch/?", batches),
    ("GET", r"/job/(\w+)/batch/(\w+)/?", batch_state),
    ("GET", r"/job/(\w+)/batch/(\w+)/request/?", request_of),
    ("GET", r"/job/(\w+)/batch/(\w+)/result/?", result),
    ("GET", r"/job/(\w+)/batch/(\w+)/result/(\w+)/?", found),
)
"""Method, pattern of the path behind the version, handler; its groups are the further arguments."""


def _routed(org: Served, call: ApiRequest) -> ApiResponse:
    for method, pattern, handler in ROUTES:
        matched = re.fullmatch(pattern, call.path, re.ASCII)
        if matched and method == call.method:
            return handler(org, call, *matched.groups())
    raise Refused("NOT_FOUND", f"no such resource of Bulk API 1.0: {call.method} {call.path[:80]}")


def _new_batch(org: Served, job: AsyncJob, text: str, key: str) -> BulkJob:
    """A batch that waits for its turn; `key` is its id."""
    reads = job.operation in QUERY_OPERATIONS
    return BulkJob(
        id=key,
        kind="batch",
        operation=job.operation,
        object=job.object,
        created=org.writer.time(),
        version=job.version,
        query=text if reads else "",
        external_id=job.external_id or None,
        # Here a client needn't say how its lines end.
        line_ending="CRLF" if text.partition("\n")[0].endswith("\r") else "LF",
        state="UploadComplete",
        data=None if reads else text,
        as_json=job.as_json,
        most_rows=MOST_ROWS,
    )


def _batch(job: AsyncJob, key: str) -> BulkJob:
    """A batch of a job by its id of 15 or 18 characters; raises INVALIDBATCH."""
    for batch in list(job.batches):
        if key in (batch.id, batch.id[:15]):
            return batch
    raise Refused("INVALIDBATCH", f"Unable to find batch with id: {key[:60]}")


def _finished(job: AsyncJob, key: str) -> BulkJob:
    """A batch whose results are there; raises INVALIDBATCH."""
    batch = _batch(job, key)
    if batch.state != "JobComplete":
        told = batch.message or async_forms.STATES[batch.state]
        raise Refused("INVALIDBATCH", f"Batch not completed: {told}")
    return batch


def _result_key(batch: BulkJob) -> str:
    """The id of a query's result: its batch's with the CRM's prefix of results."""
    return f"752{batch.id[3:15]}"


def _as_json(call: ApiRequest, job: AsyncJob) -> bool:
    return job.as_json or _wants_json(call.headers)


def _wants_json(headers: Mapping[str, str]) -> bool:
    """Whether a client speaks JSON; otherwise it is XML."""
    told = (headers.get("content-type", ""), headers.get("accept", ""))
    return any(text.startswith(async_forms.JSON) for text in told)
