"""What a server keeps in memory between calls: unfinished results, bulk jobs, the count of calls.

Knows no endpoint. A result of more than 2,000 records, or of more than the client asks for, is read
page by page under a locator: the first page of 4,321 cases ends with `"nextRecordsUrl":
"/services/data/v59.0/query/01g...-2000"`. Bulk jobs are worked off by one thread, one after the
other.
"""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Literal

from orgweave.server.call import JsonObject
from orgweave.soql.engine import QueryResult
from pipeline.world.ids import make_ids
from schemas.errors import Refused

PAGE, SMALLEST = 2000, 200
"""Records of a page: by default and at most, and at least; the CRM's own bounds."""
KEPT = 50
"""Unfinished results; each holds its rows in memory, so the least used are dropped."""
LOCATOR_PREFIX, JOB_PREFIX = "01g", "750"
"""The CRM's own key prefixes of query locators and bulk jobs."""
JobKind = Literal["ingest", "query"]
JobState = Literal["Open", "UploadComplete", "InProgress", "JobComplete", "Failed", "Aborted"]
Cells = tuple[str, ...]
"""A row of CSV."""


@dataclass(slots=True)
class ApiUsage:
    """Counts how often the server was called; any number of threads."""

    calls: int = 0
    _lock: Lock = field(default_factory=Lock)

    def count(self) -> int:
        """Counts one more call and returns how many there are."""
        with self._lock:
            self.calls += 1
            return self.calls


@dataclass(frozen=True, slots=True)
class Pages:
    """Locators of unfinished results; any number of threads."""

    _results: OrderedDict[str, tuple[QueryResult, int]] = field(default_factory=OrderedDict)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _lock: Lock = field(default_factory=Lock)

    def first(
        self,
        result: QueryResult,
        base: str,
        size: int = PAGE,
    ) -> JsonObject:
        """Returns the first page, with a nextRecordsUrl where there are more."""
        if len(result) <= size:
            return result.as_json()
        with self._lock:
            locator = str(make_ids(LOCATOR_PREFIX, 1, next(self._numbers))[0])
            self._results[locator] = (result, size)
            while len(self._results) > KEPT:
                self._results.popitem(last=False)
        return _page(result, locator, base, 0, size)

    def next(self, spelling: str, base: str) -> JsonObject:
        """Returns the page that `<locator>-<offset>` means; raises INVALID_QUERY_LOCATOR."""
        locator, _, offset = spelling.partition("-")
        with self._lock:
            found = self._results.get(locator)
            if found is not None:
                self._results.move_to_end(locator)
        number = offset.isascii() and offset.isdigit() and len(offset) < 10
        if found is None or not number or int(offset) >= len(found[0]):
            raise Refused("INVALID_QUERY_LOCATOR", "invalid query locator; ask the query anew")
        result, size = found
        return _page(result, locator, base, int(offset), size)


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
    error: str
    cells: Cells


@dataclass(slots=True)
class BulkJob:
    """One bulk job.

    An ingest job has `data`, the uploaded CSV, and its rows by what came of them; a query job has
    its `query` and the found `rows`. `columns` is the header of either.
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
    done: list[DoneRow] = field(default_factory=list)
    failed: list[FailedRow] = field(default_factory=list)
    unprocessed: list[Cells] = field(default_factory=list)
    rows: list[Cells] = field(default_factory=list)

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
            job = make(str(make_ids(JOB_PREFIX, 1, next(self._numbers))[0]))
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


def _page(
    result: QueryResult,
    locator: str,
    base: str,
    start: int,
    size: int,
) -> JsonObject:
    end = start + size
    done = end >= len(result)
    made: JsonObject = {
        "totalSize": result.total,
        "done": done,
        "records": result.page(start, size),
    }
    if not done:
        made["nextRecordsUrl"] = f"{base}/query/{locator}-{end}"
    return made
