"""Does a text name the facts that it must name, and none that it must not?

Rules only: pure, quick, and blind to style.

Example: "I ordered the Brindle on 3/3/2021." passes where the order date March 3, 2021 is
demanded, since that is one of the date's forms.
"""

import re
from collections.abc import Iterable

from schemas.beats import VALUE
from schemas.country import DEFAULT_LOCALE, load_country
from schemas.incidents import tells_value
from schemas.language import WrittenLanguage
from verifiers.material import Demand, WrittenText
from verifiers.tongue import Tongue
from verifiers.verdict import PASS, Verdict, fail
from verifiers.ways import says_any
from verifiers.wording import (
    day_of,
    plain,
    plain_phrase,
    says_date,
    says_number,
    stands_in,
)

# What models leave where they had no fact, or say instead of writing. Braces and brackets may be
# part of a product ("prints {client} in place of the name"): only words for facts are placeholders.
PLACEHOLDERS = re.compile(
    r"""
      \{(?:\w+[._\ ])?(?:name|customer|agent|product|company|date|days|limit|option|wish|amount
        |order|case|first|last|city|issue|number|link)(?:[._\ ]\w+)?\}
    | <<[^<>\n]{1,40}>>                                        # <<date>>
    | \[(?=[^\]\n]{2,40}\])[^\]\n\d]*\b(?:name|number|date|link|url|insert|address|amount|product
        |order|phone|email|signature|company|agent|customer(?:'s)?|your)\b[^\]\n\d]*\]
    | <(?:your\ |customer\ |agent\ |product\ |company\ |order\ )?(?:name|date|number|link|product)>
    | [<(]insert\ [^<>()\n]{1,40}[>)]                            # <insert link here>
    | _{3,}                                                    # a gap to be filled in
    | lorem\ ipsum
    | \bas\ an\ ai\b
    | \btodo:
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Control signs, marks that turn the writing direction, and halves of characters.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
DAY_FACTS = ("days", "limit", "deny_limit")
WISH = "wish"
PHRASE_FACTS = ("option", WISH)
SUM_FIRST = re.compile(r"^(?=\S*\d)\S+ (?:(?:dollars|percent|euros|pounds) )?")
ORDER_NUMBER = "order_number"
LAST_DIGITS = 4
STATED = "stated fact"
"""What an article must state: figures, and the names of remedies as the CRM has them."""

NAMES = frozenset(
    ["product", "customer", "agent", "next_agent", "name", "Name", "patient", "order_number"]
    + ["case_number"]
)
"""Facts that are the same in all languages."""

FIGURE = re.compile(r"\d+(?:\.\d+)?")

ENDS_NAME = " | "


def verify_content(written: WrittenText) -> Verdict:
    """Fails where a demanded fact is missing or an avoided phrase stands.

    It fails, too, where a placeholder was left or a character is none that can be stored.
    """
    text, path, tongue = written.text, written.path, written.tongue
    said = plain(text, tongue)
    for demand in written.demands:
        if not names_fact(demand, said, tongue):
            return fail(f"content: does not name {demand.fact} ({demand.forms[0]})", path)
    for phrase in written.avoid:
        if plain_phrase(phrase, tongue) in said:
            return fail(f"content: names {phrase!r}, which is not among its facts", path)
    if UNPRINTABLE.search(text):
        return fail("content: holds a character that can't be stored", path)
    placeholder = PLACEHOLDERS.search(text)
    if placeholder:
        return fail(f"content: holds a placeholder {placeholder.group(0)!r}", path)
    return PASS


def verify_names(written: WrittenText) -> Verdict:
    """Fails where a text names somebody or something on the roster that is none of its facts.

    Two of its facts side by side name nobody: Evan Morgan of the Long Mile Walkers, who signs with
    both, does not name Morgan Long.
    """
    if not written.roster:
        return PASS
    for name in written.roster.named_in(written.text):
        if any(name in fact for fact in written.own):
            continue
        if name in written.roster.named_in(_without(written.own, written.text)):
            return fail(f"content: names {name}, who or which is not among its facts", written.path)
    return PASS


def _without(own: Iterable[str], text: str) -> str:
    """A text with a mark, which ends a name, in the place of its facts of several words.

    A fact of one word stays: a first name of one's own may begin another person's name.
    """
    left = " ".join(text.split())
    for fact in sorted(own, key=len, reverse=True):
        if " " in fact:
            left = left.replace(fact, ENDS_NAME)
    return left


def names_fact(demand: Demand, said: str, tongue: Tongue | None = None) -> bool:
    """Whether a text in plain form names a demanded fact in one of the ways people do.

    A date may stand in any usual form and without its year, a number of days in digits or words.
    """
    if tongue is not None and tongue.is_foreign:
        forms = (*demand.forms, *demand.ways)
        return any(_names_abroad(demand.fact, form, said, tongue) for form in forms)
    if demand.fact == VALUE:
        if tells_value(said, demand.forms) or not tells_value(said, demand.denials):
            return True
        return tells_value(said, tuple(map(_plural, demand.forms)))
    for form in demand.forms:
        if demand.fact.endswith("date") and says_date(form, said, tongue):
            return True
        if demand.fact in DAY_FACTS and says_number(form, said, tongue):
            return True
        if stands_in(plain_phrase(form, tongue), said):
            return demand.fact not in DAY_FACTS
    if says_any(demand.ways, said, tongue):
        return True
    return says_any(demand.unsure, said, tongue) and not says_any(demand.rivals, said, tongue)


def _plural(mark: str) -> str:
    """A mark as it is said of several: whoever tells of `our phones` tells of a phone."""
    return f"{mark}s" if mark[-1:].isalpha() else mark


def _names_abroad(fact: str, form: str, said: str, tongue: Tongue) -> bool:
    """Whether a text in another language names a fact that is stated in English.

    Dates, amounts and numbers have their forms there, and names of people and things stand as they
    are. What only English words could show is left to a reader: here it counts as named.
    """
    if fact.endswith("date") and day_of(form) is not None:
        return says_date(form, said, tongue)
    stated = plain_phrase(form, tongue.stated)
    if stated.strip().endswith(f" {tongue.unit}"):
        return stands_in(stated.strip(), said)
    if fact in NAMES or not FIGURE.search(stated):
        return fact not in (*NAMES, STATED) or _stands_abroad(form, said, tongue)
    numbers = FIGURE.findall(stated)
    return all(says_number(number, said, tongue) for number in numbers)


def _stands_abroad(form: str, said: str, tongue: Tongue) -> bool:
    own = plain_phrase(form, tongue)
    return stands_in(own, said) or stands_in(plain_phrase(form, tongue.stated), said)


def forms_of(fact: str, value: str) -> tuple[str, ...]:
    """What a text has to hold to name a fact: the value, an option's phrase without its article.

    A number of an order may lack the zeros in front.
    """
    if fact == ORDER_NUMBER:
        # People leave the zeros in front out, or read the last four digits to somebody.
        return (value, value.lstrip("0"), value[-LAST_DIGITS:])
    if fact == WISH:
        # A sum that only the desk knows needs no naming where it is refused.
        named = without_article(value)
        return (named, SUM_FIRST.sub("", named))
    return (without_article(value),) if fact in PHRASE_FACTS else (value,)


def date_forms(long: str, language: WrittenLanguage | None = None) -> tuple[str, ...]:
    """The ways in which people of a language write a day; American English without one.

    Example: `March 3, 2021`, `Mar 3, 2021`, `3/3/2021`, `2021-03-03` and `3 March 2021`. A text may
    name it in others too.
    """
    day = day_of(long)
    if day is None:
        return (long,)
    return (language or load_country(DEFAULT_LOCALE).language).written_days(day)


def without_article(phrase: str) -> str:
    """`a full refund` -> `full refund`."""
    return re.sub(r"^(?:an?|the)\s+", "", phrase)
