"""Writing single records: what a real org fills in, and what it refuses, each with its code."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from simple_salesforce import Salesforce

from orgweave.server.served import ServeOptions
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.server_client import client, only, raw, refused
from tests.server_orgs import EMPTY, USER, item, make, shop, standard_book

V = "/services/data/v59.0"


@pytest.fixture
def ids(sf: Salesforce) -> dict[str, str]:
    """The ids of a shop."""
    return shop(sf)


def test_an_empty_org_has_only_what_every_org_has(small_shoes: FinishedRun) -> None:
    """A profile, a user and the standard price book, which is inactive;
    all other tables are empty.
    """
    with OrgServer(small_shoes.folder, EMPTY) as fresh:
        sf = client(fresh)
        counts = {
            one["name"]: sf.query(f"SELECT COUNT() FROM {one['name']}")["totalSize"]
            for one in sf.describe()["sobjects"]
            if not one["name"].endswith("Definition")
        }
        assert {name: count for name, count in counts.items() if count} == {
            "User": 1,
            "Profile": 2,
            "Organization": 1,
            "Pricebook2": 1,
        }
        assert only(sf, "SELECT IsActive FROM Pricebook2")["IsActive"] is False


def test_a_created_record_is_read_changed_and_deleted(sf: Salesforce, server: OrgServer) -> None:
    """201 with the id, then 204 for a change and for a deletion; afterwards the record is gone."""
    key = make(sf, "Account", Name="Ünal & Söhne", Phone="(200) 555-0100")
    assert len(key) == 18 and key.startswith("001")
    assert sf.Account.update(key, {"Name": "Other", "Phone": None}) == 204
    assert (sf.Account.get(key)["Name"], sf.Account.get(key)["Phone"]) == ("Other", None)
    assert sf.Account.delete(key) == 204
    refused("ENTITY_IS_DELETED", lambda: sf.Account.update(key, {"Name": "x"}))
    refused("NOT_FOUND", lambda: sf.Account.get(key))
    assert raw(server, "POST", f"{V}/sobjects/Account/", {"Name": "x"}).status_code == 201


def test_defaults_are_those_of_a_real_org(sf: Salesforce) -> None:
    """Status, owner, times, running numbers, booleans and names are filled in."""
    case = sf.Case.get(make(sf, "Case", Subject="Sole"))
    assert (case["Status"], case["IsClosed"], case["ClosedDate"]) == ("New", False, None)
    assert case["OwnerId"].startswith("005") and case["CreatedDate"] and int(case["CaseNumber"])
    assert sf.Product2.get(make(sf, "Product2", Name="x"))["IsActive"] is False
    account = make(sf, "Account", Name="Hale")
    contact = make(sf, "Contact", FirstName="Ann", LastName="Hale", AccountId=account)
    assert sf.Contact.get(contact)["Name"] == "Ann Hale"
    assert sf.Case.get(make(sf, "Case", ContactId=contact))["AccountId"] == account


def test_running_numbers_go_on(sf: Salesforce) -> None:
    """Each case has the next number."""
    first, second = (int(sf.Case.get(make(sf, "Case"))["CaseNumber"]) for _ in range(2))
    assert second == first + 1


def test_audit_fields_are_set_on_insert_only(sf: Salesforce) -> None:
    """CreatedDate and ClosedDate of a case may be given when it is created, in any offset, and
    never again.
    """
    key = make(
        sf,
        "Case",
        Status="Closed",
        CreatedDate="2022-03-01T10:00:00.000+0100",
        ClosedDate="2022-03-02T09:00:00Z",
    )
    case = sf.Case.get(key)
    assert (case["CreatedDate"], case["ClosedDate"], case["IsClosed"]) == (
        "2022-03-01T09:00:00.000+0000",
        "2022-03-02T09:00:00.000+0000",
        True,
    )
    for field in ("CreatedDate", "ClosedDate"):
        assert field in refused(
            "INVALID_FIELD_FOR_INSERT_UPDATE",
            lambda field=field: sf.Case.update(key, {field: "2022-03-01T10:00:00Z"}),
        )
        refused(
            "INVALID_FIELD_FOR_INSERT_UPDATE",
            lambda field=field: sf.Case.upsert("Synth_Id__c/new", {field: "2022-03-01T10:00:00Z"}),
        )


def test_a_case_closes_and_opens_with_its_status(sf: Salesforce) -> None:
    """Closing sets IsClosed and ClosedDate, opening takes them back."""
    key = make(sf, "Case")
    sf.Case.update(key, {"Status": "Closed"})
    assert sf.Case.get(key)["IsClosed"] and sf.Case.get(key)["ClosedDate"]
    sf.Case.update(key, {"Status": "Working"})
    assert not sf.Case.get(key)["IsClosed"] and sf.Case.get(key)["ClosedDate"] is None


def test_who_wrote_a_record_and_when_is_kept(sf: Salesforce) -> None:
    """A new record is by the user who calls; each change tells who and when anew, and leaves who
    made it and when.
    """
    user = only(sf, "SELECT Id FROM User")["Id"]
    key = make(sf, "Account", Name="x", CreatedDate="2022-03-01T10:00:00.000+0000")
    made = sf.Account.get(key)
    assert (made["CreatedById"], made["LastModifiedById"]) == (user, user)
    assert made["CreatedDate"] < made["LastModifiedDate"] == made["SystemModstamp"]
    sf.Account.update(key, {"Name": "y"})
    changed = sf.Account.get(key)
    assert changed["CreatedDate"] == made["CreatedDate"]
    assert changed["LastModifiedDate"] >= made["LastModifiedDate"]


def test_a_task_is_done_by_its_status(sf: Salesforce) -> None:
    """Completing sets IsClosed and CompletedDateTime, any other status takes them back."""
    key = make(sf, "Task", Subject="Call", Status="Completed")
    assert sf.Task.get(key)["IsClosed"] and sf.Task.get(key)["CompletedDateTime"]
    sf.Task.update(key, {"Status": "Deferred"})
    assert not sf.Task.get(key)["IsClosed"] and sf.Task.get(key)["CompletedDateTime"] is None


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("REQUIRED_FIELD_MISSING", "Contact", {"FirstName": "Ann"}),
    ("REQUIRED_FIELD_MISSING", "Account", {"Name": ""}),
    (
        "REQUIRED_FIELD_MISSING",
        "User",
        {"LastName": "x", "Username": "x@y.example", "Email": "x@y.example", "Alias": "x", **USER},
    ),
    ("REQUIRED_FIELD_MISSING", "CaseHistory__c", {"Field__c": "Case Creation"}),
    ("REQUIRED_FIELD_MISSING", "LiveChatTranscript", {"Body": "x"}),
    ("STRING_TOO_LONG", "Case", {"Subject": "x" * 256}),
    ("STRING_TOO_LONG", "Contact", {"LastName": "x" * 81}),
    ("STRING_TOO_LONG", "Account", {"Name": "x", "Phone": "5" * 41}),
    ("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", "EmailMessage", {"Status": "9"}),
    ("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", "Order", {"Status": "Shipped"}),
    ("INVALID_EMAIL_ADDRESS", "Contact", {"LastName": "x", "Email": "nobody"}),
    ("INVALID_TYPE_ON_FIELD_IN_RECORD", "Case", {"CreatedDate": "yesterday"}),
    ("INVALID_TYPE_ON_FIELD_IN_RECORD", "Case", {"CreatedDate": "2022-03-01T10:00:00"}),
    ("INVALID_TYPE_ON_FIELD_IN_RECORD", "Order", {"EffectiveDate": "2022-02-30"}),
    ("INVALID_TYPE_ON_FIELD_IN_RECORD", "PricebookEntry", {"UnitPrice": "cheap"}),
    ("JSON_PARSER_ERROR", "Case", {"Subject": 3}),
    ("JSON_PARSER_ERROR", "Case", {"Subject": {"a": 1}}),
    ("NUMBER_OUTSIDE_VALID_RANGE", "PricebookEntry", {"UnitPrice": 10**30}),
    ("MALFORMED_ID", "Case", {"AccountId": "Hale"}),
    ("MALFORMED_ID", "Case", {"AccountId": "003zz00000000010AA"[:15]}),
    ("INVALID_CROSS_REFERENCE_KEY", "Case", {"AccountId": "001zz0000000001"}),
    ("INVALID_CROSS_REFERENCE_KEY", "EmailMessage", {"ToIds": ["003zz0000000001"]}),
    ("INVALID_FIELD", "Case", {"Nope": 1}),
    ("INVALID_FIELD", "Case", {"Id": "500zz0000000001"}),
    ("INVALID_FIELD_FOR_INSERT_UPDATE", "Case", {"CaseNumber": "1"}),
    ("INVALID_FIELD_FOR_INSERT_UPDATE", "Case", {"IsClosed": True}),
    ("INVALID_FIELD_FOR_INSERT_UPDATE", "Pricebook2", {"Name": "x", "IsStandard": True}),
    (
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        "Knowledge__kav",
        {"Title": "x", "UrlName": "x", "PublishStatus": "Online"},
    ),
    ("FIELD_INTEGRITY_EXCEPTION", "Knowledge__kav", {"Title": "x", "UrlName": "no spaces"}),
    ("INVALID_TYPE_FOR_OPERATION", "Profile", {"Name": "x"}),
    ("INVALID_TYPE_FOR_OPERATION", "CaseHistory", {"Field": "Status"}),
    ("INVALID_TYPE_FOR_OPERATION", "Group", {"Name": "x", "Type": "Queue"}),
    ("INVALID_FIELD_FOR_INSERT_UPDATE", "Account", {"Name": "x", "LastModifiedById": "005"}),
    ("INVALID_FIELD_FOR_INSERT_UPDATE", "Task", {"IsClosed": True}),
    ("NOT_FOUND", "Nope", {}),
]


@pytest.mark.parametrize(
    ("code", "name", "values"),
    REFUSED,
    ids=[f"{code}-{name}-{number}" for number, (code, name, _) in enumerate(REFUSED)],
)
def test_what_a_real_org_refuses_is_refused_with_its_code(
    sf: Salesforce,
    code: str,
    name: str,
    values: dict[str, Any],
) -> None:
    """Each wrong record is refused with Salesforce's error code, and nothing of it is kept."""
    before = sf.query(f"SELECT COUNT() FROM {name}")["totalSize"] if name != "Nope" else 0
    assert refused(code, lambda: getattr(sf, name).create(values))
    assert name == "Nope" or sf.query(f"SELECT COUNT() FROM {name}")["totalSize"] == before


