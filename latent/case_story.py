"""CaseStory: the life of every case, simulated once; Case, CaseHistory__c, EmailMessage and
LiveChatTranscript render it.

Draws  `cases` (owner, status, times, ending and all that writers are told), `history` (creation,
       assignments, close),
       `messages` (e-mails in order), `chats` and `turns` (chat lines in order).
From   ComplaintHabit (who complains when), Routing (agents in order), PolicyViolation (endings),
       ResponseTime, Solution.
Drives Case, CaseHistory__c, EmailMessage, LiveChatTranscript.
"""

import random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from latent.clockwork import chat_times, email_times
from latent.dialogue import AGENT, LONGEST_THREAD, Plot, Turn, chat, thread
from latent.draws import labels, split
from latent.statistics import difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import text_stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.errors import BadInput

TYPES = {
    "product": "Product Problem",
    "delivery": "Delivery",
    "service": "Service",
    "billing": "Billing",
}
REASONS = {
    "product": "Quality or Performance",
    "delivery": "Shipping",
    "service": "Service Experience",
    "billing": "Charges and Payments",
}
HOURS_MEAN = 30.0


@dataclass(frozen=True, slots=True)
class CaseCourse:
    """One case as it happened."""

    case: int
    agents: tuple[int, ...]
    turns: tuple[Turn, ...]
    times: tuple[datetime, ...]
    assigned: tuple[datetime, ...]
    closed: datetime | None


