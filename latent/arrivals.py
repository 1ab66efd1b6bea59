"""How customers are won and kept: their segment, their rate, when they come and when they drop out.

A part of ShoppingHabit, after the model of Fader, Hardie and Lee ("Counting your customers the easy
way", 2005): orders at a rate of one's own, and after each order a chance of one's own that it was
the last. Knows no products and no books.
"""

from dataclasses import dataclass

import numpy as np

from latent.counters import Counters
from latent.draws import exactly, pick, split
from latent.elapsed import DAYS_A_YEAR
from latent.visits import busyness, open_days
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings
from schemas.buying import Buying, Segment

# Days between registering and ordering are log-normal; the spread is chosen by eye, so that one in
# ten of those who wait does so for months.
LAG_SIGMA = 1.3

# The imported customers are written into the CRM in the night in which it goes live, from a moment
# (UTC) in the small hours of the country's east on: batches of two hundred, some seconds each.
WENT_LIVE = (5 * 3600, 9 * 3600 + 1800)
A_BATCH = 200
BATCH_SECONDS = (2, 9)

# Whom a company still has from earlier is likelier of a segment by this power of its orders.
KEPT_POWER = 0.3

# Multiples of the golden ratio's fraction spread numbers over a range as evenly as can be.
GOLDEN = (5**0.5 - 1) / 2

# Customers differ in how much they buy at once: a gamma of mean 1 and this shape, by eye.
BASKET_SHAPE = 4.0

# Nobody takes all there is room for just because there is; some stop at two fifths. Chosen by eye.
OWN_ROOM = 0.4

LEAST_RATE = 1e-3  # orders a year; who has none is given a far-off order rather than none


@dataclass(frozen=True, slots=True)
class Custom:
    """How each customer buys; one row a customer, in the order in which they came.

    `came` is the day of registration, `first` that of the first order, `last` the day after which
    the customer never comes again (the period's last day for who is still there).
    """

    segment: Array
    label: Array
    basket: Array
    channel: Array
    imported: Array
    yearly: Array
    dropout: Array
    came: Array
    first: Array
    last: Array
    orders: Array


def draw_custom(
    org: Org,
    households: Array,
    wanted: int,
    most: int,
) -> Custom:
    """How customers buy, so that they place exactly `wanted` orders, and nobody more than `most`.

    `households` is the kind of each customer's household.
    """
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "custom")
    buying = setting.world.trade.buying
    size = len(households)
    channel, came, imported = _arrivals(rng, org, size)
    looks = _number_of_lookers(buying.prospects, size, wanted, most)
    place = _segments(
        rng,
        setting,
        households,
        came,
        imported,
        wanted / (size - looks),
    )
    listed = buying.segments
    mean_rate = np.array([segment.yearly for segment in listed])[place]
    mean_dropout = np.array([segment.dropout for segment in listed])[place]
    yearly = mean_rate * rng.gamma(buying.rate_shape, 1 / buying.rate_shape, size=size)
    yearly = np.maximum(yearly, LEAST_RATE)
    dropout = _dropouts(rng, mean_dropout, buying.dropout_strength)
    first = _first_orders(rng, org, came, channel, imported, yearly)
    repeats, last = _lives(rng, setting, first, yearly, dropout)
    usual = np.array([segment.basket for segment in listed])[place]
    return Custom(
        segment=strings([listed[row].name for row in place]),
        label=strings([listed[row].label for row in place]),
        basket=1 + (usual - 1) * rng.gamma(BASKET_SHAPE, 1 / BASKET_SHAPE, size=size),
        channel=channel,
        imported=imported,
        yearly=yearly,
        dropout=dropout,
        came=came,
        first=first,
        last=last,
        orders=_numbers(rng, repeats, wanted, most, _lookers(setting, repeats, imported, looks)),
    )


def imported_at(setting: RunContext, size: int) -> Array:
    """When each of so many customers would be imported, one batch after another."""
    rng = setting.own_stream("ShoppingHabit", "imported")
    start = setting.first_day.astype("datetime64[s]") + rng.integers(*WENT_LIVE)
    batch = np.arange(size) // A_BATCH
    seconds = rng.integers(
        *BATCH_SECONDS,
        size=size // A_BATCH + 1,
    )
    since_start = np.cumsum(seconds)
    return np.asarray(start + since_start[batch])


def channel_names(setting: RunContext) -> tuple[list[str], Array]:
    """The trade's channels and their shares."""
    channels = setting.world.trade.channels
    weights = np.array([channel.weight for channel in channels])
    return [channel.name for channel in channels], weights / weights.sum()


