"""Facts in the form in which people write them: `$25`, `20%`, `Thursday, August 17`.

Works on facts as texts; knows no rules and no acts.
"""

import random
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import lru_cache
from zlib import crc32

from latent.naming import in_full
from verifiers.near_days import (
    A_WEEK,
    AT,
    DUE_SPAN,
    TOMORROW,
    ZONE,
    days_until,
    local_moment,
    near_name,
    span_until,
)
from verifiers.wording import SMALL_NUMBERS

# Facts that name a remedy, and what of them people write in signs.
REMEDIES = ("option", "wish")
DOLLARS = re.compile(r"\b(\d+) dollars\b")
PERCENT = re.compile(r"\b(\d+) percent\b")
DAYS = {"due_date": "due", "back_date": "back_by"}
"""Facts that are days, and what rules call them as people write them."""
AS_WRITTEN = {**DAYS, "product": "products"}
"""The same, and the product's name in the number in which people say it: `Skerrin Hikers`."""
# What is wished for is refused by its name: nobody has named a sum that only the desk knows.
SUM_BEFORE = re.compile(r"^an? (?=\S*\d)\S+ (?=(\w))")
VOWELS = frozenset("aeiouAEIOU")
# The year of a day that is weeks away goes without saying.
YEAR = re.compile(r",? \d{4}$")


ORDERED = "order_date"
NOT_LONG_AGO = 300
"""Within so many days a day that is past needs no year: nobody takes it for one a year before."""

# How often a day within the week is called by its weekday or as tomorrow alone, and a later one by
# its date alone. By eye: a weekday with its date in every line is how a form speaks.
NEAR_ALONE = 0.75
DATE_ALONE = 0.5
# Before "tomorrow" nobody says what stands before a date; but "How about tomorrow?" is asked.
BEFORE_TOMORROW = re.compile(
    r"\b(O)n tomorrow\b,?|\b(o)n tomorrow\b"
    r"|(?<!\b[Hh]ow )(?<!\b[Ww]hat )\b(?:around|about) (?=tomorrow\b)"
)
NEAR_NAMES = {-1: "yesterday", 0: "today", 1: TOMORROW}
"""What people call a day that is so many days away: nobody calls it by its weekday."""
TODAY = "weekday"
PARTS_OF_DAY = "morning|afternoon|evening|night"

# How many agents tell how long money or a review takes, as desks do, and not the day. By eye: of
# the others most have a screen that shows the day.
COUNTS_DAYS = 0.7
SPANNED = ("refund", "credit", "done")
"""How the acts end that tell by when something is there for which nobody has to be at home."""
BY_THEN = r"(?:by (?:around|about)|by|around|about|no later than|on or before|at the latest by)"
LATEST = r"(?:,? at the latest)?"
# How a person puts it: before the span, with its number as a word, and before what must be waited.
WITHINS = ("within", "in", "in about")
UP_TO = ("", "up to ", "about ")
SPELLS_NUMBER, SAYS_WORKING = 0.4, 0.03


def as_written(texts: Mapping[str, str], point: float = 1.0) -> dict[str, str]:
    """Facts in the form in which people write them: `$25`, `20%`, `Thursday, August 17`.

    A day that is near is `tomorrow` or `Thursday`, and one far off `August 17`, where `point`, a
    number from 0 to 1, falls below the share of such texts.
    """
    written = {}
    for name in REMEDIES:
        written[name] = _in_signs(texts.get(name, ""))
    written["wish"] = without_sum(written["wish"])
    days = days_ahead(texts)
    for fact, name in DAYS.items():
        written[name] = days.get(fact, "")
    written["due"] = _due(texts, written["due"], point)
    written["products"] = products_of(texts)
    return written


def _due(texts: Mapping[str, str], day: str, point: float) -> str:
    due = texts.get("due_date", "")
    if DUE_SPAN.fullmatch(due):
        return due
    near = near_name(due, texts)
    if near and point < NEAR_ALONE:
        return near
    away = days_until(due, texts)
    if away is not None and away >= A_WEEK and point < DATE_ALONE:
        return day
    return f"{texts.get('due_day', '')}, {day}"


def in_business_days(act: str, text: str, texts: Mapping[str, str]) -> str:
    """A text that tells how long something takes, where its agent doesn't tell the day by habit.

    >>> facts = {"agent": "Dana Whitlock", "due": "Monday, March 8", "due_date": "March 8, 2021"}
    >>> facts |= {"at": "2021-03-03T15:05:00", "zone": "UTC"}
    >>> in_business_days("option.tell.credit", "It should be there by Monday, March 8.", facts)
    'It should be there within 3 business days.'
    """
    span = told_span(act, texts)
    if not span:
        return text
    person = random.Random(f"spans|{texts.get('agent')}")
    within, up_to = person.choice(WITHINS), person.choice(UP_TO)
    span = _spelled(person, span)
    day = re.escape(texts.get("due", ""))
    text = re.sub(rf"\b[Uu]ntil (?:around |about )?{day}\b{LATEST}", f"{up_to}{span}", text)
    return re.sub(rf"\b(?i:{BY_THEN}) {day}\b{LATEST}", _led_by(within, span), text)


