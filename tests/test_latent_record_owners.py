"""In whose name accounts and orders are held."""

import numpy as np
import pytest

from latent.record_owners import FIRST_OWNER, account_owners
from latent.workers import SERVICE_KINDS, SYSTEM
from pipeline.world.tables import Array
from tests.latent_orgs import part_of, with_columns
from tests.trade_orgs import drawn_company

COMPANIES = ("bank", "saas", "utility")


def gone(company: str) -> Array:
    """Which users have left."""
    return np.asarray(~np.isnat(drawn_company(company).table("Workforce.people")["left"]))


@pytest.mark.parametrize("company", COMPANIES)
def test_nobody_who_left_owns_an_account_or_an_order(company: str) -> None:
    """What they had is somebody else's."""
    org = drawn_company(company)
    for name in ("customers", "orders"):
        assert not gone(company)[org.table(f"CustomerFile.{name}")["owner"]].any()


@pytest.mark.parametrize("company", COMPANIES)
def test_who_entered_an_order_owns_it_while_they_are_there(company: str) -> None:
    """Only orders of those who left go to the owner of the account."""
    org = drawn_company(company)
    orders = org.table("ShoppingHabit.orders")
    owner = org.table("CustomerFile.orders")["owner"]
    left = gone(company)[orders["creator"]]
    assert (owner[~left] == orders["creator"][~left]).all()
    accounts = org.table("CustomerFile.customers")["owner"]
    assert (owner[left] == accounts[orders["account"][left]]).all()
    assert len(set(owner.tolist())) > 1


def test_accounts_of_firms_belong_to_those_who_sell() -> None:
    """Where the trade names a department every account has an owner there."""
    org = drawn_company("saas")
    people = org.table("Workforce.people")
    owners = org.table("CustomerFile.customers")["owner"]
    assert set(people["department"][owners].tolist()) == {"Sales"}


def test_customers_of_a_branch_belong_to_who_served_them() -> None:
    """Some accounts are a banker's, most the systems', none an agent's."""
    org = drawn_company("bank")
    people = org.table("Workforce.people")
    owners = org.table("CustomerFile.customers")["owner"]
    kinds = people["kind"][owners].astype(str)
    assert not set(kinds.tolist()) & SERVICE_KINDS
    by_people = kinds != SYSTEM
    assert 0 < by_people.mean() < 0.6
    orders = org.table("ShoppingHabit.orders")
    served = set(zip(orders["account"].tolist(), orders["creator"].tolist(), strict=True))
    theirs = np.flatnonzero(by_people)
    assert set(zip(theirs.tolist(), owners[theirs].tolist(), strict=True)) <= served


def test_of_several_systems_the_first_holds_most_accounts() -> None:
    """Where a second program connects shop and CRM, the first still has four accounts in five."""
    org = drawn_company("utility")
    people = org.table("Workforce.people")
    systems = np.flatnonzero(people["kind"] == SYSTEM)
    first_names = people["given_first"].astype(object)
    first_names[systems] = "Gateway"
    both = part_of(org, with_columns(people, given_first=first_names))
    accounts = org.table("CustomerFile.customers").size
    owners = account_owners(org.setting.stream("CustomerFile", "customers"), both, accounts)
    held = [int((owners == system).sum()) for system in systems]
    assert len(held) == 2
    assert held[0] / sum(held) == pytest.approx(FIRST_OWNER, abs=0.1)
