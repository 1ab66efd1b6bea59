"""Exports for a CRM's loaders: bulk files, tree plans and CumulusCI datasets, read back and
compared with the org value by value.
"""

import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from orgweave.crm.field import CrmField, CrmObject
from orgweave.export.bulk import header, write_bulk
from orgweave.export.objects import PROFILE, STANDARD_BOOK, export_objects, inserted, lookups
from orgweave.export.registry import export
from orgweave.export.source import opened
from orgweave.export.tree import write_tree
from orgweave.testing.org_server import OrgServer
from pipeline.config import job_of
from tests.exports_org import AWKWARD, LONG, stored
from tests.server_client import client, only
from tests.server_orgs import EMPTY

GOLDEN = Path(__file__).parent / "golden"
REFERENCE = re.compile(r"@(\w+)Ref(\d+)")
ORGS = pytest.mark.parametrize("org", ["odd", "clinic"])


def rows(path: Path) -> list[dict[str, str]]:
    """A bulk file's rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def order(folder: Path) -> list[tuple[str, str]]:
    """Files and object types in load order."""
    return [
        (line.split("\t")[0], line.split("\t")[1])
        for line in (folder / "order.txt").read_text().splitlines()
    ]


def objects(run: Path) -> dict[str, CrmObject]:
    """The org's object types as the CRM has them."""
    return {one.name: one for one in export_objects(job_of(run).setting.schema)}


def text(column: CrmField, value: object) -> object:
    """A stored value as loaders' texts have it: null is None."""
    if column.insert_as:
        return column.insert_as
    if column.type == "boolean":
        return {0: "false", 1: "true"}[value]  # type: ignore[index]
    return None if value in (None, "") else str(value)


