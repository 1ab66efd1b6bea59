"""What each order is likely to be for: categories by season, promotion, taste and household.

A part of ShoppingHabit. It gives weights (orders × categories, lines × target groups) and draws
nothing but the persons whom lines are for. Knows no single product.
"""

from dataclasses import dataclass

import numpy as np

from latent.ages import ages_on, by_age
from latent.assortment import group_weights, stated_categories
from latent.callings import needed_by
from latent.draws import pick
from latent.elapsed import DAYS_A_YEAR
from latent.season import category_pull, peak_pull
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table

# How much more customers buy of their favorite category (the second favorite: half of that).
# Chosen so that it shows as an effect and does not hide the seasons.
FAVORITE_BOOST = 6.0

# How much is bought for each person of a household by the customer, who mostly buys for themselves.
ROLE_SHARES = {"self": 1.0, "partner": 0.35, "child": 1.0}


NEXT_TO_NOTHING = 1e-9  # so that weights of which all are zero still give a share


def category_demand(org: Org, customers: Table, account: Array, days: Array) -> Array:
    """Orders × categories: how likely each is bought, promotions left aside."""
    setting = org.setting
    stated = stated_categories(setting)
    calendar, row = np.unique(days, return_inverse=True)
    weights = np.array([category.weight for category in stated])
    demand = (weights * peak_pull(setting, calendar))[row]
    demand *= needed_by(setting, customers.size)[account]
    people = org.table("Household.customers")
    born = people["born"][account]
    ages = ages_on(born, days)
    for column, category in enumerate(stated):
        demand[:, column] *= by_age(category.by_age, ages)
    rows = np.arange(len(account))
    demand[rows, customers["favorite"][account]] *= FAVORITE_BOOST
    demand[rows, customers["second_favorite"][account]] *= FAVORITE_BOOST / 2
    return np.asarray(demand)


def promotion_pulls(org: Org) -> Array:
    """Books × categories: how much more is bought of each while a book holds."""
    books = org.table("Season.books")
    pulls = []
    for book in range(books.size):
        if books["kind"][book] == "promotion":
            pulls.append(category_pull(org.setting, books, book))
        else:
            pulls.append(np.ones(len(stated_categories(org.setting))))
    return np.stack(pulls)


@dataclass(frozen=True, slots=True)
class Households:
    """Who may be bought for.

    `members` holds the wearers of each account (accounts × most members, NONE where there are
    fewer), `offers` how much of each category is made for each target group (groups × categories),
    `others` which share of what each account buys is for people outside of the household.
    """

    wearers: Table
    members: Array
    offers: Array
    others: Array


def households(org: Org, customers: Table) -> Households | None:
    """The wearers by account; None where the world knows no target groups."""
    setting = org.setting
    if not setting.world.groups:
        return None
    wearers = org.table("Wearer.wearers")
    accounts = setting.some("Account")
    number = np.bincount(wearers["account"], minlength=accounts)
    members = np.full((accounts, int(number.max())), NONE)
    order = np.argsort(wearers["account"], kind="stable")
    first = np.cumsum(number) - number
    account = wearers["account"][order]
    members[account, np.arange(len(order)) - first[account]] = order
    offers = group_weights(setting, stated_categories(setting))
    shares = offers / np.maximum(offers.sum(axis=1, keepdims=True), NEXT_TO_NOTHING)
    return Households(wearers, members, shares.T, _others(org, customers))


def _others(org: Org, customers: Table) -> Array:
    """Gifts, and more where a segment buys for others: a club for its members."""
    trade = org.setting.world.trade
    by_segment = {segment.name: segment.others for segment in trade.buying.segments}
    most = np.array([by_segment[name] for name in customers["segment"]], dtype=float)
    return np.asarray(np.maximum(most, trade.range.gifts))


def needs(org: Org, homes: Households, account: Array, days: Array) -> Array:
    """Orders × members × target groups: how much each member of a household needs of each."""
    wearers = homes.wearers
    member = homes.members[account]
    roles = np.array([ROLE_SHARES[role] for role in wearers["role"]])
    own = (1 - homes.others[account])[:, None]
    age = (days[:, None] - wearers["born"][member]).astype(float) / DAYS_A_YEAR
    needed = []
    for group in org.setting.world.groups:
        youngest, oldest = group.ages
        fits = (member != NONE) & (age >= youngest) & (age < oldest + 1)
        if group.gender:
            fits &= wearers["gender"][member] == group.gender
        needed.append(fits * roles[member] * own * group.need)
    return np.stack(needed, axis=2)


def reach(homes: Households, account: Array, needed: Array) -> Array:
    """Orders × categories: how much of a category a household has somebody for."""
    for_groups = needed.sum(axis=1)
    most = homes.offers.sum(axis=0)
    wanted = (for_groups + homes.others[account][:, None]) @ homes.offers
    return np.where(most > 0, wanted, 1.0)


def groups_of(
    rng: Stream,
    homes: Households,
    account: Array,
    needed: Array,
    category: Array,
    on_sale: Array,
) -> tuple[Array, Array]:
    """The target group of each line, and its wearer: NONE for a gift, or where there is no group.

    `account` and `needed` have a row for each line; `on_sale` says which groups its category has
    anything for on the day (lines × groups).
    """
    others = homes.others[account][:, None]
    weights = (needed.sum(axis=1) + others) * homes.offers[:, category].T * on_sale
    group = np.where(weights.sum(axis=1) > 0, pick(rng, weights), NONE)
    rows = np.arange(len(group))
    place = pick(rng, np.hstack([needed[rows, :, group], others + NEXT_TO_NOTHING]))
    nobody = np.full((len(rows), 1), NONE)
    with_nobody = np.hstack([homes.members[account], nobody])
    return group, np.where(group == NONE, NONE, with_nobody[rows, place])
