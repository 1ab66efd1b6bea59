"""A chat's turns as one text, a line a turn, with what the chat window says between them.

    [2022-03-01T09:31:02] Tarn & Alder (System): Pre-chat form: Rosa Lindgren, rosa@example.com
    [2022-03-01T09:31:12] Rosa Lindgren (Customer): The hele is loose.
    [2022-03-01T09:31:16] Rosa Lindgren (Customer): *heel

Takes facts and finished texts; words nothing and draws nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from pipeline.write.mail import filled
from verifiers.material import Facts, Unit
from verifiers.transcript import CUSTOMER, SYSTEM, ChatLine

# A word that mends the line before takes a moment to be seen, and its letters' time to be typed.
SECONDS_TO_SEE, SECONDS_A_LETTER = 2, 0.25
# Who joins a chat reads a little before they write.
SECONDS_BEFORE_FIRST_WORD = 9


def transcript(unit: Unit, texts: Sequence[str], frame: Mapping[str, object] | None = None) -> str:
    """A chat as one text.

    What stands below the first line of a turn is a line of its own a few seconds later, if that is
    before the next turn; else it is left out, for nobody saw it. `frame` are the facts of
    `x-frame`, from which the window's own lines are made; there are none without it.
    """
    following = [str(part["at"]) for part in unit.parts[1:]]
    # The chat ends with its last turn: nothing comes behind it.
    ends = [*following, str(unit.parts[-1]["at"])] if unit.parts else []
    lines: list[ChatLine] = []
    for part, text, end in zip(unit.parts, texts, ends, strict=True):
        lines += _lines(unit, part, text, end)
    if frame and lines:
        lines = _with_window(lines, frame)
    return "\n".join(str(line) for line in lines)


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
        time = _moved(time, SECONDS_TO_SEE + len(line) * SECONDS_A_LETTER)
        if time >= end:
            return
        yield ChatLine(time, name, role, " ".join(line.split()))


def _with_window(lines: Sequence[ChatLine], frame: Mapping[str, object]) -> list[ChatLine]:
    """The lines of people with the window's own among them, all in time."""
    window = _ChatWindow(frame)
    shown = [*window.says("form", str(frame["requested"])[: len(lines[0].time)])]
    files = [line.split(" ", 1) for line in str(frame.get("files") or "").split("\n") if line]
    present = ""
    for line in lines:
        if line.role != CUSTOMER and line.name != present:
            before = shown[-1].time if shown else line.time
            time = max(before, _moved(line.time, -SECONDS_BEFORE_FIRST_WORD))
            occasion = "transferred" if present else "joined"
            shown += window.says(occasion, time, agent=line.name)
            present = line.name
        shown.append(line)
        for time, name in files:
            if time == line.time and line.role == CUSTOMER:
                shown += window.says("sent", time, file=name)
    end = shown[-1].time
    shown += window.says(str(frame["ending"]), end, agent=present)
    shown += window.says("survey", end)
    return shown


class _ChatWindow:
    """What a chat window says, by the trade's texts and the chat's facts."""

    def __init__(self, frame: Mapping[str, object]) -> None:
        self.company = str(frame["company"])
        self.texts = dict(_named(line) for line in str(frame.get("window") or "").split("\n"))
        for name in ("form", "survey"):
            if not frame.get(name):
                self.texts.pop(name, None)
        self.facts = {name: str(value) for name, value in frame.items() if value is not None}
        number = self.facts.get("order_number")
        self.facts["order"] = f", order {number}" if number else ""

    def says(self, occasion: str, time: str, **facts: str) -> list[ChatLine]:
        """The window's line on an occasion; none where it keeps silent."""
        text = filled(self.texts.get(occasion, ""), {**self.facts, **facts})
        return [ChatLine(time, self.company, SYSTEM, text)] if text else []


def _named(line: str) -> tuple[str, str]:
    name, _, text = line.partition("=")
    return name, text


def _moved(time: str, seconds: float) -> str:
    return (datetime.fromisoformat(time) + timedelta(seconds=round(seconds))).isoformat()
