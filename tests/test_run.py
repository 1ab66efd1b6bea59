"""A whole run: what it leaves, that it proves itself right, that it can be killed, continued,
regenerated.
"""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from pipeline.atomic import sha256_of
from pipeline.config import RunRequest
from pipeline.run import FinishedRun, generate
from pipeline.run_folder import RunFolder
from schemas.errors import StorageFailed
from tests.toys import write_company, write_object


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


def test_an_org_is_never_finished_without_what_it_is_made_from(tmp_path: Path) -> None:
    """Where the sources can't be kept beside it the run ends, and leaves no manifest."""
    write_object(tmp_path / "toy", "Toy", "Name: {type: string, x-source: {constant: abc}}")
    ask = RunRequest(str(write_company(tmp_path)))
    out = tmp_path / "out"
    generate(ask, out)
    shutil.rmtree(out / "made_from")
    (out / "made_from").write_text("no folder")
    with pytest.raises(StorageFailed, match="made_from: can't be written"):
        generate(ask, out)
    assert not RunFolder(out).manifest_file.exists()
