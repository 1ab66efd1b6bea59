"""Cases as the CRM shows them and as their writers are told them, and the events of their history.

What the writers are told besides the course is in `latent.case_facts`, and what was said in
`latent.talk_tables`. Draws little of its own (by which form a case came); what happens is decided
in `latent.case_course`.
"""

from datetime import datetime
from typing import NamedTuple

import numpy as np

from latent.act_ranks import ActRanks, ranks_of
from latent.case_course import CaseCourse
from latent.case_facts import (
    avoided_in,
    background_of,
    bought_when,
    filed_as,
    incident_of,
    numbers_of_issue,
    others_of,
    phrases_of,
    subject_of,
    terms_of,
    ways_of,
)
from latent.contacts import COMPLAINT
from latent.dialogue import AGENT, ARRIVES
from latent.enquiry_ending import Endings, by_stranger
from latent.form_entry import form_entries
from latent.settlement import settlements, sums_back
from latent.stranger import strangers
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, moments, repeated, strings, table

# Three in ten e-mail cases come by a web form. Chosen by eye.
BY_WEB_FORM = 0.3

# Acts by which something is granted; where a customer is asked first, it is arranged by the last.
# Who has left a chat in silence is granted what was offered all the same.
ARRANGES = frozenset(
    {"a.offer", "a.offer.besides", "a.alternative", "a.grant", "a.grant.instead", "a.confirm"}
    | {"a.alternative.fix", "a.grant.fix", "a.confirm.later", "a.left", ARRIVES}
)

CONFIRMS = frozenset({"a.confirm", "a.confirm.later"})

TELLS = ("option.tell.", "option.would.", "option.steps")
"""How the acts begin that tell a fact of what is granted or offered, or what happens next."""

TAKES_UP_DAY = ("c.thanks.visit", "c.thanks.session", "c.thanks.money", "c.thanks.ships")
"""How the acts begin by which a customer takes up the day that was told: it is still to come."""

ASKS = "issue.ask."
"""How an act begins by which an agent asks for a sign."""

# Acts that name the product in full: these, and those that tell a day besides.
NAMES_PRODUCT = frozenset({"issue.summary", "issue.note", "issue.request"})
NAMES_BESIDES = "c.open.full"

OF_CASES = {
    "Id": "Case",
    "account": "Account",
    "item": "OrderItem",
    "about": "OrderItem",
    "named": "OrderItem",
    "order": "Order",
    "issue": "Issue__c",
    **dict.fromkeys(("as_known", "as_called", "in_small"), "Contact"),
    "owner": "User",
}
"""The columns of `CaseStory.cases` that refer to records, and to which."""


class HistoryRow(NamedTuple):
    """One event of a case; `old` and `new` are the owners before and after, or NONE."""

    case: int
    event: str
    old: int
    new: int
    moment: datetime


def cases_table(
    org: Org,
    cases: Table,
    courses: list[CaseCourse],
    endings: Endings,
    styles: Array,
) -> Table:
    """`CaseStory.cases`: each case with all that its writers are told."""
    outcomes = org.table("PolicyViolation.outcomes")
    phrases, ways = phrases_of(org), ways_of(org)
    shown = _shown(org, cases, courses)
    subject = subject_of(org, cases, shown["pitch"])
    ranks = ranks_of(cases, subject["issue_key"], courses, styles)
    return table(
        "CaseStory.cases",
        OF_CASES,
        **shown,
        channel=cases["channel"],
        tone=cases["tone"],
        verbosity=cases["verbosity"],
        ending=endings.name,
        outcome=endings.outcomes(shown["is_closed"]),
        violated=outcomes["article"] != NONE,
        broken=outcomes["broken"],
        **terms_of(org, cases.size),
        days=cases["days"],
        wish=outcomes["wish"],
        wish_phrase=strings([phrases[key] for key in outcomes["wish"]]),
        wish_ways=strings([ways[key] for key in outcomes["wish"]]),
        deny_limit=outcomes["wish_limit"],
        granted=outcomes["granted"],
        option_phrase=strings([phrases[key] for key in outcomes["granted"]]),
        option_ways=strings([ways[key] for key in outcomes["granted"]]),
        limit=outcomes["granted_limit"],
        **subject,
        bought=bought_when(org, cases),
        back=strings(sums_back(org, cases)),
        **settlements(org, cases, [_settled(course) for course in courses]),
        other_short=others_of(org, cases),
        **background_of(org, cases),
        named=_named(org, cases, courses),
        **incident_of(org),
        nth=np.arange(1, cases.size + 1),
        nth_of_issue=numbers_of_issue(cases),
        decided_by=strings([course.decided_by for course in courses]),
        asks=repeated(_asked(course) for course in courses),
        beats=repeated(_first_beats(course, cases) for course in courses),
        ranks=strings([_first_ranks(course, cases, ranks) for course in courses]),
        avoid=repeated(avoided_in(org, phrases)),
    )


