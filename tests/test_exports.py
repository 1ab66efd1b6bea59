"""Exports: plain CSV and Parquet hold every value, the same org gives the same bytes, and nothing
of anybody else's is overwritten.
"""

import csv
import json
import sqlite3
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from orgweave.cli import run as command
from orgweave.export.registry import FORMATS, export
from orgweave.export.words import label
from pipeline.config import job_of
from pipeline.run import FinishedRun
from tests.exports_org import AWKWARD, changed, contents, copied, stored

ALL = [*FORMATS, "metadata"]


def plain(kind: str, form: str, text: str) -> object:
    """A CSV cell as SQLite stores its value, by its Frictionless type."""
    if text == "":
        return None
    match kind, form:
        case "boolean", _:
            return {"true": 1, "false": 0}[text]
        case "integer", _:
            return int(text)
        case "number", _:
            return float(text)
        case "datetime", _:
            return text.replace("Z", "+0000")
    return text


@pytest.mark.parametrize("org", ["odd", "clinic"])
def test_csv_holds_every_value(org: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Each CSV file, read by its descriptor's types, is the table of the org; only an empty text
    comes back as null.
    """
    run: Path = request.getfixturevalue(org)
    export(run, "csv", tmp_path / "out")
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text())
    assert {one["title"] for one in package["resources"]} == {
        item.name for item in job_of(run).setting.schema.objects
    }
    for resource in package["resources"]:
        kinds = {
            field["name"]: (field["type"], field.get("format", ""))
            for field in resource["schema"]["fields"]
        }
        with (tmp_path / "out" / resource["path"]).open(encoding="utf-8", newline="") as file:
            read = [
                {name: plain(*kinds[name], text) for name, text in row.items()}
                for row in csv.DictReader(file)
            ]
        assert read == [
            {name: None if value == "" else value for name, value in row.items()}
            for row in stored(run, resource["title"])
        ]


def test_csv_is_rfc_4180(odd: Path, tmp_path: Path) -> None:
    """Lines end in CRLF, and a text with quotes, commas and newlines stands in one quoted cell as
    it was.
    """
    export(odd, "csv", tmp_path / "out")
    with (tmp_path / "out" / "Case.csv").open(encoding="utf-8", newline="") as file:
        assert file.readline().endswith("\r\n")
        file.seek(0)
        assert next(csv.DictReader(file))["Description"] == AWKWARD


def test_an_empty_text_is_told(odd: Path, tmp_path: Path) -> None:
    """That CSV can't tell an empty text from a missing one is said with the count."""
    assert export(odd, "csv", tmp_path / "out").notes == (
        "left out: 1 empty text of Account.Description; CSV shows them as missing",
    )


def test_the_descriptor_names_keys(odd: Path, tmp_path: Path) -> None:
    """datapackage.json says which column leads to which table."""
    export(odd, "csv", tmp_path / "out")
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text())
    cases = next(one for one in package["resources"] if one["name"] == "case")["schema"]
    assert cases["primaryKey"] == ["Id"]
    assert {
        "fields": ["IssueId__c"],
        "reference": {"resource": "issue__c", "fields": ["Id"]},
    } in cases["foreignKeys"]


def as_python(value: object) -> object:
    """A Parquet value as SQLite stores it."""
    if isinstance(value, datetime):
        assert value.tzinfo is not None and value.utcoffset() == UTC.utcoffset(None)
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}+0000"
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value) if isinstance(value, list) else value


