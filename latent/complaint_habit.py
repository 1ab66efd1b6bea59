"""ComplaintHabit: who files cases, about what, how soon, by which channel and in what tone.

It draws `customers` (propensity, tone, verbosity, liking for chat) and `cases` (item, issue,
moment, channel, tone, the zone of the customer's clock, and the intent: a complaint or what else
the trade knows; item and issue of the others are shown nowhere).
It is drawn from ShoppingHabit (what was bought), ProductDefect (what is weak), Solution (the
issues), Workforce and ClosedDays (when the desk is open).
It drives the item, issue, moment and origin of each case, who has an e-mail thread and who a chat,
and the tone of the words.
It knows no agents and no outcomes.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.complaints import draw_complaints
from latent.contacts import Contacts
from latent.draws import SECONDS_AN_HOUR, exactly, labels, pick
from latent.local_time import to_local, to_utc
from latent.statistics import correlation, difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table
from schemas.errors import BadInput

# Shares of tones and of verbosities: most people stay civil and are brief. Chosen by eye.
TONES = {"calm": 0.3, "friendly": 0.24, "annoyed": 0.22, "worried": 0.13, "angry": 0.11}
VERBOSITIES = {"terse": 0.3, "medium": 0.45, "wordy": 0.25}

# What becomes of a tone where nothing went wrong: who waits for an answer that presses may be
# impatient or worried, whoever asks how something works is neither. Chosen by eye.
PRESSES = 0.4  # the urgency of a contact
IMPATIENT = {"angry": "annoyed"}
UNMOVED = {"angry": "calm", "annoyed": "calm", "worried": "calm"}

# A customer's tone in a case: their own in seven of ten, else one that a person of that temper may
# have on another day. Who is friendly is not furious the next time. Chosen by eye.
MOODS = {
    "friendly": {
        "friendly": 0.7,
        "calm": 0.24,
        "worried": 0.06,
    },
    "calm": {
        "calm": 0.7,
        "friendly": 0.1,
        "worried": 0.1,
        "annoyed": 0.1,
    },
    "worried": {
        "worried": 0.7,
        "calm": 0.15,
        "annoyed": 0.15,
    },
    "annoyed": {
        "annoyed": 0.7,
        "calm": 0.15,
        "angry": 0.15,
    },
    "angry": {
        "angry": 0.7,
        "annoyed": 0.3,
    },
}

# Propensity to complain is 0.25 + gamma(2, 0.4): everybody may, a few do more. Liking for chat
# is beta(1.3, 1.6): nearly flat, somewhat against. Its square weighs, which makes the few who like
# chat use it most. Chosen so that both show as effects in an org of 200 customers.
LEAST_PROPENSITY = 0.25
PROPENSITY_SHAPE = (0.6, 1.5)
LIKING_SHAPE = (1.3, 1.6)
LIKING_POWER = 2
LEAST_LIKING = 1e-6  # who dislikes chat altogether uses it only where nobody else is left
MOST_CLOSED_DAYS = 4  # one after another, as from Good Friday to Easter Monday
UNSUITED_TO_CHAT = 1e-9  # and a chat on a day without agents is the very last resort

# An item's weight falls with the number of items that its buyer has bought, to a half at so many:
# who knows the company's sizes, and its returns by heart, writes less. Chosen by eye.
EXPERIENCED = 100
LAST_CHAT = np.timedelta64(2, "D")
AT_ONCE = np.timedelta64(1, "s")
NOON = np.timedelta64(12, "h")

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


class ComplaintHabit:
    """Customers' ways of complaining, and the complaints."""

    name = "ComplaintHabit"
    reads: tuple[str, ...] = (
        "Household",
        "ShoppingHabit",
        "Assortment",
        "ProductDefect",
        "Solution",
        "Workforce",
        "ClosedDays",
    )
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
            "zone",
            "intent",
            "outage",
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
        # Who got no answer in a chat has no case of it.
        missed = round(chats * org.setting.world.trade.contact.missed)
        return customers, _cases(org, customers, wanted, chats - missed)

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


def _cases(org: Org, customers: Table, wanted: int, chats: int) -> Table:
    rng = org.setting.stream("ComplaintHabit", "cases")
    items = org.table("ShoppingHabit.items")
    orders = org.table("ShoppingHabit.orders")
    buyer = orders["account"][items["order"]]
    filed = draw_complaints(rng, org, _weights(org, customers, buyer), wanted)
    liking = customers["chat_liking"][buyer[filed.item]]
    suits = _suit_chats(org, filed)
    channel = _channels(rng, liking, suits, chats)
    zone = org.table("Household.customers")["zone"][buyer[filed.item]]
    ordered = orders["day"][items["order"]][filed.item]
    placed = orders["placed"][items["order"]][filed.item].astype("datetime64[s]")
    created = _moments(rng, org, filed.day, channel, zone, placed)
    order = np.argsort(created, kind="stable")
    item = filed.item[order]
    account = buyer[item]
    mood = {name: labels(rng, moods, wanted) for name, moods in MOODS.items()}
    days = created[order].astype("datetime64[D]") - ordered[order]
    return table(
        "ComplaintHabit.cases",
        {"Id": "Case", "item": "OrderItem", "account": "Account", "issue": "Issue__c"},
        Id=np.arange(wanted),
        item=item,
        account=account,
        issue=filed.issue[order],
        created=created[order],
        days=days.astype(np.int64),
        channel=channel[order],
        tone=_civil(org, _tones(mood, customers["tone"][account]), filed.intent[order]),
        verbosity=customers["verbosity"][account],
        zone=zone[order],
        intent=filed.intent[order],
        outage=filed.outage[order],
    )


