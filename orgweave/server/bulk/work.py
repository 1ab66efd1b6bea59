"""The work of bulk jobs: rows become changes, queries become rows, and every job ends in a state.

Jobs and batches of both APIs are worked off here, by the one thread of `jobs.Jobs`. Knows no
endpoint. Example of an ingest job's CSV: `LastName,Account.Ext__c` and `Hale,A-17`; the account is
named by its external id. An empty cell is left out, `#N/A` is null.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from orgweave.crm.field import CrmObject
from orgweave.server.bulk.jobs import BulkJob, Cells, DoneRow, FailedRow
from orgweave.server.bulk.tables import read_rows
from orgweave.server.call import JsonObject, parsed
from orgweave.server.records import taken
from orgweave.server.served import Served
from orgweave.soql.sql import AddressValue, FieldValue, FormattedValue, Nested, RecordShape
from schemas.errors import OrgweaveError, Refused

CHUNK = 200
"""Rows that are kept by one change, as many as the CRM gives its triggers at a time."""
NULL = "#N/A"
LOG = logging.getLogger(__name__)


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
            case FieldValue() | FormattedValue():
                yield (part.name,)
            case AddressValue():
                raise Refused(
                    "FEATURENOTENABLED",
                    f"Selecting compound data not supported in Bulk Query: {part.name}; select its"
                    " parts",
                )
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