@ORGS
def test_bulk_files_hold_every_value(
    org: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    """Each record stands once in its object type's files, with every value that can be set; a null
    is empty, or #N/A where the CRM has a default.
    """
    run: Path = request.getfixturevalue(org)
    export(run, "bulk", tmp_path / "out")
    for one in objects(run).values():
        read = [
            row
            for file, name in order(tmp_path / "out")
            if name == one.name
            for row in rows(tmp_path / "out" / file)
        ]
        records = [
            row
            for row in stored(run, one.table)
            if not (one.name == "Pricebook2" and row["IsStandard"])
        ]
        wanted = [
            tuple(text(column, row.get(column.column)) for column in inserted(one))
            for row in records
        ]
        got = [tuple(row[header(column)] or None for column in inserted(one)) for row in read]
        told = [
            tuple(
                (
                    "#N/A"
                    if value is None and column.name == "Priority"
                    else None
                    if value == LONG
                    else value
                )
                for column, value in zip(inserted(one), row, strict=True)
            )
            for row in wanted
        ]
        assert sorted(map(repr, got)) == sorted(map(repr, told)), one.name


def test_bulk_files_are_what_the_api_takes(odd: Path, tmp_path: Path) -> None:
    """LF and UTF-8, embedded newlines kept in quotes; references by external id, of owners with
    their type; no value over 32,000 characters.
    """
    export(odd, "bulk", tmp_path / "out")
    data = (tmp_path / "out" / "Case.csv").read_bytes()
    head = data.split(b"\n")[0].decode()
    assert not head.endswith("\r")
    assert {
        "Account.Synth_Id__c",
        "User:Owner.Synth_Id__c",
        "IssueId__r.Synth_Id__c",
        "OrderItemId__r.Synth_Id__c",
    } <= set(head.split(","))
    assert AWKWARD in {row["Description"] for row in rows(tmp_path / "out" / "Case.csv")}
    long = [
        json.loads(line) for line in (tmp_path / "out" / "too_long.jsonl").read_text().splitlines()
    ]
    assert [(one["sobject"], one["field"], one["value"]) for one in long] == [
        ("Knowledge__kav", "FAQ_Answer__c", LONG)
    ]


def test_bulk_references_lead_to_records_of_earlier_files(odd: Path, tmp_path: Path) -> None:
    """Each relationship column's key is the Synth_Id__c of a record in a file before, or of the
    standard price book; children lie beside their siblings.
    """
    export(odd, "bulk", tmp_path / "out")
    found = objects(odd)
    known = {
        "Pricebook2": {str(row["Id"]) for row in stored(odd, "Pricebook2") if row["IsStandard"]}
    }
    for file, name in order(tmp_path / "out"):
        read = rows(tmp_path / "out" / file)
        for column in inserted(found[name]):
            if column.target and not column.insert_as:
                assert {row[header(column)] for row in read if row[header(column)]} <= known[
                    column.target
                ], (file, column.name)
        if lookups(found[name]):
            parents = [row[header(lookups(found[name])[0])] for row in read]
            assert parents == sorted(parents), file
        known.setdefault(name, set()).update(row.get("Synth_Id__c", "") for row in read)


def test_standard_prices_come_first(odd: Path, tmp_path: Path) -> None:
    """A product's standard price lies in a file of its own before all other prices, for the CRM
    demands it.
    """
    export(odd, "bulk", tmp_path / "out")
    prices = [file for file, name in order(tmp_path / "out") if name == "PricebookEntry"]
    standard = {str(row["Id"]) for row in stored(odd, "Pricebook2") if row["IsStandard"]}
    assert prices == ["PricebookEntry_standard.csv", "PricebookEntry.csv"]
    assert {row["Pricebook2.Synth_Id__c"] for row in rows(tmp_path / "out" / prices[0])} == standard
    assert not standard & {
        row["Pricebook2.Synth_Id__c"] for row in rows(tmp_path / "out" / prices[1])
    }


def test_a_large_file_is_split(odd: Path, tmp_path: Path) -> None:
    """No file is larger than the bound; each has the header,
    and together they hold what one would.
    """
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
    with opened(odd) as source:
        write_bulk(source, whole)
        write_bulk(source, parts, most_bytes=20_000)
    names = [file for file, name in order(parts) if name == "OrderItem"]
    assert len(names) > 2
    assert max((parts / file).stat().st_size for file in names) <= 20_000
    assert [row for file in names for row in rows(parts / file)] == rows(whole / "OrderItem.csv")


def test_losses_are_told(odd: Path, tmp_path: Path) -> None:
    """What a bulk file can't hold is told with its count."""
    notes = "\n".join(export(odd, "bulk", tmp_path / "out").notes)
    for says in (
        "EmailMessage.ToIds (",
        "Account.PersonEmail (",
        "1 value of more than 32,000 characters",
        "1 empty text;",
        "1 text #N/A:",
        "1 record of Pricebook2",
        (
            "as text until resolve_ids.apex has run: CaseHistory__c.OldValue__c,"
            " CaseHistory__c.NewValue__c"
        ),
    ):
        assert says in notes


def test_a_loss_is_told_in_a_line_one_can_read(odd: Path, tmp_path: Path) -> None:
    """Columns that stay out for one reason have a line an object type, each with its count."""
    notes = export(odd, "bulk", tmp_path / "out").notes
    (of_orders,) = [note for note in notes if " Order." in note]
    orders = f"{len(stored(odd, 'Order')):,} values"
    assert of_orders.startswith(
        f"left out: Order.OrderNumber ({orders}), Order.TotalAmount ({orders})"
    )
    assert of_orders.endswith(": the CRM sets it itself")
    assert max(map(len, notes)) < 600


def test_why_files_are_left_out_is_no_matter_of_rights(odd: Path, tmp_path: Path) -> None:
    """Anybody may upload a file to a CRM; an org has names of files and nothing in them."""
    notes = export(odd, "bulk", tmp_path / "out").notes
    (of_versions,) = [note for note in notes if " ContentVersion (" in note]
    assert "the content of a file" in of_versions


def test_the_server_takes_every_bulk_file(odd: Path, tmp_path: Path) -> None:
    """A server with the CRM's rules, empty at first, takes every file in the order of order.txt,
    and the orders' activation after; not one row is refused.

    (The client reads a file as text, so that CRLF arrives as LF.)
    """
    out = export(odd, "bulk", tmp_path / "out").folder
    with OrgServer(odd, EMPTY) as server:
        sf = client(server)
        standard = next(str(row["Id"]) for row in stored(odd, "Pricebook2") if row["IsStandard"])
        sf.Pricebook2.update(
            str(only(sf, "SELECT Id FROM Pricebook2 WHERE IsStandard = true")["Id"]),
            {"IsActive": True, "Synth_Id__c": standard},
        )
        users = out / "User.csv"
        users.write_text(
            users.read_text().replace(PROFILE, str(only(sf, "SELECT Id FROM Profile")["Id"]))
        )
        for file, name in order(out):
            if not name.startswith("LiveChat"):
                result = getattr(sf.bulk2, name).insert(csv_file=str(out / file), wait=0.01)[0]
                assert result["numberRecordsFailed"] == 0, getattr(
                    sf.bulk2, name
                ).get_failed_records(result["job_id"])[:500]
        assert (
            sf.bulk2.Order.upsert(
                csv_file=str(out / "Order.update.csv"),
                external_id_field="Synth_Id__c",
                wait=0.01,
            )[0]["numberRecordsFailed"]
            == 0
        )
        found = {
            row["Synth_Id__c"]: row
            for row in sf.query_all(
                "SELECT Synth_Id__c, Description, Account.Synth_Id__c, Owner.Synth_Id__c,"
                " IssueId__r.Synth_Id__c FROM Case"
            )["records"]
        }
        for case in stored(odd, "Case"):
            got = found[str(case["Id"])]
            assert (
                got["Description"],
                got["Account"]["Synth_Id__c"],
                got["IssueId__r"]["Synth_Id__c"],
            ) == (
                str(case["Description"]).replace("\r\n", "\n"),
                case["AccountId"],
                case["IssueId__c"],
            )
        assert only(sf, "SELECT COUNT(Id) n FROM Order WHERE Status = 'Activated'")["n"] == sum(
            row["Status"] == "Activated" for row in stored(odd, "Order")
        )


FAKE_SF = """#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in *SELECT*) printf 'Id\\n00eXX0000000001\\n';; esac
previous=
for word in "$@"; do [ "$previous" != --file ] || [ -f "$word" ] || exit 9; previous=$word; done
"""


def with_fake_sf(folder: Path, where: Path) -> list[str]:
    """Runs load.sh with an `sf` that only writes down what it is asked, and fails where a file
    isn't there.
    """
    (where / "bin").mkdir()
    (where / "bin" / "sf").write_text(FAKE_SF)
    (where / "bin" / "sf").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{where / 'bin'}:{os.environ['PATH']}",
        "LOG": str(where / "log"),
    }
    subprocess.run(
        ["sh", str(folder / "load.sh"), "my-org"],
        check=True,
        env=environment,
        cwd=where,
    )
    return (where / "log").read_text().splitlines()


