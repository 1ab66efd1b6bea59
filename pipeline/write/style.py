"""The outer form of a text: white space, sentence starts, end marks, and a person's habits of
typing.

Habits follow from the person's name, so that one customer types alike in every mail and chat. Knows
no facts but the words to protect.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from verifiers.content import date_forms

_I = re.compile(r"\bi(?:'(?:m|ve|d|ll))?\b(?!\.)")
_SENTENCE_START = re.compile(r"(^|[.!?]\s+|\n\s*)([a-z])")
_ARTICLE = re.compile(
    r"((?<![\w'])a|(?:^|(?<=[.!?]\s))A) (?=(?:8|11|18)\b|(?:8\d|18|11)-day|[aeio][a-z])"
)

ABBREVIATIONS = ("a.m.", "p.m.", "e.g.", "i.e.", "vs.", "etc.", "no.", "approx.", "...")


@dataclass(frozen=True, slots=True)
class Habit:
    """How a person types: the form of dates (0-3), lower case in chats, loose commas, exclamation
    marks.
    """

    date_form: int = 0
    lower_case: bool = False
    no_final_period: bool = False
    eager: bool = False


def habit_of(person: str) -> Habit:
    """A person's habits, the same wherever they write."""
    rng = random.Random(f"habit|{person}")
    return Habit(
        rng.choice((0, 0, 0, 1, 2, 2)), rng.random() < 0.3, rng.random() < 0.4, rng.random() < 0.15
    )


def tidy(text: str) -> str:
    """One space between words, none before marks, a capital at each sentence start, `1 day` for `1
    days`, `an 18-day`.
    """
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r" +([,.;:!?])(?![()D])", r"\1", text)
    text = re.sub(r" *\n *", "\n", text).strip()
    text = re.sub(r"\b1 days\b", "1 day", text)
    text = re.sub(r"([.!?])\1(?!\1)", r"\1", text.replace("...", "…")).replace("…", "...")
    text = _ARTICLE.sub(_an, text)
    return _SENTENCE_START.sub(_capital, text)


def _capital(found: re.Match[str]) -> str:
    """A capital at a sentence's start, but not after `a.m.` and its like."""
    if found.string[: found.start() + 1].endswith(ABBREVIATIONS):
        return found.group(0)
    return found.group(1) + found.group(2).upper()


def _an(found: re.Match[str]) -> str:
    rest = found.string[found.end() : found.end() + 4].lower()
    return f"{found.group(1)} " if rest.startswith(("one", "once", "eu")) else f"{found.group(1)}n "


def ended(text: str) -> str:
    """The text with an end mark."""
    return text if not text or text[-1] in ".!?:,)\"'" else text + "."


def written_date(long: str, habit: Habit) -> str:
    """A date as this person writes dates."""
    forms = date_forms(long)
    return forms[min(habit.date_form, len(forms) - 1)]


def typed_in_chat(text: str, habit: Habit, protected: Iterable[str]) -> str:
    """A customer's chat line: some people use no capitals and drop the last period; names and
    products stay as they are.
    """
    if habit.no_final_period and text.endswith(".") and not text.endswith(".."):
        text = text[:-1]
    if not habit.lower_case:
        return _I.sub(lambda found: found.group(0).capitalize(), text)
    starts = [name for name in protected if name]
    text = re.sub(
        r"(^|[.!?]\s+)([A-Z])(?=[a-z' ])", lambda found: _lowered(found, text, starts), text
    )
    return re.sub(r"\bI\b(?=[' a-z])", "i", text)


def _lowered(found: re.Match[str], text: str, starts: list[str]) -> str:
    rest = text[found.start(2) :]
    if any(rest.startswith(name) for name in starts):
        return found.group(0)
    return found.group(1) + found.group(2).lower()
