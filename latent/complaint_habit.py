"""ComplaintHabit: who files cases, about what, how soon, by which channel and in what tone.

It draws `customers` (propensity, tone, verbosity, liking for chat) and `cases` (item, issue,
moment, channel, tone).
It is drawn from ShoppingHabit (what was bought), ProductDefect (what is weak) and Solution (the
issues).
It drives the item, issue, moment and origin of each case, who has an e-mail thread and who a chat,
and the tone of the words.
It knows no agents and no outcomes.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latent.draws import clock, exactly, labels, pick
from latent.statistics import correlation, difference
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table
from schemas.errors import BadInput

# Shares of tones and of verbosities: most people stay civil and are brief. Chosen by eye.
TONES = {"calm": 0.3, "friendly": 0.24, "annoyed": 0.22, "worried": 0.13, "angry": 0.11}
VERBOSITIES = {"terse": 0.3, "medium": 0.45, "wordy": 0.25}

# In three of four cases a customer has the tone that is theirs, else any: people have moods.
OWN_TONE = 0.75

# Propensity to complain is 0.1 + gamma(1.6, 0.6): everybody may, a few do a lot. Liking for chat
# is beta(1.3, 1.6): nearly flat, somewhat against. Its square weighs, which makes the few who like
# chat use it most. Chosen so that both show as effects in an org of 200 customers.
LEAST_PROPENSITY = 0.1
PROPENSITY_SHAPE = (1.6, 0.6)
LIKING_SHAPE = (1.3, 1.6)
LIKING_POWER = 2
LEAST_LIKING = 1e-6  # who dislikes chat altogether uses it only where nobody else is left
TOO_LATE_FOR_CHAT = 1e-9  # and a chat in the period's last day is the very last resort

# Half of all cases are about defects, as far as there are items for it.
DEFECT_SHARE = 0.5

# Days from the order to an ordinary complaint: the shortest plus gamma(shape, scale), by the kind
# of the issue. Chosen by eye: what is wrong with a delivery or a bill is seen at once, with a
# product after weeks of use; goods take a week to arrive, and nothing is complained about after
# eleven months.
LAGS = {
    "product": (1.5, 38.0),
    "delivery": (2.6, 4.0),
    "service": (1.2, 30.0),
    "billing": (1.4, 9.0),
}
SHORTEST_LAG = {"product": 7, "delivery": 7, "service": 3, "billing": 2}
LONGEST_LAG = 340

# A defect shows a week after the order at the earliest, in items ordered up to 200 days before its
# spell begins (the likelier the more recent: by e every 70 days) and until eight days before the
# spell ends. Items ordered in the period's last ten days are not complained about at all, so that
# every kind of lag has room. Chosen by eye.
DAYS_TO_ARRIVE = 7
DEFECT_MEMORY = np.timedelta64(200, "D")
DEFECT_FADES = 70
DEFECT_ENDS_BEFORE = np.timedelta64(8, "D")
QUIET_END = np.timedelta64(10, "D")
LAST_CHAT = np.timedelta64(86400, "s")

# Cases are filed between half past six and half past ten in the evening.
FILED_FROM, FILED_UNTIL = 6.5, 22.5

PROPENSITY_AND_CASES = """
    SELECT
        h.propensity,
        (SELECT count(*) FROM "Case" c WHERE c.AccountId = h.Id) * 1.0
        / (
            SELECT count(*)
            FROM "Order" o
            JOIN OrderItem i ON i.OrderId = o.Id
            WHERE o.AccountId = h.Id
        )
    FROM latent."ComplaintHabit.customers" h
    WHERE EXISTS (SELECT 1 FROM "Order" o WHERE o.AccountId = h.Id)
"""
CHANNEL_AND_LIKING = """
    SELECT c.Origin = 'Chat', h.chat_liking
    FROM "Case" c
    JOIN latent."ComplaintHabit.customers" h ON h.Id = c.AccountId
