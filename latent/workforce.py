"""Workforce: who works for the company, where, when, for whom, and from when to when.

It draws `people` (one row a user: kind, tier, role, profile, site, manager, shift, first and last
day), `sites`, `roles`, `profiles`, `groups` with their `members` and `queues`, and `hours`.
It is drawn from the numbers of users and cases and the trade's `staff`.
It drives users and everything that says what they are and when they work; through Skill and
Routing who gets a case, and through CaseStory when it is answered.
It knows no case.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from latent.hire_days import on_working_days
from latent.local_time import utc_of
from latent.org_chart import (
    CHAT_QUEUE,
    GROUPS,
    HOURS_COLUMNS,
    LEAD_QUEUE,
    MAIL_QUEUE,
    SENIOR_QUEUE,
    groups_table,
    hours_table,
    profile_names,
    profiles_table,
    queues_table,
    role_parents,
    roles_table,
    sites_of,
    sites_table,
)
from latent.statistics import correlation, difference
from latent.territory import place_weights
from latent.user_moments import last_logins, made, touched
from latent.variable import Effect
from latent.work_calendar import DUTY_GROUPS
from latent.workers import (
    AUTOMATED,
    INTEGRATION,
    SYSTEM,
    Company,
    Worker,
    managers,
    workers,
)
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table

# Numbers are given in the order of hiring, with a gap where somebody left before the period.
FIRST_NUMBER = 1004
LARGEST_STEP = 4
FIRST_EXTENSION = 2010
EXTENSIONS_EACH = 5

CLOCK_HOURS = 24
QUIET_HOURS = 3

# What a shift's hours show in: the hour in UTC at which mails leave.
SHIFT_AND_MAILS = """
    SELECT
        p.start_utc,
        CAST(substr(m.MessageDate, 12, 2) AS REAL) + CAST(substr(m.MessageDate, 15, 2) AS REAL) / 60
    FROM EmailMessage m
    JOIN User u ON u.Email = m.FromAddress
    JOIN latent."Workforce.people" p ON p.Id = u.Id
    WHERE NOT m.Incoming
"""
ESCALATION_AND_TIER = """
    SELECT c.IsEscalated, p.tier
    FROM "Case" c
    JOIN latent."Workforce.people" p ON p.Id = c.OwnerId
