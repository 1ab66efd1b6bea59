"""ChatDesk: every request for a chat, those that nobody took as well as those of cases.

It draws `chats`: those of CaseStory and the missed ones, as they were asked for; whom the chat is
with, its moments, how long the visitor waited, who ended it, how loaded the desk was, and what
SystemTraces has of it. And `turns`: the lines of CaseStory, each with the row of its chat here.
It is drawn from CaseStory and SystemTraces (the chats that were held) and Routing (load).
It drives live chats but for their words and devices.
It knows no words.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.case_story import SAID
from latent.statistics import difference
from latent.variable import Effect
from latent.workforce import automated_user, integration_user
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table

# Visitors leave where they wait, and they wait where the desk is loaded: a chat is missed about
# when another one was held, by this power of the load at that time. Chosen by eye.
LOAD_POWER = 2.0

# Two in five who get no answer try again within the hour, and are served then. Of the others the
# window knows every second one by the form before the chat. Chosen by eye.
COMES_BACK = 0.4
AGAIN_SECONDS = (90, 3000)
KNOWN = 0.5
NEAR_SECONDS = (-2400, 1200)  # how far from the other chat somebody else asks

# Seven in ten lose patience, after a minute and a half as a rule; the others are passed from agent
# to agent until the window gives up. Nobody waits for a quarter of an hour. Chosen by eye.
GIVES_UP = 0.7
PATIENCE_SECONDS = 90.0
PATIENCE_SIGMA = 0.8
PASSED_SECONDS = (120, 420)
LEAST_PATIENCE = 6
MOST_PATIENCE = 900

COMPLETED = "Completed"
MISSED = "Missed"
ENDED_BY = {"left": "Visitor", "closed": "Agent", "idle": "System"}

AGENTS = {"agent": "User", "next_agent": "User", "prev_agent": "User"}
TRACED = ("form", "window", "ending", "survey", "files", "order")
"""The columns of `SystemTraces.chats`."""

MISSED_AND_LOAD = """
    SELECT t.Status = 'Missed', d.load
    FROM LiveChatTranscript t
    JOIN latent."ChatDesk.chats" d ON d.Id = t.Id
"""


class ChatDesk:
    """Who was served in a chat, and who was not."""

    name = "ChatDesk"
    reads: tuple[str, ...] = ("CaseStory", "Routing", "SystemTraces", "Workforce")
    tables: Mapping[str, tuple[str, ...]] = {
        "chats": (
            "Id",
            "case",
            "account",
            "owner",
            "requested",
            "start",
            "end",
            "status",
            "waited",
            "talked",
            "abandoned",
            "ended_by",
            "load",
            *TRACED,
        ),
        "turns": ("chat", *SAID),
    }
    drives = ("LiveChatTranscript",)
    references: Mapping[str, str] = {"order": "Order", **AGENTS}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """As many chats as asked for: those of cases, and missed ones for the rest."""
        held = org.table("CaseStory.chats")
        load = org.table("Routing.cases")["load"][held["case"]]
        number = max(org.setting.count("LiveChatTranscript") - held.size, 0)
        missed = _missed(org, held, load, number if held.size else 0)
        served = _served(held, load, org.table("SystemTraces.chats"))
        columns = {name: np.concatenate([served[name], missed[name]]) for name in served}
        # The window numbers every request as it comes, whether anybody takes it or not.
        order = np.argsort(columns["requested"], kind="stable")
        sorted_columns = {name: values[order] for name, values in columns.items()}
        references = {
            "Id": "LiveChatTranscript",
            "case": "Case",
            "account": "Account",
            "owner": "User",
            "order": "Order",
        }
        chats = table("ChatDesk.chats", references, Id=np.arange(len(order)), **sorted_columns)
        return chats, _turns(org.table("CaseStory.turns"), order)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Chats are missed where the desk is loaded; nothing is seen where none is."""
        rows = org.execute(MISSED_AND_LOAD).fetchall()
        if not any(missed for missed, _ in rows):
            return ()
        says = "chats are missed where the desk is loaded"
        return (difference(self.name, says, "load", rows),)


