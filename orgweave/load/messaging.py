"""Chats as messaging sessions: what is loaded in place of transcripts, and the channel that it goes
through.

Knows no transport: it is given the upload's records, and asks what it is given to ask.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orgweave.crm.messaging import (
    PREFIXES,
    SESSION_TYPE,
    USER_TYPE,
    MessagingRow,
    Transcript,
    messaging_rows,
)
from orgweave.crm.seam import Target
from pipeline.world.ids import reference_id
from schemas.errors import BadInput, Refused

CHANNEL_FIELD = "MessagingChannelId"
OF_CHANNELS = (USER_TYPE, SESSION_TYPE)
"""The object types whose records name their channel."""
UNNAMED = "Visitor"
"""Who chats without a contact."""


def filled_with_channel(name: str) -> frozenset[str]:
    """The fields of an object type that a loader fills with the channel's id."""
    return frozenset({CHANNEL_FIELD} if name in OF_CHANNELS else ())


@dataclass(frozen=True, slots=True)
class DerivedRecord:
    """A record that the upload's files don't hold: its key, and its values with `@refs`."""

    key: str
    values: Mapping[str, object]


def derived_records(
    chats: Mapping[str, Mapping[str, object]],
    contacts: Mapping[str, Mapping[str, object]],
    tag: str,
) -> dict[str, list[DerivedRecord]]:
    """The records that take the place of transcripts, by object type in load order.

    `chats` are the transcripts' values by key, `contacts` those of contacts by `@ref`. `tag` tells
    the org from others in the same CRM.
    """
    found = messaging_rows([_chat(key, values, contacts) for key, values in chats.items()], None)
    refs: dict[object, str] = {}
    for name in PREFIXES:
        for place, row in enumerate(found[name]):
            refs[row["Id"]] = f"@{reference_id(name, place)}"
    derived: dict[str, list[DerivedRecord]] = {}
    for name in PREFIXES:
        derived[name] = [_derived(row, refs, tag) for row in found[name]]
    return derived


def _chat(
    key: str,
    values: Mapping[str, object],
    contacts: Mapping[str, Mapping[str, object]],
) -> Transcript:
    contact = contacts.get(str(values.get("ContactId")), {})
    names = [str(contact[part]) for part in ("FirstName", "LastName") if contact.get(part)]
    return Transcript(
        key,
        values.get("CaseId"),
        values.get("AccountId"),
        values.get("ContactId"),
        values.get("OwnerId"),
        " ".join(names) or UNNAMED,
        str(values.get("StartTime") or ""),
        values.get("EndTime"),
        str(values.get("Body") or ""),
    )


def _derived(row: MessagingRow, refs: Mapping[object, str], tag: str) -> DerivedRecord:
    """A row with `@refs` for the ids of what is derived with it, and without empty values."""
    values: dict[str, object] = {}
    for name, value in row.items():
        if name != "Id" and value is not None:
            values[name] = refs.get(value, value)
    if "MessagingPlatformKey" in values:
        values["MessagingPlatformKey"] = f"{tag}.{_plain(refs[row['Id']])}"
    if "MessageIdentifier" in values:
        _, _, number = str(values["MessageIdentifier"]).rpartition("-")
        values["MessageIdentifier"] = f"{tag}.{_plain(refs[row['ConversationId']])}-{number}"
    return DerivedRecord(str(row["Id"]), values)


def _plain(ref: str) -> str:
    """A name that no two records share and that is no reference: the CRM gives it no meaning."""
    return ref.removeprefix("@")


def channel_of(target: Target, name: str) -> str:
    """The id of the CRM's messaging channel; raises BadInput where it isn't one and clear.

    `name` is its DeveloperName, and may be empty where there is only one.
    """
    query = "SELECT Id, DeveloperName FROM MessagingChannel ORDER BY DeveloperName"
    try:
        found = target.query(query)
    except Refused as error:
        if error.code != "INVALID_TYPE":
            raise
        found = []
    there = {str(row["DeveloperName"]): str(row["Id"]) for row in found}
    if name in there:
        return there[name]
    if len(there) == 1 and not name:
        return next(iter(there.values()))
    raise BadInput(_no_channel(name, sorted(there)))


def _no_channel(name: str, there: Sequence[str]) -> str:
    """Why no channel is found, and what to do."""
    if not there:
        return (
            "--chats messaging: the CRM has no messaging channel; set up Messaging for In-App and"
            " Web there, then run the same command again"
        )
    listed = ", ".join(there)
    if name:
        return f"--channel {name}: the CRM has no such messaging channel; it has {listed}"
    return f"--chats messaging: the CRM has several messaging channels; give --channel: {listed}"
