"""A chat's turns as one text, a line a turn, with what the chat window says between them.

    [2022-03-01T09:31:02] Tarn & Alder (System): Pre-chat form: Rosa Lindgren, rosa@example.com
    [2022-03-01T09:31:12] Rosa Lindgren (Customer): The hele is loose.
    [2022-03-01T09:31:16] Rosa Lindgren (Customer): *heel

Takes facts and finished texts; words nothing and draws nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zlib import crc32

from pipeline.write.mail import filled
from verifiers.material import Facts, Unit
from verifiers.transcript import CUSTOMER, SECONDS, SYSTEM, ChatLine

# A word that mends the line before takes a moment to be seen, and its letters' time to be typed.
SECONDS_TO_SEE = 2
SECONDS_A_LETTER = 0.25
# Who joins a chat greets by a text at hand or types it: after so many seconds at least and at most,
# and by a person's own speed between so many seconds a word. Chosen by eye.
SECONDS_BEFORE_GREETING = (4, 45)
SECONDS_A_WORD = (0.6, 2.8)
# A file is there so many seconds before the line that says so, or after the one that announces it.
# Chosen by eye: a photo from a phone.
SECONDS_TO_UPLOAD = (3, 18)
ANNOUNCED = re.compile(
    r"\b(?:uploading|sending|attaching|will send|i'll|let me|one sec|just a|moment|coming)\b",
    re.IGNORECASE,
)

WINDOW_FACTS = ("chat_form", "chat_window", "chat_order")
"""Facts of a chat: whether a form stands before it, the window's texts, and the number typed."""
TOLD_OF_CHAT = (("customer",), ("at", "speaker", "agent"))
"""The facts of a chat, and of each of its turns, that stand in its text."""
ADDRESS = "(address)"

NUMBERED = "order {order_number}"
"""How a form names the order where the trade has no word of its own for it."""


def transcript(unit: Unit, texts: Sequence[str], frame: Mapping[str, object] | None = None) -> str:
    """A chat as one text.

    What stands below the first line of a turn is a line of its own a few seconds later, if that is
    before the next turn; else it is left out, for nobody saw it. `frame` are the facts of
    `x-frame`, from which the window's own lines are made; there are none without it.
    """
    times = [str(part["at"]) for part in unit.parts]
    # The chat ends with its last turn: nothing comes behind it.
    ends = [*times[1:], *times[-1:]]
    lines: list[ChatLine] = []
    for part, text, end in zip(unit.parts, texts, ends, strict=True):
        lines += _lines(unit, part, text, end)
    if frame and lines:
        lines = _with_window(lines, frame)
    return "\n".join(map(str, lines))


def window_before(facts: Facts) -> list[str]:
    """What the window shows before anybody has said a word; nothing where that isn't known."""
    form, texts, number = (facts.get(name) for name in WINDOW_FACTS)
    if not texts:
        return []
    frame = {**facts, "form": form, "window": texts, "order_number": number, "email": ADDRESS}
    window = _ChatWindow(frame)
    lines = window.says("form", "")
    if facts.get("product"):
        lines += window.says("page", "")
    return [line.text for line in lines]


