"""ProductNaming: what each case's customer calls the product, and for whom they write.

It draws `cases` (the words for the product, who wears it, and the pronoun for them), without a
stream of its own: the way and the point, which says whose they call it, are the customer's.
It is drawn from CustomerVoice (how exactly the product is named), ComplaintHabit and ShoppingHabit
(which piece in which color, and who buys), Wearer (who wears it), Assortment and the products'
names.
It drives the customers' words in the first mail, the mails and the chats.
The words themselves are `latent.naming`'s.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.behalf import FAMILY, Behalf, behalves
from latent.naming import FULL, MY, OUR, THE, NamedThing, thing_of
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings, table

FIRST_TEXTS = """
    SELECT v.naming, instr(lower(c.Description), lower(p.Name)) > 0
    FROM "Case" c
    JOIN latent."CustomerVoice.cases" v ON v.Id = c.Id
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    JOIN Product2 p ON p.Id = i.Product2Id
    WHERE c.Description IS NOT NULL
"""

# How many of those who act for a club or a shop call what one of theirs wears "our": what somebody
# else wears is "the" pair to most. By eye.
OURS = 0.2


class ProductNaming:
    """Customers' words for what they bought."""

    name = "ProductNaming"
    reads: tuple[str, ...] = (
        "CustomerVoice",
        "ComplaintHabit",
        "ShoppingHabit",
        "Wearer",
        "Assortment",
        "Product2",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": ("Id", "thing", "wearer", "pronoun", "writes_for")
    }
    drives = ("Case.Description", "EmailMessage.TextBody", "LiveChatTranscript.Body")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The words of each case's customer for the product."""
        for_whom = behalves(org, org.table("ComplaintHabit.cases"))
        return (
            table(
                "ProductNaming.cases",
                {"Id": "Case"},
                Id=np.arange(len(for_whom)),
                thing=strings(_things(org, for_whom)),
                wearer=strings([behalf.wearer for behalf in for_whom]),
                pronoun=strings([behalf.pronoun for behalf in for_whom]),
                writes_for=strings([behalf.writes_for for behalf in for_whom]),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """The product's name in the first text, by the way in which the customer names it."""
        seen = [(way == FULL, bool(told)) for way, told in org.execute(FIRST_TEXTS)]
        says = "who names the product in full has its name in the first text"
        return (shares(self.name, says, seen),)


def _things(org: Org, for_whom: list[Behalf]) -> list[str]:
    cases, voices = org.table("ComplaintHabit.cases"), org.table("CustomerVoice.cases")
    items = org.table("ShoppingHabit.items")
    products = org.table("Assortment.products")
    product = items["product"][cases["item"]]
    plural = org.table("Assortment.categories")["plural"][products["category"][product]]
    names = org.table("Product2")["Name"][product]
    kinds = products["short"][product]
    stated = org.setting.world.trade.contact.possessives
    habits = {str(word): weight for word, weight in stated.items()}
    colors = items["color"][cases["item"]]
    firms = _of_firms(org, cases)
    things = []
    for row in range(cases.size):
        point = float(voices["naming_point"][row])
        named = NamedThing(
            str(names[row]),
            str(kinds[row]),
            bool(plural[row]),
            colors[row] or "",
            _owner(for_whom[row], firms[row], point) or _by_habit(habits, point),
        )
        things.append(thing_of(named, str(voices["naming"][row])))
    return things


def _of_firms(org: Org, cases: Table) -> list[str]:
    """What each case's customer calls what an organization has that they act for; "" for none.

    What it buys for its members or customers is no one's own: `the boots`.
    """
    firms = org.setting.world.trade.buying.organizations
    segments = org.table("ShoppingHabit.customers")["segment"][cases["account"]]
    words = {name: THE if firm.buys_for else OUR for name, firm in firms.items()}
    return [words.get(str(segment), "") for segment in segments]


def _owner(behalf: Behalf, of_firm: str, point: float) -> str:
    """Whose the thing is called: `my son's`, or a firm's own: `our`; nothing where habit says it.

    What a member or a customer of theirs wears is `our` to some, and `the` to the others.
    """
    if behalf.writes_for == FAMILY:
        return f"{behalf.wearer}'s"
    if behalf.writes_for:
        return OUR if point < OURS else THE
    return of_firm


def _by_habit(habits: Mapping[str, float], point: float) -> str:
    """The word of somebody's habit, by a point from 0 to 1 that they have once for all."""
    beyond = point * sum(habits.values())
    for word, share in habits.items():
        beyond -= share
        if beyond < 0:
            return word
    return MY
