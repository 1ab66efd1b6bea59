"""For whom each case's customer writes: themselves, somebody of their family, or one of theirs.

A part of ProductNaming. A parent writes of what a child wears, and who acts for a club or a shop of
what a member or a customer wears; whoever it is has a pronoun. Draws nothing. Knows no acts and no
rules.
"""

from dataclasses import dataclass

from pipeline.world.org import Org
from pipeline.world.tables import NONE, Table
from schemas.buying import Organization

FAMILY = "family"
"""What a customer writes for who writes for somebody at home."""

OF_CHILD = "_child"
"""How a segment ends where it is about what only children wear: `club_child`."""

HE, SHE = "he", "she"
PRONOUNS = {"male": HE, "female": SHE}
# Who acts for a club or a shop writes of what one of theirs wears in every so many cases; else of
# what they tried on themselves: nobody else's feet are known so well. By eye.
SPEAKS_FOR = 8
CHILDREN = {HE: "my son", SHE: "my daughter"}
PARTNERS = {HE: "my husband", SHE: "my wife"}


@dataclass(frozen=True, slots=True)
class Behalf:
    """Whose thing it is: `my son`, `one of our members`; empty where it is the writer's own.

    `writes_for` is `family`, or the segment of the organization, `club` or `club_child`.
    """

    wearer: str = ""
    pronoun: str = ""
    writes_for: str = ""


def behalves(org: Org, cases: Table) -> list[Behalf]:
    """For whom each case is written."""
    items = org.table("ShoppingHabit.items")
    groups = {group.key: group for group in org.setting.world.groups}
    product = items["product"][cases["item"]]
    keys = org.table("Assortment.products")["group_key"][product]
    segments = org.table("ShoppingHabit.customers")["segment"][cases["account"]]
    wearers = org.table("Wearer.wearers")
    firms = org.setting.world.trade.buying.organizations
    found = []
    for row in range(cases.size):
        group = groups.get(str(keys[row]))
        if group is None:
            found.append(Behalf())
            continue
        wearer = int(items["wearer"][cases["item"][row]])
        known = str(wearers["gender"][wearer]) if wearer != NONE else ""
        # Of what girls and boys wear alike, half is a girl's.
        halves = tuple(PRONOUNS.values())
        either = halves[int(cases["account"][row]) % len(halves)]
        pronoun = PRONOUNS.get(known or group.gender or "", either)
        firm = firms.get(str(segments[row]))
        if firm is not None:
            found.append(_of_firm(firm, row, pronoun, str(segments[row]), group.grows))
            continue
        role = str(wearers["role"][wearer]) if wearer != NONE else ""
        found.append(_of_family(role, pronoun, group.grows))
    return found


def _of_firm(firm: Organization, row: int, pronoun: str, segment: str, grows: bool) -> Behalf:
    """Somebody who is theirs, by the number of the case; nobody where who acts for them uses it."""
    if not firm.buys_for or row % SPEAKS_FOR:
        return Behalf()
    if grows and firm.buys_for_child:
        child = firm.buys_for_child[row % len(firm.buys_for_child)]
        return Behalf(child, pronoun, f"{segment}{OF_CHILD}")
    return Behalf(firm.buys_for[row % len(firm.buys_for)], pronoun, segment)


def _of_family(role: str, pronoun: str, grows: bool) -> Behalf:
    """A child or a partner; nobody where it is the writer's own."""
    if role == "child" or (grows and role != "self"):
        return Behalf(CHILDREN[pronoun], pronoun, FAMILY)
    if role == "partner":
        return Behalf(PARTNERS[pronoun], pronoun, FAMILY)
    return Behalf()
