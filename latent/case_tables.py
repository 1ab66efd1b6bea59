"""The courses of cases as tables: cases, history, messages, chats and chat lines.

One function a table of CaseStory. Knows what each column means and draws little of its own (by
which form a case came); what happens is decided in `latent.case_course`.
"""

from datetime import datetime
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from latent.act_ranks import ActRanks, ranks_of
from latent.case_course import CaseCourse
from latent.contacts import COMPLAINT
from latent.dialogue import AGENT, ARRIVES
from latent.elapsed import nth_in_words, roughly_dated, span_of, told_ago, told_day
from latent.enquiry_ending import Endings, by_stranger
from latent.form_entry import form_entries
from latent.org_chart import MAIL_QUEUE
from latent.plots import orders_before, other_items
from latent.policy_terms import MOST_TERMS
from latent.settlement import settlements, sums_back
from latent.stranger import strangers
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, repeated, strings, table

# Three in ten e-mail cases come by a web form. Chosen by eye.
BY_WEB_FORM = 0.3


# Who writes did something about it today or in the last days. By eye; six hours are the time of a
# customer in the middle of the country behind UTC.
LONGEST_TRYING = 6
AT_HOME = np.timedelta64(6, "h")

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

# Acts that name the product in full.
NAMES_PRODUCT = ("c.open.full", "issue.summary", "issue.note", "issue.request")


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
    phrases, ways = _phrases(org), _ways(org)
    shown = _shown(org, cases, courses)
    subject = _subject(org, cases, shown["pitch"])
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
        **_terms(org, cases.size),
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
        bought=_bought(org, cases),
        back=strings(sums_back(org, cases)),
        **settlements(org, cases, [_settled(course) for course in courses]),
        other_short=_others(org, cases),
        **_background(org, cases),
        named=_named(org, cases, courses),
        **_incident(org),
        nth=np.arange(1, cases.size + 1),
        nth_of_issue=_numbers_of_issue(cases),
        decided_by=strings([course.decided_by for course in courses]),
        asks=repeated(_asked(course) for course in courses),
        beats=repeated(_first_beats(course, cases) for course in courses),
        ranks=strings([_first_ranks(course, cases, ranks) for course in courses]),
        avoid=repeated(_avoided(org, phrases)),
    )


def _shown(org: Org, cases: Table, courses: list[CaseCourse]) -> dict[str, Array]:
    """What the CRM shows of a case, but for its words."""
    rng = org.setting.stream("CaseStory", "cases")
    complaint = cases["intent"] == COMPLAINT
    strange = by_stranger(org, cases)
    order = org.table("ShoppingHabit.items")["order"][cases["item"]]
    types, reasons = _filed(org, cases)
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
        "accepted": _moments([course.accepted for course in courses]),
        "closed": _moments([course.closed for course in courses]),
        "settled": _moments([_settled(course) for course in courses]),
        "touched": _moments([_touched(course) for course in courses]),
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


def _filed(org: Org, cases: Table) -> tuple[Array, Array]:
    """The type and the reason that the desk gives each case."""
    trade = org.setting.world.trade
    issues = org.table("Solution.issues")
    kinds = issues["kind"][cases["issue"]]
    own = issues["reason"][cases["issue"]]
    types = []
    reasons = []
    for kind, reason, intent in zip(kinds, own, cases["intent"], strict=True):
        enquiry = trade.contact.enquiries.get(intent)
        types.append(enquiry.type if enquiry else trade.desk.types[kind])
        usual = reason or trade.desk.reasons[kind]
        reasons.append(enquiry.reason if enquiry else usual)
    return strings(types), strings(reasons)


def _subject(org: Org, cases: Table, pitch: Array) -> dict[str, Array]:
    """What each case is about: its issue, and the product in words; or what a stranger offers."""
    products = org.table("Assortment.products")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    category = products["category"][product]
    issues = org.table("Solution.issues")
    complaint = cases["intent"] == COMPLAINT
    enquiry_key = _enquiry_keys(
        org,
        cases,
        products["category_key"][product],
        pitch,
    )
    _, reasons = _filed(org, cases)
    return {
        "issue_key": np.where(complaint, issues["key"][cases["issue"]], enquiry_key),
        "issue_name": np.where(complaint, issues["name"][cases["issue"]], reasons),
        "category_key": products["category_key"][product],
        "group_key": products["group_key"][product],
        "product_short": products["short"][product],
        "plural": org.table("Assortment.categories")["plural"][category],
    }


