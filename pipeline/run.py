"""A whole run, and the only module that knows every stage.

Plan, latent causes, facts, words, org, upload files, check, manifest. The same command goes on
where a killed one stopped: facts are drawn again from their streams, words come from the ledger.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pipeline.atomic import on_disk, write_json
from pipeline.claim import require_own, require_same_org
from pipeline.compute.executor import Executor
from pipeline.compute.jobs import (
    ONE_PROCESS,
    WORTH_BESIDE_CALLS,
    WORTH_WRITING_BESIDE,
    Workers,
    executor_of,
)
from pipeline.compute.pieces import pieces_by
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.filing import Filing
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.making import GivenWords, Making, RunObserver, make_nodes
from pipeline.manifest import MANIFEST_FORMAT, Manifest, StoredShards
from pipeline.model.pauses import USUAL, Pauses
from pipeline.model.settings import ModelSettings
from pipeline.model.writers import model_writers
from pipeline.run_folder import OrgStore, RunFolder
from pipeline.sql_tables import ColumnValue
from pipeline.unchanged import MADE_BY, held_org, program
from pipeline.world.org import Org
from pipeline.write.senses import senses_of
from pipeline.write.service import Usage, WritingService
from pipeline.write.writer import Writers
from schemas.errors import BadInput, BudgetReached, OrgweaveError, StorageFailed
from schemas.version import installed_version

if TYPE_CHECKING:
    from pipeline.check import OrgCheck, Report
    from pipeline.write.embedded import EmbeddedWriter

EMBEDDED = "embedded"
STORE = "store"
"""The note on how the folder's org lies there."""
# Some three records follow from each that was asked for: prices, histories, comments, files.
RECORDS_FOR_ONE = 4
# Seconds in which the first calls go out, for which this process needs its core.
FIRST_CALLS = 2.0
T = TypeVar("T")


WritersOf = Callable[[PreparedRun, Ledger], AbstractAsyncContextManager[Writers]]


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run: its folder, records per object type, the check's report."""

    folder: Path
    counts: dict[str, int]
    report: "Report"
    mini_batches: int
    writer: str
    spent: dict[str, Usage]


@asynccontextmanager
async def embedded_writers(job: PreparedRun, ledger: Ledger) -> AsyncIterator[Writers]:
    """The writer that needs no key, and no judge."""
    yield Writers(_embedded(job))


def writers_with(settings: ModelSettings | None, pauses: Pauses = USUAL) -> WritersOf:
    """The writer and judge that the settings name: a model's, or the embedded writer."""
    if settings is None:
        return embedded_writers
    return lambda job, ledger: model_writers(
        settings,
        job.setting.schema,
        ledger,
        fallback=_embedded(job) if settings.fallback else None,
        pauses=pauses,
        senses=senses_of(job.lexicon),
    )


def _embedded(job: PreparedRun) -> "EmbeddedWriter":
    """The embedded writer of a run; raises BadInput where a written field has no rule."""
    # Here and below: what a run with a model doesn't need is not waited for by its first call.
    from pipeline.company.unworded import require_words
    from pipeline.write.embedded import EmbeddedWriter

    require_words(job.setting, job.lexicon)
    return EmbeddedWriter(job.lexicon, job.setting.schema.beats or {}, job.setting.country.english)


def generate(
    ask: RunRequest,
    out: Path,
    watch: RunObserver | None = None,
    writers_of: WritersOf = embedded_writers,
    force: bool = False,
    workers: Workers = ONE_PROCESS,
    store: OrgStore | None = None,
) -> FinishedRun:
    """Makes (or goes on making) the org that was asked for in the folder `out`.

    `store` says how the org shall lie there, None as it did before or as a SQLite file.

    A program that asks for several `workers` stands under `if __name__ == "__main__":`, as Python
    wants it.
    Raises BadInput where no run made that folder, or, without `force`, where it holds a finished
    org of another company, seed or size.
    """
    job, run = load_job(ask), RunFolder(out)
    require_own(run)
    with locked(out), Ledger(run.ledger_file) as ledger:
        kept_as = store or store_of(ledger)
        if kept_as == "parquet":
            from pipeline.parts import require_pyarrow

            require_pyarrow()
        if not force:
            require_same_org(run, job)
            held = _held(job, run, ledger, writers_of, kept_as)
            if held is not None:
                return held
        ledger.set_note("pending", ask.as_json())
        ledger.set_note(STORE, kept_as)
        worth = WORTH_WRITING_BESIDE if writers_of is embedded_writers else WORTH_BESIDE_CALLS
        with executor_of(workers, records_of(job), worth) as executor:
            make = make_org
            if ask.shards > 1:
                # Here, since what makes shards knows how one org is made.
                from pipeline.shards.run import make_in_shards as make
            return make(
                job,
                run,
                ledger,
                writers_of,
                watch or RunObserver(),
                executor,
            )


