"""An org that lies in Parquet files: the same org, and one line for whatever isn't whole."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from orgweave.cli import run as command
from orgweave.export.registry import export
from pipeline.compute.executor import InProcess
from pipeline.part_files import write_parts
from pipeline.run import FinishedRun
from pipeline.run_folder import RunFolder
from tests.exports_org import contents, copied
from tests.test_kill import hashes
from tests.tiers import THOROUGH

COMPANY = ["--company", "shoes", "--scale", "0.03", "--no-report", "--jobs", "1"]
PART = "tables/Case/part-00000.parquet"
FEW = 40


def in_parts(run: Path, to: Path, rows: int = FEW) -> Path:
    """A copy of an org that lies in parts of a few records each, without org.sqlite."""
    folder = RunFolder(copied(run, to))
    files, parts = write_parts(folder, folder.read_schema(), InProcess(), rows)
    manifest = folder.read_manifest()
    listed = {**manifest.files, **folder.digests(files)}
    folder.write_manifest(manifest.model_copy(update={"files": listed, "parts": parts}))
    folder.drop_org()
    return to


@pytest.fixture(scope="module")
def in_few(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small company in parts; no test may write in its folder."""
    return in_parts(small_shoes.folder, tmp_path_factory.mktemp("parts") / "parted")


