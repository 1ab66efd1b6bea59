"""An org as it is served: queries, writes, pages kept for nextRecordsUrl, bulk jobs.

Knows no HTTP and no token. Also the `query` command's single question, and how its clock is spelt.

Example: `with served(Path("outputs/shoes"), ServeOptions(writable=True)) as org:
org.engine.query("SELECT Id FROM Case")`.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path

from orgweave.server.access import ObjectAccess, accesses
from orgweave.server.call import JsonObject
from orgweave.server.deploy import copied, deployed, emptied
from orgweave.server.filling import Filler
from orgweave.server.state import ApiUsage, Jobs, Pages
from orgweave.server.store import Store
from orgweave.server.writer import RecordWriter
from orgweave.soql.engine import SECONDS, Engine
from orgweave.soql.literals import in_utc, stored
from orgweave.soql.sql import Sql
from pipeline.config import job_of
from schemas.errors import BadInput, QueryRefused
from schemas.model import Schema


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


@dataclass(frozen=True, slots=True)
class Served:
    """All that the handlers need."""

    engine: Engine
    accesses: Mapping[str, ObjectAccess]
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

    Only `org.sqlite` and the manifest are read.
    """
    wanted = choice or ServeOptions()
    job = job_of(folder)
    _check(wanted)
    schema = job.setting.schema
    end = job.setting.profile.period.end
    last = datetime(
        end.year,
        end.month,
        end.day,
        23,
        59,
        59,
        tzinfo=UTC,
    )
    with ExitStack() as stack:
        path = folder / "org.sqlite"
        clock = wanted.clock or last
        if wanted.empty:
            schema = deployed(schema, wanted.external_id, wanted.without)
            path = stack.enter_context(emptied(schema))
            clock = wanted.clock or datetime.now(UTC)
        elif wanted.writable:
            path = stack.enter_context(copied(path))
        yield stack.enter_context(_opened(path, schema, clock, wanted.writable))


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
        found = datetime.combine(found.date(), time(23, 59, 59))
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
def _opened(
    path: Path,
    schema: Schema,
    clock: datetime,
    writable: bool,
) -> Iterator[Served]:
    store = Store(path, SECONDS, writable)
    engine = Engine(path, schema, clock, database=store)
    store.committed = engine.changed
    rules = accesses(engine.entities)
    filler = Filler(schema, _user(store, schema))

    def now() -> str:
        return stored(engine.clock)

    writer = RecordWriter(rules, store, filler, now)
    org = Served(
        engine,
        rules,
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
