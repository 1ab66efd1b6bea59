"""A whole run, and the only module that knows every stage: plan -> latent -> facts -> words -> org
-> export -> check -> manifest.

The same command goes on where a killed one stopped: facts are drawn again from their streams, words
come from the ledger.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote

from latent.registry import LATENT
from pipeline.check import Report, check_org
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.graph import build_graph, in_order
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.model.settings import ModelSettings
from pipeline.model.writers import model_writers
from pipeline.preview import preview
from pipeline.sample.objects import draw_facts, finish
from pipeline.store import ColumnValue, write_json, write_latent, write_org
from pipeline.upload_files import write_upload
from pipeline.world.org import Org
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import Usage, WritingService
from pipeline.write.work import build_work
from pipeline.write.writer import Writers
from schemas.errors import BadInput, BudgetReached, StorageFailed
from schemas.model import ObjectType
from schemas.profile import find_profile

DRAWN = frozenset(
    {
        "ChoiceSource",
        "RangeSource",
        "DistributionSource",
        "FakerSource",
        "PlaceSource",
        "PatternSource",
        "WrittenSource",
    }
)
EMBEDDED = "embedded"
FINISHED = ("manifest.json", "check.json")


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
    yield Writers(EmbeddedWriter(job.lexicon, job.setting.schema.beats or {}))


def writers_with(settings: ModelSettings | None) -> WritersOf:
    """The staff that the settings name: a model's, or the embedded writer's."""
    if settings is None:
        return embedded_writers
    return lambda job, ledger: model_writers(settings, job.setting.schema, ledger)


def generate(
    ask: RunRequest,
    out: Path,
    watch: RunObserver | None = None,
    writers_of: WritersOf = embedded_writers,
) -> FinishedRun:
    """Makes (or goes on making) the org that was asked for in the folder `out`."""
    job = load_job(ask)
    with locked(out), _ledger(out) as ledger:
        ledger.set_note("pending", ask.as_json())
        return _run(job, out, ledger, writers_of, watch or RunObserver())


def look(
    ask: RunRequest, out: Path, limit: int, writers_of: WritersOf = embedded_writers
) -> dict[str, list[dict[str, ColumnValue]]]:
    """The first few records of each object type, kept as `preview.json`; leaves a finished org as
    it is.
    """
    if limit < 1:
        raise BadInput(f"--limit {limit}: must be at least 1")
    job = load_job(ask)
    with locked(out), _ledger(out) as ledger:
        records = asyncio.run(_preview(job, ledger, writers_of, limit))
        write_json(out / "preview.json", records)
    return records


async def _preview(
    job: PreparedRun, ledger: Ledger, writers_of: WritersOf, limit: int
) -> dict[str, list[dict[str, ColumnValue]]]:
    async with writers_of(job, ledger) as writers:
        return await preview(
            job, WritingService(job.setting, writers.writer, ledger, judge=writers.judge), limit
        )


def regenerate(
    ask: RunRequest,
    out: Path,
    name: str,
    watch: RunObserver | None = None,
    writers_of: WritersOf = embedded_writers,
    writer: str = EMBEDDED,
) -> FinishedRun:
    """Makes one object type's records anew with another seed, and what depends on them; a killed
    one is gone on with.
    """
    if not (out / "ledger.sqlite").is_file():
        raise BadInput(
            f"{out}: has no ledger.sqlite; generate the company there first, with the same"
            " --company and --out"
        )
    with locked(out), _ledger(out) as ledger:
        job = load_job(_resalted(ledger, ask, out, name))
        _check_draws(job, name)
        _check_writer(ledger, writer, out)
        ledger.set_note("pending", job.ask.as_json())
        return _run(job, out, ledger, writers_of, watch or RunObserver())


def _resalted(ledger: Ledger, ask: RunRequest, out: Path, name: str) -> RunRequest:
    """The ask that the folder holds, with one more salt on the node; the pending one where a
    regeneration was killed.
    """
    known = load_job(ask).setting.schema
    if name not in LATENT and not known.has(name):
        raise BadInput(
            f"--object {name}: schema {known.name} has no such object type; it has"
            f" {', '.join(item.name for item in known.objects)}"
        )
    done, pending = (ledger.note(key) for key in ("done", "pending"))
    if done is None:
        raise BadInput(f"{out}: the org is not whole yet; run generate again first")
    before = RunRequest.from_json(done)
    if find_profile(before.company).resolve() != find_profile(ask.company).resolve():
        raise BadInput(
            f"{out}: holds company {before.company}, not {ask.company}; name that company or"
            " another --out"
        )
    _check_same(ask, before, out)
    wanted = replace(before, salts={**before.salts, name: before.salts.get(name, 0) + 1})
    if not (out / "manifest.json").exists() and pending not in (done, wanted.as_json()):
        raise BadInput(
            f"{out}: the last run in this folder was not finished; give its command again first"
        )
    return wanted


def _check_draws(job: PreparedRun, name: str) -> None:
    """Refuses an object type that neither draws nor writes anything of its own: another seed would
    change nothing.
    """
    schema = job.setting.schema
    if name in LATENT or any(
        type(field.source).__name__ in DRAWN for field in schema.object(name).fields
    ):
        return
    raise BadInput(
        f"--object {name}: nothing of it is drawn or written by itself, it follows from what it"
        " reads; regenerate one of those"
    )


def _check_writer(ledger: Ledger, writer: str, out: Path) -> None:
    """Refuses another writer than the org's own: it would write everything anew, and what was paid
    for would be gone from the org.
    """
    kept = ledger.note("writer") or EMBEDDED
    before = EMBEDDED if kept == EMBEDDED or kept.startswith(f"{EMBEDDED} ") else kept
    if before != writer:
        mend = "leave --model out" if before == EMBEDDED else f"add --model {quote(before)}"
        raise BadInput(
            f"{out}: was written by {before if before != EMBEDDED else 'the embedded writer'};"
            f" {mend}, or generate anew"
        )


def _check_same(ask: RunRequest, before: RunRequest, out: Path) -> None:
    """What is given again must be what the org was made with: regenerate changes one object type,
    not the rest of the ask.
    """
    given: dict[str, tuple[object, object, object]] = {
        "--seed": (ask.seed, before.seed, None),
        "--scale": (ask.scale, before.scale, 1.0),
        "--set": (dict(ask.sets), dict(before.sets), {}),
    }
    for option, (now, then, default) in given.items():
        if now not in (default, then):
            raise BadInput(
                f"{out}: was made with {option} {then}, not {now}; leave {option} out here, or"
                " generate with it first"
            )


def _ledger(out: Path) -> Ledger:
    return Ledger(out / "ledger.sqlite")


def _run(
    job: PreparedRun, out: Path, ledger: Ledger, writers_of: WritersOf, watch: RunObserver
) -> FinishedRun:
    org = Org(job.setting)
    service = asyncio.run(_write(org, job, out, ledger, writers_of, watch))
    watch.node("org.sqlite")
    write_org(org, out / "org.sqlite")
    write_latent(org, out / "latent.sqlite")
    watch.node("upload")
    files = [out / "org.sqlite", out / "latent.sqlite", *write_upload(org, out / "upload")]
    watch.node("check")
    report = check_org(out, job.setting.schema)
    write_json(out / "check.json", report.as_json())
    counts = {item.name: org.table(item.name).size for item in job.setting.schema.objects}
    write_json(
        out / "manifest.json", _manifest(job, service, counts, [*files, out / "check.json"], out)
    )
    ledger.set_note("done", job.ask.as_json())
    ledger.set_note("writer", service.writer.name)
    return FinishedRun(out, counts, report, ledger.size(), service.writer.name, service.usage)


async def _write(
    org: Org, job: PreparedRun, out: Path, ledger: Ledger, writers_of: WritersOf, watch: RunObserver
) -> WritingService:
    """Makes all tables of the org; the service tells what that took.

    (The org is no result: asyncio writes out the results of its tasks.)
    """
    async with writers_of(job, ledger) as writers:
        service = WritingService(job.setting, writers.writer, ledger, judge=writers.judge)
        for name in FINISHED:
            _remove(out / name)

        def progress(name: str, units: int) -> None:
            watch.units(name, units)
            watch.spent(
                sum(one.cost + one.judge_cost for one in service.usage.values()),
                sum(
                    one.tokens_in + one.tokens_out + one.judge_tokens
                    for one in service.usage.values()
                ),
            )

        service.progress = progress
        try:
            await _make_nodes(org, job, service, watch)
        except BudgetReached as error:
            paid, tokens = ledger.paid()
            raise BudgetReached(
                f"{error}: ${paid:.4f} and {tokens:,} tokens are spent in this folder, and all they"
                " wrote is kept; the same command with a higher limit goes on"
            ) from error
        return service


async def _make_nodes(
    org: Org, job: PreparedRun, service: WritingService, watch: RunObserver
) -> None:
    """All tables.

    A node begins as soon as all that it reads is made, so that independent object types are written
    side by side.
    """
    graph = build_graph(job.setting.schema)
    nodes: dict[str, asyncio.Task[None]] = {}
    for name in in_order(job.setting.schema):
        nodes[name] = asyncio.create_task(
            _node(org, name, [nodes[one] for one in graph.predecessors(name)], service, watch)
        )
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
        words = work.columns(await ObjectWriting(service, work).write(), facts.size)
    org.add(finish(org, item, facts, words))


def _manifest(
    job: PreparedRun, service: WritingService, counts: dict[str, int], files: list[Path], out: Path
) -> dict[str, object]:
    return {
        "company": job.setting.profile.name,
        "asked": json.loads(job.ask.as_json()),
        "seed": job.setting.seed,
        "profile_sha256": job.profile_sha256,
        "schema": job.setting.schema.name,
        "writer": service.writer.name,
        "versions": {"orgweave": _version()},
        "counts": counts,
        "written": {name: spent.as_json() for name, spent in sorted(service.usage.items())},
        "files": {str(path.relative_to(out)): sha256_of(path) for path in files},
    }


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


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
