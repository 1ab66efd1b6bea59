"""ReturnHabit: what is sent back, with a case and without one.

It draws `customers` (how readily each sends things back), `returns` (order, account, case or NONE,
moment, reason, status, number, who entered it), `lines` (return, item, quantity, amount refunded),
`cases` (the number of the return that each case opened) and `orders` (which were called off at
once, and when).
It is drawn from ShoppingHabit (what was bought), Solution (which remedies want the thing back),
PolicyViolation and CaseStory (what was granted when) and ClosedDays (when nothing is received).
It drives return orders and their lines, cancelled orders, and the numbers that agents tell.
Where nothing can be sent back (`trade.contact.returned` is 0) only remedies bring returns.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latent.assortment import stated_categories
from latent.cancelling import cancelled_orders
from latent.case_hands import in_hand
from latent.complaints import shipped_orders
from latent.draws import clock, exactly, pick
from latent.sellers import sellers
from latent.settlement import has_faulty
from latent.statistics import correlation, shares
from latent.variable import Effect
from pipeline.world.numbers import numbered
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table

# How readily a customer sends things back is 0.15 + gamma(0.5, 1.8): a few order to try on at home,
# most keep what they buy. What was bought in a shop was tried there, and how badly an order fits is
# gamma(0.35) in shape. Chosen by eye.
LEAST_READINESS = 0.15
READINESS_SHAPE = (0.5, 1.8)
IN_PERSON = 0.25
MISFIT_SHAPE = 0.35

# What was dear is looked at twice: twice the price comes back a seventh more often. By eye.
PRICE_POWER = 0.2
CHEAPEST = 0.01

# Days until something is sent back without a case: what doesn't fit is known within a week or two,
# and the usual window is thirty days. After a case the return is opened at once, and the parcel
# goes within one and a half weeks.
DAYS_BACK = (3, 30)
DAYS_SHAPE = (1.4, 6.0)
DAYS_AFTER_CASE = (1, 11)
BACK_FROM = 13
BACK_UNTIL = 24

# What was bought in a shop mostly goes back to one: it is taken in while the customer stands there,
# in hours of UTC in which shops from coast to coast are open. The others pack a parcel. By eye.
AT_COUNTER = 0.8
COUNTER_FROM, COUNTER_UNTIL = 17, 24

# Other returns without a case are announced at home, in hours of UTC: from breakfast in the East
# until people in the West go to bed, most of them in the evening.
AT_HOME_FROM, AT_HOME_UNTIL = 12.0, 30.0
AT_HOME_SHAPE = (2.2, 1.6)

# A return is on its way for 3 + gamma(2.5, 2) days, in the mean a week and a day; some lie at a
# depot. The warehouse takes in parcels on its days of work, then the return is closed. One
# in thirty is called off. Chosen by eye.
LEAST_UNDER_WAY, UNDER_WAY_SHAPE, MOST_UNDER_WAY = 3, (2.5, 2.0), 24
RECEIVED_FROM = 14
RECEIVED_UNTIL = 23
SUNDAY = 6
DAYS_CLOSED = 6  # at most, one after another: a weekend between holidays
THURSDAY = 3
"""The day of the week of 1970-01-01, from which numpy counts days; Monday is 0."""
CANCELED = 0.03
# Whoever has ordered several pieces of a kind wanted to choose, and only a parcel comes too late.
TO_CHOOSE, TOO_LATE = "Ordered several to choose from", "Arrived too late"
REASONS = {
    "Wrong size": 0.42,
    "Not as expected": 0.2,
    "Changed mind": 0.16,
    TO_CHOOSE: 0.5,
    TOO_LATE: 0.08,
}
WITH_CASE = "Complaint"

KEEPS_RETURNS = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ReturnOrder'"
ANY_RETURNS = "SELECT count(*) FROM ReturnOrder"
READINESS_AND_RETURNS = """
    SELECT
        r.readiness,
        (
            SELECT count(*)
            FROM ReturnOrder o
            WHERE o.AccountId = r.Id AND o.CaseId IS NULL
        ) * 1.0 / (SELECT count(*) FROM "Order" b WHERE b.AccountId = r.Id)
    FROM latent."ReturnHabit.customers" r
    WHERE EXISTS (SELECT 1 FROM "Order" b WHERE b.AccountId = r.Id)
"""
GRANTED_AND_RETURNED = """
    SELECT
        s.ending = 'declined',
        EXISTS (SELECT 1 FROM ReturnOrder o WHERE o.CaseId = s.Id)
    FROM latent."CaseStory.cases" s
    WHERE s.is_closed
