"""The draws of Subscription: contracts term by term, and what changes in them.

A contract is followed through rounds: in each round all contracts that still run come to the end of
a term, may have been changed during it, and are renewed or not. When changes are recorded says
`latent.contract_moments`. Knows nothing of a CRM.
"""

from dataclasses import dataclass

import numpy as np

from latent.account_terms import known_or_none, months_on
from latent.assortment import stated_categories
from latent.draws import labels
from latent.holding_draws import last_cases
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table
from schemas.terms import Renewal

DAY = np.timedelta64(1, "D")
MONTHS_A_YEAR = 12

USUAL_MONTHS = 12  # the term of a plan whose world names none
LEAST_SHARE = 1e-9  # of contracts that are renewed or not: none at all has no odds
DAYS_AFTER_CASE = 14  # nobody is gone within two weeks of a complaint about the contract

# An upgrade or downgrade changes the seats by `growth`, times a log-normal factor of this spread.
# A single seat is upgraded to a dearer plan instead: the value changes, the seat stays.
CHANGE_SPREAD = 0.4
# The yearly use of a plan (gigabytes, kilowatt-hours) is log-normal between its usual lowest and
# highest, two deviations below and above the middle.
USUAL_DEVIATIONS = 2.0

# Whoever leaves at the end of a term has often switched off before that it renews by itself: so
# many times as many as of all, and at most this share. Chosen by eye.
SWITCH_OFF = 2.5
MOST_SWITCH_OFF = 0.9

# Who wants more or fewer seats at a weekend mostly asks for them on Monday. By eye.
LEFT_UNTIL_MONDAY = 0.6

START = "Start"
RENEWED = "Renewal"
CANCELLED = "Cancellation"
UPGRADED = "Upgrade"
DOWNGRADED = "Downgrade"


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """What each product promises, one value a product; `low` and `high` are a usual year's use."""

    charge: Array
    unit: Array
    months: Array
    metered: Array
    low: Array
    high: Array
    home_use: Array


@dataclass(frozen=True, slots=True)
class Step:
    """What changed in some contracts in one round; each field is one value a contract."""

    contract: Array
    kind: Array
    day: Array
    seats_before: Array
    seats_after: Array
    value_before: Array
    value_after: Array


@dataclass(slots=True)
class OpenContracts:
    """All contracts as they are in a round; `end` is the last day of their term.

    `decimals` are those of the currency.
    """

    start: Array
    end: Array
    seats: Array
    value: Array
    renewals: Array
    ended: Array
    decimals: int


def terms_of(org: Org) -> PlanTerms:
    """The terms of each product: its category's, with one of its numbers of months."""
    rng = org.setting.stream("Subscription", "products")
    categories = stated_categories(org.setting)
    stated = [categories[row].terms for row in org.table("Assortment.products")["category"]]
    months = []
    for terms, point in zip(stated, rng.random(len(stated)), strict=True):
        choice = terms.months or (USUAL_MONTHS,)
        months.append(choice[int(point * len(choice))])
    return PlanTerms(
        charge=strings([terms.charge for terms in stated]),
        unit=strings([terms.unit for terms in stated]),
        months=np.array(months, dtype=np.int64),
        metered=np.array([terms.metered for terms in stated], dtype=bool),
        low=np.array([terms.amount[0] if terms.amount else 0.0 for terms in stated]),
        high=np.array([terms.amount[1] if terms.amount else 0.0 for terms in stated]),
        home_use=np.array([terms.home_use for terms in stated], dtype=float),
    )


def contracts_table(org: Org, terms: PlanTerms, loyalty: Array) -> tuple[Table, list[Step]]:
    """`Subscription.contracts`, in the order of the lines, and all that changed in them."""
    rng = org.setting.stream("Subscription", "contracts")
    renewal = org.setting.world.trade.renewal
    item = _sold(org)
    orders, items = org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.items")
    order, product = items["order"][item], items["product"][item]
    account, months = orders["account"][order], terms.months[product]
    start = orders["day"][order] + _begins(rng, renewal, len(item)) * DAY
    start = np.minimum(start, org.setting.last_day)
    seats = items["quantity"][item].astype(np.int64)
    decimals = org.setting.country.currency.decimals
    value = np.round(items["price"][item] * seats / MONTHS_A_YEAR, decimals)
    first_end = months_on(start, months) - DAY
    now = _as_begun(start, first_end, seats, value, decimals)
    steps = _followed(
        rng,
        org,
        now,
        months,
        loyalty[account],
        last_cases(org)[item],
    )
    reasons = labels(rng, renewal.reasons, len(item))
    volume = _used(rng, org, terms, account, product)
    made = table(
        "Subscription.contracts",
        {"Id": "Contract", "item": "OrderItem", "account": "Account", "product": "Product2"},
        Id=np.arange(len(item)),
        item=item,
        account=account,
        product=product,
        start=start,
        months=months,
        first_end=first_end,
        end=now.end,
        renewals=now.renewals,
        status=np.where(now.ended, "Cancelled", "Activated").astype(object),
        auto_renewed=_renewed_by_itself(rng, renewal.auto_renewed, now.ended),
        seats=seats,
        seats_now=now.seats,
        volume=volume,
        metered=terms.metered[product],
        first_value=value,
        value=now.value,
        cancelled=np.where(now.ended, now.end, np.datetime64("NaT")),
        reason=known_or_none(now.ended, reasons),
    )
    return made, steps


