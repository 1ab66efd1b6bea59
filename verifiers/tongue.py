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
    if locale == DEFAULT_LOCALE:
        return None
    return _tongue_of(locale, own)


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
    words = [re.escape(word.casefold()) for word in language.percent]
    percent = "|".join(words)
    months = []
    for names in language.months:
        folded = [name.casefold() for name in names]
        months.append(tuple(folded))
    dates = [_date_pattern(form, language) for form in language.dates]
    signs = (currency.symbol, *currency.words, *currency.english)
    return Tongue(
        months=tuple(months),
        dates=tuple(dates),
        money=_money_pattern(language, signs),
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
    ending = r"(?:st|nd|rd|th)?" if language.is_english else ""
    parts = {
        "{day}": _DAY + ending,
        "{number}": _NUMBER,
        "{year}": _YEAR,
        "{month}": _month_pattern(language),
        "[": "(?:",
        "]": ")?",
    }
    pattern = ""
    for piece in re.split(r"(\{\w+\}|\[|\])", form.casefold()):
        if piece in parts:
            pattern += parts[piece]
        else:
            escaped = re.escape(piece)
            pattern += escaped.replace(r"\ ", " ?")
    return re.compile(pattern)


def _month_pattern(language: WrittenLanguage) -> str:
    """Any name of a month, the longer ones first."""
    names: list[str] = []
    for month_names in language.months:
        names += [name.casefold() for name in month_names]
    names.sort(key=len, reverse=True)
    escaped = [re.escape(name) for name in names]
    # A name of letters alone may be cut short with a point: `3. Aug. 2021`.
    return rf"(?P<month>{'|'.join(escaped)})(?![^\W\d_])\.?"


def _money_pattern(language: WrittenLanguage, words: tuple[str, ...]) -> re.Pattern[str]:
    """An amount with its currency before or behind it."""
    folded = {word.casefold() for word in words}
    signs = sorted(folded, key=len, reverse=True)
    currency = "|".join(_whole(sign) for sign in signs)
    # An apostrophe groups thousands too; each sign stands in the class only once.
    group_signs = dict.fromkeys(language.group + "'")
    groups = re.escape("".join(group_signs))
    decimal = re.escape(language.decimal)
    grouped = rf"\d{{1,3}}(?:[{groups}]\d{{3}})+(?:{decimal}\d+)?"
    ungrouped = rf"\d+(?:{decimal}\d+)?"
    number = f"{grouped}|{ungrouped}"
    before = rf"(?:{currency}) ?({number})(?!\d)"
    behind = rf"(?<!\d)({number}) ?(?:{currency})"
    return re.compile(f"{before}|{behind}")


def _whole(sign: str) -> str:
    """A currency's word as a whole one; a sign, or a word without spaces around it, as it is."""
    escaped = re.escape(sign)
    if sign.isascii() and sign.isalpha():
        return rf"(?<![a-z]){escaped}(?![a-z])"
    return escaped