"""


@dataclass(frozen=True, slots=True)
class SentBack:
    """Items that are sent back: their rows, the case or NONE, the moment, and what is refunded.

    `wait` is how long after that moment the parcel is handed in; what comes to a counter is taken
    in at that moment.
    """

    item: Array
    case: Array
    moment: Array
    refund: Array
    wait: Array
    at_counter: Array


class ReturnHabit:
    """Things that come back."""

    name = "ReturnHabit"
    reads: tuple[str, ...] = (
        "ShoppingHabit",
        "Solution",
        "PolicyViolation",
        "CaseStory",
        "ClosedDays",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": ("Id", "readiness"),
        "returns": (
            "order",
            "account",
            "case",
            "at",
            "reason",
            "status",
            "received",
            "total",
            "number",
            "creator",
        ),
        "lines": ("return", "item", "quantity", "amount"),
        "cases": ("Id", "number"),
        "orders": ("Id", "cancelled", "touched"),
    }
    drives = (
        "ReturnOrder",
        "ReturnOrderLineItem",
        "Order.CancelledDate__c",
        "Order.LastModifiedDate",
        "EmailMessage.TextBody",
        "LiveChatTranscript.Body",
    )
    references: Mapping[str, str] = {"case": "Case", "order": "Order"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The trade's share of the sold lines, and what remedies want back."""
        rng = org.setting.stream("ReturnHabit", "customers")
        size = org.table("ShoppingHabit.customers").size
        readiness = LEAST_READINESS + rng.gamma(*READINESS_SHAPE, size=size)
        sent = _joined(_after_cases(org), _without_case(org, readiness))
        returns, lines = _tables(org, sent)
        people = table(
            "ReturnHabit.customers",
            {"Id": "Account"},
            Id=np.arange(size),
            readiness=np.round(readiness, 3),
        )
        called_off = cancelled_orders(org, returns)
        return people, returns, lines, _of_cases(org, returns), called_off

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Readiness against returns an order, refusals against returns; none where none exist.

        What is no parcel can't be sent back: the CRM of a bank knows no returns.
        """
        if not org.execute(KEEPS_RETURNS).fetchone()[0]:
            return ()
        if not org.execute(ANY_RETURNS).fetchone()[0]:
            return ()
        readiness = org.execute(READINESS_AND_RETURNS).fetchall()
        granted = org.execute(GRANTED_AND_RETURNED).fetchall()
        return (
            correlation(self.name, "who sends back readily has more returns an order", readiness),
            shares(self.name, "nothing comes back where all is refused", granted, -1),
        )


def _after_cases(org: Org) -> SentBack:
    """What granted remedies want back, a few days after the case is closed."""
    rng = org.setting.stream("ReturnHabit", "cases")
    cases = org.table("CaseStory.cases")
    options = org.table("Solution.options")
    wanted = options["key"][options["sent_back"]].astype(str)
    granted = cases["granted"].astype(str)
    comes_back = has_faulty(org, cases) & np.isin(granted, wanted) & cases["is_closed"]
    case = np.flatnonzero(comes_back)
    days = rng.integers(*DAYS_AFTER_CASE, size=len(case)).astype("timedelta64[D]")
    opened = cases["settled"][case]
    handed_in = _moments(rng, opened.astype("datetime64[D]") + days)
    item = cases["item"][case]
    refunds = options["key"][options["refunded"]].astype(str)
    paid_back = np.isin(granted[case], refunds)
    amounts = org.table("ShoppingHabit.items")["amount"]
    amount = np.where(paid_back, amounts[item], 0.0)
    posted = np.zeros(len(item), dtype=bool)
    return _in_time(
        org,
        SentBack(
            item,
            case,
            opened,
            amount,
            handed_in - opened,
            posted,
        ),
    )


def _without_case(org: Org, readiness: Array) -> SentBack:
    rng = org.setting.stream("ReturnHabit", "lines")
    items = org.table("ShoppingHabit.items")
    orders = org.table("ShoppingHabit.orders")
    order = items["order"]
    shipped = shipped_orders(org)[order]
    buyer = orders["account"][order]
    by_channel = np.where(shipped, 1.0, IN_PERSON)
    delivered = orders["status"][order] == "Activated"
    # An order fits or it doesn't: what goes back is much of few orders, and nothing of most.
    misfit = rng.gamma(MISFIT_SHAPE, 1 / MISFIT_SHAPE, size=orders.size)
    weight = readiness[buyer] * by_channel * delivered * misfit[order] * _of_its_kind(org)
    cases = org.table("CaseStory.cases")
    named = cases["item"] != NONE
    complained_of = cases["item"][named]
    weight[complained_of] = 0.0
    wanted = round(items.size * org.setting.world.trade.contact.returned)
    item = exactly(rng, weight, min(wanted, int((weight > 0).sum())))
    # What was bought together goes back together: one day for all lines of an order.
    fewest, most = DAYS_BACK
    days = np.minimum(fewest + rng.gamma(*DAYS_SHAPE, size=orders.size), most)
    late = rng.beta(*AT_HOME_SHAPE, size=orders.size)
    hours = AT_HOME_FROM + (AT_HOME_UNTIL - AT_HOME_FROM) * late
    seconds = hours * 3600
    day = orders["day"] + np.floor(days).astype("timedelta64[D]")
    announced = day.astype("datetime64[s]") + seconds.astype("timedelta64[s]")
    carried, brought = _brought(org, day)
    moment = np.where(carried, brought, announced)[order[item]]
    none = np.full(len(item), NONE)
    at_once = np.zeros(len(item), dtype="timedelta64[s]")
    at_counter = carried[order[item]]
    return _in_time(
        org,
        SentBack(
            item,
            none,
            moment,
            items["amount"][item],
            at_once,
            at_counter,
        ),
    )


def _brought(org: Org, day: Array) -> tuple[Array, Array]:
    """Whether what comes back of each order is brought to a shop, and when on the next open day."""
    rng = org.setting.stream("ReturnHabit", "counters")
    in_person = ~shipped_orders(org)
    carried = in_person & (rng.random(len(day)) < AT_COUNTER)
    holidays = org.table("ClosedDays.days")["day"]
    for _ in range(DAYS_CLOSED):
        day = day + np.isin(day, holidays).astype("timedelta64[D]")
    return carried, clock(rng, day, COUNTER_FROM, COUNTER_UNTIL)


def _of_its_kind(org: Org) -> Array:
    """How much more often each line comes back for what it is and costs."""
    items = org.table("ShoppingHabit.items")
    category = org.table("Assortment.products")["category"][items["product"]]
    stated = stated_categories(org.setting)
    factor = np.array([kind.returned for kind in stated])[category]
    if not items.size:
        return factor
    usual = float(np.median(items["price"]))
    dearer = items["price"] / max(usual, CHEAPEST)
    return np.asarray(factor * dearer**PRICE_POWER)


def _reasons(
    rng: Stream,
    org: Org,
    order: Array,
) -> Array:
    """Why each order's things come back, as far as the order lets that be."""
    items = org.table("ShoppingHabit.items")
    category = org.table("Assortment.products")["category"][items["product"]]
    of_a_kind = np.stack([items["order"], category], axis=1)
    kinds, number = np.unique(of_a_kind, axis=0, return_counts=True)
    most = np.zeros(org.table("ShoppingHabit.orders").size, dtype=np.int64)
    np.maximum.at(most, kinds[:, 0], number)
    names = list(REASONS)
    usual = np.array(list(REASONS.values()))
    weights = np.tile(usual, (len(order), 1))
    weights[:, names.index(TO_CHOOSE)] *= most[order] > 1
    weights[:, names.index(TOO_LATE)] *= shipped_orders(org)[order]
    return strings(names)[pick(rng, weights)]


