"""Chats as messaging sessions in exports, for orgs whose CRM has no Chat any more."""

import csv
import json
from pathlib import Path

import pytest

from orgweave.cli import run as command
from orgweave.export.forms import OrgForms
from orgweave.export.messaging import CHANNEL
from orgweave.export.registry import FORMATS, export
from pipeline.compute.jobs import Workers
from tests.exports_org import contents, stored

MESSAGING = OrgForms(chats="messaging")


def rows(path: Path) -> list[dict[str, str]]:
    """A CSV file's rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_session_holds_every_line_of_its_chat(odd: Path, tmp_path: Path) -> None:
    """Each chat is a session of the same case and agent, its lines its entries in their order."""
    export(odd, "csv", tmp_path / "out", forms=MESSAGING)
    sessions = rows(tmp_path / "out" / "MessagingSession.csv")
    users = {user["Id"]: user for user in rows(tmp_path / "out" / "MessagingEndUser.csv")}
    entries = rows(tmp_path / "out" / "ConversationEntry.csv")
    chats = stored(odd, "LiveChatTranscript")
    assert len(sessions) == len(chats)
    for session, chat in zip(sessions, chats, strict=True):
        assert session["CaseId"] == chat["CaseId"] and session["OwnerId"] == chat["OwnerId"]
        assert users[session["MessagingEndUserId"]]["ContactId"] == chat["ContactId"]
        said = [entry for entry in entries if entry["ConversationId"] == session["Id"]]
        lines = str(chat["Body"]).splitlines()
        assert len(said) == len(lines)
        for entry, line in zip(said, lines, strict=True):
            assert line.startswith(f"[{entry['EntryTime'][:19]}] {entry['ActorName']} (")
            assert line.endswith(f"): {entry['Message']}")
    assert {entry["ActorType"] for entry in entries} == {"Agent", "EndUser", "System"}


@pytest.mark.parametrize("name", [*FORMATS, "metadata"])
def test_every_format_writes_them(name: str, odd: Path, tmp_path: Path) -> None:
    """No format has a chat of the old form, and each tells of the channel that is to be set."""
    made = export(odd, name, tmp_path / "out", forms=MESSAGING)
    files = contents(tmp_path / "out")
    told = " ".join(files) + files.get("mapping.yml", b"").decode()
    assert "MessagingSession" in told and "LiveChat" not in told
    assert any(CHANNEL in note for note in made.notes)
    assert json.loads((tmp_path / "out" / "export.json").read_text())["chats"] == "messaging"


def test_workers_write_the_same_bytes(odd: Path, tmp_path: Path) -> None:
    """A worker that opens the org for itself has the sessions, too."""
    export(odd, "bulk", tmp_path / "alone", forms=MESSAGING)
    export(odd, "bulk", tmp_path / "shared", workers=Workers(2), forms=MESSAGING)
    assert contents(tmp_path / "alone") == contents(tmp_path / "shared")


def test_an_org_without_chats_has_no_sessions(
    clinic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is one line that says what is missing."""
    words = ["export", str(clinic), "--format", "csv", "--chats", "messaging"]
    assert command([*words, "--to", str(tmp_path / "out")]) == 2
    assert "has no LiveChatTranscript" in capsys.readouterr().err