def test_an_unrestricted_picklist_takes_other_values(sf: Salesforce) -> None:
    """Case.Status and Account.Type take what isn't in their lists, as real orgs do."""
    assert sf.Case.get(make(sf, "Case", Status="On Hold"))["Status"] == "On Hold"


def test_a_refusal_names_its_fields(server: OrgServer) -> None:
    """The body is a list of message, errorCode and fields."""
    answer = raw(server, "POST", f"{V}/sobjects/Contact", {"FirstName": "Ann"})
    assert answer.status_code == 400
    assert answer.json() == [
        {
            "message": "Required fields are missing: [LastName]",
            "errorCode": "REQUIRED_FIELD_MISSING",
            "fields": ["LastName"],
        }
    ]


def test_what_must_be_unique_is(sf: Salesforce, ids: dict[str, str]) -> None:
    """Username, UrlName, external ids and the pair of book and product are taken once, whatever the
    case of letters.
    """
    profile = only(sf, "SELECT Id FROM Profile")["Id"]
    person = {"LastName": "x", "Email": "x@y.example", "Alias": "x", "ProfileId": profile, **USER}
    make(sf, "User", Username="one@y.example", **person)
    refused("DUPLICATE_USERNAME", lambda: sf.User.create({"Username": "ONE@y.example", **person}))
    # As SOQL compares texts, in any script.
    make(sf, "User", Username="élan@y.example", **person)
    refused("DUPLICATE_USERNAME", lambda: sf.User.create({"Username": "ÉLAN@y.example", **person}))
    make(sf, "Knowledge__kav", Title="x", UrlName="one")
    refused("DUPLICATE_VALUE", lambda: sf.Knowledge__kav.create({"Title": "y", "UrlName": "One"}))
    make(sf, "Account", Name="x", Synth_Id__c="taken")
    refused("DUPLICATE_VALUE", lambda: sf.Account.create({"Name": "x", "Synth_Id__c": "taken"}))
    refused(
        "DUPLICATE_VALUE",
        lambda: sf.PricebookEntry.create(
            {"Pricebook2Id": ids["book"], "Product2Id": ids["product"], "UnitPrice": 1}
        ),
    )