def _moments(rng: Stream, days: Array) -> Array:
    """A moment on each day, in the hours in which parcels are handed in."""
    hours = BACK_FROM + (BACK_UNTIL - BACK_FROM) * rng.random(len(days))
    seconds = hours * 3600 - 1
    midnights = days.astype("datetime64[s]")
    return np.asarray(midnights + seconds.astype("timedelta64[s]"))


def _in_time(org: Org, sent: SentBack) -> SentBack:
    """What is sent back within the period."""
    kept = sent.moment.astype("datetime64[D]") <= org.setting.last_day
    return SentBack(
        sent.item[kept],
        sent.case[kept],
        sent.moment[kept],
        sent.refund[kept],
        sent.wait[kept],
        sent.at_counter[kept],
    )


def _joined(first: SentBack, second: SentBack) -> SentBack:
    moment = np.concatenate([first.moment, second.moment])
    item = np.concatenate([first.item, second.item])
    by_time = np.lexsort((item, moment))
    return SentBack(
        item=item[by_time],
        case=np.concatenate([first.case, second.case])[by_time],
        moment=moment[by_time],
        refund=np.concatenate([first.refund, second.refund])[by_time],
        wait=np.concatenate([first.wait, second.wait])[by_time],
        at_counter=np.concatenate([first.at_counter, second.at_counter])[by_time],
    )