"""


@dataclass(frozen=True, slots=True)
class Complaints:
    """Complaints to be: the item's row, the issue's row and the day of each."""

    item: Array
    issue: Array
    day: Array


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
        """Exactly as many cases and chats as asked for.

        Raises BadInput where there are too few ordered items, or more chats than cases.
        """
        wanted = org.setting.count("Case")
        chats = org.setting.count("LiveChatTranscript")
        if chats > wanted:
            raise BadInput(
                f"LiveChatTranscript={chats} of Case={wanted}: a case has one chat or one thread;"
                " ask for fewer chats"
            )
        customers = _customers(org)
        return customers, _cases(org, customers, wanted, chats)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Propensity against cases an item, liking against channel."""
        filed = org.execute(PROPENSITY_AND_CASES).fetchall()
        channel = org.execute(CHANNEL_AND_LIKING).fetchall()
        says = "customers who like to complain file more cases an item"
        chats_say = "cases by chat come from customers who like chat"
        return (
            correlation(self.name, says, filed),
            difference(self.name, chats_say, "liking", channel),
        )


def _customers(org: Org) -> Table:
    setting = org.setting
    rng = setting.stream("ComplaintHabit", "customers")
    size = setting.count("Account")
    propensity = rng.gamma(*PROPENSITY_SHAPE, size=size) + LEAST_PROPENSITY
    return table(
        "ComplaintHabit.customers",
        {"Id": "Account"},
        Id=np.arange(size),
        propensity=np.round(propensity, 3),
        tone=labels(rng, TONES, size),
        verbosity=labels(rng, VERBOSITIES, size),
        chat_liking=np.round(rng.beta(*LIKING_SHAPE, size=size), 3),
    )


def _cases(
    org: Org,
    customers: Table,
    wanted: int,
    chats: int,
) -> Table:
    rng = org.setting.stream("ComplaintHabit", "cases")
    items = org.table("ShoppingHabit.items")
    buyer = org.table("ShoppingHabit.orders")["account"][items["order"]]
    filed = _complaints(rng, org, customers["propensity"][buyer], wanted)
    created = clock(rng, filed.day, FILED_FROM, FILED_UNTIL)
    order = np.argsort(created, kind="stable")
    item, created = filed.item[order], created[order]
    account = buyer[item]
    own_tone = rng.random(wanted) < OWN_TONE
    any_tone = labels(rng, TONES, wanted)
    tone = np.where(own_tone, customers["tone"][account], any_tone)
    days = created.astype("datetime64[D]") - _ordered(org, items)[item]
    channel = _channels(rng, customers["chat_liking"][account], created, org.setting, chats)
    return table(
        "ComplaintHabit.cases",
        {"Id": "Case", "item": "OrderItem", "account": "Account", "issue": "Issue__c"},
        Id=np.arange(wanted),
        item=item,
        account=account,
        issue=filed.issue[order],
        created=created,
        days=days.astype(np.int64),
        channel=channel,
        tone=tone,
        verbosity=customers["verbosity"][account],
    )


def _complaints(
    rng: Stream,
    org: Org,
    weights: Array,
    wanted: int,
) -> Complaints:
    """Complaints about defects, then ordinary ones about other items; `weights` is one an item."""
    usable = _usable(org, org.table("ShoppingHabit.items"))
    if wanted > int(usable.sum()):
        raise BadInput(
            f"Case={wanted}, but only {int(usable.sum())} ordered items could be complained about;"
            " ask for fewer cases or more items"
        )
    weak = _defect_cases(rng, org, weights * usable, round(wanted * DEFECT_SHARE))
    usable[weak.item] = False
    plain = _plain_cases(rng, org, weights * usable, wanted - len(weak.item))
    return Complaints(
        np.concatenate([weak.item, plain.item]),
        np.concatenate([weak.issue, plain.issue]),
        np.concatenate([weak.day, plain.day]),
    )


def _usable(org: Org, items: Table) -> Array:
    """Items of activated orders, ordered at least ten days before the period's end."""
    status = org.table("ShoppingHabit.orders")["status"][items["order"]]
    in_time = _ordered(org, items) <= org.setting.last_day - QUIET_END
    return np.asarray((status == "Activated") & in_time)


def _ordered(org: Org, items: Table) -> Array:
    """The day on which each item was ordered."""
    return org.table("ShoppingHabit.orders")["day"][items["order"]]


