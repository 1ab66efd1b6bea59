"""The conversations of an org: threads of mails and live chats, remark by remark.

Read from the org's file alone, so that an org that somebody edited is read as well. A remark
holds what a person wrote; what the mail system or the chat window added is told apart. Knows no
figures.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from heapq import nsmallest
from itertools import chain, groupby
from operator import itemgetter

from schemas.model import Schema
from verifiers.mail_frame import has_frame, is_changed_subject, own_part
from verifiers.transcript import CUSTOMER, SYSTEM, chat_lines

MAILS = """
    SELECT ParentId, MessageDate, Incoming, FromName, TextBody, Subject, FromAddress
    FROM EmailMessage
    ORDER BY ParentId, MessageDate, rowid
"""
CHATS = "SELECT CaseId, Body FROM LiveChatTranscript WHERE CaseId IS NOT NULL ORDER BY rowid"
PRODUCTS = """
    SELECT c.Id, p.Name, o.EffectiveDate
    FROM "Case" c
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    JOIN "Order" o ON o.Id = i.OrderId
    JOIN Product2 p ON p.Id = i.Product2Id
"""
CLOSED = 'SELECT Id FROM "Case" WHERE IsClosed'
STAFF = "SELECT Email FROM User"

MAIL_FIELDS = ("ParentId", "MessageDate", "Incoming", "FromName", "TextBody", "Subject")


@dataclass(frozen=True, slots=True)
class Remark:
    """A mail or a chat line as somebody wrote it: when, whether it was the customer, and what."""

    time: str
    by_customer: bool
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CaseTalk:
    """All that was said in one case, in time.

    `framed` tells whether the mail system left a trace in it. `product` and `bought` are the full
    name and the day of what it is about, empty and None where the case does not say.
    """

    case: str
    is_chat: bool
    said: tuple[Remark, ...]
    framed: bool
    closed: bool
    product: str = ""
    bought: date | None = None

    @property
    def opening(self) -> str:
        """What the customer said before anybody answered, in one text."""
        texts = []
        for remark in self.said:
            if not remark.by_customer:
                break
            texts.append(remark.text)
        return "\n".join(texts)


def case_talks(db: sqlite3.Connection, schema: Schema) -> Iterator[CaseTalk]:
    """Yields the conversations of an org, threads first; an org without any has none.

    Those of a large org take gigabytes, and whoever looks at them needs few at a time. Raises
    sqlite3.Error where the org lacks a column that its schema promises.
    """
    closed = _closed(db, schema)
    about = _about(db, schema)
    for case, is_chat, said, framed in chain(_threads(db, schema), _chats(db, schema)):
        product, bought = about.get(case, ("", None))
        yield CaseTalk(
            case=case,
            is_chat=is_chat,
            said=said,
            framed=framed,
            closed=case in closed,
            product=product,
            bought=bought,
        )


def sample_of(talks: Iterable[CaseTalk], size: int) -> list[CaseTalk]:
    """So many conversations in which both sides speak, chosen by the hash of the case's id.

    A hash has nothing to do with time, agents or issues, and the same org gives the same sample.
    """
    both = (talk for talk in talks if len({said.by_customer for said in talk.said}) == 2)
    return nsmallest(size, both, key=_place)


def _place(talk: CaseTalk) -> str:
    return hashlib.sha256(talk.case.encode()).hexdigest()


Spoken = tuple[str, bool, tuple[Remark, ...], bool]


def _threads(db: sqlite3.Connection, schema: Schema) -> Iterator[Spoken]:
    """Yields each thread: its case, that it is no chat, its mails, whether they are framed."""
    if not _has(schema, "EmailMessage", *MAIL_FIELDS):
        return
    staff = _staff(db, schema)
    for case, mails in groupby(db.execute(MAILS), key=itemgetter(0)):
        said = []
        framed = False
        for _, time, incoming, name, text, subject, sender in mails:
            framed |= has_frame(str(text)) or is_changed_subject(str(subject))
            if not incoming and staff and sender not in staff:
                # A mail that no person sent: an acknowledgement, a closing notice.
                framed = True
                continue
            said.append(Remark(str(time), bool(incoming), str(name), own_part(str(text))))
        if said:
            yield str(case), False, tuple(said), framed


def _chats(db: sqlite3.Connection, schema: Schema) -> Iterator[Spoken]:
    if not _has(schema, "LiveChatTranscript", "CaseId", "Body"):
        return
    for case, body in db.execute(CHATS):
        lines = chat_lines(str(body)) or []
        said = []
        for line in lines:
            if line.role != SYSTEM:
                said.append(Remark(line.time, line.role == CUSTOMER, line.name, line.text))
        yield str(case), True, tuple(said), False


def _about(db: sqlite3.Connection, schema: Schema) -> dict[str, tuple[str, date | None]]:
    """What each case is about: the product's full name, and the day on which it was bought."""
    wanted = {"OrderItem": ("OrderId", "Product2Id"), "Order": ("EffectiveDate",)}
    if not _has(schema, "Case", "OrderItemId__c") or not _has(schema, "Product2", "Name"):
        return {}
    if not all(_has(schema, name, *fields) for name, fields in wanted.items()):
        return {}
    about = {}
    # Equal ones are one object: a large org has a thousand cases for each product.
    known: dict[tuple[str, date | None], tuple[str, date | None]] = {}
    for case, product, day in db.execute(PRODUCTS):
        found = (str(product), _day(str(day)))
        about[str(case)] = known.setdefault(found, found)
    return about


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _closed(db: sqlite3.Connection, schema: Schema) -> frozenset[str]:
    if not _has(schema, "Case", "IsClosed"):
        return frozenset()
    return frozenset(str(case) for (case,) in db.execute(CLOSED))


def _staff(db: sqlite3.Connection, schema: Schema) -> frozenset[str]:
    """The addresses of people who may answer; none where the schema does not tell."""
    if not (_has(schema, "User", "Email") and _has(schema, "EmailMessage", "FromAddress")):
        return frozenset()
    return frozenset(str(address) for (address,) in db.execute(STAFF))


def _has(schema: Schema, name: str, *fields: str) -> bool:
    """Whether a schema has an object type with all of these fields."""
    return schema.has(name) and all(schema.object(name).has(field) for field in fields)
