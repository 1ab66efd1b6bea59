"""What is on file: blanks have a reason, and nothing is blank that a case needs."""

import numpy as np
import pytest

from latent.chat_visit import ChatVisit
from latent.customer_file import CustomerFile
from latent.household import BROWSERS
from latent.workers import SERVICE_KINDS, SYSTEM
from tests.latent_orgs import SEEDS, drawn, part_of, with_columns


@pytest.mark.parametrize("seed", SEEDS)
def test_who_wrote_in_has_a_mail_address(seed: int) -> None:
    """Customers with a case have one on file, and so has everybody whom no shop served."""
    org = drawn(seed)
    file = org.table("CustomerFile.customers")
    known = np.array([email is not None for email in file["email"]])
    assert known[org.table("ComplaintHabit.cases")["account"]].all()
    assert known[~file["in_person"].astype(bool)].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_on_file_is_the_customers_own(seed: int) -> None:
    """A telephone, an address or a birth date is either theirs or missing."""
    org = drawn(seed)
    file, people = org.table("CustomerFile.customers"), org.table("Household.customers")
    own = (("home_phone", "phone"), ("mobile", "mobile"), ("person_email", "email"))
    for column, source in own:
        for value, own in zip(file[column], people[source], strict=True):
            assert value in (None, own)
    for phone, home, mobile in zip(file["phone"], file["home_phone"], file["mobile"], strict=True):
        assert phone in (home, mobile)
        assert (phone is None) == (home is None and mobile is None)
    born = file["birthdate"]
    assert (born == people["born"])[~np.isnat(born)].all()


def test_shops_ask_for_less() -> None:
    """Fewer fields of customers who came to a shop are filled."""
    shop, web = [], []
    for seed in SEEDS:
        file = drawn(seed).table("CustomerFile.customers")
        known = [file[name].astype(bool) for name in ("mobile", "mailing_city")]
        filled = np.sum(known, axis=0)
        shop += filled[file["in_person"].astype(bool)].tolist()
        web += filled[~file["in_person"].astype(bool)].tolist()
    assert np.mean(shop) < np.mean(web) * 0.8


def test_how_customers_came_fits_their_channel() -> None:
    """Nobody who ordered on the web first was found by a catalog, nobody in a shop by a letter."""
    for seed in SEEDS:
        org = drawn(seed)
        channel = org.table("ShoppingHabit.customers")["channel"]
        listed = org.setting.world.trade.buying.sources
        sources = org.table("CustomerFile.customers")["source"]
        for name, source in zip(channel, sources, strict=True):
            assert source in listed[name]


def test_most_records_have_no_note() -> None:
    """One in ten has one, from the trade's list."""
    notes = []
    for seed in SEEDS:
        org = drawn(seed)
        file = org.table("CustomerFile.customers")
        own = file["note"][file["private"].astype(bool)].tolist()
        listed = org.setting.world.trade.buying.notes
        assert set(own) - {None} <= set(listed)
        notes += file["note"].tolist()
    assert 0.04 < np.mean([note is not None for note in notes]) < 0.16


def test_few_users_own_all_records() -> None:
    """Those that connect shop and CRM; without any, people who serve nobody; else the last user.

    Who entered a customer's last order by hand owns the account besides.
    """
    org = drawn(1)
    people = org.table("Workforce.people")
    kinds = people["kind"].astype(str)
    systems = set(np.flatnonzero(kinds == SYSTEM).tolist())
    served = set(np.flatnonzero(np.isin(kinds, sorted(SERVICE_KINDS))).tolist())
    by_hand = set(org.table("ShoppingHabit.orders")["creator"].tolist()) - served
    owners = set(org.table("CustomerFile.customers")["owner"].tolist())
    assert systems and owners <= systems | by_hand
    for kind, owner in (("agent", people.size - 1), ("shop", 3)):
        changed = np.full(people.size, sorted(SERVICE_KINDS)[0], dtype=object)
        changed[3] = kind if kind == "shop" else changed[3]
        file, *_ = CustomerFile().draw(part_of(org, with_columns(people, kind=changed)))
        assert set(file["owner"].tolist()) == {owner}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chat_comes_from_a_device_of_the_customer(seed: int) -> None:
    """Platform and browser are those of one device that the customer has."""
    org = drawn(seed)
    devices, chats = org.table("Household.devices"), org.table("ChatVisit.chats")
    owned = set(
        zip(devices["account"].tolist(), devices["platform"], devices["browser"], strict=True)
    )
    accounts = org.table("CaseStory.chats")["account"].tolist()
    for account, platform, browser in zip(
        accounts,
        chats["platform"],
        chats["browser"],
        strict=True,
    ):
        assert (account, platform, browser) in owned
        assert browser in BROWSERS[platform]


def test_most_chats_come_from_home() -> None:
    """Seven to nine of ten, the others mostly from the same state."""
    home, state = [], []
    for seed in SEEDS:
        org = drawn(seed)
        accounts = org.table("CaseStory.chats")["account"]
        people = org.table("Household.customers")
        stayed = np.isnat(people["moved"][accounts])
        places = org.table("ChatVisit.chats")["location"][stayed]
        cities, states = people["city"][accounts][stayed], people["state"][accounts][stayed]
        for place, city, own in zip(places, cities, states, strict=True):
            home.append(place == f"{city}, {own}")
            state.append(place.endswith(f", {own}"))
    assert 0.75 < np.mean(home) < 0.92
    assert 0.88 < np.mean(state) < 0.99


def test_an_org_without_chats_has_no_visits() -> None:
    """Nothing is drawn where nobody chats."""
    org = drawn(1)
    chats = org.table("ChatDesk.chats")
    none = {name: values[:0] for name, values in chats.columns.items()}
    empty = type(chats)(chats.name, 0, none, chats.references)
    (visits,) = ChatVisit().draw(part_of(org, empty))
    assert visits.size == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_club_is_called_like_one_and_a_person_acts_for_it(seed: int) -> None:
    """Clubs and resellers have a name of their own and no birth date, and some a domain; everybody
    else is a person with a name in parts.
    """
    org = drawn(seed)
    file, people = org.table("CustomerFile.customers"), org.table("Household.customers")
    private = file["private"].astype(bool)
    segments = org.table("ShoppingHabit.customers")["segment"].astype(str)
    assert (private == ~np.isin(segments, ["club", "reseller"])).all()
    names = file["name"][~private].tolist()
    assert len(set(names)) == len(names)
    persons = {
        f"{given} {last}" for given, last in zip(people["given"], people["surname"], strict=True)
    }
    assert set(file["name"][private]) <= persons and not persons & set(names)
    for column in ("given", "surname", "person_email"):
        assert all(value is None for value in file[column][~private])
    assert np.isnat(file["birthdate"][~private]).all()
    own = file["email"].astype(str) == people["email"].astype(str)
    assert own[private & np.not_equal(file["email"], None)].all()
    hosted = file["email"][~private & ~own & np.not_equal(file["email"], None)]
    assert all(str(email).endswith(".example") for email in hosted)
