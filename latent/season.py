"""Season: the company's sales calendar, of which price books are the visible half.

It draws `books`: one standard book, four seasonal ones a year, and one for each holiday of a year,
each with its discounts and the categories it is for; and `days`: the book of regular prices and the
promotion of each day, and how much more (or less) than usual is bought on it.
It is drawn from the profile's period, the categories and holidays of its world and the promotions
of its trade, and from no random numbers.
It drives the price books, prices (through Pricing) and the days on which people buy (through
ShoppingHabit).
It knows no products and no customers.
"""

import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from latent.assortment import stated_categories
from latent.significance import poisson_slope
from latent.statistics import digits
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.language import AMERICAN_SEASONS, WrittenLanguage
from schemas.selling import Promotions
from schemas.trade import load_trade
from schemas.world import Holiday

# Meteorological seasons, from spring on: each begins in its month and lasts three.
QUARTERS = (3, 6, 9, 12)
QUARTER_MONTHS = 3
MONTHS_A_YEAR = 12

EXTRA_DAY, EXTRA_DAYS = 10, 7  # further promotions: a week from the tenth, apart from most holidays

# No promotion sells more than so many times the usual, and no dip is deeper than this share of it:
# people come for other reasons too.
HIGHEST_LIFT = 4.0
LOWEST_DIP = 0.3

# The days before a promotion that it is measured by, and the demand below which a day is in a dip.
DAYS_BEFORE = 14
DIPPED = 0.9

