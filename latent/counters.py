"""Which shop, branch or service center customers go to: one in their own state or next to it.

A part of ShoppingHabit. Takes the sites from Workforce and the homes from Household. Knows no
products, and who serves at a counter is Workforce's.
"""

import numpy as np

from latent.ages import ages_on, by_age
from latent.draws import pick
from latent.org_chart import SHOP
from latent.territory import near_each_other
from latent.workers import MEMBER
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table

# People go to a shop of their own town rather than to one elsewhere in the state, and to that
# rather than over a border. Chosen by eye.
IN_TOWN = 60.0
IN_STATE = 8.0
OVER_THE_BORDER = 1.0

# Who has a shop only in the next state goes there so much more rarely. Chosen by eye.
BORDER = 0.2

# Where no shop is near, which happens only where all customers come in person, any will do.
FAR = 1e-6

# One visit in twelve is to another shop than the usual one, on the way to somewhere.
ON_THE_WAY = 1 / 12

# A channel is hardly ever the only one, however near its shops are.
MOST_AT_COUNTERS = 0.75


class Counters:
    """The shops of an org, and how customers get to them."""

    def __init__(self, org: Org) -> None:
        self._setting = org.setting
        self._channels = org.setting.world.trade.channels
        sites = org.table("Workforce.sites")
        self._rows = _staffed(org)
        self._city = sites["city"][self._rows]
        self._state = sites["state"][self._rows]
        self._addresses = org.table("Household.addresses")
        self._customers = org.table("Household.customers").size
        self._born = org.table("Household.customers")["born"]

    def closeness(self) -> Array:
        """How near each customer is to a shop, wherever they lived in the period.

        1 with a shop in the own state, less over the border, 0 beyond that.
        """
        country = self._setting.country
        account = self._addresses["account"]
        states = self._addresses["state"]
        around = near_each_other(country, states, self._state)
        near = around.any(axis=1)
        with_shop = self._state.astype(str)
        own = np.isin(states.astype(str), with_shop)
        over_border = np.where(near, BORDER, 0.0)
        close = np.where(own, 1.0, over_border)
        closeness = np.ones(self._customers)
        np.minimum.at(closeness, account, close)
        return closeness

    def channel_weights(self) -> Array:
        """Customers × channels: how likely each is used.

        Who has no shop nearby uses the others; who has one goes there as much oftener.
        """
        weights = np.array([channel.weight for channel in self._channels])
        shares = weights / weights.sum()
        counters = np.array([channel.in_person for channel in self._channels])
        wanted = shares * self._by_age()
        everybody = np.asarray(wanted / wanted.sum(axis=1, keepdims=True))
        closeness = self.closeness()
        if not counters.any() or counters.all() or not closeness.any():
            return everybody
        usual = float(shares[counters].sum())
        most = min(usual / float(closeness.mean()), MOST_AT_COUNTERS)
        there = most * closeness[:, None]
        away = 1 - there
        oftener = there / usual
        more_rarely = away / (1 - usual)
        factor = np.where(counters, oftener, more_rarely)
        return np.asarray(everybody * factor)

    def _by_age(self) -> Array:
        """Customers × channels: how much each is for people of their age; 1 in the mean of all."""
        ages = ages_on(self._born, self._setting.first_day)
        columns = []
        for channel in self._channels:
            likely = by_age(channel.by_age, ages)
            columns.append(likely / max(float(likely.mean()), FAR))
        return np.stack(columns, axis=1)

    def sites_of(self, rng: Stream, orders: Table, homes: dict[str, Array]) -> Array:
        """The site at which each order was placed, a row of `Workforce.sites`; NONE for no site.

        `homes` has the city and the state in which each order's customer lived on its day. From
        one home people go to one shop, and now and then to another.
        """
        site = np.full(orders.size, NONE)
        names = [channel.name for channel in self._channels if channel.in_person]
        visits = np.flatnonzero(np.isin(orders["channel"].astype(str), names))
        if not len(visits) or not len(self._rows):
            return site
        city = homes["city"][visits]
        state = homes["state"][visits]
        accounts = orders["account"][visits]
        homes_of = [f"{account} {town}" for account, town in zip(accounts, city, strict=True)]
        _, first, home = np.unique(homes_of, return_index=True, return_inverse=True)
        likely_at_home = self._likely(city[first], state[first])
        of_home = pick(rng, likely_at_home)
        usual = of_home[home]
        likely = self._likely(city, state)
        other = pick(rng, likely)
        points = rng.random(len(visits))
        elsewhere = points < ON_THE_WAY
        chosen = np.where(elsewhere, other, usual)
        site[visits] = self._rows[chosen]
        return site

    def _likely(self, city: Array, state: Array) -> Array:
        """Homes × shops: how likely each shop is gone to; a small number where none is near."""
        near = near_each_other(self._setting.country, state, self._state)
        own_state = state[:, None] == self._state
        in_town = own_state & (city[:, None] == self._city)
        kinds = [in_town, own_state, near]
        return np.select(kinds, [IN_TOWN, IN_STATE, OVER_THE_BORDER], default=FAR)


def _staffed(org: Org) -> Array:
    """The rows of the shops in which people with an account of the CRM work.

    All shops where they are in fewer than half of them, as in a CRM of few users.
    """
    staff = org.setting.world.trade.staff
    serving = [department.name for department in staff.departments if department.in_shops]
    people = org.table("Workforce.people")
    here = np.isin(people["department"].astype(str), serving) & (people["kind"] == MEMBER)
    towns = set(zip(people["city"][here], people["state"][here], strict=True))
    sites = org.table("Workforce.sites")
    shops = np.flatnonzero(sites["kind"] == SHOP)
    known = [(sites["city"][row], sites["state"][row]) in towns for row in shops]
    staffed = shops[np.array(known, dtype=bool)]
    return staffed if len(staffed) > len(shops) / 2 else shops
