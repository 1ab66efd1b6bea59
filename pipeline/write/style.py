"""The outer form of a text: white space, sentences, end marks, and how a person writes dates.

How somebody types is `pipeline.write.typing`'s. This module knows no facts.
"""

import random
import re
from dataclasses import dataclass
from functools import lru_cache

from schemas.language import WrittenLanguage
from verifiers.content import date_forms

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# Each begins with the sign that it is about: a search skips to those, most texts have none.
_SENTENCE_START = re.compile(r"([.!?\n](?:(?<=\n)|(?=\s))\s*)([a-z])")
_ARTICLE = re.compile(
    r"(a(?<![\w']a)|A(?:(?<![\s\S]A)|(?<=[.!?]\sA)))"
    r" (?=(?:8|11|18)\b|(?:8\d|18|11)-day|[aeio][a-z])"
)
_SPACES = re.compile(r"[ \t]+")
_BEFORE_MARK = re.compile(r" ([,.;:!?])(?![()D])")  # but not before a smiley: " :)"
_AROUND_LINE_END = re.compile(r" *\n *")
_ONE_DAY = re.compile(r"\b1 days\b")
_NO_ARTICLE = re.compile(r"\b([Nn]o) (?:an?|the) (?=[a-z])")
# What was named before is "them", which begins no sentence.
_THEM = re.compile(r"(^|[.!?\n]\s*)[Tt]hem (?=(?:were|are|have|had|came|went|got|look|do|did)\b)")
_DOUBLED_MARK = re.compile(r"([.!?])\1(?!\1)")

ABBREVIATIONS = ("a.m.", "p.m.", "e.g.", "i.e.", "vs.", "etc.", "no.", "approx.", "...")
ELLIPSIS = "…"
DOUBLED = ("..", "!!", "??", ELLIPSIS)
"""What of end marks is put in order."""
END_MARKS = tuple(".!?:,)\"'")
# Words that begin with the sound of "w" or "y": "a one-time gift", "a European size".
CONSONANT_SOUNDS = ("one", "once", "eu")
# Half of all people write a date out, a third with slashes; chosen by eye.
DATE_FORMS = (0, 0, 0, 1, 2, 2)
# How many leave the zeros of a number out, set a sign before it besides, or copy it with all of
# them. A number of fewer digits would be none that anybody can find. Chosen by eye.
NUMBER_FORMS = (0.7, 0.26, 0.04)
LEAST_DIGITS = 2


@dataclass(frozen=True, slots=True)
class Habit:
    """How a person writes: the form of dates (0 to 2)."""

    date_form: int = 0


@lru_cache(maxsize=4096)
def habit_of(person: str) -> Habit:
    """A person's habits, the same wherever they write."""
    rng = random.Random(f"habit|{person}")
    return Habit(date_form=rng.choice(DATE_FORMS))


def sentences(text: str) -> list[str]:
    """A text cut behind each end mark: `"No. Never!"` -> `["No.", "Never!"]`."""
    return _SENTENCE_END.split(text)


@lru_cache(maxsize=4096)  # nearly every act is tidy before it is put into a person's words
def tidy(text: str) -> str:
    """The text in good form.

    Words have one space between them and marks none before them, sentences begin with a capital,
    `1 days` becomes `1 day` and `a 18-day` becomes `an 18-day`.
    """
    if "  " in text or "\t" in text:
        text = _SPACES.sub(" ", text)
    text = _BEFORE_MARK.sub(r"\1", text)
    if "\n" in text:
        text = _AROUND_LINE_END.sub("\n", text)
    text = text.strip()
    if "1 days" in text:
        text = _ONE_DAY.sub("1 day", text)
    if "o a" in text or "o the" in text:
        # A phrase with an article of its own: "there's no {wish}".
        text = _NO_ARTICLE.sub(r"\1 ", text)
    if any(mark in text for mark in DOUBLED):
        text = _single_marks(text)
    if "hem " in text:
        text = _THEM.sub(r"\1They ", text)
    text = _ARTICLE.sub(_an, text)
    text = _SENTENCE_START.sub(_capital, text)
    first = text[:1]
    return first.upper() + text[1:] if first.isascii() else text


def _single_marks(text: str) -> str:
    """The text with one end mark where two of a kind stand, but with its ellipses."""
    # Three points are one sign for a moment: doubled end marks go, an ellipsis stays.
    text = text.replace("...", ELLIPSIS)
    text = _DOUBLED_MARK.sub(r"\1", text)
    return text.replace(ELLIPSIS, "...")


def ended(text: str) -> str:
    """The text with an end mark."""
    if not text or text.endswith(END_MARKS):
        return text
    return text + "."


def typed_number(number: str, person: str) -> str:
    """A number as this person types it: without the zeros in front mostly, or copied.

    >>> typed_number("00000417", "Rosa Lindgren")
    '417'
    """
    short = number.lstrip("0")
    if len(short) < LEAST_DIGITS:
        return number
    return (short, f"#{short}", number)[_number_form(person)]


@lru_cache(maxsize=4096)
def _number_form(person: str) -> int:
    """In which of three forms a person types numbers, the same in all their messages."""
    rng = random.Random(f"number|{person}")
    return rng.choices(range(len(NUMBER_FORMS)), NUMBER_FORMS)[0]


def written_date(long: str, habit: Habit, language: WrittenLanguage | None = None) -> str:
    """A date as this person writes dates."""
    forms = date_forms(long, language)
    last = len(forms) - 1
    return forms[min(habit.date_form, last)]


def _capital(found: re.Match[str]) -> str:
    """A capital at a sentence's start, but not after `a.m.` and its like."""
    until = found.start() + 1
    before = found.string[:until]
    if before.endswith(ABBREVIATIONS):
        return found.group(0)
    joint, letter = found.groups()
    return joint + letter.upper()


def _an(found: re.Match[str]) -> str:
    article = found.group(1)
    end = found.end()
    rest = found.string[end : end + 4].lower()
    if rest.startswith(CONSONANT_SOUNDS):
        return f"{article} "
    return f"{article}n "
