"""A toy shoe org of a few records, small enough to count by hand, in a folder that is served and
opened as a finished run's is.

The window is 2022-01-01 to 2022-04-01. Cases 0 and 2 lie on its first and in its last second, case
3 on the first moment after it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orgweave.tools.crm import LocalCrm, local_crm
from pipeline.config import job_of
from tests.soql_toys import Rows, ids, write_toys

START, END = "2022-01-01T00:00:00Z", "2022-04-01T00:00:00Z"
WINDOW = {"start_date": START, "end_date": END}
USERS, ACCOUNTS, CONTACTS, PRODUCTS, ORDERS = (
    ids("005", 5),
    ids("001", 3),
    ids("003", 4),
    ids("01t", 14),
    ids("801", 4),
)
ITEMS, ISSUES, CASES, MAILS, CHATS, ARTICLES = (
    ids("802", 6),
    ids("a01", 3),
    ids("500", 7),
    ids("02s", 3),
    ids("570", 1),
    ids("ka0", 3),
)
ODD = 'Neil\'s "Sand" Slipper \\ 5%'
NAMES = [
    "Alder Trail Boot",
    "Birch Rain Boot",
    ODD,
    "Trail Sock",
    *[
        f"Plain Walker {word}"
        for word in ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    ],
]
OWNERS = [0, 0, 1, 1, 2, 1, 3]
CREATED = [
    "2022-01-01T00:00:00",
    "2022-01-10T08:00:00",
    "2022-03-31T23:59:59",
    "2022-04-01T00:00:00",
    "2022-02-15T12:00:00",
    "2022-02-20T09:00:00",
    "2021-12-31T23:59:59",
]
CLOSED = [
    "2022-01-01T02:00:00",
    "2022-01-10T12:00:00",
    "2022-04-01T00:59:59",
    None,
    "2022-02-15T15:00:00",
    None,
    "2022-01-01T00:29:59",
]
CASE_ACCOUNTS, CASE_ITEMS, CASE_ISSUES = (
    [0, 1, 0, 1, 2, 0, 1],
    [0, 0, 1, 2, 0, 1, 2],
    [0, 0, 1, 1, 2, 1, 0],
)
ASSIGNED = [
    (0, None, 0, CREATED[0]),
    (1, None, 0, CREATED[1]),
    (2, None, 0, CREATED[2]),
    (2, 0, 1, "2022-04-01T00:00:00"),
    (3, None, 1, CREATED[3]),
    (4, None, 2, CREATED[4]),
    (5, None, 1, CREATED[5]),
    (5, 1, 2, "2022-02-20T10:00:00"),
    (5, 2, 1, "2022-02-20T11:00:00"),
    (5, 1, 2, "2022-02-21T10:00:00"),
    (5, 2, 1, "2022-03-01T11:00:00"),
    (6, None, 3, CREATED[6]),
]
"""Case, the agent before, the agent from then on, when."""


def stored(moment: str | None) -> str | None:
    """A datetime as the org stores it."""
    return moment and f"{moment}.000+0000"


def toy_rows() -> Rows:
    """Every record."""
    histories: list[dict[str, object]] = [
        {
            "CaseId__c": CASES[case],
            "Field__c": "Owner Assignment",
            "OldValue__c": None if old is None else USERS[old],
            "NewValue__c": USERS[new],
            "CreatedDate": stored(at),
        }
        for case, old, new, at in ASSIGNED
    ]
    histories += [
        {"CaseId__c": one, "Field__c": "Case Creation", "CreatedDate": stored(at)}
        for one, at in zip(CASES, CREATED, strict=True)
    ]
    dates, statuses = (
        ["2022-03-01", "2022-03-01", "2022-03-02", "2022-03-01"],
        ["Activated", "Draft", "Activated", "Activated"],
    )
    sold = [(0, 0), (0, 0), (2, 1), (1, 3), (2, 2), (3, 0)]
    return {
        "User": [{"Id": one, "Name": f"Agent {at}"} for at, one in enumerate(USERS)],
        "Account": [
            {"Id": one, "Name": f"Customer {at}", "ShippingState": state}
            for at, (one, state) in enumerate(zip(ACCOUNTS, ["CA", "TX", None], strict=True))
        ],
        "Contact": [
            {"Id": one, "AccountId": ACCOUNTS[at] if at < 3 else None}
            for at, one in enumerate(CONTACTS)
        ],
        "Product2": [
            {
                "Id": one,
                "Name": name,
                "Description": "Keeps the feet dry." if at == 1 else "Comes in a box.",
            }
            for at, (one, name) in enumerate(zip(PRODUCTS, NAMES, strict=True))
        ],
        "Order": [
            {
                "Id": one,
                "OrderNumber": f"{at:08d}",
                "AccountId": ACCOUNTS[at // 3],
                "EffectiveDate": day,
                "Status": status,
            }
            for at, (one, day, status) in enumerate(zip(ORDERS, dates, statuses, strict=True))
        ],
        "OrderItem": [
            {
                "Id": one,
                "OrderId": ORDERS[order],
                "Product2Id": PRODUCTS[product],
                "Quantity": 1,
                "UnitPrice": 80.0,
            }
            for one, (order, product) in zip(ITEMS, sold, strict=True)
        ],
        "Issue__c": [
            {"Id": one, "Name": name, "Description__c": f"{name}."}
            for one, name in zip(
                ISSUES,
                ["Sole Separation", "Blisters", "Color Fading"],
                strict=True,
            )
        ],
        "Case": [
            {
                "Id": one,
                "Subject": f"Case {at}",
                "Status": "Closed" if CLOSED[at] else "Working",
                "IsClosed": int(CLOSED[at] is not None),
                "OwnerId": USERS[OWNERS[at]],
                "AccountId": ACCOUNTS[CASE_ACCOUNTS[at]],
                "OrderItemId__c": ITEMS[CASE_ITEMS[at]],
                "IssueId__c": ISSUES[CASE_ISSUES[at]],
                "CreatedDate": stored(CREATED[at]),
                "ClosedDate": stored(CLOSED[at]),
            }
            for at, one in enumerate(CASES)
        ],
        "CaseHistory__c": [
            {"Id": one, **row}
            for one, row in zip(ids("a02", len(histories)), histories, strict=True)
        ],
        "EmailMessage": [
            {
                "Id": one,
                "ParentId": CASES[1],
                "Subject": "Re: sole",
                "TextBody": f"Mail {at}",
                "Incoming": at % 2,
                "MessageDate": stored(f"2022-01-10T0{9 - at}:00:00"),
            }
            for at, one in enumerate(MAILS)
        ],
        "LiveChatTranscript": [
            {
                "Id": CHATS[0],
                "CaseId": CASES[0],
                "OwnerId": USERS[0],
                "Body": "[2022-01-01T00:01:00] Ann Lee (Customer): Hello",
                "StartTime": stored("2022-01-01T00:01:00"),
            }
        ],
        "Knowledge__kav": [
            {
                "Id": one,
                "Title": title,
                "Summary": "How to.",
                "FAQ_Answer__c": text,
                "PublishStatus": status,
                "Language": "en_US",
            }
            for one, title, text, status in zip(
                ARTICLES,
                ["Loose soles", "Returns", "Loose soles, a draft"],
                [
                    "Glue the sole. A refund is open for 30 days.",
                    "A refund takes 5 days. Hiking is no matter.",
                    "A refund.",
                ],
                ["Online", "Online", "Draft"],
                strict=True,
            )
        ],
    }


def toy_folder(folder: Path, rows: Rows | None = None) -> Path:
    """The toy org as a run's folder."""
    (folder / "manifest.json").write_text(
        json.dumps(
            {
                "company": "Tarn & Alder",
                "seed": 20,
                "asked": {"company": "shoes", "salts": {}, "seed": None, "scale": 1.0, "sets": {}},
            }
        )
    )
    write_toys(folder / "org.sqlite", job_of(folder).setting.schema, rows or toy_rows())
    return folder


@contextmanager
def toy_crm(folder: Path, rows: Rows | None = None) -> Iterator[LocalCrm]:
    """The toy org in process."""
    with local_crm(toy_folder(folder, rows)) as crm:
        yield crm


def numbers(found: object, wanted: list[str]) -> object:
    """Ids by their places in `wanted`, as keys, in lists or alone."""
    if isinstance(found, dict):
        return {numbers(key, wanted): value for key, value in found.items()}
    if isinstance(found, list):
        return [numbers(one, wanted) for one in found]
    return (
        wanted.index(found)
        if isinstance(found, str) and re.fullmatch("[0-9A-Za-z]{18}", found)
        else found
    )
