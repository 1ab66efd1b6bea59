"""Routing: who gets a case, and who gets it next when the first one can't handle it.

It draws `assignments` (case, step, 0 being the first, agent, why) and `cases` (which are closed
when the period ends, and how loaded the desk was when the case came).
It is drawn from ComplaintHabit (the cases), ShoppingHabit and Assortment (the category of what was
bought), Urgency (which are escalated), Skill (who masters what)
and Workforce (who is there, on which shift, and who stands above whom).
It drives the owners of cases, their history and, through CaseStory, who writes which message.
It knows no words and no times but the moment a case is created.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latent.contacts import COMPLAINT
from latent.draws import exactly
from latent.enquiry_ending import by_stranger
from latent.rota import FAR_AHEAD, Rota, rota_of
from latent.skill import HALVES, SPECIALIST
from latent.statistics import correlation, shares
from latent.variable import Effect
from latent.work_calendar import HOUR
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table

# Of the transfers 8 % pass a case on for a second time, so that chains of three agents exist but
# are rare. Chosen by eye.
SECOND_TRANSFERS = 0.08

# 1 % of the cases that are passed on come from skilled but overloaded agents, and 1.2 % of all
# cases stay with an unskilled one: noise that keeps Skill from being readable off one case.
SKILLED_TRANSFERS = 0.01
UNSKILLED_KEEP = 0.012

# An escalated case is passed on fourteen times as often as another, and one that came in the last
# two weeks of an agent two and a half times: what a leaver has open is moved. A plain question or
# request is passed on a third as often as a complaint: anybody at a desk can answer most of them.
# Chosen by eye.
ESCALATED_PULL = 14.0
LEAVER_PULL = 2.5
PLAIN_PULL = 0.35
LEAVER_DAYS = 14

# Cases go up: a person of a higher tier is this many times as likely as one of the same tier, and
# nobody passes a case down as long as there is anyone else.
UPWARD = 6.0

# An escalated case goes to the top: each tier more makes a person this many times as likely.
TO_THE_TOP = 8.0

# Nobody is given a mail who leaves within so many days, for the case may take as long. Mails of
# `latent.case_course` keep to it.
DAYS_TO_STAY = 40

# Mails wait in a queue: who can answer first takes them, less likely by e for each two hours that
# somebody would be later.
QUEUE_SECONDS = 2 * 3600

SECONDS_A_DAY = 24 * 3600

# How loaded the desk is follows from the cases of the last ten days for each agent at work, against
# those that it has planned for: desks know their season and their growth, and shifts are longer or
# shorter by the month. Two cases are added to both, so that a small desk isn't all noise.
LOAD_DAYS = 10
PLANNED_DAYS = 60
LOAD_PRIOR = 2.0
LOAD_POWER = 1.8
LOAD_BOUNDS = (0.3, 5.0)

# Which cases are still open at the end: e-mail cases, likelier by e each 16 days of youth; one in
# thirty has been forgotten, for months. Ages are cut at 1400 days, where exp() would be zero and a
# weight of zero means "never". A question or a change that came by chat may be left to be done,
# too, but seldom. Chosen by eye.
OPEN_CHAT = 0.12
OPEN_DAYS = 16
FORGOTTEN = 0.03
FORGOTTEN_DAYS = 100
SWEPT_DAYS = 2
OLDEST_DAYS = 1400

# Logarithm of the hours to the first answer.
LOAD_AND_ANSWER = """
    SELECT
        r.load,
        ln((julianday(substr(m.answered, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))) * 24)
    FROM "Case" c
    JOIN latent."Routing.cases" r ON r.Id = c.Id
    JOIN (
        SELECT ParentId, min(MessageDate) AS answered
        FROM EmailMessage
        WHERE NOT Incoming
        GROUP BY ParentId
    ) m ON m.ParentId = c.Id
