"""Customers that all are firms: what they do, what they are called, and their mail addresses.

A part of CustomerFile, for trades whose world lists the lines of business of its customers
(`buying.firms`). Knows no orders and no cases.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from latent.draws import only
from latent.notes import noted, worded
from latent.organizations import TRIES, Organizations, mailbox, own_domain, unused
from pipeline.world.org import RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings
from schemas.buying import Firms, LineOfBusiness

# Who signs up for a small firm does so with their own mailbox there, or with the office's; by eye.
MAILBOXES = ("{given}", "{given}.{surname}", "{initial}{surname}", "info", "office", "hello")
MAILBOX_SHARES = (0.36, 0.2, 0.16, 0.12, 0.1, 0.06)


def firms(rng: Stream, setting: RunContext, people: Table, noted_share: float) -> Organizations:
    """The firms of all customers, of whom `people` signed up; everybody's where there are none."""
    buying = setting.world.trade.buying
    stated = buying.firms
    if stated is None:
        return Organizations.none(people.size)
    weights = np.array([line.weight for line in stated.lines])
    drawn = rng.choice(len(weights), size=people.size, p=weights / weights.sum())
    lines = [stated.lines[place] for place in drawn.tolist()]
    taken: set[str] = set()
    names = [
        unused(
            _names(
                rng,
                stated,
                line,
                people,
                row,
                setting.country.legal_forms,
            ),
            taken,
        )
        for row, line in enumerate(lines)
    ]
    has_domain = rng.random(people.size) < stated.own_domain
    known = rng.random(people.size) < buying.titles
    return Organizations(
        name=strings(names),
        email=_addresses(rng, setting, people, names, has_domain),
        title=only(known, _roles(rng, buying.roles, people.size)),
        note=noted(rng, buying.notes, people.size, noted_share),
        line=strings([line.line for line in lines]),
        industry=strings([line.industry for line in lines]),
    )


def _names(
    rng: Stream,
    stated: Firms,
    line: LineOfBusiness,
    people: Table,
    row: int,
    legal_forms: Mapping[str, str],
) -> Iterator[str]:
    """Names that a firm may have, the likeliest first, without an end."""
    surname = str(people["surname"][row]).split(" ")[0]
    city = str(people["city"][row])
    name = ""
    for _ in range(TRIES):
        does = line.does[int(rng.integers(len(line.does)))]
        form = stated.names[int(rng.integers(len(stated.names)))]
        name = worded(form, rng).format(does=does, city=city, surname=surname)
        for american, own in legal_forms.items():
            name = name.replace(american, own)
        yield name
    number = 1
    while True:
        number += 1
        yield f"{name} {number}"


def _roles(rng: Stream, roles: tuple[str, ...], size: int) -> Array:
    """What those who signed up are."""
    if not roles:
        return np.full(size, None, dtype=object)
    return strings(list(roles))[rng.integers(len(roles), size=size)]


def _addresses(
    rng: Stream,
    setting: RunContext,
    people: Table,
    names: list[str],
    has_domain: Array,
) -> Array:
    """Addresses under the firms' own domains; None for who writes from a mailbox of their own."""
    found = np.full(people.size, None, dtype=object)
    taken: set[str] = set()
    forms = rng.choice(len(MAILBOXES), size=people.size, p=MAILBOX_SHARES).tolist()
    for row in np.flatnonzero(has_domain).tolist():
        domain = own_domain(names[row], row, setting.country)
        # Who comes second to a domain stays with a mailbox of their own.
        if domain not in taken:
            taken.add(domain)
            form = MAILBOXES[forms[row]]
            local = mailbox(
                form,
                people["given"][row],
                people["surname"][row],
                setting.country,
            )
            found[row] = setting.mailbox(f"{local}@{domain}")
    return found
