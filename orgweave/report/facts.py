"""What the page of a run tells: read from its files, never drawn or guessed.

Takes the verdicts from `check.json`, the days and the samples from the org, the hidden truth
beside them from the latent tables. Knows no HTML and no charts.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from typing import Any

from orgweave.report.benchmark_facts import BenchmarkFacts, read_benchmark
from pipeline.run_folder import RunFolder, unreadable
from schemas.country import DEFAULT_LOCALE, load_country
from schemas.errors import BadInput
from schemas.model import Schema
from schemas.regular import json_of, regular_text
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

DAYS = """
    SELECT substr("{day}", 1, 10) AS day, count(*)
    FROM "{table}"
    WHERE "{day}" IS NOT NULL
    GROUP BY 1
    ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class DayCounts:
    """How many records of an object type fall on each day of a period that has any."""

    caption: str
    days: Mapping[date, int]


@dataclass(frozen=True, slots=True)
class ShownTalk:
    """A conversation, and what of its hidden truth stands in the margin."""

    talk: CaseTalk
    subject: str
    hidden: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WritingCost:
    """What the words of an object type took; `cost` is dollars, the judge's among them."""

    name: str
    requests: int
    accepted: int
    refused: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All that the page shows.

    `check` is the content of `check.json`; `counts` are the records by object type. `country` says
    of which country and in which language the org is, "" for an American one. `run` is the digest
    of the run's manifest, "" where an older one has none.
    """

    run: str
    company: str
    seed: int
    description: str
    counts: Mapping[str, int]
    schema: Schema
    writer: str
    check: Mapping[str, object]
    days: tuple[DayCounts, ...]
    talks: tuple[ShownTalk, ...]
    writing: tuple[WritingCost, ...]
    benchmark: BenchmarkFacts
    country: str = ""


def read_facts(run: RunFolder) -> ReportFacts:
    """Reads a run's folder; raises BadInput where it is not finished."""
    run.require_org()
    manifest = run.read_manifest()
    profile = run.read_profile()
    schema = run.read_schema()
    try:
        with closing(run.open_org()) as db:
            run.attach_latent(db, "latent")
            days = _days(db, schema)
            talks = _talks(db, schema)
    except sqlite3.Error as error:
        raise unreadable(run.org_file, error) from error
    except ValueError as error:
        raise run.damaged(run.org_file, error) from error
    return ReportFacts(
        run=manifest.sha256,
        company=profile.name,
        seed=manifest.seed,
        description=" ".join(profile.description.split()),
        counts=dict(manifest.counts),
        schema=schema,
        writer=manifest.writer,
        check=_check_of(run),
        days=days,
        talks=talks,
        writing=tuple(_writing(manifest.written)),
        benchmark=read_benchmark(run),
        country=_country(profile.locale, manifest.language),
    )


def _country(locale: str, language: str) -> str:
    return "" if locale == DEFAULT_LOCALE else load_country(locale).told(language)


def _check_of(run: RunFolder) -> Mapping[str, object]:
    try:
        found = dict(json_of(regular_text(run.check_file)))
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(
            f"{run.check_file}: can't be read ({error}); `orgweave check` writes it anew"
        ) from error
    return found


def _days(db: sqlite3.Connection, schema: Schema) -> tuple[DayCounts, ...]:
    """Orders and cases by day, where the schema has them."""
    wanted = (("Order", "EffectiveDate", "Orders"), ("Case", "CreatedDate", "Cases"))
    fields = {}
    for item in schema.objects:
        fields[item.name] = {field.name for field in item.fields}
    found = []
    for table, day, caption in wanted:
        if day in fields.get(table, ()):
            rows = db.execute(DAYS.format(table=table, day=day)).fetchall()
            days = {date.fromisoformat(str(text)): int(number) for text, number in rows}
            found.append(DayCounts(caption, days))
    return tuple(found)


def _writing(written: Mapping[str, Mapping[str, Any]]) -> Iterator[WritingCost]:
    """By object type, the dearest first; older manifests may lack a key."""
    costs = []
    for name, numbers in written.items():
        tokens = [numbers.get(key, 0) for key in ("tokens_in", "tokens_out", "judge_tokens")]
        dollars = [numbers.get(key, 0.0) for key in ("cost", "judge_cost")]
        costs.append(
            WritingCost(
                name=name,
                requests=int(numbers.get("requests", 0)),
                accepted=int(numbers.get("accepted", 0)),
                refused=int(numbers.get("refused", 0)),
                tokens=int(sum(tokens)),
                cost=float(sum(dollars)),
            )
        )
    yield from sorted(costs, key=lambda cost: (-cost.cost, -cost.tokens, -cost.accepted))


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
