"""The complaints of all customers: which item, which issue, on which day.

A part of ComplaintHabit, which says how customers are. Those about defects come first, then what
strikes many at once (`latent.outages`), then ordinary ones about other items. Knows no agents, no
channels and no hours.
"""

import numpy as np

from latent.account_terms import months_on, terms_of
from latent.contacts import (
    COMPLAINT,
    DUPLICATE,
    Contacts,
    Sales,
    joined,
    of_intent,
    take,
)
from latent.draws import exactly_within, pick
from latent.elapsed import DAYS_A_YEAR
from latent.outages import outage_complaints
from latent.solution import possible
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table
from schemas.contacts import ContactFigures
from schemas.errors import BadInput

# Defects are of a product's issues alone. So that parcels, bills and services are complained about
# as often as their weights say, ordinary complaints are about what is left of each issue's share;
# a third of it at least, for those of defects do not keep others away. By eye.
OF_USUAL = 0.3

# A defect shows in items ordered up to 250 days before its spell begins (the likelier the more
# recent: by e every 100 days) and until eight days before the spell ends. Items ordered in the
# period's last ten days are not complained about at all, so that every kind of lag has room.
# Chosen by eye.
DEFECT_MEMORY = np.timedelta64(250, "D")
DEFECT_FADES = 100
DEFECT_ENDS_BEFORE = np.timedelta64(8, "D")
QUIET_END = np.timedelta64(10, "D")

# Nobody writes to a desk as often as they like: whoever had to do so more than every other month
# would buy elsewhere, and a shop that buys to sell again would have somebody of its own to call.
# Nor does anybody go on ordering who has to write about each order. Chosen by eye.
CONTACTS_A_YEAR = 6

# A defect is mostly noticed soon: of the time from its spell's start, or the parcel's arrival, to
# the spell's end half of the buyers take less than a quarter. Chosen by eye.
NOTICED_EARLY = 2.2


# What was put right and did not last comes back two weeks after the first complaint or later: days
# to begin with, then a gamma's shape and scale. Chosen by eye.
AGAIN_DAYS = (14, 1.5, 16)

# A complaint waits up to three days for a better day of the week, each day less likely by this
# factor: what is noticed on Saturday is often written about on Monday. Chosen by eye.
WAITS_FOR_DAYS = 4
PATIENCE = 0.75
# Who would have complained before anything can be overdue does so within some days after, within as
# many again where it is soon. By eye.
EARLY_SPREAD = 12

# So many lags stand for all: how many end within the period tells how likely an item is asked
# about, and one of these is taken. Items for which none does are taken only where there are no
# others.
LAGS_DRAWN = 2000
HARDLY = 1e-6

THURSDAY = 3  # the weekday of 1970-01-01, from which numpy counts days


def draw_complaints(rng: Stream, org: Org, weights: Array, wanted: int) -> Contacts:
    """Exactly `wanted` contacts, each about an item of its own but for what comes back; `weights`
    is one an item.

    As many are complaints as the trade's intents say; of the others duplicates are about the item
    of the complaint that they repeat. Raises BadInput where there are too few items.
    """
    sales = _sales(rng, org, weights)
    most = int(sales.usable.sum())
    if wanted > most:
        raise BadInput(
            f"Case={wanted}, but only {most} ordered items could be complained about;"
            " ask for fewer cases or more items"
        )
    numbers = numbers_by_intent(org.setting)
    complaints = numbers.pop(COMPLAINT)
    weak = _defect_complaints(rng, org, sales)
    take(sales, weak.item)
    struck_at_once = outage_complaints(org, sales, complaints - len(weak.item))
    take(sales, struck_at_once.item)
    made = joined([weak, struck_at_once])
    left = complaints - len(made.item)
    coming_back = min(round(complaints * org.setting.world.trade.contact.again), left)
    plain = _plain_complaints(
        rng,
        org,
        sales,
        left - coming_back,
        made.issue,
    )
    take(sales, plain.item)
    made = joined([made, plain])
    if coming_back:
        back = _complaints_again(org, sales, plain, coming_back)
        # Where too few can come back, others complain for the first time.
        more = _plain_complaints(
            rng,
            org,
            sales,
            coming_back - len(back.item),
            made.issue,
        )
        take(sales, more.item)
        made = joined([made, back, more])
    asked = []
    for name, number in numbers.items():
        asked.append(_enquiries(rng, org, sales, made, name, number))
        take(sales, asked[-1].item)
    return joined([made, *asked])