def _arrivals(rng: Stream, org: Org, size: int) -> tuple[Array, Array, Array]:
    """Each customer's usual channel, day of registration and whether they were imported.

    In the order in which they came, the imported first. Within a month more come on the days of a
    promotion, and fewer after one.
    """
    setting = org.setting
    names, shares = channel_names(setting)
    calendar = np.arange(setting.first_day, setting.last_day + 1)
    closed = org.table("ClosedDays.days")["day"]
    busy = np.stack(
        [
            busyness(
                setting,
                name,
                calendar,
                closed,
            )
            for name in names
        ],
        axis=1,
    )
    drawn_to = _won(setting, calendar) * _lift_within_month(org, calendar)
    bounds = np.cumsum(drawn_to * (busy @ shares))
    # One customer in each of as many equal parts of the curve: it shows at any number of customers.
    points = (np.arange(size) + rng.random(size)) / size
    places = np.searchsorted(bounds, points * bounds[-1])
    drawn = np.minimum(rng.permutation(places), len(calendar) - 1)
    number = round(size * setting.world.trade.buying.imported)
    imported = np.arange(size) < number
    drawn[number:].sort()
    came = np.where(imported, setting.first_day, calendar[drawn])
    # Which channel it was follows from the day: on a Saturday a shop, on a holiday the web.
    likely = Counters(org).channel_weights()
    by_day = likely * np.where(imported[:, None], 1.0, busy[drawn])
    by_day = np.where(by_day.any(axis=1, keepdims=True), by_day, likely)
    return strings(names)[pick(rng, by_day)], came, imported


def _won(setting: RunContext, calendar: Array) -> Array:
    """How many customers each day wins beside the others, by its month and the growth since."""
    buying = setting.world.trade.buying
    of_year = calendar.astype("datetime64[M]").astype(int) % 12
    elapsed = calendar - setting.first_day
    years = elapsed.astype(int) / DAYS_A_YEAR
    growth = (1 + buying.growth) ** years
    won: Array = np.array(buying.months)[of_year] * growth
    return won


def _lift_within_month(org: Org, calendar: Array) -> Array:
    """What promotions add to a day, or take from the days after them, beside its month's mean."""
    lift = org.table("Season.days")["lift"].astype(float)
    _, month = np.unique(calendar.astype("datetime64[M]"), return_inverse=True)
    usual = np.bincount(month, weights=lift) / np.bincount(month)
    # The months' own figures hold the promotions in them; a month of dips falls behind its own.
    own: Array = lift / np.maximum(usual, 1.0)[month]
    return own


def _segments(
    rng: Stream,
    setting: RunContext,
    households: Array,
    came: Array,
    imported: Array,
    mean: float,
) -> Array:
    """The row of each customer's segment, where those who order place `mean` orders each."""
    listed = setting.world.trade.buying.segments
    days = (setting.last_day - came).astype(float) + 1
    expected = np.stack([expected_orders(segment, days / DAYS_A_YEAR) for segment in listed], 1)
    families = np.array([segment.families for segment in listed])
    with_children = np.where((households == "family")[:, None], families, 1.0)
    # Those who were there before are rather those who came again.
    kept = with_children * np.where(imported[:, None], expected**KEPT_POWER, 1.0)
    usual = np.array([segment.share for segment in listed]) * kept
    surplus = np.array([segment.surplus for segment in listed]) * kept
    chances = mixed(usual, surplus, expected, mean)
    # Points of the golden section cover every cohort evenly, so that each has all segments.
    points = (rng.random() + GOLDEN * np.arange(len(households))) % 1
    bounds = np.cumsum(chances, axis=1)
    place = (points[:, None] * bounds[:, -1:] > bounds).sum(axis=1)
    return np.asarray(np.minimum(place, len(listed) - 1))


def mixed(
    usual: Array,
    surplus: Array,
    expected: Array,
    mean: float,
) -> Array:
    """How likely each customer is of each segment, where they place `mean` orders on average.

    All matrices are customers × segments: how likely each segment is in a business of usual size,
    and among those whom a business with more orders a customer has in place of others, and how many
    orders each would place. As many customers are replaced as it takes.
    """
    chances = usual / usual.sum(axis=1, keepdims=True)
    if not surplus.any():
        return np.asarray(chances)
    heavy = surplus / surplus.sum(axis=1, keepdims=True)
    placed = float((chances * expected).sum(axis=1).mean())
    heavily = float((heavy * expected).sum(axis=1).mean())
    if placed >= mean or heavily <= placed:
        return np.asarray(chances)
    replaced = min((mean - placed) / (heavily - placed), 1.0)
    return np.asarray((1 - replaced) * chances + replaced * heavy)


