"""Season: which price books a period has, when they hold, and which are still active."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.season import Book, Season, calendar
from pipeline.world.org import Org
from pipeline.world.tables import Table
from schemas.country import load_country
from schemas.profile import Period
from schemas.trade import load_trade
from schemas.world import Holiday
from tests.latent_orgs import job

CHRISTMAS = Holiday(
    name="Christmas Sale",
    month=12,
    day=20,
    length=7,
    discount=(10, 30),
    boost=("boots",),
)
LEAP = Holiday(name="Leap Sale", month=2, day=29, length=1, discount=(5, 10), boost=())
ENGLISH = load_country("en_US").language
START, END = date(2020, 1, 1), date(2023, 12, 31)


def books_until(end: date, start: date = date(2022, 1, 1)) -> Table:
    """The books of a period of the shoe company."""
    setting = job().setting
    profile = setting.profile.model_copy(update={"period": Period(start=start, end=end)})
    counts = {**setting.counts, "Pricebook2": 12}
    books, _ = Season().draw(Org(replace(setting, profile=profile, counts=counts)))
    return books


def by_name(books: list[Book]) -> dict[str, Book]:
    """Books by name, no name twice."""
    named = {book.name: book for book in books}
    assert len(named) == len(books)
    return named


@pytest.mark.parametrize(("end", "active"), [(date(2024, 1, 4), True), (date(2024, 1, 5), False)])
def test_a_book_is_active_until_400_days_after_its_end(end: date, active: bool) -> None:
    """Fall 2022 ends on November 30: 400 days later it is active still, a day later no more."""
    books = books_until(end)
    row = list(books["name"]).index("Fall 2022")
    assert str(books["end"][row]) == "2022-11-30"
    assert bool(books["active"][row]) is active


@pytest.mark.parametrize(("locale", "name"), [("en_US", "Fall"), ("en_GB", "Autumn")])
def test_seasons_are_called_as_the_country_calls_them(locale: str, name: str) -> None:
    """A British company has no price book of the fall; other countries' English is Europe's."""
    quarters = load_country(locale).english.seasons
    books = by_name(calendar(START, END, (), 18, quarters=quarters))
    assert f"{name} 2022" in books
    assert load_country("de_DE").english.seasons == load_country("en_GB").english.seasons


@settings(max_examples=200, deadline=None)
@given(
    first=st.dates(date(2018, 1, 1), date(2022, 1, 1)),
    days=st.integers(1, 1600),
    count=st.integers(1, 80),
)
def test_there_are_as_many_books_as_asked_for_each_within_the_period(
    first: date,
    days: int,
    count: int,
) -> None:
    """The standard book first, the others by first day, none outside of the period or twice."""
    last = first + timedelta(days=days)
    books = calendar(first, last, (CHRISTMAS,), count)
    by_name(books)
    assert len(books) <= count
    if days > 80:
        assert len(books) == count
    standard = books[0]
    assert (standard.name, standard.kind) == ("Standard Price Book", "standard")
    assert (standard.start, standard.end) == (first, last)
    assert all(first <= book.start <= book.end <= last for book in books)
    order = [(book.start, book.name) for book in books[1:]]
    assert order == sorted(order)


def test_every_day_has_exactly_one_season() -> None:
    """Seasons follow one another without a gap from the first day on, leap days included; prices of
    a season are list prices.
    """
    seasons = [book for book in calendar(START, END, (), 18) if book.kind == "seasonal"]
    assert len(seasons) == 17
    for before, after in zip(seasons, seasons[1:], strict=False):
        assert after.start == before.end + timedelta(days=1)
    assert (seasons[0].start, seasons[-1].end) == (START, END)
    named = by_name(seasons)
    assert named["Winter 2019"].end == date(2020, 2, 29)
    assert named["Spring 2021"].end == date(2021, 5, 31)
    assert named["Winter 2022"].end == date(2023, 2, 28)
    assert all(book.discount == (0, 0) for book in seasons)


def test_a_holiday_has_a_book_a_year_of_its_length() -> None:
    """A sale of seven days from December 20 ends on the 26th, with the holiday's discounts, for
    the categories that it names alone.
    """
    books = by_name(calendar(START, END, (CHRISTMAS,), 22))
    sale = books["Christmas Sale 2020"]
    assert (sale.start, sale.end) == (date(2020, 12, 20), date(2020, 12, 26))
    assert (sale.kind, sale.discount, sale.boost) == ("promotion", (10, 30), ("boots",))
    assert not sale.storewide
    assert len([name for name in books if name.startswith("Christmas")]) == 4


def test_a_holiday_on_a_leap_day_has_a_book_every_year() -> None:
    """February 29 becomes the 28th, in every year alike; without categories it is for all."""
    books = calendar(START, END, (LEAP,), 22)
    leap = [book for book in books if book.name.startswith("Leap")]
    assert [book.start for book in leap] == [date(year, 2, 28) for year in range(2020, 2024)]
    assert all(book.storewide for book in leap)


@pytest.mark.parametrize(
    ("count", "years"), [(18, []), (19, [2023]), (20, [2022, 2023]), (22, [2020, 2021, 2022, 2023])]
)
def test_where_room_is_short_the_latest_holidays_stay(count: int, years: list[int]) -> None:
    """One standard and seventeen seasonal books come first; of the holidays the earliest go."""
    books = calendar(START, END, (CHRISTMAS,), count)
    assert len(books) == count
    assert [book.start.year for book in books if book.kind == "promotion"] == years


def test_the_days_of_a_promotion_are_lifted_and_a_dip_follows() -> None:
    """More is bought on the days of a promotion, the more the higher its discount, less after it,
    and as much as usual in time.
    """
    setting = job().setting
    books, days = Season().draw(Org(setting))
    names = {name: row for row, name in enumerate(books["name"])}
    sale = days["promotion"] == names["Black Friday 2022"]
    trail = days["promotion"] == names["Spring Trail Days 2022"]
    assert sale.sum() == 11
    assert days["lift"][sale].min() > days["lift"][trail].max() > 1.15
    after = np.flatnonzero(sale)[-1] + 1
    assert days["lift"][after : after + 5].max() < 0.9
    assert (np.diff(days["lift"][after : after + 5]) >= 0).all()
    assert set(days["phase"][after : after + 5]) == {"dip"}
    usual = days["phase"] == "usual"
    assert (days["lift"][usual] >= 0.9).all() and (days["lift"][usual] <= 1).all()


def test_every_day_has_a_regular_book_and_at_most_one_promotion() -> None:
    """The regular book of a day is its season's; of promotions the one that began last holds."""
    setting = job().setting
    books, days = Season().draw(Org(setting))
    for role, kind in (("regular", "seasonal"), ("promotion", "promotion")):
        rows = np.flatnonzero(days[role] >= 0)
        book = days[role][rows]
        assert set(books["kind"][book]) == {kind}
        assert (books["start"][book] <= days["day"][rows]).all()
        assert (books["end"][book] >= days["day"][rows]).all()
    assert (days["regular"] >= 0).all()