def _complaints_again(org: Org, sales: Sales, plain: Contacts, wanted: int) -> Contacts:
    """Complaints about the same item and issue as an earlier ordinary one, some weeks after it.

    At most as many as wanted: what shows at once is not told of so late, and what somebody has no
    longer not at all.
    """
    rng = org.setting.stream("ComplaintHabit", "again")
    first, shape, scale = AGAIN_DAYS
    item = plain.item
    lag = first + np.floor(rng.gamma(shape, scale, size=len(item)))
    day = plain.day + lag.astype("timedelta64[D]")
    day = _on_a_usual_weekday(rng, org, day)
    issues = org.table("Solution.issues")
    since = (day - sales.ordered[item]).astype(int)
    last = org.setting.last_day - QUIET_END
    fits = since <= issues["within"][plain.issue]
    fits &= day <= np.minimum(sales.until[item], last)
    rows = np.flatnonzero(fits)
    chosen = np.sort(rng.permutation(rows)[:wanted])
    return of_intent(
        item[chosen],
        plain.issue[chosen],
        day[chosen],
        COMPLAINT,
    )


def numbers_by_intent(setting: RunContext) -> dict[str, int]:
    """How many contacts there are of each intent; what rounding leaves are complaints."""
    contact = setting.world.trade.contact
    wanted = setting.count("Case")
    total = sum(contact.intents.values())
    numbers = {COMPLAINT: wanted}
    for name, weight in contact.intents.items():
        if name != COMPLAINT:
            numbers[name] = int(wanted * weight / total)
            numbers[COMPLAINT] -= numbers[name]
    return numbers


def _enquiries(
    rng: Stream,
    org: Org,
    sales: Sales,
    complaints: Contacts,
    name: str,
    wanted: int,
) -> Contacts:
    """Contacts that are no complaints, such as questions.

    Each is filed under some issue all the same; it only decides which desk takes the contact.
    """
    enquiry = org.setting.world.trade.contact.enquiries[name]  # type: ignore[index]
    drawn = enquiry.lag.first + rng.gamma(enquiry.lag.shape, enquiry.lag.scale, size=LAGS_DRAWN)
    lags = np.sort(np.floor(np.minimum(drawn, org.setting.world.trade.contact.longest)))
    if name == DUPLICATE:
        again = rng.integers(len(complaints.item), size=wanted)
        item = complaints.item[again]
        start = complaints.day[again]
        in_time = np.full(wanted, LAGS_DRAWN)
    else:
        fits = sales.usable & (sales.shipped | (not enquiry.shipped_only))
        if enquiry.fits:
            fits &= np.isin(_categories(org, sales), enquiry.fits)
        since = sales.arrived if enquiry.lag.waits else sales.ordered
        # What was bought of late is not asked about yet, as far as the lag reaches behind the end.
        ends_in_time = np.searchsorted(lags, (sales.until - since).astype(int), "right")
        likely = np.maximum(ends_in_time / LAGS_DRAWN, HARDLY)
        item = exactly_within(
            rng,
            sales.weight * fits * likely,
            wanted,
            sales.buyer,
            sales.room,
        )
        start = since[item]
        in_time = np.maximum(ends_in_time[item], 1)
    lag = lags[np.floor(rng.random(wanted) * in_time).astype(int)]
    day = _on_a_usual_weekday(rng, org, start + lag.astype("timedelta64[D]"))
    weights = org.table("Solution.issues")["weight"].astype(float)
    issue = pick(rng, np.tile(weights, (wanted, 1)))
    day = _while_had(rng, day, start, sales.until[item])
    return of_intent(item, issue, day, name)


