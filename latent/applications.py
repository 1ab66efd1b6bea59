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
from latent.draws import clock, labels, pick
from latent.workforce import integration_user
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.terms import Opening

NO_DAY = np.datetime64("NaT")
NEVER = np.datetime64("9999-12-31", "s")
NEVER_AGAIN = 4.0  # how much likelier who never opened an account was declined one; by eye
SCORE_UNIT = 100  # the trade's figures are for a score higher or lower by so many points
# Hours of UTC: people fill in forms from the morning in the East to the afternoon in the West.
APPLIED_FROM, APPLIED_UNTIL = 13, 24
MINUTES_TO_GRANT = (2, 30)  # what is decided at once takes so long; by eye
SECONDS_A_MINUTE = 60
# What somebody opens at a weekend was granted in the week before: as many working days before its
# last one. By eye; were all granted on Fridays, those would have as many as two other days.
DECIDED_EARLIER = {"0": 0.35, "1": 0.25, "2": 0.2, "3": 0.2}
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


def applications_table(
    org: Org,
    terms: AccountTerms,
    score: Array,
    wealth: Array,
) -> Table:
    """`Holding.applications` by the moment they were submitted, whatever became of them.

    `asked_score` is the score where the bank asks for it, which it does for credit only.
    `score` and `wealth` are one a customer, the latter in deviations.
    """
    setting = org.setting
    rng = setting.stream("Holding", "applications")
    granted = _granted(org)
    declined = _declined(rng, org, terms, score, granted)
    withdrawn = _withdrawn(rng, org, terms, granted)
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
        {
            "Id": "Application__c",
            "account": "Account",
            "product": "Product2",
            "item": "OrderItem",
            "creator": "User",
        },
        Id=np.arange(len(order)),
        account=made.account[order],
        product=made.product[order],
        item=made.item[order],
        submitted=submitted[order],
        ordered=_ordered_at(org, made.item, submitted)[order],
        decided=decided[order],
        status=made.status[order],
        reason=reason[order],
        score=then[order],
        asked_score=shown[order],
        amount=amount[order],
        creator=_entered_by(org, made.item, submitted)[order],
    )


def _amounts(
    rng: Stream,
    org: Org,
    terms: AccountTerms,
    made: Requests,
    leaning: Array,
) -> Array:
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
    # At a counter, what may be granted on the day is granted while the customer sits there.
    by_hand = _by_hand(org, made.item)
    drawn = rng.integers(soonest, latest + 1)
    waited = np.where(by_hand & (soonest == 0), 0, drawn)
    decided = _on_workdays(org, made, latest)
    # Whoever is new applies as long before as the others: so long there has been an account.
    usual_day = decided - waited * DAY
    day = np.maximum(usual_day, org.setting.first_day)
    went_in = clock(rng, day, APPLIED_FROM, APPLIED_UNTIL)
    granted = _granted_at(rng, org, made.item)
    at_once = by_hand & (day == granted.astype("datetime64[D]"))
    submitted = np.where(at_once, granted, np.minimum(went_in, granted))
    imported = _imported_at(org)[made.account]
    return np.fmax(submitted, np.minimum(imported, granted)), decided


def _ordered_at(org: Org, item: Array, submitted: Array) -> Array:
    """When the order was made of each application and noted on it; of the others as they came."""
    order = org.table("ShoppingHabit.items")["order"][item]
    placed = org.table("ShoppingHabit.orders")["placed"][order].astype("datetime64[s]")
    return np.where(item == NONE, submitted, placed)


def _by_hand(org: Org, item: Array) -> Array:
    """Whether the order of each line was entered by a person."""
    orders = org.table("ShoppingHabit.orders")
    order = org.table("ShoppingHabit.items")["order"][item]
    return np.asarray((item != NONE) & (orders["creator"][order] != integration_user(org)))


