"""Proves a finished org right from its files alone.

It opens the org and, where they lie beside it, the hidden causes, both read-only, so that it also
judges an org that somebody edited. The verdicts and measures are `verifiers`', the causal effects
are `latent`'s; this module puts them together.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from latent.registry import LATENT
from latent.variable import Effect
from pipeline.run_folder import GENERATE_AGAIN, RunFolder
from schemas.errors import OrgweaveError, StorageFailed
from schemas.model import Schema
from verifiers.conversation_figures import measure_conversations
from verifiers.diversity import Diversity, measure_org
from verifiers.filled import Filled, filled_cells, mean_share
from verifiers.org import verify_org
from verifiers.realism import Band, MeasuredStatistic, measure_realism, share_inside
from verifiers.verdict import Finding


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


def check_folder(folder: Path) -> Report:
    """Checks the org in a run's folder; raises BadInput where there is none."""
    run = RunFolder(folder)
    report = check_org(folder, run.read_schema())
    names = tuple(path.relative_to(folder).as_posix() for path in run.changed_files())
    return replace(report, changed=names)


def check_org(folder: Path, schema: Schema) -> Report:
    """Checks a folder's org against a schema."""
    run = RunFolder(folder)
    try:
        return _checked(run, schema)
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise StorageFailed(
                f"{folder}: another program holds {run.org_file.name} or {run.latent_file.name}"
                f" ({error}); close it, then run the same command again"
            ) from error
        raise StorageFailed(
            f"{folder}: {run.org_file.name} or {run.latent_file.name} is damaged ({error});"
            f" {GENERATE_AGAIN}"
        ) from error


def _checked(run: RunFolder, schema: Schema) -> Report:
    hidden = run.latent_file.is_file()
    if not hidden and os.path.lexists(run.latent_file):
        # An org may be given away without its hidden story; this one has lost it.
        raise StorageFailed(f"{run.latent_file}: is no file; {GENERATE_AGAIN}")
    with closing(run.open_org()) as db:
        if hidden:
            run.attach_latent(db, "latent")
        return _report(db, schema, run.read_bands(), with_effects=hidden)


def _report(
    db: sqlite3.Connection,
    schema: Schema,
    bands: Mapping[str, Band | None],
    with_effects: bool,
) -> Report:
    filled = filled_cells(db, schema)
    return Report(
        findings=tuple(verify_org(db, schema)),
        filled=filled,
        effects=tuple(_effects(db)) if with_effects else (),
        diversity=measure_org(db, schema),
        cells_filled=mean_share(filled),
        realism=tuple(measure_realism(db, schema, bands)),
        conversations=tuple(measure_conversations(db, schema, bands)),
    )


def _effects(db: sqlite3.Connection) -> Iterator[Effect]:
    """Yields the effects of every latent variable that has a table; one that can't be measured
    counts as absent.
    """
    rows = db.execute("SELECT name FROM latent.sqlite_master WHERE type = 'table'")
    present = {name.split(".")[0] for (name,) in rows}
    for name in sorted(present & set(LATENT)):
        try:
            yield from LATENT[name].effects(db)
        except (sqlite3.Error, OrgweaveError, ValueError) as error:
            yield Effect(name, f"can't be measured: {error}", "", 0.0, 1.0, 0)
