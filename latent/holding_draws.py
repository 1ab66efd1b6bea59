"""The draws of Holding: terms, the market, applications, accounts and their balances.

One function a table. Knows nothing of how they show in a CRM.
"""

from dataclasses import dataclass

import numpy as np

from latent.assortment import stated_categories
from latent.draws import clock, labels
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table
from schemas.terms import Opening

DAY = np.timedelta64(1, "D")
DAYS_A_MONTH = 30.44
DAYS_A_YEAR = 365.25
DAYS_A_CENTURY = 36_525
NEVER = np.datetime64("9999-12-31")
PERCENT = 100

# In two months of five the market's rate moves, and four times of five in the direction of the time
# before: central banks change their rates in rows of equal steps. Chosen by eye after the federal
# funds rate of 2015 to 2023.
MARKET_MOVES = 0.4
MARKET_GOES_ON = 0.8

SCORE_UNIT = 100  # the trade's figures are for a score higher or lower by so many points
APPLIED_FROM, APPLIED_UNTIL = 8, 22  # people fill in forms from eight in the morning to ten
OPENED_WITHIN = 3  # the account is there up to two days after the decision
LOWEST_RATE = 0.01

# The usual lowest and highest amount are two deviations below and above the middle of a log-normal
# distribution. A deposit grows by an eighth a year beside its interest, give or take a twelfth a
# quarter; of a line a third is drawn, give or take a quarter of that; of prepaid money somewhat
# less than half is left. Chosen by eye.
USUAL_DEVIATIONS = 2.0
DEPOSIT_GROWTH, DEPOSIT_NOISE = 0.12, 0.08
LINE_USED, LINE_NOISE = (2.0, 4.0), 0.25
PREPAID_LEFT = (1.5, 2.0)
ROUNDED_TO = 50  # people ask for whole fifties of dollars

# Who has complained about an account is this much likelier to close it, and nobody closes one
# within two weeks of a complaint about it. Chosen by eye.
COMPLAINT_HASTENS = 2.5
DAYS_AFTER_CASE = 14

PERCENT_PLACES = 2
MONTHS_A_YEAR, MONTHS_A_QUARTER = 12, 3
LOAN, LINE, DEPOSIT, PREPAID = "loan", "line", "deposit", "prepaid"
CREDIT = (LOAN, LINE)


@dataclass(frozen=True, slots=True)
class AccountTerms:
    """What each product promises, one value a product; `rated` says whether it has a rate.

    `margin` is percent over the market's rate; `months` is 0 where there is no term; `low` and
    `high` are the usual amounts in dollars, both 0 where there are none.
    """

    holds: Array
    charge: Array
    unit: Array
    rated: Array
    margin: Array
    months: Array
    low: Array
    high: Array
    decided: Array
    declined: Array


def terms_of(org: Org) -> AccountTerms:
    """The terms of each product, drawn within those of its category."""
    rng = org.setting.stream("Holding", "products")
    categories = stated_categories(org.setting)
    stated = [categories[row].terms for row in org.table("Assortment.products")["category"]]
    position = rng.random(len(stated))
    which = rng.random(len(stated))
    margins, months = [], []
    for terms, share, point in zip(stated, position, which, strict=True):
        low, high = terms.rate or (0.0, 0.0)
        margins.append(round(low + (high - low) * share, 2))
        months.append(terms.months[int(point * len(terms.months))] if terms.months else 0)
    return AccountTerms(
        holds=strings([terms.holds for terms in stated]),
        charge=strings([terms.charge for terms in stated]),
        unit=strings([terms.unit for terms in stated]),
        rated=np.array([terms.rate is not None for terms in stated], dtype=bool),
        margin=np.array(margins, dtype=float),
        months=np.array(months, dtype=np.int64),
        low=np.array([terms.amount[0] if terms.amount else 0.0 for terms in stated]),
        high=np.array([terms.amount[1] if terms.amount else 0.0 for terms in stated]),
        decided=np.array([terms.decided for terms in stated], dtype=np.int64).reshape(-1, 2),
        declined=np.array([terms.declined for terms in stated], dtype=float),
    )


