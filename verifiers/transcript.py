"""Live chats line by line: their form, speakers and times, and who may answer for the company.

A line is `[2022-03-01T09:31:12] Full Name (Customer|Agent|System): text`. Texts and facts come in,
verdicts go out.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from schemas.model import Schema
from verifiers.verdict import PASS, Finding, Verdict, fail, finding_of, untried

LINE = re.compile(
    r"^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\] (.+?) \((Customer|Agent|System)\): (\S.*)$"
)
CUSTOMER = "Customer"
SYSTEM = "System"
"""The role of what the chat window itself says: who joined, that the chat was ended."""

# The lines of people in the shortest and the longest chat: an answer to a question, and half an
# hour of asking and looking up.
LEAST = 3
MOST = 40
# What an agent may say before the customer has written: a greeting has so many words, and an
# answer has more.
GREETING = 24
# `2022-03-01T09:31:12`: a chat's lines tell no milliseconds and no zone.
SECONDS = 19

NAME = "chat_lines"
SAYS = (
    "A chat has 3 to 40 lines in time, the customer first or after a greeting alone, and only the"
    " owner of the moment answers."
)
OWNERS = """
    SELECT h.CaseId__c, substr(h.CreatedDate, 1, 19), u.Name
    FROM CaseHistory__c h
    JOIN User u ON u.Id = h.NewValue__c
    WHERE h.Field__c = 'Owner Assignment'
    ORDER BY h.CreatedDate, h.OldValue__c IS NOT NULL, h.rowid
"""
CHATS = """
    SELECT t.Id, t.Body, n.Name, c.CreatedDate, t.EndTime, c.Id
    FROM LiveChatTranscript t
    LEFT JOIN "Case" c ON c.Id = t.CaseId
    LEFT JOIN Contact n ON n.Id = t.ContactId
    WHERE t.CaseId IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of a chat: when, by whom, in which role (Customer, Agent or System), and what."""

    time: str
    name: str
    role: str
    text: str

    def __str__(self) -> str:
        """The line as it stands in a chat; the pattern LINE reads it again."""
        return f"[{self.time}] {self.name} ({self.role}): {self.text}"


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """What the records say of a chat: who asks, who owned the case since when, its times.

    `owners` are (since, name) in rising order; all times are written as `2022-03-01T09:31:12`.
    """

    customer: str
    owners: Sequence[tuple[str, str]]
    created: str
    end: str


def chat_lines(body: str) -> list[ChatLine] | None:
    """The lines of a chat; None where one of them is not of the form."""
    lines: list[ChatLine] = []
    for line in body.split("\n"):
        match = LINE.match(line)
        if match is None:
            return None
        lines.append(ChatLine(*match.groups()))
    return lines


def verify_transcript(body: str, facts: ChatFacts) -> Verdict:
    """Passes, or fails with the first fault of a chat."""
    lines = chat_lines(body)
    if lines is None:
        return fail("a line is not of the form `[time] Name (Customer|Agent|System): text`")
    said = [line for line in lines if line.role != SYSTEM]
    if not LEAST <= len(said) <= MOST:
        return fail(f"has {len(said)} lines of people, not {LEAST} to {MOST}")
    speaks = next((place for place, line in enumerate(said) if line.role == CUSTOMER), len(said))
    if speaks > 1 or (speaks and len(said[0].text.split()) > GREETING):
        return fail("the agent speaks first")
    times = [facts.created, *(line.time for line in said)]
    if any(later <= earlier for earlier, later in pairwise(times)):
        return fail("times do not rise from the case's creation")
    # What the window says may stand at the moment of what it tells of.
    times = [facts.created, *(line.time for line in lines)]
    if any(later < earlier for earlier, later in pairwise(times)):
        return fail("a line of the system is out of time")
    # The window ends a chat; where it keeps silent, people have done so by then.
    is_ended = lines[-1].role == SYSTEM
    if times[-1] > facts.end or (is_ended and times[-1] != facts.end):
        return fail("the last line is not at EndTime")
    for line in said:
        verdict = _verify_speaker(line, facts)
        if verdict.failed:
            return verdict
    return PASS


def verify_org_chats(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """A finding on every chat against its case; none for a schema without chats of cases."""
    if not (schema.has("LiveChatTranscript") and schema.has("CaseHistory__c")):
        return
    tried = 0
    failed = []
    try:
        owners = _owners(db)
        for chat, body, customer, created, end, case in db.execute(CHATS):
            tried += 1
            facts = ChatFacts(
                customer=str(customer),
                owners=owners.get(case, []),
                created=str(created)[:SECONDS],
                end=str(end)[:SECONDS],
            )
            verdict = verify_transcript(str(body), facts)
            if verdict.failed:
                failed.append(fail(verdict.reason, str(chat)))
    except sqlite3.Error as error:
        yield untried(NAME, SAYS, error)
        return
    yield finding_of(NAME, SAYS, tried, failed)


def _owners(db: sqlite3.Connection) -> dict[str, list[tuple[str, str]]]:
    """Case id -> (since, name) of its owners in the order in which they had the case."""
    owners: dict[str, list[tuple[str, str]]] = {}
    for case, since, name in db.execute(OWNERS):
        owners.setdefault(case, []).append((since, name))
    return owners


def _verify_speaker(line: ChatLine, facts: ChatFacts) -> Verdict:
    if line.role == CUSTOMER:
        if line.name == facts.customer:
            return PASS
        return fail(f"{line.name} speaks as customer, who is {facts.customer}")
    owner = ""
    for since, name in facts.owners:
        if since <= line.time:
            owner = name
    if line.name == owner:
        return PASS
    return fail(f"{line.name} answers at {line.time}, when {owner or 'nobody'} owned the case")