def test_a_standard_price_comes_before_a_custom_one(sf: Salesforce) -> None:
    """An entry in a custom book wants the product's entry in the standard book first."""
    product, book = make(sf, "Product2", Name="New"), make(sf, "Pricebook2", Name="Winter")
    entry = {"Product2Id": product, "UnitPrice": 10}
    refused(
        "STANDARD_PRICE_NOT_DEFINED",
        lambda: sf.PricebookEntry.create({"Pricebook2Id": book, **entry}),
    )
    make(sf, "PricebookEntry", Pricebook2Id=standard_book(sf), **entry)
    key = make(sf, "PricebookEntry", Pricebook2Id=book, **entry)
    refused(
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        lambda: sf.PricebookEntry.update(key, {"Pricebook2Id": book}),
    )


def test_an_order_goes_from_draft_over_items_to_activated(
    sf: Salesforce, ids: dict[str, str]
) -> None:
    """Created as Draft, it gets items, and is activated by a change of its status alone; then its
    items stay as they are.
    """
    refused(
        "FAILED_ACTIVATION",
        lambda: sf.Order.create(
            {"AccountId": ids["account"], "EffectiveDate": "2022-03-01", "Status": "Activated"}
        ),
    )
    refused("FAILED_ACTIVATION", lambda: sf.Order.update(ids["order"], {"Status": "Activated"}))
    line = make(sf, "OrderItem", **item(ids))
    made = sf.OrderItem.get(line)
    assert (made["Product2Id"], made["TotalPrice"], made["ListPrice"]) == (
        ids["product"],
        159.0,
        80.0,
    )
    assert sf.Order.get(ids["order"])["TotalAmount"] == 159.0
    refused(
        "FAILED_ACTIVATION",
        lambda: sf.Order.update(ids["order"], {"Status": "Activated", "Type": "x"}),
    )
    sf.Order.update(ids["order"], {"Status": "Activated"})
    for work in (
        lambda: sf.OrderItem.create(item(ids)),
        lambda: sf.OrderItem.update(line, {"Quantity": 3}),
        lambda: sf.OrderItem.delete(line),
    ):
        refused("INSUFFICIENT_ACCESS_OR_READONLY", work)
    refused("DELETE_FAILED", lambda: sf.Order.delete(ids["order"]))
    sf.Order.update(ids["order"], {"Status": "Draft"})
    assert sf.Order.delete(ids["order"]) == 204
    refused("NOT_FOUND", lambda: sf.OrderItem.get(line))


