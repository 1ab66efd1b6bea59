"""The draws of Holding: terms, the market, applications and accounts.

One function a table; balances are `latent.holding_balances`'s. Knows nothing of how they show in
a CRM.
"""

from dataclasses import dataclass

import numpy as np

from latent.assortment import stated_categories
from latent.credit_scores import scores_then
from latent.draws import clock, labels, pick
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table
from schemas.terms import Opening

DAY = np.timedelta64(1, "D")
DAYS_A_YEAR = 365.25
DAYS_A_CENTURY = 36_525
NEVER = np.datetime64("9999-12-31")
NO_DAY = np.datetime64("NaT")
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
LEAST_MARGIN = 0.8  # of a credit's margin over the market, however good the score is

# The usual lowest and highest amount are two deviations below and above the middle of a log-normal
# distribution. Of a line a third is drawn; of prepaid money somewhat less than half is left. Chosen
# by eye.
USUAL_DEVIATIONS = 2.0
LINE_USED = (2.0, 4.0)
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

ACCOUNT_REFERENCES = {
    "Id": "Asset",
    "item": "OrderItem",
    "account": "Account",
    "product": "Product2",
    "application": "Application__c",
}


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
    products = org.table("Assortment.products")
    stated = [categories[row].terms for row in products["category"]]
    position = rng.random(len(stated))
    which = rng.random(len(stated))
    margins = []
    months = []
    lows = []
    highs = []
    for terms, share, point in zip(stated, position, which, strict=True):
        low, high = terms.rate or (0.0, 0.0)
        margin = low + (high - low) * share
        margins.append(round(margin, PERCENT_PLACES))
        months.append(_months_at(terms.months, point))
        least, most = terms.amount or (0.0, 0.0)
        lows.append(least)
        highs.append(most)
    rated = [terms.rate is not None for terms in stated]
    decided = np.array([terms.decided for terms in stated], dtype=np.int64)
    declined = [terms.declined for terms in stated]
    return AccountTerms(
        holds=strings([terms.holds for terms in stated]),
        charge=strings([terms.charge for terms in stated]),
        unit=strings([terms.unit for terms in stated]),
        rated=np.array(rated, dtype=bool),
        margin=np.array(margins, dtype=float),
        months=np.array(months, dtype=np.int64),
        low=np.array(lows),
        high=np.array(highs),
        decided=decided.reshape(-1, 2),
        declined=np.array(declined, dtype=float),
    )


def _months_at(choices: tuple[int, ...], point: float) -> int:
    """The term at a point from 0 to 1 of those that a category offers; 0 where it offers none."""
    if not choices:
        return 0
    return choices[int(point * len(choices))]


def market_path(org: Org) -> tuple[Array, Array]:
    """The months of the period, as texts like 2021-03, and the market's rate in each."""
    setting = org.setting
    rng = setting.stream("Holding", "market")
    opening = setting.world.trade.opening
    first = setting.first_day.astype("datetime64[M]")
    last = setting.last_day.astype("datetime64[M]")
    months = np.arange(first, last + 1)
    low, high = opening.market
    rate = low + (high - low) * rng.random()
    upwards = rate < (low + high) / 2
    rates = []
    known = _known_rates(opening, months)
    for place, (move, turn) in enumerate(rng.random((len(months), 2))):
        if np.isfinite(known[place]):
            rate = float(known[place])
        rates.append(round(rate, PERCENT_PLACES))
        if turn > MARKET_GOES_ON:
            upwards = not upwards
        if move >= MARKET_MOVES:
            continue
        if upwards:
            rate += opening.market_step
        else:
            rate -= opening.market_step
        rate = min(max(rate, low), high)
    names = [str(month) for month in months]
    return strings(names), np.array(rates)


