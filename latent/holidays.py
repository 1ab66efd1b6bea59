"""The public holidays of a country, day by day, as the library `holidays` knows them.

Says on which days holidays are kept and on which of them nobody works; who works on the others
stands in the trade. Knows no people.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from schemas.country import PublicHolidays

OBSERVED = " (observed)"
"""What the name of a weekday ends in that is free for a holiday on a weekend."""


@dataclass(frozen=True, slots=True)
class FreeDay:
    """A day on which a holiday is kept."""

    name: str
    day: date


def holidays_between(holidays: PublicHolidays, first: date, last: date) -> list[FreeDay]:
    """The holidays kept from one day to another, both included, in the order of time."""
    # New Year's Day of the year after may be kept on the last day of December.
    years = range(first.year, last.year + 2)
    found = []
    for day, name in _known(holidays.country, holidays.region, holidays.language, years):
        if first <= day <= last:
            found.append(FreeDay(_called(holidays, name), day))
    return found


@lru_cache(maxsize=100)  # each shift of a company asks for them anew
def _known(country: str, region: str, language: str, years: range) -> list[tuple[date, str]]:
    """The days that the library knows as a country's holidays, the earliest first, by name."""
    # The library takes a fifth of a second to load, which only who needs it shall wait for.
    from holidays import country_holidays

    known = country_holidays(country, subdiv=region or None, years=years, language=language or None)
    return [(day, str(known[day])) for day in sorted(known)]


def closed_between(
    holidays: PublicHolidays,
    closed_on: Collection[str],
    first: date,
    last: date,
) -> list[FreeDay]:
    """The holidays on which nobody works, those of a weekend on the weekdays in their place too.

    They are all of them, or those that a trade names in `closed_on`, as the country has it.
    """
    found = holidays_between(holidays, first, last)
    return [free for free in found if is_closed(holidays, closed_on, free)]


def is_closed(holidays: PublicHolidays, closed_on: Collection[str], free: FreeDay) -> bool:
    """Whether nobody works on a holiday."""
    return holidays.all_closed or free.name.removesuffix(OBSERVED) in closed_on


def _called(holidays: PublicHolidays, name: str) -> str:
    """A holiday's name, where the locale has another one than the library."""
    plain = name.removesuffix(OBSERVED)
    return holidays.names.get(plain, plain) + name[len(plain) :]
