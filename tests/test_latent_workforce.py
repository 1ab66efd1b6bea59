"""The workforce: tenures, calendars, holidays, managers and shifts."""

from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.holidays import holidays_between
from latent.local_time import local_of, utc_of
from latent.org_chart import ADMINISTRATOR, WEEKDAYS, Workplace, hours_table
from latent.rota import rota_of
from latent.tenure import Tenure, loyal_seats, seats_for, tenures
from latent.user_moments import made
from latent.work_calendar import (
    DAYS_OFF,
    HOUR,
    ShiftKey,
    WorkCalendars,
    WorkPeriod,
    moment_of,
    seconds_of,
)
from latent.workers import AGENT, HEAD, MEMBER, Company, Worker, service_people, workers
from pipeline.world.streams import stream
from pipeline.world.tables import NONE
from schemas.country import load_country
from schemas.trade import load_trade
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with, with_columns

MANY = settings(max_examples=150, deadline=None)
HOLIDAYS = load_country("en_US").holidays
YEAR = WorkPeriod(datetime(2022, 1, 1), datetime(2022, 12, 31), frozenset(["Labor Day"]), HOLIDAYS)
CHICAGO = ZoneInfo("America/Chicago")


@MANY
@given(
    people=st.integers(0, 60),
    leave=st.floats(0, 0.9),
    days=st.integers(90, 2000),
    seed=st.integers(0, 2**32),
)
def test_as_many_people_as_asked_for_hold_the_seats_one_after_the_other(
    people: int,
    leave: float,
    days: int,
    seed: int,
) -> None:
    """Nobody sits on a seat that is taken, and the loyal seats never change hands."""
    held = tenures(stream(seed, "tenures"), people, leave, days)
    assert len(held) == people
    for before, after in zip(held, held[1:], strict=False):
        if before.seat == after.seat:
            assert before.left is not None and before.left < after.joined
    loyal = loyal_seats(seats_for(people, leave, days)) if people else 0
    assert all(tenure.left is None for tenure in held if tenure.seat < loyal)


def test_the_desk_follows_from_the_cases() -> None:
    """More cases want more people, within the trade's shares of all users; one user serves."""
    staff = load_trade("goods").staff
    few = service_people(staff, 100, 100, 1461)
    many = service_people(staff, 100, 200_000, 1461)
    between = service_people(staff, 1000, 2_500 * 365, 1461)
    assert (few, many) == (38, 60)
    assert 380 <= between <= 600
    assert service_people(staff, 1, 977, 1461) == 1


@pytest.mark.parametrize("week", range(len(DAYS_OFF)))
def test_a_shift_is_worked_by_the_sites_own_clock(week: int) -> None:
    """In summer and winter, with a break in the middle, on five days of the week."""
    calendar = WorkCalendars(YEAR).of(ShiftKey("America/Chicago", 8, 16.5, week, 0))
    for start, end in zip(calendar.starts, calendar.ends, strict=True):
        begun = local_of(moment_of(start), CHICAGO)
        assert (begun.hour, begun.minute) in ((8, 0), (13, 0))
        assert end - start in (4 * HOUR, 3.5 * HOUR)
        assert begun.weekday() not in DAYS_OFF[week]


@MANY
@given(start=st.integers(0, 300 * 24), hours=st.floats(0.1, 200))
def test_working_time_adds_up(start: int, hours: float) -> None:
    """The moment after so much work lies in the shift, and later for more work."""
    calendar = WorkCalendars(YEAR).of(ShiftKey("America/Chicago", 8, 16.5, 0, 0))
    moment = seconds_of(datetime(2022, 1, 1)) + start * HOUR
    after = calendar.after(moment, hours * HOUR)
    assert after > moment and calendar.covers(after)
    assert calendar.after(moment, hours * HOUR + 600) > after


@MANY
@given(start=st.integers(0, 300 * 24), hours=st.integers(1, 20))
def test_who_goes_home_soon_answers_the_next_day(start: int, hours: int) -> None:
    """The wait for some work is the time until it is done, also for somebody who is at work."""
    calendar = WorkCalendars(YEAR).of(ShiftKey("America/Chicago", 8, 16.5, 0, 0))
    moment = seconds_of(datetime(2022, 1, 1)) + start * HOUR
    waits = calendar.waits(np.array([moment]), hours * HOUR)
    assert waits[0] == calendar.after(moment, hours * HOUR) - moment


