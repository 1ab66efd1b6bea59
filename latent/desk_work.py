"""DeskWork: what agents do about a case beside writing to its customer.

It draws `agents` (diligence), `comments` (internal notes: case, author, moment, what about),
`calls` (follow-up calls: case, owner, when due, when done) and `articles` (case, article, who
attached it and when).
It is drawn from CaseStory (who wrote when), Urgency (what presses), IssueSolution (which article
is about what), Workforce (by whose clock calls are made) and ClosedDays (when none is).
It drives case comments, tasks and the articles of cases.
It knows no words.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from latent.case_hands import in_hand
from latent.enquiry_ending import DECLINED, OUTCOMES, UNANSWERED
from latent.holidays import closed_between
from latent.local_time import to_local, to_utc
from latent.note_topics import ANSWERED, ARRANGED, HANDOVER, ending_of, topics_of
from latent.rota import rota_of
from latent.statistics import correlation, shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table

DAY = 24 * 3600

# How much of what happens an agent writes down: beta(1.6, 2) of all turns, a third to a half in the
# mean, and up to this many notes a turn. Chosen by eye.
DILIGENCE_SHAPE = (1.6, 2.0)
NOTES_A_TURN = 0.55
# One agent in six ticks in every fourth case that a note on how it ended is for the customer as
# well, others do so by mistake: there is no portal to see it in. Chosen by eye.
PUBLISHERS = 1 / 6
PUBLISHED = 0.25
BY_MISTAKE = 0.03
HANDOVER_NOTES = 0.8  # a transfer is explained to the next agent in four of five cases
NOTED_BEFORE = (60, 1500)  # seconds before the own mail or line

# A customer is called where a case was escalated or presses, else seldom. It is planned by whoever
# has the case, at work and soon after taking it over, due on that working day or one of the next
# two, and made on it or a working day or two late. What is still open has a call planned for these
# days in every fourth case, by e fewer for each four days that it has been planned. Of those that
# would come behind the case's end most are dropped: the matter is settled. Whose matter was settled
# in a chat is seldom called at all. Chosen by eye.
CALLS = {"High": 0.42, "Medium": 0.11, "Low": 0.04}
ESCALATED_CALLS = 0.8
CALLED_ALL_THE_SAME = 0.22
CALLS_AFTER_A_CHAT = 0.35
PLANNED_WITHIN = (0.02, 0.35)  # of the time for which its owner has the case
OPEN_CALLS = 0.25
OPEN_PLANNED_DAYS = 4.0
WRITTEN_DOWN = (60, 7200)  # seconds of work
DUE_DAYS = (0, 0, 0, 1, 1, 2)
NOT_ON_MONDAY = 0.6
LATE_DAYS = (0, 0, 0, 0, 0, 1, 2)
PLANNED_AHEAD = 30  # days; no call is planned, or put off, for as long
CALL_HOURS = (9, 17)  # on the clock of whoever calls
CALL_ENDINGS = {"Reached": 0.5, "Left voicemail": 0.3, "No answer": 0.2}
# Of calls in which somebody was reached so many are the customer's, who was quicker; by eye.
CALLED_IN = 0.24
CALLED_IN_SUBJECT = "Call from customer"
CALL_MINUTES = (1.3, 0.7)  # log-normal: some four minutes
SUBJECTS = {
    "Reached": "Call",
    "Left voicemail": "Call - left voicemail",
    "No answer": "Call - no answer",
}

# A closed case has the article that it was settled by attached in half of cases where the agent is
# diligent, and a policy beside it in one of eight. Chosen by eye.
ATTACHES = 1.1
ATTACHES_POLICY = 0.12
SHARED = 0.3

DILIGENCE_AND_COMMENTS = """
    SELECT a.diligence, count(m.Id)
    FROM "Case" c
    JOIN latent."DeskWork.agents" a ON a.Id = c.OwnerId
    LEFT JOIN CaseComment m ON m.ParentId = c.Id
    GROUP BY c.Id
"""
PRESSING_AND_CALLED = """
    SELECT c.Priority = 'High', EXISTS (SELECT 1 FROM Task t WHERE t.WhatId = c.Id)
    FROM "Case" c
