"""What an article and a conversation say, read by rules: remedies with their day limits, figures,
sentences, who said what. Pure.

Example: `remedies("Full Refund is open for 30 days.") == {"Full Refund": 30}`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
NAME = re.compile(
    r"\b(?!The )[A-Z][a-z]+(?:-[A-Za-z]+)?(?: (?:(?:of|the|for|and|at)"
    r" )?[A-Z][a-z]+(?:-[A-Za-z]+)?)+\b"
)
DAYS = re.compile(r"(?<![\d.])(\d+)(?: |-)(?:calendar )?days?\b")
UNIT = (
    r"(?: (?:business|working|calendar|full|consecutive|banking))?(?:"
    r" |-)(?:days?|weeks?|months?|years?|hours?|minutes?|percent|points?|dollars?|attempts?|times?)"
)
FIGURE = re.compile(
    rf"\$\d+(?:,\d{{3}})*(?:\.\d\d)?|(?<![\d.$])\d+(?:,\d{{3}})*(?:\.\d+)?(?:%|{UNIT}\b)?"
)
LINE = re.compile(
    r"^\[[^\]]+\] (?P<who>.+?) \((?P<role>Customer|Agent)\): (?P<text>.*)$", re.MULTILINE
)
WORD = re.compile(r"[a-z]{2,}|[0-9]+")
COMMON = frozenset(
    WORD.findall(
        "a an the of for in on to is are was my i did do does how what which when who it and or by"
        " with at as from that this under be can"
    )
)


def sentences(text: str) -> list[str]:
    """Its sentences; a line's end is an end too."""
    return [piece.strip() for piece in SENTENCE.split(text) if piece.strip()]


def words(text: str) -> set[str]:
    """Its words in lower case, without the commonest and without a plural's s."""
    return {word.removesuffix("s") for word in WORD.findall(text.lower()) if word not in COMMON}


def remedies(article: str) -> dict[str, int]:
    """The remedies that an article lists, each with its limit in days, in the order of the text.

    A remedy is a name in capitals with a number of days beside it: in its own sentence, else in the
    next one.
    """
    listed = sentences(article)
    found: dict[str, int] = {}
    for at, sentence in enumerate(listed):
        named = list(dict.fromkeys(NAME.findall(sentence)))
        limits = [int(limit) for limit in DAYS.findall(sentence)] or _following(listed, at)
        for name, limit in zip(
            named, limits if len(limits) >= len(named) else limits * len(named), strict=False
        ):
            found.setdefault(name, limit)
    return found


def meant(sentence: str, names: Iterable[str]) -> str | None:
    """The name that a sentence uses most words of, if at least half: `cover under the extended
    warranty` means Extended Warranty Cover.

    Of names alike in that the longest is meant; None where no name is used.
    """
    there = words(sentence)
    shares = {name: len(words(name) & there) / len(words(name)) for name in names}
    best = max(shares, key=lambda name: (shares[name], len(name)), default=None)
    return best if best is not None and shares[best] >= 0.5 else None


def figures(sentence: str) -> list[str]:
    """Its numbers with their units: `10 business days`, `$75`, `30 percent`."""
    return [match.group().replace("-", " ") for match in FIGURE.finditer(sentence)]


def agents_words(
    mails: Sequence[Mapping[str, object]], chats: Sequence[Mapping[str, object]]
) -> str:
    """All that agents wrote in a case's mails and chats, a paragraph a message."""
    written = [str(mail["TextBody"]) for mail in mails if not mail["Incoming"]]
    spoken = [
        line["text"]
        for chat in chats
        for line in LINE.finditer(str(chat["Body"]))
        if line["role"] == "Agent"
    ]
    return "\n".join([*written, *spoken])


def _following(listed: Sequence[str], at: int) -> list[int]:
    """The limit in the next sentence, unless that one names a remedy itself."""
    following = listed[at + 1] if at + 1 < len(listed) else ""
    return [] if NAME.search(following) else [int(limit) for limit in DAYS.findall(following)][:1]


def days_between(day: str, moment: str) -> int:
    """Whole days from a date to the date of a moment: `days_between("2022-03-01",
    "2022-03-31T09:30:00.000+0000") == 30`.
    """
    return (date.fromisoformat(moment[: len(day)]) - date.fromisoformat(day)).days