def _categories(org: Org, sales: Sales) -> Array:
    """The key of the category of each sale's product."""
    return org.table("Assortment.products")["category_key"][sales.product].astype(str)


def _while_had(rng: Stream, day: Array, earliest: Array, until: Array) -> Array:
    """Each day, or one of those from the earliest on where it lies behind the last one."""
    late = np.flatnonzero(day > until)
    room = np.maximum((until - earliest)[late].astype(int), 0)
    kept = day.copy()
    kept[late] = until[late] - (rng.random(len(late)) * room).astype("timedelta64[D]")
    return kept


def _sales(rng: Stream, org: Org, weights: Array) -> Sales:
    items = org.table("ShoppingHabit.items")
    products = org.table("Assortment.products")
    order = items["order"]
    orders = org.table("ShoppingHabit.orders")
    shipped = shipped_orders(org)[order]
    shortest, longest = org.setting.world.trade.contact.arrival
    under_way = rng.integers(shortest, longest + 1, size=len(shipped))
    ordered = orders["day"][order]
    in_time = ordered <= org.setting.last_day - QUIET_END
    category = products["category_key"][items["product"]]
    return Sales(
        product=items["product"],
        buyer=orders["account"][order],
        room=_room(org),
        ordered=ordered,
        arrived=ordered + np.where(shipped, under_way, 0).astype("timedelta64[D]"),
        shipped=shipped,
        until=_until(org, items["product"], ordered),
        can_have=possible(org, category, shipped),
        weight=weights,
        usable=np.asarray((orders["status"][order] == "Activated") & in_time),
    )


def _until(org: Org, product: Array, ordered: Array) -> Array:
    """The last day on which each customer has what was bought: the end of a term, or the last."""
    last = np.full(len(ordered), org.setting.last_day)
    if org.setting.world.trade.kind != "accounts":
        return last
    months = terms_of(org).months[product]
    ends = np.where(months > 0, months_on(ordered, months), last)
    return np.asarray(np.maximum(np.minimum(ends, last), ordered))


def _room(org: Org) -> Array:
    """How many times each customer writes at most: by their years and their orders."""
    orders = org.table("ShoppingHabit.orders")
    customers = org.setting.count("Account")
    last_day = org.setting.last_day
    first = np.full(customers, last_day)
    np.minimum.at(first, orders["account"], orders["day"])
    years = (last_day - first).astype(float) / DAYS_A_YEAR
    placed = np.bincount(orders["account"], minlength=customers)
    most = np.minimum(CONTACTS_A_YEAR * years, placed)
    return 1 + np.floor(most).astype(np.int64)


def shipped_orders(org: Org) -> Array:
    """Whether each order was sent to the customer, by the channel that it came by."""
    channels = org.setting.world.trade.channels
    names = [channel.name for channel in channels if channel.shipped]
    return np.isin(org.table("ShoppingHabit.orders")["channel"].astype(str), names)


