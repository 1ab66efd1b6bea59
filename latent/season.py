"""Season: the company's sales calendar, of which price books are the visible half.

Draws  `books`: one standard book, four seasonal ones a year, one for each holiday of a year, each
       with its discounts.
From   the profile's period and the holidays of its world.
Drives Pricebook2, prices (through Pricing) and the days on which people buy (through
ShoppingHabit).
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings, table
from schemas.lexicon import Holiday

QUARTERS = (("Spring", 3), ("Summer", 6), ("Fall", 9), ("Winter", 12))


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
        days = (
            f"{self.start:%B} {self.start.day}, {self.start.year} to {self.end:%B} {self.end.day},"
            f" {self.end.year}"
        )
        if self.kind == "standard":
            return f"List prices of every product, valid {days}."
        return (
            f"{self.name} prices, valid {days}; {self.discount[0]} to {self.discount[1]} percent"
            " below list price."
        )


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
        "Pricebook2.Name",
        "Pricebook2.ValidFrom",
        "Pricebook2.ValidTo",
        "Pricing",
        "ShoppingHabit",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The books of the period: standard first, then by first day."""
        setting = org.setting
        period = setting.profile.period
        books = calendar(
            period.start, period.end, setting.world.holidays, setting.some("Pricebook2")
        )
        return (_books(books, period.end),)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None of its own: Pricing and ShoppingHabit show it."""
        return ()


def calendar(start: date, end: date, holidays: tuple[Holiday, ...], count: int) -> list[Book]:
    """`count` books for a period: seasons first, then holidays (the earliest dropped), then monthly
    clearances.
    """
    standard = Book("Standard Price Book", "standard", start, end)
    seasons = _within(_seasons(start, end), start, end)
    promotions = _within(
        [
            _promotion(holiday, year)
            for year in range(start.year, end.year + 1)
            for holiday in holidays
        ],
        start,
        end,
    )
    room = max(count - 1 - len(seasons), 0)
    chosen = promotions[-room:] if room else []
    clearances = _within(_clearances(start, end), start, end)
    extra = [
        book
        for at in range(1 + room // max(len(clearances), 1))
        for book in _renamed(clearances, at)
    ]
    books = seasons[: max(count - 1, 0)] + chosen + extra[: max(room - len(promotions), 0)]
    return [standard, *sorted(books, key=lambda book: (book.start, book.name))][:count]


def _seasons(start: date, end: date) -> list[Book]:
    firsts = [
        (f"{name} {year}", date(year, month, 1))
        for year in range(start.year, end.year + 1)
        for name, month in QUARTERS
    ]
    return [
        Book(name, "seasonal", first, _months_on(first, 3) - timedelta(days=1), (3, 10))
        for name, first in firsts
    ]


def _promotion(holiday: Holiday, year: int) -> Book:
    first = date(year, holiday.month, min(holiday.day, 28))
    return Book(
        f"{holiday.name} {year}",
        "promotion",
        first,
        first + timedelta(days=holiday.length - 1),
        holiday.discount,
        holiday.boost,
    )


def _clearances(start: date, end: date) -> list[Book]:
    months = [
        date(year, month, 10) for year in range(start.year, end.year + 1) for month in range(1, 13)
    ]
    return [
        Book(
            f"{first:%B} Clearance {first.year}",
            "promotion",
            first,
            first + timedelta(days=6),
            (20, 40),
        )
        for first in months
    ]


def _renamed(books: list[Book], at: int) -> list[Book]:
    if not at:
        return books
    return [
        Book(f"{book.name}, Round {at + 1}", book.kind, book.start, book.end, book.discount)
        for book in books
    ]


def _within(books: list[Book], start: date, end: date) -> list[Book]:
    kept = [
        Book(
            book.name,
            book.kind,
            max(book.start, start),
            min(book.end, end),
            book.discount,
            book.boost,
        )
        for book in books
        if book.start <= end and book.end >= start
    ]
    return sorted(kept, key=lambda book: (book.start, book.name))


def _months_on(first: date, months: int) -> date:
    month = first.month - 1 + months
    return date(first.year + month // 12, month % 12 + 1, 1)


def _books(books: list[Book], today: date) -> Table:
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
        active=np.array([book.end >= today - timedelta(days=400) for book in books], dtype=bool),
    )