def market_path(org: Org) -> tuple[Array, Array]:
    """The months of the period, as texts like 2021-03, and the market's rate in each."""
    rng = org.setting.stream("Holding", "market")
    opening = org.setting.world.trade.opening
    first, last = org.setting.first_day.astype("datetime64[M]"), org.setting.last_day
    months = np.arange(first, last.astype("datetime64[M]") + 1)
    low, high = opening.market
    rate = low + (high - low) * rng.random()
    upwards = rate < (low + high) / 2
    rates = []
    for move, turn in rng.random((len(months), 2)):
        rates.append(round(rate, PERCENT_PLACES))
        if turn > MARKET_GOES_ON:
            upwards = not upwards
        if move < MARKET_MOVES:
            rate = min(
                max(rate + (opening.market_step if upwards else -opening.market_step), low), high
            )
    return strings([str(month) for month in months]), np.array(rates)


@dataclass(frozen=True, slots=True)
class Requests:
    """Applications to be: who asks for what, when it is decided, how, and the order's line."""

    account: Array
    product: Array
    item: Array
    decided: Array
    status: Array

    def with_more(self, others: "Requests") -> "Requests":
        """These, then the others."""
        return Requests(
            np.concatenate([self.account, others.account]),
            np.concatenate([self.product, others.product]),
            np.concatenate([self.item, others.item]),
            np.concatenate([self.decided, others.decided]),
            np.concatenate([self.status, others.status]),
        )


def applications_table(org: Org, terms: AccountTerms, score: Array) -> Table:
    """`Holding.applications` by the moment they were submitted, whatever became of them."""
    rng = org.setting.stream("Holding", "applications")
    granted = _granted(org)
    made = granted.with_more(_declined(rng, org, terms, score, granted))
    made = made.with_more(_withdrawn(rng, org, granted))
    size = len(made.account)
    waited = rng.integers(terms.decided[made.product, 0], terms.decided[made.product, 1] + 1)
    since = _customer_since(org)[made.account]
    day = np.maximum(made.decided - waited * DAY, np.minimum(since, made.decided))
    submitted = clock(rng, day, APPLIED_FROM, APPLIED_UNTIL)
    step = ROUNDED_TO * org.setting.country.currency.rate
    amount = _amounts(rng, terms.low[made.product], terms.high[made.product], step)
    reasons = org.setting.world.trade.opening.decline_reasons
    reason = known_or_none(made.status == "Declined", labels(rng, reasons, size))
    pending = made.status == "In Review"
    order = np.argsort(submitted, kind="stable")
    return table(
        "Holding.applications",
        {"Id": "Application__c", "account": "Account", "product": "Product2", "item": "OrderItem"},
        Id=np.arange(size),
        account=made.account[order],
        product=made.product[order],
        item=made.item[order],
        submitted=submitted[order],
        decided=np.where(pending, np.datetime64("NaT"), made.decided)[order],
        status=made.status[order],
        reason=reason[order],
        amount=known_or_none(amount > 0, amount)[order],
    )


def _granted(org: Org) -> Requests:
    """The orders' lines, those of drafts still looked at; none in another kind of trade."""
    orders, items = org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.items")
    item = np.arange(items.size if org.setting.world.trade.kind == "accounts" else 0)
    order = items["order"][item]
    draft = orders["status"][order] == "Draft"
    return Requests(
        account=orders["account"][order],
        product=items["product"][item],
        item=item,
        decided=orders["day"][order].astype("datetime64[D]"),
        status=np.where(draft, "In Review", "Approved").astype(object),
    )


