"""CaseStory: the life of every case, simulated once and rendered by four object types.

It draws `cases` (owner, status, times, ending and all that writers are told), `history` (creation,
assignments, close), `messages` (e-mails in order), and `chats` with their `turns` (lines in
order).
It is drawn from ComplaintHabit (who complains when), CaseLinks (what waits for other cases),
Routing (agents in order), PolicyViolation
(endings of complaints; those of other contacts are drawn in `latent.enquiry_ending`), ResponseTime
and Urgency (paces) and Solution (issues and options).
It drives Case, CaseHistory__c, EmailMessage and LiveChatTranscript in whole.
What is said when is decided by `latent.case_course`; `latent.case_tables` makes tables of it.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time
from zoneinfo import ZoneInfo

import numpy as np

from latent.act_ranks import ranks_of
from latent.case_course import CaseCourse, CaseFrame, CourseDesk, courses_of
from latent.case_tables import cases_table, history_table
from latent.contacts import COMPLAINT
from latent.deadlines import deadlines_met
from latent.dialogue import Turn
from latent.draws import labels
from latent.enquiry_ending import Endings, Threads, by_stranger, draw_endings
from latent.held_open import held_open
from latent.plots import Plots
from latent.rota import rota_of
from latent.routing import DAYS_TO_STAY
from latent.statistics import correlation, difference, shares
from latent.talk_tables import OF_MESSAGES, chats_table, messages_table, turns_table
from latent.thread_lengths import thread_lengths
from latent.variable import Effect
from latent.work_calendar import HOUR, seconds_of
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table

# How agents write; shares chosen by eye.
STYLES = {"warm": 0.4, "brisk": 0.33, "formal": 0.27}

# Each transfer adds five times the case's usual hours: the next agent starts over. A
# case that is escalated goes to somebody who decides, and takes a fifth of that. Chosen so that
# transferred cases visibly take longer.
HOURS_A_TRANSFER = 5.0
ESCALATED_TRANSFER = 0.2

# The queue decides how long a mail lies there more than whoever takes it: of the pace of its first
# agent only the root counts. By eye.
OWN_PACE = 0.5

LAST_SECOND = time(23, 59, 59)

# Cases whose courses are drawn together: a fifth of a second of work, against a hundredth to tell
# a worker of them.
CASES_A_PIECE = 200

# Escalated cases are transferred to be dealt with sooner.
TRANSFERS_AND_HOURS = """
    SELECT
        EXISTS (
            SELECT 1
            FROM CaseHistory__c h
            WHERE h.CaseId__c = c.Id AND h.OldValue__c IS NOT NULL
        ),
        (julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))) * 24
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.ClosedDate IS NOT NULL AND s.channel = 'email' AND NOT c.IsEscalated
"""

# Whether the customer is one of few words, and whether the enquiry was left unanswered.
TERSE_AND_SILENT = """
    SELECT s.verbosity = 'terse', s.ending = 'unanswered'
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.IsClosed AND s.channel = 'email' AND s.intent <> 'complaint'
"""
# What a complaint has to go through: an answer, a file, a step inside the company, a refusal.
STEPS_AND_MAILS = """
    SELECT
        2 * (i.tells <> '')
            + 2 * (i.known_by IN ('photo', 'video', 'screenshot', 'receipt', 'statement', 'log'))
            + (i.step <> '') + (o.granted <> o.wish),
        (SELECT count(*) FROM EmailMessage m WHERE m.ParentId = c.Id)
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    JOIN latent."Incident.cases" i ON i.Id = c.Id
    JOIN latent."PolicyViolation.outcomes" o ON o.Id = c.Id
    WHERE s.channel = 'email' AND i.cause <> ''
"""
SILENT_AND_DAYS = """
    SELECT
        s.ending = 'unanswered',
        julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.IsClosed AND s.channel = 'email' AND s.intent <> 'complaint'
