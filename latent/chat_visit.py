"""ChatVisit: from which device and from where each chat was written.

It draws `chats`: a platform, a browser that runs on it, and the place that the internet address
points to.
It is drawn from Household (devices, homes) and ChatDesk (the chats and their moments).
It drives Browser, Platform and Location of chats.
It knows no words.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import pick
from latent.statistics import difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.gazetteer import City

# Where the address of a chat points to: mostly home, else another city of the state (providers
# serve whole regions from one point), now and then anywhere (travel, private networks). By eye.
HOME = 0.78
SAME_STATE = 0.15

PLATFORM_AND_AGE = """
    SELECT t.Platform IN ('iOS', 'Android'), substr(h.born, 1, 4)
    FROM LiveChatTranscript t
    JOIN latent."Household.customers" h ON h.Id = t.AccountId
"""


class ChatVisit:
    """The visits in which customers chat."""

    name = "ChatVisit"
    reads: tuple[str, ...] = ("Household", "ChatDesk")
    tables: Mapping[str, tuple[str, ...]] = {"chats": ("platform", "browser", "location")}
    drives = ("LiveChatTranscript",)
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One row a chat, in the order of `ChatDesk.chats`."""
        rng = org.setting.stream("ChatVisit", "chats")
        chats = org.table("ChatDesk.chats")
        devices = org.table("Household.devices")
        visitors = _visitors(org, chats)
        days = chats["requested"].astype("datetime64[D]")
        homes = homes_on(org.table("Household.addresses"), visitors, days)
        device = devices_used(rng, devices, visitors)
        cities = org.setting.country.places
        made = table(
            "ChatVisit.chats",
            platform=devices["platform"][device],
            browser=devices["browser"][device],
            location=_locations(rng, cities, homes),
        )
        return (made,)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Who was born later chats from a phone more often."""
        rows = org.execute(PLATFORM_AND_AGE).fetchall()
        numbers = [(on_phone, int(year)) for on_phone, year in rows]
        says = "customers who chat from a phone are younger"
        return (difference(self.name, says, "years", numbers),)


def devices_used(rng: Stream, devices: Table, accounts: Array) -> Array:
    """The row of the device for each chat, by how much the customer uses it."""
    owner = devices["account"]
    first = np.searchsorted(owner, accounts)
    second = np.minimum(first + 1, devices.size - 1)
    has_two = owner[second] == accounts
    has_two &= second != first
    use = np.stack([devices["use"][first], devices["use"][second] * has_two], axis=1)
    chosen = pick(rng, use) if len(accounts) else np.zeros(0, dtype=np.int64)
    return np.where(chosen == 1, second, first)


def _visitors(org: Org, chats: Table) -> Array:
    """The customer of each chat; whom the window doesn't know is somebody like any of them."""
    customers = org.table("Household.customers").size
    anybody = org.setting.stream("ChatVisit", "visitors").integers(customers, size=chats.size)
    return np.where(chats["account"] == NONE, anybody, chats["account"])


def homes_on(addresses: Table, visitors: Array, days: Array) -> list[tuple[str, str]]:
    """City and state in which the visitor of each chat lived on its day.

    Addresses stand in the order in which somebody moved in.
    """
    rows: dict[int, list[int]] = {}
    for row, account in enumerate(addresses["account"].tolist()):
        rows.setdefault(account, []).append(row)
    homes = []
    for account, day in zip(visitors.tolist(), days, strict=True):
        lived = [row for row in rows[account] if addresses["since"][row] <= day]
        row = lived[-1] if lived else rows[account][0]
        homes.append((str(addresses["city"][row]), str(addresses["state"][row])))
    return homes


def _locations(rng: Stream, cities: tuple[City, ...], homes: list[tuple[str, str]]) -> Array:
    points = rng.random(len(homes))
    places = rng.random(len(homes))
    found = []
    for row, (city, state) in enumerate(homes):
        if points[row] >= HOME:
            near = [place for place in cities if place.state == state]
            listed = near if points[row] < HOME + SAME_STATE else cities
            place = listed[int(places[row] * len(listed))]
            city, state = place.city, place.state
        found.append(f"{city}, {state}")
    return strings(found)
