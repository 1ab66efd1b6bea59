"""Customers that all are firms: names, addresses under their own domains, roles and lines."""

from dataclasses import replace

import numpy as np
import pytest

from latent.firms import firms
from latent.organizations import Organizations
from pipeline.world.org import RunContext
from pipeline.world.streams import stream
from pipeline.world.tables import strings, table
from tests.latent_orgs import setting_with
from tests.trade_orgs import drawn_company

PEOPLE = 300


def found(setting: RunContext) -> Organizations:
    """The firms of customers who are all called alike and live in one town."""
    people = table(
        "toy",
        given=strings(["José"] * PEOPLE),
        surname=strings(["Neil Ruiz"] * PEOPLE),
        city=strings(["Salem"] * PEOPLE),
    )
    return firms(stream(1, "toy"), setting, people, 0.5)


@pytest.fixture(scope="module")
def setting() -> RunContext:
    """A trade that sells to firms."""
    return drawn_company("saas").setting


def test_a_firm_has_a_name_and_a_line_of_business_of_its_own(setting: RunContext) -> None:
    """Names are told apart where the wordings run out; line and industry are a pair of the list."""
    made, stated = found(setting), setting.world.trade.buying.firms
    assert stated is not None
    assert not made.private.any() and len(set(made.name)) == PEOPLE
    pairs = set(zip(made.line, made.industry, strict=True))
    assert pairs == {(line.line, line.industry) for line in stated.lines}


def test_a_firm_writes_from_its_own_domain_or_from_a_mailbox_elsewhere(setting: RunContext) -> None:
    """No domain is two firms', and as many have one as the trade says, or somewhat fewer."""
    made, stated = found(setting), setting.world.trade.buying.firms
    assert stated is not None
    own = [address for address in made.email if address is not None]
    assert stated.own_domain - 0.15 < len(own) / PEOPLE < stated.own_domain + 0.1
    domains = [address.partition("@")[2] for address in own]
    assert len(set(domains)) == len(domains)
    locals_ = {address.partition("@")[0] for address in own}
    assert locals_ == {"jose", "jose.neilruiz", "jneilruiz", "info", "office", "hello"}


def test_whoever_signed_up_has_a_role_that_the_trade_lists(setting: RunContext) -> None:
    """Each role is somebody's, some roles are not known, and none is where none is listed."""
    buying = setting.world.trade.buying
    known = [title for title in found(setting).title if title is not None]
    assert set(known) == set(buying.roles)
    assert abs(len(known) / PEOPLE - buying.titles) < 0.1
    unlisted = buying.model_copy(update={"roles": ()})
    trade = setting.world.trade.model_copy(update={"buying": unlisted})
    world = setting.world.model_copy(update={"trade": trade})
    assert set(found(replace(setting, world=world)).title.tolist()) == {None}


def test_the_customers_of_a_shop_are_no_firms() -> None:
    """Where a trade lists no lines of business, everybody is a person."""
    made = found(setting_with())
    assert made.private.all() and set(made.name.tolist()) == {None}
    assert np.not_equal(made.title, None).sum() == 0


def test_a_firm_abroad_has_a_legal_form_of_its_country(setting: RunContext) -> None:
    """No German firm is an LLC or has Inc. behind its name; as many have the form's German like."""
    german = replace(setting, profile=setting.profile.model_copy(update={"locale": "de_DE"}))
    here, there = found(setting).name, found(german).name
    forms = [name for name in here if "LLC" in name or "Inc." in name]
    assert forms and not [name for name in there if "LLC" in name or "Inc." in name]
    assert len([name for name in there if "GmbH" in name]) == len(forms)


def test_who_comes_late_to_a_name_has_a_number_behind_it(setting: RunContext) -> None:
    """Where the wordings give one name only, the second firm is number 2, the next one number 3."""
    stated = setting.world.trade.buying.firms
    assert stated is not None
    line = stated.lines[0].model_copy(update={"does": ("Timber",)})
    alike = stated.model_copy(update={"lines": (line,), "names": ("{does} Works",)})
    buying = setting.world.trade.buying.model_copy(update={"firms": alike})
    trade = setting.world.trade.model_copy(update={"buying": buying})
    world = setting.world.model_copy(update={"trade": trade})
    names = found(replace(setting, world=world)).name.tolist()
    assert names[:3] == ["Timber Works", "Timber Works 2", "Timber Works 3"]
