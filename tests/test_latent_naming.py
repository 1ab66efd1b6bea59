"""How customers call things, how long acts of speech are, and on which holidays nobody works."""

from datetime import date

import pytest

from latent.holidays import FreeDay, closed_between, holidays_between, is_closed
from latent.naming import FULL, KIND, OUR, SHORT, THE, VAGUE, NamedThing, in_full, thing_of
from latent.wordiness import USUAL, WORDS, usual_words
from schemas.country import PublicHolidays, known_locales, load_country

pytestmark = pytest.mark.quick

SHOES = NamedThing("Skerrin Pace Trainer", "running shoes", True, "Dark Brown")
LOAN = NamedThing("Trellick Veteran Home Loan", "home loan", False)
AMERICA = load_country("en_US").holidays
CLOSED_ON = ("Thanksgiving Day", "Christmas Day", "New Year's Day")


@pytest.mark.parametrize(
    ("way", "shoes", "loan"),
    [
        (FULL, "my Skerrin Pace Trainer shoes", "my Trellick Veteran Home Loan"),
        (SHORT, "my Skerrin running shoes", "my Trellick home loan"),
        (KIND, "my running shoes", "my home loan"),
        (VAGUE, "my brown shoes", "my loan"),
    ],
)
def test_a_thing_is_called_in_four_ways(way: str, shoes: str, loan: str) -> None:
    """From its full name to hardly at all, in the number of its kind."""
    assert thing_of(SHOES, way) == shoes
    assert thing_of(LOAN, way) == loan


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Skerrin Trail Boot", "Skerrin Trail Boots"),
        ("Skerrin Trail Boots", "Skerrin Trail Boots"),
        ("Skerrin Day Hiker", "Skerrin Day Hiker boots"),
        ("Skerrin Boot Gorge", "Skerrin Boot Gorge boots"),
    ],
)
def test_a_name_in_the_catalog_has_no_plural(name: str, called: str) -> None:
    """Only the kind has one, at the end of the name or behind it; of one thing there is none."""
    assert in_full(name, "hiking boots", True) == called
    assert in_full(name, "hiking boots", False) == name


def test_a_maker_that_is_the_kind_is_said_once() -> None:
    """Nobody says "the boots boots"."""
    boots = NamedThing("Boots Classic", "boots", True)
    assert thing_of(boots, SHORT) == "my boots"
    assert thing_of(NamedThing("", "boots", True), SHORT) == "my boots"


def test_a_maker_of_two_words_is_said_whole() -> None:
    """Nobody says "my Quarrel gas plan"."""
    gas = NamedThing("Quarrel Hill Home Gas", "gas plan", False, owner=OUR)
    assert thing_of(gas, SHORT) == "our Quarrel Hill gas plan"


def test_without_a_color_a_vague_name_is_the_last_word_of_the_kind() -> None:
    """A single thing is never called by its color."""
    assert thing_of(NamedThing("A B", "running shoes", True, owner=THE), VAGUE) == "the shoes"
    assert thing_of(NamedThing("A B", "rain coat", False, "Red"), VAGUE) == "my coat"


def test_the_words_of_a_line_are_those_of_its_acts() -> None:
    """Acts are added up, and no act has no words."""
    assert usual_words([]) == 0
    assert usual_words(["c.hello", "c.open"]) == WORDS["c.hello"] + WORDS["c.open"]


@pytest.mark.parametrize(
    ("act", "known"),
    [
        ("issue.sign.spot.toe", "issue.sign"),
        ("c.open.full", "c.open.full"),
        ("c.open.short", "c.open"),
        ("a.hold.on.again", "a.hold.on"),
    ],
)
def test_what_stands_behind_an_acts_name_are_its_arguments(act: str, known: str) -> None:
    """The longest name that is known counts."""
    assert usual_words([act]) == WORDS[known]


def test_an_unknown_act_has_the_usual_number_of_words() -> None:
    """An industry may have acts of its own."""
    assert usual_words(["z.new", ""]) == 2 * USUAL


@pytest.mark.parametrize("locale", known_locales())
def test_holidays_of_a_period_lie_in_it_in_order(locale: str) -> None:
    """Both ends belong to it, and every holiday has a name."""
    holidays = load_country(locale).holidays
    first, last = date(2021, 1, 1), date(2022, 1, 1)
    days = [free.day for free in holidays_between(holidays, first, last)]
    assert days == sorted(days)
    assert days[0] == first and days[-1] == last
    assert all(free.name for free in holidays_between(holidays, first, last))


def test_nobody_works_on_the_holidays_that_a_trade_names() -> None:
    """The others are days of work."""
    closed = closed_between(AMERICA, CLOSED_ON, date(2021, 11, 1), date(2021, 12, 26))
    assert [(free.name, free.day.day) for free in closed] == [
        ("Thanksgiving Day", 25),
        ("Christmas Day (observed)", 24),
        ("Christmas Day", 25),
    ]


def test_a_weekday_in_a_holidays_place_may_lie_in_the_year_before() -> None:
    """New Year's Day of 2022 is a Saturday and kept on the last day of 2021."""
    closed = closed_between(AMERICA, CLOSED_ON, date(2021, 12, 31), date(2021, 12, 31))
    assert [free.name for free in closed] == ["New Year's Day (observed)"]


def test_where_all_holidays_are_kept_no_trade_says_which() -> None:
    """A country's own file says that nobody works on any of them."""
    free = FreeDay("Any Day", date(2021, 5, 5))
    everywhere = PublicHolidays(country="DE")
    some = PublicHolidays(country="US", all_closed=False)
    assert is_closed(everywhere, (), free)
    assert not is_closed(some, ("Other Day",), free)
    assert is_closed(some, ("Any Day",), FreeDay("Any Day (observed)", free.day))


def test_a_locale_may_call_a_holiday_otherwise_than_the_library() -> None:
    """The other name stands for the weekday in its place, too."""
    named = AMERICA.model_copy(update={"names": {"Christmas Day": "Xmas"}})
    found = holidays_between(named, date(2021, 12, 24), date(2021, 12, 25))
    assert [free.name for free in found] == ["Xmas (observed)", "Xmas"]