def expected_orders(segment: Segment, years: Array) -> Array:
    """How many orders customers place in so many years, the first one included.

    Orders end at the rate yearly × dropout, so they come to (1 - p) / p × (1 - e^(-λ p t)).
    """
    p = max(segment.dropout, 1e-6)
    ended = 1 - np.exp(-segment.yearly * p * years)
    return np.asarray(1 + (1 - p) / p * ended)


def _dropouts(rng: Stream, mean: Array, strength: float) -> Array:
    low = np.clip(mean, 1e-4, 1 - 1e-4)
    return np.clip(rng.beta(low * strength, (1 - low) * strength), 1e-4, 1.0)


def _first_orders(
    rng: Stream,
    org: Org,
    came: Array,
    channel: Array,
    imported: Array,
    yearly: Array,
) -> Array:
    """The day of the first order: mostly that of registration; later for the imported."""
    setting = org.setting
    buying: Buying = setting.world.trade.buying
    size = len(came)
    waits = rng.random(size) >= buying.same_day
    lag = np.exp(rng.normal(np.log(buying.lag_days), LAG_SIGMA, size=size))
    # Who was a customer before is somewhere between two orders.
    since_before = rng.random(size) * DAYS_A_YEAR / yearly
    days = np.where(imported, since_before, np.where(waits, np.ceil(lag), 0.0))
    room = (setting.last_day - came).astype(int)
    # Who would order only after the period does so on some day of it.
    days = np.where(imported, days + 1, days)
    beyond = days > room
    anywhere = np.floor(rng.random(size) * (room + 1))
    days = np.where(beyond, np.maximum(anywhere, imported), np.floor(days))
    first = came + days.astype("timedelta64[D]")
    # Nobody orders in the night in which the CRM goes live.
    moved = open_days(rng, org, first, channel, came + imported)
    return np.where((days == 0) & ~imported, came, moved)


def _lives(
    rng: Stream,
    setting: RunContext,
    first: Array,
    yearly: Array,
    dropout: Array,
) -> tuple[Array, Array]:
    """Orders after the first that each customer would place, and the day of the last one."""
    later = rng.geometric(dropout) - 1
    left = (setting.last_day - first).astype(float) / DAYS_A_YEAR
    years = rng.gamma(np.maximum(later, 1e-9)) / yearly
    stays = years > left
    repeats = np.where(stays, np.minimum(yearly * left, later), later)
    days = np.round(np.minimum(years, left) * DAYS_A_YEAR).astype("timedelta64[D]")
    return np.maximum(repeats, 0.0), np.minimum(first + days, setting.last_day)


def _number_of_lookers(
    share: float,
    size: int,
    wanted: int,
    most: int,
) -> int:
    """How many customers only look; so many must buy that there is room for all orders."""
    if wanted < size:
        return 0
    least = -(-wanted // most)
    return min(round(size * share), size - least)


def _lookers(
    setting: RunContext,
    repeats: Array,
    imported: Array,
    number: int,
) -> Array:
    """Whether each customer only registered: so many of the new ones, rather who'd come once."""
    rng = setting.stream("ShoppingHabit", "lookers")
    likely = np.where(imported, 0.0, 1 / (1 + repeats))
    looks = np.zeros(len(repeats), dtype=bool)
    looks[exactly(rng, likely, min(number, int((likely > 0).sum())))] = True
    return looks


def _numbers(
    rng: Stream,
    repeats: Array,
    wanted: int,
    most: int,
    looks: Array,
) -> Array:
    """How many orders each customer places: one, and the others by what they would place.

    Who only looks has none. Where there are fewer orders than customers, some have none.
    """
    size = len(repeats)
    number = np.zeros(size, dtype=np.int64)
    if wanted < size:
        number[exactly(rng, 1 + repeats, wanted)] = 1
        return number
    buys = np.flatnonzero(~looks)
    # Who would come once does so twice only where nobody else has room to come again.
    weights = repeats[buys] + LEAST_RATE
    own_most = _own_most(rng, most, len(buys), wanted)
    number[buys] = 1 + split(
        rng,
        weights,
        wanted - len(buys),
        high=own_most - 1,
    )
    return number


def _own_most(
    rng: Stream,
    most: int,
    size: int,
    wanted: int,
) -> Array:
    """How many orders each customer has room for: less than anybody may have, and not all alike.

    Were they cut off at one number, all keen customers would have that many. Where that leaves too
    little room for what is asked for, all have the room there is.
    """
    least = max(round(most * OWN_ROOM), 1)
    drawn = rng.integers(least, most + 1, size=size)
    if drawn.sum() < wanted:
        return np.full(size, most)
    return drawn
