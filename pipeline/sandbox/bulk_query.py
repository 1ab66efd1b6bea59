"""Bulk 2.0 query jobs under `/jobs/query`: a SOQL text whose answer is fetched as CSV, in parts if need be."""

from collections.abc import Iterator

from pipeline.sandbox.call import Call, Json, Reply, text_in
from pipeline.sandbox.jobs import Job, info_of
from pipeline.sandbox.served import Served
from pipeline.sandbox.tables import DELIMITERS, ENDINGS, write_rows
from pipeline.soql.shapes import Nested, RecordShape, Value
from schemas.errors import OrgweaveError, Refused

OPERATIONS = frozenset({"query", "queryAll"})
NO_MORE = "null"


def create(org: Served, call: Call) -> Reply:
    """A new job, which starts at once."""
    body = call.record()
    operation, text = text_in(body, "operation"), text_in(body, "query")
    if operation not in OPERATIONS:
        raise Refused("INVALIDJOB", f"operation {operation[:40]} isn't query or queryAll")
    delimiter, ending = str(body.get("columnDelimiter", "COMMA")), str(body.get("lineEnding", "LF"))
    if delimiter not in DELIMITERS or ending not in ENDINGS:
        raise Refused("INVALIDJOB", f"columnDelimiter is one of {', '.join(DELIMITERS)}, lineEnding one of {', '.join(ENDINGS)}")
    entity = org.engine.query(text).entity
    job = org.jobs.add(lambda key: Job(key, "query", operation, entity, org.writer.time(), call.version, text, None, delimiter, ending, "UploadComplete"))
    told = info(job)
    org.jobs.start(lambda: work(org, job))
    return Reply(200, told)


def jobs(org: Served, call: Call) -> Reply:
    """All jobs."""
    return Reply(200, {"done": True, "records": [info(job) for job in org.jobs.all("query")], "nextRecordsUrl": None})


def state(org: Served, call: Call, key: str) -> Reply:
    """How the job stands."""
    return Reply(200, info(org.jobs.get("query", key)))


def abort(org: Served, call: Call, key: str) -> Reply:
    """Ends a job."""
    job = org.jobs.get("query", key)
    if text_in(call.record(), "state") != "Aborted" or job.over:
        raise Refused("INVALIDJOBSTATE", f"a query job in state {job.state} can only be left alone; one under way can be Aborted")
    job.state = "Aborted"
    return Reply(200, info(job))


def delete(org: Served, call: Call, key: str) -> Reply:
    """Forgets a job that is over."""
    job = org.jobs.get("query", key)
    if not job.over:
        raise Refused("INVALIDJOBSTATE", "a job under way can't be deleted; abort it first")
    org.jobs.remove(job)
    return Reply(204)


def results(org: Served, call: Call, key: str) -> Reply:
    """The answer as CSV: `maxRecords` rows from `locator` on; the header Sforce-Locator names the next part."""
    job = org.jobs.get("query", key)
    if job.state != "JobComplete":
        raise Refused("INVALIDJOBSTATE", f"the results are there once the job is complete; it is {job.state}")
    start, size = _number(call, "locator", 0), _number(call, "maxRecords", max(len(job.rows), 1))
    rows = job.rows[start : start + size]
    following = str(start + size) if start + size < len(job.rows) else NO_MORE
    headers = {"content-type": "text/csv; charset=UTF-8", "Sforce-Locator": following, "Sforce-NumberOfRecords": str(len(rows))}
    return Reply(200, write_rows([job.columns, *rows], job.delimiter, job.line_ending), headers)


def info(job: Job) -> Json:
    """A job as REST gives it."""
    return info_of(job, "V2Query", {"numberRecordsProcessed": len(job.rows)})


def work(org: Served, job: Job) -> None:
    """Runs the query; whatever happens, the job ends in a state that says so."""
    if job.state != "UploadComplete":
        return
    job.state = "InProgress"
    try:
        result = org.engine.query(job.query)
        shape = result.plan.shape
        if not isinstance(shape, RecordShape):
            raise Refused("FEATURENOTENABLED", "Aggregate queries are not supported by Bulk API queries")
        paths = tuple(_paths(shape))
        job.columns = tuple(".".join(path) for path in paths)
        job.rows = [tuple(_text(record, path) for path in paths) for record in result]
        job.state = "JobComplete" if job.state == "InProgress" else job.state
    except OrgweaveError as error:
        job.state, job.message = "Failed", str(error)


def _paths(shape: RecordShape) -> Iterator[tuple[str, ...]]:
    for part in shape.parts:
        match part:
            case Value():
                yield (part.name,)
            case Nested():
                yield from ((part.name, *path) for path in _paths(part.shape))
            case _:
                raise Refused("FEATURENOTENABLED", "Nested queries are not supported by Bulk API queries")


def _text(record: object, path: tuple[str, ...]) -> str:
    for name in path:
        record = record.get(name) if isinstance(record, dict) else None
    if isinstance(record, bool):
        return str(record).lower()
    return "" if record is None else str(record)


def _number(call: Call, name: str, missing: int) -> int:
    text = call.params.get(name, "")
    if text in ("", NO_MORE):
        return missing
    if not (text.isascii() and text.isdigit() and len(text) < 10) or (name == "maxRecords" and int(text) < 1):
        raise Refused("INVALID_QUERY_LOCATOR", f"{name} must be a number that an earlier answer gave, not {text[:40]}")
    return int(text)
