"""A whole run, and the only module that knows every stage.

Plan, latent causes, facts, words, org, upload files, check, manifest. The same command goes on
where a killed one stopped: facts are drawn again from their streams, words come from the ledger.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from latent.registry import LATENT
from pipeline.atomic import on_disk, write_json
from pipeline.check import Report, check_org
from pipeline.claim import require_own, require_same_org
from pipeline.company.needs import require_words
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.graph import build_graph, in_order
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.model.pauses import USUAL, Pauses
from pipeline.model.settings import ModelSettings
from pipeline.model.writers import model_writers
from pipeline.preview import preview
from pipeline.run_folder import MANIFEST_FORMAT, Manifest, RunFolder
from pipeline.sample.objects import draw_facts, finish
from pipeline.store import ColumnValue, write_latent, write_org
from pipeline.upload_files import write_upload
from pipeline.world.org import Org
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import Usage, WritingService
from pipeline.write.work import build_work
from pipeline.write.writer import Writers
from schemas.errors import BadInput, BudgetReached, StorageFailed
from schemas.model import ObjectType

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class RunObserver:
    """Who is told how a run goes: the node under way, and units done of an object type."""

    node: Callable[[str], None] = lambda name: None
    units: Callable[[str, int], None] = lambda name, done: None
    total: Callable[[int], None] = lambda units: None
    spent: Callable[[float, int], None] = lambda dollars, tokens: None


WritersOf = Callable[[PreparedRun, Ledger], AbstractAsyncContextManager[Writers]]


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run: its folder, records per object type, the check's report."""

    folder: Path
    counts: dict[str, int]
    report: Report
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
    )


def _embedded(job: PreparedRun) -> EmbeddedWriter:
    """The embedded writer of a run; raises BadInput where a written field has no rule."""
    require_words(job.setting, job.lexicon)
    return EmbeddedWriter(job.lexicon, job.setting.schema.beats or {})


def generate(
    ask: RunRequest,
    out: Path,
    watch: RunObserver | None = None,
    writers_of: WritersOf = embedded_writers,
    force: bool = False,
) -> FinishedRun:
    """Makes (or goes on making) the org that was asked for in the folder `out`.

    Raises BadInput where no run made that folder, or, without `force`, where it holds a finished
    org of another company, seed or size.
    """
    job, run = load_job(ask), RunFolder(out)
    require_own(run)
    with locked(out), Ledger(run.ledger_file) as ledger:
        if not force:
            require_same_org(run, job)
        ledger.set_note("pending", ask.as_json())
        return make_org(job, run, ledger, writers_of, watch or RunObserver())


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
    with locked(out), Ledger(run.ledger_file) as ledger:
        records = asyncio.run(_preview(job, ledger, writers_of, limit))
        write_json(run.preview_file, records)
    return records


async def _preview(
    job: PreparedRun, ledger: Ledger, writers_of: WritersOf, limit: int
) -> dict[str, list[dict[str, ColumnValue]]]:
    async with writers_of(job, ledger) as writers:
        service = WritingService(
            job.setting, writers.writer, ledger, judge=writers.judge, fallback=writers.fallback
        )
        return await preview(job, service, limit)


def make_org(
    job: PreparedRun, run: RunFolder, ledger: Ledger, writers_of: WritersOf, watch: RunObserver
) -> FinishedRun:
    """Makes the org in a folder that is locked and whose ledger is open."""
    org = Org(job.setting)
    service = asyncio.run(_write(org, job, run, ledger, writers_of, watch))
    watch.node(run.org_file.name)
    write_org(org, run.org_file)
    write_latent(org, run.latent_file)
    watch.node("upload")
    upload = write_upload(org, run.upload_folder)
    watch.node("check")
    report = check_org(run.path, job.setting.schema)
    write_json(run.check_file, report.as_json())
    counts = {item.name: org.table(item.name).size for item in job.setting.schema.objects}
    files = [run.org_file, run.latent_file, *upload, run.check_file, *run.source_files()]
    run.write_manifest(_manifest(job, service, counts, run.digests(files)))
    ledger.set_note("done", job.ask.as_json())
    ledger.set_note("writer", service.writer.name)
    return FinishedRun(run.path, counts, report, ledger.size(), service.writer.name, service.usage)


