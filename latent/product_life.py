"""How long each product is in the range: launched for a season, replaced after some years.

A part of Assortment. The range keeps its size while it turns over: as many products as the trade
says are replaced each year, best sellers last. Knows no prices and no customers.
"""

from dataclasses import dataclass

import numpy as np

from latent.draws import exactly
from latent.elapsed import DAYS_A_YEAR
from latent.holidays import closed_between
from pipeline.world.org import RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array
from schemas.categories import Category

# The best sellers, as many as an order may have lines, and the best of each category are there from
# the first day to the last: an order finds that many different products, and no category is empty.
EVERGREENS = 12

# How likely the best and the poorest sellers are to be replaced, against the mean. Chosen by eye.
BEST_GOES = 0.3
POOREST_GOES = 1.7
LEAST_LIKELY = 0.001
MOST_LIKELY = 0.9
SHORTEST_LIFE, LONGEST_LIFE = 1.25, 1000.0  # years, the last pieces included
SETTLING = 30  # rounds after which the size of the range and the lives in it agree

# A model's last pieces are sold for a quarter of a year on average after its last season.
LEFTOVER_YEARS = 0.25

# A product comes so many days before a peak of its category begins, and it has been there for at
# most so many years when the period begins.
DAYS_AHEAD = (20, 70)
OLDEST_YEARS = 8

MONTHS_A_YEAR = 12
WORKDAYS_A_WEEK = 5


@dataclass(frozen=True, slots=True)
class Lives:
    """The first and the last day of each product, and whether it is still sold at the end."""

    launched: Array
    ended: Array
    active: Array

    def in_order(self, rows: Array) -> "Lives":
        """The same lives in another order."""
        return Lives(self.launched[rows], self.ended[rows], self.active[rows])


def draw_lives(
    rng: Stream,
    setting: RunContext,
    stated: list[Category],
    category: Array,
    popularity: Array,
) -> Lives:
    """When each product comes and goes; `category` is the row of `stated` of each."""
    days = int((setting.last_day - setting.first_day).astype(int)) + 1
    trade = setting.world.trade.range
    evergreen = _evergreens(category, popularity)
    rotating = int((~evergreen).sum())
    there, life = _in_range(
        trade.turnover,
        days / DAYS_A_YEAR,
        rotating,
        int(evergreen.sum()),
    )
    goes = _chance_to_go(popularity, life)
    old = evergreen.copy()
    # Those who rarely go are the likeliest to be found there.
    old[exactly(rng, np.where(evergreen, 0, 1 / goes), round(there))] = True
    years = np.minimum(rng.geometric(goes) - 1, OLDEST_YEARS)
    age = (years + rng.random(len(goes))) * DAYS_A_YEAR
    launch = np.where(
        old,
        -np.ceil(age),
        _launch_days(
            rng,
            setting,
            stated,
            category,
            days,
        ),
    )
    launched = setting.first_day + launch.astype(int).astype("timedelta64[D]")
    launched = _on_working_days(rng, setting, launched)
    reviews = np.where(old, years, 0) + rng.geometric(goes)
    last_year = launched + (reviews * DAYS_A_YEAR).astype(int).astype("timedelta64[D]")
    ended = _sold_out(rng, last_year, trade.markdown_days)
    active = (ended > setting.last_day) | evergreen
    return Lives(launched, np.where(active, setting.last_day, ended), active)


def _evergreens(category: Array, popularity: Array) -> Array:
    """Which products are never replaced."""
    best_first = np.argsort(-popularity, kind="stable")
    _, best_of_each = np.unique(category[best_first], return_index=True)
    evergreen = np.zeros(len(category), dtype=bool)
    evergreen[best_first[:EVERGREENS]] = True
    evergreen[best_first[best_of_each]] = True
    return evergreen


