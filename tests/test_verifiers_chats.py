"""Chats line by line: every fault that a verdict tells."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.model import Schema
from tests.likeness_toys import NOTE
from verifiers.transcript import (
    ChatFacts,
    ChatLine,
    chat_lines,
    verify_org_chats,
    verify_transcript,
)


def chat(*turns: tuple[str, str, str]) -> str:
    """A chat of (time, speaker with role, text)."""
    return "\n".join(f"[2022-03-01T09:{time}] {speaker}: {text}" for time, speaker, text in turns)


ROSA, DANA, LEE = "Rosa Lindgren (Customer)", "Dana Whitlock (Agent)", "Lee Ortiz (Agent)"


FACTS = ChatFacts(
    "Rosa Lindgren",
    [("2022-03-01T09:30:00", "Dana Whitlock"), ("2022-03-01T09:34:30", "Lee Ortiz")],
    "2022-03-01T09:30:00",
    "2022-03-01T09:38:00",
)


TURNS = tuple(
    (
        f"3{at}:00" if at else "30:30",
        ROSA if at % 2 == 0 else DANA if at < 4 else LEE,
        f"Line {at} of it.",
    )
    for at in range(9)
)


def changed(at: int, *, time: str = "", speaker: str = "", text: str = "") -> str:
    """The right chat with one turn changed."""
    was = TURNS[at]
    return chat(*TURNS[:at], (time or was[0], speaker or was[1], text or was[2]), *TURNS[at + 1 :])


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (chat(*TURNS), ""),
        (
            chat(*TURNS) + "\nbye",
            "a line is not of the form `[time] Name (Customer|Agent|System): text`",
        ),
        (
            changed(2, text=" "),
            "a line is not of the form `[time] Name (Customer|Agent|System): text`",
        ),
        ("", "a line is not of the form `[time] Name (Customer|Agent|System): text`"),
        (chat(*TURNS[:2]), "has 2 lines of people, not 3 to 40"),
        (chat(*TURNS, *TURNS, *TURNS, *TURNS, *TURNS), "has 45 lines of people, not 3 to 40"),
        (f"[2022-03-01T09:30:05] Chat (System): Started.\n{chat(*TURNS)}", ""),
        (f"{chat(*TURNS)}\n[2022-03-01T09:38:00] Chat (System): Ended.", ""),
        (
            f"[2022-03-01T09:31:05] Chat (System): Started.\n{chat(*TURNS)}",
            "a line of the system is out of time",
        ),
        (f"{changed(8, time='37:10')}\n[2022-03-01T09:38:00] Chat (System): Ended.", ""),
        (changed(0, speaker=DANA), "the agent speaks first"),
        (chat(("30:20", DANA, "Hi Rosa, how can I help?"), *TURNS), ""),
        (
            chat(("30:20", DANA, "Hi Rosa, your refund is set up. " * 4), *TURNS),
            "the agent speaks first",
        ),
        (changed(3, time="32:00"), "times do not rise from the case's creation"),
        (changed(0, time="30:00"), "times do not rise from the case's creation"),
        (changed(8, time="38:01"), "the last line is not at EndTime"),
        (changed(8, time="37:30"), ""),
        (
            f"{changed(8, time='37:10')}\n[2022-03-01T09:37:30] Chat (System): Ended.",
            "the last line is not at EndTime",
        ),
        (
            changed(2, speaker="Max Frost (Customer)"),
            "Max Frost speaks as customer, who is Rosa Lindgren",
        ),
        (
            changed(3, speaker=LEE),
            "Lee Ortiz answers at 2022-03-01T09:33:00, when Dana Whitlock owned the case",
        ),
        (
            changed(5, speaker=DANA),
            "Dana Whitlock answers at 2022-03-01T09:35:00, when Lee Ortiz owned the case",
        ),
    ],
)
def test_each_fault_of_a_chat_is_told(body: str, fault: str) -> None:
    """A right chat has no fault; each wrong one is told by its first."""
    verdict = verify_transcript(body, FACTS)
    assert (verdict.failed, verdict.reason) == (bool(fault), fault)


def test_nobody_may_answer_before_the_first_owner() -> None:
    """An agent's line before any assignment is a fault."""
    facts = ChatFacts("Rosa Lindgren", [], FACTS.created, FACTS.end)
    assert "when nobody owned the case" in verify_transcript(chat(*TURNS), facts).reason


