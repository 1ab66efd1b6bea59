"""A chat's turns as one text, a line a turn, as the chat window keeps it.

    [2022-03-01T09:31:12] Rosa Lindgren (Customer): The hele is loose.
    [2022-03-01T09:31:16] Rosa Lindgren (Customer): *heel

Takes facts and finished texts; words nothing and draws nothing.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from verifiers.material import Facts, Unit
from verifiers.transcript import CUSTOMER, ChatLine

# A word that mends the line before takes a moment to be seen, and its letters' time to be typed.
SECONDS_TO_SEE, SECONDS_A_LETTER = 2, 0.25


def transcript(unit: Unit, texts: Sequence[str]) -> str:
    """A chat as one text.

    What stands below the first line of a turn is a line of its own a few seconds later, if that is
    before the next turn; else it is left out, for nobody saw it.
    """
    following = [str(part["at"]) for part in unit.parts[1:]]
    # The chat ends with its last turn: nothing comes behind it.
    ends = [*following, str(unit.parts[-1]["at"])] if unit.parts else []
    lines: list[str] = []
    for part, text, end in zip(unit.parts, texts, ends, strict=True):
        lines += [str(line) for line in _lines(unit, part, text, end)]
    return "\n".join(lines)


def _lines(unit: Unit, part: Facts, text: str, end: str) -> Iterator[ChatLine]:
    """Yields the lines of one turn: the first at its own time, all others before `end`."""
    role, time = str(part["speaker"]), str(part["at"])
    name = str(unit.facts["customer"] if role == CUSTOMER else part["agent"])
    first, *others = [line for line in text.split("\n") if line.strip()] or [""]
    if any(not line.startswith("*") for line in others):
        # Only a correction is a line of its own; any other break is one of the writer's making.
        first, others = text, []
    yield ChatLine(time, name, role, " ".join(first.split()))
    for line in others:
        time = _later(time, SECONDS_TO_SEE + len(line) * SECONDS_A_LETTER)
        if time >= end:
            return
        yield ChatLine(time, name, role, " ".join(line.split()))


def _later(time: str, seconds: float) -> str:
    return (datetime.fromisoformat(time) + timedelta(seconds=round(seconds))).isoformat()
