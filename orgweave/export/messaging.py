"""Chats as messaging sessions, for orgs without Chat, which was retired in February 2026.

A transcript becomes a session, each of its lines an entry, and who chats a messaging user. They are
tables in memory beside those of the opened org, so that every format writes them as any other.
Knows no format.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pipeline.world.ids import make_ids
from schemas.errors import BadInput
from schemas.model import Count, Field, ObjectType, Schema
from schemas.sources import ConstantSource, IdSource, ReferenceSource

ChatForm = Literal["transcripts", "messaging"]
"""Chats as the org has them, or as messaging sessions."""

TRANSCRIPT = "LiveChatTranscript"
NEEDED = ("CaseId", "AccountId", "ContactId", "OwnerId", "Body", "StartTime", "EndTime")
"""What a transcript must have to become a session."""

CHANNEL = "MESSAGING_CHANNEL_ID"
"""Stands for the org's channel, which its administrator sets up and whose id nobody else knows."""

NOTE = (
    f"to be set: {CHANNEL} in the files stands for the id of the org's messaging channel; SELECT Id"
    " FROM MessagingChannel tells it"
)
TEXT: Mapping[str, object] = {"type": "string"}
MOMENT: Mapping[str, object] = {"type": "string", "format": "date-time"}
ACTORS = {"Customer": "EndUser", "Agent": "Agent", "System": "System"}
"""Who speaks in a transcript, and what the CRM calls them in an entry."""

LINE = re.compile(
    rf"^\[(?P<time>[^\]\n]+)\] (?P<who>.+?) \((?P<role>{'|'.join(ACTORS)})\): (?P<text>.*)$",
    re.MULTILINE,
)
"""A line of a transcript: `[2022-03-01T09:31:12] Ann Lee (Agent): How can I help?`."""

USER = {
    "Name": TEXT,
    "AccountId": "Account",
    "ContactId": "Contact",
    "MessageType": {**TEXT, "enum": ["EmbeddedMessaging"]},
    "MessagingPlatformKey": {**TEXT, "maxLength": 255},
    "MessagingChannelId": TEXT,
}
SESSION = {
    "MessagingEndUserId": "MessagingEndUser",
    "MessagingChannelId": TEXT,
    "CaseId": "Case",
    "EndUserAccountId": "Account",
    "EndUserContactId": "Contact",
    "OwnerId": "User",
    "Status": {**TEXT, "enum": ["Active", "Ended", "Inactive", "Waiting"]},
    "Origin": {**TEXT, "enum": ["InboundInitiated"]},
    "AgentType": {**TEXT, "enum": ["Agent", "Bot"]},
    "StartTime": MOMENT,
    "EndTime": MOMENT,
}
ENTRY = {
    "ConversationId": "MessagingSession",
    "MessageIdentifier": {**TEXT, "maxLength": 255},
    "ActorType": {**TEXT, "enum": sorted(ACTORS.values())},
    "ActorName": TEXT,
    "EntryType": {**TEXT, "enum": ["Text"]},
    "EntryTime": MOMENT,
    "Message": {**TEXT, "maxLength": 32000},
}
"""Fields by name, each with its JSON Schema, or the object type that it refers to."""


def with_messaging(schema: Schema) -> Schema:
    """The schema with messaging in place of chats; raises BadInput where it has no chats."""
    if not schema.has(TRANSCRIPT) or not all(map(schema.object(TRANSCRIPT).has, NEEDED)):
        raise BadInput(
            f"--chats messaging: the schema {schema.name} has no {TRANSCRIPT} with"
            f" {', '.join(NEEDED)}; leave the option out"
        )
    made = (
        _object("MessagingEndUser", "0PA", "Who writes in a messaging channel.", USER),
        _object("MessagingSession", "0Mw", "A conversation in a messaging channel.", SESSION),
        _object("ConversationEntry", "0ef", "A message of a messaging session.", ENTRY),
    )
    objects: list[ObjectType] = []
    for item in schema.objects:
        objects += made if item.name == TRANSCRIPT else [item]
    return replace(schema, objects=tuple(objects))


def add_tables(db: sqlite3.Connection) -> None:
    """Makes the tables of messaging users, sessions and entries beside those of the org."""
    chats = db.execute(
        """
        SELECT CaseId, AccountId, ContactId, OwnerId, StartTime, EndTime, Body
        FROM LiveChatTranscript
        ORDER BY rowid
        """
    ).fetchall()
    names = dict(db.execute("SELECT Id, Name FROM Contact"))
    contacts = list(dict.fromkeys(chat[2] for chat in chats))
    accounts = {chat[2]: chat[1] for chat in chats}
    user_ids = dict(zip(contacts, make_ids("0PA", len(contacts)), strict=True))
    session_ids = make_ids("0Mw", len(chats))
    users = []
    for contact in contacts:
        own = (names.get(contact), accounts[contact], contact)
        users.append((user_ids[contact], *own, "EmbeddedMessaging", contact, CHANNEL))
    sessions = []
    entries: list[tuple[object, ...]] = []
    for key, (case, account, contact, owner, start, end, body) in zip(
        session_ids, chats, strict=True
    ):
        who = (user_ids[contact], CHANNEL, case, account, contact, owner)
        sessions.append((key, *who, "Ended", "InboundInitiated", "Agent", start, end))
        entries += _entries(str(key), str(body), str(start))
    _table(db, "MessagingEndUser", USER, users)
    _table(db, "MessagingSession", SESSION, sessions)
    keys = make_ids("0ef", len(entries))
    numbered = [(key, *entry) for key, entry in zip(keys, entries, strict=True)]
    _table(db, "ConversationEntry", ENTRY, numbered)


def _entries(session: str, body: str, start: str) -> list[tuple[object, ...]]:
    """The lines of a transcript; its moments end as the others of the org do."""
    zone = start[len("2022-03-01T09:31:12") :]
    found: list[tuple[object, ...]] = []
    for line in LINE.finditer(body):
        identifier = f"{session}-{len(found) + 1:04}"
        actor = ACTORS[line["role"]]
        moment = f"{line['time']}{zone}"
        found.append((session, identifier, actor, line["who"], "Text", moment, line["text"]))
    return found


def _table(
    db: sqlite3.Connection,
    name: str,
    fields: Mapping[str, object],
    rows: Sequence[tuple[object, ...]],
) -> None:
    columns = ", ".join(f'"{field}" TEXT' for field in fields)
    db.execute(f'CREATE TEMP TABLE "{name}" ("Id" TEXT PRIMARY KEY, {columns})')
    marks = ", ".join("?" * (len(fields) + 1))
    db.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
    db.commit()


def _object(
    name: str,
    prefix: str,
    description: str,
    fields: Mapping[str, object],
) -> ObjectType:
    key = Field("Id", TEXT, IdSource(id=True), required=True, createable=False)
    return ObjectType(
        name=name,
        file=name,
        description=description,
        key_prefix=prefix,
        count=Count(number=0),
        fields=(key, *(_field(field, form) for field, form in fields.items())),
    )


def _field(name: str, form: object) -> Field:
    if isinstance(form, str):
        return Field(name, TEXT, ReferenceSource(reference=form), required=False)
    assert isinstance(form, Mapping)
    return Field(name, form, ConstantSource(constant=None), required=False)
