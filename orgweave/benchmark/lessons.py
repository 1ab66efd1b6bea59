"""A run's tasks and evaluations as `explore --teacher` shows them.

Reads what `tasks` and `evaluate` wrote. What is stale, damaged or can't be read is told in a note:
the org can be looked at all the same.
"""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote
from statistics import fmean

from orgweave.benchmark.evaluate.instances import check_origin, load_instances
from orgweave.benchmark.instance import QueryInstance
from orgweave.benchmark.proof.verify import FUNCTIONS
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.store import REPORT_FILE, TASKS_FILE
from orgweave.explore.lessons import (
    Lessons,
    ShownAttempt,
    ShownInstance,
    ShownProof,
    TaskLesson,
)
from orgweave.report.benchmark_facts import farthest_shortcut
from pipeline.atomic import sha256_of
from pipeline.run_folder import RunFolder, sqlite_uri
from schemas.errors import BadInput
from schemas.regular import json_of, regular_text

SECONDS, STEPS = 5.0, 10_000
"""The longest a proof may run, and the steps of SQLite's after which that is looked at."""
MOST_ROWS = 8
"""The rows of a proof that are shown: the answer and its nearest rivals."""
Attempts = Mapping[str, Sequence[ShownAttempt]]


def read_lessons(folder: Path) -> Lessons:
    """All that a run's folder tells of its benchmark."""
    run = RunFolder(folder)
    if not (run.tasks_folder / TASKS_FILE).is_file():
        make = f"orgweave tasks {quote(str(folder))}"
        return Lessons(notes=(f"There are no tasks yet; make them: {make}",))
    manifest = run.read_manifest()
    try:
        check_origin(folder, manifest.company, manifest.seed, sha256_of(run.org_file))
        instances = [_shown(instance) for instance in load_instances(folder)]
        shortcuts = _shortcuts(run)
    except BadInput as error:
        return Lessons(notes=(str(error),))
    attempts, notes = _attempts(run)
    tasks = []
    for name in TASKS:
        own = [instance for instance in instances if instance.task == name]
        if own:
            tasks.append(_lesson(name, own, shortcuts.get(name), attempts))
    agents: dict[str, None] = {}
    for said in attempts.values():
        agents.update(dict.fromkeys(attempt.agent for attempt in said))
    return Lessons(
        tasks=tuple(tasks),
        agents=tuple(agents),
        attempts={key: tuple(said) for key, said in attempts.items()},
        notes=tuple(notes),
        prove=lambda instance: proof_of(run.org_file, instance),
    )


def proof_of(org_sqlite: Path, instance: ShownInstance) -> ShownProof | None:
    """Runs the query that decides an instance over the org; None where no query does.

    Raises BadInput where the instance's parameters aren't those that the query needs.
    """
    sql = TASKS[instance.task].verify_sql
    if sql is None:
        return None
    wanted = dict(instance.parameters)
    for end in {"start", "end"} & set(wanted):
        wanted[end] = str(wanted[end]).rstrip("Z")
    deadline = time.monotonic() + SECONDS
    with closing(sqlite3.connect(sqlite_uri(org_sqlite, "ro"), uri=True)) as db:
        db.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
        for name, arguments, function in FUNCTIONS:
            db.create_function(name, arguments, function)
        try:
            rows = db.execute(sql, wanted).fetchall()
        except sqlite3.Error as error:
            raise BadInput(
                f"{instance.id}: can't be proved ({error}); make the tasks anew"
            ) from error
    ranked = sorted(rows, key=lambda row: float(row[1]), reverse=True)
    best = tuple((str(row[0]), float(row[1])) for row in ranked[:MOST_ROWS])
    return ShownProof(sql.strip(), best)


def _shown(instance: QueryInstance) -> ShownInstance:
    return ShownInstance(
        id=instance.id,
        task=instance.task,
        query=instance.query,
        told=instance.metadata.required,
        hints=instance.metadata.optional,
        answer=tuple(value for value in instance.answer if value is not None),
        metric=instance.reward_metric,
        parameters=instance.parameters,
        evidence=instance.evidence or {},
        records=instance.difficulty.get("records", 0),
        steps=instance.difficulty.get("steps", 0),
    )


def _shortcuts(run: RunFolder) -> dict[str, tuple[str, float]]:
    """Of each task the shortcut that gets farthest, and the share that it answers."""
    try:
        made = json_of(regular_text(run.tasks_folder / REPORT_FILE))["tasks"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found = {}
    for name, numbers in dict(made).items():
        farthest = farthest_shortcut(numbers)
        if farthest is not None:
            found[name] = farthest
    return found


def _lesson(
    name: str,
    instances: Sequence[ShownInstance],
    shortcut: tuple[str, float] | None,
    attempts: Attempts,
) -> TaskLesson:
    values: dict[str, list[float]] = defaultdict(list)
    for instance in instances:
        for attempt in attempts.get(instance.id, ()):
            values[attempt.agent].append(attempt.value)
    answers = {instance.answer for instance in instances if instance.answer}
    return TaskLesson(
        name=name,
        short=TASKS[name].short,
        instances=tuple(instances),
        unanswerable=sum(not instance.answer for instance in instances),
        distinct=len(answers),
        shortcut=shortcut[0] if shortcut else "",
        passed=shortcut[1] if shortcut else None,
        scores={agent: (fmean(own), len(own)) for agent, own in values.items()},
    )


def _attempts(run: RunFolder) -> tuple[Attempts, list[str]]:
    """What agents said to each instance, and notes on logs that aren't shown."""
    if not run.evaluations_folder.is_dir():
        return {}, []
    try:
        from orgweave.benchmark.evaluate.attempts import read_attempts
    except ImportError:
        return {}, ["Evaluations need Inspect to be read; install orgweave[evaluate]."]
    return read_attempts(run.evaluations_folder, sha256_of(run.tasks_folder / TASKS_FILE))
