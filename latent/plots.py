"""The plot of every case, put together of what other variables have drawn.

A part of CaseStory: incidents, voices and endings come in, plots for `latent.dialogue` go out.
Knows no acts and no words.
"""

import numpy as np

from latent.dialogue import Plot
from latent.enquiry_ending import Endings
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table

LATE = "late_grant"
"""The ending in which an agent grants something after its limit."""


def plots_of(
    org: Org, cases: Table, endings: Endings, transfers: Array, lengths: Array
) -> list[Plot]:
    """One plot a case; `lengths` counts the mails of each, 0 for a chat."""
    others = other_items(org, cases)
    ordered_before = orders_before(org, cases) > 0
    incidents = org.table("Incident.cases")
    voices = org.table("CustomerVoice.cases")
    doubles = org.table("CustomerVoice.customers")["doubles"][cases["account"]]
    wishes = org.table("PolicyViolation.outcomes")["wish"]
    identifies = org.setting.world.trade.contact.identifies
    options = org.table("Solution.options")
    granted = org.table("PolicyViolation.outcomes")["granted"].astype(str)
    refunded = np.isin(granted, options["key"][options["refunded"]].astype(str))
    sent_back = np.isin(granted, options["key"][options["sent_back"]].astype(str))
    plots = []
    for case in range(cases.size):
        ending = str(endings.name[case])
        signs = [pair.split(":") for pair in str(incidents["signs"][case]).split(",") if pair]
        plots.append(
            Plot(
                ending=ending,
                wish=str(wishes[case]),
                wants=bool(voices["wants"][case]),
                verbosity=str(cases["verbosity"][case]),
                tone=str(cases["tone"][case]),
                transfers=int(transfers[case]),
                cause=str(incidents["cause"][case]),
                signs=tuple((sign, value) for sign, value in signs),
                tells=str(incidents["tells"][case]),
                known_by=str(incidents["known_by"][case]),
                step=str(incidents["step"][case]),
                step_days=int(incidents["step_days"][case]),
                evidence=str(incidents["evidence"][case]),
                identifies=identifies,
                knows_order=bool(voices["knows_order"][case]),
                # What nobody answers must say by itself what it is about.
                naming="full" if lengths[case] == 1 else str(voices["naming"][case]),
                # What makes a late grant a breach must stand in the case.
                dating="exact" if ending == LATE else str(voices["dating"][case]),
                before=bool(voices["mentions_before"][case]),
                ordered_before=bool(ordered_before[case]),
                others=bool(others[case] != NONE),
                doubles=float(doubles[case]),
                refunded=bool(refunded[case]),
                sent_back=bool(sent_back[case]),
            )
        )
    return plots


def orders_before(org: Org, cases: Table) -> Array:
    """How many orders the customer of each case had placed on days before that of its order."""
    orders = org.table("ShoppingHabit.orders")
    order = org.table("ShoppingHabit.items")["order"][cases["item"]]
    days: dict[int, list[np.datetime64]] = {}
    for account, day in zip(orders["account"].tolist(), orders["day"], strict=True):
        days.setdefault(account, []).append(day)
    numbers = []
    for account, day in zip(cases["account"].tolist(), orders["day"][order], strict=True):
        numbers.append(sum(other < day for other in days[account]))
    return np.array(numbers, dtype=np.int64)


def other_items(org: Org, cases: Table) -> Array:
    """For each case an item of another order of the customer, the last one before; or NONE."""
    items = org.table("ShoppingHabit.items")
    orders = org.table("ShoppingHabit.orders")
    order = items["order"]
    account, day = orders["account"][order], orders["day"][order]
    by_account: dict[int, list[int]] = {}
    for row in np.argsort(day, kind="stable").tolist():
        by_account.setdefault(int(account[row]), []).append(row)
    found = np.full(cases.size, NONE)
    created = cases["created"].astype("datetime64[D]")
    for case, own in enumerate(cases["item"].tolist()):
        for row in reversed(by_account[int(cases["account"][case])]):
            another = order[row] != order[own] and day[row] <= created[case]
            if another and items["product"][row] != items["product"][own]:
                found[case] = row
                break
    return found
