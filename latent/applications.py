"""Who applies for what is held, and what becomes of it: granted, declined or withdrawn.

A part of Holding. Knows no accounts: they are opened by `latent.holding_draws`.
"""

from dataclasses import dataclass

import numpy as np

from latent.account_terms import (
    DAY,
    LINE,
    LOAN,
    AccountTerms,
    amounts_between,
    known_or_none,
)
from latent.credit_scores import scores_then
from latent.draws import clock, pick
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.terms import Opening

NO_DAY = np.datetime64("NaT")
NEVER = np.datetime64("9999-12-31", "s")
SCORE_UNIT = 100  # the trade's figures are for a score higher or lower by so many points
APPLIED_FROM, APPLIED_UNTIL = 8, 22  # people fill in forms from eight in the morning to ten
MINUTES_TO_GRANT = (2, 30)  # what is decided at once takes so long; by eye
SECONDS_A_MINUTE = 60
ROUNDED_TO = 50  # people ask for whole fifties of dollars


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


def applications_table(org: Org, terms: AccountTerms, score: Array, wealth: Array) -> Table:
    """`Holding.applications` by the moment they were submitted, whatever became of them.

    `asked_score` is the score where the bank asks for it, which it does for credit only.
    `score` and `wealth` are one a customer, the latter in deviations.
    """
    setting = org.setting
    rng = setting.stream("Holding", "applications")
    granted = _granted(org)
    declined = _declined(rng, org, terms, score, granted)
    withdrawn = _withdrawn(rng, org, granted)
    made = granted.with_more(declined).with_more(withdrawn)
    submitted, decided = _moments(rng, org, terms, made)
    lent = np.isin(terms.holds[made.product], (LOAN, LINE))
    # What is saved follows from what somebody has, what is lent from the score.
    leaning = np.where(lent, _worth(setting, score)[made.account], wealth[made.account])
    amount = _amounts(rng, org, terms, made, leaning)
    elapsed = (submitted.astype("datetime64[D]") - setting.first_day).astype(float)
    then = scores_then(setting.stream("Holding", "scores"), score, made.account, elapsed)
    opening = setting.world.trade.opening
    shown, counted = _asked_scores(lent, then, opening)
    reasons = _decline_reasons(rng, opening, counted)
    reason = known_or_none(made.status == "Declined", reasons)
    decided = np.where(made.status == "In Review", NO_DAY, decided)
    order = np.argsort(submitted, kind="stable")
    return table(
        "Holding.applications",
        {"Id": "Application__c", "account": "Account", "product": "Product2", "item": "OrderItem"},
        Id=np.arange(len(order)),
        account=made.account[order],
        product=made.product[order],
        item=made.item[order],
        submitted=submitted[order],
        decided=decided[order],
        status=made.status[order],
        reason=reason[order],
        score=then[order],
        asked_score=shown[order],
        amount=amount[order],
    )


def _amounts(rng: Stream, org: Org, terms: AccountTerms, made: Requests, leaning: Array) -> Array:
    """What each application asks for, in round sums; None where its product has no amount."""
    low = terms.low[made.product]
    high = terms.high[made.product]
    step = ROUNDED_TO * org.setting.country.currency.rate
    amount = amounts_between(rng, low, high, step, leaning)
    return known_or_none(amount > 0, amount)


def _moments(
    rng: Stream,
    org: Org,
    terms: AccountTerms,
    made: Requests,
) -> tuple[Array, Array]:
    """When each was submitted, and the day on which it is decided."""
    soonest, latest = terms.decided[made.product].T
    waited = rng.integers(soonest, latest + 1)
    since = _customer_since(org)[made.account]
    earliest = np.minimum(since, made.decided)
    decided = _on_workdays(org, made, latest, since)
    usual_day = decided - waited * DAY
    day = np.maximum(usual_day, np.minimum(earliest, decided))
    submitted = clock(rng, day, APPLIED_FROM, APPLIED_UNTIL)
    return np.minimum(submitted, _granted_at(rng, org, made.item)), decided


def _worth(setting: RunContext, score: Array) -> Array:
    """How much better than usual each score is, in deviations."""
    usual, spread = setting.world.trade.opening.score
    better = score - usual
    return np.asarray(better / max(spread, 1.0))


def _asked_scores(
    lent: Array,
    then: Array,
    opening: Opening,
) -> tuple[Array, Array]:
    """The scores that are asked for, None where none is, and by which an application is judged.

    Nobody asks for the score of who brings money, nor declines them for it.
    """
    shown = known_or_none(lent, then)
    counted = np.where(lent, then, opening.score[0])
    return shown, counted


def _on_workdays(
    org: Org,
    made: Requests,
    latest: Array,
    since: Array,
) -> Array:
    """The days of the decisions: what somebody has to look at is decided on a working day.

    A grant is given before the order is made of it, a refusal when the desk is back.
    """
    closed = org.table("ClosedDays.days")["day"].astype("datetime64[D]")
    before = np.busday_offset(made.decided, 0, roll="backward", holidays=closed)
    after = np.busday_offset(made.decided, 0, roll="forward", holidays=closed)
    moved = np.where(made.item == NONE, after, before)
    within = (moved >= since) & (moved <= org.setting.last_day)
    by_people = (latest > 0) & (made.status != "Withdrawn")
    return np.where(within & by_people, moved, made.decided)


def _granted_at(
    rng: Stream,
    org: Org,
    item: Array,
) -> Array:
    """Minutes before the order was made of each application; NEVER where none was."""
    order = org.table("ShoppingHabit.items")["order"][item]
    placed = org.table("ShoppingHabit.orders")["placed"][order].astype("datetime64[s]")
    minutes = rng.uniform(*MINUTES_TO_GRANT, size=len(item))
    seconds = minutes * SECONDS_A_MINUTE
    before = placed - seconds.astype("timedelta64[s]")
    return np.where(item == NONE, NEVER, before)


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
    """An application for each line of an order; one on a draft is still in review.

    A trade that opens no accounts has no applications.
    """
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