def _lines(unit: Unit, part: Facts, text: str, end: str) -> Iterator[ChatLine]:
    """Yields the lines of one turn: the first at its own time, all others before `end`."""
    role = str(part["speaker"])
    time = str(part["at"])
    name = unit.facts["customer"] if role == CUSTOMER else part["agent"]
    first, _, mended = text.partition("\n*")
    if "\n" in mended.strip():
        # Only a correction is a line of its own; any other break is one of the writer's making.
        first = text
        mended = ""
    yield ChatLine(time, str(name), role, _in_one_line(first))
    if not mended:
        return
    time = _moved(time, SECONDS_TO_SEE + len(mended) * SECONDS_A_LETTER)
    if time < end:
        yield ChatLine(time, str(name), role, _in_one_line(f"*{mended}"))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _with_window(lines: Sequence[ChatLine], frame: Mapping[str, object]) -> list[ChatLine]:
    """The lines of people with the window's own among them, all in time."""
    window = _ChatWindow(frame)
    requested = str(frame["requested"])[:SECONDS]
    shown = window.says("form", requested)
    if frame.get("product"):
        shown += window.says("page", requested)
    files = _files_by_moment(frame)
    present = ""
    agents = [line.name for line in lines if line.role != CUSTOMER]
    if frame.get("started") and agents:
        # Whoever takes the chat is there before anything is typed.
        present = agents[0]
        shown += window.says("joined", str(frame["started"])[:SECONDS], agent=present)
    for line, end in zip(lines, [*[line.time for line in lines[1:]], ""], strict=True):
        if line.role != CUSTOMER and line.name != present:
            before = shown[-1].time if shown else line.time
            joins = _moved(line.time, -_seconds_to_greet(line))
            occasion = "transferred" if present else "joined"
            shown += window.says(occasion, max(before, joins), agent=line.name)
            present = line.name
        shown.append(line)
        sent = files.get(line.time, []) if line.role == CUSTOMER else []
        if sent:
            before = shown[-2].time if len(shown) > 1 else line.time
            moment = _upload(line, before, end)
            place = len(shown) - (moment < line.time)
            uploads: list[ChatLine] = []
            for name in sent:
                uploads += window.says("sent", moment, file=name)
            shown[place:place] = uploads
    end = max(shown[-1].time, str(frame["ended"])[:SECONDS])
    ending = str(frame["ending"])
    shown += window.says(ending, end, agent=present)
    shown += window.says("survey", end)
    return shown


def _upload(line: ChatLine, before: str, end: str) -> str:
    """When the file is there of which a line speaks: before it, or after it where it's announced.

    It is no earlier than the line `before` and no later than the `end`, the next one's time.
    """
    fastest, slowest = SECONDS_TO_UPLOAD
    seconds = fastest + crc32(line.text.encode()) % (slowest - fastest + 1)
    if not ANNOUNCED.search(line.text):
        return max(before, _moved(line.time, -seconds))
    later = _moved(line.time, seconds)
    return min(later, end) if end else later


def _seconds_to_greet(line: ChatLine) -> float:
    """How long before this line of an agent they joined: the longer, the more words it has."""
    fastest, slowest = SECONDS_A_WORD
    share = crc32(line.name.encode()) % 100 / 100
    a_word = fastest + share * (slowest - fastest)
    least, most = SECONDS_BEFORE_GREETING
    return min(max(a_word * len(line.text.split()), least), most)


def _files_by_moment(frame: Mapping[str, object]) -> dict[str, list[str]]:
    """The names of the files that came at each moment of a chat."""
    files: dict[str, list[str]] = {}
    listed = str(frame.get("files") or "")
    for line in listed.splitlines():
        moment, _, name = line.partition(" ")
        files.setdefault(moment, []).append(name)
    return files


class _ChatWindow:
    """What a chat window says, by the trade's texts and the chat's facts."""

    def __init__(self, frame: Mapping[str, object]) -> None:
        self.company = str(frame["company"])
        self.texts: dict[str, str] = {}
        self.facts: dict[str, str] = {}
        listed = str(frame.get("window") or "")
        for line in listed.splitlines():
            occasion, _, text = line.partition("=")
            self.texts[occasion] = text
        for occasion in ("form", "survey"):
            if not frame.get(occasion):
                self.texts.pop(occasion, None)
        for name, value in frame.items():
            if value is not None:
                self.facts[name] = str(value)
        # Nobody types the zeros in front into a form.
        number = self.facts.get("order_number", "").lstrip("0")
        named = filled(self.texts.get("number", NUMBERED), {"order_number": number})
        self.facts["order"] = f", {named}" if number else ""

    def says(self, occasion: str, time: str, **facts: str) -> list[ChatLine]:
        """The window's line on an occasion; none where it keeps silent."""
        text = self.texts.get(occasion, "")
        if not text:
            return []
        known = {**self.facts, **facts}
        return [ChatLine(time, self.company, SYSTEM, filled(text, known))]


def _moved(time: str, seconds: float) -> str:
    moment = datetime.fromisoformat(time)
    later = moment + timedelta(seconds=round(seconds))
    return later.isoformat()