def _served(held: Table, load: Array, traces: Table) -> dict[str, Array]:
    """The columns of the chats that somebody took."""
    return {
        "case": held["case"],
        "account": held["account"],
        "owner": held["owner"],
        "requested": held["requested"],
        "start": held["start"],
        "end": held["end"],
        "status": np.full(held.size, COMPLETED, dtype=object),
        "waited": _seconds(held["start"] - held["requested"]),
        "talked": _seconds(held["end"] - held["start"]).astype(object),
        # Nobody gave up: as in the CRM, zero seconds and not an empty field.
        "abandoned": np.zeros(held.size, dtype=np.int64).astype(object),
        "ended_by": np.array([ENDED_BY[str(name)] for name in traces["ending"]], dtype=object),
        "load": load,
        **{name: traces[name] for name in TRACED},
    }


def _turns(lines: Table, order: Array) -> Table:
    """`ChatDesk.turns`: the lines of CaseStory, whose n-th chat is in the row that holds n."""
    row = np.argsort(order)
    chat = row[lines["chat"]]
    in_turn = np.argsort(chat, kind="stable")
    said = {name: lines[name][in_turn] for name in SAID}
    return table("ChatDesk.turns", AGENTS, chat=chat[in_turn], **said)


def _missed(org: Org, held: Table, load: Array, number: int) -> dict[str, Array]:
    """The columns of so many missed chats."""
    rng = org.setting.stream("ChatDesk", "missed")
    weights = load**LOAD_POWER
    near = rng.choice(held.size, size=number, p=weights / weights.sum()) if number else _rows()
    wait, gives_up = _waits(rng, number)
    comes_back = rng.random(number) < COMES_BACK
    again = wait + rng.integers(*AGAIN_SECONDS, size=number)
    offset = np.where(comes_back, -again, rng.integers(*NEAR_SECONDS, size=number))
    asked = held["requested"][near] + offset.astype("timedelta64[s]")
    asked = np.maximum(asked, org.setting.first_day.astype("datetime64[s]"))
    somebody = np.where(rng.random(number) < KNOWN, _earlier_writers(org, rng, asked), NONE)
    program = automated_user(org)
    nobody = program if program != NONE else integration_user(org)
    return {
        "case": np.full(number, NONE),
        "account": np.where(comes_back, held["account"][near], somebody),
        "owner": np.full(number, nobody),
        "requested": asked,
        "start": np.full(number, np.datetime64("NaT"), dtype="datetime64[s]"),
        "end": asked + wait.astype("timedelta64[s]"),
        "status": np.full(number, MISSED, dtype=object),
        "waited": wait,
        "talked": np.full(number, None, dtype=object),
        "abandoned": np.where(gives_up, wait, 0).astype(object),
        "ended_by": np.where(gives_up, "Visitor", "System").astype(object),
        "load": load[near],
        # Nobody reads a window that never opened.
        **{name: np.full(number, None, dtype=object) for name in TRACED},
        "order": np.full(number, NONE),
    }


def _rows() -> Array:
    return np.zeros(0, dtype=np.int64)


def _waits(rng: Stream, number: int) -> tuple[Array, Array]:
    """The seconds until each missed chat was over, and whether its visitor ended it."""
    gives_up = rng.random(number) < GIVES_UP
    patience = np.exp(rng.normal(np.log(PATIENCE_SECONDS), PATIENCE_SIGMA, size=number))
    patience = np.clip(np.round(patience), LEAST_PATIENCE, MOST_PATIENCE).astype(np.int64)
    passed = rng.integers(*PASSED_SECONDS, size=number)
    return np.where(gives_up, patience, passed), gives_up


def _earlier_writers(org: Org, rng: Stream, asked: Array) -> Array:
    """For each moment the customer of some case before it; NONE where there is none yet."""
    cases = org.table("CaseStory.cases")
    order = np.argsort(cases["created"], kind="stable")
    account = cases["account"][order]
    before = np.searchsorted(cases["created"][order], asked)
    place = np.floor(rng.random(len(asked)) * before).astype(np.int64)
    return np.where(before > 0, account[np.minimum(place, len(account) - 1)], NONE)


def _seconds(spans: Array) -> Array:
    return np.asarray(spans.astype("timedelta64[s]").astype(np.int64))