def test_a_closed_holiday_is_nobodys_working_day() -> None:
    """On Labor Day nobody works; on Columbus Day, which is not among the closed, one group does."""
    shifts = [ShiftKey("America/Chicago", 8, 16.5, 0, duty) for duty in range(4)]
    calendars = [WorkCalendars(YEAR).of(shift) for shift in shifts]
    labor = seconds_of(utc_of(datetime(2022, 9, 5, 10), CHICAGO))
    columbus = seconds_of(utc_of(datetime(2022, 10, 10, 10), CHICAGO))
    assert not any(calendar.covers(labor) for calendar in calendars)
    assert sum(calendar.covers(columbus) for calendar in calendars) == 1


def test_holidays_are_kept_on_weekdays_too() -> None:
    """Christmas 2021 was a Saturday: both it and the Friday before are free."""
    found = {
        free.day: free.name
        for free in holidays_between(HOLIDAYS, date(2021, 11, 1), date(2022, 1, 31))
    }
    assert found[date(2021, 12, 25)] == "Christmas Day"
    assert found[date(2021, 12, 24)] == "Christmas Day (observed)"
    assert found[date(2021, 11, 25)] == "Thanksgiving Day"
    assert found[date(2022, 1, 17)] == "Martin Luther King Jr. Day"


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_but_the_topmost_has_a_manager_who_is_still_there(seed: int) -> None:
    """A manager stands above, is active, and nobody leads themselves."""
    people = drawn(seed).table("Workforce.people")
    manager, active = people["manager"], people["active"]
    led = manager != NONE
    assert active[manager[led]].all()
    assert (manager != np.arange(people.size)).all()
    # Nobody stands above the managing director, and in a small company above the programs.
    assert (~led).sum() <= 3
    serving = led & (people["tier"] > 0)
    above = people["tier"][manager[serving]]
    assert ((above > people["tier"][serving]) | (above == 0)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_an_account_is_switched_off_after_its_person_left(seed: int) -> None:
    """Who left logged in before; who is still there is as when the account was made."""
    people = drawn(seed).table("Workforce.people")
    left = ~np.isnat(people["left"])
    assert left.any()
    assert (people["touched"][left] >= people["last_login"][left]).all()
    assert (people["touched"][~left] == people["created"][~left]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_agents_get_cases_while_they_are_there(seed: int) -> None:
    """Nobody has a case before they are hired; an open one belongs to somebody who stayed."""
    org = drawn(seed)
    rows, cases = org.table("Routing.assignments"), org.table("ComplaintHabit.cases")
    people = org.table("Workforce.people")
    day = cases["created"][rows["case"]].astype("datetime64[D]")
    left = people["left"][rows["agent"]]
    assert (people["joined"][rows["agent"]] <= day).mean() > 0.99
    assert (np.isnat(left) | (day <= left)).mean() > 0.99
    stories = org.table("CaseStory.cases")
    still_open = ~stories["is_closed"]
    assert people["active"][stories["owner"][still_open]].all()


def test_agents_write_in_their_shifts() -> None:
    """Nine of ten agents' mails or more are sent by somebody whose shift covers the moment."""
    org = drawn(0)
    rota = rota_of(org)
    mails = org.table("CaseStory.messages")
    covered = []
    for agent, incoming, moment in zip(
        mails["agent"],
        mails["incoming"],
        mails["at"].tolist(),
        strict=True,
    ):
        if not incoming:
            covered.append(rota.calendar(int(agent)).covers(seconds_of(moment)))
    assert np.mean(covered) > 0.9


def test_a_trail_ends_as_the_case_does() -> None:
    """The trail's last status and owner are the case's, and each row has somebody who did it."""
    org = drawn(1)
    rows, cases = org.table("CaseTrail.rows"), org.table("CaseStory.cases")
    status = dict.fromkeys(range(cases.size), "New")
    owner: dict[int, int] = {}
    for case, field, new, user in zip(
        rows["case"].tolist(),
        rows["field"].tolist(),
        rows["new"].tolist(),
        rows["new_user"].tolist(),
        strict=True,
    ):
        if field == "Status":
            status[case] = new
        if field == "Owner":
            owner[case] = user
    assert [status[case] for case in range(cases.size)] == cases["status"].tolist()
    assert [owner[case] for case in range(cases.size)] == cases["owner"].tolist()
    assert (rows["by"] != NONE).all()


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_returns_are_taken_in_by_who_receives_them(seed: int) -> None:
    """Programs, and people of a department that receives; where it has nobody, who serves."""
    org = drawn(seed)
    people, users = org.table("Workforce.people"), org.table("AuditTrail.users")
    receiving = {one.name for one in org.setting.world.trade.staff.departments if one.receives}
    of_it = np.isin(people["department"].astype(str), sorted(receiving))
    by_people = (users["receivers"] > 0) & (users["systems"] == 0)
    assert receiving and by_people.any()
    assert of_it[by_people].all() or not (of_it & (people["joined"] <= org.setting.first_day)).any()


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_people_begin_and_leave_on_days_of_work(seed: int) -> None:
    """Whoever comes within the period begins on no weekend, and whoever leaves does so on none."""
    org = drawn(seed)
    people = org.table("Workforce.people")
    came = people["joined"][people["joined"] > org.setting.first_day]
    left = people["left"][~np.isnat(people["left"])]
    assert len(came) and np.is_busday(came).all()
    assert np.is_busday(left).all()


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_articles_are_written_by_those_who_lead_or_have_long_served(seed: int) -> None:
    """No article is written by somebody who is new to the desk, or not of it."""
    org = drawn(seed)
    writes = org.table("AuditTrail.users")["authors"] > 0
    assert (org.table("Workforce.people")["tier"][writes] > 1).all() and writes.any()


STAFF = load_trade("goods").staff
SITE = Workplace("Denver", "center", "Denver", "CO", "America/Denver", "")


@pytest.mark.parametrize("users", range(1, 30))
def test_every_user_is_somebody_and_every_department_has_people(users: int) -> None:
    """However few there are; a department is empty only where there are fewer people than those."""
    company = Company(STAFF, [SITE], 1461)
    found = workers(stream(users, "toy"), company, users, 100)
    assert len(found) == users
    members = [person.department for person in found if person.kind in (HEAD, MEMBER)]
    departments = {department.name for department in STAFF.departments}
    assert len(members) < len(departments) or set(members) == departments


@pytest.mark.parametrize(
    ("saturday", "sunday", "closed"),
    [(0.0, 0.0, {"saturday", "sunday"}), (0.3, 0.0, {"sunday"}), (0.3, 0.3, set())],
)
def test_a_desk_is_open_on_the_days_on_which_somebody_works(
    saturday: float, sunday: float, closed: set[str]
) -> None:
    """On the others it has no hours."""
    staff = STAFF.model_copy(update={"saturday": saturday, "sunday": sunday})
    hours = hours_table(staff, "America/Denver")
    assert {day for day in WEEKDAYS if hours[f"{day}_start"][0] is None} == closed
    assert {day for day in WEEKDAYS if hours[f"{day}_end"][0] is None} == closed


def test_who_is_there_on_the_first_day_need_not_settle_in() -> None:
    """Who comes later serves from their second day on."""
    org = drawn(1)
    people, first = org.table("Workforce.people"), org.setting.first_day
    joined = np.resize([first - 9, first, first + 1], people.size)
    rota = rota_of(part_of(org, with_columns(people, joined=joined)))
    assert rota.joined[:3].tolist() == [(first + late).item() for late in (-9, 0, 2)]


def test_who_was_there_before_is_made_before_the_crm_is_used() -> None:
    """Also who begins on the first day: on a working day, ten in a row; who runs the CRM weeks
    before, and others in the morning of their own first day.
    """
    setting = setting_with()
    people = [
        Worker(AGENT, "Agent", "Service", "Agent", "Agent", 0, STAFF.shifts[0], Tenure(0, joined))
        for joined in (-40, *[0] * 10, 1)
    ]
    runs = replace(people[0], profile=ADMINISTRATOR)
    moments = made(setting, stream(1, "toy"), [*people, runs], [SITE] * 13)
    first = setting.first_day.astype("datetime64[s]")
    assert len(set(moments[:10])) == 1 and moments[9] < moments[10]
    assert moments[12] < moments[0] < first
    assert np.is_busday(moments[[0, 10, 12]].astype("datetime64[D]")).all()
    assert np.timedelta64(24 + 13, "h") < moments[11] - first < np.timedelta64(24 + 17, "h")