def _enquiry_keys(org: Org, cases: Table, category: Array, pitch: Array) -> Array:
    """By which words each case that is no complaint is written: `enquiry_question_papers`.

    What exactly it is about is one of the topics that fit the product, if the trade knows any, or
    what a stranger offers.
    """
    points = org.setting.stream("CaseStory", "topics").random(cases.size)
    enquiries = org.setting.world.trade.contact.enquiries
    keys = []
    for intent, key, offer, point in zip(cases["intent"], category, pitch, points, strict=True):
        enquiry = enquiries.get(intent)
        known = enquiry.topics.items() if enquiry else ()
        topics = [topic for topic, fits in known if not fits or key in fits]
        about = topics[int(point * len(topics))] if topics else offer
        keys.append(f"enquiry_{intent}_{about}" if about else f"enquiry_{intent}")
    return strings(keys)


def _bought(org: Org, cases: Table) -> Array:
    """How each customer dates the purchase in the first mail, roughly."""
    created = cases["created"].astype("datetime64[D]")
    ordered = created - cases["days"].astype("timedelta64[D]")
    rows = zip(
        cases["days"].tolist(),
        ordered.tolist(),
        created.tolist(),
        strict=True,
    )
    return strings([roughly_dated(days, day, today) for days, day, today in rows])


def _background(org: Org, cases: Table) -> dict[str, Array]:
    """What customers can tell of themselves: which of their orders it is, the year of the first
    one, and the day on which they tried something themselves.
    """
    rng = org.setting.stream("CaseStory", "background")
    orders = org.table("ShoppingHabit.orders")
    first = np.full(org.table("ShoppingHabit.customers").size, np.datetime64("9999-01-01"))
    np.minimum.at(first, orders["account"], orders["day"])
    years = first[cases["account"]].astype("datetime64[Y]").astype(str)
    nth = [nth_in_words(int(before) + 1) for before in orders_before(org, cases)]
    written = (cases["created"] - AT_HOME).astype("datetime64[D]")
    back = rng.integers(0, LONGEST_TRYING, size=cases.size)
    back = np.minimum(back, np.maximum(cases["days"] - 1, 0))
    tried = []
    for today, days in zip(written.tolist(), back.tolist(), strict=True):
        tried.append(told_day(today, days))
    return {
        "nth_order": strings(nth),
        "first_year": strings(years.tolist()),
        "tried": strings(tried),
    }


def _named(org: Org, cases: Table, courses: list[CaseCourse]) -> Array:
    """The item whose product the case's description names in full, or NONE.

    A stranger has bought nothing, and names no product.
    """
    named = []
    for course in courses:
        beats = _first_beats(course, cases)
        named.append(any(act in beats for act in NAMES_PRODUCT))
    return np.where(np.array(named, dtype=bool) & ~by_stranger(org, cases), cases["item"], NONE)


def _incident(org: Org) -> dict[str, Array]:
    """What a writer is told of each incident: the cause, what is seen of it, and who can know."""
    incidents = org.table("Incident.cases")
    marks = org.table("Incident.marks")
    words = {}
    for sign, value, known in zip(marks["sign"], marks["value"], marks["marks"], strict=True):
        words[f"{sign}:{value}"] = str(known).replace("*", "").replace("|", ", ")
    seen = []
    for signs in incidents["signs"]:
        told = [pair for pair in str(signs).split(",") if pair]
        seen.append("; ".join(f"{pair.replace(':', ': ')} ({words[pair]})" for pair in told))
    return {
        "cause": incidents["cause"],
        "seen": strings(seen),
        "known_by": incidents["known_by"],
        "stake": incidents["stake"],
        "details": incidents["details"],
    }


def _numbers_of_issue(cases: Table) -> Array:
    """The number of each case among those of its issue and channel, from 1, in time.

    Where nothing went wrong the issue says nothing: praise is counted among praise.
    """
    counted: dict[tuple[int, str, str], int] = {}
    numbers = []
    issues = np.where(cases["intent"] == COMPLAINT, cases["issue"], NONE)
    for key in zip(issues.tolist(), cases["channel"], cases["intent"], strict=True):
        counted[key] = counted.get(key, 0) + 1
        numbers.append(counted[key])
    return np.array(numbers, dtype=np.int64)


def _others(org: Org, cases: Table) -> Array:
    """What customers call the product of an order that is mistaken for the right one."""
    items = org.table("ShoppingHabit.items")["product"]
    shorts = org.table("Assortment.products")["short"]
    found = []
    for row in other_items(org, cases).tolist():
        found.append("" if row == NONE else str(shorts[items[row]]))
    return strings(found)