def test_an_items_entry_is_of_the_orders_book(sf: Salesforce, ids: dict[str, str]) -> None:
    """An entry of another book, an inactive one, and an order without a book are refused."""
    refused(
        "FIELD_INTEGRITY_EXCEPTION",
        lambda: sf.OrderItem.create(item(ids, PricebookEntryId=ids["standard"])),
    )
    bare = make(sf, "Order", AccountId=ids["account"], EffectiveDate="2022-03-01", Status="Draft")
    refused("FIELD_INTEGRITY_EXCEPTION", lambda: sf.OrderItem.create(item(ids, OrderId=bare)))
    sf.PricebookEntry.update(ids["entry"], {"IsActive": False})
    refused("FIELD_INTEGRITY_EXCEPTION", lambda: sf.OrderItem.create(item(ids)))


def test_a_sent_mail_stays_as_it_is(sf: Salesforce) -> None:
    """Only a draft may be changed; a new mail may become read,
    and custom fields may always be set.
    """
    case = make(sf, "Case")
    sent = make(
        sf,
        "EmailMessage",
        ParentId=case,
        Subject="x",
        TextBody="y",
        Status="3",
        Incoming=False,
    )
    refused(
        "INSUFFICIENT_ACCESS_OR_READONLY", lambda: sf.EmailMessage.update(sent, {"Subject": "z"})
    )
    assert sf.EmailMessage.update(sent, {"Synth_Id__c": "m1"}) == 204
    assert (
        sf.EmailMessage.update(make(sf, "EmailMessage", ParentId=case, Status="0"), {"Status": "1"})
        == 204
    )
    assert (
        sf.EmailMessage.update(
            make(sf, "EmailMessage", ParentId=case, Status="5"), {"Subject": "z"}
        )
        == 204
    )


