"""Accounts that are firms: who sells to firms has them as customers, and people as contacts."""

import numpy as np

from orgweave.crm.build import crm_objects
from orgweave.crm.facts import shipped
from pipeline.config import RunRequest, load_job
from schemas.object_type import ObjectType
from tests.trade_orgs import drawn_company


def account_of(company: str) -> ObjectType:
    """A company's object type for accounts."""
    return load_job(RunRequest(company)).setting.schema.object("Account")


def test_a_firm_is_called_after_its_founder_and_its_business() -> None:
    """The account's name, its first contact's name and its line of business tell of each other."""
    org = drawn_company("saas")
    accounts, contacts = org.table("Account"), org.table("Contact")
    _, first = np.unique(contacts["AccountId"], return_index=True)
    founders = contacts["LastName"][first]
    for name, founder, line in zip(accounts["Name"], founders, accounts["SicDesc"], strict=True):
        assert name == f"{founder} {line}"
    assert len(set(accounts["Industry"])) > 5
    assert all(contacts["FirstName"]) and any(contacts["Email"])


def test_a_firm_has_no_fields_of_persons() -> None:
    """Neither our schema nor the CRM's description has them; a utility's customers are people."""
    persons = ("FirstName", "LastName", "PersonEmail")
    assert not any(account_of("saas").has(name) for name in persons)
    assert all(account_of("utility").has(name) for name in persons)
    schema = load_job(RunRequest("saas")).setting.schema
    assert "ispersonaccount" not in crm_objects(schema, shipped())["account"].fields
