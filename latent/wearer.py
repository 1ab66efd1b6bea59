"""Wearer: the people whom a customer buys for, and the size that each of them wears.

It draws `wearers`: the customer and, by household, a partner and children, each with gender, birth
date, and where they stand among people of their kind in size and in width; and `sizes`, the sizes
of each target group in their order.
It is drawn from Household (who the customers are) and the target groups of the world.
It drives which products stand on order lines, and in what size and width.
It knows no products and no orders.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latent.draws import labels
from latent.elapsed import DAYS_A_YEAR
from latent.statistics import correlation, shares
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table

# Partners are about as old as each other, nine of ten of the other gender. Children at home are
# under age when the period ends, and their parents were of age when they were born. By eye.
PARTNER_YEARS = 3.5
SAME_GENDER = 0.08
AT_HOME_UNTIL = 18
YOUNGEST_PARENT = 19
YOUNGEST_PARTNER = 20  # at the period's end
GENDERS = ("female", "male")

# A family of two is one grown-up and a child; from three on there are two grown-ups.
FIRST_COUPLE_FAMILY = 3


HAS_SIZES = 'SELECT count(*) FROM latent."Wearer.sizes"'
SIZES = """
    SELECT w.fit, s.place
    FROM latent."ShoppingHabit.items" l
    JOIN OrderItem i ON i.Id = l.Id
    JOIN latent."Wearer.wearers" w ON w.Id = l.wearer
    JOIN latent."Assortment.products" p ON p.Id = i.Product2Id
    JOIN latent."Wearer.sizes" s ON s."group" = p.group_key AND s.size = i.Size__c
    WHERE NOT s.grows
"""
CHILDREN = """
    SELECT EXISTS (
               SELECT 1 FROM latent."Wearer.wearers" w
               WHERE w.account = o.AccountId AND w.role = 'child'
           ),
           s.grows
    FROM latent."ShoppingHabit.items" l
    JOIN OrderItem i ON i.Id = l.Id
    JOIN "Order" o ON o.Id = i.OrderId
    JOIN latent."Assortment.products" p ON p.Id = i.Product2Id
    JOIN (SELECT "group", max(grows) AS grows FROM latent."Wearer.sizes" GROUP BY 1) s
        ON s."group" = p.group_key
    WHERE l.wearer >= 0
"""


@dataclass(frozen=True, slots=True)
class Members:
    """Some people of some households: whose (row of the account), their gender and birth date."""

    role: str
    account: Array
    gender: Array
    born: Array


class Wearer:
    """The people of the customers' households."""

    name = "Wearer"
    reads: tuple[str, ...] = ("Household",)
    tables: Mapping[str, tuple[str, ...]] = {
        "wearers": ("Id", "account", "role", "gender", "born", "fit", "width"),
        "sizes": ("group", "place", "size", "grows"),
    }
    drives = ("OrderItem",)
    references: Mapping[str, str] = {"account": "Account"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The customers first, then their partners, then their children."""
        setting = org.setting
        people = org.table("Household.customers")
        rng = setting.stream("Wearer", "family")
        parts = [
            Members("self", np.arange(people.size), people["gender"], people["born"]),
            _partners(rng, setting, people),
            _children(rng, setting, people),
        ]
        return _wearers(setting, parts), _sizes(setting)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Everybody's sizes follow one measure, and families buy what children wear.

        A trade without sizes, or without anything for children alone, shows neither.
        """
        measured = []
        if not org.execute(HAS_SIZES).fetchone()[0]:
            return ()
        sizes = org.execute(SIZES).fetchall()
        if sizes:
            says = "what somebody wears is always of their own size"
            measured.append(correlation(self.name, says, sizes))
        bought = org.execute(CHILDREN).fetchall()
        if any(grows for _, grows in bought):
            says = "households with children buy what children wear"
            measured.append(shares(self.name, says, bought))
        return tuple(measured)


def _partners(rng: Stream, setting: RunContext, people: Table) -> Members:
    """A partner for everybody who lives with another grown-up."""
    family = people["household"] == "family"
    account = np.flatnonzero(people["size"] >= np.where(family, FIRST_COUPLE_FAMILY, 2))
    own = people["gender"][account]
    other = np.where(own == GENDERS[0], GENDERS[1], GENDERS[0])
    alike = rng.random(len(account)) < SAME_GENDER
    days = np.round(rng.normal(0, PARTNER_YEARS, size=len(account)) * DAYS_A_YEAR)
    born = people["born"][account] + days.astype("timedelta64[D]")
    of_age = setting.last_day - np.timedelta64(round(YOUNGEST_PARTNER * DAYS_A_YEAR), "D")
    return Members("partner", account, np.where(alike, own, other), np.minimum(born, of_age))


def _children(rng: Stream, setting: RunContext, people: Table) -> Members:
    """The children of families: whoever is left of their size."""
    family = people["household"] == "family"
    grown_ups = np.where(people["size"] >= FIRST_COUPLE_FAMILY, 2, 1)
    number = np.where(family, np.maximum(people["size"] - grown_ups, 0), 0)
    account = np.repeat(np.arange(people.size), number)
    years = np.round(AT_HOME_UNTIL * rng.random(len(account)) * DAYS_A_YEAR)
    of_age = people["born"][account] + np.timedelta64(round(YOUNGEST_PARENT * DAYS_A_YEAR), "D")
    born = np.maximum(setting.last_day - years.astype("timedelta64[D]"), of_age)
    gender = labels(rng, dict.fromkeys(GENDERS, 1.0), len(account))
    return Members("child", account, gender, np.minimum(born, setting.last_day))


def _wearers(setting: RunContext, parts: list[Members]) -> Table:
    rng = setting.stream("Wearer", "measures")
    roles = []
    for part in parts:
        roles += [part.role] * len(part.account)
    size = len(roles)
    return table(
        "Wearer.wearers",
        {"account": "Account"},
        Id=np.arange(size),
        account=np.concatenate([part.account for part in parts]),
        role=strings(roles),
        gender=np.concatenate([part.gender for part in parts]),
        born=np.concatenate([part.born for part in parts]),
        fit=np.round(rng.normal(size=size), 4),
        width=np.round(rng.random(size), 4),
    )


def _sizes(setting: RunContext) -> Table:
    rows = []
    for group in setting.world.groups:
        for place, size in enumerate(group.sizes):
            rows.append((group.key, place, size, group.grows))
    return table(
        "Wearer.sizes",
        group=strings([row[0] for row in rows]),
        place=np.array([row[1] for row in rows], dtype=np.int64),
        size=strings([row[2] for row in rows]),
        grows=np.array([row[3] for row in rows], dtype=bool),
    )
