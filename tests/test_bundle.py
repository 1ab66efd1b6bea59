"""What is published is whole, has the same bytes each time, and opens; nothing hidden is in it."""

import hashlib
import io
import json
import shutil
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyarrow import csv as arrow_csv
from pyarrow import json as arrow_json
from pyarrow import parquet

from orgweave.benchmark.instance import InstanceMetadata, QueryInstance
from orgweave.bundle.open import run_in
from orgweave.explore.site import opened
from pipeline.atomic import sha256_of
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from tests.called import called
from tests.exports_org import changed, contents

ANSWER = "005zz000000000BAAQ"
TOP = "tarn-alder"
READERS: dict[str, Callable[[Path], Any]] = {
    "parquet": parquet.read_table,
    "csv": lambda path: arrow_csv.read_csv(
        path, parse_options=arrow_csv.ParseOptions(newlines_in_values=True)
    ),
    "jsonl": arrow_json.read_json,
}


def with_tasks(run: Path) -> Path:
    """Gives a run two instances, as `tasks` writes them."""
    folder = RunFolder(run)
    manifest = folder.read_manifest()
    lines = []
    for number, answer in ((1, [ANSWER]), (2, [None])):
        instance = QueryInstance(
            id=f"handle_time-000{number}",
            task="handle_time",
            query="Who was fastest?",
            answer=list(answer),
            parameters={"start": "2022-01-01T00:00:00Z"},
            metadata=InstanceMetadata(required="Today's date: 2022-04-01."),
            reward_metric="exact_match",
            difficulty={"records": 4, "steps": 1},
            answerable=answer != [None],
        )
        lines.append(f"{instance.as_json()}\n")
    text = "".join(lines)
    report = {
        "company": manifest.company,
        "seed": manifest.seed,
        "org_sha256": sha256_of(folder.org_file),
        "tasks": {"handle_time": {"instances": 2}},
        "files": {"tasks.jsonl": hashlib.sha256(text.encode()).hexdigest()},
    }
    folder.tasks_folder.mkdir()
    (folder.tasks_folder / "tasks.jsonl").write_text(text)
    (folder.tasks_folder / "report.json").write_text(json.dumps(report))
    (folder.tasks_folder / "verify.py").write_text("print('2 of 2')\n")
    return run