def test_load_sh_runs_every_file_in_order(odd: Path, tmp_path: Path) -> None:
    """load.sh loads each file of order.txt once and in that order, and activates orders once all
    their items are in.
    """
    out = export(odd, "bulk", tmp_path / "out").folder
    asked = with_fake_sf(out, tmp_path)
    loaded = [
        Path(line.split("--file ")[1].split()[0]).name
        for line in asked
        if line.startswith("data import bulk")
    ]
    assert loaded == [file for file, _ in order(out)]
    activating = next(at for at, line in enumerate(asked) if "upsert bulk" in line)
    assert next(at for at, line in enumerate(asked) if "OrderItem.csv" in line) < activating
    assert all("--target-org my-org" in line for line in asked)
    assert (out / "User.csv").read_text().count(PROFILE) == len(stored(odd, "User"))


FAILING_SF = """#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in *SELECT*) printf 'Id\\n00eXX0000000001\\n';; esac
case "$*" in *"$FAILS"*) exit 1;; esac
"""


def loading(folder: Path, where: Path, fails: str) -> tuple[int, list[str]]:
    """Runs load.sh with an `sf` that fails where its words hold a text; its exit code and the files
    of the jobs, each behind what was done with it.
    """
    (where / "bin").mkdir(exist_ok=True)
    (where / "bin" / "sf").write_text(FAILING_SF)
    (where / "bin" / "sf").chmod(0o755)
    (where / "log").write_text("")
    path = f"{where / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LOG": str(where / "log"), "FAILS": fails}
    ended = subprocess.run(
        ["sh", str(folder / "load.sh"), "my/org"],
        env=environment,
        cwd=where,
        check=False,
    )
    jobs = []
    for line in (where / "log").read_text().splitlines():
        if "--file " in line and " bulk " in line:
            file = Path(line.split("--file ")[1].split()[0]).name
            jobs.append(f"{line.split()[1]} {file}")
    return ended.returncode, jobs


