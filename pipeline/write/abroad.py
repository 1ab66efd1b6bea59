"""What a model is told where it writes another language than American English.

Facts are stated in English, whoever words them. Here their dates and amounts take the forms of the
company's language, and the system message gets a line on it. Knows no requests and no templates.
"""

import re
from calendar import month_name
from collections.abc import Mapping
from datetime import date

from schemas.country import Country, load_country
from verifiers.content import DAY_FACTS, FIGURE, NAMES, STATED
from verifiers.wording import day_of

LOCALE = "locale"
"""The key under which a request tells the company's locale; one in American English has none."""

IN_LANGUAGE = " ".join(
    (
        "Write every text in {language}, as people in {country} write it. Facts are stated in",
        "English: say them in {language}. Names of people, products and remedies stand as they",
        "are; days, numbers and amounts as {language} writes them, such as {day} and {amount}.",
    )
)
IN_ENGLISH = "Write {language}: its spelling, and days as in {day}."

DAY = re.compile(rf"\b\d{{1,2}} (?:{'|'.join(month_name[1:])}) \d{{4}}\b")
SAMPLE_DAY, SAMPLE_AMOUNT = date(2021, 8, 3), 1234.5


def country_of(company: Mapping[str, str]) -> Country | None:
    """The country of a request, where it is another one than that of American English."""
    return load_country(company[LOCALE]) if LOCALE in company else None


def told_of_language(country: Country) -> str:
    """The line of the system message on the language."""
    language = country.language
    template = IN_ENGLISH if language.is_english else IN_LANGUAGE
    return template.format(
        language=language.name,
        country=country.country,
        day=language.written_day(SAMPLE_DAY),
        amount=country.currency.shown(SAMPLE_AMOUNT, language),
    )


def worded_abroad(data: object, country: Country) -> object:
    """Data of JSON with every day and amount in it as the country's language writes them."""
    if isinstance(data, str):
        return _reworded(data, country)
    if isinstance(data, list):
        return [worded_abroad(part, country) for part in data]
    if isinstance(data, dict):
        return {name: worded_abroad(part, country) for name, part in data.items()}
    return data


def demanded_abroad(fact: str, value: str, country: Country) -> str:
    """What a text in the country's language must hold of a fact; "" where words alone show it.

    Names and days stay, of other facts the figures do: `30 days` is `30`.
    """
    if country.language.is_english or fact in NAMES or day_of(value) is not None:
        return value
    if value.startswith(country.currency.symbol):
        return value
    figures = FIGURE.findall(value)
    if figures or fact in DAY_FACTS:
        return " ".join(figures)
    return value if fact == STATED else ""


def _reworded(text: str, country: Country) -> str:
    language, currency = country.language, country.currency

    def day(found: re.Match[str]) -> str:
        known = day_of(found.group())
        return found.group() if known is None else language.written_day(known)

    def amount(found: re.Match[str]) -> str:
        number = float(found.group(1).replace(",", ""))
        whole = "." not in found.group(1)
        return language.written_amount(number, currency.symbol, 0 if whole else currency.decimals)

    text = DAY.sub(day, text)
    return re.sub(rf"{re.escape(currency.symbol)}(\d[\d,]*(?:\.\d+)?)", amount, text)