class CaseStory:
    """Case life cycles."""

    name = "CaseStory"
    reads: tuple[str, ...] = (
        "ComplaintHabit",
        "Routing",
        "PolicyViolation",
        "ResponseTime",
        "Solution",
        "Assortment",
        "ShoppingHabit",
        "Account",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": (
            *(
                "Id",
                "account",
                "item",
                "issue",
                "owner",
                "status",
                "priority",
                "type",
                "reason",
                "origin",
                "created",
                "closed",
                "is_closed",
                "escalated",
            ),
            *(
                "channel",
                "tone",
                "verbosity",
                "ending",
                "violated",
                "days",
                "wish",
                "wish_phrase",
                "deny_limit",
                "granted",
                "option_phrase",
                "limit",
            ),
            *("issue_key", "category_key", "product_short", "plural", "beats", "avoid"),
        ),
        "history": ("case", "event", "old", "new", "at"),
        "messages": (
            "case",
            "at",
            "incoming",
            "first",
            "prefix",
            "read_status",
            "sent_status",
            "speaker",
            "agent",
            "next_agent",
            "prev_agent",
            "beats",
            "topic",
            "style",
        ),
        "chats": ("case", "account", "owner", "requested", "start", "end"),
        "turns": (
            "chat",
            "at",
            "speaker",
            "agent",
            "next_agent",
            "prev_agent",
            "beats",
            "topic",
            "style",
        ),
    }
    drives = ("Case", "CaseHistory__c", "EmailMessage", "LiveChatTranscript")
    references: Mapping[str, str] = {
        "case": "Case",
        "agent": "User",
        "next_agent": "User",
        "prev_agent": "User",
    }

    def draw(self, org: Org) -> tuple[Table, ...]:
        """All stories; raises BadInput where the messages asked for can't fill the threads."""
        cases = org.table("ComplaintHabit.cases")
        closed = org.table("Routing.cases")["closed"]
        lengths = _lengths(org, cases, closed)
        chains = _chains(org.table("Routing.assignments"), cases.size)
        paces = _paces(org, cases, chains)
        stories = [
            _story(
                org,
                cases,
                case,
                chains[case],
                bool(closed[case]),
                int(lengths[case]),
                float(paces[case]),
            )
            for case in range(cases.size)
        ]
        styles = labels(
            org.setting.stream("CaseStory", "styles"),
            {"warm": 0.4, "brisk": 0.33, "formal": 0.27},
            org.setting.count("User"),
        )
        threads = [story for story in stories if cases["channel"][story.case] == "email"]
        chats = [story for story in stories if cases["channel"][story.case] == "chat"]
        return (
            _cases(org, cases, stories),
            _history(stories),
            _messages(threads, styles),
            _chats(chats, cases["account"]),
            _turns(chats, styles),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Transferred cases take longer."""
        rows = org.execute(
            "SELECT EXISTS (SELECT 1 FROM CaseHistory__c h WHERE h.CaseId__c = c.Id AND"
            " h.OldValue__c IS NOT NULL), (julianday(substr(c.ClosedDate, 1, 19)) -"
            ' julianday(substr(c.CreatedDate, 1, 19))) * 24 FROM "Case" c JOIN'
            ' latent."CaseStory.cases" s ON s.Id = c.Id WHERE c.ClosedDate IS NOT NULL AND'
            " s.channel = 'email'"
        ).fetchall()
        return (
            difference(self.name, "transferred e-mail cases take longer to close", "hours", rows),
        )


def _lengths(org: Org, cases: Table, closed: Array) -> Array:
    """Messages a thread, summing exactly to EmailMessage; a few open cases have the customer's mail
    only.
    """
    rng, wanted = org.setting.stream("CaseStory", "lengths"), org.setting.count("EmailMessage")
    email = np.flatnonzero(cases["channel"] == "email")
    least, most = np.full(len(email), 2), np.full(len(email), LONGEST_THREAD)
    unseen = ~closed[email] & (rng.random(len(email)) < 0.2)
    least[unseen], most[unseen] = 1, 1
    if not least.sum() <= wanted <= most.sum():
        raise BadInput(
            f"EmailMessage={wanted} can't fill {len(email)} e-mail threads of 2 to {LONGEST_THREAD}"
            f" messages; ask for {least.sum()} to {most.sum()} or other numbers of Case and"
            " LiveChatTranscript"
        )
    lengths = np.zeros(cases.size, dtype=np.int64)
    if len(email):
        lengths[email] = split(
            rng, rng.gamma(5.0, 1.0, size=len(email)), wanted, low=least, high=most
        )
    return lengths


def _chains(assignments: Table, cases: int) -> list[tuple[int, ...]]:
    chains: list[tuple[int, ...]] = [()] * cases
    for case, agent in zip(assignments["case"], assignments["agent"], strict=True):
        chains[int(case)] += (int(agent),)
    return chains


def _paces(org: Org, cases: Table, chains: list[tuple[int, ...]]) -> Array:
    """The product of the last agent's, the state's and the issue's pace,
    more for every transfer.
    """
    agents, states, issues = (
        org.table(f"ResponseTime.{name}") for name in ("agents", "states", "issues")
    )
    by_state = dict(zip(states["state"], states["pace"], strict=True))
    state = np.array(
        [by_state[name] for name in org.table("Account")["ShippingState"][cases["account"]]]
    )
    last = np.array([chain[-1] for chain in chains], dtype=np.int64)
    transfers = np.array([len(chain) - 1 for chain in chains])
    return np.asarray(
        agents["pace"][last] * state * issues["pace"][cases["issue"]] * (1 + 1.5 * transfers)
    )


def _story(
    org: Org,
    cases: Table,
    case: int,
    agents: tuple[int, ...],
    closed: bool,
    length: int,
    pace: float,
) -> CaseCourse:
    setting = org.setting
    rng = text_stream(setting.seed, setting.salted("CaseStory"), str(case))
    outcomes, issues = org.table("PolicyViolation.outcomes"), org.table("Solution.issues")
    topics = tuple(str(issues["topics"][cases["issue"][case]]).split(","))
    plot = Plot(
        str(outcomes["ending"][case]),
        str(outcomes["wish"][case]),
        str(cases["verbosity"][case]),
        len(agents) - 1,
        topics,
    )
    created: datetime = cases["created"][case].astype("datetime64[s]").item()
    if cases["channel"][case] == "chat":
        turns = chat(rng, plot)
        times = chat_times(rng, created, len(turns), pace)
    else:
        turns = thread(rng, plot, length)
        hours = max(
            rng.lognormvariate(0.0, 0.55) * HOURS_MEAN * pace * (1.0 if closed else 2.5), 0.4
        )
        end = datetime.combine(setting.profile.period.end, datetime.max.time()).replace(
            microsecond=0
        )
        patient = ["c.followup" in turn.beats for turn in turns]
        times = email_times(
            rng, created, hours, [turn.speaker == AGENT for turn in turns], patient, end
        )
    return CaseCourse(
        case,
        agents,
        tuple(turns),
        tuple(times),
        tuple(_assigned(rng, agents, turns, times, created)),
        times[-1] if closed else None,
    )


def _assigned(
    rng: random.Random,
    agents: tuple[int, ...],
    turns: list[Turn],
    times: list[datetime],
    created: datetime,
) -> list[datetime]:
    """When each agent became the owner: the first at creation, the next between the last turn of
    the one before and their own first.
    """
    moments = [created]
    for step in range(1, len(agents)):
        before = [at for at, turn in enumerate(turns) if turn.speaker == AGENT and turn.step < step]
        after = [at for at, turn in enumerate(turns) if turn.speaker == AGENT and turn.step >= step]
        low = max(moments[-1], times[before[-1]] if before else created)
        high = times[after[0]] if after else times[-1]
        span = max(int((high - low).total_seconds()), 2)
        moments.append(
            low + timedelta(seconds=min(max(int(span * rng.uniform(0.1, 0.7)), 1), span - 1))
        )
    return moments


def _cases(org: Org, cases: Table, stories: list[CaseCourse]) -> Table:
    rng = org.setting.stream("CaseStory", "cases")
    outcomes, issues, products = (
        org.table("PolicyViolation.outcomes"),
        org.table("Solution.issues"),
        org.table("Assortment.products"),
    )
    options = org.table("Solution.options")
    phrases = dict(zip(options["key"], options["phrase"], strict=True)) | {"": ""}
    kinds = issues["kind"][cases["issue"]]
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    closed = np.array([story.closed is not None for story in stories], dtype=bool)
    escalated = (cases["tone"] == "angry") & (rng.random(cases.size) < 0.3)
    plural = org.table("Assortment.categories")["plural"][products["category"][product]]
    wished, granted = outcomes["wish"], outcomes["granted"]
    return table(
        "CaseStory.cases",
        {
            "Id": "Case",
            "account": "Account",
            "item": "OrderItem",
            "issue": "Issue__c",
            "owner": "User",
        },
        Id=np.arange(cases.size),
        account=cases["account"],
        item=cases["item"],
        issue=cases["issue"],
        owner=np.array([story.agents[-1] for story in stories], dtype=np.int64),
        status=strings(
            [_status(story, bool(urgent)) for story, urgent in zip(stories, escalated, strict=True)]
        ),
        priority=_priority(rng.random(cases.size), cases["tone"], kinds),
        type=strings([TYPES[str(kind)] for kind in kinds]),
        reason=strings([REASONS[str(kind)] for kind in kinds]),
        origin=np.where(
            cases["channel"] == "chat",
            "Chat",
            np.where(rng.random(cases.size) < 0.3, "Web", "Email"),
        ).astype(object),
        created=cases["created"],
        closed=np.array(
            [story.closed or np.datetime64("NaT") for story in stories], dtype="datetime64[s]"
        ),
        is_closed=closed,
        escalated=escalated,
        channel=cases["channel"],
        tone=cases["tone"],
        verbosity=cases["verbosity"],
        ending=outcomes["ending"],
        violated=outcomes["article"] != NONE,
        days=cases["days"],
        wish=wished,
        wish_phrase=strings([phrases[key] for key in wished]),
        deny_limit=outcomes["wish_limit"],
        granted=granted,
        option_phrase=strings([phrases[key] for key in granted]),
        limit=outcomes["granted_limit"],
        issue_key=issues["key"][cases["issue"]],
        category_key=products["category_key"][product],
        product_short=products["short"][product],
        plural=plural,
        beats=strings(
            [
                (
                    ",".join(story.turns[0].beats)
                    if cases["channel"][story.case] == "email"
                    else "issue.summary"
                )
                for story in stories
            ]
        ),
        avoid=strings(
            [
                "|".join(
                    _noun(phrase)
                    for key, phrase in phrases.items()
                    if key and key not in (wish, grant)
                )
                for wish, grant in zip(wished, granted, strict=True)
            ]
        ),
    )


def _noun(phrase: str) -> str:
    """An option's phrase without its article, as it may not stand in a text that is about another
    option.
    """
    return phrase.removeprefix("a ").removeprefix("an ").removeprefix("the ")


def _status(story: CaseCourse, escalated: bool) -> str:
    if story.closed is not None:
        return "Closed"
    if len(story.turns) == 1:
        return "New"
    if escalated:
        return "Escalated"
    return "Waiting on Customer" if story.turns[-1].speaker == AGENT else "Working"


def _priority(points: Array, tones: Array, kinds: Array) -> Array:
    pressing = np.select(
        [tones == "angry", tones == "worried", tones == "annoyed"], [0.55, 0.4, 0.25], 0.12
    ) + np.where(kinds == "billing", 0.1, 0.0)
    return np.select(
        [points < pressing, points < pressing + 0.45], ["High", "Medium"], "Low"
    ).astype(object)


def _history(stories: list[CaseCourse]) -> Table:
    rows: list[tuple[int, str, int, int, datetime]] = []
    for story in stories:
        rows.append((story.case, "Case Creation", NONE, NONE, story.assigned[0]))
        pairs = zip((NONE, *story.agents), story.agents, story.assigned, strict=False)
        rows += [(story.case, "Owner Assignment", old, new, at) for old, new, at in pairs]
        if story.closed is not None:
            rows.append((story.case, "Case Closed", NONE, NONE, story.closed))
    return table(
        "CaseStory.history",
        {"case": "Case", "old": "User", "new": "User"},
        case=np.array([row[0] for row in rows], dtype=np.int64),
        event=strings([row[1] for row in rows]),
        old=np.array([row[2] for row in rows], dtype=np.int64),
        new=np.array([row[3] for row in rows], dtype=np.int64),
        at=np.array([row[4] for row in rows], dtype="datetime64[s]"),
    )


def _spoken(stories: list[CaseCourse], styles: Array) -> dict[str, Array]:
    """What messages and chat lines share: who speaks, as whom, to whom the case goes next, and what
    is to be said.
    """
    said = [(story, at, turn) for story in stories for at, turn in enumerate(story.turns)]
    agents = [_voice(story, at) for story, at, _ in said]
    return {
        "at": np.array([story.times[at] for story, at, _ in said], dtype="datetime64[s]"),
        "speaker": strings([turn.speaker for _, _, turn in said]),
        "agent": np.array(agents, dtype=np.int64),
        "next_agent": np.array(
            [story.agents[min(turn.step + 1, len(story.agents) - 1)] for story, _, turn in said],
            dtype=np.int64,
        ),
        "prev_agent": np.array(
            [story.agents[max(turn.step - 1, 0)] for story, _, turn in said], dtype=np.int64
        ),
        "beats": strings([",".join(turn.beats) for _, _, turn in said]),
        "topic": strings([turn.topic for _, _, turn in said]),
        "style": styles[np.array(agents, dtype=np.int64)] if agents else strings([]),
    }


def _voice(story: CaseCourse, at: int) -> int:
    """The agent who speaks, or whom the customer last heard from (before that: the first owner)."""
    heard = [turn.step for turn in story.turns[: at + 1] if turn.speaker == AGENT]
    return story.agents[heard[-1] if heard else 0]


def _messages(stories: list[CaseCourse], styles: Array) -> Table:
    spoken = _spoken(stories, styles)
    incoming = spoken["speaker"] != AGENT
    first = np.array([at == 0 for story in stories for at in range(len(story.turns))], dtype=bool)
    answered = np.array(
        [at < len(story.turns) - 1 for story in stories for at in range(len(story.turns))],
        dtype=bool,
    )
    return table(
        "CaseStory.messages",
        {"case": "Case", "agent": "User", "next_agent": "User", "prev_agent": "User"},
        case=np.array([story.case for story in stories for _ in story.turns], dtype=np.int64),
        incoming=incoming.astype(bool),
        first=first,
        prefix=np.where(first, "", "Re: ").astype(object),
        read_status=np.where(answered, "2", "1").astype(object),
        sent_status=np.full(len(first), "3", dtype=object),
        **spoken,
    )


def _chats(stories: list[CaseCourse], accounts: Array) -> Table:
    starts = np.array([story.times[0] for story in stories], dtype="datetime64[s]")
    case = np.array([story.case for story in stories], dtype=np.int64)
    return table(
        "CaseStory.chats",
        {"case": "Case", "account": "Account", "owner": "User"},
        case=case,
        account=accounts[case],
        owner=np.array([story.agents[-1] for story in stories], dtype=np.int64),
        requested=np.array([story.assigned[0] for story in stories], dtype="datetime64[s]"),
        start=starts,
        end=np.array([story.times[-1] for story in stories], dtype="datetime64[s]"),
    )


def _turns(stories: list[CaseCourse], styles: Array) -> Table:
    return table(
        "CaseStory.turns",
        {"agent": "User", "next_agent": "User", "prev_agent": "User"},
        chat=np.array(
            [at for at, story in enumerate(stories) for _ in story.turns], dtype=np.int64
        ),
        **_spoken(stories, styles),
    )