def _in_range(turnover: float, years: float, rotating: int, fixed: int) -> tuple[float, float]:
    """How many rotating products are there at any time, and for how many years each is.

    As many go a year as the turnover says of all that are there, the `fixed` ones included.
    """
    life = LONGEST_LIFE
    there = float(rotating)
    for _ in range(SETTLING):
        there = rotating / (1 + years / life)
        share = there / max(there + fixed, 1.0)
        life = min(max(share / max(turnover, 1 / LONGEST_LIFE), SHORTEST_LIFE), LONGEST_LIFE)
    return there, life


def _chance_to_go(popularity: Array, life: float) -> Array:
    """How likely each product is to be replaced at the end of a year; best sellers least.

    `life` is the mean number of years in the range. Those who stay gather in the range, so it is
    the harmonic mean of the chances that counts.
    """
    rank = np.argsort(np.argsort(-popularity, kind="stable"))
    share = rank / max(len(popularity) - 1, 1)
    weight = BEST_GOES + (POOREST_GOES - BEST_GOES) * share
    chance = weight * (1 / weight).mean() / (life - LEFTOVER_YEARS)
    return np.asarray(np.clip(chance, LEAST_LIKELY, MOST_LIKELY))


def _launch_days(
    rng: Stream,
    setting: RunContext,
    stated: list[Category],
    category: Array,
    days: int,
) -> Array:
    """The day (counted from the first) on which each product comes, some weeks ahead of a peak."""
    size = len(category)
    months = np.zeros(size, dtype=np.int64)
    for row in range(len(stated)):
        shelf = np.flatnonzero(category == row)
        peaks = stated[row].peak or range(1, MONTHS_A_YEAR + 1)
        months[shelf] = rng.choice(np.array(peaks), size=len(shelf))
    first_year = setting.first_day.astype("datetime64[Y]")
    years = int((setting.last_day.astype("datetime64[Y]") - first_year).astype(int)) + 1
    year = first_year + rng.integers(0, years, size=size).astype("timedelta64[Y]")
    peak = year.astype("datetime64[M]") + (months - 1).astype("timedelta64[M]")
    day = (peak.astype("datetime64[D]") - setting.first_day).astype(int)
    day -= rng.integers(*DAYS_AHEAD, size=size)
    # What falls out of the period comes as late in it, or as early.
    return np.asarray(np.maximum(day % days, min(1, days - 1)))


def _on_working_days(rng: Stream, setting: RunContext, launched: Array) -> Array:
    """The same days; what would come on a weekend or a holiday comes on some day of the week of
    work before it, as far as the period reaches.

    Nothing is moved across the period's start: what comes in it is not there before.
    """
    period, closed_on = setting.profile.period, setting.world.trade.staff.closed_on
    found = closed_between(
        setting.country.holidays,
        closed_on,
        period.start,
        period.end,
    )
    closed = np.array([free.day for free in found], dtype="datetime64[D]")
    at_work = np.is_busday(launched, holidays=closed)
    earlier = rng.integers(
        WORKDAYS_A_WEEK,
        size=len(launched),
    )
    back = np.where(at_work, 0, -earlier)
    moved = np.busday_offset(
        launched,
        back,
        roll="backward",
        holidays=closed,
    )
    new = launched > setting.first_day
    late = np.busday_offset(launched, 0, roll="forward", holidays=closed)
    moved = np.where(new & (moved <= setting.first_day), late, moved)
    return np.asarray(np.minimum(moved, np.where(new, setting.last_day, setting.first_day)))


def _sold_out(rng: Stream, last_year: Array, within: tuple[int, int]) -> Array:
    """The day on which a model's last piece is sold: in the season after its last one."""
    month = last_year.astype("datetime64[M]").astype(int)
    # Seasons begin in March, June, September and December: months 2, 5, 8 and 11 from January.
    season = month + 1 + (-(month + 2)) % 3
    shortest, longest = within
    later = rng.integers(shortest, max(longest, shortest) + 1, size=len(last_year))
    start = season.astype("datetime64[M]").astype("datetime64[D]")
    return np.asarray(start + later.astype("timedelta64[D]"))