def _declined(
    rng: Stream, org: Org, terms: AccountTerms, score: Array, granted: Requests
) -> Requests:
    """As many as the categories' shares say, rather of customers with low scores."""
    opening = org.setting.world.trade.opening
    share = terms.declined[granted.product]
    likely = rng.poisson(share / (1 - share))
    below = (opening.score[0] - score) / SCORE_UNIT
    weight = np.exp(opening.score_declines * below)
    account = rng.choice(len(score), size=int(likely.sum()), p=weight / weight.sum())
    product = np.repeat(granted.product, likely)
    return _refused(rng, org, account, product, "Declined")


def _withdrawn(rng: Stream, org: Org, granted: Requests) -> Requests:
    """Some customers think better of it, whoever they are."""
    share = org.setting.world.trade.opening.withdrawn
    chosen = np.flatnonzero(rng.random(len(granted.account)) < share)
    return _refused(rng, org, granted.account[chosen], granted.product[chosen], "Withdrawn")


def _refused(rng: Stream, org: Org, account: Array, product: Array, status: str) -> Requests:
    """Applications that became no order, on any day since the customer came."""
    since = _customer_since(org)[account]
    days = (org.setting.last_day - since).astype(np.int64)
    lag = np.floor(rng.random(len(account)) * (days + 1)).astype(np.int64)
    return Requests(
        account=account.astype(np.int64),
        product=product.astype(np.int64),
        item=np.full(len(account), NONE),
        decided=since + lag * DAY,
        status=np.full(len(account), status, dtype=object),
    )


def _customer_since(org: Org) -> Array:
    """The day on which each customer came, in the period."""
    days = org.table("ShoppingHabit.customers")["since"].astype("datetime64[D]")
    return np.asarray(np.clip(days, org.setting.first_day, org.setting.last_day))


def accounts_table(
    org: Org, terms: AccountTerms, score: Array, market: Array, applications: Table
) -> Table:
    """`Holding.accounts`: one for each granted application, in their order."""
    setting = org.setting
    rng = setting.stream("Holding", "accounts")
    opening = setting.world.trade.opening
    rows = np.flatnonzero(applications["status"] == "Approved")
    product, item = applications["product"][rows], applications["item"][rows]
    size = len(rows)
    decided = applications["decided"][rows].astype("datetime64[D]")
    opened = np.minimum(decided + rng.integers(0, OPENED_WITHIN, size=size) * DAY, setting.last_day)
    holds, months = terms.holds[product], terms.months[product]
    matures = months_on(opened, months)
    left = _leaving(rng, org, opened, item)
    ended = np.minimum(left, np.where(months > 0, matures, NEVER))
    over = ended <= setting.last_day
    matured = over & (months > 0) & (matures <= left)
    account, amount = applications["account"][rows], _number(applications["amount"][rows])
    rate = _rates(opening, terms, product, score[account], _at(org, market, opened))
    reason = known_or_none(over & ~matured, labels(rng, opening.close_reasons, size))
    limited = holds == LINE
    return table(
        "Holding.accounts",
        {
            "Id": "Asset",
            "item": "OrderItem",
            "account": "Account",
            "product": "Product2",
            "application": "Application__c",
        },
        Id=np.arange(size),
        item=item,
        account=account,
        product=product,
        application=rows,
        holds=holds,
        opened=opened,
        matures=np.where(months > 0, matures, np.datetime64("NaT")),
        last=np.where(over, ended, setting.last_day),
        closed=np.where(over, ended, np.datetime64("NaT")),
        status=_statuses(over, matured, holds),
        reason=np.where(matured, "Term ended", reason),
        rate=known_or_none(terms.rated[product], rate),
        limit=known_or_none(limited, amount),
        months=known_or_none(months > 0, months),
        opening=np.where(limited, 0.0, amount),
        use=_use(rng, holds),
    )


