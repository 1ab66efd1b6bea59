"""What meters show: at a contract's start, every few months, and at its end.

A part of Subscription. Contracts come in as they ran; knows nothing of bills or cases.
"""

import numpy as np

from latent.account_terms import months_on
from latent.draws import labels, walk
from latent.elapsed import DAYS_A_YEAR
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table

DAY = np.timedelta64(1, "D")

# What a new customer's meter shows at first, in units of what it counts: most are some years old.
FIRST_READING = (9.5, 1.1)  # mean and deviation of its logarithm
USE_SPREAD = 0.18  # of the logarithm of what is used within one interval

# Who reads: at the start and at the end somebody comes or the customer writes down the figures; in
# between most meters send them, and a few are estimated. Chosen by eye.
AT_THE_ENDS = {"Crew": 0.5, "Customer": 0.35, "Remote": 0.15}
IN_BETWEEN = {"Remote": 0.68, "Customer": 0.16, "Crew": 0.06, "Estimate": 0.1}


def readings_table(org: Org, contracts: Table) -> Table:
    """`Subscription.readings`, day by day; none where nothing is read."""
    rng = org.setting.stream("Subscription", "readings")
    months = org.setting.world.trade.renewal.reading_months
    metered = np.flatnonzero(contracts["metered"].astype(bool) & (months > 0))
    ends = contracts["cancelled"][metered].astype("datetime64[D]")
    last = np.where(np.isnat(ends), org.setting.last_day, ends)
    contract, day, at_end = _days(metered, contracts["start"][metered], last, ends, months)
    reading = _shown(rng, contract, day, contracts["volume"][contract].astype(float))
    at_ends = labels(rng, AT_THE_ENDS, len(day))
    in_between = labels(rng, IN_BETWEEN, len(day))
    kind = np.where(at_end, at_ends, in_between)
    order = np.lexsort((contract, day))
    return table(
        "Subscription.readings",
        {"Id": "MeterReading__c", "contract": "Contract"},
        Id=np.arange(len(contract)),
        contract=contract[order],
        day=day[order],
        kind=kind[order],
        reading=reading[order],
    )


def _days(
    rows: Array,
    start: Array,
    last: Array,
    ends: Array,
    months: int,
) -> tuple[Array, Array, Array]:
    """For each reading the contract's row, the day, and whether it is its first or final one."""
    contract, days, at_end = [rows], [start], [np.ones(len(rows), dtype=bool)]
    turn = 0
    due = start
    while (due < last).any():
        turn += 1
        due = months_on(start, np.full(len(rows), turn * months))
        read = due < last
        contract.append(rows[read])
        days.append(due[read])
        at_end.append(np.zeros(int(read.sum()), dtype=bool))
    ended = ~np.isnat(ends) & (ends > start)
    contract.append(rows[ended])
    days.append(ends[ended])
    at_end.append(np.ones(int(ended.sum()), dtype=bool))
    all_rows = np.concatenate(contract)
    all_days = np.concatenate(days)
    order = np.lexsort((all_days, all_rows))
    return all_rows[order], all_days[order], np.concatenate(at_end)[order]


def _shown(rng: Stream, contract: Array, day: Array, yearly: Array) -> Array:
    """What each meter shows; a meter never runs back."""
    first = np.diff(contract, prepend=NONE) != 0
    elapsed = np.diff(day.astype(np.int64), prepend=0)
    years = np.where(first, 0.0, elapsed / DAYS_A_YEAR)
    use = yearly * years * np.exp(USE_SPREAD * rng.normal(size=len(contract)))
    begins = np.exp(rng.normal(*FIRST_READING, size=len(contract)))
    return np.round(walk(np.where(first, begins, use), contract)).astype(np.int64)
