"""An org as it is served: what is opened for it, and what is kept in memory between calls.

That is the engine for queries, the writer for changes, unfinished results, bulk jobs, and the count
of calls. Knows no HTTP, no token and no endpoint. A result of more than 2,000 records, or of more
than the client asks for, is read page by page under a locator: the first page of 4,321 cases ends
with `"nextRecordsUrl": "/services/data/v59.0/query/01g...-2000"`. Bulk jobs are worked off by one
thread, one after the other.

Also the `query` command's single question, and how its clock is spelt. Example: `with
served(Path("outputs/shoes"), ServeOptions(writable=True)) as org: org.engine.query("SELECT Id FROM
Case")`.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Literal

from orgweave.crm.field import CrmObject
from orgweave.crm.setup import deployed
from orgweave.server.call import JsonObject
from orgweave.server.deploy import copied, emptied
from orgweave.server.filling import Filler
from orgweave.server.store import Store
from orgweave.server.writer import RecordWriter
from orgweave.soql.engine import SECONDS, Engine, QueryResult
from orgweave.soql.literals import in_utc, stored
from orgweave.soql.sql import Sql
from pipeline.run_folder import RunFolder
from pipeline.world.ids import make_ids
from schemas.errors import BadInput, QueryRefused, Refused
from schemas.model import Schema

LAST_SECOND = time(23, 59, 59)
"""A day as a clock is its last second, so that all of that day lies behind."""
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


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How an org is served.

    `clock` is now; without one it is the last day of the org's period, in an empty org the real
    now. `empty` serves the org's schema with empty tables, each with the field `external_id` where
    one is named, and without the object types and fields in `without`.
    """

    clock: datetime | None = None
    writable: bool = False
    empty: bool = False
    external_id: str = ""
    without: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Served:
    """All that the handlers need."""

    engine: Engine
    objects: Mapping[str, CrmObject]
    writer: RecordWriter
    pages: Pages
    jobs: Jobs
    usage: ApiUsage

    @property
    def store(self) -> Store:
        """The served file."""
        return self.writer.store


@contextmanager
def served(folder: Path, choice: ServeOptions | None = None) -> Iterator[Served]:
    """Opens the org of a run's folder; raises BadInput where there is none.

    The hidden causes are never read.
    """
    wanted = choice or ServeOptions()
    run = RunFolder(folder)
    _check(wanted)
    with ExitStack() as stack:
        with run.steady():
            opened = stack.enter_context(_begun(run, wanted))
        yield opened


def ask(folder: Path, text: str, clock: datetime | None) -> JsonObject:
    """Answers one SOQL or SOSL text as REST does.

    Raises BadInput, with the error code, where the text is refused.
    """
    with served(folder, ServeOptions(clock)) as org:
        try:
            if text.lstrip().upper().startswith("FIND"):
                return {"searchRecords": org.engine.search(text)}
            return org.engine.query(text).as_json()
        except QueryRefused as error:
            raise BadInput(f"{error.code}: {error}") from error


def clock_of(text: str | None) -> datetime | None:
    """Reads a clock; raises BadInput.

    `2023-12-31` is that day's last second, `2023-12-31T08:00:00` a moment in UTC.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(
            f"--clock {text}: write a date such as 2023-12-31 or a datetime such as"
            " 2023-12-31T08:00:00Z"
        ) from error
    if len(text) == len("2023-12-31"):
        found = datetime.combine(found.date(), LAST_SECOND)
    return in_utc(found)


def _check(wanted: ServeOptions) -> None:
    """Refuses options that don't go together."""
    if (wanted.external_id or wanted.without) and not wanted.empty:
        raise BadInput(
            "--external-id and --without: only an org served with --empty gets further fields or"
            " lacks some; add --empty"
        )
    if wanted.empty and not wanted.writable:
        raise BadInput("--empty: an empty org is there to be filled; add --writable")


@contextmanager
def _begun(run: RunFolder, wanted: ServeOptions) -> Iterator[Served]:
    """The org of a folder, opened: its own file, a private copy, or an empty one."""
    schema, end = run.read_schema(), run.read_profile().period.end
    with ExitStack() as stack:
        if wanted.empty:
            schema = deployed(schema, wanted.external_id, wanted.without)
            path = stack.enter_context(emptied(schema))
            clock = datetime.now(UTC)
        else:
            path = run.require_org()
            clock = datetime.combine(end, LAST_SECOND, UTC)
        if wanted.writable and not wanted.empty:
            path = stack.enter_context(copied(path))
        opened = _opened(path, schema, wanted.clock or clock, wanted.writable)
        yield stack.enter_context(opened)


@contextmanager
def _opened(
    path: Path,
    schema: Schema,
    clock: datetime,
    writable: bool,
) -> Iterator[Served]:
    store = Store(path, SECONDS, writable)
    engine = Engine(path, schema, clock, database=store)
    store.committed = engine.changed
    filler = Filler(schema, _user(store, schema))

    def now() -> str:
        return stored(engine.clock)

    writer = RecordWriter(engine.entities, store, filler, now)
    org = Served(
        engine,
        engine.entities,
        writer,
        Pages(),
        Jobs(),
        ApiUsage(),
    )
    try:
        yield org
    finally:
        org.jobs.close()
        engine.close()


def _user(store: Store, schema: Schema) -> str | None:
    """The id of who calls: the org's first user, who owns what is created without an owner."""
    rows = store.rows(Sql('SELECT min("Id") FROM "User"')) if schema.has("User") else []
    return str(rows[0][0]) if rows and rows[0][0] else None


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
