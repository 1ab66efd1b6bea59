"""Customers loaded as person accounts, whose contacts the CRM makes by itself."""

from pathlib import Path

import pytest

from orgweave.server.served import ServeOptions
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.server_client import client
from tests.upload_orgs import EXTERNAL, edited, empty, ids, rows, upload

PERSONS = ("--accounts", "person")


def with_persons(folder: Path) -> OrgServer:
    """An empty CRM that has person accounts."""
    return OrgServer(
        folder,
        ServeOptions(writable=True, empty=True, external_id=EXTERNAL, accounts="person"),
    )


def test_an_account_is_its_person(few_shoes: FinishedRun, tmp_path: Path) -> None:
    """Each account has its contact's names, mail and further fields, and is a person; the contact
    that the CRM made shows the same, and stands for ours wherever ours is referred to.
    """
    idmap = tmp_path / "idmap.jsonl"
    with with_persons(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, idmap, *PERSONS) == 0
        sf, there = client(server), ids(idmap)
        found = sf.query_all(
            "SELECT Id, FirstName, LastName, PersonEmail, PersonMobilePhone, IsPersonAccount,"
            " PersonContactId FROM Account"
        )["records"]
        contacts = {
            row["AccountId"]: row
            for row in sf.query_all(
                "SELECT Id, AccountId, FirstName, LastName, Email, MobilePhone FROM Contact"
            )["records"]
        }
        cases = sf.query_all("SELECT Id, ContactId FROM Case")["records"]
    accounts = {row["Id"]: row for row in found}
    ours = rows(few_shoes.folder, "Contact")
    assert len(accounts) == len(contacts) == len(ours) > 0
    for contact in ours:
        account, made = accounts[there[contact["AccountId"]]], contacts[there[contact["AccountId"]]]
        assert account["IsPersonAccount"] is True
        assert account["PersonContactId"] == made["Id"] == there[contact["Id"]]
        for name in ("FirstName", "LastName"):
            assert account[name] == made[name] == contact[name]
        assert account["PersonEmail"] == made["Email"] == contact["Email"]
        assert account["PersonMobilePhone"] == made["MobilePhone"] == contact["MobilePhone"]
    of_case = {row["Id"]: row["ContactId"] for row in rows(few_shoes.folder, "Case")}
    back = {theirs: key for key, theirs in there.items()}
    for case in cases:
        key = of_case[back[case["Id"]]]
        assert case["ContactId"] == (there[key] if key else None)


def test_the_same_command_makes_nobody_twice(
    few_shoes: FinishedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second upload finds every account and its contact there."""
    idmap = tmp_path / "idmap.jsonl"
    with with_persons(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, idmap, *PERSONS) == 0
        before = idmap.read_text(encoding="utf-8")
        assert upload(server, few_shoes.folder, idmap, *PERSONS) == 0
        number = client(server).query("SELECT COUNT() FROM Contact")["totalSize"]
    assert idmap.read_text(encoding="utf-8") == before
    assert number == len(rows(few_shoes.folder, "Contact"))
    assert "makes the contacts of person accounts by itself" in capsys.readouterr().out


def test_a_rehearsal_finds_nothing_wrong(few_shoes: FinishedRun, tmp_path: Path) -> None:
    """--dry-run holds accounts against what the CRM says of persons."""
    with with_persons(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, tmp_path / "i.jsonl", "--dry-run", *PERSONS) == 0


def test_what_can_be_no_person_is_refused(
    few_shoes: FinishedRun, my_tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A CRM without person accounts, and an account with two contacts, get one line each, and
    nothing is sent.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, idmap, *PERSONS) == 2
        assert "the CRM has no person accounts" in capsys.readouterr().err
        assert client(server).query("SELECT COUNT() FROM Account")["totalSize"] == 0
    edited(my_tiny, "Contact", 1, AccountId="@AccountRef1")
    with with_persons(my_tiny) as server:
        assert upload(server, my_tiny, idmap, *PERSONS) == 2
    assert "AccountRef1 has several contacts" in capsys.readouterr().err


def test_a_person_and_the_contact_change_together(few_shoes: FinishedRun, tmp_path: Path) -> None:
    """What is changed on the account is changed on the contact that the CRM keeps for it."""
    with with_persons(few_shoes.folder) as server:
        sf = client(server)
        made = sf.Account.create({"FirstName": "Ann", "LastName": "Lee", "PersonEmail": "a@b.io"})
        sf.Account.update(made["id"], {"LastName": "Hale"})
        found = sf.query("SELECT Id, Name, Email, Account.PersonContactId FROM Contact")["records"]
    assert [(row["Name"], row["Email"]) for row in found] == [("Ann Hale", "a@b.io")]
    assert found[0]["Account"]["PersonContactId"] == found[0]["Id"]
