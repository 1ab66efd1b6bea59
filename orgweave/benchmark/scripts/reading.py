"""What an article and a conversation say, read by rules: remedies with their day limits, figures,
who said what.

Pure. Example: `remedies("Full Refund is open for 30 days.") == {"Full Refund": 30}`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache

from orgweave.benchmark.texts import CHAT_LINE, sentences
from verifiers.mail_frame import own_part

VERBS = "The|No|Offer|Grant|Give|Allow|Book|Choose|Use"
"""What stands in capitals before a name only because a sentence begins with it."""
NAME = re.compile(
    rf"\b(?!(?:{VERBS}) )[A-Z][a-z]+(?:-[A-Za-z]+)?"
    r"(?: (?:(?:of|the|for|and|at) )?[A-Z][a-z]+(?:-[A-Za-z]+)?)+\b"
)
"""A name of at least two words in capitals: `Full Refund`, `Cover under the Warranty`."""
ONE_WORD = re.compile(
    r'"(?P<quoted>[A-Z][a-z]{3,})"'
    r"|^(?P<first>[A-Z][a-z]{3,})(?=: )"
    r"|[:,] (?P<later>[A-Z][a-z]{3,})(?= (?:is|applies|can|may|ends|runs)\b)"
)
"""A name of one word, as far as its place tells it from a word in capitals: `Reinstatement: up to
75 days`, `the option "Reinstatement"`, `after 75 days, Reinstatement is closed`.
"""
DAYS = re.compile(r"(?<![\d.])(\d+)(?: |-)(?:calendar )?days?\b")
UNIT = (
    r"(?: (?:business|working|calendar|full|consecutive|banking|failed|wrong))?(?:"
    r" |-)(?:days?|weeks?|months?|years?|hours?|minutes?|percent|points?|dollars?|euros?|pounds?"
    r"|yen|attempts?|times?)"
)
FIGURE = re.compile(
    rf"[$€£¥]\d+(?:,\d{{3}})*(?:\.\d\d)?|(?<![\d.$€£¥])\d+(?:,\d{{3}})*(?:\.\d+)?(?:%|{UNIT}\b)?"
)
WORD = re.compile(r"[a-z]{2,}|[0-9]+")
COMMON = frozenset(
    WORD.findall(
        "a an the of for in on to is are was my i did do does how what which when who it and or by"
        " with at as from that this under be can"
    )
)
MEANT = 0.5
"""The share of a name's words that a sentence must use to mean it."""


@lru_cache(maxsize=4096)  # articles are held against sentence after sentence
def words(text: str) -> frozenset[str]:
    """The words of a text in small letters, without the commonest and without a plural's s."""
    found = WORD.findall(text.lower())
    return frozenset(word.removesuffix("s") for word in found if word not in COMMON)


def remedies(article: str) -> dict[str, int]:
    """The remedies that an article lists, each with its limit in days, in the order of the text.

    A remedy is a name in capitals with a number of days beside it: in its own sentence, else in the
    next one. One of a single word has them in its own sentence, and is beside others of more words.
    """
    listed = sentences(article)
    found: dict[str, int] = {}
    for place, sentence in enumerate(listed):
        named = list(dict.fromkeys(NAME.findall(sentence)))
        limits = _limits(sentence) or _following_limit(listed, place)
        if len(limits) < len(named):
            # One limit for all of them; where there are several, they go round.
            limits = limits * len(named)
        for name, limit in zip(named, limits, strict=False):
            found.setdefault(name, limit)
    return found | _of_one_word(listed) if found else found


def _of_one_word(listed: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for sentence in listed:
        limits = _limits(sentence)
        match = ONE_WORD.search(sentence)
        if match and len(limits) == 1 and not NAME.search(sentence):
            found.setdefault(match["quoted"] or match["first"] or match["later"], limits[0])
    return found


def meant(sentence: str, names: Iterable[str]) -> str | None:
    """The name that a sentence uses most words of, if at least half: `cover under the extended
    warranty` means Extended Warranty Cover.

    Of names alike in that the longest is meant; None where no name is used.
    """
    there = words(sentence)
    shares = {}
    for name in names:
        own = words(name)
        shares[name] = len(own & there) / len(own)
    best = max(
        shares,
        key=lambda name: (shares[name], len(name)),
        default=None,
    )
    if best is None or shares[best] < MEANT:
        return None
    return best


def figures(sentence: str) -> list[str]:
    """A sentence's numbers with their units: `10 business days`, `$75`, `30 percent`."""
    return [match.group().replace("-", " ") for match in FIGURE.finditer(sentence)]


def agents_words(
    mails: Sequence[Mapping[str, object]], chats: Sequence[Mapping[str, object]]
) -> str:
    """All that agents wrote in a case's mails and chats, a paragraph a message.

    What they quote below, and the block below their names, is left out.
    """
    messages = [own_part(str(mail["TextBody"])) for mail in mails if not mail["Incoming"]]
    for chat in chats:
        for line in CHAT_LINE.finditer(str(chat["Body"])):
            if line["role"] == "Agent":
                messages.append(line["text"])
    return "\n".join(messages)


def days_between(day: str, moment: str) -> int:
    """Whole days from a date to the date of a moment: `days_between("2022-03-01",
    "2022-03-31T09:30:00.000+0000") == 30`.
    """
    until = date.fromisoformat(moment[: len(day)])
    return (until - date.fromisoformat(day)).days


def _limits(sentence: str) -> list[int]:
    return [int(limit) for limit in DAYS.findall(sentence)]


def _following_limit(listed: Sequence[str], place: int) -> list[int]:
    """The limit in the next sentence, unless that one names a remedy itself."""
    following = listed[place + 1] if place + 1 < len(listed) else ""
    if NAME.search(following):
        return []
    return _limits(following)[:1]
