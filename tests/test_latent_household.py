"""Households: people whose name, age, address, telephone and devices agree with each other."""

from collections import Counter

import numpy as np
import pytest

from latent.household import BROWSERS, Household
from latent.people import draw_people, letters
from latent.streets import boxes, ordinal_word, street_lines
from pipeline.world.streams import stream
from pipeline.world.tables import Table
from schemas.country import load_country, without_accents
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with
from tests.trade_orgs import drawn_company

AMERICA = load_country("en_US")


@pytest.fixture(scope="module")
def crowd() -> tuple[Table, Table, Table]:
    """Ten thousand customers with their addresses and devices."""
    customers, addresses, devices = Household().draw(
        part_of(drawn(1), setting=setting_with(Account=10_000))
    )
    return customers, addresses, devices


@pytest.mark.parametrize("seed", SEEDS)
def test_city_state_and_postal_code_agree(seed: int) -> None:
    """Every address, of today, of before a move and for shipping, is one of a real city."""
    org = drawn(seed)
    cities = {(city.city, city.state): city for city in AMERICA.places}
    people, homes = org.table("Household.customers"), org.table("Household.addresses")
    found = list(zip(homes["city"], homes["state"], homes["postal"], strict=True))
    found += list(zip(people["city"], people["state"], people["postal"], strict=True))
    found += zip(people["ship_city"], people["ship_state"], people["ship_postal"], strict=True)
    for city, state, postal in found:
        low, high = cities[str(city), str(state)].postal
        assert low <= postal <= high


def test_most_telephones_are_of_the_customers_state(crowd: tuple[Table, Table, Table]) -> None:
    """A quarter of the people keep a number of another state; all numbers are invented ones."""
    people, _, _ = crowd
    states: dict[str, set[str]] = {}
    for city in AMERICA.places:
        for code in city.area_codes:
            states.setdefault(code, set()).add(city.state)
    for column in ("phone", "mobile"):
        codes = [phone[1:4] for phone in people[column]]
        own = [state in states[code] for code, state in zip(codes, people["state"], strict=True)]
        assert 0.72 < np.mean(own) < 0.85
        assert all(phone[5:12] == " 555-01" for phone in people[column])
    same = [a[:5] == b[:5] for a, b in zip(people["phone"], people["mobile"], strict=True)]
    assert 0.8 < np.mean(same) < 0.98


def test_nobody_has_the_number_of_somebody_else() -> None:
    """As far as the ranges for fiction go: hundred numbers an area code."""
    people = drawn(1).table("Household.customers")
    numbers = [*people["phone"].tolist(), *people["mobile"].tolist()]
    full = Counter(number[:5] for number in numbers)
    numbers = [number for number in numbers if full[number[:5]] <= 100]
    assert len(numbers) > 50 and len(set(numbers)) == len(numbers)


def test_no_birthday_is_that_of_all_the_oldest(crowd: tuple[Table, Table, Table]) -> None:
    """Ages have an upper end, but nobody is put on it: ten thousand people share no day by
    dozens.
    """
    people, _, _ = crowd
    _, sharing = np.unique(people["born"], return_counts=True)
    assert sharing.max() < 12


def test_who_moved_has_two_homes(crowd: tuple[Table, Table, Table]) -> None:
    """The latest home is the present one; some three in ten move within four years."""
    people, homes, _ = crowd
    moved = ~np.isnat(people["moved"])
    assert 0.25 < moved.mean() < 0.35
    number = np.bincount(homes["account"], minlength=people.size)
    assert np.array_equal(number, 1 + moved)
    last = np.cumsum(number) - 1
    assert (homes["street"][last] == people["street"]).all()
    assert (homes["since"][last][moved] == people["moved"][moved]).all()


def test_few_have_things_sent_elsewhere(crowd: tuple[Table, Table, Table]) -> None:
    """One customer in ten; for the others shipping goes home."""
    people, _, _ = crowd
    away = people["elsewhere"]
    assert 0.08 < away.mean() < 0.12
    assert (people["ship_street"] == people["street"])[~away].all()
    assert (people["ship_street"] != people["street"])[away].mean() > 0.99


def test_a_browser_runs_on_its_platform(crowd: tuple[Table, Table, Table]) -> None:
    """No Safari on Windows; everybody has one device or two, and both are theirs."""
    people, _, devices = crowd
    pairs = set(zip(devices["platform"], devices["browser"], strict=True))
    for platform, browser in pairs:
        assert browser in BROWSERS[platform]
    number = np.bincount(devices["account"], minlength=people.size)
    assert set(number) == {1, 2}


def test_the_young_use_phones(crowd: tuple[Table, Table, Table]) -> None:
    """Who was born in the nineties does twice as much by phone as who was born in the fifties."""
    people, _, _ = crowd
    year = people["born"].astype("datetime64[Y]").astype(int) + 1970
    young, old = people["by_phone"][year >= 1990], people["by_phone"][year < 1960]
    assert young.mean() > 2 * old.mean() * 0.85


def test_who_writes_for_a_firm_sits_at_a_desk() -> None:
    """Customers of business software use phones less than private ones."""
    shares = [
        drawn_company(name).table("Household.customers")["by_phone"].mean()
        for name in ("saas", "utility")
    ]
    assert shares[0] < 0.7 * shares[1]


def test_names_are_of_their_time(crowd: tuple[Table, Table, Table]) -> None:
    """Lindas are older than Jessicas, and those older than Emmas."""
    people, _, _ = crowd
    year = people["born"].astype("datetime64[Y]").astype(int) + 1970
    means = [year[people["given"] == name].mean() for name in ("Linda", "Jessica", "Emma")]
    assert means[0] + 15 < means[1] < means[2] - 3


