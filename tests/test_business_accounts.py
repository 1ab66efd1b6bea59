"""Accounts that are firms: who sells to firms has them as customers, and people as contacts."""

import numpy as np

from latent.organizations import OWN_DOMAIN
from orgweave.crm.build import crm_objects
from orgweave.crm.facts import shipped
from pipeline.config import RunRequest, load_job
from schemas.object_type import ObjectType
from tests.trade_orgs import drawn_company


def account_of(company: str) -> ObjectType:
    """A company's object type for accounts."""
    return load_job(RunRequest(company)).setting.schema.object("Account")


def test_a_firm_is_called_after_what_it_does() -> None:
    """Its name holds what firms of its line put there, often with the name of who signed up."""
    org = drawn_company("saas")
    accounts, contacts = org.table("Account"), org.table("Contact")
    stated = org.setting.world.trade.buying.firms
    assert stated is not None
    does = {line.line: line.does for line in stated.lines}
    industries = {line.line: line.industry for line in stated.lines}
    for name, line, industry in zip(
        accounts["Name"], accounts["SicDesc"], accounts["Industry"], strict=True
    ):
        assert any(word in name for word in does[line])
        assert industry == industries[line]
    _, first = np.unique(contacts["AccountId"], return_index=True)
    founders = [str(name).split(" ")[0] for name in contacts["LastName"][first]]
    called = [founder in name for founder, name in zip(founders, accounts["Name"], strict=True)]
    assert 0.3 < np.mean(called) < 0.8
    assert len(set(accounts["Name"])) == accounts.size
    assert all(contacts["FirstName"]) and any(contacts["Email"])


def test_people_of_a_firm_write_from_its_domain() -> None:
    """Most firms have one, nobody else has it, and colleagues write from there, too."""
    contacts = drawn_company("saas").table("Contact")
    firms: dict[str, set[str]] = {}
    for account, email in zip(contacts["AccountId"], contacts["Email"], strict=True):
        domain = str(email).partition("@")[2]
        if domain.endswith(OWN_DOMAIN):
            firms.setdefault(domain, set()).add(str(account))
    assert 0.4 < len(firms) / len(set(contacts["AccountId"])) < 0.8
    assert all(len(accounts) == 1 for accounts in firms.values())


def test_a_firm_has_one_owner() -> None:
    """Who came after the one who signed up is employed there."""
    contacts = drawn_company("saas").table("Contact")
    heads = {"Owner", "Co-owner", "Founder", "Managing Partner"}
    _, first = np.unique(contacts["AccountId"], return_index=True)
    later = np.setdiff1d(np.arange(contacts.size), first)
    assert len(later) and not heads & set(contacts["Title"][later])


def test_a_firm_has_no_fields_of_persons() -> None:
    """Neither our schema nor the CRM's description has them; a utility's customers are people."""
    persons = ("FirstName", "LastName", "PersonEmail")
    assert not any(account_of("saas").has(name) for name in persons)
    assert all(account_of("utility").has(name) for name in persons)
    schema = load_job(RunRequest("saas")).setting.schema
    assert "ispersonaccount" not in crm_objects(schema, shipped())["account"].fields
