"""Does a text say a fact, in whatever way people write it?

Typography, case and white space do not count; amounts, shares, numbers and dates have many forms.
Works on single texts and values; knows no units and no fields. The forms here are American English;
those of other countries and languages come as a `Tongue`.

Example: "I’d bought it on Aug. 9th — it was $25" says the date August 9, 2021 and `25 dollars`.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache

from verifiers.tongue import NUMERALS, Tongue

# What typographers and newer models write for the plain sign.
PLAIN_SIGNS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u02bc": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u2212": "-",
        "\u00ad": "",
        "\u200b": "",
        "\ufeff": "",
    }
)
LONG_DATES = ("%B %d, %Y", "%d %B %Y")
"""How facts state days: as Americans write them, and as everybody else writes them in English."""

GAP = "..."
DIGIT = re.compile(r"\d")
# A comma behind an amount is none of its own: "$25, by Friday".
FIGURE = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
DOLLARS = re.compile(rf"(?:us)?\$ ?({FIGURE})|({FIGURE}) ?(?:usd|us dollars)\b")
DOLLAR_SIGNS = ("$", "usd", "us dollars")
PERCENT = re.compile(r"(\d) ?(?:%|per cent\b)")
# `The 30th` is a day of a month; `the 30th day` counts.
ORDINAL = re.compile(r"(?:st|nd|rd|th)\b(?! day\b)")
NO_CENTS = re.compile(r"(?<=\d)\.00(?!\d)")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

SMALL_NUMBERS = (
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    + ("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen")
    + ("eighteen", "nineteen")
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

MONTH_NAMES = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
"""What each month is called, the longest name first."""

_MONTH = rf"(?P<month>{'|'.join('|'.join(names) for names in MONTH_NAMES)})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d|[.,]\d)"
_YEAR = r"(?:,? (?:of )?(?P<year>\d{4})(?!\d))?"
DATES = (
    re.compile(rf"\b{_MONTH} (?:the )?{_DAY}{_YEAR}"),
    re.compile(rf"(?<![\d.]){_DAY} (?:of )?{_MONTH}{_YEAR}"),
    re.compile(r"(?<![\d/])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\d/])"),
    re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)"),
)
"""August 9th, 2021; 9 August 2021; 08/09/21; 2021-08-09. The first two may lack the year."""


@lru_cache(maxsize=512)  # a conversation's texts are looked at alone, and again as a whole
def plain(text: str, tongue: Tongue | None = None) -> str:
    """The form in which texts are compared, as a tongue writes numbers and amounts.

    Case, white space and typography do not count: `“Full\\u00a0Refund”` is `"full refund"`.
    Amounts and shares are written out: `$25.00` is `25 dollars`, `20%` is `20 percent`.
    """
    # Most texts are ASCII, of which nothing else has another form.
    folded = text.lower() if text.isascii() else _folded(text)
    folded = " ".join(folded.split())
    if not DIGIT.search(folded):
        return folded
    if tongue is not None:
        return _plain_abroad(folded, tongue)
    if any(sign in folded for sign in DOLLAR_SIGNS):
        folded = DOLLARS.sub(_dollars, folded)
    if "%" in folded or "per cent" in folded:
        folded = PERCENT.sub(r"\1 percent", folded)
    if "," in folded:
        folded = THOUSANDS.sub("", folded)
    return NO_CENTS.sub("", folded) if ".00" in folded else folded


@lru_cache(maxsize=10_000)
def plain_phrase(phrase: str, tongue: Tongue | None = None) -> str:
    """The plain form of a fact or phrase, which many texts are compared with."""
    return plain(phrase, tongue)


def stands_in(phrase: str, text: str) -> bool:
    """Whether a phrase stands in a text, both in plain form.

    A number at the phrase's edge is a whole one there: `30 days` does not stand in `130 days`.
    """
    start = text.find(phrase)
    while start >= 0:
        if _is_whole(text, start, start + len(phrase)):
            return True
        start = text.find(phrase, start + 1)
    return False


def says_number(value: str, text: str, tongue: Tongue | None = None) -> bool:
    """Whether a plain text says a whole number, in digits or in words.

    An amount of money or a share is none: `30 percent` does not say 30.
    """
    if tongue is not None and tongue.is_foreign:
        said = _said_abroad(value, text, tongue)
    else:
        said = any(stands_in(words, text) for words in _in_words(value))
    unit = tongue.unit if tongue is not None else "dollars"
    return said or any(_counts(text, found.end(), unit) for found in _digits(value, text))


def says_date(long: str, text: str, tongue: Tongue | None = None) -> bool:
    """Whether a plain text says a day that is given as `August 9, 2021` or `9 August 2021`.

    The year may be left out; where it stands, it is the right one.
    """
    if stands_in(plain_phrase(long), text):
        return True
    day = day_of(long)
    if day is None:
        return False
    months = MONTH_NAMES if tongue is None else tongue.months
    for form in DATES if tongue is None else tongue.dates:
        for found in form.finditer(text):
            if _is_day(found, day, months):
                return True
    return False


@lru_cache(maxsize=4096)
def day_of(long: str) -> date | None:
    """The day that a fact states, `August 9, 2021` or `9 August 2021`; None for another text."""
    for form in LONG_DATES:
        try:
            return datetime.strptime(long, form).date()
        except ValueError:
            continue
    return None


def _folded(text: str) -> str:
    """Small letters, plain signs, and compatible signs as the one that they stand for."""
    return unicodedata.normalize("NFKC", text).translate(PLAIN_SIGNS).casefold()


def _plain_abroad(folded: str, tongue: Tongue) -> str:
    """A text with digits, its numbers as English writes them: `1.234,50 €` is `1234.5 euros`."""
    folded = tongue.money.sub(lambda found: _amount(found, tongue), folded)
    folded = tongue.percent.sub(r"\1 percent", folded)
    if tongue.group != " ":
        folded = re.sub(rf"(?<=\d){re.escape(tongue.group)}(?=\d{{3}}(?!\d))", "", folded)
    if tongue.decimal != ".":
        folded = re.sub(rf"(?<=\d){re.escape(tongue.decimal)}(?=\d{{1,2}}(?!\d))", ".", folded)
    return " ".join(NO_CENTS.sub("", folded).split())


def _amount(found: re.Match[str], tongue: Tongue) -> str:
    number = found.group(1) or found.group(2)
    plain_number = number.replace(tongue.group, "").replace("'", "").replace(tongue.decimal, ".")
    return f" {float(plain_number):.2f} {tongue.unit} "


def _said_abroad(value: str, text: str, tongue: Tongue) -> bool:
    """Whether a number stands in a text in words of another language."""
    words = tongue.numbers.get(int(value), ()) if value.isdecimal() else ()
    for word in words:
        # Numerals without spaces stand beside other signs, but not beside other numerals.
        edge = f"[{NUMERALS}]" if word[0] in NUMERALS else r"\w"
        if re.search(rf"(?<!{edge}){re.escape(word.casefold())}(?!{edge})", text):
            return True
    return False


def _dollars(found: re.Match[str]) -> str:
    return f"{found.group(1) or found.group(2)} dollars"


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no digit at the edges of text[start:end] belongs to a longer number."""
    if start and text[start:end][:1].isdigit():
        if text[start - 1].isdigit():
            return False
        if text[start - 1] in ".," and text[:start].rstrip(".,")[-1:].isdigit():
            return False
    if end < len(text) and text[end - 1].isdigit():
        if text[end].isdigit():
            return False
        if text[end] in ".," and text[end + 1 : end + 2].isdigit():
            return False
    return True