def test_given_names_and_surnames_agree(crowd: tuple[Table, Table, Table]) -> None:
    """Priyas are Patels or Singhs, and nobody of another group has such a surname."""
    people, _, _ = crowd
    groups = {group.name: group for group in AMERICA.people.groups}
    south_asian = people["culture"] == "south_asian"
    assert 0.01 < south_asian.mean() < 0.03
    surnames = set(groups["south_asian"].surnames)
    for name in people["surname"][south_asian]:
        assert set(name.split(" ")[0].split("-")) <= surnames
    hispanic = (people["culture"] == "hispanic").mean()
    assert 0.17 < hispanic < 0.2


def test_names_have_what_lists_of_names_have(crowd: tuple[Table, Table, Table]) -> None:
    """Some stand twice, some are double, some have accents, and a few men are juniors."""
    people, _, _ = crowd
    surnames = people["surname"].astype(str)
    names = Counter(zip(people["given"], surnames, strict=True))
    assert max(names.values()) > 1
    assert 0.01 < np.mean(["-" in name for name in surnames]) < 0.04
    assert 0.02 < np.mean([without_accents(name) != name for name in surnames]) < 0.12
    juniors = np.array([name.endswith((" Jr.", " Sr.", " III")) for name in surnames])
    assert 0.003 < juniors.mean() < 0.015
    assert set(people["gender"][juniors]) == {"male"}


def test_mail_addresses_are_their_owners_own(crowd: tuple[Table, Table, Table]) -> None:
    """All differ, most hold a part of the name, a third has digits, and none could be real."""
    people, _, _ = crowd
    emails = people["email"].tolist()
    assert len(set(emails)) == len(emails)
    local, domains = zip(*(email.split("@") for email in emails), strict=True)
    assert set(domains) == {"example.com", "example.net", "example.org"}
    assert all(set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789._") for text in local)
    assert 0.3 < np.mean([any(sign.isdigit() for sign in text) for text in local]) < 0.55
    named = []
    for text, surname in zip(local, people["surname"], strict=True):
        named.append(letters(surname.partition("-")[0], AMERICA) in text)
    assert 0.85 < np.mean(named) < 0.97


def test_a_taken_mail_address_gets_a_number() -> None:
    """A thousand people of few names have a thousand addresses."""
    listed = AMERICA.people
    few = listed.groups[0].model_copy(
        update={"surnames": ("Lee",), "female": ("Ann",), "male": ("Bo",), "usual": 0.0}
    )
    people = listed.model_copy(update={"groups": (few,)})
    country = AMERICA.model_copy(update={"people": people})
    drawn = draw_people(stream(1, "x"), country, np.full(1000, 1980))
    assert len(set(drawn.email)) == 1000


def test_streets_are_called_as_streets_are() -> None:
    """Nine in ten end in a usual kind; numbers have one to five digits and no zero in front."""
    lines = street_lines(stream(1, "x"), AMERICA.streets, 5000)
    digits = Counter(len(line.split(" ")[0]) for line in lines)
    assert not any(line.startswith("0") for line in lines)
    assert set(digits) == {1, 2, 3, 4, 5} and digits[3] > digits[2] > digits[1]
    assert (digits[3] + digits[4]) / len(lines) > 0.65 and digits[5] < 0.1 * len(lines)
    units = [line for line in lines if any(f" {kind}" in line for kind in ("Apt", "Unit", "#"))]
    assert 0.13 < len(units) / len(lines) < 0.2
    assert any(" 5th " in line for line in lines) and any(" N " in line for line in lines)
    usual = ("Street", "St", "Avenue", "Ave", "Road", "Rd", "Drive", "Dr", "Lane", "Ln", "Court")
    assert np.mean([any(f" {kind}" in line for kind in usual) for line in lines]) > 0.8
    assert all(box.startswith("PO Box ") for box in boxes(stream(1, "x"), AMERICA.streets, 5))


@pytest.mark.parametrize(
    ("number", "word"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (42, "42nd")]
)
def test_ordinals_have_their_endings(number: int, word: str) -> None:
    """As English has them."""
    assert ordinal_word(number) == word


@pytest.mark.parametrize(
    ("name", "kept"), [("O'Brien Jr.", "obrien"), ("Muñoz", "munoz"), ("De Luca", "deluca")]
)
def test_addresses_have_letters_only(name: str, kept: str) -> None:
    """Small letters without accents, marks and suffixes."""
    assert letters(name, AMERICA) == kept


def test_who_lives_together_has_one_name(crowd: tuple[Table, Table, Table]) -> None:
    """Three customers in a hundred share their home, and the name of whom they share it with."""
    people, _, _ = crowd
    homes: dict[tuple[str, str], list[int]] = {}
    for row, home in enumerate(zip(people["street"], people["city"], strict=True)):
        homes.setdefault(home, []).append(row)
    shared = [rows for rows in homes.values() if len(rows) == 2]
    alike = [without_suffix(people["surname"][rows]) for rows in shared]
    assert 0.02 <= 2 * len(shared) / people.size <= 0.04
    assert np.mean([one == other for one, other in alike]) > 0.95
    named = people["surname"][people["gender"] == "female"]
    assert without_suffix(named) == named.tolist()


def without_suffix(names: "np.ndarray[tuple[int], np.dtype[np.object_]]") -> list[str]:
    """Surnames without `Jr.` and the like."""
    bare = [str(name) for name in names]
    for suffix in filter(None, AMERICA.people.suffixes):
        bare = [name.removesuffix(suffix) for name in bare]
    return bare
