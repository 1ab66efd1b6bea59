"""Does a text name the facts it must name, and none that it must not?

Rules only: pure, quick, and blind to style.

Example: `verify_text("I ordered the Brindle on 3/3/2021.", [Demand("order_date", date_forms("March
3, 2021"))])` passes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from verifiers.verdict import PASS, Verdict, fail

PLACEHOLDERS = re.compile(
    r"\{[a-z_.]+\}|<<|>>|\[(?:your |customer |agent |product |company )?name\]|lorem ipsum|as an"
    r" ai\b|\btodo:",
    re.IGNORECASE,
)

MARKS, LONGEST_NAME = '.,;:!?()[]"', 5
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Demand:
    """A fact that a text must name, in any one of its forms."""

    fact: str
    forms: tuple[str, ...]


def verify_text(
    text: str, demands: Sequence[Demand], avoid: Iterable[str] = (), path: str = ""
) -> Verdict:
    """Fails where a demanded fact is missing, an avoided phrase stands, a placeholder was left, or
    a character is no text at all.
    """
    folded = " ".join(text.split()).casefold()
    for demand in demands:
        if not any(form.casefold() in folded for form in demand.forms):
            return fail(f"content: does not name {demand.fact} ({demand.forms[0]})", path)
    for phrase in avoid:
        if phrase.casefold() in folded:
            return fail(f"content: names {phrase!r}, which is not among its facts", path)
    if UNPRINTABLE.search(text):
        return fail("content: holds a character that can't be stored", path)
    if found := PLACEHOLDERS.search(text):
        return fail(f"content: holds a placeholder {found.group(0)!r}", path)
    return PASS


@dataclass(frozen=True, slots=True)
class Roster:
    """Names of two to five words, by their first word: a text is looked through once, however many
    names there are.
    """

    by_first: Mapping[str, frozenset[str]]

    def __bool__(self) -> bool:
        return bool(self.by_first)

    def named_in(self, text: str) -> Iterator[str]:
        """The names on the roster that stand in a text, word by word, marks around words aside."""
        words = [word.strip(MARKS) for word in text.split()]
        for at, word in enumerate(words):
            if names := self.by_first.get(word):
                yield from (
                    name
                    for length in range(2, LONGEST_NAME + 1)
                    if (name := " ".join(words[at : at + length])) in names
                )


def roster_of(names: Iterable[str]) -> Roster:
    """The roster of these names; those of one word, or of more than five, are left out."""
    by_first: dict[str, set[str]] = {}
    for name in names:
        if 2 <= len(words := name.split()) <= LONGEST_NAME:
            by_first.setdefault(words[0], set()).add(name)
    return Roster({first: frozenset(found) for first, found in by_first.items()})


def verify_names(text: str, roster: Roster, own: Sequence[str], path: str = "") -> Verdict:
    """Fails where a text names somebody or something on the roster that is not within its own
    facts.
    """
    for name in roster.named_in(text):
        if not any(name in fact for fact in own):
            return fail(f"content: names {name}, who or which is not among its facts", path)
    return PASS


def forms_of(fact: str, value: str) -> tuple[str, ...]:
    """The ways in which a fact may stand in a text: dates in four forms, numbers of days, option
    phrases without their article.
    """
    if fact.endswith("date"):
        return date_forms(value)
    if fact in ("days", "limit", "deny_limit"):
        return (f"{value} day", f"{value}-day", f"{value} of", f" {value} ", f"{value}.")
    if fact in ("option", "wish"):
        return (without_article(value),)
    return (value,)


def date_forms(long: str) -> tuple[str, ...]:
    """`March 3, 2021` also as `Mar 3, 2021`, `3/3/2021`, `2021-03-03`."""
    try:
        day = datetime.strptime(long, "%B %d, %Y")
    except ValueError:
        return (long,)
    return (
        long,
        f"{day:%b} {day.day}, {day.year}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day:%Y-%m-%d}",
        f"{day.day} {day:%B %Y}",
    )


def without_article(phrase: str) -> str:
    """`a full refund` -> `full refund`."""
    return re.sub(r"^(?:an?|the)\s+", "", phrase)
