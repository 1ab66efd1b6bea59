"""CaseTrail: what the CRM notes of every case by itself: who changed what when.

It draws `rows`: changes of owner, status, priority and escalation in time, each with the values
before and after (a text, a user or a queue) and the user who made it.
It is drawn from CaseStory (owners, messages, the end), Reopening (who came back), Urgency (what was
raised), and Workforce (queues, and the user in whose name the CRM itself acts).
It drives the standard history of cases.
It knows no words and decides nothing that a case shows in the end.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from latent.enquiry_ending import UNANSWERED
from latent.org_chart import CHAT_QUEUE, MAIL_QUEUE
from latent.statistics import shares
from latent.variable import Effect
from latent.workforce import automated_user
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table

NEW, WORKING, WAITING, ESCALATED, CLOSED = (
    "New",
    "Working",
    "Waiting on Customer",
    "Escalated",
    "Closed",
)

# A form gives every case the priority Medium; whoever reads it first mends it. What is High was
# read as Medium at first in 35 of 100 cases, in 60 where the case was escalated; what is Low in 15.
# Chosen by eye.
RAISED = 0.35
RAISED_ESCALATED = 0.6
LOWERED = 0.15

# Who reads a case sets its priority within two minutes of taking it.
TRIAGE_SECONDS = (5, 120)

RAISED_AND_ESCALATED = """
    SELECT
        c.IsEscalated,
        EXISTS (
            SELECT 1
            FROM CaseHistory h
            WHERE h.CaseId = c.Id AND h.Field = 'Priority' AND h.NewValue = 'High'
        )
    FROM "Case" c
