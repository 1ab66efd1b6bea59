"""ComplaintHabit: which customers file cases, about what, how soon, by which channel and in what
tone.

Draws  `customers` (propensity, tone, verbosity, liking for chat), `cases` (item, issue, moment,
       channel, tone).
From   ShoppingHabit (what was bought), ProductDefect (what is weak), Solution (the issues).
Drives Case.OrderItemId__c, IssueId__c, CreatedDate, Origin; who has an e-mail thread and who a
chat; the tone of the words.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import clock, exactly, labels, pick
from latent.statistics import correlation, difference
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table
from schemas.errors import BadInput

TONES = {"calm": 0.3, "friendly": 0.24, "annoyed": 0.22, "worried": 0.13, "angry": 0.11}
DEFECT_SHARE = 0.5
LAGS = {
    "product": (1.5, 38.0),
    "delivery": (2.6, 4.0),
    "service": (1.2, 30.0),
    "billing": (1.4, 9.0),
}
SHORTEST_LAG = {"product": 7, "delivery": 7, "service": 3, "billing": 2}
LONGEST_LAG = 340


class ComplaintHabit:
    """Customers' ways of complaining, and the complaints."""

    name = "ComplaintHabit"
    reads: tuple[str, ...] = ("ShoppingHabit", "ProductDefect", "Solution")
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": ("Id", "propensity", "tone", "verbosity", "chat_liking"),
        "cases": (
            "Id",
            "item",
            "account",
            "issue",
            "created",
            "days",
            "channel",
            "tone",
            "verbosity",
        ),
    }
    drives = (
        "Case.OrderItemId__c",
        "Case.IssueId__c",
        "Case.CreatedDate",
        "Case.Origin",
        "EmailMessage.TextBody",
        "LiveChatTranscript.Body",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Exactly as many cases and chats as asked for; raises BadInput where there are too few
        ordered items.
        """
        wanted, chats = org.setting.count("Case"), org.setting.count("LiveChatTranscript")
        if chats > wanted:
            raise BadInput(
                f"LiveChatTranscript={chats} of Case={wanted}: a case has one chat or one thread;"
                " ask for fewer chats"
            )
        customers = _customers(org)
        return customers, _cases(org, customers, wanted, chats)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Propensity against cases an order, liking against channel."""
        filed = org.execute(
            'SELECT h.propensity, (SELECT count(*) FROM "Case" c WHERE c.AccountId = h.Id) * 1.0 /'
            ' (SELECT count(*) FROM "Order" o JOIN OrderItem i ON i.OrderId = o.Id WHERE'
            ' o.AccountId = h.Id) FROM latent."ComplaintHabit.customers" h WHERE EXISTS (SELECT 1'
            ' FROM "Order" o WHERE o.AccountId = h.Id)'
        ).fetchall()
        channel = org.execute(
            "SELECT c.Origin = 'Chat', h.chat_liking FROM \"Case\" c JOIN"
            ' latent."ComplaintHabit.customers" h ON h.Id = c.AccountId'
        ).fetchall()
        return (
            correlation(self.name, "customers who like to complain file more cases an item", filed),
            difference(
                self.name, "cases by chat come from customers who like chat", "liking", channel
            ),
        )


def _customers(org: Org) -> Table:
    setting = org.setting
    rng, size = setting.stream("ComplaintHabit", "customers"), setting.count("Account")
    return table(
        "ComplaintHabit.customers",
        {"Id": "Account"},
        Id=np.arange(size),
        propensity=np.round(rng.gamma(1.6, 0.6, size=size) + 0.1, 3),
        tone=labels(rng, TONES, size),
        verbosity=labels(rng, {"terse": 0.3, "medium": 0.45, "wordy": 0.25}, size),
        chat_liking=np.round(rng.beta(1.3, 1.6, size=size), 3),
    )


def _cases(org: Org, customers: Table, wanted: int, chats: int) -> Table:
    rng = org.setting.stream("ComplaintHabit", "cases")
    items = org.table("ShoppingHabit.items")
    account = org.table("ShoppingHabit.orders")["account"][items["order"]]
    weights = customers["propensity"][account] if items.size else np.zeros(0)
    usable = _usable(org, items)
    if wanted > int(usable.sum()):
        raise BadInput(
            f"Case={wanted}, but only {int(usable.sum())} ordered items could be complained about;"
            " ask for fewer cases or more items"
        )
    weak = _defect_cases(rng, org, weights * usable, round(wanted * DEFECT_SHARE))
    usable[weak["item"]] = False
    plain = _plain_cases(rng, org, weights * usable, wanted - len(weak["item"]))
    item, issue, day = (np.concatenate([weak[key], plain[key]]) for key in ("item", "issue", "day"))
    created = clock(rng, day, 6.5, 22.5)
    order = np.argsort(created, kind="stable")
    item, issue, created = item[order], issue[order], created[order]
    who = account[item]
    mood = np.where(rng.random(wanted) < 0.75, customers["tone"][who], labels(rng, TONES, wanted))
    return table(
        "ComplaintHabit.cases",
        {"Id": "Case", "item": "OrderItem", "account": "Account", "issue": "Issue__c"},
        Id=np.arange(wanted),
        item=item,
        account=who,
        issue=issue,
        created=created,
        days=(created.astype("datetime64[D]") - _ordered(org, items)[item]).astype(np.int64),
        channel=_channels(rng, customers["chat_liking"][who], created, org.setting, chats),
        tone=mood,
        verbosity=customers["verbosity"][who],
    )


def _usable(org: Org, items: Table) -> Array:
    """Items of activated orders, ordered at least ten days before the period's end."""
    status = org.table("ShoppingHabit.orders")["status"][items["order"]]
    return np.asarray(
        (status == "Activated")
        & (_ordered(org, items) <= org.setting.last_day - np.timedelta64(10, "D"))
    )


def _ordered(org: Org, items: Table) -> Array:
    return org.table("ShoppingHabit.orders")["day"][items["order"]]


def _defect_cases(rng: Stream, org: Org, weights: Array, wanted: int) -> dict[str, Array]:
    """Items of weak products, ordered before the defect's spell ends; as many as there are,
    `wanted` at most, each for one defect.
    """
    defects, items = org.table("ProductDefect.defects"), org.table("ShoppingHabit.items")
    start = defects["from_month"].astype("datetime64[D]")
    end = np.minimum(
        (defects["from_month"] + defects["months"].astype("timedelta64[M]")).astype(
            "datetime64[D]"
        ),
        org.setting.last_day,
    )
    item, defect = _struck(items["product"], defects["product"])
    ordered = _ordered(org, items)[item]
    fits = (ordered < end[defect] - np.timedelta64(8, "D")) & (
        ordered > start[defect] - np.timedelta64(200, "D")
    )
    recent = np.exp(-np.maximum((start[defect] - ordered).astype(float), 0) / 70)
    pull = np.where(fits, weights[item] * defects["strength"][defect] * recent, 0.0)
    chosen = exactly(rng, pull, min(wanted, int((pull > 0).sum())))
    chosen = chosen[np.sort(np.unique(item[chosen], return_index=True)[1])]
    item, defect, ordered = item[chosen], defect[chosen], ordered[chosen]
    first = np.maximum(ordered + np.timedelta64(7, "D"), start[defect])
    span = np.maximum((end[defect] - first).astype(int), 1)
    day = first + (rng.random(len(item)) * span).astype("timedelta64[D]")
    return {
        "item": item,
        "issue": defects["issue"][defect],
        "day": np.minimum(day, org.setting.last_day),
    }


def _struck(products: Array, weak: Array) -> tuple[Array, Array]:
    """Every pair of an item and a defect of its product."""
    pairs = [
        (rows, np.full(len(rows), at))
        for at, product in enumerate(weak)
        if len(rows := np.flatnonzero(products == product))
    ]
    if not pairs:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([rows for rows, _ in pairs]), np.concatenate([at for _, at in pairs])


def _plain_cases(rng: Stream, org: Org, weights: Array, wanted: int) -> dict[str, Array]:
    """Ordinary complaints: any item, an issue by weight, a lag that fits the kind of issue."""
    issues, items = org.table("Solution.issues"), org.table("ShoppingHabit.items")
    item = exactly(rng, weights, wanted)
    issue = pick(rng, np.tile(issues["weight"].astype(float), (wanted, 1)))
    shape, scale = (
        np.array([LAGS[str(kind)][at] for kind in issues["kind"]])[issue] for at in (0, 1)
    )
    shortest = np.array([SHORTEST_LAG[str(kind)] for kind in issues["kind"]])[issue]
    lag = np.clip(np.round(shortest + rng.gamma(shape, scale)), shortest, LONGEST_LAG)
    ordered = _ordered(org, items)[item]
    room = np.maximum((org.setting.last_day - ordered).astype(int), shortest)
    late = lag > room
    lag[late] = shortest[late] + np.floor(rng.random(int(late.sum())) * (room - shortest)[late])
    return {
        "item": item,
        "issue": issue,
        "day": ordered + np.minimum(lag, room).astype("timedelta64[D]"),
    }


def _channels(rng: Stream, liking: Array, created: Array, setting: RunContext, chats: int) -> Array:
    """Chat for exactly so many cases: by liking, never in the period's last two days (a chat always
    ends the same day).
    """
    channel = np.full(len(liking), "email", dtype=object)
    early = created < setting.last_day.astype("datetime64[s]") - np.timedelta64(86400, "s")
    channel[exactly(rng, np.where(early, liking**2 + 1e-6, 1e-9), chats)] = "chat"
    return channel