def _known_rates(opening: Opening, months: Array) -> Array:
    """The market's rate in each month between two years of which it is known, else NaN."""
    if len(opening.market_of) < 2:
        return np.full(len(months), np.nan)
    years = sorted(opening.market_of)
    rates = [opening.market_of[year] for year in years]
    since_1970 = months.astype("datetime64[M]").astype(np.int64)
    dates = 1970 + since_1970 / MONTHS_A_YEAR
    return np.asarray(np.interp(dates, years, rates, left=np.nan, right=np.nan))


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
    setting = org.setting
    rng = setting.stream("Holding", "applications")
    granted = _granted(org)
    declined = _declined(rng, org, terms, score, granted)
    withdrawn = _withdrawn(rng, org, granted)
    made = granted.with_more(declined).with_more(withdrawn)
    size = len(made.account)
    soonest = terms.decided[made.product, 0]
    latest = terms.decided[made.product, 1]
    waited = rng.integers(soonest, latest + 1)
    since = _customer_since(org)[made.account]
    earliest = np.minimum(since, made.decided)
    usual_day = made.decided - waited * DAY
    day = np.maximum(usual_day, earliest)
    submitted = clock(rng, day, APPLIED_FROM, APPLIED_UNTIL)
    step = ROUNDED_TO * setting.country.currency.rate
    low = terms.low[made.product]
    high = terms.high[made.product]
    amount = _amounts(rng, low, high, step)
    elapsed = (submitted.astype("datetime64[D]") - setting.first_day).astype(float)
    then = scores_then(setting.stream("Holding", "scores"), score, made.account, elapsed)
    reasons = _decline_reasons(rng, setting.world.trade.opening, then)
    reason = known_or_none(made.status == "Declined", reasons)
    pending = made.status == "In Review"
    decided = np.where(pending, NO_DAY, made.decided)
    asked = known_or_none(amount > 0, amount)
    order = np.argsort(submitted, kind="stable")
    return table(
        "Holding.applications",
        {"Id": "Application__c", "account": "Account", "product": "Product2", "item": "OrderItem"},
        Id=np.arange(size),
        account=made.account[order],
        product=made.product[order],
        item=made.item[order],
        submitted=submitted[order],
        decided=decided[order],
        status=made.status[order],
        reason=reason[order],
        score=then[order],
        amount=asked[order],
    )


def _decline_reasons(rng: Stream, opening: Opening, score: Array) -> Array:
    """Why each application would be declined, as far as its score allows for that."""
    reasons = list(opening.decline_reasons)
    weights = np.array(list(opening.decline_reasons.values()))
    of_low = np.isin(reasons, opening.low_score_reasons)
    low = score < opening.score[0]
    # Where all reasons are those of low scores, they are given to anybody.
    likely = weights * np.where(of_low.all() | ~of_low | low[:, None], 1.0, 0.0)
    return strings(reasons)[pick(rng, likely)]


def _granted(org: Org) -> Requests:
    """The orders' lines, those of drafts still looked at; none in another kind of trade."""
    orders = org.table("ShoppingHabit.orders")
    items = org.table("ShoppingHabit.items")
    opens_accounts = org.setting.world.trade.kind == "accounts"
    item = np.arange(items.size if opens_accounts else 0)
    order = items["order"][item]
    draft = orders["status"][order] == "Draft"
    status = np.where(draft, "In Review", "Approved")
    return Requests(
        account=orders["account"][order],
        product=items["product"][item],
        item=item,
        decided=orders["day"][order].astype("datetime64[D]"),
        status=status.astype(object),
    )


def _declined(
    rng: Stream, org: Org, terms: AccountTerms, score: Array, granted: Requests
) -> Requests:
    """As many as the categories' shares say, rather of customers with low scores."""
    opening = org.setting.world.trade.opening
    share = terms.declined[granted.product]
    # So many are declined for each granted one that their share of all is as stated.
    likely = rng.poisson(share / (1 - share))
    below = (opening.score[0] - score) / SCORE_UNIT
    weight = np.exp(opening.score_declines * below)
    size = int(likely.sum())
    chance = weight / weight.sum()
    account = rng.choice(len(score), size=size, p=chance)
    product = np.repeat(granted.product, likely)
    return _refused(rng, org, account, product, "Declined")


def _withdrawn(rng: Stream, org: Org, granted: Requests) -> Requests:
    """Some customers think better of it, whoever they are."""
    share = org.setting.world.trade.opening.withdrawn
    size = len(granted.account)
    chosen = np.flatnonzero(rng.random(size) < share)
    account = granted.account[chosen]
    product = granted.product[chosen]
    return _refused(rng, org, account, product, "Withdrawn")