@pytest.fixture(scope="module")
def published(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the tiny company with two instances, which no test changes."""
    place = tmp_path_factory.mktemp("published") / "shoes"
    return with_tasks(Path(shutil.copytree(tiny, place)))


@pytest.fixture(scope="module")
def bundle(published: Path) -> Path:
    """Its bundle as a folder."""
    place = published.parent / "bundle"
    made = called("bundle", str(published), "--to", str(place))
    assert made.returncode == 0, made.stderr
    return place


def head_of(bundle: Path) -> dict[str, Any]:
    """What a card says to programs."""
    return dict(yaml.safe_load((bundle / "README.md").read_text().split("---\n")[1]))


def test_a_bundle_is_whole(bundle: Path, published: Path) -> None:
    """It holds tables, run, tasks, card and licence, and its account names the org."""
    account = json.loads((bundle / "export.json").read_text())
    assert account["org_sha256"] == sha256_of(published / "org.sqlite")
    assert (bundle / "run/org.sqlite").read_bytes() == (published / "org.sqlite").read_bytes()
    assert (bundle / "run/tasks/tasks.jsonl").is_file()
    root = Path(__file__).parent.parent
    assert (bundle / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes()


def test_nothing_hidden_is_in_a_bundle(bundle: Path) -> None:
    """Without the flag no file of the hidden causes is in it, and nothing that tells of them."""
    names = set(contents(bundle))
    for name in ("latent.sqlite", "check.json", "report.html", "ledger.sqlite", "preview.json"):
        assert f"run/{name}" not in names


def test_the_hidden_causes_come_when_asked_for(published: Path, tmp_path: Path) -> None:
    """With the flag the latent tables and the verdicts are in it, and the account says so."""
    place = tmp_path / "bundle"
    assert called("bundle", str(published), "--hidden", "--to", str(place)).returncode == 0
    assert (place / "run/latent.sqlite").read_bytes() == (published / "latent.sqlite").read_bytes()
    assert json.loads((place / "export.json").read_text())["hidden"] is True
    assert called("check", str(place / "run")).returncode == 0


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_has_the_same_bytes_each_time(
    kind: str,
    published: Path,
    bundle: Path,
    tmp_path: Path,
) -> None:
    """Made twice at two places it is one file, and what it holds is the folder's."""
    made = [tmp_path / f"first.{kind}", tmp_path / "deeper" / f"second.{kind}"]
    for place in made:
        words = ("bundle", str(published), "--format", kind, "--to", str(place))
        assert called(*words).returncode == 0
    assert made[0].read_bytes() == made[1].read_bytes()
    shutil.unpack_archive(made[0], tmp_path / "out", "zip" if kind == "zip" else "gztar")
    assert contents(tmp_path / "out" / TOP) == contents(bundle)


@pytest.mark.parametrize("data", READERS)
def test_the_cards_configs_open_every_table(data: str, published: Path, tmp_path: Path) -> None:
    """Each config of the card leads to a table with as many rows as the org has records."""
    place = tmp_path / "bundle"
    words = ("bundle", str(published), "--data", data, "--to", str(place))
    assert called(*words).returncode == 0
    counts = RunFolder(published).read_manifest().counts
    rows = {}
    for config in head_of(place)["configs"]:
        (file,) = config["data_files"]
        rows[config["config_name"]] = READERS[data](place / file["path"]).num_rows
    # A file of JSON lines without a line can't be opened, so no config leads to it.
    filled = {name: count for name, count in counts.items() if count or data != "jsonl"}
    assert rows == {"tasks": 2, **filled}


@pytest.mark.clients
@pytest.mark.skipif(find_spec("datasets") is None, reason="the library datasets isn't installed")
def test_load_dataset_opens_a_bundle(bundle: Path, tmp_path: Path) -> None:
    """The library itself opens the tasks and an object type by the card."""
    from datasets import load_dataset

    tasks = load_dataset(str(bundle), "tasks", split="test", cache_dir=str(tmp_path))
    assert tasks["answer"][:] == [[ANSWER], [None]]
    cases = load_dataset(str(bundle), "Case", split="train", cache_dir=str(tmp_path))
    assert len(cases) == RunFolder(bundle / "run").read_manifest().counts["Case"]


def test_explore_opens_a_bundle(bundle: Path, published: Path, tmp_path: Path) -> None:
    """A folder and an archive of it lead to the same org in the browser."""
    archive = tmp_path / "bundle.zip"
    words = ("bundle", str(published), "--format", "zip", "--to", str(archive))
    assert called(*words).returncode == 0
    counts = RunFolder(published).read_manifest().counts
    for place in (bundle, archive):
        with run_in(place) as folder, opened(folder) as site:
            assert site.explored.kinds["Case"].records == counts["Case"]
    assert not folder.exists()


def test_answers_can_be_held_back(published: Path, tmp_path: Path) -> None:
    """Then no answer is in any file but the org, nor what tells whether there is one."""
    place = tmp_path / "bundle"
    made = called("bundle", str(published), "--no-answers", "--to", str(place))
    assert "left out: the answers of the tasks\n" in made.stdout
    columns = parquet.read_table(place / "data/tasks.parquet").column_names
    assert columns == ["id", "task", "persona", "query", "metadata", "reward_metric"]
    assert not (place / "run/tasks").exists()


def test_stale_tasks_are_refused(published: Path, tmp_path: Path) -> None:
    """Tasks of an org that was made anew since are not published; the line says what to do."""
    run = Path(shutil.copytree(published, tmp_path / "shoes"))
    changed(run, "UPDATE Account SET Description = 'another'")
    made = called("bundle", str(run), "--to", str(tmp_path / "bundle"))
    assert made.returncode == 2
    assert "its tasks were made before the org was made anew; make the tasks" in made.stderr
    assert not (tmp_path / "bundle").exists()


def test_tasks_without_a_report_are_refused(published: Path, tmp_path: Path) -> None:
    """Nothing tells which org they are of."""
    run = Path(shutil.copytree(published, tmp_path / "shoes"))
    (run / "tasks/report.json").unlink()
    made = called("bundle", str(run), "--to", str(tmp_path / "bundle"))
    assert made.returncode == 2
    assert "has no report.json" in made.stderr


def test_an_org_without_tasks_says_so(tiny: Path, tmp_path: Path) -> None:
    """It is bundled, and the first line tells how to make the tasks."""
    made = called("bundle", str(tiny), "--to", str(tmp_path / "bundle"))
    assert made.returncode == 0
    assert made.stdout.startswith("left out: tasks, for there are none; make them: orgweave tasks")
    assert head_of(tmp_path / "bundle")["configs"][0]["default"] is True


def reworded(run: Path, wordings: str) -> None:
    """Says of a run's tasks with which wordings they ask."""
    file = run / "tasks/report.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "wordings": wordings}))


def test_held_back_wordings_are_published_on_purpose_alone(published: Path, tmp_path: Path) -> None:
    """A set of them is refused, unless an option says so; a mixed set is told, a public one not."""
    run = Path(shutil.copytree(published, tmp_path / "shoes"))
    words = ("bundle", str(run), "--to", str(tmp_path / "bundle"))
    reworded(run, "held-back")
    refused = called(*words)
    assert refused.returncode == 2 and "add --held-back" in refused.stderr
    assert called(*words, "--held-back").returncode == 0
    assert "Wordings: held-back." in (tmp_path / "bundle/README.md").read_text()
    reworded(run, "all")
    assert (
        "for a set without them, make the tasks by `tasks --wordings public`"
        in called(*words).stdout
    )
    reworded(run, "public")
    assert called(*words).stdout.startswith(str(tmp_path / "bundle"))


def test_no_path_of_the_maker_is_published(bundle: Path) -> None:
    """The request's company is a bare name, whatever path it was given by."""
    folder = RunFolder(bundle / "run")
    asked = folder.read_manifest().asked["company"]
    assert asked == Path(asked).name


def test_verify_names_each_file_that_is_another(bundle: Path, tmp_path: Path) -> None:
    """A changed, a missing and an added file are told by name, and end with exit code 5."""
    whole = called("bundle", str(bundle), "--verify")
    assert whole.returncode == 0
    assert "files of Tarn & Alder are as they were made" in whole.stdout
    broken = Path(shutil.copytree(bundle, tmp_path / "bundle"))
    (broken / "LICENSE").write_text("mine")
    (broken / "data/Case.parquet").unlink()
    (broken / "more.txt").write_text("more")
    told = called("bundle", str(broken), "--verify")
    assert told.returncode == 5
    faults = [line.split("bundle: ")[1] for line in told.stderr.splitlines()]
    assert faults == [
        "LICENSE: was changed",
        "data/Case.parquet: is missing",
        "more.txt: was added",
    ]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="there is no sha256sum")
