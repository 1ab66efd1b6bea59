"""Does a text name the facts that it must name, and none that it must not?

Rules only: pure, quick, and blind to style.

Example: "I ordered the Brindle on 3/3/2021." passes where the order date March 3, 2021 is
demanded, since that is one of the date's forms.
"""

import re
from datetime import datetime

from verifiers.material import WrittenText
from verifiers.verdict import PASS, Verdict, fail

# What models leave where they had no fact, or say instead of writing.
PLACEHOLDERS = re.compile(
    r"""
      \{[a-z_.]+\}                                                  # {customer}
    | << | >>                                                       # <<date>>
    | \[(?:your\ |customer\ |agent\ |product\ |company\ )?name\]    # [your name]
    | lorem\ ipsum
    | as\ an\ ai\b
    | \btodo:
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Control signs, marks that turn the writing direction, and halves of characters.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
DAY_FACTS = ("days", "limit", "deny_limit")
PHRASE_FACTS = ("option", "wish")


def verify_content(written: WrittenText) -> Verdict:
    """Fails where a demanded fact is missing or an avoided phrase stands.

    It fails, too, where a placeholder was left or a character is none that can be stored.
    """
    text, path = written.text, written.path
    folded = " ".join(text.split()).casefold()
    for demand in written.demands:
        if not any(form.casefold() in folded for form in demand.forms):
            return fail(f"content: does not name {demand.fact} ({demand.forms[0]})", path)
    for phrase in written.avoid:
        if phrase.casefold() in folded:
            return fail(f"content: names {phrase!r}, which is not among its facts", path)
    if UNPRINTABLE.search(text):
        return fail("content: holds a character that can't be stored", path)
    placeholder = PLACEHOLDERS.search(text)
    if placeholder:
        return fail(f"content: holds a placeholder {placeholder.group(0)!r}", path)
    return PASS


def verify_names(written: WrittenText) -> Verdict:
    """Fails where a text names somebody or something on the roster that is none of its facts."""
    if not written.roster:
        return PASS
    for name in written.roster.named_in(written.text):
        if not any(name in fact for fact in written.own):
            return fail(f"content: names {name}, who or which is not among its facts", written.path)
    return PASS


def forms_of(fact: str, value: str) -> tuple[str, ...]:
    """The ways in which a fact may stand in a text.

    Dates have five forms, numbers of days stand beside a word that says so, and the phrases of
    options stand without their article.
    """
    if fact.endswith("date"):
        return date_forms(value)
    if fact in DAY_FACTS:
        return (f"{value} day", f"{value}-day", f"{value} of", f" {value} ", f"{value}.")
    if fact in PHRASE_FACTS:
        return (without_article(value),)
    return (value,)


def date_forms(long: str) -> tuple[str, ...]:
    """`March 3, 2021` also as `Mar 3, 2021`, `3/3/2021`, `2021-03-03` and `3 March 2021`."""
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
