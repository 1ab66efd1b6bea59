"""A run that is opened is the one that was made, and stays the one that was opened."""

import json
import sqlite3
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from orgweave.benchmark.idmap import read_idmap
from orgweave.cli import run
from orgweave.export.registry import export
from orgweave.load.source import UploadSource
from orgweave.soql.database import Database
from orgweave.soql.sql import Sql
from orgweave.testing.org_server import OrgServer
from orgweave.tools.crm import local_crm
from pipeline.atomic import sha256_of
from pipeline.config import RunRequest
from pipeline.regenerate import regenerate
from pipeline.run import generate
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput, QueryRefused, UploadFailed
from tests.explore_orgs import toy_run

COUNT = "SELECT Id, Mood FROM Visit"
READERS = (
    ["query", COUNT],
    ["export", "--format", "csv"],
    ["explore", "--port", "0"],
    ["serve", "--port", "0"],
    ["serve", "--writable"],
    ["mcp"],
    ["upload", "--instance-url", "http://127.0.0.1:9", "--session-id", "x"],
)


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """A finished toy run."""
    return toy_run(tmp_path / "made")


def flip(file: Path) -> None:
    """Changes one letter of a text in a SQLite file, which stays a whole one."""
    content = bytearray(file.read_bytes())
    content[content.rindex(b"Glad")] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("words", READERS)
