"""Proves a finished org right from its files alone.

It opens the org and, where they lie beside it, the hidden causes, both read-only, so that it also
judges an org that somebody edited. The verdicts and measures are `verifiers`', the causal effects
are `latent`'s; this module puts them together.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from latent.registry import LATENT
from latent.variable import Effect
from pipeline.compute.executor import Executor, InProcess
from pipeline.compute.jobs import ONE_PROCESS, Workers, executor_of
from pipeline.measured_part import measured_part
from pipeline.run_folder import GENERATE_AGAIN, RunFolder
from schemas.errors import BadInput, OrgweaveError, StorageFailed
from schemas.model import Schema
from verifiers.conversation_figures import measure_conversations
from verifiers.diversity import Diversity, measure_field
from verifiers.filled import Filled, filled_cells, mean_share
from verifiers.org import ORG_VERIFIERS
from verifiers.realism import Band, MeasuredStatistic, measure_realism, share_inside
from verifiers.verdict import Finding

T = TypeVar("T")

# Kibibytes of a file that SQLite keeps while a part is looked at: of its usual two megabytes a join
# in a large org reads most pages again and again.
CACHE = 32_768
# Bytes of a file that workers read in the system's own memory: each part opens the files anew.
MAPPED = 2**31


@dataclass(frozen=True, slots=True)
class Report:
    """All that `check` found.

    `filled` is records filled over records, by object and field; `changed` are files that aren't
    those that the manifest tells of. `realism` and `conversations` are empty where the schema
    states no such figures.
    """

    findings: tuple[Finding, ...]
    filled: Filled
    effects: tuple[Effect, ...]
    diversity: dict[str, Diversity]
    cells_filled: float
    changed: tuple[str, ...] = ()
    realism: tuple[MeasuredStatistic, ...] = ()
    conversations: tuple[MeasuredStatistic, ...] = ()

    @property
    def realistic(self) -> float:
        """Which share of the statistics lies in the band that real orgs show."""
        return share_inside(self.realism)

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The invariants that don't hold."""
        return tuple(finding for finding in self.findings if finding.broken)

    @property
    def right(self) -> bool:
        """Whether every invariant holds, and every file is the one that was made."""
        return not self.broken and not self.changed

    def as_json(self) -> dict[str, object]:
        """What `check.json` holds."""
        return {
            "right": self.right,
            "changed_files": list(self.changed),
            "invariants": [asdict(finding) for finding in self.findings],
            "cells_filled": self.cells_filled,
            "filled": self.filled,
            "effects": [{**asdict(effect), "present": effect.present} for effect in self.effects],
            "realism": [_as_json(found) for found in self.realism],
            "conversations": [_as_json(found) for found in self.conversations],
            "diversity": {name: asdict(found) for name, found in self.diversity.items()},
        }


def _as_json(found: MeasuredStatistic) -> dict[str, object]:
    return {**asdict(found), "inside": found.inside}


def report_of(data: bytes) -> Report | None:
    """The report that a `check.json` holds, None where it holds none."""
    try:
        told = json.loads(data)
        parts = {**told, "findings": told["invariants"], "changed": told["changed_files"]}
        return TypeAdapter(Report).validate_python(parts)
    except (ValueError, LookupError, TypeError):
        return None


def check_folder(folder: Path, workers: Workers = ONE_PROCESS) -> Report:
    """Checks the org in a run's folder; raises BadInput where there is none."""
    run = RunFolder(folder)
    schema = run.read_schema()
    # Where it lies in parts it is built once, and not by each of the workers.
    run.require_org()
    with (
        executor_of(workers, _records(run)) as executor,
        measured_part(run, _measured_rows(run)) as part,
    ):
        report = check_org(folder, schema, executor, part)
    names = tuple(path.relative_to(folder).as_posix() for path in run.changed_files())
    return replace(report, changed=names)