def _defect_complaints(rng: Stream, org: Org, sales: Sales) -> Contacts:
    """Items of weak products, ordered before the defect's spell ends, each for one defect: as many
    of each spell as its strength says, or as there are.
    """
    defects = org.table("ProductDefect.defects")
    start, end = spells(defects, org.setting.last_day)
    item, defect = struck(sales.product, defects["product"])
    ordered = sales.ordered[item]
    fits = ordered < end[defect] - DEFECT_ENDS_BEFORE
    fits &= ordered > start[defect] - DEFECT_MEMORY
    fits &= sales.usable[item]
    days_before = np.maximum((start[defect] - ordered).astype(float), 0)
    recent = np.exp(-days_before / DEFECT_FADES)
    within = org.table("Solution.issues")["within"][defects["issue"]]
    # What shows at once was noticed before the spell by who had it long before.
    recent = np.where(days_before < within[defect], recent, recent * HARDLY)
    willing = np.where(fits, sales.weight[item] * recent, 0.0)
    pairs = _pairs_by_spell(
        rng,
        sales,
        item,
        defect,
        willing,
        defects["strength"].astype(int),
    )
    item = item[pairs]
    defect = defect[pairs]
    since = org.table("Solution.issues")["since"][defects["issue"][defect]]
    ripe = sales.ordered[item] + since.astype("timedelta64[D]")
    first_day = np.maximum(np.maximum(sales.arrived[item], ripe), start[defect])
    noticed = sales.ordered[item] + within[defect].astype("timedelta64[D]")
    until = np.maximum(np.minimum(end[defect], noticed), first_day)
    span = np.maximum((until - first_day).astype(int), 1)
    share = rng.random(len(item)) ** NOTICED_EARLY
    day = first_day + (share * span).astype("timedelta64[D]")
    day = _on_a_usual_weekday(rng, org, day)
    last = end[defect] - np.timedelta64(1, "D")
    return of_intent(
        item,
        defects["issue"][defect],
        np.minimum(day, last),
        COMPLAINT,
    )


def _pairs_by_spell(
    rng: Stream,
    sales: Sales,
    item: Array,
    defect: Array,
    willing: Array,
    shares: Array,
) -> Array:
    """The pairs of an item and a spell that become cases, no item twice; spells stand in order.

    As many of each spell as its share, or as are left of its items: later ones find fewer.
    """
    free = np.ones(int(item.max(initial=0)) + 1, dtype=bool)
    room = sales.room.copy()
    chosen = [np.zeros(0, dtype=np.int64)]
    starts = np.searchsorted(defect, np.arange(len(shares) + 1))
    for spell, share in enumerate(shares.tolist()):
        rows = np.arange(starts[spell], starts[spell + 1])
        weights = willing[rows] * free[item[rows]]
        buyer = sales.buyer[item[rows]]
        share_here = min(share, int((weights > 0).sum()))
        struck_rows = rows[exactly_within(rng, weights, share_here, buyer, room)]
        free[item[struck_rows]] = False
        np.subtract.at(room, sales.buyer[item[struck_rows]], 1)
        chosen.append(struck_rows)
    return np.concatenate(chosen)


def spells(defects: Table, last_day: np.datetime64) -> tuple[Array, Array]:
    """The first day of each defect's spell, and the day after its last one, within the period."""
    first_month = defects["from_month"]
    next_month = first_month + defects["months"].astype("timedelta64[M]")
    end = np.minimum(next_month.astype("datetime64[D]"), last_day)
    return first_month.astype("datetime64[D]"), end


def struck(products: Array, weak: Array) -> tuple[Array, Array]:
    """Every pair of an item and a defect of its product, as rows of both.

    `products` is the product of each item, `weak` the product of each defect. An item whose
    product has two defects is in two pairs; both results are empty where no weak product was sold.

    >>> struck(np.array([7, 8, 7]), np.array([7]))
    (array([0, 2]), array([0, 0]))
    """
    none = np.zeros(0, dtype=np.int64)
    items = [none]
    # To look through all items for each defect would take the square of a larger company's time.
    by_product = np.argsort(products, kind="stable")
    starts = np.searchsorted(products[by_product], weak, side="left")
    ends = np.searchsorted(products[by_product], weak, side="right")
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        items.append(by_product[start:end])
    return np.concatenate(items), np.repeat(np.arange(len(weak)), ends - starts)


def _left_of_issues(weights: Array, drawn: Array, wanted: int) -> Array:
    """How many ordinary complaints each issue needs, so that all complaints follow the weights.

    `drawn` holds the issues of those that are there already, `wanted` more are to come. An issue
    that has its share already keeps OF_USUAL of it.

    >>> _left_of_issues(np.array([2.0, 1.0, 1.0]), np.array([0, 0, 0]), 5)
    array([1.2, 2. , 2. ])
    """
    had = np.bincount(drawn, minlength=len(weights))
    usual = weights / weights.sum() * (len(drawn) + wanted)
    return np.asarray(np.maximum(usual - had, OF_USUAL * usual))


