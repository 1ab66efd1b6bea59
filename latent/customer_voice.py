"""CustomerVoice: what a customer knows and how they name things, in each case.

It draws `customers` (how often a chat turn comes in several lines, words a minute) and `cases` (how
the product is named and dated, whether the order number is at hand, whether the wish is said, and
whether an earlier case is mentioned).
It is drawn from Household, ComplaintHabit, ShoppingHabit, Assortment and Product2.
It drives how customers write.
It knows no beats.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import labels
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, strings, table

# How products are named and purchases dated; chosen by eye.
NAMINGS = {"full": 0.22, "short": 0.33, "kind": 0.33, "vague": 0.12}
DATINGS = {"exact": 0.2, "rough": 0.4, "none": 0.4}
KNOWS_ORDER, WANTS, MENTIONS = 0.4, 0.7, 0.5
DOUBLES_SHAPE = (2.0, 2.0)
TYPING = (22, 60)


class CustomerVoice:
    """Voices."""

    name = "CustomerVoice"
    reads: tuple[str, ...] = (
        "Household",
        "ComplaintHabit",
        "ShoppingHabit",
        "Assortment",
        "Product2",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": ("Id", "doubles", "typing"),
        "cases": ("Id", "naming", "thing", "dating", "knows_order", "wants", "mentions_before"),
    }
    drives = ("Case.Description", "EmailMessage.TextBody", "LiveChatTranscript.Body")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One voice a customer, one way of naming a case."""
        rng = org.setting.stream("CustomerVoice", "cases")
        cases = org.table("ComplaintHabit.cases")
        naming = labels(rng, NAMINGS, cases.size)
        people = org.table("ComplaintHabit.customers").size
        return (
            table(
                "CustomerVoice.customers",
                {"Id": "Account"},
                Id=np.arange(people),
                doubles=np.round(rng.beta(*DOUBLES_SHAPE, size=people), 3),
                typing=rng.integers(*TYPING, size=people),
            ),
            table(
                "CustomerVoice.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                naming=naming,
                thing=_things(org, cases, naming),
                dating=labels(rng, DATINGS, cases.size),
                knows_order=rng.random(cases.size) < KNOWS_ORDER,
                wants=rng.random(cases.size) < WANTS,
                mentions_before=rng.random(cases.size) < MENTIONS,
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None."""
        return ()


def _things(org: Org, cases: Table, naming: Array) -> Array:
    products = org.table("Assortment.products")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    names = org.table("Product2")["Name"]
    made = []
    for way, row in zip(naming, product, strict=True):
        if way == "full":
            made.append(f"the {names[row]}")
        elif way == "short":
            made.append(f"my {products['short'][row]}")
        else:
            made.append(f"the {products['short'][row]}")
    return strings(made)