def test_load_sh_goes_on_where_it_stopped(odd: Path, tmp_path: Path) -> None:
    """After a failed job the same command sends nothing twice: what is loaded is left alone, and
    the file that broke off is upserted by its external id, so that no row is doubled.
    """
    out = export(odd, "bulk", tmp_path / "out").folder
    code, first = loading(out, tmp_path, "--file Order.csv")
    assert code == 1 and first[-1] == "import Order.csv"
    code, second = loading(out, tmp_path, "nothing")
    assert code == 0 and second[0] == "upsert Order.csv"
    done = [job.split()[1] for job in first[:-1]]
    assert not set(done) & {job.split()[1] for job in second}
    code, third = loading(out, tmp_path, "nothing")
    assert (code, third) == (0, [])
    # What it keeps lies beside the export, which so can be made anew.
    assert export(odd, "bulk", out).folder == out
    assert (tmp_path / "out.loaded-my_org.txt").is_file()


def test_load_sh_goes_on_with_what_takes_no_external_id(odd: Path, tmp_path: Path) -> None:
    """Articles that broke off are sent again, since the org refuses those that it has by their
    unique UrlName; that refusal stops nothing, while a first one does.
    """
    out = export(odd, "bulk", tmp_path / "out").folder
    broken = "--file Knowledge__kav.csv"
    code, first = loading(out, tmp_path, broken)
    assert code == 1 and first[-1] == "import Knowledge__kav.csv"
    code, second = loading(out, tmp_path, broken)
    assert code == 0 and second[0] == "import Knowledge__kav.csv" and len(second) > 1
    assert loading(out, tmp_path, "nothing") == (0, ["import Knowledge__kav.csv"])
    assert loading(out, tmp_path, "nothing") == (0, [])


def test_load_sh_loads_a_file_that_was_exported_anew(odd: Path, tmp_path: Path) -> None:
    """Other content is another file, whatever its name."""
    out = export(odd, "bulk", tmp_path / "out").folder
    assert loading(out, tmp_path, "nothing")[0] == 0
    (out / "Account.csv").write_text((out / "Account.csv").read_text() + "\n")
    assert loading(out, tmp_path, "nothing") == (0, ["import Account.csv"])


