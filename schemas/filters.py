"""The filters of templates: each makes one text of another, as `lower` does in `{FirstName:lower}`.

A filter is a name in FILTERS, or a number, which keeps so many characters from the start. Filters
know texts alone; a value becomes a text before it meets one. Some are other ones in other
countries, and are told which.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable
from datetime import date

from schemas.country import DEFAULT_LOCALE, Country, load_country
from schemas.language import WrittenLanguage

DIGEST_BYTES = 5
"""Of a text without a Latin letter: a million of them hardly ever share one."""


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens: `slug("Kids' Shoes & more") == "kids-shoes-more"`.

    A text that has no Latin letter has a digest in their place.
    """
    without_quotes = text.replace("'", "")
    parted = unicodedata.normalize("NFKD", without_quotes)
    plain = parted.encode("ascii", "ignore").decode()
    found = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if not found and any(sign.isalpha() for sign in text):
        return f"u{hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES).hexdigest()}"
    return found


def letters(text: str) -> str:
    """Lower-case letters and digits only, as in the left part of an e-mail address."""
    return slug(text).replace("-", "")


def first_word(text: str) -> str:
    """What stands before the first blank: `first_word("Anna Miller") == "Anna"`."""
    return text.split(" ")[0]


def long_date(text: str) -> str:
    """A text that begins with an ISO date as `March 3, 2021`; every other text as it is."""
    return _written(text, load_country(DEFAULT_LOCALE).language)


def month_name(text: str) -> str:
    """The month of an ISO date: `month_name("2021-03-03") == "March"`."""
    return first_word(long_date(text))


def _written(text: str, language: WrittenLanguage) -> str:
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        return text
    return language.written_day(date.fromisoformat(text[:10]))


def title(text: str) -> str:
    """Each word with a capital, as in a heading: `title("standard room") == "Standard Room"`."""
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def money(text: str) -> str:
    """An amount in dollars: `money("1299.5") == "$1,299.50"`."""
    return f"${float(text):,.2f}"


FILTERS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "slug": slug,
    "letters": letters,
    "word": first_word,
    "long_date": long_date,
    "month": month_name,
    "money": money,
    "title": title,
}
"""The name in a template -> the filter. A number is a filter too, and stands in no list."""


LOCAL_FILTERS: dict[str, Callable[[str, Country], str]] = {
    "slug": lambda text, country: slug(country.latin(text)),
    "letters": lambda text, country: letters(country.latin(text)),
    "long_date": lambda text, country: _written(text, country.english),
    "money": lambda text, country: country.currency.shown(float(text)),
}
"""The filters that a country has in its own way; the others are the same everywhere."""


LENGTH = re.compile(r"[0-9]{1,5}")
"""A number as a filter. Python takes other signs for digits too, such as `²`, and can't read them.
"""


def check_filter(name: str) -> None:
    """Raises ValueError where `name` is neither a number nor a key of FILTERS."""
    if not LENGTH.fullmatch(name) and name not in FILTERS:
        known = ", ".join(FILTERS)
        raise ValueError(
            f"unknown filter {name!r:.40} in a template; use a number or one of {known}"
        )


def filtered(name: str, text: str, country: Country | None = None) -> str:
    """`text` after one filter, as a country has it.

    A number keeps the first characters: `filtered("4", "2021-03-03") == "2021"`. Raises KeyError
    for an unknown name and ValueError for a text that the filter can't take (`money` of "soon").
    """
    if LENGTH.fullmatch(name):
        return text[: int(name)]
    if country is not None and name in LOCAL_FILTERS:
        return LOCAL_FILTERS[name](text, country)
    return FILTERS[name](text)
