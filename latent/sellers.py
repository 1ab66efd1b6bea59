"""Who enters an order: the people of a shop, those who take calls, or the systems behind a website.

A part of ShoppingHabit. Knows who works where and when, and nothing of what is sold.
"""

import numpy as np

from latent.draws import pick
from latent.workers import MEMBER
from latent.workforce import integration_user
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table

# Orders and users both grow with the company; so many pairs at once take two megabytes.
PAIRS_AT_ONCE = 250_000


def sellers(
    rng: Stream,
    org: Org,
    channel: Array,
    days: Array,
    site: Array,
) -> Array:
    """The user who entered each order; `site` is the row of the shop where it was placed, or NONE.

    Whoever enters an order was there before its day and has not left by then. Where nobody was,
    the systems did it.
    """
    trade = org.setting.world.trade
    shops = [department.name for department in trade.staff.departments if department.in_shops]
    people = org.table("Workforce.people")
    sites = org.table("Workforce.sites")
    department = people["department"].astype(str)
    in_shops = np.isin(department, shops) & (people["kind"] == MEMBER)
    found = np.full(len(days), integration_user(org))
    for row in np.unique(site[site != NONE]):
        here = (people["city"] == sites["city"][row]) & (people["state"] == sites["state"][row])
        _enter(rng, people, found, days, np.flatnonzero(site == row), in_shops & here)
    for listed in trade.channels:
        rows = np.flatnonzero((channel == listed.name) & (site == NONE))
        if listed.entered_by:
            _enter(rng, people, found, days, rows, department == listed.entered_by)
    return found


def _enter(
    rng: Stream,
    people: Table,
    found: Array,
    days: Array,
    orders: Array,
    may: Array,
) -> None:
    """Puts one of the users who may and who are there on the day into each of the orders' rows."""
    users = np.flatnonzero(may)
    if not len(users) or not len(orders):
        return
    left = people["left"][users]
    at_once = max(PAIRS_AT_ONCE // len(users), 1)
    for start in range(0, len(orders), at_once):
        rows = orders[start : start + at_once]
        day = days[rows][:, None]
        there = (people["joined"][users] < day) & (np.isnat(left) | (left >= day))
        served = there.any(axis=1)
        chosen = users[pick(rng, there.astype(float))]
        found[rows[served]] = chosen[served]
