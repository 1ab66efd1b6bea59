"""An org as it is served: queries, writes, pages kept for nextRecordsUrl, bulk jobs.

Knows no HTTP and no token.

Example: `with served(Path("outputs/shoes"), Choice(writable=True)) as org: org.engine.query("SELECT
Id FROM Case")`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from orgweave.server.access import ObjectAccess, accesses
from orgweave.server.deploy import copied, deployed, emptied
from orgweave.server.filling import Filler
from orgweave.server.jobs import Jobs
from orgweave.server.pages import Pages
from orgweave.server.store import Store
from orgweave.server.writer import RecordWriter
from orgweave.soql.engine import SECONDS, Engine
from orgweave.soql.literals import stored
from orgweave.soql.sql import Sql
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from schemas.model import Schema


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How an org is served.

    `clock` is now; without one it is the last day of the org's period, in an empty org the real
    now.

    `empty` serves the org's schema with empty tables, each with the field `external_id` where one
    is named, and
    without the object types and fields in `without`.
    """

    clock: datetime | None = None
    writable: bool = False
    empty: bool = False
    external_id: str = ""
    without: tuple[str, ...] = ()


@dataclass(slots=True)
class ApiUsage:
    """How often the server was called."""

    calls: int = 0
    _lock: Lock = field(default_factory=Lock)

    def count(self) -> int:
        """Counts one more call."""
        with self._lock:
            self.calls += 1
            return self.calls


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

    The hidden causes are never read.
    """
    wanted = choice or ServeOptions()
    run = RunFolder(folder)
    made_by, profile = run.read_schema(), run.read_profile()
    if (wanted.external_id or wanted.without) and not wanted.empty:
        raise BadInput(
            "--external-id and --without: only an org served with --empty gets further fields or"
            " lacks some; add --empty"
        )
    if wanted.empty:
        if not wanted.writable:
            raise BadInput("--empty: an empty org is there to be filled; add --writable")
        schema = deployed(made_by, wanted.external_id, wanted.without)
        with (
            emptied(schema) as path,
            _opened(path, schema, wanted.clock or datetime.now(UTC), True) as org,
        ):
            yield org
        return
    end = profile.period.end
    clock = wanted.clock or datetime(end.year, end.month, end.day, 23, 59, 59, tzinfo=UTC)
    if not wanted.writable:
        with _opened(run.require_org(), made_by, clock, False) as org:
            yield org
        return
    with (
        copied(run.require_org()) as path,
        _opened(path, made_by, clock, True) as org,
    ):
        yield org


@contextmanager
def _opened(path: Path, schema: Schema, clock: datetime, writable: bool) -> Iterator[Served]:
    store = Store(path, SECONDS, writable)
    engine = Engine(path, schema, clock, database=store)
    store.committed = engine.changed
    rules = accesses(engine.entities)
    writer = RecordWriter(
        rules, store, Filler(schema, _user(store, schema)), lambda: stored(engine.clock)
    )
    org = Served(engine, rules, writer, Pages(), Jobs(), ApiUsage())
    try:
        yield org
    finally:
        org.jobs.close()
        engine.close()


def _user(store: Store, schema: Schema) -> str | None:
    """Who calls: the first user that the org has; what is created without an owner is theirs."""
    rows = store.rows(Sql('SELECT min("Id") FROM "User"')) if schema.has("User") else []
    return str(rows[0][0]) if rows and rows[0][0] else None