"""
ESCALATED_AND_TRANSFERRED = """
    SELECT
        c.IsEscalated,
        EXISTS (
            SELECT 1
            FROM CaseHistory__c h
            WHERE h.CaseId__c = c.Id AND h.OldValue__c IS NOT NULL
        )
    FROM "Case" c
"""


@dataclass(frozen=True, slots=True)
class CaseAssignment:
    """One agent's time with a case; `step` counts the case's agents from 0."""

    case: int
    step: int
    agent: int
    reason: str


@dataclass(frozen=True, slots=True)
class Staffing:
    """What routing knows of the people: skills and knacks (people × issues), workloads, shifts.

    `since` (people × issues) is the day from which what is mastered is.
    """

    mastered: Array
    since: Array
    knack: Array
    specialists: Table
    workload: Array
    rota: Rota

    def masters(self, issue: int, day: np.datetime64) -> Array:
        """Whether each person masters an issue on a day."""
        return np.asarray(self.mastered[:, issue] & (self.since[:, issue] <= day))

    def knacks(self, issue: int, category: int, day: np.datetime64) -> Array:
        """How much rather than others each person is given an issue on a day.

        Its two specialists share the categories: each has every other one.
        """
        knacks = self.knack[:, issue].copy()
        found = self.specialists
        here = (found["issue"] == issue) & (found["half"] == (category + issue) % HALVES)
        here &= (found["first"] <= day) & (day <= found["last"])
        knacks[found["agent"][here]] *= SPECIALIST
        return np.asarray(knacks)


@dataclass(frozen=True, slots=True)
class Handover:
    """What somebody is looked for: when, for which issue, with the skill or without.

    `until` is the day until which the person must stay, `chats` whether they must be on shift,
    `escalated` whether the case goes to the top; `before` are those who have had the case, and
    `category` is the row of the product's.
    """

    moment: int
    until: np.datetime64
    issue: int
    skilled: bool
    chats: bool = False
    escalated: bool = False
    before: tuple[int, ...] = ()
    category: int = 0

    @property
    def day(self) -> np.datetime64:
        """The day in UTC."""
        return np.datetime64(self.moment // SECONDS_A_DAY, "D")


class Routing:
    """Assignments of every case, in order."""

    name = "Routing"
    reads: tuple[str, ...] = (
        "ComplaintHabit",
        "ShoppingHabit",
        "Assortment",
        "Skill",
        "Solution",
        "Urgency",
        "Workforce",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "assignments": ("case", "step", "agent", "reason"),
        "cases": ("Id", "closed", "load"),
    }
    drives = ("Case.OwnerId", "Case.Status", "CaseHistory__c", "EmailMessage.MessageDate")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly the profile's share of transfers.

        Nearly all are from unskilled agents and upwards, some from people who leave.
        """
        cases = org.table("ComplaintHabit.cases")
        staffing = _staffing(org)
        closed = _closed(org, cases)
        rows = _assignments(org, cases, staffing, closed)
        assignments = table(
            "Routing.assignments",
            {"case": "Case", "agent": "User"},
            case=np.array([row.case for row in rows], dtype=np.int64),
            step=np.array([row.step for row in rows], dtype=np.int64),
            agent=np.array([row.agent for row in rows], dtype=np.int64),
            reason=strings([row.reason for row in rows]),
        )
        return assignments, table(
            "Routing.cases",
            {"Id": "Case"},
            Id=np.arange(cases.size),
            closed=closed,
            load=_loads(cases, staffing.rota),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Load against the first answer, escalation against transfer."""
        answers = org.execute(LOAD_AND_ANSWER).fetchall()
        escalated = org.execute(ESCALATED_AND_TRANSFERRED).fetchall()
        return (
            correlation(self.name, "mails wait longer for an answer on a busy desk", answers),
            shares(self.name, "escalated cases are passed on more often", escalated),
        )


def _staffing(org: Org) -> Staffing:
    people = org.table("Workforce.people")
    issues = org.table("Solution.issues")
    skills = org.table("Skill.skills")
    mastered = skills["mastered"].reshape(people.size, issues.size) == 1
    knack = skills["knack"].reshape(people.size, issues.size)
    return Staffing(
        mastered=mastered,
        since=skills["since"].reshape(people.size, issues.size),
        knack=knack,
        specialists=org.table("Skill.specialists"),
        workload=org.table("Skill.agents")["workload"],
        rota=rota_of(org),
    )


def _assignments(org: Org, cases: Table, staffing: Staffing, closed: Array) -> list[CaseAssignment]:
    """The owners of each case in turn; the draws are of one stream, so their order must stay."""
    rng = org.setting.stream("Routing", "assignments")
    wanted = round(cases.size * org.setting.profile.rates.transfers)
    hops = transfers_a_case(rng, _pulls(org, cases, staffing.rota), wanted)
    kept = rng.random(cases.size) < UNSKILLED_KEEP
    overloaded = rng.random(cases.size) < SKILLED_TRANSFERS
    chats = cases["channel"] == "chat"
    escalated = org.table("Urgency.cases")["escalated"]
    moments = cases["created"].astype("datetime64[s]").astype(np.int64)
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    category = org.table("Assortment.products")["category"][product]
    waits = _waits(org, staffing.rota, moments, chats)
    # What presses is taken by whoever is there first, what doesn't may wait for the right one.
    waits = waits / org.table("Urgency.cases")["pace"][:, None]
    rows: list[CaseAssignment] = []
    for case in range(cases.size):
        passed_on = Handover(
            moment=int(moments[case]),
            until=_until(cases, closed, case, last=False),
            issue=int(cases["issue"][case]),
            skilled=bool(overloaded[case]),
            chats=bool(chats[case]),
            escalated=bool(escalated[case]),
            category=int(category[case]),
        )
        settled = replace(
            passed_on, until=_until(cases, closed, case, last=True), skilled=not kept[case]
        )
        handovers = [*[passed_on] * int(hops[case]), settled]
        owners = _owners(rng, staffing, handovers, waits[case])
        rows += [
            CaseAssignment(case, step, agent, reason) for step, (agent, reason) in enumerate(owners)
        ]
    return rows


def _owners(
    rng: Stream, staffing: Staffing, handovers: Sequence[Handover], waits: Array
) -> Iterator[tuple[int, str]]:
    """Who has a case in turn, and why; it stays with the last one where nobody else is found."""
    before: tuple[int, ...] = ()
    for step, handover in enumerate(handovers):
        last = step == len(handovers) - 1
        wanted = replace(handover, before=before)
        stays = last or wanted.chats or wanted.escalated
        leaver = None if stays else leaving(rng, staffing, wanted)
        agent = next_agent(rng, staffing, wanted, waits) if leaver is None else leaver
        if agent is None or agent in before[-1:]:
            return
        yield agent, "agent_left" if leaver is not None else _reason(last, wanted.skilled)
        before = (*before, agent)


def _waits(
    org: Org,
    rota: Rota,
    moments: Array,
    chats: Array,
) -> Array:
    """The seconds until each kind of calendar could have answered each case: cases × kinds.

    A chat needs somebody who is at work. A mail is taken by those who can answer it soonest, not
    by whoever is about to go home.
    """
    answer = round(org.setting.world.trade.staff.answer_hours * HOUR)
    at_work = rota.waits(moments)
    answered = rota.waits(moments, answer)
    return np.where(chats[:, None], at_work, answered)


def _until(cases: Table, closed: Array, case: int, last: bool) -> np.datetime64:
    """The day until which whoever gets a case must stay."""
    if last and not closed[case]:
        return FAR_AHEAD
    day = cases["created"][case].astype("datetime64[D]")
    stays = 0 if cases["channel"][case] == "chat" else DAYS_TO_STAY
    return np.datetime64(day + np.timedelta64(stays, "D"))


def _pulls(org: Org, cases: Table, rota: Rota) -> Array:
    """How likely each case is to be passed on."""
    escalated = org.table("Urgency.cases")["escalated"]
    days = cases["created"].astype("datetime64[D]")
    serving = (rota.tier > 0) & (rota.left < FAR_AHEAD)
    # Among sorted days, for cases × agents would take the square of a larger company's memory.
    left = np.sort(rota.left[serving])
    too_soon = np.searchsorted(left, days + np.timedelta64(2, "D"))
    leaves_soon = np.searchsorted(left, days + np.timedelta64(LEAVER_DAYS, "D"), "right") > too_soon
    mails = leaves_soon & (cases["channel"] == "email")
    pull = np.where(escalated, ESCALATED_PULL, 1.0) * np.where(mails, LEAVER_PULL, 1.0)
    pull *= np.where(cases["intent"] == COMPLAINT, 1.0, PLAIN_PULL)
    # Nobody passes on what is meant for nobody.
    return np.where(by_stranger(org, cases), 0.0, pull)


def _loads(cases: Table, rota: Rota) -> Array:
    """How loaded the desk was when each case came, against what it had planned for; 1 is usual."""
    moments = cases["created"].astype("datetime64[s]")
    if not len(moments):
        return np.zeros(0)
    ordered = np.sort(moments)
    since = moments - np.timedelta64(LOAD_DAYS, "D")
    recent = np.searchsorted(ordered, moments, "right") - np.searchsorted(ordered, since)
    days = moments.astype("datetime64[D]")
    serving = (rota.tier > 0) & (rota.joined <= rota.left)
    come = np.searchsorted(np.sort(rota.joined[serving]), days, "right")
    there = come - np.searchsorted(np.sort(rota.left[serving]), days)
    each = recent / np.maximum(there, 1)
    usual_number = np.median(recent)
    prior = LOAD_PRIOR / max(usual_number + LOAD_PRIOR, 1.0)
    against_usual = prior + (1 - prior) * each / _planned(moments, each)
    return np.asarray(np.round(np.clip(against_usual**LOAD_POWER, *LOAD_BOUNDS), 3))


def _planned(moments: Array, each: Array) -> Array:
    """What a desk expects when each case comes: the mean of the months around it."""
    order = np.argsort(moments, kind="stable")
    ordered = moments[order]
    around = np.timedelta64(PLANNED_DAYS, "D")
    low = np.searchsorted(ordered, moments - around)
    high = np.searchsorted(ordered, moments + around, "right")
    sums = np.append(0.0, np.cumsum(each[order]))
    return np.asarray((sums[high] - sums[low]) / (high - low))


def _closed(org: Org, cases: Table) -> Array:
    """Which cases are closed at the period's end.

    All but the profile's share; the open ones are late e-mail cases and a few late chats. What is
    complained of in a chat is settled in it.
    """
    rng = org.setting.stream("Routing", "closed")
    email = cases["channel"] == "email"
    setting = org.setting
    created_on = cases["created"].astype("datetime64[D]")
    age = (setting.last_day - created_on).astype(float)
    wanted = cases.size - round(cases.size * setting.profile.rates.closed)
    aged = np.minimum(age, OLDEST_DAYS)
    youth = np.exp(-aged / OPEN_DAYS) + FORGOTTEN * np.exp(-aged / FORGOTTEN_DAYS)
    chats = np.where(cases["intent"] == COMPLAINT, 0.0, OPEN_CHAT * youth)
    weights = np.where(email, youth, chats)
    # What is meant for nobody is swept out within days.
    swept = np.exp(-aged / SWEPT_DAYS)
    weights = np.where(by_stranger(org, cases), swept, weights)
    still_open = exactly(rng, weights, min(wanted, int((weights > 0).sum())))
    closed = np.ones(cases.size, dtype=bool)
    closed[still_open] = False
    return closed


def transfers_a_case(rng: Stream, pulls: Array, transfers: int) -> Array:
    """How often each case is passed on; `pulls` says how likely, one a case.

    Sums to `transfers` wherever there is a case at all. A few cases are passed on twice; where
    there are more transfers than cases, all are, as often as it takes.
    """
    twice = round(transfers * SECOND_TRANSFERS)
    once = min(max(transfers - twice, 0), len(pulls))
    hops = np.zeros(len(pulls), dtype=np.int64)
    chosen = exactly(rng, pulls, once)
    hops[chosen] = 1
    rest = transfers - once
    while rest > 0 and len(chosen):
        more = chosen[rng.permutation(len(chosen))[:rest]]
        hops[more] += 1
        rest -= len(more)
    return hops


def _reason(last: bool, skilled: bool) -> str:
    if last:
        return "well_routed" if skilled else "kept_unskilled"
    return "overloaded_agent" if skilled else "unskilled_agent"


def leaving(rng: Stream, staffing: Staffing, wanted: Handover) -> int | None:
    """Somebody who leaves within two weeks, so that the case has to be moved; None if nobody."""
    rota = staffing.rota
    ahead = (rota.left - wanted.day).astype(int)
    soon = (ahead >= 2) & (ahead <= LEAVER_DAYS)
    weights = np.where(soon & rota.employed(wanted.day), staffing.workload, 0.0)
    weights[list(wanted.before)] = 0.0
    return int(exactly(rng, weights, 1)[0]) if weights.sum() > 0 else None


def next_agent(
    rng: Stream,
    staffing: Staffing,
    wanted: Handover,
    waits: Array | None = None,
) -> int | None:
    """Somebody at work, skilled or not as asked, who stays long enough and hasn't had the case.

    Whoever gets a case from somebody else stands above them if possible. Where nobody fits, the
    skill is let go first, then the tier, the shift and the stay, though a case that stays open
    rather goes back to somebody who had it and stays. Where all who are employed have had the case,
    it goes back to one of them; None where that is its owner alone. `waits` are those of the kinds
    of calendars at that moment, which are looked up where they are not given.
    """
    rota = staffing.rota
    serving = np.where(rota.tier > 0, staffing.workload, 0.0)
    serving[list(wanted.before)] = 0.0
    there = serving * rota.employed(wanted.day)
    stays = there * (rota.left >= wanted.until)
    if waits is None:
        waits = rota.waits(np.array([wanted.moment]))[0]
    ready = waits == 0 if wanted.chats else np.exp(-waits / QUEUE_SECONDS)
    ready = ready[rota.kind]
    on_shift = stays * ready
    upward = on_shift * _by_tier(rota.tier, wanted)
    able = staffing.masters(wanted.issue, wanted.day) == wanted.skilled
    fitting = upward * able * staffing.knacks(wanted.issue, wanted.category, wanted.day)
    back = _back(rota, wanted) if wanted.before else serving
    for chances in (fitting, upward, on_shift, stays, _again(rota, wanted), there, back):
        if chances.sum() > 0:
            return int(exactly(rng, chances, 1)[0])
    return None


def _back(rota: Rota, wanted: Handover) -> Array:
    """Who had the case before its owner, and is employed."""
    chances = np.zeros(len(rota.left))
    earlier = [agent for agent in wanted.before if agent != wanted.before[-1]]
    chances[earlier] = 1.0
    return np.asarray(chances * rota.employed(wanted.day))


def _again(rota: Rota, wanted: Handover) -> Array:
    """The first who had an open case and stays: it would have no owner once a leaver is gone."""
    chances = np.zeros(len(rota.left))
    if wanted.until == FAR_AHEAD:
        staying = [agent for agent in wanted.before if rota.left[agent] == FAR_AHEAD]
        chances[staying[:1]] = 1.0
    return chances


def _by_tier(tier: Array, wanted: Handover) -> Array:
    """How much likelier each person is by their tier, after those who have had the case."""
    if not wanted.before:
        return np.ones(len(tier))
    above = tier - tier[wanted.before[-1]]
    likely = np.where(above > 0, UPWARD, np.where(above == 0, 1.0, 0.0))
    return np.asarray(likely * (TO_THE_TOP ** np.maximum(above, 0) if wanted.escalated else 1.0))