def _leaving(rng: Stream, org: Org, opened: Array, item: Array) -> Array:
    """The day on which each account's customer would close it, if its term hasn't ended before.

    Who has complained about it leaves sooner, and no account is closed before its last case.
    """
    yearly = org.setting.world.trade.opening.closed_yearly
    last_case = last_cases(org)[item]
    complained = ~np.isnat(last_case)
    hazard = -np.log1p(-yearly) * np.where(complained, COMPLAINT_HASTENS, 1.0)
    years = rng.exponential(size=len(item)) / np.maximum(hazard, 1e-9)
    days = np.minimum(years * DAYS_A_YEAR, DAYS_A_CENTURY)
    left = opened + np.maximum(days, MONTHS_A_QUARTER).astype(np.int64) * DAY
    return np.asarray(
        np.where(complained, np.maximum(left, last_case + DAYS_AFTER_CASE * DAY), left)
    )


def last_cases(org: Org) -> Array:
    """For each order line the day of the last case about it, or no day."""
    cases = org.table("ComplaintHabit.cases")
    last = np.full(org.table("ShoppingHabit.items").size, np.datetime64("NaT"), "datetime64[D]")
    # Cases stand in the order of their creation, so a later one takes an earlier one's place.
    named = cases["item"] != NONE
    last[cases["item"][named]] = cases["created"][named].astype("datetime64[D]")
    return last


def months_on(days: Array, months: Array) -> Array:
    """The same day of the month so many months later, or that month's last day."""
    first = days.astype("datetime64[M]")
    place = (days - first.astype("datetime64[D]")).astype(np.int64)
    later = first + months.astype("timedelta64[M]")
    length = ((later + 1).astype("datetime64[D]") - later.astype("datetime64[D]")).astype(np.int64)
    return np.asarray(later.astype("datetime64[D]") + np.minimum(place, length - 1) * DAY)


def _rates(
    opening: Opening, terms: AccountTerms, product: Array, score: Array, market: Array
) -> Array:
    """Market and margin; credit is dearer for a lower score."""
    below = (opening.score[0] - score) / SCORE_UNIT
    credit = np.isin(terms.holds[product], CREDIT)
    rate = market + terms.margin[product] + np.where(credit, opening.score_costs * below, 0.0)
    return np.asarray(np.round(np.maximum(rate, LOWEST_RATE), PERCENT_PLACES))


def _at(org: Org, market: Array, days: Array) -> Array:
    """The market's rate on each day."""
    month = days.astype("datetime64[M]") - org.setting.first_day.astype("datetime64[M]")
    return np.asarray(market[month.astype(np.int64)])


def _statuses(over: Array, matured: Array, holds: Array) -> Array:
    ended = np.where(holds == LOAN, "Paid Off", "Matured")
    return np.where(matured, ended, np.where(over, "Closed", "Open")).astype(object)


def _amounts(rng: Stream, low: Array, high: Array, step: float) -> Array:
    """What customers ask for, in whole steps (fifties); 0 where there is nothing to ask for."""
    middle = np.log(np.maximum(low * high, 1.0)) / 2
    spread = np.log(np.maximum(high, 1.0) / np.maximum(low, 1.0)) / (2 * USUAL_DEVIATIONS)
    drawn = np.exp(middle + spread * rng.normal(size=len(low)))
    rounded = np.maximum(np.round(drawn / step), 1) * step
    return np.where(high > 0, rounded, 0.0)


def _use(rng: Stream, holds: Array) -> Array:
    """The share of a line that is drawn, or of prepaid money that is left."""
    drawn = rng.beta(*LINE_USED, size=len(holds))
    left = rng.beta(*PREPAID_LEFT, size=len(holds))
    return np.round(np.where(holds == LINE, drawn, np.where(holds == PREPAID, left, 1.0)), 3)


def statements_table(org: Org, accounts: Table) -> tuple[Table, Table]:
    """The accounts with their balance, and `Holding.statements`: a balance a quarter's end.

    The balance is that of the period's last day, 0 for an account that is closed.
    """
    rng = org.setting.stream("Holding", "statements")
    row, day, closing = _dates(accounts)
    decimals = org.setting.country.currency.decimals
    balance = np.round(_balances(rng, accounts, row, day), decimals)
    # Each account's rows are its quarters' ends and then its last day.
    balance[closing] = np.where(accounts["status"] == "Open", balance[closing], 0.0)
    kept = ~np.isin(np.arange(len(row)), closing)
    before = np.where(
        np.diff(row, prepend=NONE) == 0, np.roll(balance, 1), accounts["opening"][row]
    )
    statements = table(
        "Holding.statements",
        {"Id": "Statement__c", "holding": "Asset"},
        Id=np.arange(int(kept.sum())),
        holding=row[kept],
        day=day[kept],
        balance=balance[kept],
        change=np.round(balance - before, decimals)[kept],
    )
    columns = {**accounts.columns, "balance": balance[closing]}
    return Table(accounts.name, accounts.size, columns, accounts.references), statements