def _refused(rng: Stream, org: Org, account: Array, product: Array, status: str) -> Requests:
    """Applications that became no order, on any day since the customer came."""
    size = len(account)
    since = _customer_since(org)[account]
    days = (org.setting.last_day - since).astype(np.int64)
    drawn = rng.random(size) * (days + 1)
    lag = np.floor(drawn).astype(np.int64)
    return Requests(
        account=account.astype(np.int64),
        product=product.astype(np.int64),
        item=np.full(size, NONE),
        decided=since + lag * DAY,
        status=np.full(size, status, dtype=object),
    )


def _customer_since(org: Org) -> Array:
    """The day on which each customer came, in the period."""
    customers = org.table("ShoppingHabit.customers")
    days = customers["since"].astype("datetime64[D]")
    first = org.setting.first_day
    last = org.setting.last_day
    within = np.clip(days, first, last)
    return np.asarray(within)


def accounts_table(org: Org, terms: AccountTerms, market: Array, applications: Table) -> Table:
    """`Holding.accounts`: one for each granted application, in their order."""
    setting = org.setting
    rng = setting.stream("Holding", "accounts")
    opening = setting.world.trade.opening
    rows = np.flatnonzero(applications["status"] == "Approved")
    account = applications["account"][rows]
    product = applications["product"][rows]
    item = applications["item"][rows]
    amount = numbers(applications["amount"][rows])
    size = len(rows)
    opened = _opened(rng, org, applications["decided"][rows], item)
    holds = terms.holds[product]
    months = terms.months[product]
    has_term = months > 0
    matures = months_on(opened, months)
    left = _leaving(rng, org, opened, item)
    term_ends = np.where(has_term, matures, NEVER)
    ended = np.minimum(left, term_ends)
    over = ended <= setting.last_day
    matured = over & has_term & (matures <= left)
    market_then = _at(org, market, opened)
    rate = _rates(opening, terms, product, applications["score"][rows], market_then)
    reasons = labels(rng, opening.close_reasons, size)
    reason = known_or_none(over & ~matured, reasons)
    limited = holds == LINE
    return table(
        "Holding.accounts",
        ACCOUNT_REFERENCES,
        Id=np.arange(size),
        item=item,
        account=account,
        product=product,
        application=rows,
        holds=holds,
        opened=opened,
        matures=np.where(has_term, matures, NO_DAY),
        last=np.where(over, ended, setting.last_day),
        closed=np.where(over, ended, NO_DAY),
        status=_statuses(over, matured, holds),
        reason=np.where(matured, "Term ended", reason),
        rate=known_or_none(terms.rated[product], rate),
        limit=known_or_none(limited, amount),
        months=known_or_none(has_term, months),
        opening=np.where(limited, 0.0, amount),
        use=_use(rng, holds),
    )


def _opened(rng: Stream, org: Org, decided: Array, item: Array) -> Array:
    """The day on which each granted account is opened: a few days after it was decided, but no
    later than the first case about it, for whoever writes about an account has it.
    """
    waited = rng.integers(0, OPENED_WITHIN, size=len(decided))
    granted = decided.astype("datetime64[D]")
    opened = np.minimum(granted + waited * DAY, org.setting.last_day)
    return np.asarray(np.fmin(opened, np.fmax(granted, first_cases(org)[item])))


def _leaving(rng: Stream, org: Org, opened: Array, item: Array) -> Array:
    """The day on which each account's customer would close it, if its term hasn't ended before.

    Who has complained about it leaves sooner, and no account is closed before its last case.
    """
    yearly = org.setting.world.trade.opening.closed_yearly
    last_case = last_cases(org)[item]
    complained = ~np.isnat(last_case)
    usual_hazard = -np.log1p(-yearly)
    hazard = usual_hazard * np.where(complained, COMPLAINT_HASTENS, 1.0)
    lots = rng.exponential(size=len(item))
    years = lots / np.maximum(hazard, 1e-9)
    days = np.minimum(years * DAYS_A_YEAR, DAYS_A_CENTURY)
    whole_days = np.maximum(days, MONTHS_A_QUARTER).astype(np.int64)
    left = opened + whole_days * DAY
    after_case = last_case + DAYS_AFTER_CASE * DAY
    left_after_case = np.maximum(left, after_case)
    return np.asarray(np.where(complained, left_after_case, left))


