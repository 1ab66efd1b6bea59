"""The orders of all customers: on which day, by which channel, of how many lines.

A part of ShoppingHabit, which says how customers are. Knows no products.
"""

from itertools import product

import numpy as np

from latent.arrivals import channel_names
from latent.assortment import holding_limits
from latent.counters import Counters
from latent.draws import only, pick, repeats, split
from latent.notes import noted
from latent.sellers import sellers
from latent.visits import moments, open_days
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table

# How much more (or less) than usual a customer orders in each month, January first. Chosen by eye:
# each rhythm has one season, in which a month is worth about six of its quietest.
RHYTHMS: dict[str, tuple[float, ...]] = {
    "holiday_shopper": (0.5, 0.4, 0.5, 0.5, 0.6, 0.5, 0.5, 0.6, 0.6, 0.9, 3.2, 4.0),
    "spring_renewer": (0.6, 1.1, 2.8, 3.2, 2.2, 0.8, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7),
    "summer_spender": (0.4, 0.4, 0.6, 0.9, 2.0, 3.2, 3.2, 2.0, 0.7, 0.5, 0.5, 0.6),
    "autumn_restocker": (0.5, 0.5, 0.6, 0.6, 0.6, 0.7, 1.0, 2.2, 3.2, 2.6, 0.9, 0.6),
    "steady_buyer": (1.0,) * 12,
}

# Who is keen on sales waits for promotions: their pull counts with this power, by the customer's
# third in keenness.
HUNTING = (0.45, 1.0, 1.9)
KEENNESS = (0.4, 0.62)

SECOND_THOUGHTS = 1

# A third of the last ten days' orders are drafts still.
DRAFT_DAYS = np.timedelta64(10, "D")
DRAFTS = 0.35

# Seconds from the account to its first order: what a person enters, and what a program does.
ENTERED_AFTER = ((50, 420), (1, 9))

# An order has at most a dozen lines. Those that the profile asks for beyond the customers' usual
# baskets are in the orders of who buys much at once, by this power of what they do beyond one line.
MOST_LINES = 12
BULK_POWER = 1.2
# Who never buys more than one line has a share of next to nothing, for shares can't all be none.
NEARLY_NONE = 1e-3

# Where a customer has another address for shipping, so many of the shipped orders go there.
SHIPPED_ELSEWHERE = 0.75

ADDRESS_PARTS = ("street", "city", "state", "postal")


def draw_orders(org: Org, customers: Table) -> Table:
    """`ShoppingHabit.orders`, as many as the customers place, in the order of time.

    Their price books and totals come with the items.
    """
    setting = org.setting
    rng = setting.stream("ShoppingHabit", "orders")
    rows = np.arange(customers.size)
    account = np.repeat(rows, customers["orders"])
    size = len(account)
    channel, is_first = _channels(rng, org, customers, account)
    days = _days(rng, org, customers, account, channel)
    site = _sites(rng, org, account, days, channel)
    placed = _placed(
        rng,
        org,
        customers,
        table("orders", account=account, day=days, channel=channel, first=is_first, site=site),
    )
    # In a CRM records have the order in which they were made.
    order = np.lexsort((account, placed))
    account, days, channel = account[order], days[order], channel[order]
    site = site[order]
    placed = placed[order]
    recent = days > setting.last_day - DRAFT_DAYS
    draft = recent & (rng.random(size) < DRAFTS)
    status = np.where(draft, "Draft", "Activated")
    return table(
        "ShoppingHabit.orders",
        {"Id": "Order", "account": "Account", "creator": "User"},
        Id=np.arange(size),
        account=account,
        day=days,
        status=status.astype(object),
        channel=channel,
        site=site,
        site_name=_site_names(org, site),
        note=_notes(setting, channel),
        creator=sellers(setting.stream("ShoppingHabit", "sellers"), org, channel, days, site),
        placed=placed,
        lines=_lines(rng, org, customers["basket"], account),
    )


def _placed(rng: Stream, org: Org, customers: Table, orders: Table) -> Array:
    """When each order was placed, in UTC."""
    site, account, days = orders["site"], orders["account"], orders["day"]
    at_home = org.table("Household.customers")["zone"][account]
    at_counter = org.table("Workforce.sites")["zone"][site]
    zones = np.where(site == NONE, at_home, at_counter)
    placed = moments(rng, org.setting, days, orders["channel"], zones)
    # Who registers with the first order does so while ordering.
    since = customers["since"][account]
    registers_that_day = since.astype("datetime64[D]") == days
    was_there_before = customers["imported"][account]
    while_ordering = orders["first"] & registers_that_day & ~was_there_before
    return np.where(while_ordering, _entered(org, orders, since), placed)


def _entered(org: Org, orders: Table, since: Array) -> Array:
    """When a first order is entered behind its new customer, on the same day."""
    rng = org.setting.stream("ShoppingHabit", "entering")
    channels = org.setting.world.trade.channels
    names = [channel.name for channel in channels if channel.in_person or channel.entered_by]
    by_hand = np.isin(orders["channel"].astype(str), names)
    seconds = np.where(by_hand, *(rng.integers(*span, size=orders.size) for span in ENTERED_AFTER))
    entered = since + seconds.astype("timedelta64[s]")
    midnight = (orders["day"] + np.timedelta64(1, "D")).astype("datetime64[s]")
    return np.asarray(np.minimum(entered, np.maximum(midnight - np.timedelta64(1, "s"), since)))