@pytest.fixture
def parted(in_few: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may change."""
    return Path(shutil.copytree(in_few, tmp_path / "parted"))


def test_the_same_org_comes_out_of_many_parts(small_shoes: FinishedRun, parted: Path) -> None:
    """The file that is built of them is the one that they were made of, byte for byte."""
    assert (parted / "tables/Case/part-00001.parquet").is_file()
    assert not (parted / "org.sqlite").exists()
    built = RunFolder(parted).require_org()
    assert built.read_bytes() == (small_shoes.folder / "org.sqlite").read_bytes()
    assert [path.name for path in parted.glob("*org*")] == ["org.sqlite"]


def test_parts_hold_typed_records_in_their_order(small_shoes: FinishedRun, parted: Path) -> None:
    """Numbers and truths have their types; each part but the last has as many records as told."""
    files = sorted((parted / "tables" / "Case").iterdir())
    tables = [parquet.read_table(file) for file in files]
    assert [table.num_rows for table in tables[:-1]] == [FEW] * (len(files) - 1)
    assert str(tables[0].schema.field("IsClosed").type) == "bool"
    with RunFolder(small_shoes.folder).open_org() as db:
        keys = [key for (key,) in db.execute('SELECT "Id" FROM "Case" ORDER BY rowid')]
    assert [key for table in tables for key in table["Id"].to_pylist()] == keys


@THOROUGH
def test_exports_and_tasks_are_those_of_the_sqlite_run(
    small_shoes: FinishedRun, tmp_path: Path
) -> None:
    """Who reads the org asks for it by SQL as ever; its tables are built when that happens."""
    whole = Path(shutil.copytree(small_shoes.folder, tmp_path / "whole"))
    parts = in_parts(whole, tmp_path / "parts")
    shutil.copyfile(whole / "latent.sqlite", parts / "latent.sqlite")
    export(whole, "csv", tmp_path / "whole_csv")
    export(parts, "csv", tmp_path / "parts_csv")
    assert contents(tmp_path / "whole_csv") == contents(tmp_path / "parts_csv")
    RunFolder(parts).drop_org()
    for run in (whole, parts):
        words = ["tasks", str(run), "--tasks", "handle_time", "--per-task", "3"]
        assert command(words) in (0, 3)
    made = [(run / "tasks" / "tasks.jsonl").read_bytes() for run in (whole, parts)]
    assert made[0] == made[1] and made[0]


def test_generate_stores_what_check_finds_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parts alone are left, check finds no violation in them, and the verdict is that of a
    SQLite run; the same command makes nothing anew, and a regeneration leaves parts again.
    """
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert command(["generate", *COMPANY, "--out", str(whole)]) == 0
    asked = ["generate", *COMPANY, "--out", str(parts)]
    assert command([*asked, "--store", "parquet"]) == 0
    assert not (parts / "org.sqlite").exists()
    made = (parts / "manifest.json").stat().st_mtime_ns
    assert command(asked) == 0
    assert (parts / "manifest.json").stat().st_mtime_ns == made
    capsys.readouterr()
    assert command(["check", str(parts)]) == 0
    assert " 0 violations" in capsys.readouterr().out
    before, after = hashes(whole), hashes(parts)
    del before["manifest.json"], after["manifest.json"]
    assert before == after
    again = ["regenerate", "--company", "shoes", "--object", "Knowledge__kav", "--no-report"]
    assert command([*again, "--jobs", "1", "--out", str(parts)]) == 0
    assert not (parts / "org.sqlite").exists()
    assert command([*asked, "--store", "sqlite", "--force"]) == 0
    assert not (parts / "tables").exists()
    assert hashes(parts)["org.sqlite"] == hashes(whole)["org.sqlite"]


def _without(run: Path) -> None:
    (run / PART).unlink()


def _exchanged(run: Path) -> None:
    shutil.copyfile(run / "tables/Case/part-00001.parquet", run / PART)


def _cut(run: Path) -> None:
    (run / PART).write_bytes((run / PART).read_bytes()[:-10])


def _mixed(run: Path) -> None:
    shutil.copyfile(run / PART, run / "tables/Case/part-00099.parquet")


def _newer(run: Path) -> None:
    folder = RunFolder(run)
    manifest = folder.read_manifest()
    assert manifest.parts is not None
    parts = manifest.parts.model_copy(update={"format": 2})
    folder.write_manifest(manifest.model_copy(update={"parts": parts}))


def _unlisted(run: Path) -> None:
    (run / PART).unlink()
    folder = RunFolder(run)
    manifest = folder.read_manifest()
    files = {name: digest for name, digest in manifest.files.items() if name != PART}
    folder.write_manifest(manifest.model_copy(update={"files": files}))


def _sealed(run: Path, name: str) -> None:
    folder = RunFolder(run)
    manifest = folder.read_manifest()
    files = {**manifest.files, **folder.digests([run / name])}
    folder.write_manifest(manifest.model_copy(update={"files": files}))


def _of_another_type(run: Path) -> None:
    shutil.copyfile(run / "tables/Account/part-00000.parquet", run / PART)
    _sealed(run, PART)


def _no_parquet(run: Path) -> None:
    (run / PART).write_bytes(b"nothing")
    _sealed(run, PART)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_without, "part-00000.parquet: is missing"),
        (_exchanged, "part-00000.parquet: is not the one that this org was made with"),
        (_cut, "part-00000.parquet: is not the one that this org was made with"),
        (_mixed, "part-00099.parquet: is no part of this org; remove it"),
        (_newer, "is of format 2, and this version of orgweave reads formats up to 1"),
        (_unlisted, "it doesn't list every part of Case"),
        (_of_another_type, "its columns aren't those of Case"),
        (_no_parquet, "part-00000.parquet: is damaged"),
    ],
)
def test_damaged_or_mixed_parts_are_told_in_one_line(
    spoil: Callable[[Path], None],
    says: str,
    parted: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever needs the org says what is wrong with its parts, and builds nothing of them."""
    spoil(parted)
    for words in (["check", str(parted)], ["query", str(parted), "SELECT Id FROM Case"]):
        assert command(words) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1 and says in lines[0]
    assert not [path for path in parted.iterdir() if "org" in path.name]


def test_a_built_file_that_was_edited_is_told(
    parted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It isn't the org of the parts any more; who wants it so says it."""
    with RunFolder(parted).require_org().open("ab") as file:
        file.write(b"more")
    words = ["query", str(parted), "SELECT Id FROM Case LIMIT 1"]
    assert command(words) == 2
    assert "to use it as it is, add --trust" in capsys.readouterr().err


def test_a_bundle_holds_the_org_itself(parted: Path, tmp_path: Path) -> None:
    """Whoever is given a bundle needs no Parquet files besides."""
    assert command(["bundle", str(parted), "--to", str(tmp_path / "bundle")]) == 0
    (manifest,) = (tmp_path / "bundle").rglob("manifest.json")
    assert "parts" not in json.loads(manifest.read_text())
    assert (manifest.parent / "org.sqlite").is_file()
