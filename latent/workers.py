"""The people of a company, seat by seat: service people first, then departments and systems.

Knows the trade's `staff` and how many people there are; who leads whom stands at the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np

from latent import org_chart
from latent.draws import split
from latent.elapsed import DAYS_A_YEAR
from latent.org_chart import SHOP, Workplace
from latent.tenure import Tenure, loyal_seats, seats_for, tenures
from latent.work_calendar import ORDINARY_WEEKS, SATURDAY_WEEKS, SUNDAY_WEEKS
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE
from schemas.staffing import Department, Shift, Staff

# A service desk's pyramid, chosen by eye: of 50 people 3 managers, 5 leads, 12 seniors, 30 agents.
# Who stands higher leaves less often: the factors hold against the trade's share.
MANAGER = "manager"
LEAD = "lead"
SENIOR = "senior"
AGENT = "agent"
SHARES = {MANAGER: 0.06, LEAD: 0.10, SENIOR: 0.24}
LEAVES = {MANAGER: 0.3, LEAD: 0.4, SENIOR: 0.8, AGENT: 1.2}
TIERS = {MANAGER: 4, LEAD: 3, SENIOR: 2, AGENT: 1}
ROLES = {
    MANAGER: org_chart.MANAGER_ROLE,
    LEAD: org_chart.LEAD_ROLE,
    SENIOR: org_chart.SENIOR_ROLE,
    AGENT: org_chart.AGENT_ROLE,
}
SERVICE_KINDS = frozenset(TIERS)

# A desk of fewer has nobody to pass a case on to; and a company of so few has no departments.
FEWEST_SERVICE = 3

# From so many others on there are a managing director and users that are systems.
OTHERS_WITH_SYSTEMS = 8
# From so many people on a department has a head.
PEOPLE_WITH_HEAD = 3

DIRECTOR = "director"
HEAD = "head"
MEMBER = "member"
SYSTEM = "system"
INTEGRATION, AUTOMATED = ("Integration", "User"), ("Automated", "Process")

# Six of ten agents sit in the head office; the other sites share the rest.
SITE_PATTERN = (0, 1, 0, 2, 0, 1, 0, 3, 0, 4, 5)

# The first agents' shifts and weeks: both sites have both shifts, and somebody works each day.
ORDINARY, SATURDAY, SUNDAY = range(3)
WEEKS = (ORDINARY_WEEKS, SATURDAY_WEEKS, SUNDAY_WEEKS)
FIRST_SEATS = ((0, SATURDAY), (1, SUNDAY), (1, ORDINARY), (0, ORDINARY))

# What most offices keep; the desk's own shifts are the trade's.
OFFICE_HOURS = Shift(name="Office", start=8.5, end=17.0, weight=1.0)


@dataclass(frozen=True, slots=True)
class Worker:
    """One user; `given` is the name of a user that is no person."""

    kind: str
    title: str
    department: str
    role: str
    profile: str
    site: int
    shift: Shift
    tenure: Tenure
    week: int = ORDINARY_WEEKS[0]
    user_type: str = "Standard"
    given: tuple[str, str] = ("", "")

    @property
    def tier(self) -> int:
        """1 for agents, 2 for seniors, 3 for leads, 4 for managers, 0 for everyone else."""
        return TIERS.get(self.kind, 0)


@dataclass(frozen=True, slots=True)
class Company:
    """What people are drawn for: the trade's figures, the sites and the days of the period."""

    staff: Staff
    sites: list[Workplace]
    days: int


def service_people(staff: Staff, users: int, cases: int, days: int) -> int:
    """How many of the users serve customers within the period.

    They follow from the cases: hours of work over the hours that an agent has for cases, and as
    many more as leave. The trade's shares of all users bound them.
    """
    hours = cases * staff.minutes_a_case / 60
    years = days / DAYS_A_YEAR
    seats = hours / (staff.case_hours_a_year * years)
    wanted = ceil(seats * (1 + staff.leave_a_year * years))
    least, most = (round(users * share) for share in staff.service_share)
    bounded = min(max(wanted, least), most)
    return min(users, max(bounded, FEWEST_SERVICE))


def workers(rng: Stream, company: Company, users: int, cases: int) -> list[Worker]:
    """All users: those of the service desk, of the departments, and systems."""
    serving = service_people(company.staff, users, cases, company.days)
    found = list(_service(rng, company, serving))
    others = users - serving
    if others >= OTHERS_WITH_SYSTEMS:
        found += _top(company)
        others = users - len(found)
    return found + _departments(rng, company, others)


def _service(rng: Stream, company: Company, people: int) -> Iterator[Worker]:
    left = people
    counts = {}
    for kind, share in SHARES.items():
        counts[kind] = min(round(people * share), max(left - 1, 0))
        left -= counts[kind]
    counts[AGENT] = left
    for kind, number in counts.items():
        yield from _of_kind(rng, company, kind, number)


def _of_kind(rng: Stream, company: Company, kind: str, people: int) -> Iterator[Worker]:
    """The service people of one kind; who comes later has the seat's site and shift."""
    leave = min(company.staff.leave_a_year * LEAVES[kind], 1.0)
    fixed = FIRST_SEATS if kind == AGENT else ()
    seats = [_seat(rng, company, seat, fixed) for seat in range(people)]
    for tenure in tenures(rng, people, leave, company.days, desk=True):
        site, shift, week = seats[tenure.seat % people]
        yield Worker(
            kind=kind,
            title=ROLES[kind],
            department=org_chart.SERVICE_DEPARTMENT,
            role=ROLES[kind],
            profile=_profile(kind),
            site=site,
            shift=shift,
            tenure=tenure,
            week=week,
        )