def store_of(ledger: Ledger) -> OrgStore:
    """How the org of a ledger's folder lies there."""
    return "parquet" if ledger.note(STORE) == "parquet" else "sqlite"


def _held(
    job: PreparedRun, run: RunFolder, ledger: Ledger, writers_of: WritersOf, store: OrgStore
) -> FinishedRun | None:
    """The finished run that the folder holds, where the same command would make it again.

    A model is asked anew whether it has its key, so only embedded words stand without a look.
    """
    if writers_of is not embedded_writers:
        return None
    writer = _embedded(job).name
    held = held_org(job, run, ledger, writer, store)
    if held is None:
        return None
    manifest, report = held
    spent = {name: Usage(**usage) for name, usage in manifest.written.items()}
    return FinishedRun(
        run.path,
        manifest.counts,
        report,
        ledger.size(),
        writer,
        spent,
    )


def look(
    ask: RunRequest, out: Path, limit: int, writers_of: WritersOf = embedded_writers
) -> dict[str, list[dict[str, ColumnValue]]]:
    """The first few records of each object type, kept in the folder as its preview.

    A finished org in the folder stays as it is.
    """
    if limit < 1:
        raise BadInput(f"--limit {limit}: must be at least 1")
    job, run = load_job(ask), RunFolder(out)
    require_own(run)
    if ask.shards > 1:
        from pipeline.shards.split import shard_job

        # The first records of an org are those of its first shard.
        job = shard_job(job, 0, {})
    with locked(out), Ledger(run.ledger_file) as ledger:
        records = asyncio.run(_preview(job, ledger, writers_of, limit))
        write_json(run.preview_file, records)
    return records


async def _preview(
    job: PreparedRun, ledger: Ledger, writers_of: WritersOf, limit: int
) -> dict[str, list[dict[str, ColumnValue]]]:
    from pipeline.preview import preview

    async with writers_of(job, ledger) as writers:
        service = _service(job, ledger, writers)
        return await preview(job, service, limit)


def records_of(job: PreparedRun) -> int:
    """About how many records a run will make: those that were asked for, and what follows them."""
    return RECORDS_FOR_ONE * sum(job.setting.counts.values())


def _service(job: PreparedRun, ledger: Ledger, writers: Writers) -> WritingService:
    return WritingService(
        job.setting,
        writers.writer,
        ledger,
        judge=writers.judge,
        fallback=writers.fallback,
        local=writers.local,
        calls=writers.calls,
        lane=writers.lane,
    )


def make_org(
    job: PreparedRun,
    run: RunFolder,
    ledger: Ledger,
    writers_of: WritersOf,
    watch: RunObserver,
    executor: Executor,
) -> FinishedRun:
    """Makes the org in a folder that is locked and whose ledger is open."""
    org = Org(job.setting, pieces=pieces_by(executor))
    with Filing(org, run, executor) as filing:
        service = asyncio.run(
            make_tables(
                filing,
                job,
                ledger,
                writers_of,
                watch,
            )
        )
        counts = {item.name: org.table(item.name).size for item in job.setting.schema.objects}
        upload, check = filing.finish(watch.node)
    made = run.digests([run.org_file, run.latent_file, *upload])
    written = OrgWords(
        service.writer.name,
        service.local,
        counts,
        service.usage,
    )
    report = keep_org(job, run, ledger, written, made, check, executor)
    if writers_of is embedded_writers:
        # Only embedded words stand without a look at what they were made by.
        ledger.set_note(MADE_BY, program())
    return FinishedRun(
        run.path,
        counts,
        report,
        ledger.size(),
        written.writer,
        written.usage,
    )


@dataclass(frozen=True, slots=True)
class OrgWords:
    """By whom an org was written, its counts and what its words took; `local` tells that they are
    in the country's language.
    """

    writer: str
    local: bool
    counts: dict[str, int]
    usage: dict[str, Usage]


def keep_org(
    job: PreparedRun,
    run: RunFolder,
    ledger: Ledger,
    written: OrgWords,
    made: dict[str, str],
    check: "OrgCheck",
    executor: Executor,
    shards: StoredShards | None = None,
) -> "Report":
    """Completes an org whose files are written: its parts, its check's report, its manifest."""
    parts = None
    if store_of(ledger) == "parquet":
        from pipeline.part_files import write_parts

        files, parts = write_parts(run, job.setting.schema, executor)
        made = made | run.digests(files)
    report = check.report()
    write_json(run.check_file, report.as_json())
    digests = made | run.digests([run.check_file, *run.source_files()])
    manifest = _manifest(job, written, digests)
    run.write_manifest(manifest.model_copy(update={"parts": parts, "shards": shards}))
    ledger.set_note("done", job.ask.as_json())
    ledger.set_note("writer", written.writer)
    return report


