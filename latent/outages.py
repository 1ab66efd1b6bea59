"""Outages: a day on which something fails for many customers at once, who all write about it.

A part of ComplaintHabit. The trade says which share of the complaints they are and how many write
of each; the world says which issues such a day can have. Knows no agents and no channels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from latent.contacts import COMPLAINT, Contacts, Sales, joined, of_intent
from latent.draws import exactly_within, pick
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array

# Of those who write, six in ten do so on the day itself, the others within the next three. By eye.
DAYS_AFTER = (0.6, 0.25, 0.1, 0.05)

# Who has had something for long has lived through worse, and writes less often: by e every so many
# days. By eye.
USED_TO_IT = 150

# Nothing strikes before there are customers, nor so late that nobody could be answered any more.
FIRST_DAYS = 120
LAST_DAYS = 14


@dataclass(frozen=True, slots=True)
class Outage:
    """What fails on which day, and how many write about it; `issue` is a row of the issues."""

    issue: int
    day: np.datetime64
    size: int


def outage_complaints(org: Org, sales: Sales, most: int) -> Contacts:
    """The complaints of all outages, at most the trade's share of `most`.

    There are none where the world has no issue that strikes many at once.
    """
    rng = org.setting.stream("ComplaintHabit", "outages")
    share = org.setting.world.trade.contact.outages.share
    free = sales.usable.copy()
    room = sales.room.copy()
    nobody = np.zeros(0, dtype=np.int64)
    parts = [of_intent(nobody, nobody, nobody.astype("datetime64[D]"), COMPLAINT)]
    for number, outage in enumerate(outages_of(rng, org, round(most * share))):
        item = _struck(rng, org, sales, free, room, outage)
        free[item] = False
        np.subtract.at(room, sales.buyer[item], 1)
        waited = pick(rng, np.tile(DAYS_AFTER, (len(item), 1)))
        made = of_intent(
            item,
            np.full(len(item), outage.issue),
            outage.day + waited.astype("timedelta64[D]"),
            COMPLAINT,
        )
        parts.append(replace(made, outage=np.full(len(item), number)))
    return joined(parts)


def outages_of(rng: Stream, org: Org, total: int) -> Iterator[Outage]:
    """Outages with `total` complaints at most: many with few, and few with many."""
    issues = org.table("Solution.issues")
    may_strike = np.flatnonzero(issues["outage"])
    if not len(may_strike):
        return
    fewest, most = org.setting.world.trade.contact.outages.cases
    weights = issues["weight"][may_strike].astype(float)
    length = int((org.setting.last_day - org.setting.first_day).astype(int))
    first = min(FIRST_DAYS, length // 2)
    last = max(length - LAST_DAYS, first + 1)
    while total >= fewest:
        issue = int(may_strike[pick(rng, weights[None, :])[0]])
        day = org.setting.first_day + int(rng.integers(first, last))
        size = min(int(fewest * (most / fewest) ** rng.random()), total)
        yield Outage(issue, day, size)
        total -= size


def _struck(
    rng: Stream,
    org: Org,
    sales: Sales,
    free: Array,
    room: Array,
    outage: Outage,
) -> Array:
    """Items of one category that an outage strikes, each of another customer.

    Fewer than its size where not so many had such an item by that day.
    """
    category = org.table("Assortment.products")["category"][sales.product]
    fits = free & sales.can_have[:, outage.issue] & (sales.arrived < outage.day)
    if not fits.any():
        return np.zeros(0, dtype=np.int64)
    reach = np.bincount(category[fits]).astype(float)
    fits &= category == pick(rng, reach[None, :])[0]
    buyers = len(np.unique(sales.buyer[fits]))
    held = (outage.day - sales.ordered).astype(float)
    weights = np.where(fits, sales.weight * np.exp(-np.maximum(held, 0) / USED_TO_IT), 0.0)
    once = np.minimum(room, 1)
    return exactly_within(rng, weights, min(outage.size, buyers), sales.buyer, once)
