"""Tools on products, what customers bought of them, and issues.

The tools' docstrings are what an agent is told of them.
"""

from typing import Annotated

from pydantic import Field

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
from orgweave.tools.forms import Day, RecordId, RecordIds, SearchTerm, day, record_id
from orgweave.tools.searching import Searched, best
from orgweave.tools.soql import existing, ids, literal, rows

PRODUCTS = Searched(
    "Product2",
    "Id, Name, Description",
    "Name",
    "Description",
)
ITEM = "Id, Product2Id, Product2.Name, Quantity, UnitPrice, Order.OrderNumber, Order.EffectiveDate"


def search_products(crm: Crm, search_term: SearchTerm) -> list[FoundRecord]:
    """Products in whose name or description any of the words is found, at most 10, the best match
    first: Id, Name, Description.

    A word finds its plural and what begins with it; words in the name weigh more, as do rare words.
    Where no word is found, its beginning is looked for.

    Example: search_products("waterproof trail boots") -> [{"Id": "01tzz0000000001AAA", "Name":
    "Alder Trail Boot", "Description": "..."}, ...]
    """
    return best(crm, PRODUCTS, search_term)


def get_order_item_ids_by_product(
    crm: Crm, product_id: Annotated[RecordId, Field(description="Id of a product")]
) -> list[str]:
    """Ids of all order items of a product: what cases refer to in OrderItemId__c.

    Example: get_order_item_ids_by_product("01tzz0000000001AAA") -> ["802zz0000000001AAA", ...]
    """
    product = record_id(product_id)
    found = rows(
        crm,
        "Id",
        "OrderItem",
        [f"Product2Id = {literal(product)}"],
        more="ORDER BY Id",
    )
    if not found:
        existing(crm, "Product2", [product])
    return [str(row["Id"]) for row in found]


def get_account_id_by_contact_id(
    crm: Crm, contact_id: Annotated[RecordId, Field(description="Id of a contact")]
) -> str | None:
    """The Id of the account that a contact belongs to, or null where it belongs to none.

    Example: get_account_id_by_contact_id("003zz0000000001AAA") -> "001zz0000000001AAA"
    """
    account = existing(
        crm,
        "Contact",
        [record_id(contact_id)],
        "Id, AccountId",
    )[0]["AccountId"]
    return None if account is None else str(account)


def get_purchase_history(
    crm: Crm,
    account_id: Annotated[RecordId, Field(description="Id of an account")],
    purchase_date: Annotated[
        Day | None, Field(description="the day of the order, such as 2022-03-01; null for all days")
    ] = None,
    related_product_ids: Annotated[
        RecordIds | None,
        Field(description="Ids of products, such as search_products gives; null for all"),
    ] = None,
) -> list[FoundRecord]:
    """What an account bought: the items of its activated orders, on one day and of some products
    only, where these are given.

    A search for products gives 10 at most: with related_product_ids null, everything that was
    bought that day is shown. Returns a record an item,
    the earliest first: OrderItemId, Product2Id, ProductName, OrderNumber, EffectiveDate (the day of
    the order), Quantity, UnitPrice.

    Example: get_purchase_history("001zz0000000001AAA", "2022-03-01", null)
    """
    account, bought = record_id(account_id), None if purchase_date is None else day(purchase_date)
    conditions = [f"Order.AccountId = {literal(account)}", "Order.Status = 'Activated'"]
    if bought:
        conditions.append(f"Order.EffectiveDate = {bought}")
    products = ids(related_product_ids)
    items = rows(
        crm,
        ITEM,
        "OrderItem",
        conditions,
        {"Product2Id": products},
    )
    found = [_bought(item) for item in items]
    if not found:
        existing(crm, "Account", [account])
    seen = {str(row["Product2Id"]) for row in found}
    existing(crm, "Product2", set(products or ()) - seen)
    return sorted(found, key=lambda row: (str(row["EffectiveDate"]), str(row["OrderItemId"])))


def get_issues(crm: Crm) -> list[FoundRecord]:
    """All issues that cases can have: Id, Name, Description__c.

    Example: get_issues() -> [{"Id": "a01zz0000000001AAA", "Name": "Sole Separation",
    "Description__c": "..."}, ...]
    """
    return rows(
        crm,
        "Id, Name, Description__c",
        "Issue__c",
        more="ORDER BY Name, Id",
    )


def _bought(row: FoundRecord) -> FoundRecord:
    """An order item as get_purchase_history gives it: flat, with the names of its parents."""
    order, product = row["Order"], row["Product2"]
    assert isinstance(order, dict)
    assert isinstance(product, dict)
    return {
        "OrderItemId": row["Id"],
        "Product2Id": row["Product2Id"],
        "ProductName": product["Name"],
        "OrderNumber": order["OrderNumber"],
        "EffectiveDate": order["EffectiveDate"],
        "Quantity": row["Quantity"],
        "UnitPrice": row["UnitPrice"],
    }