def _tones(moods: Mapping[str, Array], own: Array) -> Array:
    """The tone of each case: the mood that was drawn for a customer of that temper."""
    tone = own.copy()
    for name, drawn in moods.items():
        tone = np.where(own == name, drawn, tone)
    return tone


def _civil(org: Org, tones: Array, intents: Array) -> Array:
    """The tones, as far as a contact gives reason for them: nobody is angry who only asks."""
    civil = tones.copy()
    for intent, enquiry in org.setting.world.trade.contact.enquiries.items():
        milder = dict.fromkeys(tones, "friendly")
        if enquiry.asks:
            milder = IMPATIENT if enquiry.urgency >= PRESSES else UNMOVED
        for tone, other in milder.items():
            civil[(intents == intent) & (tones == tone)] = other
    return civil


def _weights(org: Org, customers: Table, buyer: Array) -> Array:
    """How likely each item is complained about: by its buyer's propensity and experience."""
    bought = np.bincount(buyer, minlength=customers.size)
    known = 1 + bought[buyer] / EXPERIENCED
    return np.asarray(customers["propensity"][buyer] * _contacts(org)[buyer] / known)


def _contacts(org: Org) -> Array:
    """How often customers of each one's segment write, against others."""
    often = {each.name: each.contacts for each in org.setting.world.trade.buying.segments}
    segment = org.table("ShoppingHabit.customers")["segment"]
    return np.array([often[str(name)] for name in segment])


def _suit_chats(org: Org, filed: Contacts) -> Array:
    """Which contacts may come by chat.

    A chat always ends the same day, so it never begins in the period's last days; and no agent sits
    there on a day on which the desk is closed. A stranger's mail goes to everybody at once.
    """
    setting = org.setting
    closed = org.table("ClosedDays.days")["day"]
    days = filed.day.astype("datetime64[D]")
    suits = (days < setting.last_day - LAST_CHAT) & ~np.isin(days, closed)
    enquiries = setting.world.trade.contact.enquiries
    strange = [name for name, enquiry in enquiries.items() if enquiry.stranger]
    return np.asarray(suits & ~np.isin(filed.intent.astype(str), strange))


def _channels(
    rng: Stream,
    liking: Array,
    suits: Array,
    chats: int,
) -> Array:
    """Chat for exactly so many cases, by liking; e-mail for the others.

    What doesn't suit a chat is one only where no other case is left.
    """
    channel = np.full(len(liking), "email", dtype=object)
    weights = np.where(suits, liking**LIKING_POWER + LEAST_LIKING, UNSUITED_TO_CHAT)
    channel[exactly(rng, weights, chats)] = "chat"
    return channel


def _moments(
    rng: Stream,
    org: Org,
    days: Array,
    channel: Array,
    zone: Array,
    placed: Array,
) -> Array:
    """The moment of each case in UTC: an hour of the customer's own day, chats while they are open.

    The day in UTC lies within the period, and nobody writes before they have placed the order.
    """
    any_hour = np.array(org.setting.world.trade.contact.hours)
    weights = np.tile(any_hour, (len(days), 1))
    chats = channel == "chat"
    weights[chats] = _chat_hours(org, days[chats], zone[chats])
    seconds = (pick(rng, weights) + rng.random(len(days))) * SECONDS_AN_HOUR
    midnight = days.astype("datetime64[D]").astype("datetime64[s]")
    created = to_utc(midnight + seconds.astype("timedelta64[s]"), zone)
    day = np.timedelta64(1, "D")
    late = created.astype("datetime64[D]") > org.setting.last_day
    created = np.where(late, created - day, created)
    created = np.where(created <= placed, created + day, created)
    created = _not_on_closed_days(org, created, chats, zone)
    # On the last day there is no next one: who orders then and writes does so at once.
    late = created.astype("datetime64[D]") > org.setting.last_day
    return np.where(late, np.maximum(created - day, placed + AT_ONCE), created)


def _not_on_closed_days(
    org: Org,
    created: Array,
    chats: Array,
    zone: Array,
) -> Array:
    """The moments, those of chats moved on while their day is one on which nobody sits there."""
    closed = org.table("ClosedDays.days")["day"].astype("datetime64[D]")
    moved = created.copy()
    for _ in range(MOST_CLOSED_DAYS):
        day = to_local(moved, zone).astype("datetime64[D]")
        wait = chats & np.isin(day, closed)
        moved[wait] += np.timedelta64(1, "D")
    return moved


def _chat_hours(org: Org, days: Array, zone: Array) -> Array:
    """How likely a chat begins in each hour of its customer's day (days × hours).

    Only in hours in which the desk is open by its own clock, whatever the customer's shows, and
    that the trade offers; where there is none, in those of the trade.
    """
    trade = org.setting.world.trade
    opening, closing = trade.contact.chat_hours
    likely = np.array(trade.contact.hours)
    hours = np.arange(len(likely))
    offered = np.where((hours >= opening) & (hours < closing), likely, 0.0)
    noon = days.astype("datetime64[D]").astype("datetime64[s]") + NOON
    desk = np.repeat(org.table("Workforce.hours")["zone"], len(days))
    ahead = (to_local(to_utc(noon, zone), desk) - noon).astype(float) / SECONDS_AN_HOUR
    shown = hours + ahead[:, None]
    first = min(shift.start for shift in trade.staff.shifts)
    last = max(shift.end for shift in trade.staff.shifts)
    is_open = (shown >= first) & (shown + 1 <= last)
    found = np.where(is_open, offered, 0.0)
    some = np.asarray(found.any(axis=1))
    return np.where(some[:, None], found, offered)