def _dates(accounts: Table) -> tuple[Array, Array, Array]:
    """For each account the ends of its quarters and its last day.

    The account's row, the day, and where among these the last days stand.
    """
    first = _quarter(accounts["opened"])
    quarters = _quarter(accounts["last"] + DAY) - first
    row = np.repeat(np.arange(accounts.size), quarters + 1)
    closing = np.cumsum(quarters + 1) - 1
    place = np.arange(len(row)) - np.repeat(closing - quarters, quarters + 1)
    next_quarter = (first[row] + place + 1) * MONTHS_A_QUARTER
    day = next_quarter.astype("datetime64[M]").astype("datetime64[D]") - DAY
    day[closing] = accounts["last"]
    return row, day, closing


def _quarter(days: Array) -> Array:
    """Quarters since 1970."""
    return np.asarray(days.astype("datetime64[M]").astype(np.int64) // MONTHS_A_QUARTER)


def _balances(rng: Stream, accounts: Table, row: Array, day: Array) -> Array:
    """What is in the account, owed on it or drawn from it at the end of each day."""
    holds, opening = accounts["holds"][row], accounts["opening"][row]
    elapsed = (day - accounts["opened"][row]).astype(float)
    rate = _number(accounts["rate"])[row] / PERCENT
    noise = rng.normal(size=len(row))
    months = np.maximum(_number(accounts["months"])[row], 1)
    term = _number(accounts["months"])[row] > 0
    saved = DEPOSIT_GROWTH * elapsed / DAYS_A_YEAR + DEPOSIT_NOISE * _walk(noise, row)
    growth = rate * elapsed / DAYS_A_YEAR + np.where(term, 0.0, saved)
    limit = _number(accounts["limit"])[row]
    drawn = limit * np.clip(accounts["use"][row] * (1 + LINE_NOISE * noise), 0, 1)
    spent = np.minimum(elapsed / DAYS_A_YEAR, 1) * (1 - accounts["use"][row])
    kinds = [holds == LOAN, holds == LINE, holds == DEPOSIT]
    owed = opening * _owed(rate / MONTHS_A_YEAR, months, elapsed / DAYS_A_MONTH)
    return np.select(kinds, [owed, drawn, opening * np.exp(growth)], opening * (1 - spent))


def _owed(monthly: Array, months: Array, elapsed: Array) -> Array:
    """The share of a loan that is owed after some of its equal monthly payments."""
    paid = np.minimum(np.floor(elapsed), months)
    factor = 1 + np.maximum(monthly, LOWEST_RATE / PERCENT)
    whole = factor**months
    return np.asarray((whole - factor**paid) / (whole - 1))


def _walk(steps: Array, row: Array) -> Array:
    """The sum of the steps so far within each run of equal rows."""
    total = np.cumsum(steps)
    first = np.flatnonzero(np.diff(row, prepend=NONE))
    before = total[first] - steps[first]
    return np.asarray(total - np.repeat(before, np.diff(np.append(first, len(row)))))


def _number(values: Array) -> Array:
    """A column that may be empty as numbers, 0 for none."""
    return np.array([value or 0 for value in values], dtype=float)


def known_or_none(known: Array, values: Array) -> Array:
    """Values, and None where they aren't known or don't exist."""
    kept = []
    for is_known, value in zip(known, values.tolist(), strict=True):
        kept.append(value if is_known else None)
    return objects(kept)