def _defect_cases(
    rng: Stream,
    org: Org,
    weights: Array,
    wanted: int,
) -> Complaints:
    """Items of weak products, ordered before the defect's spell ends, each for one defect.

    As many as there are, `wanted` at most.
    """
    defects = org.table("ProductDefect.defects")
    items = org.table("ShoppingHabit.items")
    start, end = _spells(defects, org.setting.last_day)
    item, defect = struck(items["product"], defects["product"])
    ordered = _ordered(org, items)[item]
    fits = ordered < end[defect] - DEFECT_ENDS_BEFORE
    fits &= ordered > start[defect] - DEFECT_MEMORY
    days_before = np.maximum((start[defect] - ordered).astype(float), 0)
    recent = np.exp(-days_before / DEFECT_FADES)
    strength = defects["strength"][defect]
    pull = np.where(fits, weights[item] * strength * recent, 0.0)
    chosen = exactly(rng, pull, min(wanted, int((pull > 0).sum())))
    # An item that two defects of its product have chosen is complained about once.
    _, first_rows = np.unique(item[chosen], return_index=True)
    chosen = chosen[np.sort(first_rows)]
    item = item[chosen]
    defect = defect[chosen]
    ordered = ordered[chosen]
    first_day = np.maximum(ordered + np.timedelta64(DAYS_TO_ARRIVE, "D"), start[defect])
    span = np.maximum((end[defect] - first_day).astype(int), 1)
    day = first_day + (rng.random(len(item)) * span).astype("timedelta64[D]")
    return Complaints(item, defects["issue"][defect], np.minimum(day, org.setting.last_day))


def _spells(defects: Table, last_day: np.datetime64) -> tuple[Array, Array]:
    """The first day of each defect's spell, and the day after its last one, within the period."""
    first_month = defects["from_month"]
    next_month = first_month + defects["months"].astype("timedelta64[M]")
    end = np.minimum(next_month.astype("datetime64[D]"), last_day)
    return first_month.astype("datetime64[D]"), end


def struck(products: Array, weak: Array) -> tuple[Array, Array]:
    """Every pair of an item and a defect of its product, as rows of both.

    `products` is the product of each item, `weak` the product of each defect. An item whose
    product has two defects is in two pairs; both results are empty where no weak product was sold.

    >>> struck(np.array([7, 8, 7]), np.array([7]))
    (array([0, 2]), array([0, 0]))
    """
    none = np.zeros(0, dtype=np.int64)
    items = [none]
    defects = [none]
    for defect, product in enumerate(weak):
        rows = np.flatnonzero(products == product)
        items.append(rows)
        defects.append(np.full(len(rows), defect))
    return np.concatenate(items), np.concatenate(defects)


def _plain_cases(
    rng: Stream,
    org: Org,
    weights: Array,
    wanted: int,
) -> Complaints:
    """Ordinary complaints: any item, an issue by weight, a lag that fits the kind of issue."""
    issues = org.table("Solution.issues")
    items = org.table("ShoppingHabit.items")
    item = exactly(rng, weights, wanted)
    likely = issues["weight"].astype(float)
    issue = pick(rng, np.tile(likely, (wanted, 1)))
    kinds = [str(kind) for kind in issues["kind"]]
    shape = np.array([LAGS[kind][0] for kind in kinds])[issue]
    scale = np.array([LAGS[kind][1] for kind in kinds])[issue]
    shortest = np.array([SHORTEST_LAG[kind] for kind in kinds])[issue]
    drawn = np.round(shortest + rng.gamma(shape, scale))
    lag = np.clip(drawn, shortest, LONGEST_LAG)
    ordered = _ordered(org, items)[item]
    # A lag that would end behind the period is drawn anew from the days that are left.
    room = np.maximum((org.setting.last_day - ordered).astype(int), shortest)
    late = lag > room
    points = rng.random(int(late.sum()))
    spare = (room - shortest)[late]
    lag[late] = shortest[late] + np.floor(points * spare)
    day = ordered + np.minimum(lag, room).astype("timedelta64[D]")
    return Complaints(item, issue, day)


def _channels(
    rng: Stream,
    liking: Array,
    created: Array,
    setting: RunContext,
    chats: int,
) -> Array:
    """Chat for exactly so many cases, by liking; e-mail for the others.

    A chat always ends the same day, so it never begins in the period's last day or two if another
    case is left.
    """
    channel = np.full(len(liking), "email", dtype=object)
    early = created < setting.last_day.astype("datetime64[s]") - LAST_CHAT
    weights = np.where(early, liking**LIKING_POWER + LEAST_LIKING, TOO_LATE_FOR_CHAT)
    channel[exactly(rng, weights, chats)] = "chat"
    return channel
