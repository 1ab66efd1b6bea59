"""The talk of cases as tables: e-mails, chats and the lines of chats.

Takes finished courses; what happens in them is decided in `latent.case_course`. Knows no words.
"""

from datetime import datetime
from itertools import chain, pairwise

import numpy as np

from latent.act_ranks import ActRanks
from latent.case_course import CaseCourse
from latent.case_facts import AT_HOME
from latent.dialogue import AGENT
from latent.elapsed import span_of, told_ago
from latent.org_chart import MAIL_QUEUE
from pipeline.world.tables import NONE, Array, Table, moments, repeated, strings, table

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
        end=moments(ended),
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
    """How long after the turn before each one is said, in words; "" for less than a day.

    An agent has let the customer wait since the first turn that nobody has answered.
    """
    spans = [""]
    since = course.times[0]
    for (before, turn), (last, moment) in zip(
        pairwise(course.turns), pairwise(course.times), strict=True
    ):
        begun = last
        if turn.speaker == AGENT and before.speaker != AGENT:
            begun = since
        elif before.speaker == AGENT:
            since = moment
        spans.append(span_of(moment - begun))
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
