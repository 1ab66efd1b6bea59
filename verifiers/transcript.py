"""Live chats line by line: form, speakers, times, and that only the owner of the moment answers for
the company.

A line is `[2022-03-01T09:31:12] Full Name (Customer|Agent): text`. Pure: texts and facts in,
reasons out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

LINE = re.compile(r"^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\] (.+?) \((Customer|Agent)\): (\S.*)$")
LEAST, MOST = 8, 12


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """What the records say of a chat: who asks, who owned the case from when on (rising), start and
    end (`…T09:31:12`).
    """

    customer: str
    owners: Sequence[tuple[str, str]]
    created: str
    end: str


def verify_transcript(body: str, facts: ChatFacts) -> str:
    """The first fault of a chat, or an empty text."""
    lines = [LINE.match(line) for line in body.split("\n")]
    if not all(lines):
        return "a line is not of the form `[time] Name (Customer|Agent): text`"
    if not LEAST <= len(lines) <= MOST:
        return f"has {len(lines)} turns, not {LEAST} to {MOST}"
    turns = [line.groups() for line in lines if line]
    times = [turn[0] for turn in turns]
    if turns[0][2] != "Customer":
        return "the agent speaks first"
    if (
        any(later <= earlier for earlier, later in zip(times, times[1:], strict=False))
        or times[0] <= facts.created
    ):
        return "times do not rise from the case's creation"
    if times[-1] != facts.end:
        return "the last line is not at EndTime"
    return next((fault for turn in turns if (fault := _wrong_speaker(turn, facts))), "")


def _wrong_speaker(turn: Sequence[str], facts: ChatFacts) -> str:
    time, name, role, _ = turn
    if role == "Customer":
        return (
            "" if name == facts.customer else f"{name} speaks as customer, who is {facts.customer}"
        )
    owner = next((who for since, who in reversed(facts.owners) if since <= time), "")
    return (
        ""
        if name == owner
        else f"{name} answers at {time}, when {owner or 'nobody'} owned the case"
    )