def first_cases(org: Org) -> Array:
    """For each order line the day of the first case about it, or no day."""
    # Cases stand in order of creation, so that backwards the first one of a line is kept.
    cases = org.table("ComplaintHabit.cases")
    first = np.full(org.table("ShoppingHabit.items").size, NO_DAY, "datetime64[D]")
    first[cases["item"][::-1]] = cases["created"][::-1].astype("datetime64[D]")
    return first


def last_cases(org: Org) -> Array:
    """For each order line the day of the last case about it, or no day."""
    cases = org.table("ComplaintHabit.cases")
    items = org.table("ShoppingHabit.items")
    last = np.full(items.size, NO_DAY, "datetime64[D]")
    # Cases stand in the order of their creation, so a later one takes an earlier one's place.
    named = cases["item"] != NONE
    named_items = cases["item"][named]
    created = cases["created"][named]
    last[named_items] = created.astype("datetime64[D]")
    return last


def months_on(days: Array, months: Array) -> Array:
    """The same day of the month so many months later, or that month's last day."""
    first = days.astype("datetime64[M]")
    since_first = days - first.astype("datetime64[D]")
    place = since_first.astype(np.int64)
    later = first + months.astype("timedelta64[M]")
    begins = later.astype("datetime64[D]")
    ends = (later + 1).astype("datetime64[D]")
    length = (ends - begins).astype(np.int64)
    later_place = np.minimum(place, length - 1)
    return np.asarray(begins + later_place * DAY)


def _rates(
    opening: Opening, terms: AccountTerms, product: Array, score: Array, market: Array
) -> Array:
    """Market and margin; credit is dearer for a lower score, cheaper for a higher one.

    The best score takes a part of the margin alone: no bank lends at what it pays itself.
    """
    below = (opening.score[0] - score) / SCORE_UNIT
    is_credit = np.isin(terms.holds[product], CREDIT)
    dearer = np.where(is_credit, opening.score_costs * below, 0.0)
    margin = terms.margin[product]
    least = np.where(is_credit, margin * LEAST_MARGIN, -np.inf)
    rate = market + np.maximum(margin + dearer, least)
    positive = np.maximum(rate, LOWEST_RATE)
    return np.asarray(np.round(positive, PERCENT_PLACES))


def _at(org: Org, market: Array, days: Array) -> Array:
    """The market's rate on each day."""
    first = org.setting.first_day.astype("datetime64[M]")
    month = days.astype("datetime64[M]") - first
    return np.asarray(market[month.astype(np.int64)])


def _statuses(over: Array, matured: Array, holds: Array) -> Array:
    at_term = np.where(holds == LOAN, "Paid Off", "Matured")
    otherwise = np.where(over, "Closed", "Open")
    return np.where(matured, at_term, otherwise).astype(object)


def _amounts(rng: Stream, low: Array, high: Array, step: float) -> Array:
    """What customers ask for, in whole steps (fifties); 0 where there is nothing to ask for."""
    squared = np.maximum(low * high, 1.0)
    middle = np.log(squared) / 2
    least = np.maximum(low, 1.0)
    most = np.maximum(high, 1.0)
    spread = np.log(most / least) / (2 * USUAL_DEVIATIONS)
    deviations = rng.normal(size=len(low))
    drawn = np.exp(middle + spread * deviations)
    nearest = np.round(drawn / step)
    steps = np.maximum(nearest, 1)
    return np.where(high > 0, steps * step, 0.0)


def _use(rng: Stream, holds: Array) -> Array:
    """The share of a line that is drawn, or of prepaid money that is left."""
    size = len(holds)
    drawn = rng.beta(*LINE_USED, size=size)
    left = rng.beta(*PREPAID_LEFT, size=size)
    unless_line = np.where(holds == PREPAID, left, 1.0)
    share = np.where(holds == LINE, drawn, unless_line)
    return np.round(share, 3)


def numbers(values: Array) -> Array:
    """A column that may be empty as numbers, 0 for none."""
    numbers = [value or 0 for value in values]
    return np.array(numbers, dtype=float)


def known_or_none(known: Array, values: Array) -> Array:
    """Values, and None where they aren't known or don't exist."""
    kept = []
    for is_known, value in zip(known, values.tolist(), strict=True):
        if is_known:
            kept.append(value)
        else:
            kept.append(None)
    return objects(kept)
