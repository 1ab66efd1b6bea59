"""A thread's mails with what the mail system puts around them.

    Thanks, that helps.

    Rosa

    Sent from my iPhone

    > On Mar 3, 2021, at 9:12 AM, Kim Lee <kim.lee@corvid.example> wrote:
    >
    > Hello Rosa, ...

Takes facts and finished bodies; words nothing, draws nothing, and gives the same for the same.
`verifiers.mail_frame` takes off again what is put on here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from verifiers.mail_frame import QUOTE, SIGNATURE
from verifiers.material import Facts

SLOT = re.compile(r"\{(\w+)\}")
WEEKDAYS = (
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sun",
)
PICTURES = {
    "apple": "<{}>",
    "gmail": "[image: {}]",
}
"""How programs mark the place of a picture."""
ATTACHMENT = "[attachment: {}]"
"""How the desk's mail system lists every other file of a mail."""


@dataclass(frozen=True, slots=True)
class QuotedMail:
    """A mail as it stands below another one: who wrote it to whom, when by the reader's clock."""

    sender: str
    address: str
    to: str
    subject: str
    time: datetime
    text: str


def framed_mails(frames: Sequence[Facts], bodies: Sequence[str]) -> list[str]:
    """The mails of a thread in order, each with its frame.

    `frames` are the facts of `x-frame`, one mapping a mail. Where there are none, a mail is its
    body.
    """
    above = [_with_foot(frame, body) for frame, body in zip(frames, bodies, strict=True)]
    mails = []
    for frame, text in zip(frames, above, strict=True):
        quoted = _quoted(frame, frames, above)
        if quoted is None:
            mails.append(text)
            continue
        program = str(frame["quotes"])
        below = _below(program, quoted)
        mails.append(f"{text}\n\n{below}")
    return mails


def filled(text: str, facts: Facts) -> str:
    """A text of the trade with facts in the place of its slots.

    >>> filled("Case {case_number}", {"case_number": "00001042"})
    'Case 00001042'
    """
    return SLOT.sub(lambda found: str(facts.get(found.group(1)) or ""), text)


def _with_foot(frame: Facts, body: str) -> str:
    """A body, the files within it, and what stands below the name of whoever wrote it."""
    signature = _text(frame, "signature")
    disclaimer = _text(frame, "disclaimer")
    foot = _paragraphs(signature, _text(frame, "reference"), disclaimer)
    if foot:
        foot = f"{SIGNATURE}\n{foot}"
    files = _file_marks(frame)
    device = _text(frame, "device_line")
    return _paragraphs(body, files, device, foot)


def _text(frame: Facts, name: str) -> str:
    """A text of the frame with its slots filled; nothing where the frame has none."""
    text = str(frame.get(name) or "")
    return filled(text, frame)


def _paragraphs(*texts: str) -> str:
    """The texts that hold something, with an empty line between each two."""
    return "\n\n".join(filter(None, texts))


def _file_marks(frame: Facts) -> str:
    """The files of a mail, a line each: pictures as the program marks them in plain text."""
    form = PICTURES.get(str(frame.get("quotes")), ATTACHMENT)
    listed = str(frame.get("files") or "")
    marks = []
    for name in listed.splitlines():
        is_picture = name.endswith((".jpg", ".png"))
        marks.append((form if is_picture else ATTACHMENT).format(name))
    return "\n".join(marks)


def _quoted(frame: Facts, frames: Sequence[Facts], above: Sequence[str]) -> QuotedMail | None:
    """What a mail quotes: a notice of the system, an earlier mail, or nothing."""
    if not frame.get("quotes"):
        return None
    time = datetime.fromisoformat(str(frame["quoted_at"]))
    lines = int(str(frame.get("lines") or 0))
    notice = _text(frame, "notice")
    if notice:
        return QuotedMail(
            sender=f"{frame['company']} {frame['team']}",
            # The first mail of a thread goes to the desk's own address.
            address=str(frames[0]["to"]),
            to=str(frame["address"]),
            subject=str(frame["subject"]),
            time=time,
            text=notice,
        )
    place = int(str(frame.get("quoted", -1)))
    if place < 0:
        return None
    other = frames[place]
    return QuotedMail(
        sender=str(other["sender"]),
        address=str(other["address"]),
        to=str(other["to"]),
        subject=str(other["subject"]),
        time=time,
        text=_cut(above[place], lines),
    )


def _below(program: str, mail: QuotedMail) -> str:
    """A quoted mail as a program puts it below an answer."""
    clock = f"{mail.time:%I:%M %p}".lstrip("0")
    day = f"{mail.time:%b} {mail.time.day}, {mail.time.year}"
    if program in ("outlook", "desk"):
        return _original(program, mail, clock)
    if program == "apple":
        head = f"On {day}, at {clock}, {mail.sender} <{mail.address}> wrote:"
    else:
        weekday = WEEKDAYS[mail.time.weekday()]
        head = f"On {weekday}, {day} at {clock} {mail.sender} <{mail.address}> wrote:"
    quoted = [head]
    for line in mail.text.split("\n"):
        marked = f"{QUOTE}{line}"
        quoted.append(marked.rstrip())
    return "\n".join(quoted)


def _cut(text: str, lines: int) -> str:
    """The first lines of a text with something in them; all of it where the number is 0."""
    kept: list[str] = []
    full = 0
    for line in text.split("\n"):
        if lines and full == lines:
            kept.append("[...]")
            break
        kept.append(line)
        full += bool(line)
    return "\n".join(kept)


def _original(program: str, mail: QuotedMail, clock: str) -> str:
    """A mail below its head in four lines, as Outlook and service desks put it."""
    if program == "outlook":
        rule = "-----Original Message-----"
        sent = f"{mail.time:%A, %B} {mail.time.day}, {mail.time.year} {clock}"
        sender = f"{mail.sender} <{mail.address}>"
    else:
        rule = "--------------- Original Message ---------------"
        # A month in letters is the same day in every country.
        sent = f"{mail.time:%b} {mail.time.day}, {mail.time.year}, {clock}"
        sender = f"{mail.sender} [{mail.address}]"
    head = [rule, f"From: {sender}", f"Sent: {sent}", f"To: {mail.to}"]
    return "\n".join([*head, f"Subject: {mail.subject}", "", mail.text])