def _entered_by(org: Org, item: Array, submitted: Array) -> Array:
    """Who entered each application: whoever entered the order of that day, else a program."""
    orders = org.table("ShoppingHabit.orders")
    order = org.table("ShoppingHabit.items")["order"][item]
    placed = orders["placed"][order].astype("datetime64[D]")
    # What was sent in on an earlier day somebody did at home.
    there = _by_hand(org, item) & (submitted.astype("datetime64[D]") == placed)
    return np.where(there, orders["creator"][order], integration_user(org))


def _imported_at(org: Org) -> Array:
    """When each customer was moved into the CRM who was one before; NaT for the others."""
    customers = org.table("ShoppingHabit.customers")
    never = np.datetime64("NaT", "s")
    return np.where(customers["imported"], customers["since"].astype("datetime64[s]"), never)


def came_with(org: Org, applications: Table) -> Array:
    """When each customer's account was made: as they came, or with an application before that."""
    since = org.table("ShoppingHabit.customers")["since"].astype("datetime64[s]").copy()
    np.minimum.at(since, applications["account"], applications["submitted"])
    return since


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
) -> Array:
    """The days of the decisions: what somebody has to look at is decided on a working day.

    A grant is given before the order is made of it, a refusal when the desk is back.
    """
    closed = org.table("ClosedDays.days")["day"].astype("datetime64[D]")
    rng = org.setting.stream("Holding", "weekend")
    earlier = labels(rng, DECIDED_EARLIER, len(made.decided)).astype(np.int64)
    at_work = np.is_busday(made.decided, holidays=closed)
    back = np.where(at_work, 0, -earlier)
    before = np.busday_offset(made.decided, back, roll="backward", holidays=closed)
    after = np.busday_offset(made.decided, 0, roll="forward", holidays=closed)
    moved = np.where(made.item == NONE, after, before)
    within = (moved >= org.setting.first_day) & (moved <= org.setting.last_day)
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
    # Who was declined may never come again.
    ordered = np.bincount(granted.account, minlength=len(score))
    weight = np.exp(opening.score_declines * below) * np.where(ordered > 0, 1.0, NEVER_AGAIN)
    size = int(likely.sum())
    chance = weight / weight.sum()
    account = rng.choice(len(score), size=size, p=chance)
    product = np.repeat(granted.product, likely)
    return _refused(rng, org, terms, account, product, "Declined")


def _withdrawn(
    rng: Stream,
    org: Org,
    terms: AccountTerms,
    granted: Requests,
) -> Requests:
    """Some customers think better of it, whoever they are."""
    share = org.setting.world.trade.opening.withdrawn
    size = len(granted.account)
    chosen = np.flatnonzero(rng.random(size) < share)
    account = granted.account[chosen]
    product = granted.product[chosen]
    return _refused(rng, org, terms, account, product, "Withdrawn")


def _refused(
    rng: Stream,
    org: Org,
    terms: AccountTerms,
    account: Array,
    product: Array,
    status: str,
) -> Requests:
    """Applications that became no order, on any day on which customer and product were there."""
    size = len(account)
    products = org.table("Assortment.products")
    since = np.maximum(
        _customer_since(org)[account], _in_period(org, products["launched"])[product]
    )
    ended = products["ended"][product].astype("datetime64[D]")
    until = np.maximum(np.fmin(ended, org.setting.last_day), since)
    days = (until - since).astype(np.int64)
    # They apply when they are customers: it is decided as many days later as it takes at most.
    longest = np.minimum(terms.decided[product, 1], days)
    drawn = rng.random(size) * (days - longest + 1)
    lag = longest + np.floor(drawn).astype(np.int64)
    return Requests(
        account=account.astype(np.int64),
        product=product.astype(np.int64),
        item=np.full(size, NONE),
        decided=since + lag * DAY,
        status=np.full(size, status, dtype=object),
    )


def _customer_since(org: Org) -> Array:
    """The day on which each customer came, in the period."""
    return _in_period(org, org.table("ShoppingHabit.customers")["since"])


def _in_period(org: Org, moments: Array) -> Array:
    """The days of moments; what was there before is there from the period's first day on."""
    days = moments.astype("datetime64[D]")
    return np.asarray(np.clip(days, org.setting.first_day, org.setting.last_day))
