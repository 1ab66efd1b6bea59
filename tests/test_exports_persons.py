"""Customers as person accounts in exports: the account has the contact's fields and key."""

import csv
from pathlib import Path

import pytest

from orgweave.cli import run as command
from orgweave.export.forms import OrgForms
from orgweave.export.registry import export
from pipeline.compute.jobs import Workers
from tests.exports_org import changed, contents, copied, stored

PERSONS = OrgForms(accounts="person")


def rows(path: Path) -> list[dict[str, str]]:
    """A CSV file's rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_loader_is_given_persons_and_no_contacts(odd: Path, tmp_path: Path) -> None:
    """Names in parts, mail and birthday stand in the account, and its contact's key, by which a
    case refers to the contact that the CRM makes.
    """
    made = export(odd, "bulk", tmp_path / "out", forms=PERSONS)
    accounts = {row["Synth_Id__c"]: row for row in rows(tmp_path / "out" / "Account.csv")}
    contacts = {row["AccountId"]: row for row in stored(odd, "Contact")}
    assert accounts.keys() == contacts.keys()
    for key, account in accounts.items():
        assert "Name" not in account and "IsPersonAccount" not in account
        assert account["Synth_Id__pc"] == contacts[key]["Id"]
        for field in ("FirstName", "LastName"):
            assert account[field] == contacts[key][field]
        assert account["PersonEmail"] == (contacts[key]["Email"] or "")
        assert account["PersonBirthdate"] == (contacts[key]["Birthdate"] or "")
    known = {account["Synth_Id__pc"] for account in accounts.values()}
    referred = {row["Contact.Synth_Id__c"] for row in rows(tmp_path / "out" / "Case.csv")} - {""}
    assert referred and referred <= known
    assert not (tmp_path / "out" / "Contact.csv").exists()
    assert any(note.startswith("left out: Contact:") for note in made.notes)


def test_plain_files_say_which_accounts_are_persons(odd: Path, tmp_path: Path) -> None:
    """As a CRM's own export does: a flag, and the id of the contact, who has a row as well."""
    export(odd, "csv", tmp_path / "out", forms=PERSONS)
    ids = {row["Id"] for row in rows(tmp_path / "out" / "Contact.csv")}
    accounts = rows(tmp_path / "out" / "Account.csv")
    assert {row["IsPersonAccount"] for row in accounts} == {"true"}
    assert {row["PersonContactId"] for row in accounts} == ids


def test_workers_write_the_same_persons(odd: Path, tmp_path: Path) -> None:
    """Both forms at once are the same bytes by one process and by two."""
    both = OrgForms("messaging", "person")
    export(odd, "bulk", tmp_path / "alone", forms=both)
    export(odd, "bulk", tmp_path / "shared", workers=Workers(2), forms=both)
    assert contents(tmp_path / "alone") == contents(tmp_path / "shared")


def test_who_is_no_person_is_told_in_one_line(
    odd: Path, clinic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A format without such references, a schema without accounts, a customer of two contacts."""
    company = copied(odd, tmp_path / "company")
    changed(company, "UPDATE Contact SET AccountId = (SELECT min(Id) FROM Account)")
    refused = {"tree": (odd, "tree refers to no record"), "csv": (clinic, "has no Contact of an")}
    for form, (run, says) in refused.items():
        assert command(["export", str(run), "--format", form, "--accounts", "person"]) == 2
        assert says in capsys.readouterr().err
    assert command(["export", str(company), "--format", "bulk", "--accounts", "person"]) == 2
    told = capsys.readouterr().err
    assert "several contacts or none" in told and len(told.splitlines()) == 1