def test_a_list_of_ids_is_kept(sf: Salesforce) -> None:
    """ToIds takes a JSON list of ids and gives it back."""
    account = make(sf, "Account", Name="x")
    contact = make(sf, "Contact", LastName="x", AccountId=account)
    assert sf.EmailMessage.get(make(sf, "EmailMessage", ToIds=[contact]))["ToIds"] == [contact]


def test_an_article_is_published_by_the_action(sf: Salesforce) -> None:
    """A draft goes online by publishKnowledgeArticles; then it can't be changed, deleted or
    published again.
    """
    key = make(sf, "Knowledge__kav", Title="How", UrlName="how", FAQ_Answer__c="so")
    assert sf.Knowledge__kav.get(key)["PublishStatus"] == "Draft"
    body = {"inputs": [{"articleVersionIdList": [key], "pubAction": "PUBLISH_ARTICLE"}]}
    path = "actions/standard/publishKnowledgeArticles"
    assert sf.restful(path, method="POST", json=body)[0]["isSuccess"]
    assert (
        sf.search(
            "FIND {how} RETURNING Knowledge__kav(Id WHERE PublishStatus = 'Online' AND Language ="
            " 'en_US')"
        )["searchRecords"][0]["Id"]
        == key
    )
    refused(
        "INSUFFICIENT_ACCESS_OR_READONLY", lambda: sf.Knowledge__kav.update(key, {"Title": "x"})
    )
    refused("DELETE_FAILED", lambda: sf.Knowledge__kav.delete(key))


def test_search_sees_what_was_written(sf: Salesforce) -> None:
    """A record is found by SOSL once it is created, by its new words once it is changed, and not
    once it is deleted.
    """

    def found(word: str) -> list[str]:
        return [
            one["Id"]
            for one in sf.search(f"FIND {{{word}}} RETURNING Account(Id)")["searchRecords"]
        ]

    assert found("quagga") == []
    key = make(sf, "Account", Name="Quagga")
    assert found("quagga") == [key]
    sf.Account.update(key, {"Name": "Okapi"})
    assert (found("quagga"), found("okapi")) == ([], [key])
    sf.Account.delete(key)
    assert found("okapi") == []


def test_upsert_creates_and_then_changes(sf: Salesforce, server: OrgServer) -> None:
    """201 for a new record, 200 for a changed one, 204 before version 46; by a field that is no
    external id it is NOT_FOUND.
    """
    path = "sobjects/Product2/External_ID__c/a%2Fb%20c"
    first = raw(server, "PATCH", f"{V}/{path}", {"Name": "one"})
    second = raw(server, "PATCH", f"{V}/{path}", {"Name": "two"})
    assert (
        first.status_code,
        first.json()["created"],
        second.status_code,
        second.json()["created"],
    ) == (201, True, 200, False)
    assert (
        raw(server, "PATCH", f"/services/data/v40.0/{path}", {"Name": "three"}).status_code == 204
    )
    record = sf.Product2.get(first.json()["id"])
    assert (record["Name"], record["External_ID__c"]) == ("three", "a/b c")
    assert sf.Account.upsert("Synth_Id__c/new", {"Name": "x"}) == 201
    refused("NOT_FOUND", lambda: sf.Product2.upsert("Name/x", {"IsActive": True}))