def _begins(rng: Stream, renewal: Renewal, size: int) -> Array:
    """How many days after its order each contract starts."""
    drawn = labels(rng, {str(days): weight for days, weight in renewal.starts.items()}, size)
    return drawn.astype(np.int64)


def _as_begun(
    start: Array, first_end: Array, seats: Array, value: Array, decimals: int
) -> OpenContracts:
    """The contracts before anything changes in them: copies, for a round changes them in place."""
    return OpenContracts(
        start=start,
        end=first_end.copy(),
        seats=seats.copy(),
        value=value.copy(),
        renewals=np.zeros(len(start), dtype=np.int64),
        decimals=decimals,
        ended=np.zeros(len(start), dtype=bool),
    )


def _followed(
    rng: Stream,
    org: Org,
    now: OpenContracts,
    months: Array,
    loyalty: Array,
    last_case: Array,
) -> list[Step]:
    """All that changes in the contracts until the period's last day; `now` is changed with it."""
    renewal, today = org.setting.world.trade.renewal, org.setting.last_day
    steps = [_started(now)]
    begun = np.arange(len(now.start))
    while len(begun):
        steps.append(_changed(rng, renewal, now, begun, months, today))
        due = begun[now.end[begun] < today]
        steps.append(
            ended_terms(
                rng,
                renewal,
                now,
                due,
                months,
                loyalty,
                last_case,
            )
        )
        begun = due[~now.ended[due]]
    return steps


def _sold(org: Org) -> Array:
    """The lines of orders that are no drafts; none in another kind of trade."""
    if org.setting.world.trade.kind != "subscriptions":
        return np.zeros(0, dtype=np.int64)
    items = org.table("ShoppingHabit.items")
    status = org.table("ShoppingHabit.orders")["status"][items["order"]]
    return np.flatnonzero(status != "Draft")


def _started(now: OpenContracts) -> Step:
    """The first day of every contract."""
    size = len(now.start)
    return Step(
        contract=np.arange(size),
        kind=np.full(size, START, dtype=object),
        day=now.start,
        seats_before=np.zeros(size, dtype=np.int64),
        seats_after=now.seats.copy(),
        value_before=np.zeros(size),
        value_after=now.value.copy(),
    )


def _changed(
    rng: Stream,
    renewal: Renewal,
    now: OpenContracts,
    rows: Array,
    months: Array,
    today: np.datetime64,
) -> Step:
    """Upgrades and downgrades within the term that these contracts have begun; at most one each."""
    years = months[rows] / MONTHS_A_YEAR
    points = rng.random(len(rows))
    up = points < renewal.upgraded * years
    down = ~up & (points < (renewal.upgraded + renewal.downgraded) * years)
    begun = months_on(now.end[rows] + DAY, -months[rows])
    length = (now.end[rows] - begun).astype(np.int64)
    day = begun + np.floor(rng.random(len(rows)) * length).astype(np.int64) * DAY
    day = _rather_on_workdays(rng, day, now.end[rows])
    factor = np.exp(np.log1p(renewal.growth) * np.exp(CHANGE_SPREAD * rng.normal(size=len(rows))))
    changed = (up | down) & (day <= today) & (day > now.start[rows])
    chosen = rows[changed]
    grown = np.where(up[changed], factor[changed], 1 / factor[changed])
    seats, value = now.seats[chosen], now.value[chosen]
    moved = np.where(up[changed], np.ceil(seats * grown), np.maximum(np.floor(seats * grown), 1))
    new_seats = np.where(seats == 1, 1, moved).astype(np.int64)
    exact = np.where(seats == 1, value * grown, value / seats * new_seats)
    new_value = np.round(exact, now.decimals)
    now.seats[chosen], now.value[chosen] = new_seats, new_value
    kind = np.where(up[changed], UPGRADED, DOWNGRADED).astype(object)
    return Step(
        chosen,
        kind,
        day[changed],
        seats,
        new_seats,
        value,
        new_value,
    )


