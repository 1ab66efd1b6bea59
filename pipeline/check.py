"""Proves a finished org right from its files alone: invariants, share of fields filled, causal
effects, diversity of words.

Opens the org and, where they lie beside it, the hidden causes, both read-only; so it also judges an
org that somebody edited.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from latent.registry import LATENT
from latent.variable import Effect
from pipeline.run_folder import GENERATE_AGAIN, RunFolder
from schemas.errors import OrgweaveError, StorageFailed
from schemas.model import ObjectType, Schema
from verifiers.diversity import Diversity, measure
from verifiers.integrity import Finding, verify_org
from verifiers.privacy import verify_privacy
from verifiers.transcript import ChatFacts, verify_transcript

PER_FIELD = 5


@dataclass(frozen=True, slots=True)
class Report:
    """All that `check` found. `filled` is records filled over records, by object and field."""

    findings: tuple[Finding, ...]
    filled: dict[str, dict[str, float]]
    effects: tuple[Effect, ...]
    diversity: dict[str, Diversity]
    cells_filled: float

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The invariants that don't hold."""
        return tuple(finding for finding in self.findings if finding.broken)

    @property
    def right(self) -> bool:
        """Whether every invariant holds."""
        return not self.broken

    def as_json(self) -> dict[str, object]:
        """What `check.json` holds."""
        return {
            "right": self.right,
            "invariants": [asdict(finding) for finding in self.findings],
            "cells_filled": self.cells_filled,
            "filled": self.filled,
            "effects": [{**asdict(effect), "present": effect.present} for effect in self.effects],
            "diversity": {name: asdict(found) for name, found in self.diversity.items()},
        }


def check_folder(folder: Path) -> Report:
    """Checks the org in a run's folder; raises BadInput where there is none."""
    return check_org(folder, RunFolder(folder).read_schema())


def check_org(folder: Path, schema: Schema) -> Report:
    """Checks a folder's org against a schema."""
    run = RunFolder(folder)
    try:
        return _checked(run, schema)
    except sqlite3.DatabaseError as error:
        raise StorageFailed(
            f"{folder}: {run.org_file.name} or {run.latent_file.name} is damaged ({error});"
            f" {GENERATE_AGAIN}"
        ) from error


def _checked(run: RunFolder, schema: Schema) -> Report:
    hidden = run.latent_file.is_file()
    with closing(run.open_org()) as db:
        if hidden:
            run.attach_latent(db, "latent")
        findings = (*verify_org(db, schema), *_privacy(db, schema), *_chats(db, schema))
        filled = dict(_filled(db, schema))
        effects = tuple(_effects(db, schema)) if hidden else ()
        diversity = dict(_diversity(db, schema))
    return Report(findings, filled, effects, diversity, _share(filled))


def _privacy(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    tried, faults = 0, []
    for item in schema.objects:
        for field in item.fields:
            if field.type not in ("string", "array") or field.reference or field.name == "Id":
                continue
            for value in _column(db, item, field.name):
                tried += 1
                verdict = verify_privacy(value)
                if verdict.failed:
                    faults.append(f"{item.name}.{field.name}: {verdict.reason}")
    yield Finding(
        "privacy",
        "E-mails only at reserved domains, phones only 555-01xx, no card or account numbers.",
        tried,
        len(faults),
        tuple(faults[:PER_FIELD]),
    )


def _column(db: sqlite3.Connection, item: ObjectType, name: str) -> list[str]:
    try:
        return [
            str(row[0])
            for row in db.execute(
                f'SELECT DISTINCT a."{name}" FROM "{item.name}" a WHERE a."{name}" IS NOT NULL'
            )
        ]
    except sqlite3.Error:
        return []


def _chats(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """Every rendered chat against its case; only for schemas that have chats of cases."""
    if not (schema.has("LiveChatTranscript") and schema.has("CaseHistory__c")):
        return
    says = (
        "A chat has 8 to 12 lines in time, the customer first, and only the owner of the moment"
        " answers."
    )
    try:
        owners = _owners(db)
        rows = db.execute(
            "SELECT t.Id, t.Body, n.Name, c.CreatedDate, t.EndTime, c.Id FROM LiveChatTranscript t"
            ' LEFT JOIN "Case" c ON c.Id = t.CaseId LEFT JOIN Contact n ON n.Id = t.ContactId'
        ).fetchall()
    except sqlite3.Error as error:
        yield Finding("chat_lines", says, 0, 1, (f"can't be tried: {error}",))
        return
    faults = []
    for chat, body, customer, created, end, case in rows:
        fault = verify_transcript(
            str(body),
            ChatFacts(str(customer), owners.get(case, []), str(created)[:19], str(end)[:19]),
        )
        if fault:
            faults.append(f"{chat}: {fault}")
    yield Finding("chat_lines", says, len(rows), len(faults), tuple(faults[:PER_FIELD]))


def _owners(db: sqlite3.Connection) -> dict[str, list[tuple[str, str]]]:
    owners: dict[str, list[tuple[str, str]]] = {}
    rows = db.execute(
        "SELECT h.CaseId__c, substr(h.CreatedDate, 1, 19), u.Name FROM CaseHistory__c h JOIN User u"
        " ON u.Id = h.NewValue__c WHERE h.Field__c = 'Owner Assignment' ORDER BY h.CreatedDate,"
        " h.OldValue__c IS NOT NULL, h.rowid"
    )
    for case, since, name in rows:
        owners.setdefault(case, []).append((since, name))
    return owners


def _filled(db: sqlite3.Connection, schema: Schema) -> Iterator[tuple[str, dict[str, float]]]:
    for item in schema.objects:
        sums = ", ".join(
            f"""avg(a."{field.name}" IS NOT NULL AND a."{field.name}" <> '')"""
            for field in item.fields
        )
        try:
            row = db.execute(f'SELECT {sums} FROM "{item.name}" a').fetchone()
        except sqlite3.Error:
            row = [0.0] * len(item.fields)
        yield (
            item.name,
            {
                field.name: round(float(value or 0), 4)
                for field, value in zip(item.fields, row, strict=True)
            },
        )


def _share(filled: dict[str, dict[str, float]]) -> float:
    """The mean over all declared fields of all object types."""
    shares = [share for fields in filled.values() for share in fields.values()]
    return round(sum(shares) / max(len(shares), 1), 4)


def _effects(db: sqlite3.Connection, schema: Schema) -> Iterator[Effect]:
    present = {
        row[0].split(".")[0]
        for row in db.execute("SELECT name FROM latent.sqlite_master WHERE type = 'table'")
    }
    for name in sorted(present & set(LATENT)):
        try:
            yield from LATENT[name].effects(db)
        except (sqlite3.Error, OrgweaveError, ValueError) as error:
            yield Effect(name, f"can't be measured: {error}", "", 0.0, 1.0, 0)


def _diversity(db: sqlite3.Connection, schema: Schema) -> Iterator[tuple[str, Diversity]]:
    for item in schema.objects:
        for field in item.written:
            try:
                texts = [
                    str(row[0])
                    for row in db.execute(
                        f'SELECT a."{field.name}" FROM "{item.name}" a WHERE a."{field.name}" IS'
                        " NOT NULL"
                    )
                ]
            except sqlite3.Error:
                texts = []
            yield f"{item.name}.{field.name}", measure(texts)