async def make_tables(
    filing: Filing,
    job: PreparedRun,
    ledger: Ledger,
    writers_of: WritersOf,
    watch: RunObserver,
    given: GivenWords | None = None,
) -> WritingService:
    """Makes all tables of the org; the writing service tells what that took.

    The words of object types in `given` are taken as they are.

    (The org is no result: asyncio writes out the results of its tasks.)
    """
    executor = filing.executor
    async with writers_of(job, ledger) as writers:
        service = _service(job, ledger, writers)
        _share_out(service, executor)
        service.progress = _progress(service, watch)
        # Not before there is a writer: a wrong key shall leave a finished org as it is.
        begin_folder(filing.run)
        workers = service.source is not None
        making = Making(
            filing.org,
            service,
            watch,
            writers.calls,
            workers,
            given or {},
        )
        beside = [
            asyncio.create_task(_tell_outages(writers, watch)),
            asyncio.create_task(_ready_check(executor, writers)),
        ]
        keeping = asyncio.create_task(_keep_sources(filing.run, job, making))
        try:
            await make_nodes(making, filing)
            await keeping
        except BudgetReached as error:
            paid, tokens = ledger.paid()
            raise BudgetReached(
                f"{error}: ${paid:.4f} and {tokens:,} tokens are spent in this folder, and all they"
                " wrote is kept; the same command with a higher limit goes on"
            ) from error
        finally:
            for task in (*beside, keeping):
                task.cancel()
        return service


def _share_out(service: WritingService, executor: Executor) -> None:
    """Has workers write the words, where there are some and the words are embedded ones."""
    if executor.workers == 1 or service.calls:
        return
    from pipeline.write.embedded import EmbeddedWriter
    from pipeline.write.worker_words import WorkerWords

    if isinstance(service.writer, EmbeddedWriter):
        service.source = WorkerWords(executor, service.writer)


async def _keep_sources(run: RunFolder, job: PreparedRun, making: Making) -> None:
    """Keeps what the org is made from, once the first texts can be asked for.

    Where it can't be kept no more is asked for: an org is never finished without.
    """
    await making.begun.wait()
    try:
        sources, trade = job.sources, job.setting.world.trade
        await asyncio.to_thread(
            run.keep_sources,
            sources,
            job.lexicon,
            trade,
        )
    except OrgweaveError as error:
        making.service.stopped = making.service.stopped or error
        raise


async def _ready_check(executor: Executor, writers: Writers) -> None:
    """Imports what the check takes: here, and in workers, which start by that while this process
    draws the first facts, that nobody shares.

    Where calls are waited for, the first ones go out sooner.
    """
    if writers.calls:
        await asyncio.sleep(FIRST_CALLS)
    from pipeline.check import ready_to_check

    if executor.workers > 1:
        for _ in range(executor.workers):
            executor.submit(ready_to_check)


async def _tell_outages(writers: Writers, watch: RunObserver) -> None:
    """Tells the observer each second of an outage that lasts, and once that it is over."""
    before = ""
    while True:
        says = writers.outage()
        if says or before:
            watch.outage(says)
        before = says
        await asyncio.sleep(1)


def begin_folder(run: RunFolder) -> None:
    """Marks the folder's org as not whole."""
    earlier = run.listed_uploads()
    for path in (run.manifest_file, run.check_file, *earlier):
        _remove(path)
    if run.parts_folder.is_dir():
        _remove_folder(run.parts_folder)
    # No file of the new org may reach the disk before the old manifest has left it.
    on_disk([run.path])


def _progress(service: WritingService, watch: RunObserver) -> Callable[[str, int], None]:
    """Tells the observer of units done, and of what all have cost so far."""

    def progress(name: str, units: int) -> None:
        dollars, tokens = 0.0, 0
        for usage in service.usage.values():
            dollars += usage.cost + usage.judge_cost
            tokens += usage.tokens_in + usage.tokens_out + usage.judge_tokens
        watch.units(name, units)
        watch.spent(dollars, tokens)

    return progress


def _manifest(job: PreparedRun, written: OrgWords, files: dict[str, str]) -> Manifest:
    return Manifest(
        format=MANIFEST_FORMAT,
        company=job.setting.profile.name,
        asked=json.loads(job.ask.as_json()),
        seed=job.setting.seed,
        profile_sha256=job.profile_sha256,
        schema=job.setting.schema.name,
        writer=written.writer,
        locale=job.setting.profile.locale,
        language=job.setting.country.words_of(written.local).key,
        versions={"orgweave": installed_version()},
        counts=written.counts,
        written={name: usage.as_json() for name, usage in sorted(written.usage.items())},
        files=files,
    )


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFailed(
            f"{path}: can't be removed ({error.strerror}); check its rights"
        ) from error


def _remove_folder(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise StorageFailed(
            f"{folder}: can't be removed ({error.strerror}); check its rights"
        ) from error
