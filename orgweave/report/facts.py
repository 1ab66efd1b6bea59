"""What the page of a run tells: read from its files, never drawn or guessed.

Takes the verdicts from `check.json`, the months and the samples from the org, the hidden truth
beside them from the latent tables. Knows no HTML and no charts.
"""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from schemas.model import Schema
from verifiers.conversations import CaseTalk, case_talks, sample_of

SAMPLES = 10
"""So many conversations are shown: as many as somebody reads in ten minutes."""

HIDDEN = (
    ("CaseStory.cases", "intent", "Intent"),
    ("CaseStory.cases", "issue_name", "About"),
    ("Incident.cases", "cause", "Cause"),
    ("Incident.cases", "known_by", "Known by"),
    ("CaseStory.cases", "decided_by", "Decided by"),
    ("CaseStory.cases", "wish_phrase", "Wished"),
    ("CaseStory.cases", "ending", "Ending"),
    ("CaseStory.cases", "option_phrase", "Granted"),
    ("CaseStory.cases", "days", "Days after the order"),
    ("CaseStory.cases", "tone", "Tone"),
)
"""What stands beside a conversation: tables and columns of latent variables, and their captions."""

MONTHS = """
    SELECT substr("{day}", 1, 7) AS month, count(*)
    FROM "{table}"
    GROUP BY month
    ORDER BY month
"""


@dataclass(frozen=True, slots=True)
class MonthCounts:
    """How many records of an object type fall into each month, `2021-03` being one."""

    caption: str
    months: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ShownTalk:
    """A conversation, and what of its hidden truth stands in the margin."""

    talk: CaseTalk
    subject: str
    hidden: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TaskSpread:
    """What `tasks` made for one task: instances, and how far a shortcut gets."""

    name: str
    instances: int
    shortcut: str
    passed: float | None


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All that the page shows.

    `check` is the content of `check.json`; `counts` are the records by object type.
    """

    company: str
    seed: int
    description: str
    counts: Mapping[str, int]
    check: Mapping[str, object]
    months: tuple[MonthCounts, ...]
    talks: tuple[ShownTalk, ...]
    tasks: tuple[TaskSpread, ...]


def read_facts(run: RunFolder) -> ReportFacts:
    """Reads a run's folder; raises BadInput where it is not finished."""
    run.require_org()
    manifest = run.read_manifest()
    profile = run.read_profile()
    schema = run.read_schema()
    with closing(run.open_org()) as db:
        run.attach_latent(db, "latent")
        months = _months(db, schema)
        talks = _talks(db, schema)
    return ReportFacts(
        company=profile.name,
        seed=manifest.seed,
        description=" ".join(profile.description.split()),
        counts=dict(manifest.counts),
        check=_check_of(run),
        months=months,
        talks=talks,
        tasks=_tasks_of(run),
    )


def _check_of(run: RunFolder) -> Mapping[str, object]:
    try:
        found = json.loads(run.check_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(
            f"{run.check_file}: can't be read ({error}); `orgweave check` writes it anew"
        ) from error
    return dict(found)


def _months(db: sqlite3.Connection, schema: Schema) -> tuple[MonthCounts, ...]:
    """Orders and cases by month, where the schema has them."""
    wanted = (("Order", "EffectiveDate", "Orders"), ("Case", "CreatedDate", "Cases"))
    fields = {}
    for item in schema.objects:
        fields[item.name] = {field.name for field in item.fields}
    found = []
    for table, day, caption in wanted:
        if day in fields.get(table, ()):
            rows = db.execute(MONTHS.format(table=table, day=day)).fetchall()
            found.append(MonthCounts(caption, tuple((str(month), int(n)) for month, n in rows)))
    return tuple(found)


def _talks(db: sqlite3.Connection, schema: Schema) -> tuple[ShownTalk, ...]:
    shown = []
    for talk in sample_of(case_talks(db, schema), SAMPLES):
        row = db.execute('SELECT Subject FROM "Case" WHERE Id = ?', (talk.case,)).fetchone()
        shown.append(ShownTalk(talk, str(row[0]), _hidden_of(db, talk.case)))
    return tuple(shown)


def _hidden_of(db: sqlite3.Connection, case: str) -> tuple[tuple[str, str], ...]:
    """What stands beside a case's talk: of the columns above those that the org has."""
    found = []
    for table, column, caption in HIDDEN:
        if column not in _columns(db, table):
            continue
        query = f'SELECT "{column}" FROM latent."{table}" WHERE Id = ?'
        row = db.execute(query, (case,)).fetchone()
        if row is not None and row[0] not in (None, ""):
            found.append((caption, str(row[0]).replace("_", " ")))
    return tuple(found)


def _columns(db: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a latent table, none where there is no such table."""
    rows = db.execute(f'PRAGMA latent.table_info("{table}")').fetchall()
    return frozenset(str(row[1]) for row in rows)


def _tasks_of(run: RunFolder) -> tuple[TaskSpread, ...]:
    """The tasks of a run, where it has some; the shortcut is the one that gets farthest."""
    file = run.tasks_folder / "report.json"
    if not file.is_file():
        return ()
    try:
        made = json.loads(file.read_text(encoding="utf-8"))["tasks"]
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(
            f"{file}: can't be read ({error!r}); `orgweave tasks` makes it anew"
        ) from error
    return tuple(_spread(name, dict(task)) for name, task in made.items())


def farthest_shortcut(task: Mapping[str, object]) -> tuple[str, float] | None:
    """Of a task in `report.json` the solver that gets farthest by skipping a part of it, and the
    share that it answers; None where none was tried.
    """
    ablation = task.get("ablation")
    passed = ablation.get("passed") if isinstance(ablation, dict) else None
    if not isinstance(passed, dict):
        return None
    shares: dict[str, float] = {}
    for solver, share in passed.items():
        if isinstance(share, int | float):
            shares[str(solver)] = float(share)
    best = max(shares, key=lambda solver: shares[solver], default="")
    return (best, shares[best]) if best else None


def _spread(name: str, task: Mapping[str, object]) -> TaskSpread:
    best, share = farthest_shortcut(task) or ("", None)
    made = task.get("instances", task.get("made", 0))
    count = len(made) if isinstance(made, list) else int(str(made or 0))
    return TaskSpread(name, count, best, share)
