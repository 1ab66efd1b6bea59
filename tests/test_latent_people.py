"""People have names of their country, mail addresses that agree with them, and no two the same."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.people import DOMAINS, People, draw_people, letters
from pipeline.world.streams import stream
from schemas.country import Country, known_locales, load_country, without_accents

pytestmark = pytest.mark.quick

SIZE = 1500


@pytest.fixture(scope="module", params=known_locales())
def country(request: pytest.FixtureRequest) -> Country:
    """Each country in turn."""
    return load_country(request.param)


@pytest.fixture(scope="module")
def people(country: Country) -> People:
    """Many people of the country, born from 1940 to 2004."""
    return drawn(country)


def drawn(country: Country, seed: int = 1) -> People:
    """People of a country by a seed."""
    born = 1940 + np.arange(SIZE) % 65
    return draw_people(stream(seed, "people"), country, born)


def test_no_two_people_share_an_address(people: People) -> None:
    """However many are called alike."""
    assert len(set(people.email.tolist())) == SIZE
    assert len(set(zip(people.given, people.surname, strict=True))) < SIZE


def test_addresses_are_of_reserved_domains_and_plain_letters(people: People) -> None:
    """No mail ever reaches anybody."""
    for address in people.email.tolist():
        local, _, domain = address.partition("@")
        assert domain in DOMAINS
        assert re.fullmatch(r"[a-z0-9._]+", local)


def test_most_addresses_tell_the_name(country: Country, people: People) -> None:
    """Of ten some seven have the whole surname in them, as it is spelled in addresses."""
    telling = 0
    for surname, address in zip(people.surname, people.email, strict=True):
        telling += letters(str(surname), country) in address.replace(".", "").replace("_", "")
    assert telling / SIZE > 0.7


def test_a_given_name_agrees_with_the_gender(country: Country, people: People) -> None:
    """It stands in a list of that gender, with its accents or without them."""
    population = country.people
    for gender in ("female", "male"):
        listed: set[str] = set()
        for names in (*population.usual, *population.groups):
            listed.update(without_accents(name) for name in getattr(names, gender))
        rows = people.gender == gender
        assert 0.4 < rows.mean() < 0.6
        assert {without_accents(str(name)) for name in people.given[rows]} <= listed


def test_culture_groups_have_their_shares(country: Country, people: People) -> None:
    """Within what chance allows for so many people."""
    whole = sum(group.share for group in country.people.groups)
    for group in country.people.groups:
        share = (people.culture == group.name).mean()
        assert abs(share - group.share / whole) < 0.05


def test_first_names_of_a_list_are_the_commonest(country: Country, people: People) -> None:
    """Names follow Zipf's law, so that a few are met again and again."""
    names, counts = np.unique(people.surname.astype(str), return_counts=True)
    assert counts.max() > 3 * np.median(counts)
    assert len(names) > 50


def test_the_same_stream_draws_the_same_people(country: Country, people: People) -> None:
    """And another one others."""
    again, other = drawn(country), drawn(country, seed=2)
    assert again.email.tolist() == people.email.tolist()
    assert other.email.tolist() != people.email.tolist()


@given(text=st.text(max_size=20))
def test_letters_of_any_name_are_plain(text: str) -> None:
    """Whatever somebody is called, the address has small letters and digits."""
    for locale in known_locales():
        assert re.fullmatch(r"[a-z0-9]*", letters(text, load_country(locale)))
