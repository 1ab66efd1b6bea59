"""Chats loaded as messaging sessions, into a CRM whose Chat was retired."""

from pathlib import Path

import pytest

from orgweave.export.forms import OrgForms
from orgweave.load.source import UploadSource
from orgweave.server.served import ServeOptions
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.server_client import client, only
from tests.upload_orgs import EXTERNAL, edited, empty, ids, keys, rows, upload

MESSAGING = ("--chats", "messaging")


def modern(folder: Path) -> OrgServer:
    """An empty CRM without Chat, and with a messaging channel."""
    return OrgServer(
        folder,
        ServeOptions(writable=True, empty=True, external_id=EXTERNAL, chats="messaging"),
    )


def test_every_line_of_a_chat_arrives(few_shoes: FinishedRun, tmp_path: Path) -> None:
    """Each chat is a session of its case, contact and agent; its lines are entries in order."""
    idmap = tmp_path / "idmap.jsonl"
    with modern(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, idmap, *MESSAGING) == 0
        sf, there = client(server), ids(idmap)
        channel = only(sf, "SELECT Id FROM MessagingChannel")["Id"]
        sessions = sf.query_all(
            "SELECT Id, CaseId, EndUserContactId, OwnerId, MessagingChannelId, Status,"
            " MessagingEndUser.ContactId FROM MessagingSession ORDER BY StartTime, CaseId"
        )["records"]
        chats = rows(few_shoes.folder, "LiveChatTranscript")
        assert len(sessions) == len(chats) > 0
        ours = sorted(chats, key=lambda chat: (chat["StartTime"], there[chat["CaseId"]]))
        for session, chat in zip(sessions, ours, strict=True):
            assert session["CaseId"] == there[chat["CaseId"]]
            assert session["OwnerId"] == there[chat["OwnerId"]]
            assert session["EndUserContactId"] == there[chat["ContactId"]]
            assert session["MessagingEndUser"]["ContactId"] == there[chat["ContactId"]]
            assert session["MessagingChannelId"] == channel
            said = sf.query_all(
                "SELECT ActorName, Message FROM ConversationEntry WHERE ConversationId ="
                f" '{session['Id']}' ORDER BY MessageIdentifier"
            )["records"]
            lines = chat["Body"].splitlines()
            assert len(said) == len(lines)
            for entry, line in zip(said, lines, strict=True):
                assert f"] {entry['ActorName']} (" in line
                assert line.endswith(f"): {entry['Message']}")


def test_the_same_command_creates_nothing_twice(few_shoes: FinishedRun, tmp_path: Path) -> None:
    """A second upload finds every session and entry there."""
    idmap = tmp_path / "idmap.jsonl"
    with modern(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, idmap, *MESSAGING) == 0
        sf, counts = client(server), ("MessagingEndUser", "MessagingSession", "ConversationEntry")
        before = [sf.query(f"SELECT COUNT() FROM {name}")["totalSize"] for name in counts]
        assert upload(server, few_shoes.folder, idmap, *MESSAGING) == 0
        after = [sf.query(f"SELECT COUNT() FROM {name}")["totalSize"] for name in counts]
    assert before == after and min(before) > 0


def test_what_a_person_edited_is_what_arrives(my_tiny: Path, tmp_path: Path) -> None:
    """Sessions are made of the upload's files, which may have been mended by hand."""
    idmap = tmp_path / "idmap.jsonl"
    line = "[2021-05-04T10:00:00] Ann Lee (Agent): Only this was said."
    edited(my_tiny, "LiveChatTranscript", 0, Body=line)
    with modern(my_tiny) as server:
        assert upload(server, my_tiny, idmap, *MESSAGING) == 0
        query = "SELECT ActorType FROM ConversationEntry WHERE ActorName = 'Ann Lee'"
        assert client(server).query_all(query)["records"][0]["ActorType"] == "Agent"


def test_a_rehearsal_finds_nothing_wrong(
    few_shoes: FinishedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--dry-run knows that the loader fills the channel; without --chats it tells what is lost."""
    with modern(few_shoes.folder) as server:
        idmap = tmp_path / "idmap.jsonl"
        assert upload(server, few_shoes.folder, idmap, "--dry-run", *MESSAGING) == 0
        assert upload(server, few_shoes.folder, idmap, "--dry-run") == 5
        number = len(keys(few_shoes.folder, "LiveChatTranscript"))
        told = capsys.readouterr().out
    assert f"LiveChatTranscript: {number} records, the CRM has no such object" in told


def test_without_a_channel_nothing_is_loaded(
    few_shoes: FinishedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A CRM without a channel, a name that it hasn't got, and a name without messaging are each
    refused before any record is sent.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(few_shoes.folder) as old:
        assert upload(old, few_shoes.folder, idmap, *MESSAGING) == 2
        assert "has no messaging channel; set up" in capsys.readouterr().err
        assert client(old).query("SELECT COUNT() FROM Account")["totalSize"] == 0
    with modern(few_shoes.folder) as server:
        assert upload(server, few_shoes.folder, idmap, *MESSAGING, "--channel", "Other") == 2
        assert "it has Web_Chat" in capsys.readouterr().err
        assert upload(server, few_shoes.folder, idmap, "--channel", "Web_Chat") == 2
        assert "only --chats messaging has channels" in capsys.readouterr().err


def test_only_an_empty_server_has_messaging(few_shoes: FinishedRun) -> None:
    """An org is served as it is: it has the chats that were generated."""
    with (
        pytest.raises(BadInput, match="only an org served with --empty"),
        OrgServer(few_shoes.folder, ServeOptions(chats="messaging")),
    ):
        pass


def test_a_chat_that_nobody_took_is_no_session(my_tiny: Path) -> None:
    """It has no case and no line, so that nothing of it could be shown."""
    key = edited(my_tiny, "LiveChatTranscript", 0, CaseId=None, Body=None, StartTime=None)
    source = UploadSource(my_tiny, OrgForms(chats="messaging"))
    chats = len(keys(my_tiny, "LiveChatTranscript"))
    assert len(source.records("MessagingSession")) == chats - 1
    assert key not in source.keys.values()
