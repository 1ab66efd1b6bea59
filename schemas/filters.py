"""The filters of templates: each makes one text of another, as `lower` does in `{FirstName:lower}`.

A filter is a name in FILTERS, or a number, which keeps so many characters from the start. Filters
know texts alone; a value becomes a text before it meets one.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens: `slug("Kids' Shoes & more") == "kids-shoes-more"`."""
    without_quotes = text.replace("'", "")
    parted = unicodedata.normalize("NFKD", without_quotes)
    plain = parted.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def letters(text: str) -> str:
    """Lower-case letters and digits only, as in the left part of an e-mail address."""
    return slug(text).replace("-", "")


def first_word(text: str) -> str:
    """What stands before the first blank: `first_word("Anna Miller") == "Anna"`."""
    return text.split(" ")[0]


def long_date(text: str) -> str:
    """A text that begins with an ISO date as `March 3, 2021`; every other text as it is."""
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        return text
    day = date.fromisoformat(text[:10])
    return f"{day:%B} {day.day}, {day.year}"


def month_name(text: str) -> str:
    """The month of an ISO date: `month_name("2021-03-03") == "March"`."""
    return first_word(long_date(text))


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


def filtered(name: str, text: str) -> str:
    """`text` after one filter.

    A number keeps the first characters: `filtered("4", "2021-03-03") == "2021"`. Raises KeyError
    for an unknown name and ValueError for a text that the filter can't take (`money` of "soon").
    """
    if LENGTH.fullmatch(name):
        return text[: int(name)]
    return FILTERS[name](text)
