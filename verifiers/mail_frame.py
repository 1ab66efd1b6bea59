"""What a mail system adds to a mail, told from what a person wrote into it.

A frame is everything around the body: the signature behind its delimiter, the line that a phone
adds, the mail that is quoted below a reply, and the token by which a desk finds the case. Texts
come in, texts go out; knows no cases and no people.
"""

import re

SIGNATURE = "-- "
"""The line that begins a signature (RFC 3676, section 4.3)."""

QUOTE = "> "
"""What stands before each line of a quoted mail."""

SIGNATURE_LINE = re.compile(r"^-- ?$", re.MULTILINE)
QUOTED_LINE = re.compile(r"^>", re.MULTILINE)
QUOTED_HEAD = re.compile(
    r"^On [A-Z].{8,120} wrote:$",
    re.MULTILINE,
)
FORWARDED_HEAD = re.compile(r"^-{3,} ?(?:Original Message|Forwarded message) ?-{3,}$", re.MULTILINE)
DEVICE_LINE = re.compile(r"^(?:Sent from my .{2,40}|Get Outlook for \w{2,12})$", re.MULTILINE)
DESK_LINE = re.compile(r"^(?:\[?ref:\S+ ?:ref\]?|#+- .{4,80} -#+)$", re.MULTILINE)
PICTURE_LINE = re.compile(
    r"^(?:\[(?:image|attachment): .{1,80}\]|<[^<>@]{1,80}\.(?:jpg|png)>)$", re.MULTILINE
)
TOKEN = re.compile(
    r"[\[(](?:case|ticket|ref|request)\b[ .:#_-]*\d+[^\])\n]{0,8}[\])]", re.IGNORECASE
)
CHANGED_SUBJECT = re.compile(
    r"^(?:RE|FW|Fwd|Fw|AW|Automatic reply|Out of office)\s*:", re.MULTILINE
)

FRAMES = (
    SIGNATURE_LINE,
    QUOTED_LINE,
    QUOTED_HEAD,
    FORWARDED_HEAD,
    DEVICE_LINE,
    DESK_LINE,
    PICTURE_LINE,
)
ADDED_LINES = (
    QUOTED_LINE,
    DEVICE_LINE,
    DESK_LINE,
    PICTURE_LINE,
)
ADDED_LINE = re.compile("|".join(line.pattern for line in ADDED_LINES), re.MULTILINE)
# What ends a body, and a sign without which it doesn't stand in a text.
BEHIND_BODY = (
    (SIGNATURE_LINE, "--"),
    (QUOTED_HEAD, " wrote:"),
    (FORWARDED_HEAD, "---"),
)


def own_part(text: str) -> str:
    """What somebody wrote into a mail, without its frame.

    >>> own_part("Thanks!\\n\\nSent from my iPhone\\n\\nOn Tue, Mar 2, 2021, Ann wrote:\\n> Hello.")
    'Thanks!'
    """
    end = len(text)
    for pattern, sign in BEHIND_BODY:
        found = pattern.search(text) if sign in text else None
        if found:
            end = min(end, found.start())
    kept = []
    for line in text[:end].split("\n"):
        if not ADDED_LINE.match(line):
            kept.append(line)
    return "\n".join(kept).strip()


def has_frame(text: str) -> bool:
    """Whether a mail's text shows any trace of the system that carried it."""
    return any(pattern.search(text) for pattern in FRAMES)


def is_changed_subject(subject: str) -> bool:
    """Whether a subject was changed on its way: a token, another prefix than `Re:`."""
    return bool(TOKEN.search(subject) or CHANGED_SUBJECT.search(subject))