def _terms(org: Org, cases: int) -> dict[str, Array]:
    """What each case's agent tells of policies: the clauses, and their figures with units.

    And how its customer asks for them. `grant_text` is the clause that breaks its policy's article.
    """
    terms = org.table("PolicyViolation.terms")
    columns: dict[str, Array] = {}
    for place in range(MOST_TERMS):
        rows = np.flatnonzero(terms["place"] == place)
        for kind, source in (("term", "phrase"), ("shown", "shown"), ("ask", "asked")):
            said = strings([""] * cases)
            said[terms["case"][rows]] = terms[source][rows]
            columns[f"{kind}_{place + 1}"] = said
    breaks = np.flatnonzero(terms["broken"])
    columns["grant_text"] = strings([""] * cases)
    columns["grant_text"][terms["case"][breaks]] = terms["phrase"][breaks]
    return columns


def _phrases(org: Org) -> dict[str, str]:
    """The noun phrase of each option, and of none."""
    options = org.table("Solution.options")
    return {**dict(zip(options["key"], options["phrase"], strict=True)), "": ""}


def _ways(org: Org) -> dict[str, str]:
    """The other words that show each option, apart by `|`, and those of none."""
    options = org.table("Solution.options")
    return {**dict(zip(options["key"], options["ways"], strict=True)), "": ""}


def _avoided(org: Org, phrases: dict[str, str]) -> list[str]:
    """For each case the options that it is not about: its texts may not name them.

    What somebody asks for besides, and is told of a policy, may name one all the same.
    """
    outcomes = org.table("PolicyViolation.outcomes")
    terms = org.table("PolicyViolation.terms")
    said: dict[int, str] = {}
    for case, asked, told in zip(terms["case"], terms["asked"], terms["phrase"], strict=True):
        said[int(case)] = f"{said.get(int(case), '')} {asked} {told}".casefold()
    avoided = []
    for case, named in enumerate(zip(outcomes["wish"], outcomes["granted"], strict=True)):
        others = [_noun(phrase) for key, phrase in phrases.items() if key and key not in named]
        besides = said.get(case, "")
        avoided.append("|".join(other for other in others if other.casefold() not in besides))
    return avoided


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


def _noun(phrase: str) -> str:
    """An option's phrase without its article, as a text about another option may not have it."""
    return phrase.removeprefix("a ").removeprefix("an ").removeprefix("the ")


def _moments(values: list[datetime | None]) -> Array:
    moments = [value or np.datetime64("NaT") for value in values]
    return np.array(moments, dtype="datetime64[s]")


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


# What the columns of messages refer to.
OF_MESSAGES = {
    "case": "Case",
    "agent": "User",
    "next_agent": "User",
    "prev_agent": "User",
    "queue": "Group",
    "reader": "User",
    "customer": "Contact",
    "writer": "Contact",
    "sender": "User",
}


def messages_table(
    courses: list[CaseCourse],
    styles: Array,
    cases: Table,
    ordered: Array,
    ranks: ActRanks,
) -> Table:
    """`CaseStory.messages`: the e-mails of each thread in order.

    `styles` is one a user, `cases` is `CaseStory.cases`, `ordered` the day of each case's order. A
    customer writes to the queue of mails until somebody has answered, then to that agent; a
    stranger is no customer.
    """
    spoken = _spoken(courses, styles, ordered, ranks)
    case: list[int] = []
    first: list[bool] = []
    to_queue: list[bool] = []
    answered: list[bool] = []
    for course in courses:
        length = len(course.turns)
        to_queue += _before_answers(course)
        case += [course.case] * length
        first += [True] + [False] * (length - 1)
        answered += [True] * (length - 1) + [False]
    is_first = np.array(first, dtype=bool)
    unheard = np.array(to_queue, dtype=bool)
    incoming = (spoken["speaker"] != AGENT).astype(bool)
    case_rows = np.array(case, dtype=np.int64)
    accounts = cases["account"][case_rows]
    return table(
        "CaseStory.messages",
        OF_MESSAGES,
        case=case_rows,
        incoming=incoming,
        first=is_first,
        queue=np.where(unheard, MAIL_QUEUE, NONE),
        reader=np.where(incoming & ~unheard, spoken["agent"], NONE),
        customer=np.where(incoming, NONE, accounts),
        writer=np.where(incoming, accounts, NONE),
        sender=np.where(incoming, NONE, spoken["agent"]),
        stranger=cases["stranger"][case_rows],
        stranger_mail=cases["stranger_mail"][case_rows],
        prefix=np.where(first, "", "Re: ").astype(object),
        # EmailMessage.Status: 1 is read, 2 is replied to, 3 is sent.
        read_status=np.where(answered, "2", "1").astype(object),
        sent_status=np.full(len(first), "3", dtype=object),
        **spoken,
    )


