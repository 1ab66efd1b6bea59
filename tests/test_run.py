"""A whole run: what it leaves, that it proves itself right, that it can be killed, continued,
regenerated.
"""

import json
import sqlite3

from pipeline.atomic import sha256_of
from pipeline.run import FinishedRun


def test_a_run_breaks_no_invariant(small_shoes: FinishedRun) -> None:
    """Every invariant holds for every record of a generated org."""
    assert small_shoes.report.findings
    assert [finding.name for finding in small_shoes.report.broken] == []


def test_the_manifest_tells_the_hash_of_each_file(small_shoes: FinishedRun) -> None:
    """The manifest's SHA-256 of a file is that of the file as it lies there."""
    files = json.loads((small_shoes.folder / "manifest.json").read_text())["files"]
    assert {"org.sqlite", "latent.sqlite", "upload/plan.json"} <= set(files)
    assert all(sha256_of(small_shoes.folder / name) == digest for name, digest in files.items())


def test_counts_in_the_org_are_those_of_the_manifest(small_shoes: FinishedRun) -> None:
    """Each table has as many records as the manifest says."""
    counts = json.loads((small_shoes.folder / "manifest.json").read_text())["counts"]
    with sqlite3.connect(small_shoes.folder / "org.sqlite") as db:
        found = {
            name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in counts
        }
    assert found == counts
