"""Season: which price books a period has, when they hold, and which are still active."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.season import Book, Season, calendar
from pipeline.world.org import Org
from pipeline.world.tables import Table
from schemas.lexicon import Holiday
from schemas.profile import Period
from tests.latent_orgs import job

CHRISTMAS = Holiday(
    name="Christmas Sale", month=12, day=20, length=7, discount=(10, 30), boost=("boots",)
)
LEAP = Holiday(name="Leap Sale", month=2, day=29, length=1, discount=(5, 10), boost=())
START, END = date(2020, 1, 1), date(2023, 12, 31)


def books_until(end: date, start: date = date(2022, 1, 1)) -> Table:
    """The books of a period of the shoe company."""
    setting = job().setting
    profile = setting.profile.model_copy(update={"period": Period(start=start, end=end)})
    counts = {**setting.counts, "Pricebook2": 12}
    (books,) = Season().draw(Org(replace(setting, profile=profile, counts=counts)))
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


@settings(max_examples=200, deadline=None)
@given(
    first=st.dates(date(2018, 1, 1), date(2022, 1, 1)),
    days=st.integers(1, 1600),
    count=st.integers(1, 80),
)
def test_there_are_as_many_books_as_asked_for_each_within_the_period(
    first: date, days: int, count: int
) -> None:
    """The standard book first, the others by first day, none outside of the period or twice."""
    last = first + timedelta(days=days)
    books = calendar(first, last, (CHRISTMAS,), count)
    by_name(books)
    assert len(books) <= count
    if days > 80:
        assert len(books) == count
    assert books[0] == Book("Standard Price Book", "standard", first, last)
    assert all(first <= book.start <= book.end <= last for book in books)
    order = [(book.start, book.name) for book in books[1:]]
    assert order == sorted(order)


def test_every_day_has_exactly_one_season() -> None:
    """Seasons follow one another without a gap from the first March on, leap days included."""
    seasons = [book for book in calendar(START, END, (), 18) if book.kind == "seasonal"]
    assert len(seasons) == 16
    for before, after in zip(seasons, seasons[1:], strict=False):
        assert after.start == before.end + timedelta(days=1)
    assert (seasons[0].start, seasons[-1].end) == (date(2020, 3, 1), END)
    named = by_name(seasons)
    assert named["Spring 2021"].end == date(2021, 5, 31)
    assert named["Winter 2022"].end == date(2023, 2, 28)
    assert all(book.discount == (3, 10) for book in seasons)


def test_a_holiday_has_a_book_a_year_of_its_length() -> None:
    """A sale of seven days from December 20 ends on the 26th, with the holiday's discounts."""
    books = by_name(calendar(START, END, (CHRISTMAS,), 21))
    sale = books["Christmas Sale 2020"]
    assert (sale.start, sale.end) == (date(2020, 12, 20), date(2020, 12, 26))
    assert (sale.kind, sale.discount, sale.boost) == ("promotion", (10, 30), ("boots",))
    assert len([name for name in books if name.startswith("Christmas")]) == 4


def test_a_holiday_on_a_leap_day_has_a_book_every_year() -> None:
    """February 29 becomes the 28th, in every year alike."""
    books = calendar(START, END, (LEAP,), 21)
    days = [book.start for book in books if book.name.startswith("Leap")]
    assert days == [date(year, 2, 28) for year in (2020, 2021, 2022, 2023)]


@pytest.mark.parametrize(
    ("count", "years"), [(17, []), (18, [2023]), (19, [2022, 2023]), (21, [2020, 2021, 2022, 2023])]
)
def test_where_room_is_short_the_latest_holidays_stay(count: int, years: list[int]) -> None:
    """One standard and sixteen seasonal books come first; of the holidays the earliest go."""
    books = calendar(START, END, (CHRISTMAS,), count)
    assert len(books) == count
    assert [book.start.year for book in books if book.kind == "promotion"] == years


def test_where_room_is_left_clearances_fill_it() -> None:
    """A clearance is a week from a month's tenth; a second round has names of its own."""
    books = calendar(date(2022, 1, 1), date(2022, 12, 31), (), 1 + 4 + 12 + 2)
    named = by_name(books)
    march = named["March Clearance 2022"]
    assert (march.start, march.end) == (date(2022, 3, 10), date(2022, 3, 16))
    assert march.discount == (20, 40)
    assert sorted(name for name in named if "Round" in name) == [
        "February Clearance 2022, Round 2",
        "January Clearance 2022, Round 2",
    ]
    assert named["January Clearance 2022, Round 2"].start == date(2022, 1, 10)


def test_a_season_that_begins_on_the_last_day_is_kept() -> None:
    """Both ends of the period count: a book that only touches one of them lasts a day."""
    books = calendar(date(2022, 2, 28), date(2022, 6, 1), (), 4)
    assert [(book.name, book.start, book.end) for book in books[1:]] == [
        ("Spring 2022", date(2022, 3, 1), date(2022, 5, 31)),
        ("March Clearance 2022", date(2022, 3, 10), date(2022, 3, 16)),
        ("Summer 2022", date(2022, 6, 1), date(2022, 6, 1)),
    ]


def test_the_season_of_the_year_before_is_not_looked_for() -> None:
    """January and February of the first year have no winter book: the year's begins in December."""
    books = by_name(calendar(date(2022, 1, 1), date(2022, 12, 31), (), 5))
    assert list(books) == [
        "Standard Price Book",
        "Spring 2022",
        "Summer 2022",
        "Fall 2022",
        "Winter 2022",
    ]


def test_a_book_says_when_it_holds() -> None:
    """Descriptions name both days in words, and the discounts of all but the standard book."""
    standard, spring = calendar(date(2022, 1, 1), date(2022, 5, 31), (), 2)
    assert standard.says == ("List prices of every product, valid January 1, 2022 to May 31, 2022.")
    assert spring.says == (
        "Spring 2022 prices, valid March 1, 2022 to May 31, 2022; 3 to 10 percent below list price."
    )
