"""When changes of contracts are recorded: at a desk, by night in a run, or as a contract is made.

A part of Subscription. Takes changes day by day; knows no seats and no values.
"""

import numpy as np

from latent.subscription_draws import CANCELLED, RENEWED, START
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table

# Hours of UTC. Renewals come in one run before the day begins in America and ends in another one
# when it is over; what customers change they change by day or in the evening.
BY_DAY = (14.0, 27.0)
RENEWALS = (6.0, 6.5)
ENDS = (23.5, 23.9)
SECONDS_AN_HOUR = 3600
SWITCHED_ON = (60, 900)  # seconds after a contract has been entered, on the day it was
SECOND = np.timedelta64(1, "s")


def with_moments(
    org: Org,
    contracts: Table,
    changes: Table,
) -> tuple[Table, Table]:
    """The contracts with the moment of their last change, and the changes as they are recorded."""
    rng = org.setting.stream("Subscription", "moments")
    kind = changes["kind"].astype(str)
    day = changes["day"].astype("datetime64[D]")
    spans = [kind == RENEWED, kind == CANCELLED, kind == START]
    low = np.select(spans, [RENEWALS[0], ENDS[0], RENEWALS[0]], BY_DAY[0])
    high = np.select(spans, [RENEWALS[1], ENDS[1], RENEWALS[1]], BY_DAY[1])
    seconds = rng.uniform(low, high) * SECONDS_AN_HOUR
    midnight = day.astype("datetime64[s]")
    wished = midnight + seconds.astype("timedelta64[s]")
    item = contracts["item"][changes["contract"]]
    waited = rng.integers(*SWITCHED_ON, size=len(day))
    placed = placed_when(org, item)
    entered = placed + waited.astype("timedelta64[s]")
    over = (org.setting.last_day + 1).astype("datetime64[s]")
    behind = np.maximum(wished, entered)
    moment = np.minimum(behind, over - SECOND)
    touched = _touched(contracts, changes["contract"], moment)
    return touched, _by_moment(changes, moment)


def placed_when(org: Org, item: Array) -> Array:
    """The moment at which the order of each line was placed."""
    order = org.table("ShoppingHabit.items")["order"][item]
    placed = org.table("ShoppingHabit.orders")["placed"][order]
    return np.asarray(placed.astype("datetime64[s]"))


def _touched(
    contracts: Table,
    contract: Array,
    moment: Array,
) -> Table:
    latest = np.full(contracts.size, np.datetime64("1970-01-01", "s"))
    np.maximum.at(latest, contract, moment)
    columns = {**contracts.columns, "touched": latest}
    return Table(contracts.name, contracts.size, columns, contracts.references)


def _by_moment(changes: Table, moment: Array) -> Table:
    order = np.lexsort((changes["contract"], moment))
    columns = {name: values[order] for name, values in changes.columns.items()}
    columns["Id"] = np.arange(changes.size)
    columns["at"] = moment[order]
    return Table(changes.name, changes.size, columns, changes.references)