def _sites(rng: Stream, org: Org, account: Array, days: Array, channel: Array) -> Array:
    """The shop or branch to which each customer went, as a row of `Workforce.sites`, or NONE."""
    counters = Counters(org)
    orders = table("orders", account=account, day=days, channel=channel)
    people = org.table("Household.customers").size
    homes = _homes_on(org.table("Household.addresses"), people, orders)
    return counters.sites_of(rng, orders, homes)


def _site_names(org: Org, site: Array) -> Array:
    """City and state of each order's shop or branch: `Columbus, OH`; None where there is none."""
    sites = org.table("Workforce.sites")
    names = [f"{city}, {state}" for city, state in zip(sites["city"], sites["state"], strict=True)]
    return only(site != NONE, strings(names)[site])


def _notes(setting: RunContext, channel: Array) -> Array:
    """What somebody has written on each order, as its channel has it; None on most."""
    rng = setting.stream("ShoppingHabit", "notes")
    notes = np.full(len(channel), None, dtype=object)
    for name, listed in setting.world.trade.buying.order_notes.items():
        rows = np.flatnonzero(channel == name)
        notes[rows] = noted(rng, listed.texts, len(rows), listed.share)
    return notes


def _channels(
    rng: Stream,
    org: Org,
    customers: Table,
    account: Array,
) -> tuple[Array, Array]:
    """The channel of each order, and whether it is the customer's first."""
    size = len(account)
    names, _ = channel_names(org.setting)
    likely = Counters(org).channel_weights()
    any_channel = strings(names)[pick(rng, likely[account])]
    own_channel = customers["channel"][account]
    is_first = _firsts(account)
    buying = org.setting.world.trade.buying
    is_habitual = rng.random(size) < buying.own_channel
    channel = np.where(is_first | is_habitual, own_channel, any_channel)
    return channel, is_first


def _days(
    rng: Stream,
    org: Org,
    customers: Table,
    account: Array,
    channel: Array,
) -> Array:
    """A day for each order: the first on the customer's first day, the others after it.

    Gaps between orders are log-normal, on a clock that runs faster in the customer's season and in
    promotions. `account` is sorted.
    """
    setting = org.setting
    pull = org.table("Season.days")["lift"].astype(float)
    days = _meant_days(rng, setting, customers, account, pull)
    first = customers["first"][account]
    day_after = first + np.timedelta64(1, "D")
    later = np.minimum(day_after, setting.last_day)
    meant = np.maximum(days, later)
    # Days on which about as much is ordered take each other's place.
    lifts = np.round(pull, 1)
    days = open_days(rng, org, meant, channel, later, lifts)
    # Hardly anybody orders twice on a day: who would is given another day nearby, if there is one.
    for _ in range(SECOND_THOUGHTS):
        again = repeats(account, days.astype(np.int64))
        days[again] = open_days(rng, org, meant[again], channel[again], later[again], lifts)
    return np.where(_firsts(account), first, days)


def _meant_days(
    rng: Stream,
    setting: RunContext,
    customers: Table,
    account: Array,
    pull: Array,
) -> Array:
    """The day of each order on its customer's clock, before it is moved to one that is open.

    `pull` is how much more (or less) than usual is ordered on each day of the period.
    """
    calendar = np.arange(setting.first_day, setting.last_day + 1)
    last_place = len(calendar) - 1
    months = calendar.astype("datetime64[M]").astype(int) % 12
    share = _shares_of_life(rng, setting, customers, account)
    keenness = np.searchsorted(KEENNESS, customers["sale_hunter"])
    begins = (customers["first"] - setting.first_day).astype(int)
    ends = (customers["last"] - setting.first_day).astype(int)
    days = np.empty(len(account), dtype="datetime64[D]")
    for rhythm, level in product(RHYTHMS, range(len(HUNTING))):
        rhythm_by_day = np.array(RHYTHMS[rhythm])[months]
        speed = rhythm_by_day * pull ** HUNTING[level]
        passed = np.cumsum(speed)
        clock = np.concatenate([[0.0], passed])
        alike = (customers["rhythm"] == rhythm) & (keenness == level)
        rows = np.flatnonzero(alike[account])
        customer = account[rows]
        second_day = begins[customer] + 1
        start = clock[np.minimum(second_day, len(calendar))]
        room = clock[ends[customer] + 1] - start
        reading = start + share[rows] * room
        place = np.searchsorted(clock, reading, side="right") - 1
        within = np.clip(place, 0, last_place)
        days[rows] = calendar[within]
    return days


def _firsts(account: Array) -> Array:
    """Whether each row is the first of its account; `account` is sorted."""
    first = np.ones(len(account), dtype=bool)
    first[1:] = account[1:] != account[:-1]
    return first


