"""Orders that customers call off before they are packed.

A part of ReturnHabit: what was called off is complained of by nobody and comes back from nobody.
The order stays as it was activated, with the day on which it was cancelled, as a CRM keeps it that
has no status for it. Knows no cases but that there are some.
"""

import numpy as np

from latent.draws import exactly
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, table

# Who thinks better of an order does so within hours, before it is packed: log-normal around three.
# Nothing is called off after three days. Chosen by eye.
CALLED_OFF_SECONDS = 3 * 3600.0
CALLED_OFF_SIGMA = 1.1
PACKED_AFTER = 72 * 3600.0


def cancelled_orders(org: Org, returns: Table) -> Table:
    """`ReturnHabit.orders`: when each order was called off (NaT for most) and last touched."""
    rng = org.setting.stream("ReturnHabit", "orders")
    orders = org.table("ShoppingHabit.orders")
    seconds = rng.lognormal(np.log(CALLED_OFF_SECONDS), CALLED_OFF_SIGMA, size=orders.size)
    waited = np.minimum(seconds, PACKED_AFTER).astype("timedelta64[s]")
    moment = orders["placed"].astype("datetime64[s]") + waited
    in_time = moment.astype("datetime64[D]") <= org.setting.last_day
    free = in_time & ~_kept(org, orders, returns)
    # As many as the trade says of all orders: what was delivered and returned is none of them.
    wanted = round(org.setting.world.trade.buying.cancelled * orders.size)
    called_off = np.zeros(orders.size, dtype=bool)
    called_off[exactly(rng, free.astype(float), min(wanted, int(free.sum())))] = True
    cancelled = np.where(called_off, moment, np.datetime64("NaT", "s"))
    return table(
        "ReturnHabit.orders",
        {"Id": "Order"},
        Id=np.arange(orders.size),
        cancelled=cancelled.astype("datetime64[D]"),
        touched=np.where(called_off, moment, orders["placed"]),
    )


def _kept(org: Org, orders: Table, returns: Table) -> Array:
    """Orders that were handed over, as far as anything tells: a case, a return or a counter."""
    at_counter = [stated.name for stated in org.setting.world.trade.channels if stated.in_person]
    kept = np.isin(orders["channel"].astype(str), at_counter)
    kept |= orders["status"] != "Activated"
    kept[returns["order"]] = True
    items = org.table("ShoppingHabit.items")
    cases = org.table("CaseStory.cases")
    for column in ("item", "about", "named"):
        told = cases[column][cases[column] != NONE]
        kept[items["order"][told]] = True
    return np.asarray(kept)
