"""`tasks`: a finished run's query instances, made and written.

Knows the folder, the writer and the engine; draws nothing itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from orgweave.benchmark.choosing import BenchmarkOrg
from orgweave.benchmark.held_back import Wordings, worded
from orgweave.benchmark.idmap import read_idmap
from orgweave.benchmark.make import MadeTask, TaskMaker, read_sources
from orgweave.benchmark.org_facts import read_org_facts
from orgweave.benchmark.registry import TASKS, check_wordings
from orgweave.benchmark.store import check_place, write_tasks
from pipeline.atomic import sha256_of
from pipeline.compute.executor import Executor
from pipeline.compute.jobs import ONE_PROCESS, Workers, executor_of
from pipeline.config import PreparedRun, job_of
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.run import WritersOf, embedded_writers
from pipeline.run_folder import LATENT_FILE, ORG_FILE, RunFolder
from pipeline.write.service import WritingService
from schemas.errors import BadInput, TasksMissing, TasksTooEasy

SHOWN = 3
"""How many reasons are told why a task has too few instances."""
MOST_PER_TASK = 100_000
WORTH_CHOOSING_BESIDE = 200
"""From so many instances on all cores choose them, where nobody says how many processes: starting
workers takes as long as choosing some fifty.
"""
TaskObserver = Callable[[str, int], None]
"""Is told each task when it begins, with 0, and when it is done, with its instances."""


def make_tasks(
    folder: Path,
    per_task: int = 130,
    names: Sequence[str] = tuple(TASKS),
    idmap: Path | None = None,
    out: Path | None = None,
    writers_of: WritersOf = embedded_writers,
    progress: TaskObserver = lambda task, instances: None,
    trust: bool = False,
    wordings: Wordings = "all",
    workers: Workers = ONE_PROCESS,
) -> tuple[MadeTask, ...]:
    """Makes and writes the instances of a finished run, as many as it yields.

    `trust` takes an org that was edited; `wordings` says in which of the lexicon's wordings
    questions are asked, `workers` who chooses them. Raises BadInput for what can't be asked.
    """
    chosen = _chosen(per_task, names)
    job = job_of(folder)
    run = RunFolder(folder)
    ids = read_idmap(idmap, sha256_of(run.manifest_file)) if idmap else None
    place = out or run.tasks_folder
    check_wordings(job.lexicon.rules, chosen)
    run.verify(ORG_FILE, LATENT_FILE, trust=trust)
    _check_world(run, job)
    check_place(place)
    with locked(folder):
        lexicon = replace(job.lexicon, rules=worded(job.lexicon.rules, wordings))
        asked = replace(job, lexicon=lexicon)
        with executor_of(workers, per_task * len(chosen), WORTH_CHOOSING_BESIDE) as executor:
            making = _made(
                asked,
                folder,
                per_task,
                chosen,
                writers_of,
                progress,
                executor,
            )
            made, writer = asyncio.run(making)
        profile = job.setting.profile
        about: dict[str, str | int] = {
            "company": profile.name,
            "industry": profile.industry,
            "seed": job.setting.seed,
            "writer": writer,
            "wordings": wordings,
            "org_sha256": sha256_of(run.org_file),
        }
        write_tasks(place, made, about, ids)
    return made


def refuse_missing(made: Sequence[MadeTask]) -> None:
    """Raises TasksMissing where the org yielded fewer than asked for."""
    missing = [task for task in made if task.missing]
    if missing:
        raise TasksMissing(
            f"{len(missing)} of {len(made)} tasks have fewer instances than asked for, as told"
            " above; what could be made is written, and a company with a larger --scale yields more"
        )


def missing_told(made: Sequence[MadeTask]) -> list[str]:
    """A line for each task of which the org yielded fewer than asked for, with the reasons."""
    return [_why(task) for task in made if task.missing]


def refuse_easy(made: Sequence[MadeTask]) -> None:
    """Raises TasksTooEasy where a solver that skips a part of a task passes for one who does it."""
    faults = []
    for task in made:
        if task.ablation is not None:
            faults += [f"{task.task}: {fault}" for fault in task.ablation.faults()]
    if faults:
        raise TasksTooEasy(
            f"{'; '.join(faults)}. The instances are written, but a solver that skips a part of the"
            " task passes for one that does it; take another seed, a larger --scale, or the set as"
            " it is with --allow-easy"
        )


def _chosen(per_task: int, names: Sequence[str]) -> list[str]:
    """The tasks of these names in the registry's order; raises BadInput for what there isn't."""
    if not 1 <= per_task <= MOST_PER_TASK:
        raise BadInput(f"--per-task {per_task}: must be from 1 to {MOST_PER_TASK}")
    if not names:
        raise BadInput(f"--tasks: names no task; use {', '.join(TASKS)}")
    unknown = [name for name in names if name not in TASKS]
    if unknown:
        raise BadInput(f"--tasks {unknown[0]:.80}: no such task; use {', '.join(TASKS)}")
    return [name for name in TASKS if name in names]


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


async def _made(
    job: PreparedRun,
    folder: Path,
    per_task: int,
    names: Sequence[str],
    writers_of: WritersOf,
    progress: TaskObserver,
    executor: Executor,
) -> tuple[tuple[MadeTask, ...], str]:
    """The tasks' instances, and the name of their writer."""
    sources, unfiled = read_sources(job, folder, names)
    org = BenchmarkOrg(folder, sources, read_org_facts(folder))
    with Ledger(RunFolder(folder).ledger_file) as ledger:
        async with writers_of(job, ledger) as writers:
            service = WritingService(
                job.setting,
                writers.writer,
                ledger,
                judge=writers.judge,
                local=writers.local,
            )
            maker = TaskMaker(
                service,
                org,
                unfiled,
                executor,
                executor.share(org),
            )
            made = await _each(maker, names, per_task, progress)
    return made, service.writer.name


async def _each(
    maker: TaskMaker,
    names: Sequence[str],
    per_task: int,
    progress: TaskObserver,
) -> tuple[MadeTask, ...]:
    """Each task with its instances, and with what solvers that skip a part of it make of them."""
    maker.begin(names, per_task)
    made, ablations = [], []
    for name in names:
        progress(name, 0)
        made.append(await maker.make(name, per_task))
        ablations.append(maker.ablation(made[-1]))
        progress(name, per_task)
    whole = []
    for task, ablation in zip(made, ablations, strict=True):
        judged = await asyncio.wrap_future(ablation)
        whole.append(replace(task, ablation=judged))
    return tuple(whole)


def _why(made: MadeTask) -> str:
    dropped = [(reason, count) for reason, count in made.dropped.items() if count]
    reasons = sorted(dropped, key=lambda reason: -reason[1])[:SHOWN]
    told = ", ".join(f"{reason} ({count:,})" for reason, count in reasons)
    if not told:
        told = "the org has no more to ask about"
    return f"{made.task}: {len(made.instances)} of {made.wanted} instances; {told}"
