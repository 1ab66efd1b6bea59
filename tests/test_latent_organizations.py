"""Clubs, shops and firms among the customers: names, addresses, roles and notes."""

import numpy as np
import pytest
from pydantic import ValidationError

from latent.organizations import Organizations, organizations
from pipeline.world.streams import stream
from pipeline.world.tables import Table, strings, table
from schemas.buying import Organization
from tests.latent_orgs import setting_with

PEOPLE = 60


def customers(surname: str) -> Table:
    """Sixty people of one name and town."""
    return table(
        "toy",
        given=strings(["José"] * PEOPLE),
        surname=strings([surname] * PEOPLE),
        city=strings(["Salem"] * PEOPLE),
    )


def found(segment: str, surname: str = "O'Neil Jr.") -> Organizations:
    """What is made of sixty customers of a segment of the shoe company."""
    rng = stream(1, "organizations", "toy")
    people = customers(surname)
    segments = strings([segment] * PEOPLE)
    return organizations(rng, setting_with(), people, segments, 0.5)


def test_private_customers_are_no_organizations() -> None:
    """They have no other name than their own, and no address of a firm."""
    made = found("family")
    assert made.private.all()
    for column in (made.name, made.email, made.title, made.note):
        assert set(column.tolist()) == {None}


def test_no_two_organizations_share_a_name_or_an_address() -> None:
    """Where many are of one town and one family, the names are told apart all the same."""
    for segment in ("club", "reseller"):
        made = found(segment)
        assert not made.private.any()
        assert len(set(made.name)) == PEOPLE
        own = [address for address in made.email if address is not None]
        assert len(set(own)) == len(own)


def test_an_address_is_made_of_the_name_and_belongs_to_nobody() -> None:
    """Small Latin letters and digits under a domain that is kept for examples."""
    made = found("reseller")
    for name, email in zip(made.name, made.email, strict=True):
        if email is None:
            continue
        local, _, host = email.partition("@")
        domain = host.removesuffix(".example")
        assert host != domain and domain.isascii() and domain.isalnum()
        assert domain == "".join(sign for sign in name.lower() if sign.isalnum())
        assert local in {"jose", "jose.oneil", "joneil", "info", "office", "orders"}


def test_most_small_ones_have_no_domain() -> None:
    """As many as the trade says write from one; the others use their own mailbox."""
    listed = setting_with().world.trade.buying.organizations
    for segment in ("club", "reseller"):
        own = np.array([address is not None for address in found(segment).email])
        assert abs(own.mean() - listed[segment].own_domain) < 0.2


def test_roles_and_notes_are_those_of_the_kind() -> None:
    """Most people have a role, some records a note; both are listed with the segment."""
    listed = setting_with().world.trade.buying.organizations
    for segment in ("club", "reseller"):
        made = found(segment)
        titles = [title for title in made.title if title]
        assert set(titles) <= set(listed[segment].titles)
        assert 0.6 < len(titles) / PEOPLE < 1
        written = np.array([note is not None for note in made.note])
        assert 0.25 < written.mean() < 0.75
        assert not any("|" in note for note in made.note[written])


def test_a_name_knows_the_city_and_the_surname_alone() -> None:
    """Anything else in braces is refused, with what may stand there."""
    with pytest.raises(ValidationError, match="are all that may stand in braces"):
        Organization(names=("{town} Runners",), titles=("Coach",))