def test_a_line_is_read_as_it_was_written() -> None:
    """The text of a line and its parts are two forms of one thing."""
    lines = chat_lines(chat(*TURNS))
    assert lines is not None and "\n".join(str(line) for line in lines) == chat(*TURNS)
    assert lines[0] == ChatLine("2022-03-01T09:30:30", "Rosa Lindgren", "Customer", "Line 0 of it.")
    assert chat_lines("[soon] Rosa Lindgren (Customer): Hi!") is None


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(), max_size=60))
def test_any_text_gets_a_verdict(text: str) -> None:
    """A chat of whatever text passes or fails, and never raises."""
    assert verify_transcript(text, FACTS).outcome in ("pass", "fail")


def talk_of(number: int) -> str:
    """A chat of so many lines, one a second, in which both sides speak in turn."""
    speakers = (ROSA, DANA)
    turns = [(f"31:{at:02d}", speakers[at % 2], f"Line {at} of it.") for at in range(number)]
    return chat(*turns)


@pytest.mark.parametrize(("number", "fails"), [(2, True), (3, False), (40, False), (41, True)])
def test_a_chat_has_three_to_forty_lines(number: int, fails: bool) -> None:
    """Both bounds are lengths that a chat may have."""
    assert verify_transcript(talk_of(number), FACTS).failed is fails


def test_who_takes_a_case_over_may_answer_in_that_moment() -> None:
    """The case is the new owner's from the second of the assignment on, and no longer another's."""
    taken = ("34:30", LEE, "I took this over.")
    assert not verify_transcript(chat(*TURNS[:4], taken, *TURNS[6:]), FACTS).failed
    left = ("34:30", DANA, "I am still here.")
    assert "when Lee Ortiz owned" in verify_transcript(chat(*TURNS[:4], left), FACTS).reason


ORG = (
    "CREATE TABLE User (Id, Name)",
    "INSERT INTO User VALUES ('u1', 'Dana Whitlock'), ('u2', 'Lee Ortiz')",
    "CREATE TABLE Contact (Id, Name)",
    "INSERT INTO Contact VALUES ('n1', 'Rosa Lindgren')",
    'CREATE TABLE "Case" (Id, CreatedDate)',
    "INSERT INTO \"Case\" VALUES ('c1', '2022-03-01T09:30:00.000+0000')",
    "CREATE TABLE CaseHistory__c (CaseId__c, CreatedDate, Field__c, OldValue__c, NewValue__c)",
    "INSERT INTO CaseHistory__c VALUES"
    " ('c1', '2022-03-01T09:30:00.000+0000', 'Owner Assignment', NULL, 'u1'),"
    " ('c1', '2022-03-01T09:34:30.000+0000', 'Owner Assignment', 'u1', 'u2')",
    "CREATE TABLE LiveChatTranscript (Id, CaseId, ContactId, EndTime, Body)",
)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("LiveChatTranscript", "CaseHistory__c"), [(2, 1)]),
        (("LiveChatTranscript",), []),
        (("CaseHistory__c",), []),
    ],
)
def test_chats_of_an_org_are_held_against_their_cases(
    names: tuple[str, ...], told: list[tuple[int, int]]
) -> None:
    """One of two chats is answered by who no longer owns the case; a schema without chats, or
    without owners to hold them against, has nothing to tell.
    """
    schema = Schema("toys", tuple(replace(NOTE, name=name) for name in names))
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in ORG:
            db.execute(statement)
        for body in (chat(*TURNS), changed(5, speaker=DANA)):
            row = ("t1", "c1", "n1", "2022-03-01T09:38:00.000+0000", body)
            db.execute("INSERT INTO LiveChatTranscript VALUES (?, ?, ?, ?, ?)", row)
        found = list(verify_org_chats(db, schema))
    assert [(finding.tried, finding.broken) for finding in found] == told
