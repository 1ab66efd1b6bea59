"""Proves a finished org right from its files alone.

It opens `org.sqlite` and, where it lies beside, `latent.sqlite`, both read-only, so that it also
judges an org that somebody edited. The verdicts and measures are `verifiers`', the causal effects
are `latent`'s; this module puts them together.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from latent.registry import LATENT
from latent.variable import Effect
from pipeline.config import job_of
from schemas.errors import BadInput, OrgweaveError, StorageFailed
from schemas.model import Schema
from verifiers.diversity import Diversity, measure_org
from verifiers.filled import Filled, filled_cells, mean_share
from verifiers.org import verify_org
from verifiers.verdict import Finding


@dataclass(frozen=True, slots=True)
class Report:
    """All that `check` found. `filled` is records filled over records, by object and field."""

    findings: tuple[Finding, ...]
    filled: Filled
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
    return check_org(folder, job_of(folder).setting.schema)


def check_org(folder: Path, schema: Schema) -> Report:
    """Checks `org.sqlite` of a folder against a schema."""
    path = folder / "org.sqlite"
    if not path.is_file():
        raise BadInput(
            f"{folder}: holds no org.sqlite; name the folder of a finished run, such as"
            " outputs/shoes"
        )
    try:
        return _checked(path, schema)
    except sqlite3.DatabaseError as error:
        raise StorageFailed(
            f"{folder}: org.sqlite or latent.sqlite is damaged ({error}); run generate again, the"
            " ledger keeps the words"
        ) from error


def _checked(path: Path, schema: Schema) -> Report:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
        hidden = path.parent / "latent.sqlite"
        if hidden.is_file():
            db.execute("ATTACH ? AS latent", (f"{hidden.resolve().as_uri()}?mode=ro",))
        return _report(db, schema, with_effects=hidden.is_file())


def _report(db: sqlite3.Connection, schema: Schema, with_effects: bool) -> Report:
    filled = filled_cells(db, schema)
    return Report(
        findings=tuple(verify_org(db, schema)),
        filled=filled,
        effects=tuple(_effects(db)) if with_effects else (),
        diversity=measure_org(db, schema),
        cells_filled=mean_share(filled),
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