def test_without_seasons_the_standard_book_holds() -> None:
    """Where there is one book, it holds every day and nothing is promoted."""
    setting = job().setting
    counts = {**setting.counts, "Pricebook2": 1}
    books, days = Season().draw(Org(replace(setting, counts=counts)))
    assert books.size == 1
    assert not days["regular"].any()
    assert (days["promotion"] == -1).all() and (days["lift"] == 1).all()


def test_where_room_is_left_further_promotions_fill_it() -> None:
    """They last a week from a month's tenth, named and priced as the trade says; a second round
    has names of its own.
    """
    books = calendar(date(2022, 1, 1), date(2022, 12, 31), (), 1 + 5 + 12 + 2)
    named = by_name(books)
    march = named["March Clearance 2022"]
    assert (march.start, march.end) == (date(2022, 3, 10), date(2022, 3, 16))
    assert march.discount == (20, 40)
    assert sorted(name for name in named if "Round" in name) == [
        "February Clearance 2022, Round 2",
        "January Clearance 2022, Round 2",
    ]
    assert named["January Clearance 2022, Round 2"].start == date(2022, 1, 10)


def test_a_bank_has_no_clearance() -> None:
    """What a book is called and what it says is the trade's: a bank's further books are offers."""
    promotions = load_trade("accounts").range.promotions
    books = calendar(date(2022, 1, 1), date(2022, 12, 31), (), 8, promotions)
    named = by_name(books)
    assert "Spring 2022 Fees and Rates" in named
    offer = named["January Bonus Offer 2022"]
    assert "bonus" in offer.says(ENGLISH) and "below list price" not in offer.says(ENGLISH)


def test_a_season_that_begins_on_the_last_day_is_kept() -> None:
    """Both ends of the period count: a book that only touches one of them lasts a day."""
    books = calendar(date(2022, 2, 28), date(2022, 6, 1), (), 5)
    assert [(book.name, book.start, book.end) for book in books[1:]] == [
        ("Winter 2021", date(2022, 2, 28), date(2022, 2, 28)),
        ("Spring 2022", date(2022, 3, 1), date(2022, 5, 31)),
        ("March Clearance 2022", date(2022, 3, 10), date(2022, 3, 16)),
        ("Summer 2022", date(2022, 6, 1), date(2022, 6, 1)),
    ]


def test_a_book_says_when_it_holds() -> None:
    """Descriptions name both days in words, and a promotion's its discounts."""
    standard, winter, spring, sale = calendar(date(2022, 1, 1), date(2022, 5, 31), (LEAP,), 4)
    assert standard.says(ENGLISH) == (
        "List prices of every product, valid January 1, 2022 to May 31, 2022."
    )
    assert (
        winter.says(ENGLISH)
        == "Prices of the season's range, valid January 1, 2022 to February 28, 2022."
    )
    assert (
        sale.says(ENGLISH) == "Prices of the season's range, valid March 1, 2022 to May 31, 2022."
    )
    assert spring.says(ENGLISH) == (
        "Leap Sale 2022 prices, valid February 28, 2022 to February 28, 2022; 5 to 10 percent below"
        " list price."
    )
