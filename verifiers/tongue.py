"""How dates, numbers and amounts are recognised in the texts of one language.

A `Tongue` is made from what a locale's file says of its language and its currency. Texts of the
default locale are read by `verifiers.wording` alone, which holds the American forms. Knows no texts
and no facts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from schemas.country import DEFAULT_LOCALE, Country, load_country
from schemas.language import WrittenLanguage

NUMERALS = "〇一二三四五六七八九十百千"
"""Numbers in words that stand without a space beside other signs, as in Japanese."""

_YEAR = r"(?P<year>\d{4}(?!\d)|\d\d(?!\d))"
_DAY = r"(?<!\d)(?P<day>\d{1,2})(?!\d)"
_NUMBER = r"(?<!\d)(?P<number>\d{1,2})(?!\d)"


@dataclass(frozen=True, slots=True)
class Tongue:
    """What a language's dates, numbers and amounts look like, all in small letters.

    `months` are names by number; each of `dates` has the groups `day`, `month` or `number`, and
    maybe `year`. `money` finds an amount in its first or second group, which is written out as
    `1234.5 euro` with `unit`. `group` and `decimal` are the signs within numbers. Facts are stated
    in `stated`, an English; None where this is it. `country` knows its telephone numbers.
    """

    months: tuple[tuple[str, ...], ...]
    dates: tuple[re.Pattern[str], ...]
    money: re.Pattern[str]
    unit: str
    percent: re.Pattern[str]
    group: str = ","
    decimal: str = "."
    numbers: Mapping[int, tuple[str, ...]] = field(default_factory=dict, hash=False)
    country: Country | None = field(default=None, compare=False, repr=False)
    stated: "Tongue | None" = None

    @property
    def is_foreign(self) -> bool:
        """Whether texts are in another language than the facts."""
        return self.stated is not None


def tongue_of(locale: str, own: bool = False) -> Tongue | None:
    """The tongue of a company's texts: its own language, or the English of the embedded writer.

    None is American English, which needs no forms of its own.
    """
    return None if locale == DEFAULT_LOCALE else _tongue_of(locale, own)


@lru_cache(maxsize=64)
def _tongue_of(locale: str, own: bool) -> Tongue:
    """Kept, since hundreds of thousands of texts are read by each."""
    country = load_country(locale)
    english = _made(country, country.english, None)
    if not own or country.language.is_english:
        return english
    return _made(country, country.language, english)


def _made(country: Country, language: WrittenLanguage, stated: Tongue | None) -> Tongue:
    currency = country.currency
    percent = "|".join(re.escape(word.casefold()) for word in language.percent)
    return Tongue(
        months=tuple(tuple(name.casefold() for name in names) for names in language.months),
        dates=tuple(_date_pattern(form, language) for form in language.dates),
        money=_money_pattern(language, (currency.symbol, *currency.words, *currency.english)),
        unit=currency.english[-1],
        percent=re.compile(rf"(\d) ?(?:%|{percent})"),
        group=language.group,
        decimal=language.decimal,
        numbers=language.numbers,
        country=country,
        stated=stated,
    )


def _date_pattern(form: str, language: WrittenLanguage) -> re.Pattern[str]:
    """A form of a date as a pattern: `{day}. {month}[ {year}]`."""
    names: list[str] = []
    for month_names in language.months:
        names += [name.casefold() for name in month_names]
    names.sort(key=len, reverse=True)
    # A name of letters alone may be cut short with a point: `3. Aug. 2021`.
    month = rf"(?P<month>{'|'.join(map(re.escape, names))})(?![^\W\d_])\.?"
    ending = r"(?:st|nd|rd|th)?" if language.is_english else ""
    parts = {"{day}": _DAY + ending, "{number}": _NUMBER, "{year}": _YEAR, "{month}": month}
    pattern = ""
    for piece in re.split(r"(\{\w+\}|\[|\])", form.casefold()):
        if piece in parts:
            pattern += parts[piece]
        elif piece in ("[", "]"):
            pattern += "(?:" if piece == "[" else ")?"
        else:
            pattern += re.sub(r"\\ ", " ?", re.escape(piece))
    return re.compile(pattern)


def _money_pattern(language: WrittenLanguage, words: tuple[str, ...]) -> re.Pattern[str]:
    """An amount with its currency before or behind it."""
    signs = sorted({word.casefold() for word in words}, key=len, reverse=True)
    currency = "|".join(_whole(sign) for sign in signs)
    groups = "".join(dict.fromkeys(language.group + "'"))
    decimal = re.escape(language.decimal)
    number = rf"\d{{1,3}}(?:[{re.escape(groups)}]\d{{3}})+(?:{decimal}\d+)?|\d+(?:{decimal}\d+)?"
    return re.compile(rf"(?:{currency}) ?({number})(?!\d)|(?<!\d)({number}) ?(?:{currency})")


def _whole(sign: str) -> str:
    """A currency's word as a whole one; a sign, or a word without spaces around it, as it is."""
    escaped = re.escape(sign)
    return rf"(?<![a-z]){escaped}(?![a-z])" if sign.isascii() and sign.isalpha() else escaped