"""


@dataclass(frozen=True, slots=True)
class Turns:
    """What agents said: the case, the agent, the moment and the acts of each turn, in order."""

    case: Array
    agent: Array
    moment: Array
    beats: Array


class DeskWork:
    """Notes, calls and articles."""

    name = "DeskWork"
    reads: tuple[str, ...] = (
        "CaseStory",
        "Urgency",
        "IssueSolution",
        "Workforce",
        "ClosedDays",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "diligence"),
        "comments": ("case", "agent", "at", "about", "published"),
        "calls": (
            "case",
            "agent",
            "at",
            "due",
            "done",
            "closed",
            "status",
            "ending",
            "subject",
            "seconds",
            "direction",
        ),
        "articles": ("case", "article", "agent", "at", "shared"),
    }
    drives = ("CaseComment", "Task", "CaseArticle")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Work on each case, by its agents' diligence."""
        rng = org.setting.stream("DeskWork", "agents")
        users = org.setting.count("User")
        diligence = np.round(rng.beta(*DILIGENCE_SHAPE, size=users), 3)
        turns = _turns(org)
        return (
            table("DeskWork.agents", {"Id": "User"}, Id=np.arange(users), diligence=diligence),
            _comments(org, turns, diligence),
            _calls(org),
            _articles(org, diligence),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Diligence against comments a case, priority against calls."""
        comments = org.execute(DILIGENCE_AND_COMMENTS).fetchall()
        calls = org.execute(PRESSING_AND_CALLED).fetchall()
        return (
            correlation(self.name, "diligent agents write more notes a case", comments),
            shares(self.name, "customers of cases that press are called", calls),
        )


def _turns(org: Org) -> Turns:
    mails = org.table("CaseStory.messages")
    lines = org.table("CaseStory.turns")
    chats = org.table("CaseStory.chats")["case"]
    wrote = np.flatnonzero(mails["speaker"] == "Agent")
    typed = np.flatnonzero(lines["speaker"] == "Agent")
    case = np.concatenate([mails["case"][wrote], chats[lines["chat"][typed]]])
    agent = np.concatenate([mails["agent"][wrote], lines["agent"][typed]])
    moment = np.concatenate([mails["at"][wrote], lines["at"][typed]])
    beats = np.concatenate([mails["beats"][wrote], lines["beats"][typed]])
    # A chat's lines are minutes apart: only its last one has time for a note.
    last_line = np.append(np.diff(lines["chat"][typed]) != 0, True)[: len(typed)]
    noted = np.concatenate([np.ones(len(wrote), dtype=bool), last_line])
    order = np.lexsort((moment[noted], case[noted]))
    return Turns(*(column[noted][order] for column in (case, agent, moment, beats)))


def _comments(org: Org, turns: Turns, diligence: Array) -> Table:
    """Notes beside some turns, and one to the next agent at most transfers."""
    rng = org.setting.stream("DeskWork", "comments")
    cases = org.table("CaseStory.cases")
    history = org.table("CaseStory.history")
    noted = rng.random(len(turns.case)) < NOTES_A_TURN * diligence[turns.agent]
    before = rng.integers(*NOTED_BEFORE, size=len(turns.case))
    _, since = in_hand(org, turns.case, turns.moment)
    own = _shortly_before(turns.moment, before, since)
    passed = np.flatnonzero(history["old"] != NONE)
    passed = passed[rng.random(len(passed)) < HANDOVER_NOTES]
    case = np.concatenate([turns.case[noted], history["case"][passed]])
    agent = np.concatenate([turns.agent[noted], history["old"][passed]])
    moment = np.concatenate([own[noted], history["at"][passed]])
    about = [*_about(cases, turns, noted), *[HANDOVER] * len(passed)]
    order = np.lexsort((case, moment))
    return table(
        "DeskWork.comments",
        {"case": "Case", "agent": "User"},
        case=case[order],
        agent=agent[order],
        at=moment[order],
        about=strings(about)[order],
        published=_published(org, agent[order], strings(about)[order]),
    )


def _published(org: Org, agent: Array, about: Array) -> Array:
    """Which notes are marked as seen by the customer."""
    rng = org.setting.stream("DeskWork", "published")
    users = org.setting.count("User")
    publishes = rng.random(users) < PUBLISHERS
    ends = np.isin(about, (ARRANGED, ANSWERED))
    chance = np.where(
        publishes[agent],
        PUBLISHED,
        BY_MISTAKE,
    )
    ticked = rng.random(len(agent)) < chance
    return np.asarray(ends & ticked)


def _shortly_before(
    moment: Array,
    seconds: Array,
    since: Array,
) -> Array:
    """So many seconds before each moment; where that is before `since`, as far on the way from
    `since` to the moment as the seconds are to their most: nobody works on what waits in a queue.
    """
    room = (moment - since).astype(np.int64)
    _, most = NOTED_BEFORE
    back = np.where(seconds < room, seconds, room * seconds // most)
    return np.asarray(moment - back.astype("timedelta64[s]"))


def _about(cases: Table, turns: Turns, noted: Array) -> list[str]:
    """What each note is about: the first look, what the turn beside it says, or how it ended."""
    first = np.append(True, np.diff(turns.case) != 0)[: len(turns.case)]
    last = np.append(np.diff(turns.case) != 0, True)[: len(turns.case)]
    # Who waits for a reply that never comes notes no outcome.
    closes = cases["is_closed"] & (cases["ending"] != UNANSWERED)
    closed = closes[turns.case] & last
    endings = []
    for case, ends in zip(turns.case, closed, strict=True):
        granted, refused = (
            bool(cases["granted"][case]),
            cases["outcome"][case] == OUTCOMES[DECLINED],
        )
        endings.append(ending_of(granted, refused) if ends else "")
    about = strings(topics_of(turns.beats, first, endings))
    return [str(topic) for topic in about[noted]]


def _calls(org: Org) -> Table:
    """A follow-up call for some cases, made while the case is open or soon after."""
    rng = org.setting.stream("DeskWork", "calls")
    cases = org.table("CaseStory.cases")
    case = np.flatnonzero(rng.random(cases.size) < _call_chances(cases))
    size = len(case)
    planned = _planned(org, case, rng.uniform(*PLANNED_WITHIN, size=size))
    due, done = _call_days(org, rng, planned, cases["owner"][case])
    needed = ~cases["is_closed"][case] | (done <= cases["closed"][case])
    made = needed | (rng.random(size) < CALLED_ALL_THE_SAME)
    case, planned, due, done = case[made], planned[made], due[made], done[made]
    size = len(case)
    over = done.astype("datetime64[D]") <= org.setting.last_day
    names = list(CALL_ENDINGS)
    ending = rng.choice(len(names), size=size, p=list(CALL_ENDINGS.values()))
    reached = [names[row] for row in ending]
    talked = np.round(rng.lognormal(*CALL_MINUTES, size=size) * 60).astype(np.int64)
    spoke = over & (ending == 0)
    told = strings(reached)
    told[~over] = None
    came_in = spoke & (org.setting.stream("DeskWork", "directions").random(size) < CALLED_IN)
    ours = np.where(over, strings([SUBJECTS[name] for name in reached]), "Call")
    return table(
        "DeskWork.calls",
        {"case": "Case", "agent": "User"},
        case=case,
        agent=cases["owner"][case],
        at=planned,
        due=due,
        done=np.where(over, done, np.datetime64("NaT", "s")),
        closed=over,
        status=np.where(over, "Completed", "Not Started").astype(object),
        ending=told,
        subject=np.where(came_in, CALLED_IN_SUBJECT, ours).astype(object),
        direction=np.where(came_in, "Inbound", "Outbound").astype(object),
        seconds=np.where(spoke, talked, 0),
    )


def _planned(
    org: Org,
    case: Array,
    share: Array,
) -> Array:
    """When each case's owner plans to call: after a share of the time since they took it over.

    While they are at work, and not behind the end of the case; in the last days of an open one.
    """
    rng = org.setting.stream("DeskWork", "planned")
    cases = org.table("CaseStory.cases")
    rota = rota_of(org)
    taken = _taken_over(org)[case]
    over = (org.setting.last_day + 1).astype("datetime64[s]")
    is_closed = cases["is_closed"][case]
    end = np.where(is_closed, cases["closed"][case], over).astype("datetime64[s]")
    span = (end - taken).astype(np.int64)
    room = np.maximum(span, 0)
    before_end = rng.exponential(OPEN_PLANNED_DAYS * DAY, size=len(case))
    soon = room * share
    late = np.maximum(room - before_end, 0)
    waited = np.where(is_closed, soon, late)
    moments = taken.astype(np.int64) + waited.astype(np.int64)
    written = rng.uniform(*WRITTEN_DOWN, size=len(case)).tolist()
    for row, agent in enumerate(cases["owner"][case].tolist()):
        calendar = rota.calendar(agent)
        moments[row] = calendar.after(int(moments[row]), written[row])
    bounded = np.minimum(moments, end.astype(np.int64) - 1)
    return np.asarray(bounded.astype("datetime64[s]"))


def _taken_over(org: Org) -> Array:
    """When each case came to its last owner."""
    history = org.table("CaseStory.history")
    taken = np.zeros(org.table("CaseStory.cases").size, dtype="datetime64[s]")
    # Rows stand in time, so the last one of a case wins.
    owned = history["event"] == "Owner Assignment"
    taken[history["case"][owned]] = history["at"][owned]
    return taken


def _call_chances(cases: Table) -> Array:
    """How likely a call is planned for each case."""
    likely = np.array([CALLS[str(level)] for level in cases["priority"]])
    likely = np.where(cases["escalated"], ESCALATED_CALLS, likely)
    likely = np.where(cases["channel"] == "chat", likely * CALLS_AFTER_A_CHAT, likely)
    likely = np.where(cases["is_closed"], likely, np.maximum(likely, OPEN_CALLS))
    # Nobody calls about what nobody has looked at yet, or a stranger.
    nobody = (cases["status"] == "New") | (cases["account"] == NONE)
    return np.asarray(np.where(nobody, 0.0, likely))


def _call_days(org: Org, rng: Stream, planned: Array, owner: Array) -> tuple[Array, Array]:
    """The day on which each call is due, and the moment at which it is made.

    Both are counted in working days by the owner's clock: were weekends merely skipped, the calls
    of three days would pile up on Mondays.
    """
    size = len(planned)
    zones = org.table("Workforce.people")["zone"][owner]
    told = to_local(planned, zones)
    free = np.concatenate([org.table("ClosedDays.days")["day"], _closed_ahead(org)])
    ahead = np.array(DUE_DAYS)[rng.integers(len(DUE_DAYS), size=size)]
    told_on = told.astype("datetime64[D]")
    # What is planned at a weekend is not all for the day after it.
    resting = ~np.is_busday(told_on, holidays=free)
    ahead += resting & (org.setting.stream("DeskWork", "weekends").random(size) < NOT_ON_MONDAY)
    due = np.busday_offset(
        told_on,
        ahead,
        roll="forward",
        holidays=free,
    )
    late = np.array(LATE_DAYS)[rng.integers(len(LATE_DAYS), size=size)]
    seconds = (rng.uniform(*CALL_HOURS, size=size) * 3600).astype("timedelta64[s]")
    # What is planned in the evening for the same day is done on the next.
    passed = due.astype("datetime64[s]") + seconds <= told
    day = np.busday_offset(due, late + passed, holidays=free)
    return due, to_utc(day.astype("datetime64[s]") + seconds, zones)


def _closed_ahead(org: Org) -> Array:
    """The closed days of the weeks after the period, for which calls are planned within it."""
    setting = org.setting
    first = setting.profile.period.end + timedelta(days=1)
    closed_on = setting.world.trade.staff.closed_on
    ahead = first + timedelta(days=PLANNED_AHEAD)
    found = closed_between(setting.country.holidays, closed_on, first, ahead)
    return np.array([free.day for free in found], dtype="datetime64[D]")


def _articles(org: Org, diligence: Array) -> Table:
    """Articles that closed cases were settled by; none is attached before it was published."""
    rng = org.setting.stream("DeskWork", "articles")
    cases = org.table("CaseStory.cases")
    articles = org.table("IssueSolution.articles")
    issues = org.table("IssueSolution.by_issue")["article"]
    own = np.where(cases["issue"] == NONE, NONE, issues[cases["issue"]])
    policies = np.flatnonzero(articles["kind"] == "policy")
    chance = np.minimum(ATTACHES * diligence[cases["owner"]], 1.0) * cases["is_closed"]
    chance = np.where(own == NONE, 0.0, chance)
    first = np.flatnonzero(rng.random(cases.size) < chance)
    second = first[:0]
    other = policies[:0]
    if len(policies):
        second = first[rng.random(len(first)) < ATTACHES_POLICY]
        other = policies[rng.integers(len(policies), size=len(second))]
    case = np.concatenate([first, second])
    article = np.concatenate([own[first], other])
    back = rng.integers(*NOTED_BEFORE, size=len(case))
    moment = _shortly_before(cases["closed"][case], back, _taken_over(org)[case])
    shared = rng.random(len(case)) < SHARED
    attached = np.argsort(moment, kind="stable")
    known = attached[(articles["published"][article] <= moment)[attached]]
    return table(
        "DeskWork.articles",
        {"case": "Case", "article": "Knowledge__kav", "agent": "User"},
        case=case[known],
        article=article[known],
        agent=cases["owner"][case[known]],
        at=moment[known],
        shared=shared[known],
    )