def tree_records(folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Every record of a tree plan in load order, with its object type."""
    for step in json.loads((folder / "plan.json").read_text()):
        for name in step["files"]:
            records = json.loads((folder / name).read_text())["records"]
            assert 0 < len(records) <= 200
            yield from ((step["sobject"], record) for record in records)


@ORGS
def test_a_tree_holds_every_value(org: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Where all records fit, each stands in the plan with every value but owners and what the CLI
    would take for a reference.
    """
    run: Path = request.getfixturevalue(org)
    found = objects(run)
    ids = {one.name: [row["Id"] for row in stored(run, one.table)] for one in found.values()}
    standard = (
        {row["Id"] for row in stored(run, "Pricebook2") if row["IsStandard"]}
        if "Pricebook2" in ids
        else set()
    )
    (tmp_path / "out").mkdir()
    with opened(run) as source:
        write_tree(source, tmp_path / "out", most=100_000)
    read: dict[str, list[dict[str, object]]] = {}
    for name, record in tree_records(tmp_path / "out"):
        read.setdefault(name, []).append(record)
    for one in (one for one in found.values() if one.name != "User"):
        rows_by_ref = {
            f"{one.name}Ref{number}": row
            for number, row in enumerate(stored(run, one.table), 1)
            if not (one.name == "Pricebook2" and row["IsStandard"])
        }
        assert {record["attributes"]["referenceId"] for record in read[one.name]} == set(
            rows_by_ref
        )  # type: ignore[index]
        for record in read[one.name]:
            row = rows_by_ref[record["attributes"]["referenceId"]]  # type: ignore[index]
            for column in inserted(one):
                value: object = row[column.column]
                is_reference = one.name == "Case" and value == "@AccountRef1"
                if value is None or column.target == "User" or is_reference:
                    assert column.name not in record
                elif column.target:
                    wanted = (
                        STANDARD_BOOK
                        if value in standard
                        else f"@{column.target}Ref{ids[column.target].index(value) + 1}"
                    )
                    assert record[column.name] == wanted
                else:
                    assert record.get(column.name) == (column.insert_as or value), (
                        one.name,
                        column.name,
                    )


def test_a_tree_refers_backwards_only(odd: Path, tmp_path: Path) -> None:
    """Every reference of a plan names a record that an earlier place holds, and no field below the
    top level holds one.
    """
    export(odd, "tree", tmp_path / "out")
    known: set[str] = set()
    for name, record in tree_records(tmp_path / "out"):
        for value in record.values():
            if isinstance(value, str) and REFERENCE.fullmatch(value):
                assert value in known
        known.add(f"@{record['attributes']['referenceId']}")  # type: ignore[index]
        assert name != "User"
        assert not [
            value
            for key, value in record.items()
            if key != "attributes" and isinstance(value, list | dict)
        ]
    assert known


def test_a_large_org_is_cut_to_whole_families(odd: Path, tmp_path: Path) -> None:
    """Beyond the CLI's bound a plan holds whole accounts only: each chosen case with all its mails,
    each price with its product's standard price.
    """
    (tmp_path / "out").mkdir()
    with opened(odd) as source:
        notes = write_tree(source, tmp_path / "out", most=1_500)
    kept: dict[str, set[object]] = {}
    for name, record in tree_records(tmp_path / "out"):
        kept.setdefault(name, set()).add(record.get("Synth_Id__c"))
    assert 700 < sum(len(ids) for ids in kept.values()) <= 1_500
    assert 0 < len(kept["Account"]) < len(stored(odd, "Account"))
    assert {
        row["Id"] for row in stored(odd, "EmailMessage") if row["ParentId"] in kept["Case"]
    } == kept["EmailMessage"]
    assert {
        row["Id"] for row in stored(odd, "Order") if row["AccountId"] in kept["Account"]
    } == kept["Order"]
    standard = {row["Id"] for row in stored(odd, "Pricebook2") if row["IsStandard"]}
    prices = [row for row in stored(odd, "PricebookEntry") if row["Id"] in kept["PricebookEntry"]]
    assert {row["Product2Id"] for row in prices} == {
        row["Product2Id"] for row in prices if row["Pricebook2Id"] in standard
    }
    assert any("Account (" in note and "a plan has at most 1,500 records" in note for note in notes)


@pytest.fixture(scope="session")
def dataset(odd: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The CumulusCI export of the awkward org."""
    return export(odd, "cumulusci", tmp_path_factory.mktemp("cci") / "out").folder


def loaded_dataset(folder: Path) -> sqlite3.Connection:
    """The dataset as SQLite reads it."""
    db = sqlite3.connect(":memory:")
    db.executescript((folder / "dataset.sql").read_text(encoding="utf-8"))
    db.row_factory = sqlite3.Row
    return db


def test_a_dataset_holds_every_value(odd: Path, dataset: Path) -> None:
    """Each mapped field of each step is a column of its table, and each record has all its values;
    lookups lead to rows of the tables they name.
    """
    steps = yaml.safe_load((dataset / "mapping.yml").read_text())
    found = objects(odd)
    with closing(loaded_dataset(dataset)) as db:
        for step in (
            step for step in steps.values() if step.get("action") not in ("upsert", "select")
        ):
            one = found[step["sf_object"]]
            mapped = {column.name: column for column in inserted(one)}
            by_row = {
                f"{one.name}-{number}": row for number, row in enumerate(stored(odd, one.table), 1)
            }
            for record in db.execute(f'SELECT * FROM "{step["table"]}"'):
                row = by_row[record["id"]]
                for name in step["fields"]:
                    wanted = (
                        row[mapped[name].column]
                        if row[mapped[name].column] == ""
                        else text(mapped[name], row[mapped[name].column])
                    )
                    assert record[name] == wanted, (one.name, name)
                for name, lookup in step.get("lookups", {}).items():
                    tables = (
                        [lookup["table"]] if isinstance(lookup["table"], str) else lookup["table"]
                    )
                    keys = [
                        hit["Synth_Id__c"]
                        for table in tables
                        for hit in db.execute(
                            f'SELECT Synth_Id__c FROM "{table}" WHERE id = ?', (record[name],)
                        )
                    ]
                    assert keys == ([row[mapped[name].column]] if row[mapped[name].column] else [])
        counts = {
            name: sum(
                db.execute(f'SELECT count(*) FROM "{step["table"]}"').fetchone()[0]
                for step in steps.values()
                if step["sf_object"] == name and step.get("action") != "upsert"
            )
            for name in found
            if name != "User"
        }
    assert counts == {
        name: len(stored(odd, one.table)) for name, one in found.items() if name != "User"
    }


def test_the_mapping_loads_parents_first(dataset: Path) -> None:
    """A step's lookups lead to tables of steps before it; the standard price book is selected, and
    orders get their status last.
    """
    steps = yaml.safe_load((dataset / "mapping.yml").read_text())
    known: set[str] = set()
    for step in steps.values():
        for lookup in step.get("lookups", {}).values():
            assert (
                {lookup["table"]}
                if isinstance(lookup["table"], str)
                else set(lookup["table"]) <= known
            )
        known.add(step["table"])
    assert steps["Select Pricebook2_standard"]["action"] == "select"
    updates = [title for title in steps if title.startswith("Update ")]
    assert updates == ["Update Order", "Update Case"] or updates == ["Update Case", "Update Order"]
    assert list(steps)[-len(updates) :] == updates


def test_the_mapping_is_the_golden_one(dataset: Path) -> None:
    """The mapping of the shoe company is exactly the golden file."""
    assert (dataset / "mapping.yml").read_text() == (GOLDEN / "mapping.yml").read_text()


def test_cumulusci_reads_the_mapping(dataset: Path) -> None:
    """CumulusCI's own parser takes the mapping, where it is installed."""
    parser = pytest.importorskip("cumulusci.tasks.bulkdata.mapping_parser")
    assert list(parser.parse_from_yaml(str(dataset / "mapping.yml"))) == list(
        yaml.safe_load((dataset / "mapping.yml").read_text())
    )


def test_no_lookup_of_a_dataset_looks_like_an_id(dataset: Path) -> None:
    """CumulusCI sends a lookup of 15 or 18 letters and digits as it is: none of ours has that form,
    so no local id gets out as a reference.
    """
    steps = yaml.safe_load((dataset / "mapping.yml").read_text())
    with closing(loaded_dataset(dataset)) as db:
        found = [
            row[0]
            for step in steps.values()
            for name in step.get("lookups", {})
            for row in db.execute(
                f'SELECT DISTINCT "{name}" FROM "{step["table"]}" WHERE "{name}" IS NOT NULL'
            )
        ]
    assert found
    assert not [one for one in found if re.fullmatch(r"[a-zA-Z0-9]{15}|[a-zA-Z0-9]{18}", one)]


@pytest.mark.skipif(
    shutil.which("sh") is None or sys.platform == "win32", reason="needs a POSIX shell"
)
def test_load_sh_stops_where_the_org_has_no_such_profile(odd: Path, tmp_path: Path) -> None:
    """Where a query finds nothing, load.sh says which one and loads nothing."""
    out = export(odd, "bulk", tmp_path / "out").folder
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sf").write_text("#!/bin/sh\necho Id\n")
    (tmp_path / "bin" / "sf").chmod(0o755)
    ended = subprocess.run(
        ["sh", str(out / "load.sh"), "my-org"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
    )
    assert ended.returncode == 1
    assert "the org has nothing for: SELECT Id FROM Profile" in ended.stderr