def _digits(value: str, text: str) -> Iterator[re.Match[str]]:
    yield from re.finditer(rf"(?<![\d.,]){re.escape(value)}(?!\d|[.,]\d)", text)


def _counts(text: str, end: int, unit: str) -> bool:
    if ORDINAL.match(text, end):
        return False
    return not text[end:].startswith((" percent", f" {unit}", ":", "/"))


def _in_words(value: str) -> Iterator[str]:
    """Yields a number below a hundred in words: `forty-five`, `forty five`.

    Larger ones are written in digits, and smaller than two stand in too many other words.
    """
    if not value.isdecimal() or not 2 <= int(value) < 100:
        return
    number = int(value)
    if number < len(SMALL_NUMBERS):
        yield f"{SMALL_NUMBERS[number]} "
        return
    tens, ones = divmod(number, 10)
    if not ones:
        yield TENS[tens - 2]
        return
    yield f"{TENS[tens - 2]}-{SMALL_NUMBERS[ones]}"
    yield f"{TENS[tens - 2]} {SMALL_NUMBERS[ones]}"


def _is_day(found: re.Match[str], day: date, months: tuple[tuple[str, ...], ...]) -> bool:
    parts = found.groupdict()
    month, year = parts.get("number") or found["month"], parts.get("year")
    right_month = int(month) == day.month if month.isdecimal() else month in months[day.month - 1]
    if not right_month or int(found["day"]) != day.day:
        return False
    return year is None or int(year) in (day.year, day.year % 100)
