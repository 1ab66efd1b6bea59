"""A run's folder: it holds all that its org was made from, and each of its files has a format."""

import errno
import itertools
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

import orgweave
from orgweave.benchmark.evaluate.instances import check_origin, load_instances
from orgweave.benchmark.idmap import read_idmap
from orgweave.cli import run
from orgweave.explore.site import opened as explored
from orgweave.load.idmap import Identity
from orgweave.load.idmap import opened as idmap_opened
from orgweave.load.source import UploadSource
from orgweave.server.served import ask
from orgweave.tools.crm import local_crm
from pipeline.check import check_folder
from pipeline.config import RunRequest, job_of
from pipeline.ledger import Ledger
from pipeline.regenerate import regenerate
from pipeline.run import FinishedRun, generate
from pipeline.run_folder import RunFolder, sqlite_uri
from schemas.errors import BadInput, StorageFailed
from tests.explore_orgs import toy_run
from tests.toys import write_company, write_object

ROOT = Path(__file__).resolve().parent.parent
COUNT = "SELECT COUNT() FROM Visit"


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """The finished run of a toy company, whose profile and schema lie beside it in `made`."""
    return toy_run(tmp_path / "made")


@pytest.fixture
def moved(toys: Path, tmp_path: Path) -> Path:
    """The toy run, moved away; its profile and its schema are gone."""
    shutil.move(toys, tmp_path / "elsewhere")
    shutil.rmtree(tmp_path / "made")
    return tmp_path / "elsewhere"


