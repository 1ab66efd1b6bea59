"""Season: the company's sales calendar, of which price books are the visible half.

It draws `books`: one standard book, four seasonal ones a year, and one for each holiday of a year,
each with its discounts.
It is drawn from the profile's period and the holidays of its world, and from no random numbers.
It drives the price books, prices (through Pricing) and the days on which people buy (through
ShoppingHabit).
It knows no products and no customers.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings, table
from schemas.lexicon import Holiday

# Meteorological seasons: each begins in the given month and lasts three.
QUARTERS = (("Spring", 3), ("Summer", 6), ("Fall", 9), ("Winter", 12))
QUARTER_MONTHS = 3
MONTHS_A_YEAR = 12

# Discounts in percent: a season's price changes are small, a clearance's large. Chosen by eye;
# those of holidays are in the lexicons.
SEASON_DISCOUNT = (3, 10)
CLEARANCE_DISCOUNT = (20, 40)
CLEARANCE_DAY, CLEARANCE_DAYS = 10, 7  # a week from the tenth: apart from most holidays

# Holidays are moved off the days that February lacks, so that every year has each.
LAST_SAFE_DAY = 28

# Price books stay active for some 13 months after they end, as companies keep last year's for
# comparison. Chosen so that an org has both active and inactive books.
DAYS_ACTIVE = 400


@dataclass(frozen=True, slots=True)
class Book:
    """One price book to be; both days included, discounts in percent (lowest, highest)."""

    name: str
    kind: str
    start: date
    end: date
    discount: tuple[int, int] = (0, 0)
    boost: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """What a CRM shows as the book's description."""
        days = f"{_long(self.start)} to {_long(self.end)}"
        if self.kind == "standard":
            return f"List prices of every product, valid {days}."
        lowest, highest = self.discount
        return f"{self.name} prices, valid {days}; {lowest} to {highest} percent below list price."


class Season:
    """The sales calendar."""

    name = "Season"
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = {
        "books": (
            "Id",
            "name",
            "kind",
            "start",
            "end",
            "lowest",
            "highest",
            "boost",
            "description",
            "standard",
            "active",
        )
    }
    drives = (
        "Pricebook2",
        "PricebookEntry.UnitPrice",
        "Order.EffectiveDate",
        "Order.Pricebook2Id",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The books of the period: standard first, then by first day."""
        setting = org.setting
        period = setting.profile.period
        count = setting.some("Pricebook2")
        books = calendar(period.start, period.end, setting.world.holidays, count)
        return (_books(books, period.end),)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None of its own: Pricing and ShoppingHabit show it."""
        return ()


def calendar(
    start: date,
    end: date,
    holidays: tuple[Holiday, ...],
    count: int,
) -> list[Book]:
    """`count` books for a period, both days included; the standard book first, then by first day.

    Seasons come before holidays, of which the earliest are dropped where there is no room; where
    there is room left, monthly clearances fill it, a second round of them if need be.
    """
    standard = Book("Standard Price Book", "standard", start, end)
    seasons = _within(_seasons(start, end), start, end)
    promotions = _within(_promotions(start, end, holidays), start, end)
    room = max(count - 1 - len(seasons), 0)
    clearances = _within(_clearances(start, end), start, end)
    extra: list[Book] = []
    for earlier in range(1 + room // max(len(clearances), 1)):
        extra += _renamed(clearances, earlier)
    # promotions[-0:] would be all of them.
    chosen = promotions[-room:] if room else []
    chosen += extra[: max(room - len(promotions), 0)]
    books = seasons[: max(count - 1, 0)] + chosen
    return [standard, *_sorted(books)][:count]


def active_from(today: date) -> date:
    """The first day on which a book may have ended and yet be active."""
    return today - timedelta(days=DAYS_ACTIVE)


def _years(start: date, end: date) -> range:
    return range(start.year, end.year + 1)


def _seasons(start: date, end: date) -> list[Book]:
    books = []
    for year in _years(start, end):
        for name, month in QUARTERS:
            first = date(year, month, 1)
            last = _months_on(first, QUARTER_MONTHS) - timedelta(days=1)
            books.append(Book(f"{name} {year}", "seasonal", first, last, SEASON_DISCOUNT))
    return books


def _promotions(start: date, end: date, holidays: tuple[Holiday, ...]) -> list[Book]:
    books = []
    for year in _years(start, end):
        books += [_promotion(holiday, year) for holiday in holidays]
    return books


def _promotion(holiday: Holiday, year: int) -> Book:
    first = date(year, holiday.month, min(holiday.day, LAST_SAFE_DAY))
    last = first + timedelta(days=holiday.length - 1)
    name = f"{holiday.name} {year}"
    return Book(name, "promotion", first, last, holiday.discount, holiday.boost)


def _clearances(start: date, end: date) -> list[Book]:
    books = []
    for year in _years(start, end):
        for month in range(1, MONTHS_A_YEAR + 1):
            first = date(year, month, CLEARANCE_DAY)
            last = first + timedelta(days=CLEARANCE_DAYS - 1)
            name = f"{first:%B} Clearance {year}"
            books.append(Book(name, "promotion", first, last, CLEARANCE_DISCOUNT))
    return books


def _renamed(books: list[Book], earlier: int) -> list[Book]:
    """The same books for another round, after so many earlier ones."""
    if not earlier:
        return books
    return [replace(book, name=f"{book.name}, Round {earlier + 1}") for book in books]


def _within(books: list[Book], start: date, end: date) -> list[Book]:
    """The books that touch the period, cut to it, by first day."""
    kept = []
    for book in books:
        if book.start <= end and book.end >= start:
            kept.append(replace(book, start=max(book.start, start), end=min(book.end, end)))
    return _sorted(kept)


def _sorted(books: list[Book]) -> list[Book]:
    return sorted(books, key=lambda book: (book.start, book.name))


def _months_on(first: date, months: int) -> date:
    month = first.month - 1 + months
    return date(first.year + month // MONTHS_A_YEAR, month % MONTHS_A_YEAR + 1, 1)


def _long(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


def _books(books: list[Book], today: date) -> Table:
    active_since = active_from(today)
    return table(
        "Season.books",
        {"Id": "Pricebook2"},
        Id=np.arange(len(books)),
        name=strings([book.name for book in books]),
        kind=strings([book.kind for book in books]),
        start=np.array([book.start for book in books], dtype="datetime64[D]"),
        end=np.array([book.end for book in books], dtype="datetime64[D]"),
        lowest=np.array([book.discount[0] for book in books]),
        highest=np.array([book.discount[1] for book in books]),
        boost=strings([",".join(book.boost) for book in books]),
        description=strings([book.says for book in books]),
        standard=np.array([book.kind == "standard" for book in books], dtype=bool),
        active=np.array([book.end >= active_since for book in books], dtype=bool),
    )
