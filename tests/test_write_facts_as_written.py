"""Sums, shares and days stand in texts as people write them."""

import pytest

from pipeline.write.facts_as_written import as_written, day_ordered

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
