"""The company's frame: sites, roles above one another, profiles, queues and hours.

Knows the trade's `staff` and the departments that follow from it, but no person.
"""

from dataclasses import dataclass

import numpy as np

from latent.draws import exactly
from latent.telephones import most_numbers, telephone
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table
from schemas.country import Country
from schemas.gazetteer import City
from schemas.staffing import Staff

SAME_ZONE = 1e-6
"""A second service center in a zone that has one is the very last resort."""

# A chain opens where it is not yet: a second shop in a state is less likely. Chosen by eye.
SECOND_SHOP = 0.3

SERVICE = "Service center"
SHOP = "Shop"

TOP_ROLE = "Managing Director"
MANAGER_ROLE = "Customer Service Manager"
LEAD_ROLE = "Support Team Lead"
SENIOR_ROLE = "Senior Support Specialist"
AGENT_ROLE = "Support Specialist"
SERVICE_ROLES = (MANAGER_ROLE, LEAD_ROLE, SENIOR_ROLE, AGENT_ROLE)
SERVICE_DEPARTMENT = "Customer Support"

ADMINISTRATOR = "System Administrator"
SERVICE_PROFILE = "Service Agent"
LEAD_PROFILE = "Service Lead"
EXECUTIVE_PROFILE = "Read Only"
API_PROFILE = "API Integration"
OWN_PROFILES = {
    ADMINISTRATOR: "May see and change everything, the set-up included.",
    SERVICE_PROFILE: "Works cases, mails and chats of the own queues.",
    LEAD_PROFILE: "As a service agent; also moves cases of others and sees reports.",
    EXECUTIVE_PROFILE: "Sees records and reports, changes none.",
    API_PROFILE: "For systems that write by the API; no screen.",
}

QUEUE = "Queue"
REGULAR = "Regular"
MAIL_QUEUE, CHAT_QUEUE, SENIOR_QUEUE, LEAD_QUEUE = range(4)
"""The rows of the queues among the groups."""
GROUPS = (
    ("Care Mail", QUEUE, "care"),
    ("Care Live Chat", QUEUE, "care-chat"),
    ("Care Specialists", QUEUE, "care-specialists"),
    ("Care Escalations", QUEUE, "care-escalations"),
    ("All Service Staff", REGULAR, "care-team"),
)

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HOURS_COLUMNS = (
    "monday_start",
    "monday_end",
    "tuesday_start",
    "tuesday_end",
    "wednesday_start",
    "wednesday_end",
    "thursday_start",
    "thursday_end",
    "friday_start",
    "friday_end",
    "saturday_start",
    "saturday_end",
    "sunday_start",
    "sunday_end",
)
SATURDAY = 5
SUNDAY = 6


@dataclass(frozen=True, slots=True)
class Workplace:
    """A place of work: a service center or a shop."""

    name: str
    kind: str
    city: str
    state: str
    zone: str
    line: str


def sites_of(
    rng: Stream,
    lines: Stream,
    staff: Staff,
    country: Country,
    weights: Array,
) -> list[Workplace]:
    """The service centers, of which the first is the head office, then the shops.

    Each is in a city of its own as far as there are so many among the places where customers live,
    which have `weights`. `lines` draws their telephones.
    """
    places = country.places
    served = int(np.count_nonzero(weights))
    centers = _centers(rng, places, weights, min(staff.sites, len(places)))
    shops = _shops(rng, places, weights, min(staff.shops, served))
    found = [_site(lines, country, places[row], SERVICE) for row in centers]
    return found + [_site(lines, country, places[row], SHOP) for row in shops]


def _centers(rng: Stream, places: tuple[City, ...], weights: Array, count: int) -> list[int]:
    """The rows of so many cities, in other time zones as far as there are any.

    A desk in two zones is open for longer. The head office is among the customers, with `weights`;
    who answers mails and chats may sit anywhere in the country.
    """
    chosen: list[int] = []
    zones: set[str] = set()
    anywhere = np.array([place.weight for place in places])
    for seat in range(count):
        elsewhere = np.array([place.time_zone not in zones for place in places])
        left = np.ones(len(places))
        left[chosen] = 0.0
        usual = anywhere if seat else weights
        likely = usual * left * np.where(elsewhere, 1.0, SAME_ZONE)
        chosen.append(int(exactly(rng, likely, 1)[0]))
        zones.add(places[chosen[-1]].time_zone)
    return chosen


