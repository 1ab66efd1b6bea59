"""A whole run, and the only module that knows every stage: plan -> latent -> facts -> words -> org -> export -> check -> manifest.

The same command goes on where a killed one stopped: facts are drawn again from their streams, words come from the ledger.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from latent.registry import LATENT
from pipeline.check import Report, check_org
from pipeline.config import Ask, Job, load_job
from pipeline.export import write_upload
from pipeline.graph import in_order
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.org import Org
from pipeline.preview import preview
from pipeline.sample.objects import draw_facts, finish
from pipeline.store import Value, write_json, write_latent, write_org
from pipeline.write.desk import Desk, write_object
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.units import build_work, words_from
from pipeline.write.writer import Writer
from schemas.errors import BadInput, StorageFailed
from schemas.model import ObjectType
from schemas.profile import find_profile

DRAWN = frozenset({"ChoiceSource", "RangeSource", "DistributionSource", "FakerSource", "PlaceSource", "PatternSource", "WrittenSource"})
FINISHED = ("manifest.json", "check.json")


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how a run goes: the node under way, and units done of an object type."""

    node: Callable[[str], None] = lambda name: None
    units: Callable[[str, int], None] = lambda name, done: None
    total: Callable[[int], None] = lambda units: None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run: its folder, records per object type, the check's report."""

    folder: Path
    counts: dict[str, int]
    report: Report
    mini_batches: int


def embedded_writer(job: Job) -> Writer:
    """The writer that needs no key."""
    return EmbeddedWriter(job.lexicon, job.setting.schema.beats or {})


def generate(ask: Ask, out: Path, watch: Watch | None = None, writer_of: Callable[[Job], Writer] = embedded_writer) -> Outcome:
    """Makes (or goes on making) the org that was asked for in the folder `out`."""
    job = load_job(ask)
    with locked(out), _ledger(out) as ledger:
        ledger.set_note("pending", ask.as_json())
        return _run(job, out, ledger, writer_of(job), watch or Watch())


def look(ask: Ask, out: Path, limit: int, writer_of: Callable[[Job], Writer] = embedded_writer) -> dict[str, list[dict[str, Value]]]:
    """The first few records of each object type, kept as `preview.json`; leaves a finished org as it is."""
    if limit < 1:
        raise BadInput(f"--limit {limit}: must be at least 1")
    job = load_job(ask)
    with locked(out), _ledger(out) as ledger:
        records = preview(job, Desk(job.setting, writer_of(job), ledger), limit)
        write_json(out / "preview.json", records)
    return records


def regenerate(ask: Ask, out: Path, name: str, watch: Watch | None = None, writer_of: Callable[[Job], Writer] = embedded_writer) -> Outcome:
    """Makes one object type's records anew with another seed, and what depends on them; a killed one is gone on with."""
    if not (out / "ledger.sqlite").is_file():
        raise BadInput(f"{out}: has no ledger.sqlite; generate the company there first, with the same --company and --out")
    with locked(out), _ledger(out) as ledger:
        job = load_job(_resalted(ledger, ask, out, name))
        _check_draws(job, name)
        ledger.set_note("pending", job.ask.as_json())
        return _run(job, out, ledger, writer_of(job), watch or Watch())


def _resalted(ledger: Ledger, ask: Ask, out: Path, name: str) -> Ask:
    """The ask that the folder holds, with one more salt on the node; the pending one where a regeneration was killed."""
    known = load_job(ask).setting.schema
    if name not in LATENT and not known.has(name):
        raise BadInput(f"--object {name}: schema {known.name} has no such object type; it has {', '.join(item.name for item in known.objects)}")
    done, pending = (ledger.note(key) for key in ("done", "pending"))
    if done is None:
        raise BadInput(f"{out}: the org is not whole yet; run generate again first")
    before = Ask.from_json(done)
    if find_profile(before.company).resolve() != find_profile(ask.company).resolve():
        raise BadInput(f"{out}: holds company {before.company}, not {ask.company}; name that company or another --out")
    _check_same(ask, before, out)
    wanted = replace(before, salts={**before.salts, name: before.salts.get(name, 0) + 1})
    if not (out / "manifest.json").exists() and pending not in (done, wanted.as_json()):
        raise BadInput(f"{out}: the last run in this folder was not finished; give its command again first")
    return wanted


def _check_draws(job: Job, name: str) -> None:
    """Refuses an object type that neither draws nor writes anything of its own: another seed would change nothing."""
    schema = job.setting.schema
    if name in LATENT or any(type(field.source).__name__ in DRAWN for field in schema.object(name).fields):
        return
    raise BadInput(f"--object {name}: nothing of it is drawn or written by itself, it follows from what it reads; regenerate one of those")


def _check_same(ask: Ask, before: Ask, out: Path) -> None:
    """What is given again must be what the org was made with: regenerate changes one object type, not the rest of the ask."""
    given: dict[str, tuple[object, object, object]] = {"--seed": (ask.seed, before.seed, None), "--scale": (ask.scale, before.scale, 1.0), "--set": (dict(ask.sets), dict(before.sets), {})}
    for option, (now, then, default) in given.items():
        if now not in (default, then):
            raise BadInput(f"{out}: was made with {option} {then}, not {now}; leave {option} out here, or generate with it first")


def _ledger(out: Path) -> Ledger:
    return Ledger(out / "ledger.sqlite")


def _run(job: Job, out: Path, ledger: Ledger, writer: Writer, watch: Watch) -> Outcome:
    for name in FINISHED:
        _remove(out / name)
    desk = Desk(job.setting, writer, ledger, watch.units)
    org = make_org(job, desk, watch)
    watch.node("org.sqlite")
    write_org(org, out / "org.sqlite")
    write_latent(org, out / "latent.sqlite")
    watch.node("upload")
    files = [out / "org.sqlite", out / "latent.sqlite", *write_upload(org, out / "upload")]
    watch.node("check")
    report = check_org(out, job.setting.schema)
    write_json(out / "check.json", report.as_json())
    counts = {item.name: org.table(item.name).size for item in job.setting.schema.objects}
    write_json(out / "manifest.json", _manifest(job, desk, counts, [*files, out / "check.json"], out))
    ledger.set_note("done", job.ask.as_json())
    return Outcome(out, counts, report, ledger.size())


def make_org(job: Job, desk: Desk, watch: Watch) -> Org:
    """All tables, node by node in the plan's order."""
    org = Org(job.setting)
    for name in in_order(job.setting.schema):
        watch.node(name)
        if name in LATENT:
            org.add(*LATENT[name].draw(org))
        else:
            _make_object(org, job.setting.schema.object(name), desk, watch)
    return org


def _make_object(org: Org, item: ObjectType, desk: Desk, watch: Watch) -> None:
    facts = draw_facts(org, item)
    words = {}
    if item.written:
        work = build_work(org, item, facts)
        watch.total(sum(len(lane) for lane in work.lanes))
        words = words_from(item, work, write_object(desk, item, work), facts.size)
    org.add(finish(org, item, facts, words))


def _manifest(job: Job, desk: Desk, counts: dict[str, int], files: list[Path], out: Path) -> dict[str, object]:
    return {
        "company": job.setting.profile.name,
        "asked": json.loads(job.ask.as_json()),
        "seed": job.setting.seed,
        "profile_sha256": job.profile_sha256,
        "schema": job.setting.schema.name,
        "writer": desk.writer.name,
        "versions": {"orgweave": _version()},
        "counts": counts,
        "written": {name: asdict(spent) for name, spent in sorted(desk.spent.items())},
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
        raise StorageFailed(f"{path}: can't be removed ({error.strerror}); check its rights") from error
