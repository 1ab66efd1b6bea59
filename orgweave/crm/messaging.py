"""Chats as messaging sessions, for orgs without Chat, which was retired in February 2026.

A transcript becomes a session, each of its lines an entry, and who chats a messaging user. Here is
what they are in a schema, and how a transcript is read; who exports, loads or serves them stands
on it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipeline.world.ids import make_ids
from schemas.errors import BadInput
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import Count, ObjectType
from schemas.sources import ConstantSource, IdSource, ReferenceSource

ChatForm = Literal["transcripts", "messaging"]
"""Chats as the org has them, or as messaging sessions."""

TRANSCRIPT = "LiveChatTranscript"
NEEDED = ("CaseId", "AccountId", "ContactId", "OwnerId", "Body", "StartTime", "EndTime")
"""What a transcript must have to become a session."""

TEXT: Mapping[str, object] = {"type": "string"}
MOMENT: Mapping[str, object] = {"type": "string", "format": "date-time"}
ACTORS = {"Customer": "EndUser", "Agent": "Agent", "System": "System"}
"""Who speaks in a transcript, and what the CRM calls them in an entry."""

LINE = re.compile(
    rf"^\[(?P<time>[^\]\n]+)\] (?P<who>.+?) \((?P<role>{'|'.join(ACTORS)})\): (?P<text>.*)$",
    re.MULTILINE,
)
"""A line of a transcript: `[2022-03-01T09:31:12] Ann Lee (Agent): How can I help?`."""

USER_TYPE = "MessagingEndUser"
SESSION_TYPE = "MessagingSession"
ENTRY_TYPE = "ConversationEntry"
PREFIXES: Mapping[str, str] = {USER_TYPE: "0PA", SESSION_TYPE: "0Mw", ENTRY_TYPE: "0ef"}
"""The object types in load order, each with the beginning of its ids."""

MESSAGE_TYPE = "EmbeddedMessaging"
"""The kind of channel: a chat window in a web page or an app."""

USER = {
    "Name": TEXT,
    "AccountId": "Account",
    "ContactId": "Contact",
    "MessageType": {**TEXT, "enum": [MESSAGE_TYPE]},
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

FIELDS: Mapping[str, Mapping[str, object]] = {
    USER_TYPE: USER,
    SESSION_TYPE: SESSION,
    ENTRY_TYPE: ENTRY,
}


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript; `case`, `account`, `contact` and `owner` name its records, by ids or otherwise.

    `visitor` is who chats, by name. `start` and `end` are moments as the org writes them.
    """

    key: str
    case: object
    account: object
    contact: object
    owner: object
    visitor: str
    start: str
    end: object
    body: str


MessagingRow = dict[str, object]
"""A record by its fields, `Id` among them."""


def with_messaging(schema: Schema) -> Schema:
    """The schema with messaging in place of chats; raises BadInput where it has no chats."""
    if not schema.has(TRANSCRIPT) or not all(map(schema.object(TRANSCRIPT).has, NEEDED)):
        raise BadInput(
            f"--chats messaging: the schema {schema.name} has no {TRANSCRIPT} with"
            f" {', '.join(NEEDED)}; leave the option out"
        )
    made = (
        _object(USER_TYPE, "Who writes in a messaging channel.", USER),
        _object(SESSION_TYPE, "A conversation in a messaging channel.", SESSION),
        _object(ENTRY_TYPE, "A message of a messaging session.", ENTRY),
    )
    objects: list[ObjectType] = []
    for item in schema.objects:
        objects += made if item.name == TRANSCRIPT else [item]
    return replace(schema, objects=tuple(objects))


def messaging_rows(
    chats: Sequence[Transcript], channel: str | None
) -> dict[str, list[MessagingRow]]:
    """The messaging users, sessions and entries that chats become, by object type.

    A contact is one user in all its chats; who is no contact is another in each. `channel` is the
    id of the org's messaging channel, as far as it is known.
    """
    users: dict[object, MessagingRow] = {}
    for chat in chats:
        users.setdefault(_visitor_key(chat), _user(chat))
    for key, user in zip(make_ids(PREFIXES[USER_TYPE], len(users)), users.values(), strict=True):
        user.update(Id=key, MessagingChannelId=channel)
    sessions: list[MessagingRow] = []
    entries: list[MessagingRow] = []
    session_ids = make_ids(PREFIXES[SESSION_TYPE], len(chats))
    for session, chat in zip(session_ids, chats, strict=True):
        begun = {"Id": session, "MessagingEndUserId": users[_visitor_key(chat)]["Id"]}
        sessions.append({**begun, "MessagingChannelId": channel, **_session(chat)})
        entries += _entries(session, chat)
    for key, entry in zip(make_ids(PREFIXES[ENTRY_TYPE], len(entries)), entries, strict=True):
        entry["Id"] = key
    return {USER_TYPE: list(users.values()), SESSION_TYPE: sessions, ENTRY_TYPE: entries}


def _visitor_key(chat: Transcript) -> object:
    return chat.contact or chat.key


def _user(chat: Transcript) -> MessagingRow:
    return {
        "Name": chat.visitor,
        "AccountId": chat.account,
        "ContactId": chat.contact,
        "MessageType": MESSAGE_TYPE,
        "MessagingPlatformKey": _visitor_key(chat),
    }


def _session(chat: Transcript) -> MessagingRow:
    return {
        "CaseId": chat.case,
        "EndUserAccountId": chat.account,
        "EndUserContactId": chat.contact,
        "OwnerId": chat.owner,
        "Status": "Ended",
        "Origin": "InboundInitiated",
        "AgentType": "Agent",
        "StartTime": chat.start,
        "EndTime": chat.end,
    }


def _entries(session: str, chat: Transcript) -> Iterator[MessagingRow]:
    """A transcript's lines; their moments end as that of its start does."""
    zone = chat.start[len("2022-03-01T09:31:12") :]
    for number, line in enumerate(LINE.finditer(chat.body), start=1):
        yield {
            "ConversationId": session,
            "MessageIdentifier": f"{session}-{number:04}",
            "ActorType": ACTORS[line["role"]],
            "ActorName": line["who"],
            "EntryType": "Text",
            "EntryTime": f"{line['time']}{zone}",
            "Message": line["text"],
        }


def _object(
    name: str,
    description: str,
    fields: Mapping[str, object],
) -> ObjectType:
    key = Field("Id", TEXT, IdSource(id=True), required=True, createable=False)
    return ObjectType(
        name=name,
        file=name,
        description=description,
        key_prefix=PREFIXES[name],
        count=Count(number=0),
        fields=(key, *(_field(field, form) for field, form in fields.items())),
    )


def _field(name: str, form: object) -> Field:
    if isinstance(form, str):
        return Field(name, TEXT, ReferenceSource(reference=form), required=False)
    assert isinstance(form, Mapping)
    return Field(name, form, ConstantSource(constant=None), required=False)