def ended(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """A command's exit code, and the lines that it wrote on stderr."""
    code = run(words)
    return code, capsys.readouterr().err.splitlines()


def numbered(file: Path, number: int) -> None:
    """Sets the number of a SQLite file's format."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(f"PRAGMA user_version = {number}")


def number_of(file: Path) -> int:
    """The number of a SQLite file's format."""
    with closing(sqlite3.connect(sqlite_uri(file, "ro"), uri=True)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def rewritten(file: Path, change: Callable[[dict[str, object]], None]) -> None:
    """Changes a JSON file."""
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    file.write_text(json.dumps(data), encoding="utf-8")


def test_the_names_of_a_runs_files_stand_in_one_module() -> None:
    """No other module names the org's or the hidden causes' file, or opens a file read-only.

    Excepted is `verify.py`, which is given away with tasks and knows the standard library alone.
    """
    naming = re.compile(r"\borg\.sqlite\b|\blatent\.sqlite\b|mode=ro")
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ("orgweave", "pipeline", "latent", "verifiers", "schemas")
        for path in (ROOT / room).rglob("*.py")
        if naming.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"pipeline/run_folder.py", "orgweave/benchmark/proof/verify.py"}


def test_the_class_is_the_librarys_own(toys: Path) -> None:
    """`orgweave.RunFolder` is the class, and reads a finished org's manifest."""
    assert orgweave.RunFolder is RunFolder
    assert orgweave.RunFolder(toys).read_manifest().counts == {"Shop": 4, "Visit": 40}


def test_importing_the_library_is_light() -> None:
    """`import orgweave` brings none of the packages that take long to import."""
    code = "import orgweave, sys; print({'numpy', 'networkx', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_folder_names_what_it_was_made_from(toys: Path) -> None:
    """The copies are the profile and schema to the byte, and the manifest has their digests."""
    folder = RunFolder(toys)
    sources = folder.sources()
    assert sources.profile.read_bytes() == (toys.parent / "toys.yaml").read_bytes()
    assert {path.name: path.read_bytes() for path in sources.schema.iterdir()} == {
        path.name: path.read_bytes() for path in (toys.parent / "toy").iterdir()
    }
    manifest = folder.read_manifest()
    assert manifest.files.items() >= folder.digests(folder.source_files()).items()
    assert folder.read_stamp().name == "generic"


def test_a_moved_org_is_queried_checked_served_and_explored(moved: Path) -> None:
    """All that reads an org reads it where it lies now, its profile and schema gone."""
    assert ask(moved, COUNT, None)["totalSize"] == 40
    assert check_folder(moved).right
    with local_crm(moved) as crm:
        assert crm.query(COUNT)
    with explored(moved) as site:
        assert site
    assert len(UploadSource(moved).records("Visit")) == 40


@pytest.mark.parametrize(
    "words",
    [
        ["query", "RUN", COUNT],
        ["check", "RUN"],
        ["export", "RUN", "--format", "csv"],
        ["export", "RUN", "--metadata"],
    ],
    ids=lambda words: " ".join(words[:1] + words[2:]),
)
def test_a_command_takes_a_moved_org(words: list[str], moved: Path) -> None:
    """The commands on a finished org need neither its profile nor its schema elsewhere."""
    assert run([str(moved) if word == "RUN" else word for word in words]) == 0


def test_a_moved_org_is_made_anew_in_part(moved: Path) -> None:
    """`regenerate` takes profile and schema from the folder, and only its object type changes."""
    company = job_of(moved).ask.company
    before = upload_of(moved)
    regenerate(RunRequest(company), moved, "Visit")
    after = upload_of(moved)
    assert {name for name in before if before[name] != after[name]} == {"Visit.json"}
    assert RunFolder(moved).read_manifest().asked["salts"] == {"Visit": 1}


def test_copies_of_two_schemas_are_damage(toys: Path) -> None:
    """Nothing tells of which of them the org was made."""
    (schema,) = (toys / "made_from" / "schema").iterdir()
    shutil.copytree(schema, schema.with_name("another"))
    with pytest.raises(BadInput, match=r"made_from: is damaged \(it holds 2 schemas, not one\)"):
        RunFolder(toys).sources()


def test_what_is_left_out_of_regenerate_is_as_it_was(toys: Path) -> None:
    """Seed, scale and counts need not be said again; said otherwise they are refused."""
    company = str(toys.parent / "toys.yaml")
    folder = toys.parent / "few"
    generate(RunRequest(company, seed=8, scale=0.5), folder)
    counts = RunFolder(folder).read_manifest().counts
    regenerate(RunRequest(company), folder, "Visit")
    manifest = RunFolder(folder).read_manifest()
    assert (manifest.counts, manifest.seed) == (counts, 8)
    with pytest.raises(BadInput, match=r"was made with --scale 0\.5; leave --scale out here"):
        regenerate(RunRequest(company, scale=0.25), folder, "Visit")
    with pytest.raises(BadInput, match=r"was made without --set; leave --set out here"):
        regenerate(RunRequest(company, sets={"Visit": 9}), folder, "Visit")


def test_each_regeneration_makes_other_records(toys: Path) -> None:
    """Who doesn't like the second version asks again and gets a third."""
    company = str(toys.parent / "toys.yaml")
    versions = [upload_of(toys)["Visit.json"]]
    for _ in range(2):
        regenerate(RunRequest(company), toys, "Visit")
        versions.append(upload_of(toys)["Visit.json"])
    assert len(set(versions)) == 3


def upload_of(folder: Path) -> dict[str, bytes]:
    """The upload's files."""
    return {path.name: path.read_bytes() for path in RunFolder(folder).upload_folder.iterdir()}


def test_a_relative_company_is_opened_from_anywhere(tmp_path: Path) -> None:
    """An org that was asked for with a relative path is read from another working folder."""
    write_object(tmp_path / "toy", "Toy", 'Name: {type: string, x-source: {sequence: "Toy {}"}}')
    write_company(tmp_path)
    words = ["-m", "pipeline", "generate", "--company", "toys.yaml", "--out", "run"]
    subprocess.run([sys.executable, *words], cwd=tmp_path, check=True, capture_output=True)
    assert Path.cwd() != tmp_path
    assert ask(tmp_path / "run", "SELECT COUNT() FROM Toy", None)["totalSize"] == 3
    assert check_folder(tmp_path / "run").right


def test_an_org_outlives_a_change_of_its_schema(toys: Path) -> None:
    """A field that the schema gains later is none of the org's, and is not asked for."""
    path = toys.parent / "toy" / "Visit.yaml"
    path.write_text(path.read_text() + "  Later: {type: string, x-source: {constant: x}}\n")
    assert check_folder(toys).right
    assert not RunFolder(toys).read_schema().object("Visit").has("Later")
    assert run(["export", str(toys), "--format", "csv"]) == 0


def test_generate_takes_the_schema_as_it_is_now(toys: Path) -> None:
    """`generate --force` makes the org by the changed schema, and keeps that one."""
    path = toys.parent / "toy" / "Visit.yaml"
    path.write_text(path.read_text() + "  Later: {type: string, x-source: {constant: x}}\n")
    generate(RunRequest(str(toys.parent / "toys.yaml")), toys, force=True)
    assert RunFolder(toys).read_schema().object("Visit").has("Later")
    assert check_folder(toys).right


def test_a_lexicon_of_ones_own_goes_with_the_org(tmp_path: Path) -> None:
    """A lexicon that doesn't ship with orgweave is copied; one that ships is only named."""
    write_object(tmp_path / "toy", "Toy", 'Name: {type: string, x-source: {sequence: "Toy {}"}}')
    lexicon = tmp_path / "mine"
    shutil.copytree(ROOT / "schemas" / "lexicons" / "goods", lexicon)
    company = write_company(tmp_path, "lexicon: mine")
    folder = generate(RunRequest(str(company)), tmp_path / "run").folder
    shutil.rmtree(lexicon)
    company.unlink()
    assert job_of(folder).lexicon.name == "mine"
    assert RunFolder(folder).lexicon_changes(job_of(folder).lexicon) == ()


def test_regenerate_refuses_another_lexicon(toys: Path) -> None:
    """With other words or facts in the lexicon more would change than was asked for."""
    rewritten(toys / "made_from" / "lexicon.json", lambda stamp: stamp.update(rules="0" * 64))
    with pytest.raises(BadInput, match="another version of the lexicon generic; generate the"):
        regenerate(RunRequest(str(toys.parent / "toys.yaml")), toys, "Visit")


def test_regenerate_refuses_another_company(toys: Path) -> None:
    """A company is the org's where it is named as at first, or where its profile is the same."""
    other = write_company(toys.parent / "other", "seed: 9")
    with pytest.raises(BadInput, match="holds company"):
        regenerate(RunRequest(str(other)), toys, "Visit")
    same = shutil.copy(toys.parent / "toys.yaml", toys.parent / "copy.yaml")
    assert regenerate(RunRequest(str(same)), toys, "Visit").report.right


def test_tasks_refuse_another_world_and_tell_other_words(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other facts in the lexicon make wrong questions and are refused; other words are told."""
    words = ["tasks", str(mine), "--tasks", "handle_time", "--per-task", "1"]
    stamp = mine / "made_from" / "lexicon.json"
    rewritten(stamp, lambda data: data.update(rules="0" * 64))
    code, lines = ended(words, capsys)
    assert code == 0
    assert "was written with another version of the lexicon shoes" in lines[0]
    rewritten(stamp, lambda data: data.update(world="0" * 64))
    code, lines = ended(words, capsys)
    assert code == 2
    assert "whose world has other facts; generate the company anew" in lines[-1]


def test_a_folder_without_its_sources_is_refused(
    toys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where only half of a folder was copied, one line says so."""
    shutil.rmtree(toys / "made_from")
    code, lines = ended(["query", str(toys), COUNT], capsys)
    assert (code, len(lines)) == (2, 1)
    assert "made_from: is missing" in lines[0]


def test_an_org_without_a_format_is_read_by_its_company(toys: Path) -> None:
    """What was made before formats had numbers is read through the profile that was asked for."""
    for name in ("org.sqlite", "latent.sqlite", "ledger.sqlite"):
        numbered(toys / name, 0)
    shutil.rmtree(toys / "made_from")
    rewritten(toys / "manifest.json", lambda manifest: manifest.pop("format"))
    rewritten(toys / "manifest.json", lambda manifest: manifest.pop("sha256"))
    # The numbers that were taken away changed the files, which an old folder's manifest tells of.
    rewritten(toys / "manifest.json", lambda manifest: manifest.update(files={}))
    assert ask(toys, COUNT, None)["totalSize"] == 40
    assert check_folder(toys).right
    assert regenerate(job_of(toys).ask, toys, "Visit").report.right
    assert RunFolder(toys).read_manifest().format == 1
    assert number_of(toys / "ledger.sqlite") == 2


def test_every_file_of_a_run_has_a_format(small_shoes: FinishedRun) -> None:
    """The manifest and the three SQLite files tell their format."""
    folder = RunFolder(small_shoes.folder)
    assert json.loads(folder.manifest_file.read_text())["format"] == 1
    for file, number in {folder.org_file: 1, folder.latent_file: 1, folder.ledger_file: 2}.items():
        assert number_of(file) == number


@pytest.mark.parametrize("found", [2, -1, "new", None, True])
def test_a_manifest_of_another_format_is_refused(
    found: object,
    toys: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A newer or unknown format is one line that says what to do."""
    rewritten(toys / "manifest.json", lambda manifest: manifest.update(format=found))
    code, lines = ended(["query", str(toys), COUNT], capsys)
    assert (code, len(lines)) == (2, 1)
    assert f"manifest.json: is of format {found}" in lines[0]
    assert "install a newer orgweave" in lines[0]


OPENINGS: dict[str, Callable[[Path], object]] = {
    "query": lambda folder: ask(folder, COUNT, None),
    "check": check_folder,
    "export": lambda folder: run_or_raise(["export", str(folder), "--format", "csv"]),
    "explore": lambda folder: ExitStack().enter_context(explored(folder)),
    "upload": UploadSource,
}


def run_or_raise(words: list[str]) -> None:
    """A command whose exit code says that its input was bad raises BadInput."""
    if run(words) == BadInput.exit_code:
        raise BadInput("org.sqlite: is of format 2: as the command said on stderr")


@pytest.mark.parametrize("name", OPENINGS)
def test_an_org_of_a_newer_format_is_refused(name: str, toys: Path) -> None:
    """Whoever opens an org looks at the number of its format first."""
    numbered(toys / "org.sqlite", 2)
    with pytest.raises(BadInput, match=r"org\.sqlite: is of format 2"):
        OPENINGS[name](toys)


def test_hidden_causes_of_a_newer_format_are_refused(toys: Path) -> None:
    """`check` reads no hidden cause that it may take for another."""
    numbered(toys / "latent.sqlite", 2)
    with pytest.raises(BadInput, match=r"latent\.sqlite: is of format 2"):
        check_folder(toys)


def test_a_ledger_of_a_newer_format_is_refused_and_kept(
    toys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a run nor a look at its mini-batches takes a newer ledger, and it stays as it is."""
    numbered(toys / "ledger.sqlite", 3)
    before = (toys / "ledger.sqlite").read_bytes()
    with pytest.raises(BadInput, match=r"ledger\.sqlite: is of format 3"):
        generate(RunRequest(str(toys.parent / "toys.yaml")), toys)
    code, lines = ended(["trace", str(toys)], capsys)
    assert (code, len(lines)) == (2, 1)
    assert (toys / "ledger.sqlite").read_bytes() == before


def test_a_ledger_of_format_0_gets_its_columns(tmp_path: Path) -> None:
    """A ledger of the first version, whose answers lack four columns, is brought up to date."""
    file = tmp_path / "ledger.sqlite"
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(
            """
            CREATE TABLE answers (
              key TEXT PRIMARY KEY, object TEXT, request TEXT, entries TEXT, verdicts TEXT,
              tokens_in INTEGER, tokens_out INTEGER, cost REAL, seconds REAL, writer TEXT
            )
            """
        )
        db.execute("INSERT INTO answers VALUES ('k', 'Case', '{}', '{}', '{}', 1, 2, 0, 0, 'w')")
    with Ledger(file) as ledger:
        kept = ledger.get("k")
    assert kept is not None
    assert (kept.tokens_in, kept.cut) == (1, False)
    assert number_of(file) == 2
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE answers SET tokens_in = 7")
    with pytest.raises(StorageFailed, match="1 of 1 rows: Case 1"):
        Ledger(file)


def instance(**more: object) -> str:
    """A line of tasks.jsonl."""
    line = {
        "id": "handle_time-001",
        "task": "handle_time",
        "persona": "A manager",
        "query": "Who was quickest?",
        "seed_query": "Who?",
        "answer": [None],
        "parameters": {},
        "metadata": {"required": "", "optional": ""},
        "reward_metric": "exact_match",
        "difficulty": {"records": 1, "steps": 1},
        "answerable": False,
    }
    return json.dumps(line | more)


@pytest.mark.parametrize("more", [{}, {"format": 1}], ids=["format 0", "format 1"])
def test_instances_of_known_formats_are_read(more: dict[str, object], tmp_path: Path) -> None:
    """A line of tasks.jsonl is read with its format, and without one as it was made before."""
    RunFolder(tmp_path).tasks_folder.mkdir()
    (tmp_path / "tasks" / "tasks.jsonl").write_text(instance(**more))
    assert [found.id for found in load_instances(tmp_path)] == ["handle_time-001"]


def test_tasks_of_a_newer_format_are_refused(tmp_path: Path) -> None:
    """A newer tasks.jsonl, and a newer report beside it, are one line that says what to do."""
    RunFolder(tmp_path).tasks_folder.mkdir()
    (tmp_path / "tasks" / "tasks.jsonl").write_text(instance(format=2))
    with pytest.raises(BadInput, match=r"tasks\.jsonl: is of format 2"):
        load_instances(tmp_path)
    report = {"company": "Bramble Toys", "seed": 1, "format": 2}
    (tmp_path / "tasks" / "report.json").write_text(json.dumps(report))
    with pytest.raises(BadInput, match=r"report\.json: is of format 2"):
        check_origin(tmp_path, "Bramble Toys", 1)


def test_an_id_map_tells_its_format(tmp_path: Path) -> None:
    """An upload's first line has the format; one without is read, a newer one is refused."""
    file, crm = tmp_path / "idmap.jsonl", Identity("https://crm.example", "00D1", "abc")
    with idmap_opened(file, crm) as idmap:
        idmap.take("Account", [("001a", "001b")])
    header, *rest = file.read_text().splitlines()
    assert json.loads(header)["format"] == 2
    old, new = ({**json.loads(header), "format": number} for number in (1, 3))
    for key in ("sum", "format"):
        del old[key]
    del new["sum"]
    plain = [json.dumps({"type": "Account", "id": "001a", "org_id": "001b"})]
    file.write_text("\n".join([json.dumps(old), *plain, ""]))
    with idmap_opened(file, crm) as idmap:
        assert idmap.org_id("001a") == "001b"
    assert read_idmap(file) == {"001a": "001b"}
    file.write_text("\n".join([json.dumps(new), *rest, ""]))
    with pytest.raises(BadInput, match=r"idmap\.jsonl: is of format 3"), idmap_opened(file, crm):
        pass
    with pytest.raises(BadInput, match=r"idmap\.jsonl: is of format 3"):
        read_idmap(file)


def test_an_upload_reads_its_own_folder_whatever_its_name(toys: Path, tmp_path: Path) -> None:
    """A `?` in a folder's name ends no path: the org is read from there, and no file is made."""
    shutil.move(toys, tmp_path / "a?b%41")
    assert len(UploadSource(tmp_path / "a?b%41").keys) == 44
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a?b%41", "made"]


def test_an_org_is_on_the_disk_before_its_manifest(toys: Path) -> None:
    """Each listed file and its folder are written out before the manifest has its name; after
    that the name is, too."""
    folder = RunFolder(toys)
    manifest = folder.read_manifest()
    folder.manifest_file.unlink()
    before: set[Path] = set()
    after: set[Path] = set()

    def sync(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").readlink()
        (after if folder.manifest_file.exists() else before).add(path)

    folder.write_manifest(manifest, sync)
    listed = {toys / name for name in manifest.files}
    assert before >= {*listed, toys, toys / "upload", toys / "made_from" / "schema" / "toy"}
    assert after == {toys}


@pytest.mark.parametrize("last", [0, 1, 5, 20])
def test_a_file_that_does_not_reach_the_disk_leaves_no_manifest(last: int, toys: Path) -> None:
    """Where the n-th writing out fails there is no manifest, and one line says what to do."""
    folder = RunFolder(toys)
    manifest = folder.read_manifest()
    folder.manifest_file.unlink()
    count = itertools.count()

    def sync(handle: int) -> None:
        if next(count) == min(last, len(manifest.files)):
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(StorageFailed, match="can't be written .Input/output error"):
        folder.write_manifest(manifest, sync)
    assert not folder.manifest_file.exists()
