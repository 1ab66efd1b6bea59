"""How people name a day that is near, and that a text may do so."""

import pytest

from pipeline.write.facts_as_written import as_written
from verifiers.near_days import near_name, spans_until

DUE = {"due_date": "March 5, 2021", "due_day": "Friday", "zone": "America/New_York"}


@pytest.mark.parametrize(
    ("moment", "point", "told"),
    [
        ("2021-03-02T15:00:00", 0.0, "Friday"),
        ("2021-03-05T03:00:00", 0.0, "tomorrow"),
        ("2021-02-26T15:00:00", 0.0, "March 5"),
        ("2021-03-05T15:00:00", 0.0, "Friday, March 5"),
        ("2021-03-02T15:00:00", 0.9, "Friday, March 5"),
        ("", 0.0, "Friday, March 5"),
    ],
)
def test_a_near_day_is_named_as_people_name_it(moment: str, point: float, told: str) -> None:
    """Within the week by its weekday, the next day as tomorrow, by the customer's clock; later by
    its date; where the moment is unknown, in full.
    """
    assert as_written({**DUE, "at": moment}, point)["due"] == told


@pytest.mark.parametrize(("day", "name"), [("March 9, 2021", ""), ("soon", ""), ("", "")])
def test_a_day_that_may_be_of_another_week_has_no_near_name(day: str, name: str) -> None:
    """Seven days on it might be this week's day or the next one's; what is no day has none."""
    assert near_name(day, {"at": "2021-03-02T15:00:00", "zone": "UTC"}) == name


@pytest.mark.parametrize(
    ("day", "spans"),
    [
        ("March 3, 2021", ()),
        ("March 8, 2021", ("4 business days", "four business days")),
        ("March 11, 2021", ("7 business days", "seven business days")),
        ("March 15, 2021", ("two weeks", "2 weeks")),
        ("August 9, 2021", ()),
    ],
)
def test_a_span_is_counted_in_business_days_and_then_in_weeks(
    day: str, spans: tuple[str, ...]
) -> None:
    """From a Tuesday on; the next day is tomorrow, and nobody counts twenty weeks."""
    facts = {"at": "2021-03-02T15:00:00", "zone": "UTC"}
    assert spans_until(day, facts)[: len(spans)] == spans
    assert bool(spans_until(day, facts)) is bool(spans)
