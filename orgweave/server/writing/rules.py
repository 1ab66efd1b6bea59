"""What the CRM demands of single object types on writing beyond their fields, and what it fills in:
accounts, orders, prices, contracts, mails, cases, tasks, articles.

A rule takes the change, the time, the new row (which it may complete) and the old one, None for a
new record; it raises Refused. A rule of what is given comes first, before anything is required: it
takes the given values, the new row and the old one.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from orgweave.server.store import Changing, StoreRow
from orgweave.soql.sql import SqlValue
from schemas.errors import Refused

Rule = Callable[[Changing, str, StoreRow, StoreRow | None], None]
GivenRule = Callable[[Mapping[str, SqlValue], StoreRow, StoreRow | None], None]
Farewell = Callable[[Changing, StoreRow], None]
ACTIVATED = "Activated"
DRAFT = "Draft"
DRAFT_MAIL = "5"
PERSON_FIELDS = ("FirstName", "LastName", "PersonEmail")
"""The fields that a person account has and a business account hasn't."""
URL_NAME = re.compile(r"[A-Za-z0-9]+(-+[A-Za-z0-9]+)*")


def _person(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    if "Name" in new:
        new["Name"] = (
            " ".join(str(new[part]) for part in ("FirstName", "LastName") if new.get(part)) or None
        )


def _account(given: Mapping[str, SqlValue], new: StoreRow, old: StoreRow | None) -> None:
    """An account is a person by a field of persons: its name follows. Else it is a business.

    Which of the two it is, is settled when it is created.
    """
    if "LastName" not in new:
        return
    of_persons = [name for name in PERSON_FIELDS if given.get(name) is not None]
    is_person = bool(of_persons) if old is None else old["LastName"] is not None
    wrong = ["Name"] if is_person and "Name" in given else []
    if not is_person:
        wrong = of_persons
    if wrong:
        raise Refused(
            "INVALID_FIELD_FOR_INSERT_UPDATE",
            f"bad field names on insert/update call: {', '.join(wrong)}; a person account takes"
            " FirstName and LastName, which make its Name, a business account takes Name alone",
            tuple(wrong),
        )
    if is_person:
        if new["LastName"] is None:
            raise Refused(
                "REQUIRED_FIELD_MISSING",
                "Required fields are missing: [LastName]",
                ("LastName",),
            )
        parts = [str(new[part]) for part in ("FirstName", "LastName") if new.get(part)]
        new["Name"] = " ".join(parts)


def _price(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """A custom price wants the product's standard price first."""
    if change.one('SELECT "IsStandard" FROM "Pricebook2" WHERE "Id" = ?', new["Pricebook2Id"]):
        return
    sql = (
        'SELECT 1 FROM "PricebookEntry" e JOIN "Pricebook2" b ON b."Id" = e."Pricebook2Id" WHERE'
        ' b."IsStandard" AND e."Product2Id" = ?'
    )
    if change.one(sql, new["Product2Id"]) is None:
        raise Refused(
            "STANDARD_PRICE_NOT_DEFINED",
            "No standard price defined for this product; create its entry in the standard price"
            " book first",
        )


def _order(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """Draft, then items, then Activated, by a change of the status alone."""
    if old is None:
        if new["Status"] != DRAFT:
            raise Refused(
                "FAILED_ACTIVATION",
                "An order is created as Draft; add its items, then update its Status to Activated",
                ("Status",),
            )
        return
    count = change.one('SELECT count(*) FROM "OrderItem" WHERE "OrderId" = ?', new["Id"])
    if new["Status"] == ACTIVATED and old["Status"] != ACTIVATED:
        others = [name for name, value in new.items() if value != old[name] and name != "Status"]
        if others:
            raise Refused(
                "FAILED_ACTIVATION",
                "Status is the only field you can update when activating an order, not"
                f" {', '.join(others)}",
                tuple(others),
            )
        if not count:
            raise Refused(
                "FAILED_ACTIVATION",
                "An order must have at least one product to be activated; add an OrderItem first",
                ("Status",),
            )
    if count and new["Pricebook2Id"] != old["Pricebook2Id"]:
        raise Refused(
            "FIELD_INTEGRITY_EXCEPTION",
            "The price book of an order that has items can't be changed; delete its items first",
            ("Pricebook2Id",),
        )


def _item(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """Only on a draft order, with an active entry of the order's price book; product, list price
    and total follow.
    """
    order = _draft_order(change, new)
    entry = change.row("PricebookEntry", new["PricebookEntryId"])
    if order["Pricebook2Id"] is None:
        raise Refused(
            "FIELD_INTEGRITY_EXCEPTION",
            "The order has no price book; set its Pricebook2Id before adding items",
            ("OrderId",),
        )
    if entry is None or entry["Pricebook2Id"] != order["Pricebook2Id"]:
        raise Refused(
            "FIELD_INTEGRITY_EXCEPTION",
            "The pricebook entry is in a different pricebook than the one assigned to the Order",
            ("PricebookEntryId",),
        )
    if not entry["IsActive"] and old is None:
        raise Refused(
            "FIELD_INTEGRITY_EXCEPTION",
            "field integrity exception: PricebookEntryId (pricebook entry is inactive)",
            ("PricebookEntryId",),
        )
    new["Product2Id"] = entry["Product2Id"]
    if old is None:
        new["ListPrice"] = entry["UnitPrice"]
    new["TotalPrice"] = round(float(new["Quantity"] or 0) * float(new["UnitPrice"] or 0), 2)


def _draft_order(change: Changing, item: StoreRow) -> StoreRow:
    order = change.row("Order", item["OrderId"])
    if order is None or order["Status"] == ACTIVATED:
        raise Refused(
            "INSUFFICIENT_ACCESS_OR_READONLY",
            "The order is activated: its items can't be added, changed or deleted; set its Status"
            " to Draft first",
        )
    return order


def _total(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """An order's total is its items'."""
    total = change.one(
        'SELECT round(sum("TotalPrice"), 2) FROM "OrderItem" WHERE "OrderId" = ?', new["OrderId"]
    )
    change.update("Order", new["OrderId"], {"TotalAmount": total or 0.0})


def _case(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """Closed by its status; the closing time is now unless it was given; the account is the
    contact's where none is named.
    """
    closed = new.get("Status") == "Closed"
    new["IsClosed"] = int(closed)
    if not closed:
        new["ClosedDate"] = None
    elif new.get("ClosedDate") is None:
        new["ClosedDate"] = now
    if old is None and new.get("ContactId") and not new.get("AccountId"):
        new["AccountId"] = change.one(
            'SELECT "AccountId" FROM "Contact" WHERE "Id" = ?', new["ContactId"]
        )


def _contract(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """Ends on the day before its term, in months, is over."""
    start, months = new.get("StartDate"), new.get("ContractTerm")
    if "EndDate" not in new:
        return
    new["EndDate"] = None
    if start is not None and months is not None:
        behind = _months_later(date.fromisoformat(str(start)), int(months))
        new["EndDate"] = (behind - timedelta(days=1)).isoformat()


def _months_later(day: date, months: int) -> date:
    """The same day of a later month, or the month's last where it is shorter."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    _, length = monthrange(year, month + 1)
    return date(year, month + 1, min(day.day, length))


def _task(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """Done by its status; the time of completion is now, and is taken back with the status."""
    done = new.get("Status") == "Completed"
    told: StoreRow = {"IsClosed": int(done), "CompletedDateTime": None}
    if done:
        told["CompletedDateTime"] = new.get("CompletedDateTime") or now
    for name, value in told.items():
        if name in new:
            new[name] = value


def _mail(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """A mail that isn't a draft stays as it is, but for IsExternallyVisible, custom fields, and New
    becoming Read.
    """
    if old is None or old["Status"] == DRAFT_MAIL:
        if new.get("MessageDate") is None:
            new["MessageDate"] = now
        return
    fixed = [
        name
        for name, value in new.items()
        if value != old[name] and not name.endswith("__c") and name != "IsExternallyVisible"
    ]
    if fixed and not (fixed == ["Status"] and (old["Status"], new["Status"]) == ("0", "1")):
        raise Refused(
            "INSUFFICIENT_ACCESS_OR_READONLY",
            f"An e-mail that isn't a draft can't be changed: {', '.join(fixed)}",
            tuple(fixed),
        )


def _article(change: Changing, now: str, new: StoreRow, old: StoreRow | None) -> None:
    """Only a draft may change; its UrlName has letters, digits and hyphens."""
    if old is not None and old["PublishStatus"] != DRAFT:
        raise Refused(
            "INSUFFICIENT_ACCESS_OR_READONLY",
            "A published article can't be changed; only drafts can",
        )
    if not URL_NAME.fullmatch(str(new["UrlName"])):
        message = "UrlName: letters, digits and hyphens only, no hyphen at either end"
        raise Refused("FIELD_INTEGRITY_EXCEPTION", message, ("UrlName",))


def _order_goes(change: Changing, old: StoreRow) -> None:
    if old["Status"] == ACTIVATED:
        raise Refused(
            "DELETE_FAILED", "An activated order can't be deleted; set its Status to Draft first"
        )


def _item_goes(change: Changing, old: StoreRow) -> None:
    if change.row("Order", old["OrderId"]) is not None:
        _draft_order(change, old)


def _item_gone(change: Changing, old: StoreRow) -> None:
    _total(change, "", old, None)


def _book_goes(change: Changing, old: StoreRow) -> None:
    if old["IsStandard"]:
        raise Refused("DELETE_FAILED", "The standard price book can't be deleted")


def _article_goes(change: Changing, old: StoreRow) -> None:
    if old["PublishStatus"] == "Online":
        raise Refused("DELETE_FAILED", "A published article can't be deleted; only drafts can")


GIVEN: dict[str, GivenRule] = {"Account": _account}
BEFORE: dict[str, Rule] = {
    "User": _person,
    "Contact": _person,
    "PricebookEntry": _price,
    "Order": _order,
    "OrderItem": _item,
    "Case": _case,
    "Contract": _contract,
    "Task": _task,
    "EmailMessage": _mail,
    "Knowledge__kav": _article,
}
AFTER: dict[str, Rule] = {"OrderItem": _total}
BEFORE_DELETE: dict[str, Farewell] = {
    "Order": _order_goes,
    "OrderItem": _item_goes,
    "Pricebook2": _book_goes,
    "Knowledge__kav": _article_goes,
}
AFTER_DELETE: dict[str, Farewell] = {"OrderItem": _item_gone}
