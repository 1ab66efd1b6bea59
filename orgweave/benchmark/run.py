"""`tasks`: a finished run's query instances, made and written.

Knows the folder, the writer and the engine; draws nothing itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from orgweave.benchmark.idmap import read_idmap
from orgweave.benchmark.instance import TASKS
from orgweave.benchmark.make import Made, make_task, read_sources
from orgweave.benchmark.store import check_place, write_tasks
from orgweave.tools.crm import local_crm
from pipeline.atomic import sha256_of
from pipeline.config import PreparedRun, job_of
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.run import WritersOf, embedded_writers
from pipeline.run_folder import RunFolder
from pipeline.write.service import WritingService
from schemas.errors import BadInput, TasksMissing

SHOWN = 3


def make_tasks(
    folder: Path,
    per_task: int = 130,
    names: Sequence[str] = tuple(TASKS),
    idmap: Path | None = None,
    out: Path | None = None,
    writers_of: WritersOf = embedded_writers,
    progress: Callable[[str], None] = lambda task: None,
) -> tuple[Made, ...]:
    """Makes and writes the instances of a finished run, as many as it yields; raises BadInput for
    what can't be asked.
    """
    if not 1 <= per_task <= 100_000:
        raise BadInput(f"--per-task {per_task}: must be from 1 to 100000")
    if not names or (unknown := [name for name in names if name not in TASKS]):
        raise BadInput(f"--tasks {unknown[0] if names else ''}: unknown; use {', '.join(TASKS)}")
    job, ids = job_of(folder), read_idmap(idmap) if idmap else None
    run = RunFolder(folder)
    _check_latent(run)
    _check_world(run, job)
    check_place(out or run.tasks_folder)
    with locked(folder):
        made, writer = asyncio.run(_made(job, folder, per_task, names, writers_of, progress))
        about: dict[str, str | int] = {
            "company": job.setting.profile.name,
            "industry": job.setting.profile.industry,
            "seed": job.setting.seed,
            "writer": writer,
        }
        write_tasks(out or run.tasks_folder, made, about, ids)
    return made


def _check_latent(run: RunFolder) -> None:
    """Raises BadInput where the hidden truth beside the org is not the one that it was made
    with.
    """
    path = run.latent_file
    kept = run.read_manifest().files.get(path.name)
    if path.is_file() and kept and sha256_of(path) != kept:
        raise BadInput(
            f"{path}: is not the one that this org was made with (its SHA-256 is another than the"
            " manifest's); generate the company again"
        )


def _check_world(run: RunFolder, job: PreparedRun) -> None:
    """Raises BadInput where the lexicon's facts are others than the org's.

    Tasks draw the org's facts once more, and would ask about things that never happened in it.
    """
    if "world" in run.lexicon_changes(job.lexicon):
        raise BadInput(
            f"{run.path}: was made with another version of the lexicon {job.lexicon.name}, whose"
            " world has other facts; generate the company anew, or install the orgweave that made"
            " it"
        )


def refuse_missing(made: Sequence[Made]) -> None:
    """Raises TasksMissing where the org yielded fewer than asked for."""
    if short := [one for one in made if one.missing]:
        raise TasksMissing(
            "; ".join(_why(one) for one in short) + ". What could be made is written"
        )


async def _made(
    job: PreparedRun,
    folder: Path,
    per_task: int,
    names: Sequence[str],
    writers_of: WritersOf,
    progress: Callable[[str], None],
) -> tuple[tuple[Made, ...], str]:
    sources, ledger = read_sources(job, folder), Ledger(RunFolder(folder).ledger_file)
    made = []
    with ledger, local_crm(folder) as crm:
        async with writers_of(job, ledger) as writers:
            service = WritingService(job.setting, writers.writer, ledger, judge=writers.judge)
            for name in (task for task in TASKS if task in names):
                progress(name)
                made.append(await make_task(service, crm, sources, name, per_task))
    return tuple(made), service.writer.name


def _why(made: Made) -> str:
    reasons = sorted(made.dropped.items(), key=lambda one: -one[1])[:SHOWN]
    told = (
        ", ".join(f"{reason} ({count})" for reason, count in reasons)
        or "the org has no more to ask about"
    )
    return f"{made.task}: {len(made.instances)} of {made.wanted} instances; {told}"
