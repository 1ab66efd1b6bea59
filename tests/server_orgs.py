"""A served empty shoe org, and the records a test needs in it, made through the API."""

from typing import Any

from simple_salesforce import Salesforce

from orgweave.server.served import ServeOptions
from tests.server_client import only

EMPTY = ServeOptions(writable=True, empty=True, external_id="Synth_Id__c")
USER = {
    "TimeZoneSidKey": "America/Los_Angeles",
    "LocaleSidKey": "en_US",
    "LanguageLocaleKey": "en_US",
    "EmailEncodingKey": "UTF-8",
}


def make(sf: Salesforce, name: str, **values: Any) -> str:
    """A new record's id."""
    made = getattr(sf, name).create(values)
    assert made["success"] and made["errors"] == []
    return str(made["id"])


def standard_book(sf: Salesforce) -> str:
    """The standard price book, which every org has."""
    return str(only(sf, "SELECT Id FROM Pricebook2 WHERE IsStandard = true")["Id"])


def shop(sf: Salesforce) -> dict[str, str]:
    """Ids of an account, a product with its standard and custom price, and a draft order of the
    custom book.
    """
    ids = {
        "account": make(sf, "Account", Name="Hale"),
        "product": make(sf, "Product2", Name="Trail Boot", IsActive=True),
        "book": make(sf, "Pricebook2", Name="Summer", IsActive=True),
    }
    prices = {"Product2Id": ids["product"], "UnitPrice": 80, "IsActive": True}
    ids["standard"] = make(sf, "PricebookEntry", Pricebook2Id=standard_book(sf), **prices)
    ids["entry"] = make(sf, "PricebookEntry", Pricebook2Id=ids["book"], **prices)
    ids["order"] = make(
        sf,
        "Order",
        AccountId=ids["account"],
        EffectiveDate="2022-03-01",
        Status="Draft",
        Pricebook2Id=ids["book"],
    )
    return ids


def item(ids: dict[str, str], **values: Any) -> dict[str, Any]:
    """An order item's values."""
    return {
        "OrderId": ids["order"],
        "PricebookEntryId": ids["entry"],
        "Quantity": 2,
        "UnitPrice": 79.5,
        **values,
    }
