"""Sums, shares and days stand in texts as people write them."""

import pytest

from pipeline.write.facts_as_written import (
    as_written,
    day_ordered,
    from_today,
    in_business_days,
    told_span,
)

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("phrase", "written"),
    [
        ("a credit of 25 dollars", "a credit of $25"),
        ("a partial refund of 20 percent", "a partial refund of 20%"),
        ("a full refund", "a full refund"),
        ("two extra seats", "two extra seats"),
    ],
)
def test_a_remedy_is_written_with_signs(phrase: str, written: str) -> None:
    """Nobody types the word dollars."""
    assert as_written({"option": phrase})["option"] == written
    assert as_written({"wish": phrase})["wish"] == written


def test_what_is_refused_is_named_without_its_sum() -> None:
    """The customer asked for some credit; that it would be of $25, only the desk knows."""
    written = as_written({"wish": "a $25 goodwill credit", "option": "a $25 goodwill credit"})
    assert written["option"] == "a $25 goodwill credit"
    assert written["wish"] == "a goodwill credit"
    assert as_written({"wish": "a $20 annual pass"})["wish"] == "an annual pass"


def test_a_day_has_its_weekday_and_no_year() -> None:
    """What is days away goes without its year."""
    facts = {"due_day": "Thursday", "due_date": "August 17, 2023", "back_date": "August 28, 2023"}
    written = as_written(facts)
    assert written["due"] == "Thursday, August 17"
    assert written["back_by"] == "August 28"


@pytest.mark.parametrize(
    ("moment", "told"),
    [("2021-08-02T12:00:00", "May 2"), ("2022-08-02T12:00:00", None), ("", None)],
)
def test_the_day_of_an_order_has_its_year_where_it_is_long_ago(
    moment: str, told: str | None
) -> None:
    """Nobody says which year of somebody who bought in May and writes in August."""
    facts = {"order_date": "May 2, 2021", "at": moment, "zone": "UTC"}
    assert day_ordered(facts).get("order_date") == told


BACK = "option.tell.refund"
# Dana Whitlock tells how long things take, Jo Fox spells the number, and Max Stone tells the day.
BY_SPAN, SPELLED, BY_DAY = "Dana Whitlock", "Jo Fox", "Max Stone"


@pytest.mark.parametrize(
    ("agent", "text", "told"),
    [
        (BY_SPAN, "You'd have it by Monday, March 8.", "You'd have it within 3 business days."),
        (BY_SPAN, "By Monday, March 8 it's there.", "Within 3 business days it's there."),
        (BY_SPAN, "Please allow until Monday, March 8.", "Please allow up to 3 business days."),
        (BY_SPAN, "It posts on Monday, March 8.", "It posts on Monday, March 8."),
        (SPELLED, "It's there by Monday, March 8.", "It's there in three business days."),
        (BY_DAY, "You'd have it by Monday, March 8.", "You'd have it by Monday, March 8."),
    ],
)
def test_most_desks_tell_how_long_it_takes(agent: str, text: str, told: str) -> None:
    """Nobody at a desk looks up a date for each refund: it takes so many business days."""
    facts = {"agent": agent, "due": "Monday, March 8", "due_date": "March 8, 2021"}
    facts |= {"at": "2021-03-03T15:05:00", "zone": "UTC"}
    assert in_business_days(BACK, text, facts) == told


def test_a_visit_and_what_comes_tomorrow_are_told_by_their_day() -> None:
    """Somebody has to be at home then, and a span of one day is tomorrow."""
    facts = {"agent": BY_SPAN, "due_date": "March 8, 2021", "zone": "UTC"}
    assert told_span("option.tell.visit", {**facts, "at": "2021-03-03T15:05:00"}) == ""
    assert told_span(BACK, {**facts, "at": "2021-03-07T15:05:00"}) == ""
    assert told_span(BACK, {**facts, "at": "2021-03-03T15:05:00"}) == "3 business days"


def test_a_day_that_is_near_is_not_called_by_its_weekday() -> None:
    """What happened yesterday or happens today or tomorrow is told so, a day farther off is not."""
    facts = {"at": "2021-06-23T15:05:00", "zone": "UTC", "weekday": "Wednesday"}
    days = {"22": "Tuesday", "23": "Wednesday", "24": "Thursday", "25": "Friday"}
    for number, weekday in days.items():
        facts |= {f"day_{number}": f"June {number}", f"named_{number}": weekday}
    told = "On Tuesday it tore. It tore on Wednesday morning. I need it by Thursday, not on Friday."
    assert from_today(told, facts) == (
        "Yesterday it tore. It tore this morning. I need it by tomorrow, not on Friday."
    )


def test_a_weekday_that_may_be_another_one_stays() -> None:
    """A weekday with its date, or one that is also that of a day to come, is told as it is."""
    facts = {
        "at": "2021-06-23T15:05:00",
        "zone": "UTC",
        "torn_on": "June 22",
        "torn_day": "Tuesday",
    }
    assert from_today("It tore on Tuesday, June 22.", facts) == "It tore on Tuesday, June 22."
    coming = {**facts, "due_day": "Tuesday"}
    assert from_today("We come on Tuesday.", coming) == "We come on Tuesday."