def test_a_parent_may_be_named_by_its_external_id(sf: Salesforce) -> None:
    """`{"Account": {"Synth_Id__c": "A1"}}` stands for AccountId; an unknown one is refused."""
    account = make(sf, "Account", Name="x", Synth_Id__c="A1")
    contact = make(sf, "Contact", LastName="x", Account={"Synth_Id__c": "A1"})
    assert sf.Contact.get(contact)["AccountId"] == account
    assert "A2" in refused(
        "INVALID_FIELD",
        lambda: sf.Contact.create({"LastName": "x", "Account": {"Synth_Id__c": "A2"}}),
    )


def test_what_others_need_is_not_deleted(sf: Salesforce, ids: dict[str, str]) -> None:
    """An account with cases or orders stays, users stay; custom lookups are emptied, contacts go
    with their account.
    """
    refused("DELETE_FAILED", lambda: sf.Account.delete(ids["account"]))
    refused(
        "INVALID_TYPE_FOR_OPERATION", lambda: sf.User.delete(only(sf, "SELECT Id FROM User")["Id"])
    )
    refused("DELETE_FAILED", lambda: sf.Pricebook2.delete(standard_book(sf)))
    account = make(sf, "Account", Name="x")
    contact = make(sf, "Contact", LastName="x", AccountId=account)
    sf.Account.delete(account)
    refused("NOT_FOUND", lambda: sf.Contact.get(contact))
    case = make(sf, "Case")
    history = make(sf, "CaseHistory__c", CaseId__c=case, Field__c="Case Creation")
    sf.Case.delete(case)
    assert sf.CaseHistory__c.get(history)["CaseId__c"] is None


def test_describe_agrees_with_what_creating_demands(sf: Salesforce) -> None:
    """For every object type, a record of nothing lacks just those fields that describe calls
    required.
    """
    for one in sf.describe()["sobjects"]:
        if not one["createable"]:
            continue
        fields = getattr(sf, one["name"]).describe()["fields"]
        required = {
            field["name"]
            for field in fields
            if field["createable"] and not field["nillable"] and not field["defaultedOnCreate"]
        }
        if required:
            message = refused(
                "REQUIRED_FIELD_MISSING", lambda one=one: getattr(sf, one["name"]).create({})
            )
            assert set(message.split("[")[1].rstrip("]").split(", ")) == required, one["name"]


@pytest.mark.parametrize(
    "change",
    [
        lambda sf, key: sf.Case.update(key, {"Subject": "x"}),
        lambda sf, key: sf.Case.delete(key),
        lambda sf, key: sf.Account.create({"Name": "x"}),
    ],
)
def test_the_orgs_own_files_are_never_changed(
    small_shoes: FinishedRun, change: Callable[[Salesforce, str], object]
) -> None:
    """A writable server changes its copy: the org's files keep their bytes, and the next server
    knows nothing of it.
    """

    def digests() -> dict[Path, str]:
        return {
            path: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(small_shoes.folder.rglob("*"))
            if path.is_file()
        }

    before = digests()
    with OrgServer(small_shoes.folder, ServeOptions(writable=True)) as server:
        sf = client(server)
        key = only(sf, "SELECT Id FROM Case")["Id"]
        change(sf, key)
    assert digests() == before


def test_a_copys_new_ids_are_told_from_the_orgs(small_shoes: FinishedRun) -> None:
    """Ids that a served copy gives out carry a marker of their own, and numbers go on behind the
    org's.
    """
    with OrgServer(small_shoes.folder, ServeOptions(writable=True)) as server:
        sf = client(server)
        highest = int(
            only(sf, "SELECT CaseNumber FROM Case ORDER BY CaseNumber DESC")["CaseNumber"]
        )
        key = make(sf, "Case")
        assert key[3:8] == "sb000" and int(sf.Case.get(key)["CaseNumber"]) == highest + 1


