"""The orders of all customers: whose, and on which day.

A part of ShoppingHabit, which says how customers are. Knows no products.
"""

import numpy as np

from latent.draws import split
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, table

# How much more (or less) than usual a customer orders in each month, January first. Chosen by eye:
# each rhythm has one season, in which a month is worth about six of its quietest.
RHYTHMS: dict[str, tuple[float, ...]] = {
    "holiday_shopper": (0.5, 0.4, 0.5, 0.5, 0.6, 0.5, 0.5, 0.6, 0.6, 0.9, 3.2, 4.0),
    "spring_renewer": (0.6, 1.1, 2.8, 3.2, 2.2, 0.8, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7),
    "summer_spender": (0.4, 0.4, 0.6, 0.9, 2.0, 3.2, 3.2, 2.0, 0.7, 0.5, 0.5, 0.6),
    "autumn_restocker": (0.5, 0.5, 0.6, 0.6, 0.6, 0.7, 1.0, 2.2, 3.2, 2.6, 0.9, 0.6),
    "steady_buyer": (1.0,) * 12,
}

# Monday to Sunday: people order most before and at the weekend. Chosen by eye.
WEEKDAYS = (0.9, 0.9, 0.95, 1.0, 1.15, 1.25, 1.0)
THURSDAY = 3  # the weekday of 1970-01-01, from which numpy counts days

# Orders are shared out by rate × days left, and a few days more: who came on the last day may yet
# order. A third of the last ten days' orders are drafts still.
DAYS_MORE = 20
DRAFT_DAYS = np.timedelta64(10, "D")
DRAFTS = 0.35

# An order has at most a dozen lines, more of them the larger the customer's basket is, and more
# than in proportion. Chosen by eye.
MOST_LINES = 12
BASKET_POWER = 1.6


def draw_orders(org: Org, customers: Table, wanted: int) -> Table:
    """`ShoppingHabit.orders`, `wanted` of them, by day and customer; books come with the items."""
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "orders")
    since = customers["since"].astype("datetime64[D]")
    left = (setting.last_day - since).astype(float) + DAYS_MORE
    # Everybody orders at least once where there are enough orders for that.
    least = 1 if wanted >= customers.size else 0
    number = split(rng, customers["yearly"] * left, wanted, low=least)
    account = np.repeat(np.arange(customers.size), number)
    days = _days(rng, org, customers, account)
    order = np.lexsort((account, days))
    account, days = account[order], days[order]
    recent = days > setting.last_day - DRAFT_DAYS
    draft = recent & (rng.random(wanted) < DRAFTS)
    lines = _lines(rng, org, customers["basket"][account])
    return table(
        "ShoppingHabit.orders",
        {"Id": "Order", "account": "Account"},
        Id=np.arange(wanted),
        account=account,
        day=days,
        status=np.where(draft, "Draft", "Activated").astype(object),
        lines=lines,
    )


def _lines(rng: Stream, org: Org, baskets: Array) -> Array:
    """How many items each order has; exactly as many in all as were asked for."""
    most = min(MOST_LINES, org.setting.some("Product2"))
    wanted = org.setting.count("OrderItem")
    return split(rng, baskets**BASKET_POWER, wanted, low=1, high=most)


def _days(
    rng: Stream,
    org: Org,
    customers: Table,
    account: Array,
) -> Array:
    """A day for each order, from the customer's first day on.

    Its chance is the customer's rhythm × promotions × a weekly beat.
    """
    setting = org.setting
    calendar = np.arange(setting.first_day, setting.last_day + 1)
    months = calendar.astype("datetime64[M]").astype(int) % 12
    weekday = (calendar.astype(int) + THURSDAY) % 7
    common = org.table("Season.days")["lift"] * np.array(WEEKDAYS)[weekday]
    since = customers["since"].astype("datetime64[D]")
    first_days = (since - setting.first_day).astype(int)
    days = np.empty(len(account), dtype="datetime64[D]")
    for name, factors in RHYTHMS.items():
        # A point drawn between the sums of all chances before and after a day falls on that day.
        chances = np.array(factors)[months] * common
        bounds = np.concatenate([[0.0], np.cumsum(chances)])
        rows = np.flatnonzero(customers["rhythm"][account] == name)
        start = bounds[first_days[account[rows]]]
        room = bounds[-1] - start
        points = start + rng.random(len(rows)) * room
        place = np.searchsorted(bounds, points, side="right") - 1
        place = np.clip(place, 0, len(calendar) - 1)
        days[rows] = calendar[place]
    return days