"""

SAID = (
    "at",
    "speaker",
    "agent",
    "next_agent",
    "prev_agent",
    "beats",
    "ranks",
    "waited",
    "ago",
    "weekday",
    "style",
)


class CaseStory:
    """Case life cycles."""

    name = "CaseStory"
    reads: tuple[str, ...] = (
        "ComplaintHabit",
        "CaseLinks",
        "Routing",
        "PolicyViolation",
        "ResponseTime",
        "Solution",
        "Urgency",
        "Workforce",
        "Assortment",
        "ShoppingHabit",
        "Wearer",
        "Account",
        "Incident",
        "CustomerVoice",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": (
            "Id",
            "account",
            "item",
            "issue",
            "intent",
            "about",
            "order",
            "issue_name",
            "owner",
            "status",
            "priority",
            "type",
            "reason",
            "origin",
            "by_form",
            "by_mail",
            "stranger",
            "stranger_firm",
            "stranger_mail",
            "pitch",
            "as_known",
            "as_called",
            "in_small",
            "typed_mail",
            "created",
            "accepted",
            "closed",
            "settled",
            "touched",
            "is_closed",
            "escalated",
            "channel",
            "tone",
            "verbosity",
            "ending",
            "outcome",
            "violated",
            "broken",
            "term_1",
            "shown_1",
            "ask_1",
            "term_2",
            "shown_2",
            "ask_2",
            "grant_text",
            "days",
            "wish",
            "wish_phrase",
            "wish_ways",
            "deny_limit",
            "granted",
            "option_phrase",
            "option_ways",
            "limit",
            "issue_key",
            "category_key",
            "group_key",
            "product_short",
            "plural",
            "bought",
            "back",
            "due",
            "due_day",
            "due_time",
            "back_by",
            "piece",
            "other_short",
            "nth_order",
            "first_year",
            "tried",
            "named",
            "cause",
            "seen",
            "known_by",
            "stake",
            "details",
            "nth",
            "nth_of_issue",
            "decided_by",
            "asks",
            "beats",
            "ranks",
            "avoid",
        ),
        "history": ("case", "event", "old", "new", "at"),
        "messages": (
            "case",
            "incoming",
            "first",
            "prefix",
            "read_status",
            "sent_status",
            "queue",
            "reader",
            "customer",
            "writer",
            "sender",
            "stranger",
            "stranger_mail",
            *SAID,
        ),
        "chats": ("case", "account", "owner", "requested", "start", "end"),
        "turns": ("chat", *SAID),
    }
    drives = ("Case", "CaseHistory__c", "EmailMessage", "LiveChatTranscript", "CaseComment")
    references: Mapping[str, str] = {
        "about": "OrderItem",
        "named": "OrderItem",
        "order": "Order",
        **dict.fromkeys(("as_known", "as_called", "in_small"), "Contact"),
        **OF_MESSAGES,
    }

    def draw(self, org: Org) -> tuple[Table, ...]:
        """All stories; raises BadInput where the messages asked for can't fill the threads."""
        cases = org.table("ComplaintHabit.cases")
        courses, endings = _courses(org, cases)
        rng = org.setting.stream("CaseStory", "styles")
        styles = labels(rng, STYLES, org.setting.count("User"))
        channels = cases["channel"]
        ordered = cases["created"].astype("datetime64[D]") - cases["days"].astype("timedelta64[D]")
        # Each is packed before the next one is made.
        told = cases_table(org, cases, courses, endings, styles).packed()
        courses = deadlines_met(courses, told["due"], org.table("Incident.cases")["needed"])
        ranks = ranks_of(cases, told["issue_key"], courses, styles)
        threads = [course for course in courses if channels[course.case] == "email"]
        chats = [course for course in courses if channels[course.case] == "chat"]
        return (
            told,
            history_table(courses).packed(),
            messages_table(threads, styles, told, ordered, ranks).packed(),
            chats_table(chats, cases["account"]).packed(),
            turns_table(chats, styles, ordered, ranks).packed(),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Transferred cases take longer, as does what hangs on an answer; silence has its causes.

        Those that are escalated are hurried besides. Where nobody withdraws or falls silent, there
        is nothing to see of it.
        """
        rows = org.execute(TRANSFERS_AND_HOURS).fetchall()
        says = "transferred e-mail cases take longer to close unless escalated"
        transfers = difference(self.name, says, "hours", rows)
        steps = org.execute(STEPS_AND_MAILS).fetchall()
        lengths = correlation(self.name, "what has more to go through takes more e-mails", steps)
        silent = org.execute(TERSE_AND_SILENT).fetchall()
        if not any(lapsed for _, lapsed in silent):
            return (transfers, lengths)
        open_days = org.execute(SILENT_AND_DAYS).fetchall()
        return (
            transfers,
            lengths,
            shares(self.name, "customers of few words leave more questions unanswered", silent),
            difference(self.name, "what is unanswered stays open longer", "days", open_days),
        )


class _Frames:
    """What is decided of each case before its course, made when it is asked for; and how all end.

    Their agents share one calendar over all of their cases: it holds thousands of spells.
    """

    def __init__(self, org: Org, cases: Table) -> None:
        routed = org.table("Routing.cases")
        chains = _chains(org.table("Routing.assignments"), cases.size)
        transfers = np.array([len(chain) - 1 for chain in chains], dtype=np.int64)
        lengths = thread_lengths(org, cases, routed["closed"], transfers)
        rota = rota_of(org)
        end = seconds_of(datetime.combine(org.setting.profile.period.end, LAST_SECOND))
        # Agents are only given mails that they are there long enough for.
        created = cases["created"].astype("datetime64[s]").astype(np.int64)
        latest = np.minimum(created + (DAYS_TO_STAY - 1) * 24 * HOUR, end)
        self.cases = cases
        self.chains = chains
        self.lengths = lengths
        self.paces = _paces(org, cases, chains)
        self.first_hours = _first_hours(org, chains)
        self.leaves = rota.leaves()
        self.zones = {name: ZoneInfo(name) for name in set(map(str, cases["zone"]))}
        self.end = end
        self.ends = np.where(routed["closed"], latest, end)
        self.closed = routed["closed"]
        self.load = routed["load"]
        last_days = np.array([self.leaves[agents[-1]] for agents in chains], dtype=np.int64)
        room = np.minimum(latest, last_days) - created
        threads = Threads(
            lengths,
            routed["closed"],
            self.first_hours,
            room,
        )
        self.endings = draw_endings(org, cases, threads)
        self.strange = by_stranger(org, cases)
        self.plots = Plots(
            org,
            cases,
            self.endings,
            transfers,
            lengths,
        )
        self.typing = org.table("CustomerVoice.customers")["typing"][cases["account"]]
        owners: set[int] = set().union(*chains)
        self.calendars = {agent: rota.calendar(agent) for agent in owners}
        terms = org.table("PolicyViolation.terms")["case"]
        self.terms = np.bincount(terms, minlength=cases.size)

    def of(self, case: int) -> CaseFrame:
        """What is decided of the case in one row of `cases`."""
        bare = self.bare(case)
        return replace(bare, calendars=tuple(self.calendars[agent] for agent in bare.agents))

    def bare(self, case: int) -> CaseFrame:
        """The same without the calendars, which many cases share."""
        agents = self.chains[case]
        return CaseFrame(
            case=case,
            created=seconds_of(self.cases["created"][case].astype("datetime64[s]").item()),
            chats=bool(self.cases["channel"][case] == "chat"),
            complains=bool(self.cases["intent"][case] == COMPLAINT),
            agents=agents,
            calendars=(),
            leaves=tuple(self.leaves[agent] for agent in agents),
            zone=self.zones[str(self.cases["zone"][case])],
            closed=bool(self.closed[case]),
            messages=int(self.lengths[case]),
            pace=float(self.paces[case]),
            first_hours=float(self.first_hours[case]),
            load=float(self.load[case]),
            end=int(self.ends[case]),
            last_second=self.end,
            silence=int(self.endings.silence[case]),
            stranger=bool(self.strange[case]),
            plot=self.plots.of(case),
            typing=float(self.typing[case]),
            terms=int(self.terms[case]),
        )


def _courses(org: Org, cases: Table) -> tuple[list[CaseCourse], Endings]:
    """The course of each case, and how all end."""
    frames = _Frames(org, cases)
    parents = org.table("CaseLinks.cases")["parent"].tolist()
    courses = held_open(
        org.setting,
        frames.of,
        _drawn(org, frames),
        parents,
    )
    return courses, frames.endings


def _drawn(org: Org, frames: _Frames) -> list[CaseCourse]:
    """The courses as they are drawn, some hundred cases at a time."""
    setting = org.setting
    desk = CourseDesk(setting.seed, setting.salted("CaseStory"), frames.calendars)
    size = frames.cases.size
    pieces = (
        [frames.bare(case) for case in range(start, min(start + CASES_A_PIECE, size))]
        for start in range(0, size, CASES_A_PIECE)
    )
    known: dict[Turn, Turn] = {}
    courses = []
    for some in org.pieces.each(courses_of, desk, pieces):
        for course in some:
            turns = tuple(known.setdefault(turn, turn) for turn in course.turns)
            courses.append(replace(course, turns=turns))
    return courses


def _first_hours(org: Org, chains: list[tuple[int, ...]]) -> Array:
    """The median of the working hours before each case is answered.

    The trade's usual ones by how loaded the desk is, how much the case presses, and how quick its
    first agent is.
    """
    first = np.array([chain[0] for chain in chains], dtype=np.int64)
    pace = org.table("ResponseTime.agents")["pace"][first]
    load = org.table("Routing.cases")["load"]
    usual = org.setting.world.trade.staff.answer_hours
    return np.asarray(usual * load * org.table("Urgency.cases")["pace"] * pace**OWN_PACE)


def _chains(assignments: Table, cases: int) -> list[tuple[int, ...]]:
    """The agents of each case in order."""
    chains: list[tuple[int, ...]] = [()] * cases
    for case, agent in zip(assignments["case"], assignments["agent"], strict=True):
        chains[int(case)] += (int(agent),)
    return chains


def _paces(org: Org, cases: Table, chains: list[tuple[int, ...]]) -> Array:
    """How much longer than usual each case takes.

    The product of the last agent's, the state's, the issue's and the urgency's pace, more for every
    transfer.
    """
    agents = org.table("ResponseTime.agents")
    issues = org.table("ResponseTime.issues")
    states = org.table("ResponseTime.states")
    by_state = dict(zip(states["state"], states["pace"], strict=True))
    state_of_case = org.table("Account")["ShippingState"][cases["account"]]
    state_pace = np.array([by_state[name] for name in state_of_case])
    last = np.array([chain[-1] for chain in chains], dtype=np.int64)
    transfers = np.array([len(chain) - 1 for chain in chains])
    people = agents["pace"][last] * state_pace
    usual = people * issues["pace"][cases["issue"]] * org.table("Urgency.cases")["pace"]
    hours = np.where(org.table("Urgency.cases")["escalated"], ESCALATED_TRANSFER, 1.0)
    return np.asarray(usual * (1 + HOURS_A_TRANSFER * hours * transfers))
