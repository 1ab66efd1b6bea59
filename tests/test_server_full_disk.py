"""A full disk under a changing server: SQLite fails at the n-th statement that writes, for every n,
by an error after which it goes on or by one that ends the transaction.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from orgweave.crm.setup import deployed
from orgweave.server.api import answer
from orgweave.server.call import ApiRequest, ApiResponse
from orgweave.server.deploy import emptied
from orgweave.server.served import ApiUsage, Jobs, Pages, Served
from orgweave.server.store import Store
from orgweave.server.writing.filling import Filler
from orgweave.server.writing.writer import RecordWriter
from orgweave.soql.engine import Engine
from pipeline.run import FinishedRun
from pipeline.run_folder import RunFolder

WRITING = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "INSERT", "UPDATE", "DELETE")
TREE = {"attributes": {"type": "Account", "referenceId": "a"}, "Name": "Hale"}
ACCOUNT = {"attributes": {"type": "Account"}, "Name": "Hale"}
CREATE = {"method": "POST", "url": "/services/data/v59.0/sobjects/Account", "body": {"Name": "x"}}
REQUESTS = [{**CREATE, "referenceId": name} for name in ("a", "b")]


@dataclass(slots=True)
class Fault:
    """Fails the statements from the n-th to the last of `failing`; 0 for none."""

    number: int = 0
    failing: int = 1
    ends_transaction: bool = False
    seen: int = 0

    def due(self) -> bool:
        """Counts a statement; whether it fails."""
        self.seen += 1
        return 0 < self.number <= self.seen < self.number + self.failing


def connection(fault: Fault) -> type[sqlite3.Connection]:
    """The class of a connection whose disk fills up."""

    class FullDisk(sqlite3.Connection):
        def execute(self, sql: str, values: object = (), /) -> sqlite3.Cursor:
            if sql.lstrip().startswith(WRITING) and fault.due():
                if fault.ends_transaction and self.in_transaction:
                    super().execute("ROLLBACK")
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(sql, values)  # type: ignore[arg-type]

    return FullDisk


@contextmanager
def served_on(folder: Path, fault: Fault) -> Iterator[Served]:
    """An empty org, served from a disk that fills up."""
    schema = deployed(RunFolder(folder).read_schema(), "", ())
    with emptied(schema, "Toys") as path:
        store = Store(path, 20.0, True, connection(fault))
        engine = Engine(path, schema, datetime(2024, 1, 1, tzinfo=UTC), database=store)
        store.committed = engine.changed
        writer = RecordWriter(
            engine.entities,
            store,
            Filler(schema, None),
            lambda: "2024-01-01T00:00:00Z",
        )
        org = Served(engine, engine.entities, writer, Pages(), Jobs(), ApiUsage())
        try:
            yield org
        finally:
            org.jobs.close()
            engine.close()


@pytest.fixture(scope="module")
def fault() -> Fault:
    """What fails."""
    return Fault()


@pytest.fixture(scope="module")
def org(small_shoes: FinishedRun, fault: Fault) -> Iterator[Served]:
    """An org that stays the same over all faults, as a server does."""
    with served_on(small_shoes.folder, fault) as org:
        yield org


def kept(org: Served) -> int:
    """The accounts on the disk, as another program reads them."""
    with closing(sqlite3.connect(org.store.path)) as db:
        return int(db.execute("SELECT count(*) FROM Account").fetchone()[0])


def post(org: Served, path: str, body: object) -> ApiResponse:
    """Calls the API."""
    return answer(org, ApiRequest("POST", path, "59.0", {}, body))


def create(org: Served) -> int:
    """Creates one; returns how many the server said it made, as the others do."""
    return int(post(org, "/sobjects/Account", {"Name": "Hale"}).status == 201)


def collection(org: Served) -> int:
    """Creates three, each for itself."""
    body = {"allOrNone": False, "records": [ACCOUNT] * 3}
    return successes(post(org, "/composite/sobjects", body))


def all_or_none(org: Served) -> int:
    """Creates three, or none."""
    body = {"allOrNone": True, "records": [ACCOUNT] * 3}
    return successes(post(org, "/composite/sobjects", body))


def tree(org: Served) -> int:
    """Creates a tree of one."""
    return int(post(org, "/composite/tree/Account", {"records": [TREE]}).status == 201)


def composite(org: Served) -> int:
    """Sends two requests, each for itself."""
    return created(post(org, "/composite", {"compositeRequest": REQUESTS}))


def composite_together(org: Served) -> int:
    """Sends two requests, all or none."""
    body = {"allOrNone": True, "compositeRequest": REQUESTS}
    return created(post(org, "/composite", body))


def bulk(org: Served) -> int:
    """Has a job create three."""
    return len(worked_off(org, 3)[1])


def successes(response: ApiResponse) -> int:
    """The records that a collection's answer says were made."""
    results = response.body if response.status == 200 else []
    assert isinstance(results, list)
    return sum(result.get("success", False) for result in results)


def created(response: ApiResponse) -> int:
    """The requests that a composite answer says were fulfilled."""
    replies = response.body["compositeResponse"] if isinstance(response.body, dict) else []
    return sum(reply["httpStatusCode"] == 201 for reply in replies)


def worked_off(org: Served, rows: int) -> tuple[str, list[object]]:
    """A bulk job's state, once it is over, and the rows that it says it made."""
    made = post(org, "/jobs/ingest", {"operation": "insert", "object": "Account"}).body
    assert isinstance(made, dict)
    job = org.jobs.get("ingest", str(made["id"]))
    path = f"/jobs/ingest/{job.id}"
    answer(org, ApiRequest("PUT", f"{path}/batches", "59.0", {}, b"Name\n" + b"Hale\n" * rows))
    answer(org, ApiRequest("PATCH", path, "59.0", {}, {"state": "UploadComplete"}))
    over = Event()
    org.jobs.start(over.set)
    over.wait()
    return job.state, list(job.done)


@pytest.mark.parametrize("ends_transaction", [False, True])
@pytest.mark.parametrize("failing", [1, 2, 3])
@pytest.mark.parametrize(
    "work", [create, collection, all_or_none, tree, composite, composite_together, bulk]
)
def test_what_is_acknowledged_is_on_the_disk(
    org: Served,
    fault: Fault,
    work: Callable[[Served], int],
    failing: int,
    ends_transaction: bool,
) -> None:
    """Whichever statement fails, the server has said of exactly what is kept that it is kept, and
    the next change is kept whole.
    """
    fault.failing, fault.ends_transaction = failing, ends_transaction
    for number in count(1):
        fault.seen, fault.number = 0, number
        before = kept(org)
        told = work(org)
        reached = fault.seen >= number
        fault.number = 0
        assert kept(org) - before == told, number
        assert create(org) == 1 and kept(org) - before == told + 1, number
        if not reached:
            break


def test_a_bulk_job_on_a_full_disk_has_failed(org: Served, fault: Fault) -> None:
    """It doesn't stay in progress, tells of the rows that were kept before, and no others."""
    before = kept(org)
    fault.seen, fault.number, fault.failing = 0, 1500, 1_000_000
    state, done = worked_off(org, 401)
    fault.number = 0
    assert state == "Failed"
    assert kept(org) - before == len(done) == 200
    assert worked_off(org, 401)[0] == "JobComplete"
    assert kept(org) - before == 601