# The orders of each day, with what could hide a promotion or a dip: the month of the year, the
# year, and which promotion it is.
ORDERS_A_DAY = """
    SELECT d.phase,
           d.lift,
           count(o.Id),
           substr(d.day, 6, 2),
           substr(d.day, 1, 4),
           coalesce(substr(b.name, 1, length(b.name) - 5), '')
    FROM latent."Season.days" d
    LEFT JOIN latent."Season.books" b ON b.Id = d.promotion
    LEFT JOIN "Order" o ON o.EffectiveDate = d.day
    GROUP BY d.day
"""

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
    storewide: bool = True
    wording: str = ""

    def says(self, language: WrittenLanguage) -> str:
        """What a CRM shows as the book's description."""
        days = f"{language.written_day(self.start)} to {language.written_day(self.end)}"
        lowest, highest = self.discount
        return self.wording.format(name=self.name, days=days, lowest=lowest, highest=highest)


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
            "storewide",
            "description",
            "standard",
            "active",
            "ended",
        ),
        "days": ("day", "regular", "promotion", "lift", "phase"),
    }
    drives = (
        "Pricebook2",
        "PricebookEntry.UnitPrice",
        "Order.EffectiveDate",
        "Order.Pricebook2Id",
    )
    references: Mapping[str, str] = {"regular": "Pricebook2", "promotion": "Pricebook2"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The books of the period, standard first, then by first day; and the period's days."""
        setting = org.setting
        period = setting.profile.period
        count = setting.some("Pricebook2")
        promotions = setting.world.trade.range.promotions
        english, holidays = setting.country.english, setting.world.holidays
        stated = calendar(period.start, period.end, holidays, count, promotions, english.seasons)
        books = _books(stated, period.end, english)
        return books, _days(setting, books)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """More is ordered in promotions than on other days of the season, and less after them."""
        rows = org.execute(ORDERS_A_DAY).fetchall()
        phase, lift, orders, month, year, promotion = (
            np.array(column) for column in zip(*rows, strict=True)
        )
        promoted = phase == "promotion"
        missing = np.where(promoted, 0.0, 1 - np.minimum(lift.astype(float), 1.0))
        lifted = poisson_slope(orders, promoted, (month, year, phase == "dip"))
        dip = poisson_slope(orders, missing, (month, year, promotion))
        after = "after promotions, the more the more was sold ahead"
        return (
            _effect("promotions against other days", lifted, len(rows)),
            _effect(after, dip, len(rows), sign=-1),
        )


def _effect(says: str, fit: tuple[float, float], records: int, sign: int = 1) -> Effect:
    """What a slope and its p say of so many days."""
    slope, p = fit
    return Effect(
        variable=Season.name,
        says=says,
        measure="logarithm of orders a day",
        size=slope,
        p=p,
        records=records,
        expected_sign=sign,
        seen=_times(slope),
    )


def _times(slope: float) -> tuple[tuple[float, float], ...]:
    """How many times as much is ordered a day with the cause as without it, months and years being
    equal.
    """
    return (0.0, 1.0), (1.0, digits(math.exp(slope)))


def calendar(
    start: date,
    end: date,
    holidays: tuple[Holiday, ...],
    count: int,
    promotions: Promotions | None = None,
    quarters: tuple[str, ...] = AMERICAN_SEASONS,
) -> list[Book]:
    """`count` books for a period, both days included; the standard book first, then by first day.

    Seasons come before holidays, of which the earliest are dropped where there is no room; where
    there is room left, monthly promotions fill it, a second round of them if need be. `promotions`
    says what books are called; it is that of goods without one. `quarters` are the names of the
    seasons, from spring on.
    """
    named = promotions or load_trade().range.promotions
    standard = Book(named.standard, "standard", start, end, wording=named.standard_says)
    seasons = _within(_seasons(start, end, named, quarters), start, end)
    occasions = _within(_occasions(start, end, holidays, named), start, end)
    room = max(count - 1 - len(seasons), 0)
    further = _within(_further(start, end, named), start, end)
    extra: list[Book] = []
    for earlier in range(1 + room // max(len(further), 1)):
        extra += _renamed(further, earlier)
    # occasions[-0:] would be all of them.
    chosen = occasions[-room:] if room else []
    chosen += extra[: max(room - len(occasions), 0)]
    books = seasons[: max(count - 1, 0)] + chosen
    return [standard, *_sorted(books)][:count]


def active_from(today: date) -> date:
    """The first day on which a book may have ended and yet be active."""
    return today - timedelta(days=DAYS_ACTIVE)


def _years(start: date, end: date) -> range:
    return range(start.year, end.year + 1)


def _seasons(
    start: date,
    end: date,
    named: Promotions,
    quarters: tuple[str, ...],
) -> list[Book]:
    """The quarters from the one before the period's first year on: each day has one."""
    books = []
    for year in range(start.year - 1, end.year + 1):
        for season, month in zip(quarters, QUARTERS, strict=True):
            first = date(year, month, 1)
            last = _months_on(first, QUARTER_MONTHS) - timedelta(days=1)
            name = named.seasonal.format(season=season, year=year)
            books.append(Book(name, "seasonal", first, last, wording=named.seasonal_says))
    return books


def _occasions(
    start: date,
    end: date,
    holidays: tuple[Holiday, ...],
    named: Promotions,
) -> list[Book]:
    books = []
    for year in _years(start, end):
        books += [_promotion(holiday, year, named) for holiday in holidays]
    return books


def _promotion(holiday: Holiday, year: int, named: Promotions) -> Book:
    first = date(year, holiday.month, min(holiday.day, LAST_SAFE_DAY))
    return Book(
        name=f"{holiday.name} {year}",
        kind="promotion",
        start=first,
        end=first + timedelta(days=holiday.length - 1),
        discount=holiday.discount,
        boost=holiday.boost,
        storewide=holiday.storewide or not holiday.boost,
        wording=named.says,
    )


def _further(start: date, end: date, named: Promotions) -> list[Book]:
    books = []
    for year in _years(start, end):
        for month in range(1, MONTHS_A_YEAR + 1):
            first = date(year, month, EXTRA_DAY)
            last = first + timedelta(days=EXTRA_DAYS - 1)
            name = named.extra.format(month=f"{first:%B}", year=year)
            discount = named.extra_discount
            books.append(Book(name, "promotion", first, last, discount, wording=named.says))
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


def _books(books: list[Book], today: date, language: WrittenLanguage) -> Table:
    active_since = active_from(today)
    never = np.datetime64("NaT", "D")
    end = np.array([book.end for book in books], dtype="datetime64[D]")
    active = end >= np.datetime64(active_since)
    switched_off = end + np.timedelta64(DAYS_ACTIVE, "D")
    return table(
        "Season.books",
        {"Id": "Pricebook2"},
        Id=np.arange(len(books)),
        name=strings([book.name for book in books]),
        kind=strings([book.kind for book in books]),
        start=np.array([book.start for book in books], dtype="datetime64[D]"),
        end=end,
        lowest=np.array([book.discount[0] for book in books]),
        highest=np.array([book.discount[1] for book in books]),
        boost=strings([",".join(book.boost) for book in books]),
        storewide=np.array([book.storewide for book in books], dtype=bool),
        description=strings([book.says(language) for book in books]),
        standard=np.array([book.kind == "standard" for book in books], dtype=bool),
        active=active,
        ended=np.where(active, never, switched_off),
    )


def _days(setting: RunContext, books: Table) -> Table:
    """Every day of the period: which books hold on it, and what promotions do to its demand.

    Of several promotions on a day the one that began last holds. `lift` multiplies the usual
    demand; `phase` is `promotion`, `dip` (after one), `before` (the two weeks before one) or
    `usual`.
    """
    days = np.arange(setting.first_day, setting.last_day + 1)
    regular, promotion, before = _held(books, days)
    lift = np.ones(len(days))
    share = np.ones(len(days))
    for row in np.flatnonzero(books["kind"] == "promotion").tolist():
        held = np.flatnonzero(promotion == row)
        if len(held):
            lift[held] = _lifts(setting, books, row, days[held])
            _borrow(setting, share, held, float((lift[held] - 1).sum()))
    free = promotion == NONE
    dipped = free & (share < DIPPED)
    lift[free] = share[free]
    return table(
        "Season.days",
        {"regular": "Pricebook2", "promotion": "Pricebook2"},
        day=days,
        regular=regular,
        promotion=promotion,
        lift=np.round(lift, 4),
        phase=np.select([~free, dipped, before], ["promotion", "dip", "before"], "usual").astype(
            object
        ),
    )


def _held(books: Table, days: Array) -> tuple[Array, Array, Array]:
    """The regular book and the promotion of each day, and whether it is shortly before one."""
    regular = np.zeros(len(days), dtype=np.int64)
    promotion = np.full(len(days), NONE)
    before = np.zeros(len(days), dtype=bool)
    starts = (books["start"] - days[0]).astype(int)
    ends = (books["end"] - days[0]).astype(int) + 1
    for row, kind in enumerate(books["kind"]):
        if kind == "seasonal":
            regular[starts[row] : ends[row]] = row
        elif kind == "promotion":
            promotion[starts[row] : ends[row]] = row
            before[max(starts[row] - DAYS_BEFORE, 0) : starts[row]] = True
    return regular, promotion, before


def category_pull(setting: RunContext, books: Table, book: int) -> Array:
    """How much more of each category is bought while a promotion's book holds."""
    promotions = setting.world.trade.range.promotions
    boost = books["boost"][book].split(",")
    boosted = np.array([category.key in boost for category in stated_categories(setting)])
    highest = 1 + promotions.lift * float(books["highest"][book])
    lowest = 1 + promotions.lift * float(books["lowest"][book])
    others = lowest if books["storewide"][book] else 1.0
    return np.minimum(np.where(boosted, highest, others), HIGHEST_LIFT)


def peak_pull(setting: RunContext, days: Array) -> Array:
    """Days × categories: how much more is bought of each, because it is its season."""
    months = days.astype("datetime64[M]").astype(int) % MONTHS_A_YEAR + 1
    peaks = []
    for category in stated_categories(setting):
        peaks.append(np.isin(months, category.peak))
    return np.where(np.stack(peaks, axis=1), setting.world.trade.range.peak, 1.0)


def _lifts(setting: RunContext, books: Table, book: int, days: Array) -> Array:
    """How much more is bought in all on the days of a promotion.

    What it is for sells more; how much that is of all depends on the season.
    """
    weights = np.array([category.weight for category in stated_categories(setting)])
    usual = weights * peak_pull(setting, days)
    lifted = usual * category_pull(setting, books, book)
    return np.asarray(lifted.sum(axis=1) / usual.sum(axis=1))


def _borrow(setting: RunContext, share: Array, held: Array, more: float) -> None:
    """Takes what a promotion sold `more` (in days of usual demand) partly from the days after it.

    The first days lack most, and the last of `dip_days` next to nothing.
    """
    promotions = setting.world.trade.range.promotions
    left = np.arange(promotions.dip_days, 0, -1)
    missing = promotions.borrowed * more * left / left.sum()
    after = held[-1] + 1 + np.arange(promotions.dip_days)
    inside = after < len(share)
    share[after[inside]] = np.maximum(share[after[inside]] - missing[inside], LOWEST_DIP)
