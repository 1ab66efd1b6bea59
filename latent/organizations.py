"""Customers that are clubs, shops or firms: their names, and the people who act for them.

A part of CustomerFile. The trade says which segments are organizations and what such are called
(`buying.organizations`). Knows no orders and no cases.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latent.notes import noted, worded
from latent.people import letters
from pipeline.world.org import RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table
from schemas.buying import Organization
from schemas.country import Country, without_accents

# What firms' mail addresses begin with, by eye: half have the name of the person.
MAILBOXES = ("{given}", "{given}.{surname}", "{initial}{surname}", "info", "office", "orders")
MAILBOX_SHARES = (0.25, 0.2, 0.1, 0.2, 0.13, 0.12)

# Of the person who acts for a club or shop the role is nearly always known.
ROLE_KNOWN = 0.85

OWN_DOMAIN = ".example"
"""What domains of customers end on, which is reserved: nobody can own one."""

TRIES = 20
"""So often another name is looked for where one is taken; then the city is added, then a number."""


@dataclass(frozen=True, slots=True)
class Organizations:
    """One value a customer, None for private ones: name, mail address, role of its person, note.

    None for the address, too, where that person writes from a mailbox of their own. `line` and
    `industry` are what firms do, where all customers are firms.
    """

    name: Array
    email: Array
    title: Array
    note: Array
    line: Array
    industry: Array

    @classmethod
    def none(cls, size: int) -> "Organizations":
        """So many private customers."""
        return cls(*(np.full(size, None, dtype=object) for _ in range(6)))

    @property
    def private(self) -> Array:
        """Whether each customer is a private person."""
        return np.array([name is None for name in self.name], dtype=bool)


def organizations(
    rng: Stream,
    setting: RunContext,
    people: Table,
    segments: Array,
    noted_share: float,
) -> Organizations:
    """The organizations among the customers; `people` act for them, `segments` says who is one."""
    found = Organizations.none(people.size)
    taken: set[str] = set()
    for segment, stated in setting.world.trade.buying.organizations.items():
        rows = np.flatnonzero(segments == segment)
        known = rng.random(len(rows)) < ROLE_KNOWN
        found.note[rows] = noted(rng, stated.notes, len(rows), noted_share)
        for row, has_role in zip(rows.tolist(), known, strict=True):
            name = unused(_names(rng, stated, people, row), taken)
            found.name[row] = name
            if rng.random() < stated.own_domain:
                found.email[row] = own_address(
                    rng,
                    setting,
                    people,
                    row,
                    name,
                )
            if has_role:
                found.title[row] = stated.titles[int(rng.integers(len(stated.titles)))]
    return found


def _names(rng: Stream, stated: Organization, people: Table, row: int) -> Iterator[str]:
    """Names that an organization may have, the likeliest first, without an end."""
    slots = {"city": people["city"][row], "surname": str(people["surname"][row]).split(" ")[0]}
    name = ""
    for _ in range(TRIES):
        form = stated.names[int(rng.integers(len(stated.names)))]
        name = worded(form, rng).format(**slots)
        yield name
    yield f"{name} of {slots['city']}"
    number = 1
    while True:
        number += 1
        yield f"{name} {number}"


def unused(names: Iterator[str], taken: set[str]) -> str:
    """The first name that isn't taken, which is from then on."""
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name


def own_address(
    rng: Stream,
    setting: RunContext,
    people: Table,
    row: int,
    name: str,
) -> str:
    """An address under the organization's own domain, which nobody can own."""
    form = MAILBOXES[int(rng.choice(len(MAILBOXES), p=MAILBOX_SHARES))]
    local = mailbox(
        form,
        people["given"][row],
        people["surname"][row],
        setting.country,
    )
    return setting.mailbox(f"{local}@{own_domain(name, row, setting.country)}")


def mailbox(form: str, given: object, surname: object, country: Country) -> str:
    """What stands before the @ of somebody: `{given}.{surname}` gives `jose.oneil`."""
    first = letters(str(given), country)
    last = letters(str(surname).partition("-")[0], country)
    return form.format(given=first, surname=last, initial=first[:1])


def own_domain(name: str, row: int, country: Country) -> str:
    """The domain of an organization of that name: `moldershoes.example`."""
    plain = without_accents(country.latin(name)).lower()
    domain = "".join(sign for sign in plain if sign.isascii() and sign.isalnum())
    # A name in another script leaves nothing that an address could have.
    return f"{domain or f'customer{row}'}{OWN_DOMAIN}"