def _shares_of_life(
    rng: Stream,
    setting: RunContext,
    customers: Table,
    account: Array,
) -> Array:
    """Where each order lies between a customer's first (0) and the end of their custom (1).

    The last order of who dropped out is that end. Who is still there is seen at a moment that has
    nothing to do with their orders: their gaps lie on a circle that is cut anywhere, so that no
    part of the time has more orders than another.
    """
    sigma = setting.world.trade.buying.gap_sigma
    log_gap = rng.normal(0.0, sigma, size=len(account))
    gap = np.exp(log_gap)
    is_first = _firsts(account)
    gap[is_first] = 0.0
    whole = np.bincount(account, weights=gap, minlength=customers.size)
    # Who orders once has no gap at all.
    whole = np.maximum(whole, 1e-12)
    passed = np.cumsum(gap)
    # What had passed before the customer's own first row.
    before = np.zeros(customers.size)
    before[account[is_first]] = passed[is_first]
    share = (passed - before[account]) / whole[account]
    cut = rng.random(customers.size)
    stays = customers["last"] >= setting.last_day
    on_circle = (share + cut[account]) % 1
    turned = stays[account] & ~is_first
    share = np.where(turned, on_circle, share)
    in_time = np.lexsort((share, account))
    return np.minimum(share[in_time], 1 - 1e-9)


def _lines(rng: Stream, org: Org, baskets: Array, account: Array) -> Array:
    """How many items each order has; exactly as many in all as were asked for.

    No account has more of them than it may hold.
    """
    most = _most_lines(org.setting, account)
    wanted = org.setting.count("OrderItem")
    basket = baskets[account]
    chance_to_stop = 1 / np.maximum(basket, 1.0)
    lines = np.minimum(rng.geometric(chance_to_stop), most)
    missing = wanted - int(lines.sum())
    if missing > 0:
        buys_much = np.maximum(basket - 1, NEARLY_NONE) ** BULK_POWER
        more = split(rng, buys_much, missing, high=most - lines)
        return lines + more
    if missing < 0:
        beyond_first = lines - 1
        fewer = split(rng, beyond_first + 1e-9, -missing, high=beyond_first)
        return lines - fewer
    return lines


def most_held(setting: RunContext) -> int:
    """How many things a customer may hold in all: as many as an org has where nothing limits it."""
    limit = holding_limits(setting).sum()
    items = setting.count("OrderItem")
    return int(min(limit, items))


def _most_lines(setting: RunContext, account: Array) -> Array:
    """How many lines each order may have, so that no account holds too much."""
    most = min(MOST_LINES, setting.some("Product2"))
    orders = np.bincount(account)
    by_account = np.argsort(account, kind="stable")
    earlier = np.cumsum(orders) - orders
    place = np.arange(len(account))
    rank = np.empty(len(account), dtype=np.int64)
    rank[by_account] = place - earlier[account[by_account]]
    number = orders[account]
    held = most_held(setting)
    even_part = held // number
    takes_of_rest = rank < held % number
    return np.clip(even_part + takes_of_rest, 1, most)


def draw_parcels(org: Org, orders: Table) -> Table:
    """`ShoppingHabit.addresses`: where each order went and was billed to, on its day.

    What isn't shipped has no address to be shipped to.
    """
    rng = org.setting.stream("ShoppingHabit", "addresses")
    people = org.table("Household.customers")
    account = orders["account"]
    home = _homes_on(org.table("Household.addresses"), people.size, orders)
    shipped = np.zeros(orders.size, dtype=bool)
    for channel in org.setting.world.trade.channels:
        by_channel = orders["channel"] == channel.name
        shipped[by_channel] = channel.shipped
    has_other = people["elsewhere"][account]
    elsewhere = has_other & (rng.random(orders.size) < SHIPPED_ELSEWHERE)
    columns = {}
    for part in ADDRESS_PARTS:
        other = people[f"ship_{part}"][account]
        shipped_to = np.where(elsewhere, other, home[part])
        columns[f"ship_{part}"] = only(shipped, shipped_to)
        columns[f"bill_{part}"] = home[part]
    boxed = people["box"][account]
    box = people["billing_street"][account]
    columns["bill_street"] = np.where(boxed, box, home["street"])
    name = org.setting.country.country
    country = np.full(orders.size, name, dtype=object)
    columns["ship_country"] = only(shipped, country)
    return table("ShoppingHabit.addresses", **columns)


def _homes_on(addresses: Table, people: int, orders: Table) -> dict[str, Array]:
    """The customer's home on each order's day."""
    account = orders["account"]
    number = np.bincount(addresses["account"], minlength=people)
    first_row = np.cumsum(number) - number
    row = first_row[account]
    # Nobody moves twice within a period.
    last_row = addresses.size - 1
    second = np.minimum(row + 1, last_row)
    moves = number[account] > 1
    since = addresses["since"][second]
    moved = moves & (since <= orders["day"])
    row = np.where(moved, second, row)
    homes = {}
    for part in ADDRESS_PARTS:
        homes[part] = addresses[part][row]
    return homes