def _shown(org: Org, cases: Table, courses: list[CaseCourse]) -> dict[str, Array]:
    """What the CRM shows of a case, but for its words."""
    rng = org.setting.stream("CaseStory", "cases")
    complaint = cases["intent"] == COMPLAINT
    strange = by_stranger(org, cases)
    order = org.table("ShoppingHabit.items")["order"][cases["item"]]
    types, reasons = filed_as(org, cases)
    urgency = org.table("Urgency.cases")
    answered = np.array([len(course.turns) > 1 for course in courses], dtype=bool)
    # Nobody escalates what nobody has looked at yet.
    escalated = urgency["escalated"] & answered
    origin = _origins(rng.random(cases.size), cases["channel"])
    statuses = []
    for course, urgent in zip(courses, escalated, strict=True):
        statuses.append(status_of(course, bool(urgent)))
    return {
        "Id": np.arange(cases.size),
        "account": np.where(strange, NONE, cases["account"]),
        # What is no complaint is about no item and no issue, as far as the CRM shows.
        "item": np.where(complaint, cases["item"], NONE),
        "issue": np.where(complaint, cases["issue"], NONE),
        "intent": cases["intent"],
        "about": np.where(strange, NONE, cases["item"]),
        "order": np.where(strange, NONE, order),
        "owner": np.array([course.agents[-1] for course in courses], dtype=np.int64),
        "status": strings(statuses),
        "priority": urgency["priority"],
        "type": types,
        "reason": reasons,
        "origin": origin,
        # A web form asks for name and mail; a mail brings its own address; a chat neither.
        "by_form": origin == "Web",
        "by_mail": origin != "Chat",
        **strangers(org, cases),
        **form_entries(org, np.where(strange, NONE, cases["account"]), origin == "Web"),
        "created": cases["created"],
        "accepted": moments([course.accepted for course in courses]),
        "closed": moments([course.closed for course in courses]),
        "settled": moments([_settled(course) for course in courses]),
        "touched": moments([_touched(course) for course in courses]),
        "is_closed": np.array([course.closed is not None for course in courses], dtype=bool),
        "escalated": escalated,
    }


def _touched(course: CaseCourse) -> datetime:
    """When a case was changed last: closed, else taken, handed on, or written to or from."""
    last = course.over or course.times[-1]
    return course.closed or max(last, course.accepted, *course.assigned)


def _settled(course: CaseCourse) -> datetime | None:
    """When an agent arranged what was granted, or somebody last told a fact of it: no day that is
    promised may be over by then. None where nothing was granted.
    """
    arranged = told = None
    confirmed = False
    for turn, moment in zip(course.turns, course.times, strict=True):
        if not confirmed and any(beat in ARRANGES for beat in turn.beats):
            arranged = moment
        confirmed |= bool(CONFIRMS.intersection(turn.beats))
        if any(beat.startswith((*TELLS, *TAKES_UP_DAY)) for beat in turn.beats):
            told = moment
    return max(arranged, told) if arranged and told else arranged


def _named(org: Org, cases: Table, courses: list[CaseCourse]) -> Array:
    """The item whose product the case's description names in full, or NONE.

    A stranger has bought nothing, and names no product.
    """
    named = []
    for course in courses:
        beats = _first_beats(course, cases)
        named.append(
            any(act in NAMES_PRODUCT or act.startswith(NAMES_BESIDES) for act in beats.split(","))
        )
    return np.where(np.array(named, dtype=bool) & ~by_stranger(org, cases), cases["item"], NONE)


def _first_beats(course: CaseCourse, cases: Table) -> str:
    """What a case's description says: what its first mail says, or for a chat the issue."""
    if cases["channel"][course.case] == "email":
        return ",".join(course.turns[0].beats)
    return "issue.summary" if cases["intent"][course.case] == COMPLAINT else "issue.note"


def _first_ranks(course: CaseCourse, cases: Table, ranks: ActRanks) -> str:
    """The ranks of a first mail's acts; a description that is no mail has none."""
    return ranks[course.case][0] if cases["channel"][course.case] == "email" else ""


def _asked(course: CaseCourse) -> str:
    """The signs that agents ask for in a case, `spot,wear`: no complaint tells them before."""
    asked: set[str] = set()
    for turn in course.turns:
        for beat in turn.beats:
            if beat.startswith(ASKS):
                sign = beat.removeprefix(ASKS)
                asked.add(sign)
    return ",".join(sorted(asked))


def _origins(points: Array, channels: Array) -> Array:
    email = np.where(points < BY_WEB_FORM, "Web", "Email")
    return np.where(channels == "chat", "Chat", email).astype(object)


def status_of(course: CaseCourse, escalated: bool) -> str:
    """The status that a CRM shows: who is to act next."""
    if course.closed is not None:
        return "Closed"
    if len(course.turns) == 1:
        return "New"
    if escalated:
        return "Escalated"
    if course.over is not None:
        # Nobody answers in a chat that is over: the agent has something left to do.
        return "Working"
    return "Waiting on Customer" if course.turns[-1].speaker == AGENT else "Working"


def history_table(courses: list[CaseCourse]) -> Table:
    """`CaseStory.history`: creation, assignments and close of all cases, in time.

    The first assignment is the moment at which somebody took the case from the queue.
    """
    rows = []
    for course in courses:
        rows += _history_of(course)
    rows.sort(key=lambda row: row.moment)
    return table(
        "CaseStory.history",
        {"case": "Case", "old": "User", "new": "User"},
        case=np.array([row.case for row in rows], dtype=np.int64),
        event=strings([row.event for row in rows]),
        old=np.array([row.old for row in rows], dtype=np.int64),
        new=np.array([row.new for row in rows], dtype=np.int64),
        at=np.array([row.moment for row in rows], dtype="datetime64[s]"),
    )


def _history_of(course: CaseCourse) -> list[HistoryRow]:
    case = course.case
    before = NONE
    rows = [HistoryRow(case, "Case Creation", NONE, NONE, course.assigned[0])]
    taken = (course.accepted, *course.assigned[1:])
    for agent, moment in zip(course.agents, taken, strict=True):
        rows.append(
            HistoryRow(
                case,
                "Owner Assignment",
                before,
                agent,
                moment,
            )
        )
        before = agent
    if course.closed is not None:
        rows.append(
            HistoryRow(
                case,
                "Case Closed",
                NONE,
                NONE,
                course.closed,
            )
        )
    return rows