def test_a_person_account_is_named_by_its_parts(sf: Salesforce) -> None:
    """It wants a LastName and refuses the Name, which follows; so in every later change."""
    key = make(sf, "Account", LastName="Lee")
    record = sf.Account.get(key)
    assert record["Name"] == "Lee" and record["IsPersonAccount"] is True
    sf.Account.update(key, {"FirstName": "Ann"})
    assert sf.Account.get(key)["Name"] == "Ann Lee"
    names = {"LastName": "Lee", "Name": "Somebody"}
    told = refused("INVALID_FIELD_FOR_INSERT_UPDATE", lambda: sf.Account.create(names))
    assert told.startswith("bad field names on insert/update call: Name")
    refused("INVALID_FIELD_FOR_INSERT_UPDATE", lambda: sf.Account.update(key, {"Name": "Somebody"}))
    for given in ({"FirstName": "Ann"}, {"PersonEmail": "ann@example.com"}):
        told = refused("REQUIRED_FIELD_MISSING", lambda given=given: sf.Account.create(given))
        assert told == "Required fields are missing: [LastName]"
    refused("REQUIRED_FIELD_MISSING", lambda: sf.Account.update(key, {"LastName": None}))


def test_a_business_account_has_its_name_alone(sf: Salesforce) -> None:
    """What it is, is settled when it is created; without either name none is."""
    key = make(sf, "Account", Name="Lee & Sons")
    assert sf.Account.get(key)["IsPersonAccount"] is False
    refused("INVALID_FIELD_FOR_INSERT_UPDATE", lambda: sf.Account.update(key, {"LastName": "Lee"}))
    assert sf.Account.update(key, {"Name": "Lee & Daughters", "FirstName": None}) == 204
    told = refused("REQUIRED_FIELD_MISSING", lambda: sf.Account.create({"Phone": "1"}))
    assert told == "Required fields are missing: [Name]"


def test_the_visitor_of_a_chat_has_an_external_id(sf: Salesforce) -> None:
    """--external-id is on whatever a loader creates, also where our schemas don't draw it."""
    key = make(sf, "LiveChatVisitor", Synth_Id__c="visitor1")
    assert sf.LiveChatVisitor.get_by_custom_id("Synth_Id__c", "visitor1")["Id"] == key


def test_every_object_of_the_crm_tells_when_and_by_whom_a_record_was_made(sf: Salesforce) -> None:
    """The audit fields are on what only the CRM has, too, and follow its clock."""
    key = make(sf, "LiveChatVisitor")
    names = "CreatedDate, CreatedBy.Name, LastModifiedDate, LastModifiedById, SystemModstamp"
    found = only(sf, f"SELECT {names} FROM LiveChatVisitor WHERE Id = '{key}'")
    assert found["CreatedBy"]["Name"]
    assert found["LastModifiedById"] and found["CreatedDate"]
    assert found["CreatedDate"] == found["LastModifiedDate"] == found["SystemModstamp"]


def test_the_org_tells_what_kind_it_is(sf: Salesforce) -> None:
    """A client that asks is told the company's name, and that it may try things out."""
    assert sf.is_sandbox()
    assert only(sf, "SELECT Name FROM Organization")["Name"] == "Tarn & Alder"
    assert only(sf, "SELECT OrganizationType FROM Organization")["OrganizationType"]


def test_what_tells_of_the_org_itself_cant_be_changed(sf: Salesforce) -> None:
    """Nobody creates, changes or deletes what only the CRM or its administrator sets up."""
    org = only(sf, "SELECT Id FROM Organization")["Id"]
    code = "INVALID_TYPE_FOR_OPERATION"
    refused(code, lambda: sf.Organization.update(org, {"Name": "x"}))
    refused(code, lambda: sf.Organization.upsert(f"Id/{org}", {"Name": "x"}))
    refused(code, lambda: sf.Organization.delete(org))
    refused(code, lambda: sf.EntityDefinition.create({"Label": "x"}))
    assert sf.Organization.get(org)["Id"] == org
