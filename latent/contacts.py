"""What contacts are drawn from, and what they are before they have channels and hours.

Shared by `latent.complaints` and `latent.outages`. Draws nothing itself.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.world.tables import NONE, Array

COMPLAINT = "complaint"
DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Sales:
    """What was sold, one row an item.

    `arrived` is the day on which the buyer has it in hand, `until` the last one, `can_have` (items
    × issues) whether it can have an issue at all, `weight` how likely its buyer complains. `room`
    has one row a customer: how many more times they may write.
    """

    product: Array
    buyer: Array
    room: Array
    ordered: Array
    arrived: Array
    shipped: Array
    until: Array
    can_have: Array
    weight: Array
    usable: Array


@dataclass(frozen=True, slots=True)
class Contacts:
    """Complaints and other contacts to be: item, issue (rows), day and intent of each.

    `outage` numbers what struck many customers at once, NONE for all else.
    """

    item: Array
    issue: Array
    day: Array
    intent: Array
    outage: Array


def take(sales: Sales, items: Array) -> None:
    """Marks items as written about: not again, and their buyers have less room."""
    sales.usable[items] = False
    np.subtract.at(sales.room, sales.buyer[items], 1)


def joined(parts: list[Contacts]) -> Contacts:
    """All contacts of the parts, one part after the other."""
    return Contacts(
        np.concatenate([part.item for part in parts]),
        np.concatenate([part.issue for part in parts]),
        np.concatenate([part.day for part in parts]),
        np.concatenate([part.intent for part in parts]),
        np.concatenate([part.outage for part in parts]),
    )


def of_intent(item: Array, issue: Array, day: Array, intent: str) -> Contacts:
    """Contacts of one intent, none of them about an outage."""
    size = len(item)
    return Contacts(item, issue, day, np.full(size, intent, dtype=object), np.full(size, NONE))