def check_org(
    folder: Path, schema: Schema, executor: Executor | None = None, part: RunFolder | None = None
) -> Report:
    """Checks a folder's org against a schema; measures are taken in `part`, by default there."""
    check = OrgCheck(
        RunFolder(folder),
        schema,
        executor or InProcess(),
        part,
    )
    check.begin()
    check.begin_hidden()
    return check.report()


def ready_to_check() -> None:
    """Nothing: a worker that is sent it has imported what a check takes."""


@dataclass(slots=True)
class OrgCheck:
    """A check under way: each part of it opens the org for itself, so that others may go on.

    `begin` takes the org alone, `begin_hidden` its hidden causes, too, where they lie beside it.
    Measures are taken in the folder `measured_in`, by default the run's own.
    """

    run: RunFolder
    schema: Schema
    executor: Executor
    measured_in: RunFolder | None = None
    findings: list[Future[list[Finding]]] = field(default_factory=list)
    diversity: list[Future[dict[str, Diversity]]] = field(default_factory=list)
    measured: dict[str, Future[list[MeasuredStatistic]]] = field(default_factory=dict)
    filled: list[Future[Filled]] = field(default_factory=list)
    effects: list[Future[list[Effect]]] = field(default_factory=list)
    sent_schema: Schema = field(init=False)

    def __post_init__(self) -> None:
        self.sent_schema = self.executor.share(self.schema)

    def begin(self) -> None:
        """Begins with the parts that look at the org alone, the longest first.

        Raises StorageFailed where another program holds the org.
        """
        # SQLite waits five seconds for a lock: here once, not once in each of the fifty parts.
        with _told(self.run):
            _opened(self.run, hidden=False).close()
        for place in range(len(ORG_VERIFIERS)):
            self.findings.append(self._sent(False, _findings, place))
        written = []
        for item in self.schema.objects:
            written += [(item.name, each.name) for each in item.written]
        for fields in self._shares(written):
            self.diversity.append(self._sent(False, _diversity, fields))
        bands = self.run.read_bands()
        self.measured["realism"] = self._sent(False, _realism, bands)
        self.filled.append(self._sent(False, _filled))

    def begin_hidden(self) -> None:
        """Begins with the other parts."""
        with _told(self.run):
            names = _measured_causes(self.run)
        hidden = self.run.latent_file.is_file()
        bands = self.run.read_bands()
        self.measured["conversations"] = self._sent(hidden, _conversations, bands)
        for share in self._shares(names):
            self.effects.append(self._sent(True, _effects, share))

    def report(self) -> Report:
        """All that was found, once every part is done."""
        with _told(self.run):
            filled = self.filled[0].result()
            diversity: dict[str, Diversity] = {}
            for part in self.diversity:
                diversity |= part.result()
            return Report(
                findings=_joined(self.findings),
                filled=filled,
                effects=_joined(self.effects),
                diversity=diversity,
                cells_filled=mean_share(filled),
                realism=tuple(self.measured["realism"].result()),
                conversations=tuple(self.measured["conversations"].result()),
            )

    def _shares(self, looked_at: Sequence[T]) -> list[Sequence[T]]:
        """What is looked at, each alone for workers; for this process all as one part, since to
        open an org takes longer than to look at a small one.
        """
        if self.executor.workers > 1:
            return [[each] for each in looked_at]
        return [looked_at] if looked_at else []

    def _sent(self, hidden: bool, part: Callable[..., T], *arguments: object) -> Future[T]:
        looked_at = self.run
        if self.measured_in is not None and part is not _findings:
            looked_at = self.measured_in
        folder, schema = looked_at.path, self.sent_schema
        mapped = MAPPED if self.executor.workers > 1 else 0
        return self.executor.submit(
            _looked_at,
            folder,
            hidden,
            mapped,
            schema,
            part,
            arguments,
        )


