"""Behalf: for whom the customers of a company that sells what people wear write to it."""

import numpy as np

from latent.behalf import CHILDREN, FAMILY, OF_CHILD, PARTNERS, PRONOUNS
from tests.latent_orgs import drawn


def test_clubs_and_shops_write_for_one_of_theirs() -> None:
    """Whoever is named is one of those whom the trade names; most buyers speak for themselves, and
    private people for nobody of the kind.
    """
    org = drawn(1)
    cases, named = org.table("ComplaintHabit.cases"), org.table("ProductNaming.cases")
    segments = org.table("ShoppingHabit.customers")["segment"][cases["account"]]
    firms = org.setting.world.trade.buying.organizations
    for segment, wearer, whose in zip(segments, named["wearer"], named["writes_for"], strict=True):
        firm = firms.get(str(segment))
        if firm and whose:
            assert str(whose).removesuffix(OF_CHILD) == str(segment)
            assert wearer in (*firm.buys_for, *firm.buys_for_child)
        else:
            assert whose in ("",) if firm else whose in ("", FAMILY)
    for_theirs = named["writes_for"][np.isin(segments, list(firms))] != ""
    assert for_theirs.any() and for_theirs.mean() < 0.5


def test_whose_pair_it_is_has_a_pronoun_that_fits() -> None:
    """A son and a husband are "he", a daughter and a wife are "she"; one's own pair has none."""
    named = drawn(1).table("ProductNaming.cases")
    kin = {word: pronoun for words in (CHILDREN, PARTNERS) for pronoun, word in words.items()}
    for wearer, pronoun in zip(named["wearer"], named["pronoun"], strict=True):
        assert (pronoun in PRONOUNS.values()) == bool(wearer)
        assert kin.get(wearer, pronoun) == pronoun


def test_what_children_wear_belongs_to_a_child() -> None:
    """In a family it is a son's or a daughter's."""
    org = drawn(1)
    cases, named = org.table("ComplaintHabit.cases"), org.table("ProductNaming.cases")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    kids = org.table("Assortment.products")["group_key"][product] == "kids"
    at_home = named["writes_for"] == FAMILY
    assert np.isin(named["wearer"][kids & at_home], list(CHILDREN.values())).all()