def _shops(rng: Stream, places: tuple[City, ...], weights: Array, count: int) -> list[int]:
    """The rows of so many cities, rather in a state that has no shop yet."""
    chosen: list[int] = []
    states: set[str] = set()
    for _ in range(count):
        has_one = np.array([place.state in states for place in places])
        left = np.ones(len(places))
        left[chosen] = 0.0
        likely = weights * left * np.where(has_one, SECOND_SHOP, 1.0)
        chosen.append(int(exactly(rng, likely, 1)[0]))
        states.add(places[chosen[-1]].state)
    return sorted(chosen)


def _site(lines: Stream, country: Country, place: City, kind: str) -> Workplace:
    number = int(lines.integers(most_numbers(country)))
    return Workplace(
        name=f"{place.city} {kind}",
        kind=kind,
        city=place.city,
        state=place.state,
        zone=place.time_zone,
        line=telephone(country.phones.home, place.area_codes, 0.0, number),
    )


def sites_table(sites: list[Workplace]) -> Table:
    """`Workforce.sites`."""
    return table(
        "Workforce.sites",
        name=strings([site.name for site in sites]),
        kind=strings([site.kind for site in sites]),
        city=strings([site.city for site in sites]),
        state=strings([site.state for site in sites]),
        zone=strings([site.zone for site in sites]),
        line=strings([site.line for site in sites]),
    )


def role_parents(staff: Staff) -> dict[str, str]:
    """Every role and the one above it, "" for the topmost; those above come first."""
    parents = {TOP_ROLE: ""}
    above = TOP_ROLE
    for role in SERVICE_ROLES:
        parents[role] = above
        above = role
    for department in staff.departments:
        parents[department.head] = TOP_ROLE
        parents[department.name] = department.head
    return parents


def roles_table(staff: Staff) -> Table:
    """`Workforce.roles`."""
    parents = role_parents(staff)
    names = list(parents)
    rows = [names.index(parent) if parent else NONE for parent in parents.values()]
    return table(
        "Workforce.roles",
        {"parent": "UserRole"},
        name=strings(names),
        developer_name=strings([developer_name(name) for name in names]),
        parent=np.array(rows, dtype=np.int64),
    )


def developer_name(name: str) -> str:
    """A name as the set-up of a CRM writes it: letters, digits and single underscores."""
    words = "".join(sign if sign.isalnum() else " " for sign in name).split()
    return "_".join(words)


def profile_names(staff: Staff) -> list[str]:
    """The names of all profiles: those that every company has, then its departments' own."""
    names = dict.fromkeys(OWN_PROFILES)
    names.update(dict.fromkeys(department.profile for department in staff.departments))
    return list(names)


def profiles_table(staff: Staff) -> Table:
    """`Workforce.profiles`."""
    names = profile_names(staff)
    told = [OWN_PROFILES.get(name, f"What a {name} may do.") for name in names]
    return table(
        "Workforce.profiles",
        name=strings(names),
        user_type=strings(["Standard"] * len(names)),
        description=strings(told),
    )


def groups_table() -> Table:
    """`Workforce.groups`: four queues and a group of all."""
    return table(
        "Workforce.groups",
        name=strings([name for name, _, _ in GROUPS]),
        developer_name=strings([developer_name(name) for name, _, _ in GROUPS]),
        type=strings([kind for _, kind, _ in GROUPS]),
        mailbox=strings([mailbox for _, _, mailbox in GROUPS]),
    )


def queues_table() -> Table:
    """`Workforce.queues`: the object types that the queues take, which are cases alone."""
    queues = [row for row, (_, kind, _) in enumerate(GROUPS) if kind == QUEUE]
    return table(
        "Workforce.queues",
        {"group": "Group"},
        group=np.array(queues, dtype=np.int64),
        sobject=strings(["Case"] * len(queues)),
    )


def hours_table(staff: Staff, zone: str) -> Table:
    """`Workforce.hours`: when the desk is open, in the head office's zone; None is closed."""
    first = min(shift.start for shift in staff.shifts)
    last = max(shift.end for shift in staff.shifts)
    weekend = {SATURDAY: staff.saturday, SUNDAY: staff.sunday}
    columns = {}
    for place, day in enumerate(WEEKDAYS):
        is_open = place < SATURDAY or weekend[place] > 0
        columns[f"{day}_start"] = objects([_clock(first) if is_open else None])
        columns[f"{day}_end"] = objects([_clock(last) if is_open else None])
    return table(
        "Workforce.hours",
        name=strings([SERVICE_DEPARTMENT]),
        zone=strings([zone]),
        **columns,
    )


def _clock(hour: float) -> str:
    """An hour as the CRM writes a time of day: `08:30:00.000Z` for 8.5."""
    whole, part = divmod(round(hour * 60), 60)
    return f"{whole % 24:02d}:{part:02d}:00.000Z"