def _rather_on_workdays(
    rng: Stream,
    day: Array,
    last: Array,
) -> Array:
    """Most of what falls on a weekend is left until Monday, where the term lasts until then."""
    monday = np.busday_offset(day, 0, roll="forward")
    waits = (rng.random(len(day)) < LEFT_UNTIL_MONDAY) & (monday < last)
    return np.where(waits, monday, day)


def ended_terms(
    rng: Stream,
    renewal: Renewal,
    now: OpenContracts,
    rows: Array,
    months: Array,
    loyalty: Array,
    last_case: Array,
) -> Step:
    """The end of a term: another one at a somewhat higher price, or the end of the contract.

    The share that is renewed is that of a year; shorter terms are renewed more often.
    """
    odds = np.log(max(renewal.renewed, LEAST_SHARE) / max(1 - renewal.renewed, LEAST_SHARE))
    # Before its first day NaT is neither earlier nor later than anything.
    had_case = last_case[rows] <= now.end[rows]
    likely = odds + loyalty[rows] - renewal.defect_costs * had_case
    yearly = 1 / (1 + np.exp(-likely))
    stays = rng.random(len(rows)) < yearly ** (months[rows] / MONTHS_A_YEAR)
    stays |= last_case[rows] + DAYS_AFTER_CASE * DAY > now.end[rows]
    low, high = renewal.uplift
    uplift = 1 + np.round(rng.uniform(low, high, size=len(rows))) / 100
    before = now.value[rows]
    after = np.where(stays, np.round(before * uplift, now.decimals), 0.0)
    seats = now.seats[rows]
    day = now.end[rows] + DAY
    step = Step(
        rows,
        np.where(stays, RENEWED, CANCELLED).astype(object),
        np.where(stays, day, now.end[rows]),
        seats,
        np.where(stays, seats, 0),
        before,
        after,
    )
    kept = rows[stays]
    now.value[kept] = after[stays]
    now.renewals[kept] += 1
    now.end[kept] = months_on(day[stays], months[kept]) - DAY
    now.ended[rows[~stays]] = True
    return step


def _volumes(rng: Stream, low: Array, high: Array) -> Array:
    """What a contract's customer uses in a year; 0 where its product measures nothing."""
    middle = np.log(np.maximum(low * high, 1.0)) / 2
    spread = np.log(np.maximum(high, 1.0) / np.maximum(low, 1.0)) / (2 * USUAL_DEVIATIONS)
    drawn = np.round(np.exp(middle + spread * rng.normal(size=len(low))))
    return np.where(high > 0, drawn, 0.0)


def _renewed_by_itself(
    rng: Stream,
    usual: float,
    ended: Array,
) -> Array:
    """Which contracts renew by themselves: the usual share of all, and fewer of those that end."""
    share = float(ended.mean()) if len(ended) else 0.0
    usual_off = 1 - usual
    of_ended = min(SWITCH_OFF * usual_off, MOST_SWITCH_OFF)
    of_others = max(usual_off - share * of_ended, 0.0) / max(1 - share, LEAST_SHARE)
    switched_off = np.where(ended, of_ended, of_others)
    return np.asarray(rng.random(len(ended)) >= switched_off)


def _used(
    rng: Stream,
    org: Org,
    terms: PlanTerms,
    account: Array,
    product: Array,
) -> Array:
    """What is used of each contract in a year: more in larger homes, as far as its product says."""
    usual = _volumes(rng, terms.low[product], terms.high[product])
    people = org.table("Household.customers")["size"][account]
    factor = _by_home(people.astype(float), terms.home_use[product])
    return np.asarray(np.round(usual * factor))


def _by_home(people: Array, power: Array) -> Array:
    """By how much larger homes use more; for all of one power the mean is 1."""
    factor = np.maximum(people, 1) ** power
    for stated in np.unique(power):
        same = power == stated
        mean = factor[same].mean()
        factor[same] /= mean
    return np.asarray(factor)


def changes_table(steps: list[Step]) -> Table:
    """`Subscription.changes`, day by day and contract by contract."""
    contract = np.concatenate([step.contract for step in steps])
    day = np.concatenate([step.day for step in steps])
    order = np.lexsort((contract, day))
    return table(
        "Subscription.changes",
        {"Id": "ContractChange__c", "contract": "Contract"},
        Id=np.arange(len(contract)),
        contract=contract[order],
        kind=np.concatenate([step.kind for step in steps])[order],
        day=day[order],
        seats_before=np.concatenate([step.seats_before for step in steps])[order],
        seats_after=np.concatenate([step.seats_after for step in steps])[order],
        value_before=np.concatenate([step.value_before for step in steps])[order],
        value_after=np.concatenate([step.value_after for step in steps])[order],
    )