def _spelled(person: random.Random, span: str) -> str:
    """A span as somebody writes it: `3 business days`, `three business days`."""
    number, _, rest = span.partition(" ")
    if number.isdigit() and person.random() < SPELLS_NUMBER:
        number = SMALL_NUMBERS[int(number)]
    if person.random() < SAYS_WORKING:
        rest = rest.replace("business", "working")
    return f"{number} {rest}"


def _led_by(within: str, span: str) -> Callable[[re.Match[str]], str]:
    """What stands in the place of `by Monday`, with the capital that begins a sentence."""

    def led(found: re.Match[str]) -> str:
        told = f"{within} {span}"
        return told[0].upper() + told[1:] if found.group()[0].isupper() else told

    return led


def told_span(act: str, facts: Mapping[str, object]) -> str:
    """How long something takes, where the agent of a text tells that by habit; "" for the day."""
    if not act.startswith("option.") or not act.endswith(SPANNED):
        return ""
    agent = str(facts.get("agent") or "")
    counts = crc32(f"days|{agent}".encode()) % 100 < 100 * COUNTS_DAYS
    return span_until(str(facts.get("due_date") or ""), facts) if agent and counts else ""


def with_tomorrow(text: str) -> str:
    """A text without what stands before a date and not before "tomorrow".

    >>> with_tomorrow("It ships on tomorrow. On tomorrow we'll call around tomorrow.")
    "It ships tomorrow. Tomorrow we'll call tomorrow."
    >>> with_tomorrow("On tomorrow, we'll ship it. How about tomorrow?")
    "Tomorrow we'll ship it. How about tomorrow?"
    """
    return BEFORE_TOMORROW.sub(_tomorrow, text)


def _tomorrow(found: re.Match[str]) -> str:
    if found.group(1):
        return "Tomorrow"
    return "tomorrow" if found.group(2) else ""


def from_today(text: str, facts: Mapping[str, str]) -> str:
    """A text that calls a day of its facts today, yesterday or tomorrow where it is that.

    >>> facts = {"at": "2021-06-23T15:05:00", "zone": "UTC"}
    >>> facts |= {"torn_on": "June 22", "torn_day": "Tuesday"}
    >>> from_today("On Tuesday it tore. It has leaked since Tuesday evening.", facts)
    'Yesterday it tore. It has leaked since yesterday evening.'
    """
    moment = local_moment(facts.get(AT), facts.get(ZONE))
    if moment is None or "day" not in text:
        return text
    for days, name in NEAR_NAMES.items():
        day = moment.date() + timedelta(days=days)
        if _is_told(day, facts):
            weekday = rf"(?P<on>\b[Oo]n )?\b{day:%A}\b(?! or\b|,? [A-Z][a-z]+ \d)"
            text = re.sub(f"{weekday}(?: (?P<part>{PARTS_OF_DAY}))?", _called(name), text)
    return text


def _is_told(day: date, facts: Mapping[str, str]) -> bool:
    """Whether the facts hold a day both by its date and by its weekday, and no other one so."""
    weekday = f"{day:%A}"
    named = [fact for fact, value in facts.items() if value == weekday and fact != TODAY]
    return bool(named) and "due_day" not in named and f"{day:%B} {day.day}" in facts.values()


def _called(name: str) -> Callable[[re.Match[str]], str]:
    """What stands in the place of `on Tuesday evening`: `yesterday evening`, `this evening`."""

    def called(found: re.Match[str]) -> str:
        part = found["part"] or ""
        if part == "night":
            told = {"today": "tonight", "yesterday": "last night"}.get(name, f"{name} night")
        else:
            first = "this" if part and name == "today" else name
            told = f"{first} {part}".rstrip()
        starts = (found["on"] or "").startswith("O")
        return told[0].upper() + told[1:] if starts else told

    return called


def products_of(texts: Mapping[str, str]) -> str:
    """The product's name in the number in which people say it; "" where none is known."""
    product = texts.get("product", "")
    return in_full(product, texts.get("product_short", ""), texts.get("it") == "they")


def days_ahead(facts: Mapping[str, object]) -> dict[str, str]:
    """The facts that are days still to come, as people name them to one another.

    >>> days_ahead({"due_date": "August 17, 2021", "order_date": "August 2, 2021"})
    {'due_date': 'August 17'}
    """
    return {fact: YEAR.sub("", str(facts[fact])) for fact in DAYS if facts.get(fact)}


def day_ordered(facts: Mapping[str, object]) -> dict[str, str]:
    """The day of the order as people name it: with its year where it is long ago.

    >>> day_ordered({"order_date": "May 2, 2021", "at": "2021-08-02T12:00:00", "zone": "UTC"})
    {'order_date': 'May 2'}
    """
    day = str(facts.get(ORDERED) or "")
    away = days_until(day, facts)
    return {ORDERED: YEAR.sub("", day)} if away is not None and away > -NOT_LONG_AGO else {}


def without_sum(phrase: str) -> str:
    """What a remedy is called by those who don't know its sum.

    >>> without_sum("a $25 goodwill credit"), without_sum("a full refund")
    ('a goodwill credit', 'a full refund')
    """
    found = SUM_BEFORE.match(phrase)
    if not found:
        return phrase
    article = "an" if found.group(1) in VOWELS else "a"
    return f"{article} {phrase[found.end() :]}"


@lru_cache(maxsize=4096)
def _in_signs(phrase: str) -> str:
    return PERCENT.sub(r"\1%", DOLLARS.sub(r"$\1", phrase))