"""


@dataclass(frozen=True, slots=True)
class Change:
    """One value of a case that somebody changed.

    A value is a text, or the row of a user or of a group; what it isn't is None or NONE.
    """

    moment: datetime
    field: str
    by: int
    old: str | None = None
    new: str | None = None
    old_user: int = NONE
    new_user: int = NONE
    old_group: int = NONE


@dataclass(slots=True)
class Events:
    """What happened to one case, in any order: owners, and statuses that somebody wished for."""

    owners: list[tuple[datetime, int, int]] = field(default_factory=list)
    wishes: list[tuple[datetime, str, int]] = field(default_factory=list)


class CaseTrail:
    """The standard history of cases."""

    name = "CaseTrail"
    reads: tuple[str, ...] = ("CaseStory", "Reopening", "Urgency", "Workforce")
    tables: Mapping[str, tuple[str, ...]] = {
        "rows": (
            "case",
            "field",
            "kind",
            "has_old",
            "has_new",
            "old",
            "new",
            "old_user",
            "new_user",
            "old_group",
            "by",
            "at",
        )
    }
    drives = ("CaseHistory",)
    references: Mapping[str, str] = {
        "old_user": "User",
        "new_user": "User",
        "old_group": "Group",
        "by": "User",
    }

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The changes of all cases, in time."""
        cases = org.table("CaseStory.cases")
        rng = org.setting.stream("CaseTrail", "rows")
        before = _first_priorities(rng, cases)
        triage = rng.integers(*TRIAGE_SECONDS, size=cases.size).tolist()
        events = _events(org, cases)
        found: list[tuple[int, Change]] = []
        machine = automated_user(org)
        for case, happened in enumerate(events):
            facts = _facts(cases, case)
            by = machine if machine != NONE else happened.owners[0][2]
            changes = [Change(facts.created, "created", by)]
            changes += _owner_changes(facts, happened)
            changes += _status_changes(facts, happened, by)
            if before[case] != facts.priority:
                later = timedelta(seconds=triage[case])
                changes += _priority_change(facts, happened, str(before[case]), later)
            changes.sort(key=lambda change: change.moment)
            found += [(case, change) for change in changes]
        found.sort(key=lambda row: row[1].moment)
        return (_as_table(found),)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """What was escalated was raised."""
        rows = org.execute(RAISED_AND_ESCALATED).fetchall()
        says = "the priority of escalated cases was raised more often"
        return (shares(self.name, says, rows),)


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What a case shows in the end, and when its first agent took it."""

    created: datetime
    accepted: datetime
    end: datetime | None
    touched: datetime
    channel: str
    status: str
    ending: str
    priority: str
    escalated: bool
    owner: int


def _facts(cases: Table, case: int) -> CaseFacts:
    closed = cases["closed"][case]
    return CaseFacts(
        created=cases["created"][case].astype("datetime64[s]").item(),
        accepted=cases["accepted"][case].item(),
        end=None if np.isnat(closed) else closed.item(),
        touched=cases["touched"][case].item(),
        channel=str(cases["channel"][case]),
        status=str(cases["status"][case]),
        ending=str(cases["ending"][case]),
        priority=str(cases["priority"][case]),
        escalated=bool(cases["escalated"][case]),
        owner=int(cases["owner"][case]),
    )


def _first_priorities(rng: Stream, cases: Table) -> Array:
    """The priority that each case had when it came."""
    points = rng.random(cases.size)
    raised = np.where(cases["escalated"], RAISED_ESCALATED, RAISED)
    priority = cases["priority"]
    mended = (priority == "High") & (points < raised)
    mended |= (priority == "Low") & (points < LOWERED)
    # What nobody has looked at yet, nobody has mended.
    mended &= cases["status"] != NEW
    return np.where(mended, "Medium", priority)


def _events(org: Org, cases: Table) -> list[Events]:
    """Owners and messages of each case."""
    found = [Events() for _ in range(cases.size)]
    history = org.table("CaseStory.history")
    owned = history["event"] == "Owner Assignment"
    rows = zip(
        history["case"][owned].tolist(),
        history["at"][owned].tolist(),
        history["old"][owned].tolist(),
        history["new"][owned].tolist(),
        strict=True,
    )
    for case, moment, old, new in rows:
        found[case].owners.append((moment, old, new))
    mails = org.table("CaseStory.messages")
    said = zip(
        mails["case"].tolist(),
        mails["at"].tolist(),
        mails["incoming"].tolist(),
        mails["first"].tolist(),
        mails["agent"].tolist(),
        strict=True,
    )
    for case, moment, incoming, first, agent in said:
        if not first:
            wish = (moment, WORKING, NONE) if incoming else (moment, WAITING, agent)
            found[case].wishes.append(wish)
    came_back = org.table("Reopening.events")
    for case, closed, agent in zip(
        came_back["case"].tolist(),
        came_back["closed"].tolist(),
        came_back["agent"].tolist(),
        strict=True,
    ):
        found[case].wishes.append((closed, CLOSED, agent))
    return found


def _owner_changes(facts: CaseFacts, happened: Events) -> Iterator[Change]:
    """From the queue to the first agent, who takes it, then from hand to hand."""
    queue = CHAT_QUEUE if facts.channel == "chat" else MAIL_QUEUE
    first = happened.owners[0][2]
    yield Change(facts.accepted, "Owner", first, new_user=first, old_group=queue)
    for moment, old, new in happened.owners[1:]:
        yield Change(moment, "Owner", old, old_user=old, new_user=new)


def _status_changes(facts: CaseFacts, happened: Events, machine: int) -> Iterator[Change]:
    """The statuses that follow from who wrote, and the escalation.

    From the escalation on a case stays Escalated until it is closed.
    """
    # Until somebody has taken a case it is New, however often its customer writes.
    wishes = [wish for wish in happened.wishes if wish[0] >= facts.accepted]
    if facts.status != NEW:
        wishes.append((facts.accepted, WORKING, happened.owners[0][2]))
    moment = _escalation(facts, happened)
    if facts.end is not None:
        # What stays unanswered is closed by the CRM itself.
        closer = NONE if facts.ending == UNANSWERED else facts.owner
        wishes.append((facts.end, CLOSED, closer))
    if moment is not None:
        by = _owner_at(happened, moment)
        wishes.append((moment, ESCALATED, by))
        yield Change(moment, "IsEscalated", by, "false", "true")
    state, sticks = NEW, False
    for moment, wish, by in sorted(wishes, key=lambda wish: (wish[0], wish[1] == CLOSED)):
        sticks = sticks or wish == ESCALATED
        wished = ESCALATED if sticks and wish in (WORKING, WAITING) else wish
        # What is sent as the case is closed leaves it no other state on the way.
        passing = moment == facts.end and wish != CLOSED
        if wished != state and not passing:
            yield Change(moment, "Status", machine if by == NONE else by, state, wished)
            state = wished


def _escalation(facts: CaseFacts, happened: Events) -> datetime | None:
    """When a case was escalated: with the last transfer, else before an agent's second mail.

    Else when it was taken.
    """
    if not facts.escalated:
        return None
    if len(happened.owners) > 1:
        return max(happened.owners[-1][0], facts.accepted)
    answers = [moment for moment, wish, _ in happened.wishes if wish == WAITING]
    if len(answers) > 1:
        return answers[1] - timedelta(seconds=1)
    return facts.accepted


def _owner_at(happened: Events, moment: datetime) -> int:
    """Who owned the case just before a moment."""
    owner = happened.owners[0][2]
    for since, _, new in happened.owners[1:]:
        if since < moment:
            owner = new
    return owner


def _priority_change(
    facts: CaseFacts,
    happened: Events,
    before: str,
    later: timedelta,
) -> Iterator[Change]:
    """Whoever took the case mends its priority; what is escalated is raised with it."""
    escalated = _escalation(facts, happened)
    if escalated is not None and facts.priority == "High":
        yield Change(escalated, "Priority", _owner_at(happened, escalated), before, facts.priority)
        return
    moment = min(facts.accepted + later, facts.touched)
    yield Change(moment, "Priority", happened.owners[0][2], before, facts.priority)


def _as_table(found: list[tuple[int, Change]]) -> Table:
    changes = [change for _, change in found]
    old_user = np.array([change.old_user for change in changes], dtype=np.int64)
    new_user = np.array([change.new_user for change in changes], dtype=np.int64)
    old_group = np.array([change.old_group for change in changes], dtype=np.int64)
    old = objects([change.old for change in changes])
    new = objects([change.new for change in changes])
    is_owner = new_user != NONE
    return table(
        "CaseTrail.rows",
        {
            "case": "Case",
            "old_user": "User",
            "new_user": "User",
            "old_group": "Group",
            "by": "User",
        },
        case=np.array([case for case, _ in found], dtype=np.int64),
        field=strings([change.field for change in changes]),
        kind=np.where(is_owner, "EntityId", "Text").astype(object),
        has_old=is_owner | old.astype(bool),
        has_new=is_owner | new.astype(bool),
        old=old,
        new=new,
        old_user=old_user,
        new_user=new_user,
        old_group=old_group,
        by=np.array([change.by for change in changes], dtype=np.int64),
        at=np.array([change.moment for change in changes], dtype="datetime64[s]"),
    )