def _plain_complaints(rng: Stream, org: Org, sales: Sales, wanted: int, drawn: Array) -> Contacts:
    """Ordinary complaints: any item, an issue that it can have, a lag that fits the issue.

    `drawn` holds the issues of all complaints about defects.
    """
    issues = org.table("Solution.issues")
    some_issue = np.asarray(sales.can_have.any(axis=1))
    weights = sales.weight * sales.usable * some_issue
    item = exactly_within(rng, weights, wanted, sales.buyer, sales.room)
    left = _left_of_issues(issues["weight"].astype(float), drawn, wanted)
    likely = np.tile(left, (wanted, 1))
    # What can have no issue at all is taken only where no other item is left: then any will do.
    chances = np.where(some_issue[item][:, None], likely * sales.can_have[item], likely)
    issue = pick(rng, chances)
    contact = org.setting.world.trade.contact
    day = _first_days(rng, contact, issues["kind"][issue], sales, item)
    # What is overdue has had its time: whoever would have written sooner writes soon after it.
    early = issues["since"][issue] - (day - sales.ordered[item]).astype(int)
    spread = np.minimum(issues["since"][issue] + 1, EARLY_SPREAD)
    late_enough = rng.integers(0, spread) + np.maximum(early, 0)
    day = day + np.where(early > 0, late_enough, 0).astype("timedelta64[D]")
    until = sales.until[item]
    ripe = sales.ordered[item] + issues["since"][issue].astype("timedelta64[D]")
    # What lasts is complained about on any day on which the customer has it.
    lasting = issues["lasts"][issue] & (rng.random(wanted) < contact.lasting)
    held = np.maximum((until - ripe).astype(int), 0)
    longest = contact.longest - issues["since"][issue]
    any_day = ripe + (rng.random(wanted) * np.minimum(held, longest)).astype("timedelta64[D]")
    day = np.where(lasting, any_day, day)
    # What shows at once is told of while that is news: the lags behind it spread over that time.
    lag = (day - sales.ordered[item]).astype(int)
    late = lag > issues["within"][issue]
    day = np.where(late, sales.ordered[item] + _spread(lag, issues["within"][issue]), day)
    day = _on_a_usual_weekday(rng, org, day)
    # A complaint that would come behind the period comes on one of the days that are left.
    day = _while_had(rng, day, ripe, until)
    return of_intent(item, issue, day, COMPLAINT)


def _spread(lag: Array, within: Array) -> Array:
    """Lags that are too long, laid over the second half of the time that there is."""
    half = np.maximum(within // 2, 1)
    return np.asarray((within - lag % half).astype("timedelta64[D]"))


def _first_days(
    rng: Stream,
    contact: ContactFigures,
    kinds: Array,
    sales: Sales,
    item: Array,
) -> Array:
    """The day on which each complaint would be made on any day of the week alike."""
    lags = [contact.lags[kind] for kind in kinds]
    shape = np.array([lag.shape for lag in lags])
    scale = np.array([lag.scale for lag in lags])
    fewest = np.array([lag.first for lag in lags])
    waits = np.array([lag.waits for lag in lags], dtype=bool)
    start = np.where(waits, sales.arrived[item], sales.ordered[item])
    drawn = np.minimum(fewest + np.floor(rng.gamma(shape, scale)), contact.longest)
    return np.asarray(start + drawn.astype("timedelta64[D]"))


def _on_a_usual_weekday(rng: Stream, org: Org, days: Array) -> Array:
    """Each day, or one of the next few that fits the week's beat better."""
    beat = np.array(org.setting.world.trade.contact.weekdays)
    steps = np.arange(WAITS_FOR_DAYS)
    weekdays = (days.astype("datetime64[D]").astype(int)[:, None] + steps + THURSDAY) % 7
    waited = pick(rng, beat[weekdays] * PATIENCE**steps)
    return np.asarray(days + waited.astype("timedelta64[D]"))
