"""Bulk jobs of both APIs, as they are kept between calls, and the one thread that works them off.

Knows no endpoint and no spelling. A job of API 2.0 is a `BulkJob`; a job of API 1.0 is an
`AsyncJob`, each of whose batches is a `BulkJob` of the kind `batch`.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Literal

from orgweave.soql.sql import FoundRecord
from pipeline.world.ids import make_ids
from schemas.errors import Refused

JOB_PREFIX, BATCH_PREFIX = "750", "751"
"""The CRM's own key prefixes of bulk jobs and of batches."""
JobKind = Literal["ingest", "query", "batch"]
JobState = Literal["Open", "UploadComplete", "InProgress", "JobComplete", "Failed", "Aborted"]
AsyncState = Literal["Open", "Closed", "Aborted"]
INGEST_OPERATIONS = frozenset({"insert", "update", "upsert", "delete", "hardDelete"})
QUERY_OPERATIONS = frozenset({"query", "queryAll"})
ASYNC_START = 62**4
"""Where the numbers of jobs of API 1.0 begin: far from those of 2.0, whose prefix they share."""
Cells = tuple[str, ...]
"""A row of CSV."""


@dataclass(frozen=True, slots=True)
class DoneRow:
    """A row that was worked off: its id, whether it is new, and its cells."""

    key: str
    created: bool
    cells: Cells


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A row that was refused: why, and its cells."""

    key: str
    error: Refused
    cells: Cells

    @property
    def told(self) -> str:
        """Why, as the CSV of results has it."""
        return f"{self.error.code}:{self.error}:{','.join(self.error.fields)} --"


@dataclass(slots=True)
class BulkJob:
    """One bulk job of API 2.0, or one batch of a job of API 1.0.

    An ingest job has `data`, the uploaded CSV, and `outcomes`, its rows in their order by what came
    of them; a query job has its `query` and the found `rows`. `columns` is the header of either. A
    batch may be `as_json`; then its data is a JSON array, and `records` is what a query found.
    `most_rows` is how many rows it may have; None is any number.
    """

    id: str
    kind: JobKind
    operation: str
    object: str
    created: str
    version: str
    query: str = ""
    external_id: str | None = None
    delimiter: str = "COMMA"
    line_ending: str = "LF"
    state: JobState = "Open"
    data: str | None = None
    message: str | None = None
    columns: Cells = ()
    outcomes: list[DoneRow | FailedRow] = field(default_factory=list)
    unprocessed: list[Cells] = field(default_factory=list)
    rows: list[Cells] = field(default_factory=list)
    as_json: bool = False
    records: list[FoundRecord] = field(default_factory=list)
    most_rows: int | None = None

    @property
    def ingests(self) -> bool:
        """Whether it changes records; else it reads them."""
        return self.operation in INGEST_OPERATIONS

    @property
    def done(self) -> list[DoneRow]:
        """The rows that were worked off."""
        return [row for row in self.outcomes if isinstance(row, DoneRow)]

    @property
    def failed(self) -> list[FailedRow]:
        """The rows that were refused."""
        return [row for row in self.outcomes if isinstance(row, FailedRow)]

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("JobComplete", "Failed", "Aborted")


class Jobs:
    """All bulk jobs of a server by id; any number of threads."""

    def __init__(self) -> None:
        self._jobs: dict[str, BulkJob] = {}
        self._numbers = count(1)
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="bulk")

    def add(self, make: Callable[[str], BulkJob]) -> BulkJob:
        """Makes a job, which `make` is given the id of, and keeps it."""
        with self._lock:
            number = next(self._numbers)
            job = make(make_ids(JOB_PREFIX, 1, number)[0])
            self._jobs[job.id] = job
            return job

    def get(self, kind: JobKind, key: str) -> BulkJob:
        """Returns a job by its id of 15 or 18 characters; raises NOT_FOUND."""
        for job in self.all(kind):
            if key in (job.id, job.id[:15]):
                return job
        raise Refused(
            "NOT_FOUND", f"The requested resource does not exist: no {kind} job {key[:60]}"
        )

    def all(self, kind: JobKind) -> list[BulkJob]:
        """Returns all jobs of a kind, oldest first."""
        with self._lock:
            return [job for job in self._jobs.values() if job.kind == kind]

    def remove(self, job: BulkJob) -> None:
        """Forgets a job."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def start(self, work: Callable[[], None]) -> None:
        """Works a job off after those that were started before."""
        self._worker.submit(work)

    def close(self) -> None:
        """Ends the worker; what is under way is finished, what waits is dropped."""
        self._worker.shutdown(wait=True, cancel_futures=True)


@dataclass(slots=True)
class AsyncJob:
    """One job of API 1.0: its batches are worked off as they come, whether it is open or closed."""

    id: str
    operation: str
    object: str
    created: str
    version: str
    content_type: str
    external_id: str = ""
    state: AsyncState = "Open"
    batches: list[BulkJob] = field(default_factory=list)

    @property
    def as_json(self) -> bool:
        """Whether data and answers are JSON."""
        return self.content_type == "JSON"


class AsyncJobs:
    """All jobs of API 1.0 by id; any number of threads."""

    def __init__(self) -> None:
        self._jobs: dict[str, AsyncJob] = {}
        self._numbers = count(ASYNC_START)
        self._lock = Lock()

    def add(self, make: Callable[[str], AsyncJob]) -> AsyncJob:
        """Makes a job, which `make` is given the id of, and keeps it."""
        with self._lock:
            job = make(self._new_id(JOB_PREFIX))
            self._jobs[job.id[:15]] = job
            return job

    def add_batch(self, job: AsyncJob, make: Callable[[str], BulkJob]) -> BulkJob:
        """Makes a batch, which `make` is given the id of, and keeps it with its job."""
        with self._lock:
            batch = make(self._new_id(BATCH_PREFIX))
            job.batches.append(batch)
            return batch

    def get(self, key: str) -> AsyncJob:
        """Returns a job by its id of 15 or 18 characters; raises INVALIDJOB."""
        with self._lock:
            job = self._jobs.get(key[:15])
        if job is None or key not in (job.id, job.id[:15]):
            raise Refused("INVALIDJOB", f"Unable to find job with id: {key[:60]}")
        return job

    def _new_id(self, prefix: str) -> str:
        number = next(self._numbers)
        return make_ids(prefix, 1, number)[0]
