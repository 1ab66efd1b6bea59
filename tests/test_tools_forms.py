"""Forms of arguments, the calendar, and values in SOQL: what is taken, what it becomes, what is
refused.
"""

import calendar
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.soql.nodes import Comparison
from orgweave.soql.parse import parse_query
from orgweave.tools.forms import day, moment, record_id
from orgweave.tools.periods import get_period, get_start_date
from orgweave.tools.soql import literal
from orgweave.tools.toolbox import checked
from pipeline.world.ids import make_ids
from schemas.errors import ToolRefused


class NoCrm:
    """What needs no CRM asks none."""

    def query(self, text: str) -> list[dict[str, object]]:
        """Never asked."""
        raise AssertionError(text)

    search = query


CRM = NoCrm()


@pytest.mark.parametrize(
    ("end", "period", "count", "start"),
    [
        ("2022-03-31T00:00:00Z", "month", 1, "2022-02-28T00:00:00Z"),
        ("2024-03-31T00:00:00Z", "month", 1, "2024-02-29T00:00:00Z"),
        ("2022-03-30", "month", 2, "2022-01-30T00:00:00Z"),
        ("2022-01-31T10:20:30Z", "month", 2, "2021-11-30T10:20:30Z"),
        ("2022-01-01T00:00:00Z", "month", 12, "2021-01-01T00:00:00Z"),
        ("2022-05-31T00:00:00Z", "quarter", 1, "2022-02-28T00:00:00Z"),
        ("2022-01-15T00:00:00Z", "quarter", 3, "2021-04-15T00:00:00Z"),
        ("2022-03-01T00:00:00Z", "week", 2, "2022-02-15T00:00:00Z"),
        ("2024-03-01T00:00:00Z", "day", 1, "2024-02-29T00:00:00Z"),
        ("2022-03-01T00:00:00+02:00", "days", 1, "2022-02-27T22:00:00Z"),
        ("2022-03-01T00:00:00.000+0000", "Weeks", 1, "2022-02-22T00:00:00Z"),
    ],
)
def test_a_start_lies_calendar_units_before_the_end(
    end: str,
    period: str,
    count: int,
    start: str,
) -> None:
    """Months and quarters are the calendar's, cut to the month's last day; the time of day stays;
    the result is in UTC.
    """
    assert get_start_date(CRM, end, period, count) == start


@given(st.dates(date(1990, 1, 1), date(2050, 1, 1)), st.integers(1, 60))
def test_a_month_before_keeps_the_day_where_the_month_has_it(end: date, count: int) -> None:
    """The start lies exactly `count` months before, on the same day or on the last of its month."""
    start = date.fromisoformat(get_start_date(CRM, end.isoformat(), "month", count)[:10])
    assert (end.year - start.year) * 12 + end.month - start.month == count
    assert start.day == min(end.day, calendar.monthrange(start.year, start.month)[1])


