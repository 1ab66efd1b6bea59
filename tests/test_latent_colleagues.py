"""Contacts of firms: who signed up comes first, colleagues follow, each with a mailbox."""

import numpy as np
import pytest

from tests.latent_orgs import SEEDS, drawn
from tests.trade_orgs import drawn_company


def test_the_first_contacts_are_those_who_signed_up() -> None:
    """There is one for each customer in the customers' order, so that cases find them."""
    org = drawn_company("saas")
    contacts, people = org.table("CustomerFile.contacts"), org.table("Household.customers")
    assert (contacts["account"][: people.size] == np.arange(people.size)).all()
    assert (contacts["surname"][: people.size] == people["surname"]).all()


def test_colleagues_come_after_their_firm_and_in_order() -> None:
    """Some firms have several contacts; nobody is on file before their firm is."""
    org = drawn_company("saas")
    contacts, customers = org.table("CustomerFile.contacts"), org.table("ShoppingHabit.customers")
    later = np.arange(contacts.size) >= customers.size
    since = contacts["since"][later]
    assert later.any()
    assert (since >= customers["since"][contacts["account"][later]]).all()
    assert (np.diff(since) >= np.timedelta64(0, "s")).all()


def test_no_two_contacts_share_a_mail_address() -> None:
    """Where an address is taken, a number is added."""
    mails = [mail for mail in drawn_company("saas").table("CustomerFile.contacts")["email"] if mail]
    assert len(set(mails)) == len(mails)


@pytest.mark.parametrize("seed", SEEDS)
def test_private_persons_have_no_colleagues(seed: int) -> None:
    """A shop's customers are themselves."""
    org = drawn(seed)
    assert org.table("CustomerFile.contacts").size == org.table("CustomerFile.customers").size


@pytest.mark.parametrize("seed", SEEDS)
def test_orders_and_articles_stand_in_the_order_of_time(seed: int) -> None:
    """Ids and numbers are given as records are made, and an issue still finds its own article."""
    org = drawn(seed)
    articles = org.table("IssueSolution.articles")
    for moments in (org.table("ShoppingHabit.orders")["placed"], articles["published"]):
        assert (np.diff(moments) >= np.timedelta64(0, "s")).all()
    own = org.table("IssueSolution.by_issue")["article"]
    assert (articles["issue_key"][own] == org.table("Solution.issues")["key"]).all()
