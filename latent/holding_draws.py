"""The accounts of Holding: what is opened of the granted applications, and when it ends.

Terms are `latent.account_terms`'s, applications `latent.applications`'s and balances
`latent.holding_balances`'s. Knows nothing of how they show in a CRM.
"""

import numpy as np

from latent.account_terms import (
    DAY,
    LINE,
    LOAN,
    MONTHS_A_QUARTER,
    PERCENT_PLACES,
    PREPAID,
    AccountTerms,
    known_or_none,
    months_on,
    numbers,
)
from latent.applications import NO_DAY, SCORE_UNIT
from latent.draws import labels
from latent.elapsed import DAYS_A_YEAR
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table
from schemas.terms import Opening

DAYS_A_CENTURY = 36_525
NEVER = np.datetime64("9999-12-31")
PERCENT = 100
OPENED_WITHIN = 3  # the account is there up to two days after the decision
LOWEST_RATE = 0.01
LEAST_MARGIN = 0.8  # of a credit's margin over the market, however good the score is
# Of a line a third is drawn; of prepaid money somewhat less than half is left: beta distributions,
# chosen by eye.
LINE_USED = (2.0, 4.0)
PREPAID_LEFT = (1.5, 2.0)
# By how much less of a line is drawn for a score higher by a deviation (its logarithm), by eye.
DRAWS_LESS = 0.35
MOST_DRAWN = 0.97

# Who has complained about an account is this much likelier to close it, and nobody closes one
# within two weeks of a complaint about it. Chosen by eye.
COMPLAINT_HASTENS = 2.5
DAYS_AFTER_CASE = 14
# So much of what would end on a weekend waits for the days behind it. Chosen by eye.
WAITS_FOR_MONDAY = 0.8
WORKDAYS = 5
CREDIT = (LOAN, LINE)
ACCOUNT_REFERENCES = {
    "Id": "Asset",
    "item": "OrderItem",
    "account": "Account",
    "product": "Product2",
    "application": "Application__c",
}


def accounts_table(org: Org, terms: AccountTerms, market: Array, applications: Table) -> Table:
    """`Holding.accounts`: one for each granted application, in the order of opening."""
    setting = org.setting
    rng = setting.stream("Holding", "accounts")
    opening = setting.world.trade.opening
    rows = np.flatnonzero(applications["status"] == "Approved")
    opened = _opened(rng, org, applications["item"][rows])
    order = np.argsort(opened, kind="stable")
    rows = rows[order]
    opened = opened[order]
    account = applications["account"][rows]
    product = applications["product"][rows]
    item = applications["item"][rows]
    amount = numbers(applications["amount"][rows])
    size = len(rows)
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
        use=_use(rng, opening, holds, applications["score"][rows]),
    )


def _opened(
    rng: Stream,
    org: Org,
    item: Array,
) -> Array:
    """The day on which each granted account is opened: a few days after its order, but no
    later than the first case about it, for whoever writes about an account has it.
    """
    waited = rng.integers(0, OPENED_WITHIN, size=len(item))
    orders = org.table("ShoppingHabit.orders")
    order = org.table("ShoppingHabit.items")["order"][item]
    ordered = orders["day"][order]
    granted = ordered.astype("datetime64[D]")
    opened = np.minimum(granted + waited * DAY, org.setting.last_day)
    return np.asarray(np.fmin(opened, np.fmax(granted, first_cases(org)[item])))


def _leaving(
    rng: Stream,
    org: Org,
    opened: Array,
    item: Array,
) -> Array:
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
    return _on_days_of_work(rng, np.where(complained, left_after_case, left))


def _on_days_of_work(rng: Stream, days: Array) -> Array:
    """Most of what falls on a weekend is done on one of the five days of work behind it: some
    close an account in the app, the others by post or at a branch.
    """
    later = np.busday_offset(days, rng.integers(WORKDAYS, size=len(days)), roll="forward")
    waits = ~np.is_busday(days) & (rng.random(len(days)) < WAITS_FOR_MONDAY)
    return np.asarray(np.where(waits, later, days))


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


def _use(
    rng: Stream,
    opening: Opening,
    holds: Array,
    score: Array,
) -> Array:
    """The share of a line that is drawn, or of prepaid money that is left.

    Who has a low score draws more: that is what the score is made of.
    """
    size = len(holds)
    mean, spread = opening.score
    above = (score - mean) / max(spread, 1.0)
    drawn = np.minimum(rng.beta(*LINE_USED, size=size) * np.exp(-DRAWS_LESS * above), MOST_DRAWN)
    left = rng.beta(*PREPAID_LEFT, size=size)
    unless_line = np.where(holds == PREPAID, left, 1.0)
    share = np.where(holds == LINE, drawn, unless_line)
    return np.round(share, 3)
