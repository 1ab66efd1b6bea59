"""What meters show: at a contract's start, every few months, and at its end, and who reads them.

A part of Subscription. Contracts come in as they ran; knows nothing of bills or cases.
"""

import numpy as np

from latent.account_terms import months_on
from latent.assortment import stated_categories
from latent.contract_moments import SECOND, placed_when
from latent.draws import labels, walk
from latent.elapsed import DAYS_A_YEAR
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table

DAY = np.timedelta64(1, "D")
MONTHS_A_YEAR = 12
EVENLY = (1.0,) * MONTHS_A_YEAR

# What a new customer's meter shows at first, in units of what it counts: most are some years old.
FIRST_READING = (9.5, 1.1)  # mean and deviation of its logarithm
USE_SPREAD = 0.18  # of the logarithm of what is used within one interval

# Who reads: at the start and at the end somebody comes or the customer writes down the figures; in
# between most meters send them, and a few are estimated. Chosen by eye.
REMOTE = "Remote"
CUSTOMER = "Customer"
CREW = "Crew"
ESTIMATE = "Estimate"
AT_THE_ENDS = {CREW: 0.5, CUSTOMER: 0.35, REMOTE: 0.15}
IN_BETWEEN = {REMOTE: 0.68, CUSTOMER: 0.16, CREW: 0.06, ESTIMATE: 0.1}

# When a reading is recorded, in hours of UTC: meters send theirs by night, what none has sent is
# estimated in one run after that, crews are out by day, and customers write in until they sleep.
RECORDED = {
    REMOTE: (6.0, 8.0),
    ESTIMATE: (8.25, 8.5),
    CREW: (14.0, 22.5),
    CUSTOMER: (13.0, 28.0),
}
SECONDS_AN_HOUR = 3600
# Nothing is read on a contract before somebody has entered it and gone there, in hours.
ENTERED = (0.5, 2.0)


def readings_table(org: Org, contracts: Table) -> Table:
    """`Subscription.readings` as they are recorded; none where nothing is read."""
    rng = org.setting.stream("Subscription", "readings")
    months = org.setting.world.trade.renewal.reading_months
    metered = np.flatnonzero(contracts["metered"].astype(bool) & (months > 0))
    ends = contracts["cancelled"][metered].astype("datetime64[D]")
    last = np.where(np.isnat(ends), org.setting.last_day, ends)
    contract, day, at_end = _days(metered, contracts["start"][metered], last, ends, months)
    reading = _shown(rng, org, contracts, contract, day)
    at_ends = labels(rng, AT_THE_ENDS, len(day))
    in_between = labels(rng, IN_BETWEEN, len(day))
    kind = _seen_by(org, day, np.where(at_end, at_ends, in_between))
    moment = _recorded(rng, org, contracts["item"][contract], day, kind)
    order = np.lexsort((contract, moment))
    return table(
        "Subscription.readings",
        {"Id": "MeterReading__c", "contract": "Contract"},
        Id=np.arange(len(contract)),
        contract=contract[order],
        day=day[order],
        kind=kind[order],
        reading=reading[order],
        at=moment[order],
    )


def _seen_by(
    org: Org,
    day: Array,
    kind: Array,
) -> Array:
    """Crews come on working days; on others customers read their meters themselves."""
    closed = org.table("ClosedDays.days")["day"].astype("datetime64[D]")
    out = np.is_busday(day.astype("datetime64[D]"), holidays=closed)
    by_crew = kind == CREW
    return np.asarray(np.where(by_crew & ~out, CUSTOMER, kind), dtype=object)


def _recorded(
    rng: Stream,
    org: Org,
    item: Array,
    day: Array,
    kind: Array,
) -> Array:
    """The moment at which each reading is recorded: within the period, behind its contract."""
    hours = np.array([RECORDED[name] for name in kind]).reshape(len(kind), 2)
    low = hours[:, 0]
    high = hours[:, 1]
    seconds = rng.uniform(low, high) * SECONDS_AN_HOUR
    midnight = day.astype("datetime64[s]")
    wished = midnight + seconds.astype("timedelta64[s]")
    waited = rng.uniform(*ENTERED, size=len(kind)) * SECONDS_AN_HOUR
    placed = placed_when(org, item)
    least = placed + waited.astype("timedelta64[s]")
    over = (org.setting.last_day + 1).astype("datetime64[s]")
    return np.asarray(np.minimum(np.maximum(wished, least), over - SECOND))


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


def _shown(
    rng: Stream,
    org: Org,
    contracts: Table,
    contract: Array,
    day: Array,
) -> Array:
    """What each meter shows; a meter never runs back."""
    yearly = contracts["volume"][contract].astype(float)
    first = np.diff(contract, prepend=NONE) != 0
    elapsed = np.diff(_used_by(org, contracts["product"][contract], day), prepend=0)
    years = np.where(first, 0.0, elapsed)
    use = yearly * years * np.exp(USE_SPREAD * rng.normal(size=len(contract)))
    begins = np.exp(rng.normal(*FIRST_READING, size=len(contract)))
    return np.round(walk(np.where(first, begins, use), contract)).astype(np.int64)


def _used_by(
    org: Org,
    product: Array,
    day: Array,
) -> Array:
    """How many years' use each day is behind the first one: more is used in some months."""
    if not len(day):
        return np.zeros(0)
    days = np.arange(day.min(), day.max() + 1)
    month = days.astype("datetime64[M]").astype(np.int64) % MONTHS_A_YEAR
    rows = []
    for stated in stated_categories(org.setting):
        weights = np.array(stated.terms.use_by_month or EVENLY)
        relative = weights / weights.mean()
        daily = relative[month]
        before = np.cumsum(daily) - daily
        rows.append(before / DAYS_A_YEAR)
    place = (day - days[0]).astype(np.int64)
    category = org.table("Assortment.products")["category"][product]
    return np.asarray(np.array(rows)[category, place])