def _tables(org: Org, sent: SentBack) -> tuple[Table, Table]:
    """A return for each order and moment, or each case, and a line for each item."""
    rng = org.setting.stream("ReturnHabit", "returns")
    items = org.table("ShoppingHabit.items")
    orders = org.table("ShoppingHabit.orders")
    order = items["order"][sent.item]
    # Items stand in time; those of one order and moment are neighbours or share their order's row.
    key = np.where(sent.case == NONE, order, orders.size + sent.case)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    by_time = np.argsort(first, kind="stable")
    place = np.argsort(by_time, kind="stable")[number]
    first = first[by_time]
    size = len(first)
    case = sent.case[first]
    moment = sent.moment[first]
    reason = _reasons(rng, org, order[first])
    at_counter = sent.at_counter[first]
    posted = _received(rng, org, moment + sent.wait[first])
    over = np.where(at_counter, moment, posted)
    closed = over.astype("datetime64[D]") <= org.setting.last_day
    canceled = (rng.random(size) < CANCELED) & (case == NONE) & ~at_counter
    status = np.select([canceled, closed], ["Canceled", "Closed"], "Submitted")
    received = np.where(closed & ~canceled, over, np.datetime64("NaT", "s"))
    returns = table(
        "ReturnHabit.returns",
        {"order": "Order", "account": "Account", "case": "Case", "creator": "User"},
        order=order[first],
        account=orders["account"][order[first]],
        case=case,
        at=moment,
        reason=np.where(case == NONE, reason, WITH_CASE).astype(object),
        status=status.astype(object),
        received=received,
        # As the sequence of the schema numbers them, so that the CRM can number on.
        number=strings(numbered(org.setting, "ReturnOrder", "ReturnOrderNumber", size)),
        creator=_entered_by(org, order[first], case, moment, at_counter),
        total=np.round(np.bincount(place, weights=sent.refund, minlength=size), 2),
    )
    lines = table(
        "ReturnHabit.lines",
        {"item": "OrderItem"},
        **{"return": place},
        item=sent.item,
        quantity=items["quantity"][sent.item],
        amount=np.round(sent.refund, 2),
    )
    return returns, lines


def _entered_by(
    org: Org,
    order: Array,
    case: Array,
    moment: Array,
    at_counter: Array,
) -> Array:
    """The user who entered each return.

    In a case that is whoever has it, at a counter somebody of that shop; else a program, for the
    customer announces it on the website.
    """
    rng = org.setting.stream("ReturnHabit", "creators")
    orders = org.table("ShoppingHabit.orders")
    site = np.where(at_counter, orders["site"][order], NONE)
    nobody = strings([""] * len(order))
    creator = sellers(rng, org, nobody, moment.astype("datetime64[D]"), site)
    of_case = np.flatnonzero(case != NONE)
    creator[of_case], _ = in_hand(org, case[of_case], moment[of_case])
    return creator


def _received(rng: Stream, org: Org, sent: Array) -> Array:
    """The moment at which the warehouse takes in what was sent at these moments."""
    days = LEAST_UNDER_WAY + rng.gamma(*UNDER_WAY_SHAPE, size=len(sent))
    bounded = np.minimum(days, MOST_UNDER_WAY)
    whole = np.floor(bounded).astype("timedelta64[D]")
    day = sent.astype("datetime64[D]") + whole
    holidays = org.table("ClosedDays.days")["day"]
    for _ in range(DAYS_CLOSED):
        weekday = (day.astype(np.int64) + THURSDAY) % 7
        closed = (weekday == SUNDAY) | np.isin(day, holidays)
        day = day + closed.astype("timedelta64[D]")
    return clock(rng, day, RECEIVED_FROM, RECEIVED_UNTIL)


def _of_cases(org: Org, returns: Table) -> Table:
    """`ReturnHabit.cases`: the number of the return that each case opened, "" where it did not."""
    numbers = strings([""] * org.table("CaseStory.cases").size)
    own = returns["case"] != NONE
    numbers[returns["case"][own]] = returns["number"][own]
    return table(
        "ReturnHabit.cases",
        {"Id": "Case"},
        Id=np.arange(len(numbers)),
        number=numbers,
    )
