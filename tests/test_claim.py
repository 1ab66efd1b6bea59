"""No command writes into a folder, or over a file, that orgweave didn't make."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from orgweave.cli import run
from pipeline.config import RunRequest
from pipeline.ledger import Ledger
from pipeline.run import FinishedRun, generate
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from tests.explore_orgs import toy_run
from tests.tiers import THOROUGH
from tests.toys import write_company

ROOT = Path(__file__).parent.parent
TASKS = ["--tasks", "handle_time", "--per-task", "1"]


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """The finished run of a toy company, whose profile lies beside it."""
    return toy_run(tmp_path / "made")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def company_of(toys: Path) -> str:
    """The path of the toy company's profile."""
    return str(toys.parent / "toys.yaml")


def ended(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """A command's exit code, and what it wrote on stderr but for the writer's line."""
    code = run(words)
    lines = capsys.readouterr().err.splitlines()
    return code, [line for line in lines if not line.startswith("writing with")]


FOREIGN: dict[str, Callable[[Path], object]] = {
    "a web project": lambda folder: (folder / "manifest.json").write_text('{"name": "my app"}'),
    "notes": lambda folder: (folder / "notes.txt").write_text("mine"),
    "an upload folder": lambda folder: (folder / "upload").mkdir(),
    "another database": lambda folder: database(folder / "org.sqlite"),
    "another ledger": lambda folder: database(folder / "ledger.sqlite"),
    "a hidden file": lambda folder: (folder / ".git").mkdir(),
}


def database(path: Path) -> None:
    """A SQLite file of somebody's own."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE accounts (balance INTEGER)")


@pytest.mark.parametrize("more", [[], ["--force"], ["--limit", "1"]], ids=" ".join)
@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_ones_own_stays_as_it_is(
    name: str,
    more: list[str],
    toys: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`generate` refuses a folder that no run made, with --force too; nothing in it changes."""
    folder = tmp_path / "project"
    folder.mkdir()
    FOREIGN[name](folder)
    before = contents(folder)
    words = ["generate", "--company", company_of(toys), "--out", str(folder), *more]
    code, lines = ended(words, capsys)
    assert (code, len(lines)) == (2, 1)
    after = contents(folder)
    after.pop(".lock", None)
    assert after == before


def test_regenerate_takes_no_other_ledger(toys: Path, tmp_path: Path) -> None:
    """A `ledger.sqlite` of somebody's own gets no tables of ours."""
    folder = tmp_path / "books"
    folder.mkdir()
    database(folder / "ledger.sqlite")
    before = contents(folder)
    with pytest.raises(BadInput, match="is no ledger of orgweave"):
        Ledger(folder / "ledger.sqlite")
    assert contents(folder) == before


def test_an_empty_out_is_no_folder(toys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unset variable after --out, --to or --log-dir is told, and isn't the current folder."""
    for words in (
        ["generate", "--company", company_of(toys), "--out", ""],
        ["regenerate", "--company", company_of(toys), "--object", "Visit", "--out", ""],
        ["tasks", str(toys), "--to", ""],
        ["scores", str(toys), "--to", ""],
        ["plan", "--company", company_of(toys), "--format", "png", "--to", ""],
        ["evaluate", str(toys), "--log-dir", ""],
    ):
        code, lines = ended(words, capsys)
        assert code == 2
        (line,) = lines
        assert line.startswith(f"orgweave: {words[-2]}: is followed by nothing")


OTHERS = {
    "--seed": ["--seed", "77"],
    "--scale": ["--scale", "2"],
    "--set": ["--set", "Visit=3"],
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_org_replaces_a_finished_one_only_by_force(
    name: str,
    toys: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Another seed, scale or count is refused, the org stays; with --force it is replaced, and
    what was made of the earlier one is told as stale, once.
    """
    before = contents(toys)
    words = ["generate", "--company", company_of(toys), "--out", str(toys), *OTHERS[name]]
    code, lines = ended(words, capsys)
    assert (code, len(lines)) == (2, 1)
    assert f"holds a finished org with {name.removeprefix('--seed') or 'seed'}" in lines[0]
    assert "add --force" in lines[0]
    assert contents(toys) == before
    (toys / "tasks").mkdir()
    capsys.readouterr()
    assert run([*words, "--force"]) == 0
    stale = f"stale now, for they tell of the earlier org: tasks/ (orgweave tasks {toys})"
    assert stale in capsys.readouterr().out.splitlines()
    assert run(words) == 0
    assert "stale" not in capsys.readouterr().out
    assert contents(toys)["org.sqlite"] != before["org.sqlite"]


def test_another_company_replaces_a_finished_one_only_by_force(toys: Path) -> None:
    """A company of another name is refused in a finished org's folder."""
    other = write_company(toys.parent)
    other.write_text(other.read_text().replace("Bramble Toys", "Nettle Toys"))
    ask = RunRequest(str(other))
    with pytest.raises(BadInput, match="finished org with company Bramble Toys, not Nettle Toys"):
        generate(ask, toys)
    assert generate(ask, toys, force=True).report.right


def edit_profile(made: Path) -> str:
    """One more line in the profile; which source that is."""
    profile = made / "toys.yaml"
    profile.write_text(profile.read_text() + "# later\n")
    return "the profile"


def edit_schema(made: Path) -> str:
    """One more field in the schema."""
    path = made / "toy" / "Visit.yaml"
    path.write_text(path.read_text() + "  Later: {type: string, x-source: {constant: x}}\n")
    return "the schema toy"


def edit_lexicon(made: Path) -> str:
    """Another word in a lexicon of one's own."""
    path = made / "mine" / "issues_1.yaml"
    path.write_text(path.read_text().replace("[broken|damaged]", "[smashed|damaged]"))
    return "the lexicon mine"


@pytest.mark.parametrize("edit", [edit_profile, edit_schema, edit_lexicon])
def test_edited_sources_replace_a_finished_org_only_by_force(
    edit: Callable[[Path], str], tmp_path: Path
) -> None:
    """The same command after an edit is told and refused, the org stays; `regenerate` goes on with
    what it was made from, and --force makes it anew."""
    made = tmp_path / "made"
    shutil.copytree(ROOT / "schemas" / "lexicons" / "goods", made / "mine")
    out = toy_run(made, "lexicon: mine")
    before = contents(out)
    said = edit(made)
    ask = RunRequest(str(made / "toys.yaml"))
    with pytest.raises(BadInput, match=f"finished org, and {said}.* changed since it was made"):
        generate(ask, out)
    assert contents(out) == before
    assert generate(ask, out, force=True).report.right
    assert generate(ask, out).report.right


def test_the_same_ask_again_needs_no_force(toys: Path) -> None:
    """The same command, also with the profile's seed named, also after a kill that left no
    manifest, goes on."""
    seed = RunFolder(toys).read_manifest().seed
    before = contents(toys)
    generate(RunRequest(company_of(toys), seed=seed), toys)
    assert contents(toys)["org.sqlite"] == before["org.sqlite"]
    (toys / "manifest.json").unlink()
    generate(RunRequest(company_of(toys), scale=2.0), toys)
    assert RunFolder(toys).read_manifest().asked["scale"] == 2.0


def test_a_folder_that_lost_its_ledger_is_still_a_runs(toys: Path) -> None:
    """A half-made org whose damaged ledger was moved away, as the message says, goes on."""
    (toys / "manifest.json").unlink()
    (toys / "ledger.sqlite").unlink()
    assert generate(RunRequest(company_of(toys)), toys).report.right


def test_what_lies_beside_the_upload_files_stays(toys: Path) -> None:
    """A run removes the upload files that its manifest lists, and no others; a manifest that
    lists files elsewhere removes none there."""
    kept = {toys / "upload" / "mine.json", toys.parent / "toys.yaml"}
    (toys / "upload" / "mine.json").write_text("{}")
    (toys / "upload" / "Gone.json").write_text("{}")
    manifest = RunFolder(toys).read_manifest()
    listed = {**manifest.files, "upload/Gone.json": "", "upload/../../toys.yaml": ""}
    RunFolder(toys).write_manifest(manifest.model_copy(update={"files": listed}))
    generate(RunRequest(company_of(toys)), toys)
    assert not (toys / "upload" / "Gone.json").exists()
    assert all(path.exists() for path in kept)


def test_tasks_delete_nothing_that_they_did_not_make(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A published `hf` folder keeps its `.git` and its notes when the tasks are made anew."""
    assert run(["tasks", str(mine), *TASKS, "--format", "hf"]) in (0, 3)
    published = mine / "tasks" / "hf"
    (published / ".git").mkdir()
    (published / ".git" / "HEAD").write_text("ref: main")
    (published / "notes.md").write_text("mine")
    assert run(["tasks", str(mine), *TASKS]) in (0, 3)
    assert sorted(contents(published)) == [".git/HEAD", "notes.md"]


@pytest.mark.parametrize("name", ["tasks.jsonl", "report.json", "README.md"])
def test_tasks_of_somebody_else_are_not_replaced(
    name: str,
    mine: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`tasks --to` refuses a folder with files and no report of its own, before any work."""
    place = tmp_path / "place"
    place.mkdir()
    (place / name).write_text("{}")
    code, lines = ended(["tasks", str(mine), *TASKS, "--to", str(place)], capsys)
    assert (code, len(lines)) == (2, 1)
    assert "no report.json of tasks made by orgweave" in lines[0]
    assert contents(place) == {name: b"{}"}


@THOROUGH
def test_tasks_that_were_killed_go_on(mine: Path) -> None:
    """What a kill leaves of the tasks at any place is taken for one's own by the same command."""
    place = mine / "tasks"
    assert run(["tasks", str(mine), *TASKS]) in (0, 3)
    whole = contents(place)
    for left in (["report.json.part"], ["report.json"], ["report.json", "tasks.jsonl.part"]):
        shutil.rmtree(place)
        place.mkdir()
        for name in left:
            (place / name).write_bytes(whole[name.removesuffix(".part")])
        assert run(["tasks", str(mine), *TASKS]) in (0, 3)
        assert {name: contents(place)[name] for name in whole} == whole


def test_scores_replace_only_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`scores --to` and `evaluate --log-dir` refuse a folder with a scores file of another kind."""
    (tmp_path / "scores.md").write_text("Goals of the season")
    for words in (
        ["scores", str(tmp_path), "--to", str(tmp_path)],
        ["evaluate", str(tmp_path), "--agent", "oracle", "--log-dir", str(tmp_path)],
    ):
        code, lines = ended(words, capsys)
        assert (code, len(lines)) == (2, 1)
        assert "holds scores.md, which orgweave didn't write" in lines[0]
    assert contents(tmp_path) == {"scores.md": b"Goals of the season"}


def test_a_plan_that_is_printed_takes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that nothing would be written to is refused, and not forgotten."""
    words = ["plan", "--company", "clinic", "--format", "dot", "--to", str(tmp_path / "plan.dot")]
    assert run(words) == 2
    assert "dot is printed and written nowhere" in capsys.readouterr().err


def test_a_plan_replaces_only_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`plan --format png` draws over its own picture, and over nothing else."""
    picture = tmp_path / "holiday.png"
    words = ["plan", "--company", "clinic", "--format", "png", "--to", str(picture)]
    assert run(words) == 0
    assert run(words) == 0
    picture.write_bytes(b"\x89PNG the sea")
    code, lines = ended(words, capsys)
    assert (code, len(lines)) == (2, 1)
    assert "holds something that `plan` didn't draw" in lines[0]
    assert picture.read_bytes() == b"\x89PNG the sea"


def test_a_moved_run_is_ones_own(small_shoes: FinishedRun, mine: Path) -> None:
    """A copy of a finished folder is a run's folder too."""
    again = generate(RunRequest("shoes", scale=0.1), mine)
    assert again.counts == small_shoes.counts
