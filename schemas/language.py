"""A language as far as dates, numbers and amounts go: how they are written, and how they are read.

It is a part of a locale's file, `schemas/locales/<locale>.yaml`. Knows no texts; the verifiers do.

A form of a date is made of `{day}`, `{month}` (its name), `{number}` (of the month) and `{year}`;
what may be left out stands in brackets: `{day}. {month}[ {year}]`.
"""

import re
from calendar import month_name
from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

DATE_PARTS = frozenset(["day", "month", "number", "year", "mon", "dd", "nn"])
MONTHS_A_YEAR = 12

AMERICAN_SEASONS = ("Spring", "Summer", "Fall", "Winter")

MonthNames = Annotated[tuple[str, ...], Field(min_length=1)]
DateForm = Annotated[str, Field(min_length=1)]


class WrittenLanguage(BaseModel):
    """How a language writes days, numbers and amounts."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(description="What a model is told to write: `German`.")]
    key: Annotated[str, Field(description="The CRM's name for it, as in LanguageLocaleKey: `de`.")]
    months: Annotated[
        tuple[MonthNames, ...],
        Field(
            min_length=MONTHS_A_YEAR,
            max_length=MONTHS_A_YEAR,
            description="What each month is called, the full name first: `[[Januar, Jan], ...]`.",
        ),
    ]
    seasons: Annotated[
        tuple[str, str, str, str],
        Field(description="The seasons from spring on: `[Spring, Summer, Autumn, Winter]`."),
    ] = AMERICAN_SEASONS
    written: Annotated[
        tuple[DateForm, ...],
        Field(
            min_length=1,
            description=(
                "How people write a day, the usual form first: `['{day}. {month} {year}']`; `{mon}`"
                " is the shortest name of the month, `{dd}` and `{nn}` have two digits."
            ),
        ),
    ]
    dates: Annotated[
        tuple[DateForm, ...],
        Field(
            min_length=1,
            description="The forms in which a day is recognised: `['{day}. {month}[ {year}]']`.",
        ),
    ]
    short: Annotated[
        DateForm, Field(description="How a program shows a day: `{dd}.{nn}.{year}`.")
    ] = "{year}-{nn}-{dd}"
    twelve_hours: Annotated[
        bool, Field(description="Whether it shows the hour as 3 PM, and not as 15.")
    ] = False
    decimal: Annotated[str, Field(description="The sign before the decimals: `,`.")] = "."
    group: Annotated[str, Field(description="The sign between thousands: `.`.")] = ","
    money: Annotated[
        DateForm, Field(description="How an amount is written: `{amount} {symbol}`.")
    ] = "{symbol}{amount}"
    percent: Annotated[
        tuple[str, ...], Field(description="Words for a hundredth: `[Prozent]`.")
    ] = ("per cent",)
    numbers: Annotated[
        dict[int, tuple[str, ...]],
        Field(description="Small numbers in words: `{2: [zwei], 14: [vierzehn]}`."),
    ] = {}

    @field_validator("written", "dates")
    @classmethod
    def _known_parts(cls, stated: tuple[str, ...]) -> tuple[str, ...]:
        for form in stated:
            unknown = sorted(set(re.findall(r"\{(\w*)\}", form)) - DATE_PARTS)
            if unknown or form.count("[") != form.count("]"):
                raise ValueError(
                    f"{form!r} is no form of a date; use {{day}}, {{month}}, {{number}}, {{year}}"
                    " and pairs of brackets"
                )
        return stated

    @property
    def is_english(self) -> bool:
        """Whether it is the language that the embedded writer writes."""
        return self.key.split("_")[0] == "en"

    def written_day(self, day: date, form: str = "") -> str:
        """A day in a form of this language; the usual one without it."""
        names = self.months[day.month - 1]
        return (form or self.written[0]).format(
            day=day.day,
            dd=f"{day.day:02d}",
            month=names[0],
            mon=names[-1],
            number=day.month,
            nn=f"{day.month:02d}",
            year=day.year,
        )

    def written_days(self, day: date) -> tuple[str, ...]:
        """A day in all forms in which people write it."""
        return tuple(self.written_day(day, form) for form in self.written)

    def written_number(self, number: float, most: int = 0) -> str:
        """A number with its thousands apart and at most so many decimals: `1.234,5`."""
        plain = f"{number:,.{most}f}"
        if most:
            plain = plain.rstrip("0").rstrip(".")
        return self._with_signs(plain)

    def written_amount(self, amount: float, symbol: str, decimals: int) -> str:
        """An amount with its currency: `1.234,50 €`."""
        plain = f"{amount:,.{decimals}f}"
        return self.money.format(amount=self._with_signs(plain), symbol=symbol)

    def _with_signs(self, plain: str) -> str:
        """A number as English writes it, with this language's signs between its digits."""
        return "".join({",": self.group, ".": self.decimal}.get(sign, sign) for sign in plain)


INTERNATIONAL = WrittenLanguage(
    name="English",
    key="en_US",
    months=tuple((name, name[:3]) for name in month_name[1:]),
    seasons=("Spring", "Summer", "Autumn", "Winter"),
    written=("{day} {month} {year}", "{day} {mon} {year}", "{year}-{nn}-{dd}"),
    dates=("{day} {month}[ {year}]", "{month} {day}[, {year}]", "{year}-{number}-{day}"),
)
"""The English of a company in a country of another language: days that nobody reads two ways."""
