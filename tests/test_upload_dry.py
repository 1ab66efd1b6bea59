"""`--dry-run` says what would fail before anything is sent;
what it says nothing of goes through.
"""

from pathlib import Path

import pytest

from pipeline.run import FinishedRun
from tests.server_client import client
from tests.upload_orgs import edited, empty, keys, upload


def test_nothing_would_fail_and_nothing_is_sent(
    small_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """For a CRM that has everything the rehearsal finds no fault, ends with exit code 0, writes
    nothing and leaves no id map.
    """
    with empty(small_shoes.folder) as server:
        assert upload(server, small_shoes.folder, tmp_path / "idmap.jsonl", "--dry-run") == 0
        assert "nothing would fail" in capsys.readouterr().out
        assert client(server).query("SELECT COUNT() FROM Account")["totalSize"] == 0
    assert not (tmp_path / "idmap.jsonl").exists()


def test_a_profile_that_is_not_there_is_told_before_anything_is_sent(
    small_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The rehearsal also asks for the profile, or the users to map onto, and refuses with exit code
    2 as the upload would.
    """
    with empty(small_shoes.folder) as server:
        assert (
            upload(
                server,
                small_shoes.folder,
                tmp_path / "idmap.jsonl",
                "--dry-run",
                "--profile",
                "O'Brien's",
            )
            == 2
        )
    assert "--profile O'Brien's" in capsys.readouterr().err


def test_every_kind_of_fault_is_listed_once(
    mine: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A missing object, a missing field, too long a text, a value outside a restricted picklist and
    a required field without a value: a line each, with count and example, exit code 5.
    """
    long = edited(mine, "Contact", 2, FirstName="x" * 41)
    odd = edited(mine, "CaseHistory__c", 1, Field__c="Nap")
    bare = edited(mine, "Account", 4, Name=None)
    with empty(mine, without=("ProductCatalog", "Case.IssueId__c")) as server:
        assert upload(server, mine, tmp_path / "idmap.jsonl", "--dry-run") == 5
        assert client(server).query("SELECT COUNT() FROM User")["totalSize"] == 1
    said = capsys.readouterr().out
    lines = {line.split(":")[0]: line for line in said.splitlines()}
    assert "1 records, the CRM has no such object: would be left out" in lines["ProductCatalog"]
    assert (
        f"{len(keys(mine, 'Case'))} records, the CRM has no such field" in lines["Case.IssueId__c"]
    )
    assert (
        f"1 records, longer than 40 characters: would be refused; such as {long}"
        in lines["Contact.FirstName"]
    )
    assert "not a value of the restricted picklist" in lines["CaseHistory__c.Field__c"]
    assert odd in lines["CaseHistory__c.Field__c"]
    assert (
        f"the CRM requires it and the record has none: would be refused; such as {bare}"
        in lines["Account.Name"]
    )
    assert "; nothing was sent" in said.splitlines()[-1]