def test_no_command_opens_an_org_that_is_not_what_was_made(
    words: list[str],
    toys: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One flipped bit of org.sqlite is one line and exit code 2, whoever opens it."""
    flip(toys / "org.sqlite")
    command, *more = words
    assert run([command, str(toys), *more]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "org.sqlite: is not the one that this org was made with" in said[0]
    assert "--trust" in said[0]


def test_an_edited_org_is_used_where_it_is_trusted(
    toys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --trust an org that somebody edited on purpose is read as it is."""
    with closing(sqlite3.connect(toys / "org.sqlite")) as db, db:
        db.execute("UPDATE Visit SET Mood = 'Odd'")
    assert run(["query", str(toys), f"{COUNT} LIMIT 1", "--trust"]) == 0
    assert json.loads(capsys.readouterr().out)["records"][0]["Mood"] == "Odd"
    assert run(["export", str(toys), "--format", "csv", "--trust"]) == 0


@pytest.mark.parametrize("key", ["seed", "company", "asked", "files"])
def test_an_edited_manifest_is_damaged(key: str, toys: Path) -> None:
    """The manifest has its own SHA-256: a seed or a digest that was changed in it is told."""
    file = toys / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    changed = {"seed": 77, "company": "Others", "asked": {"company": "x"}, "files": {}}
    file.write_text(json.dumps({**manifest, key: changed[key]}), encoding="utf-8")
    with pytest.raises(BadInput, match="is damaged"):
        RunFolder(toys).read_manifest()


def test_a_file_that_the_manifest_does_not_tell_of_is_refused(toys: Path) -> None:
    """A missing file, or an unlisted one, isn't taken for a verified one."""
    folder = RunFolder(toys)
    manifest = folder.read_manifest()
    files = {name: digest for name, digest in manifest.files.items() if name != "org.sqlite"}
    folder.write_manifest(manifest.model_copy(update={"files": files}))
    with pytest.raises(BadInput, match="doesn't tell of org.sqlite"):
        folder.verify("org.sqlite")
    (toys / "org.sqlite").unlink()
    with pytest.raises(BadInput, match="holds no org.sqlite"):
        folder.verify("org.sqlite")


def asked(crm: OrgServer, query: str) -> dict[str, object]:
    """What a server answers to a query, over HTTP."""
    request = urllib.request.Request(
        f"{crm.url}/services/data/v59.0/{query}",
        headers={"Authorization": f"Bearer {crm.token}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: dict[str, object] = json.load(answer)
    return found


def test_a_server_answers_from_the_org_that_it_opened(toys: Path) -> None:
    """`serve` over a folder that is made anew goes on with the old org, whole, for any number of
    clients, and for its search too; one that is started then has the new one."""
    soql = f"query?q={quote(COUNT + ' ORDER BY Id')}"
    sosl = f"search?q={quote('FIND {Shop} IN ALL FIELDS RETURNING Shop(Id, Name)')}"
    with OrgServer(toys) as crm:
        before = asked(crm, soql)
        regenerate(RunRequest(str(toys.parent / "toys.yaml")), toys, "Visit")
        with ThreadPoolExecutor(16) as clients:
            answers = list(clients.map(lambda number: asked(crm, soql), range(64)))
        assert all(answer == before for answer in answers)
        assert asked(crm, sosl)["searchRecords"]
        (toys / "org.sqlite").unlink()
        assert asked(crm, soql) == before
    regenerate(RunRequest(str(toys.parent / "toys.yaml")), toys, "Visit")
    with OrgServer(toys) as crm:
        assert asked(crm, soql) != before


def test_the_tools_answer_from_the_org_that_they_opened(toys: Path) -> None:
    """What `mcp` and agents work in is one org, though another one takes its place."""
    with local_crm(toys) as crm:
        before = crm.query(COUNT)
        generate(RunRequest(str(toys.parent / "toys.yaml"), seed=77), toys, force=True)
        assert crm.query(COUNT) == before
    with local_crm(toys) as crm:
        assert crm.query(COUNT) != before


def test_without_an_idle_connection_a_server_says_restart(toys: Path) -> None:
    """Where all connections to the old org are at work for as long as a statement may take, the
    answer says what to do."""
    database = Database(toys / "org.sqlite", 0.1)
    regenerate(RunRequest(str(toys.parent / "toys.yaml")), toys, "Visit")
    with database._connection(), pytest.raises(QueryRefused, match="restart the server"):
        database.rows(Sql("SELECT 1"))
    assert database.rows(Sql("SELECT 1")) == [(1,)]
    database.close()


def test_what_is_opened_while_an_org_is_made_is_refused(toys: Path) -> None:
    """Nothing is put together of two orgs: where the manifest changes meanwhile, one line says
    to wait."""
    with pytest.raises(BadInput, match="is being made anew"), RunFolder(toys).steady():
        (toys / "manifest.json").unlink()


def test_an_export_names_its_org(toys: Path, tmp_path: Path) -> None:
    """`export.json` has the SHA-256 of the org that it was made from."""
    for place in ("one", "two"):
        exported = export(toys, "csv", tmp_path / place).folder
        account = json.loads((exported / "export.json").read_text(encoding="utf-8"))
        assert account["org_sha256"] == sha256_of(toys / "org.sqlite")
        regenerate(RunRequest(str(toys.parent / "toys.yaml")), toys, "Visit")


def test_tasks_take_no_id_map_of_another_org(toys: Path, tmp_path: Path) -> None:
    """Two orgs of a schema have the same ids, so the map of one would name other records of the
    other."""
    idmap = tmp_path / "idmap.jsonl"
    lines = [
        {"instance_url": "http://crm", "org_id": "00D", "upload": "a" * 64},
        {"type": "Shop", "id": "001zz", "org_id": "0015e"},
    ]
    idmap.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read_idmap(idmap, "a" * 64) == {"001zz": "0015e"}
    with pytest.raises(BadInput, match="is of the upload of another org"):
        read_idmap(idmap, sha256_of(toys / "manifest.json"))


def test_an_upload_is_of_one_org(toys: Path) -> None:
    """Where the org is made anew while it is loaded, no record of the new one is sent as one of
    the old one's."""
    source = UploadSource(toys)
    assert len(source.records("Visit")) == 40
    regenerate(RunRequest(str(toys.parent / "toys.yaml")), toys, "Visit")
    with pytest.raises(UploadFailed, match="was made anew while it is loaded"):
        source.records("Visit")


def test_a_mended_upload_file_is_told(toys: Path) -> None:
    """An upload file that a person changed is sent, and named before."""
    assert UploadSource(toys).edited == ()
    file = toys / "upload" / "Visit.json"
    file.write_text(file.read_text().replace("Glad", "Sad", 1))
    assert UploadSource(toys).edited == ("Visit.json",)