@pytest.mark.parametrize(
    ("name", "year", "start", "end"),
    [
        ("January", 2021, "2021-01-01", "2021-02-01"),
        ("December", 2021, "2021-12-01", "2022-01-01"),
        ("feb", 2024, "2024-02-01", "2024-03-01"),
        ("Q1", 2021, "2021-01-01", "2021-04-01"),
        ("the fourth quarter", 2021, "2021-10-01", "2022-01-01"),
        ("Quarter 3", 2021, "2021-07-01", "2021-10-01"),
        ("Spring", 2021, "2021-03-01", "2021-06-01"),
        ("summer", 2021, "2021-06-01", "2021-09-01"),
        ("Fall", 2021, "2021-09-01", "2021-12-01"),
        ("Winter", 2021, "2021-12-01", "2022-03-01"),
    ],
)
def test_a_named_period_is_a_window(name: str, year: int, start: str, end: str) -> None:
    """Months, quarters and seasons, in the usual spellings; the winter of a year ends with February
    of the next.
    """
    assert get_period(CRM, name, year) == {
        "start_date": f"{start}T00:00:00Z",
        "end_date": f"{end}T00:00:00Z",
    }


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a month that isn't one": (
        lambda: moment("2022-13-01"),
        "is no datetime; write it as 2022-01-01T00:00:00Z",
    ),
    "a day that isn't one": (lambda: day("2022-02-30"), "is no date; write it as 2022-01-01"),
    "a number": (lambda: moment(20220101), "is no datetime"),
    "SOQL in place of a date": (
        lambda: moment("2022-01-01T00:00:00Z OR Id != null"),
        "is no datetime",
    ),
    "a date before all": (lambda: moment("1000-01-01"), "outside of the years 1700 to 4000"),
    "the year 1 east of Greenwich": (lambda: moment("0001-01-01T00:00:00+10:00"), "is no datetime"),
    "no id": (
        lambda: record_id("Sole Separation"),
        "is no Id; an Id has 15 or 18 letters and digits",
    ),
    "SOQL in place of an id": (lambda: record_id("005' OR Id != '"), "is no Id"),
    "a mistyped id": (lambda: record_id("005zz0000000001AAB"), "don't fit the others; copy the Id"),
    "an id that is null": (lambda: record_id(None), "None is no Id"),
    "a record without its id": (lambda: record_id({"Name": "x"}), "None is no Id"),
    "another unit": (
        lambda: get_start_date(CRM, "2022-01-01", "year", 1),
        "must be one of day, week, month, quarter",
    ),
    "a start before the calendar": (
        lambda: get_start_date(CRM, "1800-01-01", "quarter", 9000),
        "give a smaller interval_count",
    ),
    "a start before the years a CRM knows": (
        lambda: get_start_date(CRM, "2022-01-01", "quarter", 4000),
        "outside of the years",
    ),
    "another period": (lambda: get_period(CRM, "Easter", 2022), "must be one of January"),
    "pairs without values": (
        lambda: checked("find_id_with_max_value", {"values_by_id": [{"id": "a"}]}),
        "write pairs such as",
    ),
    "a number that isn't one": (
        lambda: checked("find_id_with_max_value", {"values_by_id": {"a": float("nan")}}),
        "finite number",
    ),
    "no interval": (
        lambda: checked(
            "get_start_date", {"end_date": "2022-01-01", "period": "day", "interval_count": 0}
        ),
        "interval_count: Input should be greater than or equal to 1",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_has_not_its_form_is_refused(name: str) -> None:
    """A value of another form is refused with a message that shows the form."""
    work, says = REFUSED[name]
    with pytest.raises(ToolRefused, match=says):
        work()


@given(st.integers(0, 2**31), st.sampled_from(["005", "500", "a01"]))
def test_an_id_has_one_spelling(number: int, prefix: str) -> None:
    """15 characters, 18 in any case, and a record with its Id become the one spelling, which stays
    as it is.
    """
    whole = str(make_ids(prefix, 1, number)[0])
    assert {
        record_id(whole),
        record_id(whole[:15]),
        record_id(whole.upper()),
        record_id(whole.lower()),
        record_id({"Id": whole, "Name": "x"}),
    } == {whole}


@given(st.datetimes(datetime(1701, 1, 1), datetime(3999, 1, 1), timezones=st.timezones()))
def test_a_moment_has_one_spelling(at: datetime) -> None:
    """A datetime in any zone becomes the same moment in UTC, cut to the second; that spelling stays
    as it is.
    """
    spelled = moment(at.isoformat())
    assert (
        timedelta(0) <= at.astimezone(UTC) - datetime.fromisoformat(spelled) < timedelta(seconds=1)
    )
    assert moment(spelled) == spelled
    assert day(spelled) == spelled[:10]


@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=60) | st.text("'\\\"\n\r\t%_ORx =")
)
def test_a_literal_means_its_text_and_nothing_else(text: str) -> None:
    """Any text, as a SOQL literal, is read back as that very text, and the query stays one
    comparison.
    """
    condition = parse_query(f"SELECT Id FROM Account WHERE Name = {literal(text)} LIMIT 1").where
    assert isinstance(condition, Comparison)
    assert [value.value for value in condition.values] == [text]
