"""Texts read by rules: sentences, those that name a remedy, numbers, the lines of a chat.

Knows no files and no story.
"""

import re
from collections.abc import Sequence

from verifiers.ways import says_any
from verifiers.wording import plain, plain_phrase

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
CHAT_LINE = re.compile(
    r"^\[[^\]\n]+\] (?P<who>.+?) \((?P<role>Customer|Agent)\): (?P<text>.*)$", re.MULTILINE
)
"""A line of a chat's body: `[12:30] Ann Lee (Agent): How can I help?`."""


def sentences(text: str) -> list[str]:
    """A text's sentences; the end of a line ends a sentence too."""
    pieces = [piece.strip() for piece in SENTENCE_END.split(text)]
    return [piece for piece in pieces if piece]


def naming(text: str, forms: Sequence[str], ways: Sequence[str] = ()) -> list[str]:
    """The sentences in which one of the forms stands, in capitals or not, or that one way words.

    Amounts and shares count in any form: `$25` names a credit of 25 dollars.
    """
    found = []
    for sentence in sentences(text):
        said = plain(sentence)
        if any(plain_phrase(form) in said for form in forms) or says_any(ways, said):
            found.append(sentence)
    return found


def passage(
    text: str,
    forms: Sequence[str],
    number: float,
) -> str:
    """Where a text states a number of something that it names by one of the forms.

    This is the sentence that names it, together with the next one where only that one has the
    number; an empty text where there is no such place.
    """
    named = naming(text, forms)
    for sentence in named:
        if has_number(sentence, number):
            return sentence
    listed = sentences(text)
    for sentence in named:
        place = listed.index(sentence)
        following = listed[place + 1] if place + 1 < len(listed) else ""
        if has_number(following, number):
            start = text.index(sentence)
            end = text.index(following, start) + len(following)
            return text[start:end]
    return ""


def has_number(text: str, number: float) -> bool:
    """Whether the number stands in the text by itself, in digits."""
    digits = re.escape(f"{number:.15g}")
    return re.search(rf"(?<![\d.]){digits}(?!\d|\.\d)", text) is not None