def _looked_at(
    folder: Path,
    hidden: bool,
    mapped: int,
    schema: Schema,
    part: Callable[..., T],
    arguments: tuple[object, ...],
) -> T:
    """What a function of an org, its schema and further arguments finds."""
    with closing(_opened(RunFolder(folder), hidden, mapped)) as db:
        return part(db, schema, *arguments)


def _opened(run: RunFolder, hidden: bool, mapped: int = 0) -> sqlite3.Connection:
    """The org, with its hidden causes beside it or alone; `mapped` bytes of each file are read in
    the system's own memory, without a copy.
    """
    db = run.open_org()
    try:
        db.execute(f"PRAGMA cache_size = -{CACHE}")
        db.execute(f"PRAGMA mmap_size = {mapped}")
        if hidden:
            run.attach_latent(db, "latent")
    except (OrgweaveError, sqlite3.Error):
        db.close()
        raise
    return db


def _measured_causes(run: RunFolder) -> list[str]:
    """The latent variables that have a table; none where the org comes without its hidden story."""
    if not run.latent_file.is_file():
        if os.path.lexists(run.latent_file):
            # An org may be given away without its hidden story; this one has lost it.
            raise StorageFailed(f"{run.latent_file}: is no file; {GENERATE_AGAIN}")
        return []
    with closing(_opened(run, hidden=True)) as db:
        rows = db.execute("SELECT name FROM latent.sqlite_master WHERE type = 'table'").fetchall()
    return sorted({name.split(".")[0] for (name,) in rows} & set(LATENT))


def _records(run: RunFolder) -> int:
    """How many records the org has by its manifest; 0 where there is none to be read."""
    try:
        return sum(run.read_manifest().counts.values())
    except BadInput:
        return 0


def _measured_rows(run: RunFolder) -> Mapping[str, int]:
    """The rows of each table in which measures are taken; none where they are taken in all."""
    try:
        shards = run.read_manifest().shards
    except BadInput:
        return {}
    return shards.measured if shards else {}


def _findings(db: sqlite3.Connection, schema: Schema, place: int) -> list[Finding]:
    return list(ORG_VERIFIERS[place](db, schema))


def _filled(db: sqlite3.Connection, schema: Schema) -> Filled:
    return filled_cells(db, schema)


def _diversity(
    db: sqlite3.Connection, schema: Schema, fields: Sequence[tuple[str, str]]
) -> dict[str, Diversity]:
    """The diversity of each field, named as its object type and itself."""
    found = {}
    for name, written in fields:
        found[f"{name}.{written}"] = measure_field(db, schema.object(name), written)
    return found


def _realism(
    db: sqlite3.Connection, schema: Schema, bands: Mapping[str, Band | None]
) -> list[MeasuredStatistic]:
    return list(measure_realism(db, schema, bands))


def _conversations(
    db: sqlite3.Connection, schema: Schema, bands: Mapping[str, Band | None]
) -> list[MeasuredStatistic]:
    return list(measure_conversations(db, schema, bands))


def _effects(db: sqlite3.Connection, schema: Schema, names: Sequence[str]) -> list[Effect]:
    """The effects of latent variables; one that can't be measured counts as absent."""
    found = []
    for name in names:
        try:
            found += list(LATENT[name].effects(db))
        except (sqlite3.Error, OrgweaveError, ValueError) as error:
            found.append(
                Effect(
                    name,
                    f"can't be measured: {error}",
                    "",
                    0.0,
                    1.0,
                    0,
                )
            )
    return found


def _joined(parts: Sequence[Future[list[T]]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(part.result() for part in parts))


@contextmanager
def _told(run: RunFolder) -> Iterator[None]:
    """Tells what SQLite says of the run's files in one line."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise StorageFailed(
                f"{run.path}: another program holds {run.org_file.name} or {run.latent_file.name}"
                f" ({error}); close it, then run the same command again"
            ) from error
        raise StorageFailed(
            f"{run.path}: {run.org_file.name} or {run.latent_file.name} is damaged ({error});"
            f" {GENERATE_AGAIN}"
        ) from error