def _seat(
    rng: Stream,
    company: Company,
    seat: int,
    fixed: tuple[tuple[int, int], ...],
) -> tuple[int, Shift, int]:
    """Where and when the people of a seat work.

    The first agents' seats go through sites, shifts and weeks in turn: those are held all the
    time, so that the desk is rarely without anybody.
    """
    staff = company.staff
    centers = sum(site.kind != SHOP for site in company.sites)
    site = SITE_PATTERN[seat % len(SITE_PATTERN)] % centers
    weights = np.array([shift.weight for shift in staff.shifts])
    drawn = int(rng.choice(len(weights), p=weights / weights.sum()))
    weeks = (1 - staff.saturday - staff.sunday, staff.saturday, staff.sunday)
    kind = int(rng.choice(len(weeks), p=weeks))
    if seat < len(fixed):
        shift_place, wished = fixed[seat]
        drawn = shift_place % len(staff.shifts)
        kind = wished if weeks[wished] > 0 else ORDINARY
    week = int(rng.choice(WEEKS[kind]))
    return site, staff.shifts[drawn], week


def _profile(kind: str) -> str:
    return org_chart.LEAD_PROFILE if TIERS[kind] > TIERS[SENIOR] else org_chart.SERVICE_PROFILE


def _top(company: Company) -> list[Worker]:
    """The managing director, and two users that are programs."""
    always = Tenure(0, -1)
    director = Worker(
        kind=DIRECTOR,
        title=org_chart.TOP_ROLE,
        department="Management",
        role=org_chart.TOP_ROLE,
        profile=org_chart.EXECUTIVE_PROFILE,
        site=0,
        shift=OFFICE_HOURS,
        tenure=always,
    )
    systems = [director]
    for given, kind in ((INTEGRATION, "Standard"), (AUTOMATED, "AutomatedProcess")):
        systems.append(
            Worker(
                kind=SYSTEM,
                title=" ".join(given),
                department="IT",
                role="",
                profile=org_chart.API_PROFILE,
                site=0,
                shift=OFFICE_HOURS,
                tenure=always,
                user_type=kind,
                given=given,
            )
        )
    return systems


def _departments(rng: Stream, company: Company, people: int) -> list[Worker]:
    """The people of the departments, by their weights."""
    departments = company.staff.departments
    weights = np.array([department.weight for department in departments])
    if people < 1:
        return []
    sizes = split(rng, weights, people, low=int(people >= len(departments)))
    found: list[Worker] = []
    for department, size in zip(departments, sizes, strict=True):
        found += _department(rng, company, department, int(size))
    return found


def _department(
    rng: Stream,
    company: Company,
    department: Department,
    people: int,
) -> Iterator[Worker]:
    held = tenures(rng, people, department.leave_a_year, company.days)
    has_head = people >= PEOPLE_WITH_HEAD
    loyal = loyal_seats(seats_for(people, department.leave_a_year, company.days))
    sites = _places_of(company, department)
    # Seats go round the sites, so that hardly one is without anybody; the head's is the first.
    ahead = int(rng.integers(len(sites)))
    seat_sites = [sites[(ahead + seat) % len(sites)] for seat in range(people)]
    for tenure in held:
        # The first seat is held all the time.
        leads = has_head and tenure.seat == 0 < loyal
        yield Worker(
            kind=HEAD if leads else MEMBER,
            title=department.head if leads else department.title,
            department=department.name,
            role=department.head if leads else department.name,
            profile=department.profile,
            site=0 if leads else seat_sites[tenure.seat % people],
            shift=OFFICE_HOURS,
            tenure=tenure,
        )


def _places_of(company: Company, department: Department) -> list[int]:
    """The rows of the sites at which a department's people may work."""
    shops = [row for row, site in enumerate(company.sites) if site.kind == SHOP]
    return shops if department.in_shops and shops else [0]


def managers(people: list[Worker]) -> list[int]:
    """The row of each one's manager, or NONE.

    Whoever leads others is still there at the end, so nobody works for a leaver.
    """
    staying: dict[tuple[str, str], list[int]] = {}
    for row, person in enumerate(people):
        if person.tenure.left is None:
            staying.setdefault((person.kind, person.department), []).append(row)
    return [_manager(people, row, staying) for row in range(len(people))]


def _manager(people: list[Worker], row: int, staying: dict[tuple[str, str], list[int]]) -> int:
    person = people[row]
    for kind in ABOVE[person.kind]:
        department = "Management" if kind == DIRECTOR else person.department
        candidates = [other for other in staying.get((kind, department), []) if other != row]
        near = [other for other in candidates if people[other].site == person.site]
        if candidates:
            # Seats of a site go round among its leads.
            chosen = near or candidates
            return chosen[person.tenure.seat % len(chosen)]
    return NONE


ABOVE = {
    AGENT: (LEAD, MANAGER, DIRECTOR),
    SENIOR: (LEAD, MANAGER, DIRECTOR),
    LEAD: (MANAGER, DIRECTOR),
    MANAGER: (DIRECTOR,),
    MEMBER: (HEAD, DIRECTOR),
    HEAD: (DIRECTOR,),
    SYSTEM: (HEAD,),
    DIRECTOR: (),
}
"""A kind of worker -> the kinds of who may lead them, the nearest first."""
