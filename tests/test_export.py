"""The upload: references, load order, what stays out; and that nothing hidden gets into org or
upload.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.config import RunRequest
from pipeline.run import FinishedRun, generate

GOLDEN = Path(__file__).parent / "golden"
REF = re.compile(r"^@(\w+)Ref\d+$")
SHOP = """
$schema: https://json-schema.org/draft/2020-12/schema
title: Shop
description: A shop.
type: object
x-key-prefix: SHP
x-count: {number: 2}
required: [Id]
properties:
  Id: {type: string, x-createable: false, x-source: {id: true}}
  Name: {type: string, x-source: {sequence: "Shop {:02d}"}}
  Opened: {type: string, format: date, x-source: {constant: "2022-03-01"}}
  Open: {type: boolean, x-source: {constant: true}}
"""
VISIT = """
$schema: https://json-schema.org/draft/2020-12/schema
title: Visit
description: A visit to a shop.
type: object
x-key-prefix: VIS
x-count: {per: Shop, number: 2}
required: [Id, ShopId]
properties:
  Id: {type: string, x-createable: false, x-source: {id: true}}
  ShopId: {type: string, x-source: {reference: Shop, by: parent}}
  Label: {type: string, x-source: {template: "{ShopId.Name}, visit"}}
  Status: {type: string, x-insert-as: Draft, x-source: {constant: Done}}
"""


def records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record of an upload with its file's object type."""
    for path in sorted((folder / "upload").glob("*.json")):
        if path.name != "plan.json" and not path.name.endswith(".update.json"):
            for record in json.loads(path.read_text())["records"]:
                yield path.stem, record


def test_a_toy_upload_is_the_golden_one(tmp_path: Path) -> None:
    """A two-object schema is exported exactly as in the golden files: attributes, @refs, dates,
    first status, load order.
    """
    schema = tmp_path / "toy"
    schema.mkdir()
    (schema / "Shop.yaml").write_text(SHOP)
    (schema / "Visit.yaml").write_text(VISIT)
    profile = tmp_path / "toyshop.yaml"
    profile.write_text(
        "name: Toy\nindustry: toys\ndescription: Two shops and their visits.\nschema: toy\nperiod:"
        " {start: 2022-01-01, end: 2022-12-31}\n"
    )
    generate(RunRequest(str(profile)), tmp_path / "run")
    made = {path.name: path.read_text() for path in sorted((tmp_path / "run" / "upload").iterdir())}
    golden = GOLDEN / "toy_upload.json"
    assert made == json.loads(golden.read_text())


def test_every_reference_of_the_upload_resolves(small_shoes: FinishedRun) -> None:
    """Each @ref names a record of the upload, in lists too."""
    made = [record for _, record in records(small_shoes.folder)]
    known = {f"@{record['attributes']['referenceId']}" for record in made}
    named = {
        one
        for _, record in records(small_shoes.folder)
        for value in record.values()
        for one in (value if isinstance(value, list) else [value])
        if isinstance(one, str) and REF.match(one)
    }
    assert named
    assert named <= known


def test_the_plan_lists_parents_before_children(small_shoes: FinishedRun) -> None:
    """plan.json holds sobject and files as texts, each object type behind all that its records
    refer to.
    """
    plan = json.loads((small_shoes.folder / "upload" / "plan.json").read_text())
    order = [step["sobject"] for step in plan]
    assert all(
        set(step) == {"sobject", "files"} and all(isinstance(name, str) for name in step["files"])
        for step in plan
    )
    for name, record in records(small_shoes.folder):
        for value in record.values():
            if isinstance(value, str) and (found := REF.match(value)):
                # A record may refer to one of its own kind that stands before or behind it.
                own_kind = found.group(1) == name
                assert own_kind or order.index(found.group(1)) < order.index(name)


def test_no_local_id_stands_in_the_upload(small_shoes: FinishedRun) -> None:
    """No record of the upload holds an id made here, for no CRM knows it."""
    with sqlite3.connect(small_shoes.folder / "org.sqlite") as db:
        ids = {
            row[0]
            for row in db.execute(
                'SELECT Id FROM User UNION SELECT Id FROM Contact UNION SELECT Id FROM "Case"'
            )
        }
    text = "\n".join(path.read_text() for path in (small_shoes.folder / "upload").glob("*.json"))
    assert not [one for one in ids if one in text]


def test_orders_are_inserted_as_drafts_and_activated_after(small_shoes: FinishedRun) -> None:
    """A CRM takes an order as a draft only; the final status stands in a second file for after its
    items.
    """
    inserted = {record["Status"] for name, record in records(small_shoes.folder) if name == "Order"}
    updates = json.loads((small_shoes.folder / "upload" / "Order.update.json").read_text())[
        "records"
    ]
    assert inserted == {"Draft"}
    assert {record["Status"] for record in updates} == {"Activated"}


def hidden_words(folder: Path) -> set[str]:
    """Names of latent variables and columns of theirs,
    and the labels that only latent tables hold.
    """
    with sqlite3.connect(folder / "latent.sqlite") as db:
        tables = [
            row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        labels = {
            str(row[0])
            for table in tables
            for column in db.execute(f'PRAGMA table_info("{table}")').fetchall()
            if column[2] == "TEXT"
            for row in db.execute(f'SELECT DISTINCT "{column[1]}" FROM "{table}"')
        }
    return {table.split(".")[0] for table in tables} | {
        label for label in labels if re.fullmatch(r"[a-z]+(_[a-z]+)+", label)
    }


def test_no_hidden_value_is_in_org_or_upload(small_shoes: FinishedRun) -> None:
    """No latent variable's name and none of its labels stand anywhere in org or upload."""
    words = hidden_words(small_shoes.folder)
    assert {"ShoppingHabit", "holiday_shopper", "late_grant"} <= words
    uploaded = "\n".join(
        path.read_text() for path in (small_shoes.folder / "upload").glob("*.json")
    )
    with sqlite3.connect(small_shoes.folder / "org.sqlite") as db:
        dump = "\n".join(db.iterdump())
    assert [word for word in sorted(words) if word in uploaded or word in dump] == []


def test_a_copied_reference_is_uploaded_as_a_reference(small_shoes: FinishedRun) -> None:
    """A field copied from another record's reference (an order's owner is its account's) holds an
    id in the org and an @ref in the upload.
    """
    for name in ("Contact", "Order"):
        records = json.loads((small_shoes.folder / "upload" / f"{name}.json").read_text())[
            "records"
        ]
        assert records and all(record["OwnerId"].startswith("@UserRef") for record in records)
        with sqlite3.connect(small_shoes.folder / "org.sqlite") as db:
            assert db.execute(
                f'SELECT count(*) FROM "{name}" WHERE OwnerId NOT IN (SELECT Id FROM User)'
            ).fetchone() == (0,)
        db.close()
