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
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Literal

from orgweave.crm.field import CrmObject
from orgweave.crm.messaging import ChatForm, with_messaging
from orgweave.crm.person_accounts import AccountForm, with_persons
from orgweave.crm.setup import deployed
from orgweave.server.bulk.jobs import AsyncJobs, Jobs
from orgweave.server.call import JsonObject
from orgweave.server.deploy import copied, emptied
from orgweave.server.store import Store
from orgweave.server.writing.filling import Filler
from orgweave.server.writing.writer import RecordWriter
from orgweave.soql.engine import SECONDS, Engine, QueryResult, TimeSource
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
ServeClock = datetime | TimeSource | Literal["now", "end"]
"""A moment at which the clock stands, what tells the time, the real time, or the end of the org's
period."""
WORDS: Mapping[str, ServeClock] = {"now": "now", "end": "end"}
LOCATOR_PREFIX, ORGANIZATION_PREFIX = "01g", "00D"
"""The CRM's own key prefixes of query locators and organizations."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How an org is served.

    `clock` is now; without one it is the end of the org's period, in an empty org the real time,
    which runs. `empty` serves the org's schema with empty tables, each with the field `external_id`
    where one is named, and without the object types and fields in `without`; `chats` says whether
    it has messaging in place of chats, `accounts` whether it has person accounts.
    """

    clock: ServeClock | None = None
    writable: bool = False
    empty: bool = False
    external_id: str = ""
    without: tuple[str, ...] = ()
    chats: ChatForm = "transcripts"
    accounts: AccountForm = "business"


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
            locator = make_ids(LOCATOR_PREFIX, 1, next(self._numbers))[0]
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
class Served:
    """All that the handlers need.

    `user` is the id of who calls, None in a schema without users; `organization` is the org's.
    """

    engine: Engine
    objects: Mapping[str, CrmObject]
    writer: RecordWriter
    pages: Pages
    jobs: Jobs
    usage: ApiUsage
    user: str | None = None
    organization: str = ""
    async_jobs: AsyncJobs = field(default_factory=AsyncJobs)

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


def ask(folder: Path, text: str, clock: ServeClock | None) -> JsonObject:
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


def clock_of(text: str | None) -> ServeClock | None:
    """Reads a clock; raises BadInput.

    `2023-12-31` is that day's last second, `2023-12-31T08:00:00` a moment in UTC, `now` the real
    time, `end` the end of the org's period.
    """
    if text is None:
        return None
    if text in WORDS:
        return WORDS[text]
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(
            f"--clock {text}: write a date such as 2023-12-31, a datetime such as"
            " 2023-12-31T08:00:00Z, now or end"
        ) from error
    if len(text) == len("2023-12-31"):
        found = datetime.combine(found.date(), LAST_SECOND)
    return in_utc(found)


def _check(wanted: ServeOptions) -> None:
    """Refuses options that don't go together."""
    other_forms = wanted.chats != "transcripts" or wanted.accounts != "business"
    has_own = wanted.external_id or wanted.without or other_forms
    if has_own and not wanted.empty:
        raise BadInput(
            "--external-id, --without, --chats and --accounts: only an org served with --empty"
            " gets further fields and objects, or lacks some; add --empty"
        )
    if wanted.empty and not wanted.writable:
        raise BadInput("--empty: an empty org is there to be filled; add --writable")


@contextmanager
def _begun(run: RunFolder, wanted: ServeOptions) -> Iterator[Served]:
    """The org of a folder, opened: its own file, a private copy, or an empty one."""
    schema, profile = run.read_schema(), run.read_profile()
    with ExitStack() as stack:
        if wanted.empty:
            schema = _in_forms(schema, wanted)
            schema = deployed(schema, wanted.external_id, wanted.without)
            path = stack.enter_context(emptied(schema, profile.name))
        else:
            path = run.require_org()
        if wanted.writable and not wanted.empty:
            path = stack.enter_context(copied(path))
        clock = _clock(wanted, datetime.combine(profile.period.end, LAST_SECOND, UTC))
        store = Store(path, SECONDS, wanted.writable)
        engine = Engine(path, schema, clock, database=store, company=profile.name)
        yield stack.enter_context(_opened(engine, store))


def _in_forms(schema: Schema, wanted: ServeOptions) -> Schema:
    """The schema with chats and customers as this org has them."""
    if wanted.chats == "messaging":
        schema = with_messaging(schema)
    return with_persons(schema) if wanted.accounts == "person" else schema


def _clock(wanted: ServeOptions, end: datetime) -> datetime | TimeSource:
    """What tells the time."""
    if isinstance(wanted.clock, datetime) or callable(wanted.clock):
        return wanted.clock
    if wanted.clock == "now" or (wanted.clock is None and wanted.empty):
        return _real_time
    return end


def _real_time() -> datetime:
    return datetime.now(UTC)


@contextmanager
def _opened(engine: Engine, store: Store) -> Iterator[Served]:
    store.committed = engine.changed
    user = _user(store, engine.schema)
    filler = Filler(engine.schema, user)

    def now() -> str:
        # The CRM keeps no fractions of a second.
        return stored(engine.clock.replace(microsecond=0))

    writer = RecordWriter(engine.entities, store, filler, now)
    org = Served(
        engine,
        engine.entities,
        writer,
        Pages(),
        Jobs(),
        ApiUsage(),
        user,
        _organization(engine),
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


def _organization(engine: Engine) -> str:
    """The id of the org itself; one that keeps no record of itself has the first there is."""
    if "organization" in engine.entities:
        found = next(iter(engine.query("SELECT Id FROM Organization LIMIT 1")), None)
        if found is not None:
            return str(found["Id"])
    return make_ids(ORGANIZATION_PREFIX, 1, 1)[0]


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