def test_sha256sum_proves_a_bundle(bundle: Path) -> None:
    """Who has nothing of ours proves the files by the system's own command."""
    words = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(words, cwd=bundle, check=False).returncode == 0


def zipped(path: Path, names: dict[str, bytes]) -> Path:
    """A zip of these members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", "a/b\\..\\out", "c:/out", "out"])
def test_members_that_lead_out_are_refused(name: str, tmp_path: Path) -> None:
    """An archive of a stranger's writes nowhere but into its own folder."""
    path = zipped(tmp_path / "bad.zip", {name: b"x"})
    with pytest.raises(BadInput, match="lies in no folder"), run_in(path):
        pass


def test_links_in_an_archive_are_refused(tmp_path: Path) -> None:
    """A link could lead to any file of the reader's."""
    path = tmp_path / "bad.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("a/run/org.sqlite")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(BadInput, match="is a link or a device"), run_in(path):
        pass


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08\0half", b"PK\x03\x04half"])
def test_what_is_no_archive_is_told_in_a_line(content: bytes, tmp_path: Path) -> None:
    """A file of another kind, or half of an archive, is bad input and no traceback."""
    path = tmp_path / "bad.zip"
    path.write_bytes(content)
    told = called("bundle", str(path), "--verify")
    assert told.returncode == 2
    assert "name what `bundle` wrote" in told.stderr


def test_a_bundle_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    """A misspelt name is told as what it is, with what to name."""
    told = called("bundle", str(tmp_path / "nowhere.zip"), "--verify")
    assert told.returncode == 2
    assert told.stderr.endswith("nowhere.zip: is not there; name what `bundle` wrote\n")


def test_an_archive_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    """Without the account nothing tells what it is."""
    path = zipped(tmp_path / "other.zip", {"a/readme.txt": b"x"})
    with pytest.raises(BadInput, match=r"holds no export.json of a bundle"), run_in(path):
        pass


def test_a_changed_archive_is_not_opened(published: Path, tmp_path: Path) -> None:
    """What isn't as it was made is refused before anything of it is unpacked."""
    path = tmp_path / "bundle.zip"
    words = ("bundle", str(published), "--format", "zip", "--to", str(path))
    assert called(*words).returncode == 0
    whole = io.BytesIO(path.read_bytes())
    names = {}
    with zipfile.ZipFile(whole) as archive:
        for name in archive.namelist():
            names[name] = archive.read(name)
    names[f"{TOP}/run/org.sqlite"] += b"more"
    zipped(path, names)
    with pytest.raises(BadInput, match="was changed; get the archive anew"), run_in(path):
        pass


def test_nobodys_files_are_replaced(published: Path, tmp_path: Path) -> None:
    """A folder and a file that no bundle wrote stay as they are; an earlier bundle is replaced."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    (tmp_path / "mine.zip").write_text("mine")
    assert called("bundle", str(published), "--to", str(tmp_path / "mine")).returncode == 2
    words = ("bundle", str(published), "--format", "zip", "--to")
    assert called(*words, str(tmp_path / "mine.zip")).returncode == 2
    assert (tmp_path / "mine.zip").read_text() == "mine"
    for _ in range(2):
        assert called(*words, str(tmp_path / "ours.zip")).returncode == 0


def test_a_bundles_run_is_a_run(bundle: Path) -> None:
    """Commands take it as any finished org."""
    answer = called("query", str(bundle / "run"), "SELECT COUNT() FROM Case")
    with closing(sqlite3.connect(bundle / "run/org.sqlite")) as db:
        number = db.execute('SELECT count(*) FROM "Case"').fetchone()[0]
    assert json.loads(answer.stdout)["totalSize"] == number