def _before_answers(course: CaseCourse) -> list[bool]:
    """Whether no agent has written yet when each mail of a case is sent, that mail included."""
    answered = False
    unheard = []
    for turn in course.turns:
        answered = answered or turn.speaker == AGENT
        unheard.append(not answered)
    return unheard


def chats_table(courses: list[CaseCourse], accounts: Array) -> Table:
    """`CaseStory.chats`: one row a chat; `accounts` is the account of every case."""
    case = np.array([course.case for course in courses], dtype=np.int64)
    last_agents = []
    requested = []
    started = []
    ended: list[datetime | None] = []
    for course in courses:
        last_agents.append(course.agents[-1])
        requested.append(course.assigned[0])
        started.append(course.accepted)
        ended.append(course.over)
    return table(
        "CaseStory.chats",
        {"case": "Case", "account": "Account", "owner": "User"},
        case=case,
        account=accounts[case],
        owner=np.array(last_agents, dtype=np.int64),
        requested=np.array(requested, dtype="datetime64[s]"),
        start=np.array(started, dtype="datetime64[s]"),
        end=_moments(ended),
    )


def turns_table(
    courses: list[CaseCourse],
    styles: Array,
    ordered: Array,
    ranks: ActRanks,
) -> Table:
    """`CaseStory.turns`: the lines of each chat in order; `styles` is one a user, `ordered` one a
    case.
    """
    lengths = np.array([len(course.turns) for course in courses], dtype=np.int64)
    chats = np.arange(len(courses))
    return table(
        "CaseStory.turns",
        {"agent": "User", "next_agent": "User", "prev_agent": "User"},
        chat=np.repeat(chats, lengths),
        **_spoken(courses, styles, ordered, ranks),
    )


def _spoken(
    courses: list[CaseCourse],
    styles: Array,
    ordered: Array,
    ranks: ActRanks,
) -> dict[str, Array]:
    """What messages and chat lines share.

    Who speaks, as whom, whom the customer heard from before that and who is next, and what is to be
    said.
    """
    agents: list[int] = []
    next_agents: list[int] = []
    previous_agents: list[int] = []
    for course in courses:
        agents += voices(course)
        last = len(course.agents) - 1
        before = heard = 0
        for turn in course.turns:
            if turn.speaker == AGENT and turn.step != heard:
                before = heard
                heard = turn.step
            next_agents.append(course.agents[min(turn.step + 1, last)])
            previous_agents.append(course.agents[before])
    turns = list(chain.from_iterable(course.turns for course in courses))
    times = list(chain.from_iterable(course.times for course in courses))
    agent = np.array(agents, dtype=np.int64)
    return {
        "at": np.array(times, dtype="datetime64[s]"),
        "speaker": strings([turn.speaker for turn in turns]),
        "agent": agent,
        "next_agent": np.array(next_agents, dtype=np.int64),
        "prev_agent": np.array(previous_agents, dtype=np.int64),
        "beats": repeated(",".join(turn.beats) for turn in turns),
        "ranks": strings(list(chain.from_iterable(ranks[course.case] for course in courses))),
        "waited": repeated(chain.from_iterable(map(_waited, courses))),
        "ago": repeated(chain.from_iterable(_ago(course, ordered) for course in courses)),
        "weekday": repeated(f"{moment - AT_HOME.item():%A}" for moment in times),
        "style": styles[agent],
    }


def _waited(course: CaseCourse) -> list[str]:
    """How long after the turn before each one is said, in words; "" for less than a day."""
    spans = [""]
    for before, moment in pairwise(course.times):
        spans.append(span_of(moment - before))
    return spans


def _ago(course: CaseCourse, ordered: Array) -> list[str]:
    """How long before each turn the order was placed."""
    day = ordered[course.case].item()
    return [told_ago((moment.date() - day).days) for moment in course.times]


def voices(course: CaseCourse) -> list[int]:
    """For each turn the agent who speaks, or whom the customer last heard from.

    Before any agent has spoken that is the first owner.
    """
    voice = course.agents[0]
    heard = []
    for turn in course.turns:
        if turn.speaker == AGENT:
            voice = course.agents[turn.step]
        heard.append(voice)
    return heard
