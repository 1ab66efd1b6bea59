"""The outer form of a text: white space, sentences, end marks, and how a person writes dates.

How somebody types is `pipeline.write.typing`'s. This module knows no facts.
"""

import random
import re
from dataclasses import dataclass

from schemas.language import WrittenLanguage
from verifiers.content import date_forms

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SENTENCE_START = re.compile(r"(^|[.!?]\s+|\n\s*)([a-z])")
_ARTICLE = re.compile(
    r"((?<![\w'])a|(?:^|(?<=[.!?]\s))A) (?=(?:8|11|18)\b|(?:8\d|18|11)-day|[aeio][a-z])"
)

ABBREVIATIONS = ("a.m.", "p.m.", "e.g.", "i.e.", "vs.", "etc.", "no.", "approx.", "...")
END_MARKS = tuple(".!?:,)\"'")
# Words that begin with the sound of "w" or "y": "a one-time gift", "a European size".
CONSONANT_SOUNDS = ("one", "once", "eu")
# Half of all people write a date out, a third with slashes; chosen by eye.
DATE_FORMS = (0, 0, 0, 1, 2, 2)
# How many leave the zeros of a number out, set a sign before it besides, or copy it with all of
# them. A number of fewer digits would be none that anybody can find. Chosen by eye.
NUMBER_FORMS = (0.66, 0.22, 0.12)
LEAST_DIGITS = 2


@dataclass(frozen=True, slots=True)
class Habit:
    """How a person writes: the form of dates (0 to 2)."""

    date_form: int = 0


def habit_of(person: str) -> Habit:
    """A person's habits, the same wherever they write."""
    rng = random.Random(f"habit|{person}")
    return Habit(date_form=rng.choice(DATE_FORMS))


def sentences(text: str) -> list[str]:
    """A text cut behind each end mark: `"No. Never!"` -> `["No.", "Never!"]`."""
    return _SENTENCE_END.split(text)


def tidy(text: str) -> str:
    """The text in good form.

    Words have one space between them and marks none before them, sentences begin with a capital,
    `1 days` becomes `1 day` and `a 18-day` becomes `an 18-day`.
    """
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r" +([,.;:!?])(?![()D])", r"\1", text)  # but not before a smiley: " :)"
    text = re.sub(r" *\n *", "\n", text).strip()
    text = re.sub(r"\b1 days\b", "1 day", text)
    # A phrase with an article of its own: "there's no {wish}".
    text = re.sub(r"\b([Nn]o) (?:an?|the) (?=[a-z])", r"\1 ", text)
    # Three points are one sign for a moment: doubled end marks go, an ellipsis stays.
    text = text.replace("...", "…")
    text = re.sub(r"([.!?])\1(?!\1)", r"\1", text)
    text = text.replace("…", "...")
    text = _ARTICLE.sub(_an, text)
    return _SENTENCE_START.sub(_capital, text)


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
    rng = random.Random(f"number|{person}")
    return rng.choices([short, f"#{short}", number], NUMBER_FORMS)[0]


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
