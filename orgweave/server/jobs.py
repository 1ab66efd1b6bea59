"""Bulk 2.0 jobs in memory: what was asked, what was uploaded, what came of it.

One thread works them off, one after the other.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Literal

from orgweave.server.call import JsonObject
from pipeline.world.ids import make_ids
from schemas.errors import Refused

State = Literal["Open", "UploadComplete", "InProgress", "JobComplete", "Failed", "Aborted"]
PREFIX = "750"


@dataclass(frozen=True, slots=True)
class Done:
    """A row that was worked off: its id, whether it is new, and its cells."""

    key: str
    created: bool
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """A row that was refused: why, and its cells."""

    key: str
    error: str
    cells: tuple[str, ...]


@dataclass(slots=True)
class BulkJob:
    """One job. `data` is the uploaded CSV or, of a query job, the found one."""

    id: str
    kind: Literal["ingest", "query"]
    operation: str
    object: str
    created: str
    version: str
    query: str = ""
    external_id: str | None = None
    delimiter: str = "COMMA"
    line_ending: str = "LF"
    state: State = "Open"
    data: str | None = None
    message: str | None = None
    columns: tuple[str, ...] = ()
    done: list[Done] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    unprocessed: list[tuple[str, ...]] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("JobComplete", "Failed", "Aborted")


def info_of(job: BulkJob, kind: str, own: JsonObject) -> JsonObject:
    """A job as REST gives it, with what only its kind has."""
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
        "jobType": kind,
        "lineEnding": job.line_ending,
        "columnDelimiter": job.delimiter,
        "retries": 0,
    }
    return {**made, **own, **({"errorMessage": job.message} if job.message else {})}


class Jobs:
    """All jobs of a server by id; any number of threads."""

    def __init__(self) -> None:
        self._jobs: dict[str, BulkJob] = {}
        self._numbers = count(1)
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="bulk")

    def add(self, make: Callable[[str], BulkJob]) -> BulkJob:
        """Keeps a new job; `make` is given its id."""
        with self._lock:
            job = make(str(make_ids(PREFIX, 1, next(self._numbers))[0]))
            self._jobs[job.id] = job
            return job

    def get(self, kind: str, key: str) -> BulkJob:
        """A job by its id of 15 or 18 characters; raises NOT_FOUND."""
        job = next((job for job in self.all(kind) if job.id == key or job.id[:15] == key), None)
        if job is None:
            raise Refused(
                "NOT_FOUND", f"The requested resource does not exist: no {kind} job {key[:60]}"
            )
        return job

    def all(self, kind: str) -> list[BulkJob]:
        """All jobs of a kind, oldest first."""
        with self._lock:
            return [job for job in self._jobs.values() if job.kind == kind]

    def remove(self, job: BulkJob) -> None:
        """Forgets a job."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def start(self, work: Callable[[], None]) -> None:
        """Works a job off behind those that were started before."""
        self._worker.submit(work)

    def close(self) -> None:
        """Ends the worker; what is under way is finished, what waits is dropped."""
        self._worker.shutdown(wait=True, cancel_futures=True)