async def _write(
    org: Org,
    job: PreparedRun,
    run: RunFolder,
    ledger: Ledger,
    writers_of: WritersOf,
    watch: RunObserver,
) -> WritingService:
    """Makes all tables of the org; the writing service tells what that took.

    (The org is no result: asyncio writes out the results of its tasks.)
    """
    async with writers_of(job, ledger) as writers:
        service = WritingService(
            job.setting, writers.writer, ledger, judge=writers.judge, fallback=writers.fallback
        )
        service.progress = _progress(service, watch)
        # Not before there is a writer: a wrong key shall leave a finished org as it is.
        _begin(run, job)
        try:
            await _make_nodes(org, job, service, watch)
        except BudgetReached as error:
            paid, tokens = ledger.paid()
            raise BudgetReached(
                f"{error}: ${paid:.4f} and {tokens:,} tokens are spent in this folder, and all they"
                " wrote is kept; the same command with a higher limit goes on"
            ) from error
        return service


def _begin(run: RunFolder, job: PreparedRun) -> None:
    """Marks the folder's org as not whole, and keeps what the new one is made from."""
    earlier = run.listed_uploads()
    for path in (run.manifest_file, run.check_file, *earlier):
        _remove(path)
    # No file of the new org may reach the disk before the old manifest has left it.
    on_disk([run.path])
    run.keep_sources(job.sources, job.lexicon, job.setting.world.trade)


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


async def _make_nodes(
    org: Org, job: PreparedRun, service: WritingService, watch: RunObserver
) -> None:
    """Makes all tables.

    A node begins as soon as all that it reads is made, so that independent object types are written
    side by side.
    """
    graph = build_graph(job.setting.schema)
    nodes: dict[str, asyncio.Task[None]] = {}
    for name in in_order(job.setting.schema):
        before = [nodes[earlier] for earlier in sorted(graph[name])]
        nodes[name] = asyncio.create_task(_node(org, name, before, service, watch))
    for result in await asyncio.gather(*nodes.values(), return_exceptions=True):
        if result is not None:
            raise result


async def _node(
    org: Org,
    name: str,
    before: list[asyncio.Task[None]],
    service: WritingService,
    watch: RunObserver,
) -> None:
    for node in before:
        # Shielded, since several nodes wait for the same one: who gives up shall not cancel it.
        await asyncio.shield(node)
    watch.node(name)
    if name in LATENT:
        org.add(*LATENT[name].draw(org))
    else:
        await _make_object(org, org.setting.schema.object(name), service, watch)


async def _make_object(
    org: Org, item: ObjectType, service: WritingService, watch: RunObserver
) -> None:
    facts = draw_facts(org, item)
    words = {}
    if item.written:
        work = build_work(org, item, facts)
        watch.total(sum(len(lane) for lane in work.lanes))
        entries = await ObjectWriting(service, work).write()
        words = work.columns(entries, facts.size)
    org.add(finish(org, item, facts, words))


def _manifest(
    job: PreparedRun, service: WritingService, counts: dict[str, int], files: dict[str, str]
) -> Manifest:
    return Manifest(
        format=MANIFEST_FORMAT,
        company=job.setting.profile.name,
        asked=json.loads(job.ask.as_json()),
        seed=job.setting.seed,
        profile_sha256=job.profile_sha256,
        schema=job.setting.schema.name,
        writer=service.writer.name,
        versions={"orgweave": _version()},
        counts=counts,
        written={name: usage.as_json() for name, usage in sorted(service.usage.items())},
        files=files,
    )


def _version() -> str:
    try:
        return version("orgweave")
    except PackageNotFoundError:
        return "checkout"


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFailed(
            f"{path}: can't be removed ({error.strerror}); check its rights"
        ) from error
