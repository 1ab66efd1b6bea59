"""The tables of messaging sessions, in memory beside those of the opened org, so that every format
writes them as any other. Knows no format.
"""

import sqlite3
from collections.abc import Mapping, Sequence

from orgweave.crm.messaging import FIELDS, MessagingRow, Transcript, messaging_rows

CHANNEL = "MESSAGING_CHANNEL_ID"
"""Stands for the org's channel, which its administrator sets up and whose id nobody else knows."""

NOTE = (
    f"to be set: {CHANNEL} in the files stands for the id of the org's messaging channel; SELECT Id"
    " FROM MessagingChannel tells it"
)


def add_tables(db: sqlite3.Connection) -> None:
    """Makes the tables of messaging users, sessions and entries beside those of the org."""
    found = db.execute(
        """
        SELECT t.Id, t.CaseId, t.AccountId, t.ContactId, t.OwnerId, coalesce(c.Name, 'Visitor'),
               t.StartTime, t.EndTime, t.Body
        FROM LiveChatTranscript t
        LEFT JOIN Contact c ON c.Id = t.ContactId
        WHERE t.CaseId IS NOT NULL
        ORDER BY t.rowid
        """
    )
    chats = [Transcript(*row) for row in found]
    for name, rows in messaging_rows(chats, CHANNEL).items():
        _table(db, name, FIELDS[name], rows)


def _table(
    db: sqlite3.Connection,
    name: str,
    fields: Mapping[str, object],
    rows: Sequence[MessagingRow],
) -> None:
    columns = ", ".join(f'"{field}" TEXT' for field in fields)
    db.execute(f'CREATE TEMP TABLE "{name}" ("Id" TEXT PRIMARY KEY, {columns})')
    values = ", ".join(f":{field}" for field in ("Id", *fields))
    db.executemany(f'INSERT INTO "{name}" VALUES ({values})', rows)
    db.commit()