"""


class Workforce:
    """The people of a company and how they are organised."""

    name = "Workforce"
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = {
        "people": (
            "Id",
            "kind",
            "tier",
            "title",
            "department",
            "role",
            "profile",
            "user_type",
            "given_first",
            "given_last",
            "manager",
            "city",
            "state",
            "country",
            "zone",
            "shift",
            "start",
            "end",
            "start_utc",
            "week",
            "duty",
            "joined",
            "left",
            "active",
            "created",
            "last_login",
            "touched",
            "number",
            "line",
            "extension",
        ),
        "sites": ("name", "kind", "city", "state", "zone", "line"),
        "roles": ("name", "developer_name", "parent"),
        "profiles": ("name", "user_type", "description"),
        "groups": ("name", "developer_name", "type", "mailbox"),
        "members": ("group", "user"),
        "queues": ("group", "sobject"),
        "hours": (
            "name",
            "zone",
            *HOURS_COLUMNS,
        ),
    }
    drives = (
        "User",
        "UserRole",
        "Profile",
        "Group",
        "GroupMember",
        "QueueSobject",
        "BusinessHours",
        "EmailMessage.MessageDate",
        "Case.IsEscalated",
        "Account.LastModifiedById",
        "Contact.LastModifiedById",
        "Order.LastModifiedById",
        "ReturnOrder.CreatedById",
        "Knowledge__kav.CreatedById",
        "Holiday.CreatedById",
        "Issue__c.CreatedById",
        "ProductCatalog.CreatedById",
        "ProductCategory.CreatedById",
        "RecordType.CreatedById",
    )
    references: Mapping[str, str] = {"manager": "User", "user": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly as many people as users are asked for."""
        setting = org.setting
        staff = setting.world.trade.staff
        lines = setting.own_stream("Workforce", "lines")
        places = place_weights(setting)
        rng = setting.stream("Workforce", "sites")
        sites = sites_of(rng, lines, staff, setting.country, places)
        days = int((setting.last_day - setting.first_day).astype(int)) + 1
        company = Company(staff, sites, days)
        rng = setting.stream("Workforce", "people")
        drawn = workers(
            rng,
            company,
            setting.some("User"),
            setting.count("Case"),
        )
        drawn = [
            replace(person, tenure=on_working_days(setting, person.tenure)) for person in drawn
        ]
        # In a CRM records have the order in which they were made.
        people = sorted(drawn, key=lambda person: max(person.tenure.joined, 0))
        return (
            _people_table(setting, company, people),
            sites_table(sites),
            roles_table(staff),
            profiles_table(staff),
            groups_table(),
            _members_table(people),
            queues_table(),
            hours_table(staff, sites[0].zone),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Shifts against the hours of mails, tiers against escalation."""
        mails = org.execute(SHIFT_AND_MAILS).fetchall()
        escalated = org.execute(ESCALATION_AND_TIER).fetchall()
        tier_says = "escalated cases end with people of a higher tier"
        return (
            correlation(
                self.name,
                "who starts later in the day writes later in the day",
                by_day(mails),
            ),
            difference(self.name, tier_says, "tier", escalated),
        )


def by_day(mails: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same hours, of shifts and of mails, counted from the hour in which fewest mails leave.

    By UTC an evening in the west is the night of the next day, and would look earlier than noon.

    >>> by_day([(15.0, 16.5), (19.0, 2.0), (19.0, 23.0)])
    [(9.0, 10.5), (13.0, 20.0), (13.0, 17.0)]
    """
    hours = np.array([int(hour) % CLOCK_HOURS for _, hour in mails], dtype=np.int64)
    sent = np.bincount(hours, minlength=CLOCK_HOURS)
    # One mail at night makes no day: the hours around count, too.
    around = sum(np.roll(sent, step) for step in range(-QUIET_HOURS, QUIET_HOURS + 1))
    quiet = int(np.argmin(around))
    return [((start - quiet) % CLOCK_HOURS, (hour - quiet) % CLOCK_HOURS) for start, hour in mails]


def automated_user(org: Org) -> int:
    """The row of the user in whose name the CRM itself acts; NONE in a small company."""
    people = org.table("Workforce.people")
    rows = np.flatnonzero(people["given_first"] == AUTOMATED[0])
    return int(rows[0]) if len(rows) else NONE


def integration_user(org: Org) -> int:
    """The row of the user in whose name other systems write; the first user in a small company."""
    people = org.table("Workforce.people")
    rows = np.flatnonzero(people["given_first"] == INTEGRATION[0])
    return int(rows[0]) if len(rows) else 0


def _people_table(setting: RunContext, company: Company, people: list[Worker]) -> Table:
    rng = setting.stream("Workforce", "details")
    sites = [company.sites[person.site] for person in people]
    joined = setting.first_day + _days([person.tenure.joined for person in people])
    left = _last_days(setting, people)
    offsets = np.array([_winter_offset(site.zone) for site in sites])
    created = made(setting, rng, people, sites)
    start = np.array([person.shift.start for person in people])
    roles = list(role_parents(company.staff))
    profiles = profile_names(company.staff)
    return table(
        "Workforce.people",
        {"Id": "User", "manager": "User", "role": "UserRole", "profile": "Profile"},
        Id=np.arange(len(people)),
        kind=strings([person.kind for person in people]),
        tier=np.array([person.tier for person in people], dtype=np.int64),
        title=objects([None if person.given[0] else person.title for person in people]),
        department=strings([person.department for person in people]),
        role=np.array([_row_of(person.role, roles) for person in people], dtype=np.int64),
        profile=np.array([_row_of(person.profile, profiles) for person in people], dtype=np.int64),
        user_type=strings([person.user_type for person in people]),
        given_first=objects([person.given[0] or None for person in people]),
        given_last=objects([person.given[1] or None for person in people]),
        manager=np.array(managers(people), dtype=np.int64),
        city=strings([site.city for site in sites]),
        state=strings([site.state for site in sites]),
        country=strings([setting.country.country] * len(people)),
        zone=strings([site.zone for site in sites]),
        shift=strings([person.shift.name for person in people]),
        start=start,
        end=np.array([person.shift.end for person in people]),
        start_utc=start - offsets,
        week=np.array([person.week for person in people], dtype=np.int64),
        duty=rng.integers(DUTY_GROUPS, size=len(people)),
        joined=joined,
        left=left,
        active=np.isnat(left),
        created=created,
        last_login=last_logins(setting, rng, people, sites),
        touched=touched(setting, created, people, sites),
        number=_numbers(rng, people, setting.numbers_before("User")),
        line=strings([site.line for site in sites]),
        extension=_extensions(rng, people, setting.numbers_before("User")),
    )


def _row_of(name: str, names: list[str]) -> int:
    return names.index(name) if name else NONE


def _days(numbers: list[int]) -> Array:
    return np.array(numbers, dtype="timedelta64[D]")


def _last_days(setting: RunContext, people: list[Worker]) -> Array:
    """The last day of work of each; NaT for those who are there at the period's end."""
    days = []
    for person in people:
        left = person.tenure.left
        days.append(np.datetime64("NaT") if left is None else setting.first_day + left)
    return np.array(days, dtype="datetime64[D]")


def _winter_offset(name: str) -> float:
    """How many hours a zone's clocks are ahead of UTC in winter, when most of them differ."""
    noon = datetime(2021, 1, 15, 12)
    return (noon - utc_of(noon, ZoneInfo(name))).total_seconds() / 3600


def _numbers(rng: Stream, people: list[Worker], before: int) -> Array:
    """Employee numbers in the order of hiring, behind those of others; a program has none."""
    hired = sorted(range(len(people)), key=lambda row: people[row].tenure.joined)
    steps = rng.integers(1, LARGEST_STEP, size=len(people)).tolist()
    number = FIRST_NUMBER + before * (LARGEST_STEP - 1)
    numbers: list[str | None] = [None] * len(people)
    for row, step in zip(hired, steps, strict=True):
        if people[row].kind != SYSTEM:
            number += step
            numbers[row] = f"E{number:05d}"
    return objects(numbers)


def _extensions(rng: Stream, people: list[Worker], before: int) -> Array:
    """The extension behind the site's number, behind those of others; a program has none."""
    free = rng.permutation(EXTENSIONS_EACH * len(people)).tolist()
    found: list[str | None] = []
    for person, number in zip(people, free, strict=False):
        extension = FIRST_EXTENSION + before * EXTENSIONS_EACH + number
        found.append(None if person.kind == SYSTEM else str(extension))
    return objects(found)


def _members_table(people: list[Worker]) -> Table:
    """`Workforce.members`: who takes cases from which queue, of those who still work."""
    groups: list[int] = []
    users: list[int] = []
    for row, person in enumerate(people):
        if person.tier and person.tenure.left is None:
            mine = (*QUEUES_OF_TIER[person.tier], len(GROUPS) - 1)
            groups += mine
            users += [row] * len(mine)
    return table(
        "Workforce.members",
        {"group": "Group", "user": "User"},
        group=np.array(groups, dtype=np.int64),
        user=np.array(users, dtype=np.int64),
    )


QUEUES_OF_TIER = {
    1: (MAIL_QUEUE, CHAT_QUEUE),
    2: (MAIL_QUEUE, CHAT_QUEUE, SENIOR_QUEUE),
    3: (SENIOR_QUEUE, LEAD_QUEUE),
    4: (LEAD_QUEUE,),
}
"""A tier -> the rows of the queues whose cases it takes."""