@pytest.mark.parametrize("org", ["odd", "clinic"])
def test_parquet_holds_every_value(
    org: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    """Each Parquet file is the table of the org."""
    run: Path = request.getfixturevalue(org)
    assert export(run, "parquet", tmp_path / "out").notes == ()
    for item in job_of(run).setting.schema.objects:
        read = parquet.read_table(tmp_path / "out" / f"{item.name}.parquet").to_pylist()
        assert [{name: as_python(value) for name, value in row.items()} for row in read] == stored(
            run, item.name
        )


def test_parquet_is_typed_and_described(odd: Path, tmp_path: Path) -> None:
    """Dates, moments, booleans, numbers and lists have their types,
    and each field its description.
    """
    export(odd, "parquet", tmp_path / "out")
    types = {
        f"{name}.{field.name}": str(field.type)
        for name in ("Order", "Case", "OrderItem", "EmailMessage")
        for field in parquet.read_schema(tmp_path / "out" / f"{name}.parquet")
    }
    assert types["Order.EffectiveDate"] == "date32[day]"
    assert types["Case.CreatedDate"] == "timestamp[ms, tz=UTC]"
    assert types["Case.IsClosed"] == "bool"
    assert (types["OrderItem.Quantity"], types["OrderItem.UnitPrice"]) == ("int64", "double")
    assert types["EmailMessage.ToIds"].startswith("list<")
    assert (
        parquet.read_schema(tmp_path / "out" / "Case.parquet")
        .field("IssueId__c")
        .metadata[b"description"]
        == b"Case: Issue; Id of a Issue__c"
    )


def test_an_edited_org_with_a_wrong_value_is_told(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """A value that isn't of its field's type stops a Parquet export with the place of the value."""
    run = copied(small_shoes.folder, tmp_path / "run")
    changed(run, "UPDATE \"Order\" SET EffectiveDate = 'soon' WHERE rowid = 1")
    assert command(["export", str(run), "--format", "parquet"]) == 2
    assert not (run / "export").exists() or not list((run / "export").iterdir())


@pytest.mark.parametrize("name", ALL)
def test_the_same_org_gives_the_same_bytes(name: str, odd: Path, tmp_path: Path) -> None:
    """Two exports of one org differ in no byte, wherever they lie; and the second may take the
    first one's place.
    """
    export(odd, name, tmp_path / "one")
    export(copied(odd, tmp_path / "elsewhere"), name, tmp_path / "two")
    export(odd, name, tmp_path / "two")
    assert contents(tmp_path / "one")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("name", ALL)
def test_no_hidden_value_is_exported(name: str, odd: Path, tmp_path: Path) -> None:
    """The org's file alone is read: an export is made where no latent.sqlite lies, and the org is
    as it was.
    """
    before = contents(odd)
    assert "latent.sqlite" not in before
    export(odd, name, tmp_path / "out")
    assert {
        path: data for path, data in contents(odd).items() if not path.startswith("export/")
    } == before


def ended(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """The exit code and the lines on stderr."""
    return command(words), capsys.readouterr().err.splitlines()


def test_bad_input_is_one_clear_line(
    odd: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An unknown format, no format, two, a missing folder or a folder of somebody's own ends with
    exit code 2 and one line.
    """
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    bad = {
        "use one of tree, bulk": [str(odd), "--format", "xml"],
        "give either --format NAME": [str(odd)],
        "or --metadata": [str(odd), "--format", "csv", "--metadata"],
        "name the folder of a finished run": [str(tmp_path / "nowhere"), "--format", "csv"],
        "holds thesis.txt, which no export wrote": [str(odd), "--format", "csv", "--to", str(mine)],
        "is a file": [str(odd), "--format", "csv", "--to", str(mine / "thesis.txt")],
    }
    for says, words in bad.items():
        code, lines = ended(["export", *words], capsys)
        assert (code, len(lines)) == (2, 1), words
        assert says in lines[0]
    assert contents(mine) == {"thesis.txt": b"years of work"}


def test_a_half_made_org_is_refused(
    odd: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without a manifest (a run under way), without org.sqlite or with a table of another schema
    nothing is exported.
    """
    for name, breaking in {
        "manifest": lambda run: (run / "manifest.json").unlink(),
        "file": lambda run: (run / "org.sqlite").unlink(),
    }.items():
        run = copied(odd, tmp_path / name)
        breaking(run)
        assert ended(["export", str(run), "--format", "csv"], capsys)[0] == 2
        assert not (run / "export").exists()
    other = copied(odd, tmp_path / "other")
    changed(other, 'ALTER TABLE "Case" DROP COLUMN SuppliedPhone')
    code, lines = ended(["export", str(other), "--format", "csv"], capsys)
    assert code == 2
    assert "Case has no column SuppliedPhone" in lines[0]


@pytest.mark.parametrize("name", ALL)
def test_bytes_for_a_value_are_told(
    name: str,
    odd: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where somebody's edit left bytes for a text, no format is written; one line names object
    type, field and record.
    """
    run = copied(odd, tmp_path / "run")
    changed(run, "UPDATE \"Case\" SET Subject = x'ff00' WHERE rowid = 3")
    code, lines = ended(
        ["export", str(run), *(["--metadata"] if name == "metadata" else ["--format", name])],
        capsys,
    )
    assert (code, len(lines)) == (2, 1)
    assert f"Case.Subject of the record {stored(odd, 'Case')[2]['Id']} holds bytes" in lines[0]
    assert not list((run / "export").glob("*"))


@pytest.mark.parametrize("company", [None, 5, ["shoes"]])
def test_a_manifest_without_a_company_is_damaged(
    company: object,
    odd: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A manifest whose company is no text ends with exit code 2 and the one line on damaged
    manifests.
    """
    run = copied(odd, tmp_path / "run")
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["sha256"]
    (run / "manifest.json").write_text(
        json.dumps(manifest | {"asked": manifest["asked"] | {"company": company}})
    )
    code, lines = ended(["export", str(run), "--format", "csv"], capsys)
    assert (code, len(lines)) == (2, 1)
    assert f"is damaged (asked: company is {json.dumps(company)}, not a text" in lines[0]


@pytest.mark.parametrize("name", ALL)
def test_every_export_says_what_it_is(name: str, odd: Path, tmp_path: Path) -> None:
    """Each folder holds a README."""
    assert [
        path.read_text() for path in export(odd, name, tmp_path / "out").folder.glob("README.*")
    ] != []


def test_a_file_added_to_an_export_keeps_it(odd: Path, tmp_path: Path) -> None:
    """An export that somebody added a file to is theirs: it isn't replaced."""
    export(odd, "csv", tmp_path / "out")
    (tmp_path / "out" / "notes.md").write_text("mine")
    assert command(["export", str(odd), "--format", "csv", "--to", str(tmp_path / "out")]) == 2
    assert (tmp_path / "out" / "notes.md").read_text() == "mine"


def test_the_default_place_is_the_runs_own(
    small_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without --to an export lies in the run's folder, under its format; the last line on stdout
    says where.
    """
    run = copied(small_shoes.folder, tmp_path / "run")
    assert command(["export", str(run), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(run / "export" / "csv")
    assert (run / "export" / "csv" / "Case.csv").is_file()


def test_a_damaged_file_is_told(
    odd: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file that is no database ends the export with one line: exit code 2 as it isn't what was
    made, and exit code 1 where it is taken all the same.
    """
    run = copied(odd, tmp_path / "run")
    (run / "org.sqlite").write_bytes(b"no database at all, but longer than a header" * 50)
    code, lines = ended(["export", str(run), "--format", "csv"], capsys)
    assert (code, len(lines)) == (2, 1)
    code, lines = ended(["export", str(run), "--format", "csv", "--trust"], capsys)
    assert (code, len(lines)) == (1, 1)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(run / "org.sqlite").execute("SELECT * FROM sqlite_master")


def test_pyarrow_is_only_needed_for_parquet(odd: Path, tmp_path: Path) -> None:
    """The command line doesn't import pyarrow; where it isn't installed a Parquet export ends in
    one line that names the command to install it.
    """
    words = ["export", str(odd), "--format", "parquet", "--to", str(tmp_path / "out")]
    code = (
        "import sys, orgweave.cli; assert 'pyarrow' not in sys.modules; sys.modules['pyarrow'] ="
        f" None; sys.exit(orgweave.cli.run({words}))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert "pip install" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_labels_are_for_people() -> None:
    """An API name becomes the words it is made of; an id's name is what it leads to."""
    assert [
        label(name)
        for name in (
            "IssueId__c",
            "FAQ_Answer__c",
            "SuppliedEmail",
            "CaseHistory__c",
            "Id",
            "BirthDate",
        )
    ] == [
        "Issue",
        "FAQ Answer",
        "Supplied Email",
        "Case History",
        "Id",
        "Birth Date",
    ]
