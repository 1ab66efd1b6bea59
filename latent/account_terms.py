"""The terms of what is held: what accounts of each product run for, and the market's rates.

A part of Holding. Knows no customer.
"""

from dataclasses import dataclass

import numpy as np

from latent.assortment import stated_categories
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, objects, strings
from schemas.terms import Opening

DAY = np.timedelta64(1, "D")

# In two months of five the market's rate moves, and four times of five in the direction of the time
# before: central banks change their rates in rows of equal steps. Chosen by eye after the federal
# funds rate of 2015 to 2023.
MARKET_MOVES = 0.4
MARKET_GOES_ON = 0.8

# The usual lowest and highest amount are two deviations below and above the middle of a log-normal
# distribution. Chosen by eye.
USUAL_DEVIATIONS = 2.0
# How far an amount follows from what is known of its customer: a correlation. Chosen by eye.
LEANS = 0.6
PERCENT_PLACES = 2
MONTHS_A_YEAR = 12
MONTHS_A_QUARTER = 3
LOAN = "loan"
LINE = "line"
DEPOSIT = "deposit"
PREPAID = "prepaid"


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


# People ask for round sums, the rounder the larger: below a thousand for fifties or hundreds, for
# hundreds to thousands, for thousands, most of them. Counted in steps of fifty; by eye.
LARGER_FROM = (20, 200, 2000)
ROUND_SUMS = ((1, 1, 2), (2, 10, 20), (10, 20, 100), (10, 20, 100))
ROUNDING_SHARES = (0.2, 0.45, 0.35)


def amounts_between(
    rng: Stream,
    low: Array,
    high: Array,
    step: float,
    leaning: Array,
) -> Array:
    """What customers ask for, in round sums of whole steps (fifties); 0 where there is none.

    `leaning` says by how many deviations each is known to ask for more or less; chance does the
    rest, so that the usual amounts stay as they are.
    """
    squared = np.maximum(low * high, 1.0)
    middle = np.log(squared) / 2
    least = np.maximum(low, 1.0)
    most = np.maximum(high, 1.0)
    spread = np.log(most / least) / (2 * USUAL_DEVIATIONS)
    chance = np.sqrt(np.maximum(1 - LEANS**2, 0.0))
    deviations = LEANS * leaning + chance * rng.normal(size=len(low))
    drawn = np.exp(middle + spread * deviations)
    steps = drawn / step
    taste = rng.choice(len(ROUNDING_SHARES), size=len(low), p=ROUNDING_SHARES)
    rounded = np.array(ROUND_SUMS)[np.searchsorted(LARGER_FROM, steps, side="right"), taste]
    nearest = np.maximum(np.round(steps / rounded), 1)
    return np.where(high > 0, nearest * rounded * step, 0.0)


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
