"""`regenerate`: one object type's records anew, with another seed, and what depends on them.

Reads what the org was made from out of its folder, so that nothing else changes. Knows how a run is
made only through `pipeline.run`.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote

from latent.registry import LATENT
from pipeline.atomic import sha256_of
from pipeline.claim import require_own
from pipeline.compute.jobs import ONE_PROCESS, Workers, executor_of
from pipeline.config import PreparedRun, RunRequest, prepare
from pipeline.graph import in_order
from pipeline.ledger import Ledger, repair_hint
from pipeline.locks import locked
from pipeline.making import RunObserver
from pipeline.run import (
    EMBEDDED,
    FinishedRun,
    WritersOf,
    embedded_writers,
    make_org,
    records_of,
)
from pipeline.run_folder import RunFolder, RunSources, sources_of
from schemas.errors import BadInput, StorageFailed
from schemas.profile import find_profile


def regenerate(
    ask: RunRequest,
    out: Path,
    name: str,
    watch: RunObserver | None = None,
    writers_of: WritersOf = embedded_writers,
    writer: str = EMBEDDED,
    workers: Workers = ONE_PROCESS,
) -> FinishedRun:
    """Makes one object type's records anew with another seed, and what depends on them.

    The same command goes on with a regeneration that was killed. Raises BadInput where the folder
    holds no org, or where the request isn't about the org that it holds.
    """
    run = RunFolder(out)
    _require_ledger(run)
    require_own(run)
    with locked(out), Ledger(run.ledger_file) as ledger:
        before = _made(run, ledger)
        _require_undivided(run, before)
        _check_company(ask, before.company, run)
        _check_same(ask, before, out)
        wanted = replace(before, salts={**before.salts, name: before.salts.get(name, 0) + 1})
        job = prepare(wanted, _sources(run, before))
        _check_object(job, name)
        _check_pending(run, ledger, before, wanted)
        _check_lexicon(run, job)
        _check_writer(ledger, writer, out)
        ledger.set_note("pending", wanted.as_json())
        with executor_of(workers, records_of(job)) as executor:
            return make_org(
                job,
                run,
                ledger,
                writers_of,
                watch or RunObserver(),
                executor,
            )


def held_job(out: Path) -> PreparedRun:
    """The run whose org a folder holds, be it finished or in the middle of a regeneration."""
    run = RunFolder(out)
    _require_ledger(run)
    with Ledger(run.ledger_file, look=True) as ledger:
        before = _made(run, ledger)
    return prepare(before, _sources(run, before))


def _require_ledger(run: RunFolder) -> None:
    if not run.ledger_file.is_file():
        raise BadInput(
            f"{run.path}: has no {run.ledger_file.name}; generate the company there first, with"
            " the same --company and --out"
        )


def _made(run: RunFolder, ledger: Ledger) -> RunRequest:
    """What the folder's org was made with."""
    done = ledger.note("done")
    if done is None:
        raise BadInput(f"{run.path}: the org is not whole yet; run generate again first")
    try:
        return RunRequest.from_json(done)
    except (ValueError, KeyError, TypeError) as error:
        file = run.ledger_file
        raise StorageFailed(
            f"{file}: is damaged (the row done: {error!r}); {repair_hint(file)}"
        ) from error


def _require_undivided(run: RunFolder, before: RunRequest) -> None:
    if before.shards > 1:
        raise BadInput(
            f"{run.path}: was made in {before.shards:,} shards, and no part of these is made anew"
            " alone; generate it with another --seed"
        )


def _sources(run: RunFolder, before: RunRequest) -> RunSources:
    """What the org was made from; there is no manifest where a regeneration was killed."""
    if run.manifest_file.is_file():
        return run.sources()
    return run.kept_sources() if run.made_from.is_dir() else sources_of(before.company)


def _check_company(ask: RunRequest, company: str, run: RunFolder) -> None:
    """The company is the same where it is named so, or where its profile is the folder's copy."""
    if ask.company == company:
        return
    profile = find_profile(ask.company)
    if run.made_from.is_dir():
        same = sha256_of(profile) == sha256_of(run.kept_sources().profile)
    else:
        same = profile.resolve() == find_profile(company).resolve()
    if not same:
        raise BadInput(
            f"{run.path}: holds company {company}, not {ask.company}; name that company or another"
            " --out"
        )


def _check_same(ask: RunRequest, before: RunRequest, out: Path) -> None:
    """What is given again must be what the org was made with.

    `regenerate` changes one object type, not the rest of the request.
    """
    given: dict[str, tuple[object, object, object, str]] = {
        "--seed": (ask.seed, before.seed, None, "" if before.seed is None else f"{before.seed}"),
        "--scale": (ask.scale, before.scale, 1.0, f"{before.scale:g}"),
        "--set": (dict(ask.sets), dict(before.sets), {}, _counts_said(before.sets)),
    }
    for option, (now, then, default, said) in given.items():
        if now not in (default, then):
            made_with = f"with {option} {said}" if said else f"without {option}"
            raise BadInput(
                f"{out}: was made {made_with}; leave {option} out here, or generate with it first"
            )


def _counts_said(sets: Mapping[str, int]) -> str:
    """Counts as a command line gives them: `Case=60 --set Order=9`."""
    return " --set ".join(f"{name}={number}" for name, number in sets.items())


def _check_object(job: PreparedRun, name: str) -> None:
    """Refuses what isn't in the schema, or draws and writes nothing of its own."""
    schema = job.setting.schema
    causes = [node for node in in_order(schema) if node in LATENT]
    if name in causes:
        return
    if not schema.has(name):
        hidden = f", and the hidden causes {', '.join(sorted(causes))}" if causes else ""
        raise BadInput(
            f"--object {name}: schema {schema.name} has no such object type or hidden cause; it has"
            f" {', '.join(item.name for item in schema.objects)}{hidden}"
        )
    if not any(field.source.varies or field.filled for field in schema.object(name).fields):
        raise BadInput(
            f"--object {name}: nothing of it is drawn or written by itself, it follows from what it"
            " reads; regenerate one of those"
        )


def _check_pending(run: RunFolder, ledger: Ledger, before: RunRequest, wanted: RunRequest) -> None:
    """Refuses to begin while another run of the folder is half done."""
    pending = ledger.note("pending")
    known = (before.as_json(), wanted.as_json())
    if not run.manifest_file.exists() and pending not in known:
        raise BadInput(
            f"{run.path}: the last run in this folder was not finished; give its command again"
            " first"
        )


def _check_lexicon(run: RunFolder, job: PreparedRun) -> None:
    """Refuses another lexicon than the org's: with it, all words and facts would be others."""
    if run.lexicon_changes(job.lexicon):
        raise BadInput(
            f"{run.path}: was written with another version of the lexicon {job.lexicon.name};"
            " generate the company anew, or install the orgweave that made it"
        )


def _check_writer(ledger: Ledger, writer: str, out: Path) -> None:
    """Refuses another writer than the org's own.

    It would write everything anew, and what was paid for would be gone from the org.
    """
    kept = ledger.note("writer") or EMBEDDED
    before = EMBEDDED if kept == EMBEDDED or kept.startswith(f"{EMBEDDED} ") else kept
    if before == writer:
        return
    name = "the embedded writer" if before == EMBEDDED else before
    mend = "leave --model out" if before == EMBEDDED else f"add --model {quote(before)}"
    raise BadInput(f"{out}: was written by {name}; {mend}, or generate anew")
