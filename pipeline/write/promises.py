"""What agents promise of their next mail, where it takes longer than a day.

An agent who has to ask says `You'll hear from me tomorrow`. The rules know nothing of the days that
follow; where the next answer comes later, or never, the promise is told without a day. Works on
texts and the names of acts.
"""

import re
from collections.abc import Mapping, Sequence

from verifiers.material import Facts

SLOW = "answered_late"
"""The fact that says that the next answer comes more than a day later."""

WAITED = "waited"
A_DAY = "a day"

PUTS_OFF = ("a.wait", "a.still", "a.step.", "a.transfer", "a.ack", "a.follows.")
"""How the acts begin by which an agent puts somebody off."""

WITHOUT_DAY: Mapping[re.Pattern[str], str] = {
    re.compile(r"\b(give|allow)( me|) (?:until tomorrow(?: or so)?|a day(?: or (?:two|so))?)\b"): (
        r"\1\2 some time"
    ),
    re.compile(r"\b(takes|take|need|needs) (?:me |them |)(?:a day(?: or (?:two|so))?)\b"): (
        r"\1 some time"
    ),
    re.compile(r"\b(?:by|until|first thing) tomorrow\b|\b(?:with)?in a day(?: or (?:two|so))?\b"): (
        "soon"
    ),
    re.compile(r"\btomorrow(?: morning| at the latest|)\b"): "soon",
    re.compile(r"\bTomorrow\b"): "Soon",
    re.compile(r"\bthe same day\b"): "then",
}
"""What names a day in a promise, and what stands in its place."""


def is_answered_late(parts: Sequence[Facts], place: int) -> bool:
    """Whether the next mail of an agent comes more than a day after that one, or never.

    >>> is_answered_late([{"speaker": "Agent"}, {"speaker": "Agent", "waited": "a day"}], 0)
    False
    """
    speaker = parts[place].get("speaker")
    days = 0
    for part in parts[place + 1 :]:
        waited = part.get(WAITED)
        days += 0 if not waited else 1 if waited == A_DAY else 2
        if part.get("speaker") == speaker:
            return days > 1
    return True


def without_day(beat: str, text: str) -> str:
    """A promise that names no day.

    >>> without_day("a.wait", "Please give me until tomorrow.")
    'Please give me some time.'
    """
    if not beat.startswith(PUTS_OFF) and not beat.endswith(".wait"):
        return text
    for day, said in WITHOUT_DAY.items():
        text = day.sub(said, text)
    return text
