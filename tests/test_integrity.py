"""The check finds each fault: one thing broken in a copy of a right org, and exactly the invariants
that speak of it are reported.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.check import check_org
from pipeline.config import RunRequest
from pipeline.run import FinishedRun, generate
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.profile import companies_folder
from tests.toys import write_object
from verifiers.integrity import verify_integrity
from verifiers.org import ORG_VERIFIERS
from verifiers.privacy import verify_org_privacy
from verifiers.verdict import Finding

NOBODY = "zzz000000000000ZZZ"
EMAIL_CASE = (
    '(SELECT ParentId FROM EmailMessage WHERE ParentId IN (SELECT Id FROM "Case" WHERE Status ='
    " 'Closed') LIMIT 1)"
)
CASE_WITH_FILE = """(
    SELECT c.Id FROM "Case" c JOIN EmailMessage m ON m.ParentId = c.Id
    JOIN ContentDocumentLink l ON l.LinkedEntityId = c.Id
    WHERE c.Status = 'Closed'
    AND c.Id NOT IN (SELECT k.ParentId FROM "Case" k WHERE k.ParentId IS NOT NULL) LIMIT 1
)"""
LATEST_CASE = '(SELECT Id FROM "Case" ORDER BY CreatedDate DESC LIMIT 1)'
CLOSED_SOON = """(
    SELECT c.Id FROM "Case" c JOIN EmailMessage m ON m.ParentId = c.Id
    WHERE c.OrderItemId__c IS NOT NULL AND c.ClosedDate IS NOT NULL
    GROUP BY c.Id
    HAVING julianday(substr(c.ClosedDate, 1, 19)) - max(julianday(substr(m.MessageDate, 1, 19))) < 1
    LIMIT 1
)"""
PRODUCT_OF_CASE = (
    'SELECT p.Name FROM "Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c JOIN Product2 p ON'
    " p.Id = i.Product2Id WHERE c.Id ="
)
CHAT = "(SELECT Id FROM LiveChatTranscript LIMIT 1)"
# A file of a chat: without it, no mail lacks its attachment.
CHAT_FILE = (
    "(SELECT l.ContentDocumentId FROM ContentDocumentLink l JOIN LiveChatTranscript t ON t.CaseId ="
    " l.LinkedEntityId LIMIT 1)"
)
QUIET_ORDER = (
    '(SELECT Id FROM "Order" WHERE Id NOT IN (SELECT i.OrderId FROM "Case" c JOIN OrderItem i ON'
    " i.Id = c.OrderItemId__c) AND Id NOT IN (SELECT OrderId FROM ReturnOrder) LIMIT 1)"
)
AUDIT = "CreatedDate, CreatedById, LastModifiedDate, LastModifiedById, SystemModstamp"
TRANSFER = "(SELECT Id FROM CaseHistory__c WHERE OldValue__c IS NOT NULL LIMIT 1)"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: what it is called, the SQL that makes it, and the invariants it breaks."""

    name: str
    sql: str
    breaks: tuple[str, ...]


MUTATIONS = (
    Mutation(
        "a dangling reference",
        f"UPDATE \"Case\" SET IssueId__c = '{NOBODY}' WHERE rowid = 1",
        ("Case.IssueId__c.resolves",),
    ),
    Mutation(
        "a value outside its list",
        "UPDATE \"Case\" SET Priority = 'Urgent' WHERE rowid = 1",
        ("Case.format",),
    ),
    Mutation(
        "a required value missing",
        "UPDATE Contact SET LastName = NULL WHERE rowid = 1",
        ("Contact.format",),
    ),
    Mutation(
        "an id of another form",
        "UPDATE ProductCatalog SET Id = 'short'",
        ("ProductCatalog.format", "ProductCategory.CatalogId.resolves"),
    ),
    Mutation(
        "a duplicate UrlName",
        "UPDATE Knowledge__kav SET UrlName = (SELECT UrlName FROM Knowledge__kav WHERE rowid = 1)"
        " WHERE rowid = 2",
        ("Knowledge__kav.UrlName.unique",),
    ),
    Mutation(
        "a duplicate name in other case",
        "UPDATE Product2 SET Name = (SELECT upper(Name) FROM Product2 WHERE rowid = 1) WHERE Id ="
        " {unsold}",
        ("Product2.Name.unique",),
    ),
    Mutation(
        "the contact of another account",
        "UPDATE Contact SET AccountId = (SELECT Id FROM Account WHERE Id <> AccountId LIMIT 1)"
        ' WHERE Id = (SELECT ContactId FROM "Case")',
        ("case_contact_of_account",),
    ),
    Mutation(
        "a case about a draft order",
        'UPDATE "Order" SET Status = \'Draft\' WHERE Id = (SELECT i.OrderId FROM "Case" c JOIN'
        " OrderItem i ON i.Id = c.OrderItemId__c)",
        ("case_item_of_account",),
    ),
    Mutation(
        "a case that came before its order was placed",
        'UPDATE "Order" SET CreatedDate = (SELECT max(c.CreatedDate) FROM "Case" c), '
        'LastModifiedDate = (SELECT max(c.CreatedDate) FROM "Case" c) WHERE Id = (SELECT i.OrderId'
        ' FROM "Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c LIMIT 1)',
        ("case_item_of_account",),
    ),
    Mutation(
        "a case about somebody else's order",
        'UPDATE "Order" SET AccountId = (SELECT Id FROM Account WHERE Id <> AccountId LIMIT 1)'
        ' WHERE Id = (SELECT i.OrderId FROM "Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c)',
        ("case_item_of_account",),
    ),
    Mutation(
        "a call completed after its last change",
        "UPDATE Task SET LastModifiedDate = CreatedDate, SystemModstamp = CreatedDate"
        " WHERE Id = (SELECT Id FROM Task WHERE CompletedDateTime IS NOT NULL LIMIT 1)",
        ("change_no_sooner_than_call",),
    ),
    Mutation(
        "a return received after its last change",
        "UPDATE ReturnOrder SET LastModifiedDate = CreatedDate, SystemModstamp = CreatedDate"
        " WHERE Id = (SELECT Id FROM ReturnOrder WHERE ReceivedDate__c IS NOT NULL LIMIT 1)",
        ("change_no_sooner_than_receipt",),
    ),
    Mutation(
        "an order called off of which something came back",
        'UPDATE "Order" SET CancelledDate__c = EffectiveDate WHERE Id = (SELECT r.OrderId FROM'
        ' ReturnOrder r JOIN "Order" o ON o.Id = r.OrderId WHERE o.EffectiveDate ='
        " substr(o.CreatedDate, 1, 10) LIMIT 1)",
        ("cancelled_before_packed",),
    ),
    Mutation(
        "a price changed in the book",
        "UPDATE PricebookEntry SET UnitPrice = UnitPrice + 1 WHERE Id = (SELECT PricebookEntryId"
        " FROM OrderItem)",
        ("item_entry_of_book",),
    ),
    Mutation(
        "a price changed on the order",
        "UPDATE OrderItem SET UnitPrice = UnitPrice + 1 WHERE rowid = 1",
        ("item_entry_of_book", "order_has_items"),
    ),
    Mutation(
        "an item priced by another book",
        "UPDATE OrderItem SET PricebookEntryId = (SELECT e.Id FROM PricebookEntry e WHERE"
        " e.Product2Id = OrderItem.Product2Id AND e.Id <> OrderItem.PricebookEntryId) WHERE"
        " rowid = 1",
        ("item_entry_of_book",),
    ),
    Mutation(
        "an order outside its book's validity",
        f"UPDATE \"Order\" SET EffectiveDate = '2035-01-01' WHERE Id = {QUIET_ORDER}",
        ("order_in_book",),
    ),
    Mutation(
        "a case under a parent that was closed before it came",
        'UPDATE "Case" SET ParentId = (SELECT p.Id FROM "Case" p WHERE p.ClosedDate <'
        f' "Case".CreatedDate LIMIT 1) WHERE Id = {LATEST_CASE}',
        ("child_of_open_parent",),
    ),
    Mutation(
        "a closed case without an outcome",
        f'UPDATE "Case" SET Outcome__c = NULL WHERE Id = {EMAIL_CASE}',
        ("case_outcome",),
    ),
    Mutation(
        "an answered complaint that counts as one without a response",
        f"UPDATE \"Case\" SET Outcome__c = 'No Response' WHERE Id = {CLOSED_SOON}",
        ("case_outcome", "case_without_response"),
    ),
    Mutation(
        "a customer's thread that counts as a stranger's",
        f"UPDATE \"Case\" SET Reason = 'Spam' WHERE Id = {EMAIL_CASE}",
        ("case_of_stranger", "case_contact_of_account"),
    ),
    Mutation(
        "a chat that counts as withdrawn",
        "UPDATE \"Case\" SET Outcome__c = 'Withdrawn' WHERE Id = (SELECT CaseId FROM"
        " LiveChatTranscript LIMIT 1)",
        ("case_outcome", "case_withdrawn"),
    ),
    Mutation(
        "an order with another total",
        'UPDATE "Order" SET TotalAmount = TotalAmount + 10 WHERE rowid = 1',
        ("order_has_items",),
    ),
    Mutation(
        "an order without items",
        f"DELETE FROM OrderItem WHERE OrderId = {QUIET_ORDER}",
        ("order_has_items",),
    ),
    Mutation(
        "a product missing in a book",
        "DELETE FROM PricebookEntry WHERE Id = (SELECT Id FROM PricebookEntry WHERE Id NOT IN"
        " (SELECT PricebookEntryId FROM OrderItem))",
        ("entry_once",),
    ),
    Mutation(
        "a product of another family",
        "UPDATE Product2 SET Family = 'Elsewhere' WHERE Id ="
        " (SELECT Id FROM Product2 WHERE Id NOT IN (SELECT Product2Id FROM OrderItem) LIMIT 1)",
        ("product_in_category",),
    ),
    Mutation(
        "a product changed before its end",
        "UPDATE Product2 SET LastModifiedDate = CreatedDate"
        " WHERE Id = (SELECT Id FROM Product2"
        " WHERE EndDate__c > substr(CreatedDate, 1, 10) LIMIT 1)",
        ("product_changed_no_sooner_than_its_end",),
    ),
    Mutation(
        "a book switched off early",
        "UPDATE Pricebook2 SET LastModifiedDate = CreatedDate WHERE Id ="
        " (SELECT Id FROM Pricebook2 WHERE NOT IsActive"
        " AND ValidTo > substr(CreatedDate, 1, 10) LIMIT 1)",
        ("book_switched_off_after_its_end",),
    ),
    Mutation(
        "an entry that is older than its product",
        "UPDATE PricebookEntry SET CreatedDate = '1999-01-01T00:00:00.000+0000' WHERE rowid = 1",
        ("entry_no_sooner_than_its_product",),
    ),
    Mutation(
        "an item sold before it had a price",
        "UPDATE OrderItem SET CreatedDate = '1999-01-01T00:00:00.000+0000' WHERE rowid = 1",
        ("sold_no_sooner_than_entered",),
    ),
    Mutation(
        "a user who is older than the profile",
        "UPDATE User SET CreatedDate = '1999-01-01T00:00:00.000+0000' WHERE rowid = 1",
        ("user_no_sooner_than_profile",),
    ),
    Mutation(
        "a customer who is older than the CRM",
        "UPDATE Account SET CreatedDate = '1999-01-01T00:00:00.000+0000' WHERE rowid = 1",
        ("account_no_sooner_than_its_record_type",),
    ),
    Mutation(
        "a case changed before its history's end",
        'UPDATE "Case" SET LastModifiedDate = CreatedDate WHERE Id ='
        ' (SELECT c.Id FROM "Case" c JOIN CaseHistory h ON h.CaseId = c.Id'
        " WHERE NOT c.IsClosed AND h.CreatedDate > c.CreatedDate LIMIT 1)",
        ("case_changed_no_sooner_than_its_trail",),
    ),
    Mutation(
        "a return of several from an order of one",
        "UPDATE ReturnOrder SET Reason__c = 'Ordered several to choose from' WHERE Id ="
        " (SELECT r.Id FROM ReturnOrder r WHERE r.CaseId IS NULL AND"
        " (SELECT count(*) FROM OrderItem i WHERE i.OrderId = r.OrderId) = 1 LIMIT 1)",
        ("return_reason_fits_its_order",),
    ),
    Mutation(
        "a product in no category",
        "DELETE FROM ProductCategoryProduct WHERE ProductId = (SELECT Id FROM Product2)",
        ("product_in_category",),
    ),
    Mutation(
        "a second Case Creation",
        f"INSERT INTO CaseHistory__c SELECT '{NOBODY}', CaseId__c, Field__c, OldValue__c,"
        f" NewValue__c, {AUDIT} FROM CaseHistory__c WHERE rowid = 1",
        ("history_creation",),
    ),
    Mutation(
        "a second first owner",
        f"INSERT INTO CaseHistory__c SELECT '{NOBODY}', CaseId__c, Field__c, OldValue__c,"
        f" NewValue__c, {AUDIT} FROM CaseHistory__c WHERE rowid = 2",
        ("history_first_owner", "trail_from_queue"),
    ),
    Mutation(
        "a thread that somebody has in the second in which it comes, as only one history tells",
        'UPDATE CaseHistory__c SET CreatedDate = (SELECT CreatedDate FROM "Case" WHERE Id ='
        " CaseId__c) WHERE Field__c = 'Owner Assignment' AND OldValue__c IS NULL AND CaseId__c ="
        f" {EMAIL_CASE}",
        ("trail_from_queue",),
    ),
    Mutation(
        "a transfer from somebody who never had the case",
        "UPDATE CaseHistory__c SET OldValue__c = (SELECT Id FROM User WHERE Id NOT IN"
        f" (OldValue__c, NewValue__c)) WHERE Id = {TRANSFER}",
        ("history_chain", "trail_transfers"),
    ),
    Mutation(
        "no Case Closed",
        f"DELETE FROM CaseHistory__c WHERE Field__c = 'Case Closed' AND CaseId__c = {EMAIL_CASE}",
        ("history_close",),
    ),
    Mutation(
        "a closed case said to be open",
        f'UPDATE "Case" SET IsClosed = 0 WHERE Id = {EMAIL_CASE}',
        ("history_close",),
    ),
    Mutation(
        "an owner who is not the last",
        'UPDATE "Case" SET OwnerId = (SELECT Id FROM User WHERE Id <> OwnerId) WHERE Id ='
        f" {EMAIL_CASE}",
        ("case_owner_is_last",),
    ),
    Mutation(
        "a transfer after the close",
        f"INSERT INTO CaseHistory__c SELECT '{NOBODY}', Id, 'Owner Assignment', OwnerId, (SELECT"
        " u.Id FROM User u WHERE u.Id <> OwnerId), '2035-01-01T00:00:00.000+0000', CreatedById,"
        ' LastModifiedDate, LastModifiedById, SystemModstamp FROM "Case"'
        f' WHERE Id = {EMAIL_CASE}; UPDATE "Case" SET OwnerId = (SELECT NewValue__c FROM'
        f" CaseHistory__c WHERE Id = '{NOBODY}') WHERE Id = {EMAIL_CASE}",
        ("history_in_time", "trail_transfers"),
    ),
    Mutation(
        "a ClosedDate before the creation",
        "UPDATE \"Case\" SET ClosedDate = '2010-01-01T00:00:00.000+0000'"
        f" WHERE Id = {CASE_WITH_FILE}",
        (
            "history_close",
            "history_in_time",
            "case_closes_after_creation",
            "message_in_time",
            "trail_in_time",
            "file_of_case",
        ),
    ),
    Mutation(
        "an item without an issue",
        f'UPDATE "Case" SET IssueId__c = NULL WHERE Id = {EMAIL_CASE}',
        ("case_item_with_issue",),
    ),
    Mutation(
        "a case without its chat",
        "DELETE FROM LiveChatTranscript WHERE Id = (SELECT Id FROM LiveChatTranscript WHERE CaseId"
        " NOT IN (SELECT LinkedEntityId FROM ContentDocumentLink) LIMIT 1)",
        ("thread_or_chat",),
    ),
    Mutation(
        "a message after the close",
        "UPDATE EmailMessage SET MessageDate = '2035-01-01T00:00:00.000+0000' WHERE Id = (SELECT"
        f" Id FROM EmailMessage WHERE ParentId = {EMAIL_CASE} ORDER BY MessageDate DESC)",
        ("message_in_time",),
    ),
    Mutation(
        "two mails at one moment",
        "UPDATE EmailMessage SET MessageDate = (SELECT b.MessageDate FROM EmailMessage b WHERE"
        " b.rowid = EmailMessage.rowid - 1) WHERE rowid = (SELECT c.rowid FROM EmailMessage c JOIN"
        " EmailMessage a ON a.rowid = c.rowid - 2 AND a.ParentId = c.ParentId WHERE c.Incoming)",
        ("message_order",),
    ),
    Mutation(
        "a wrong subject",
        "UPDATE EmailMessage SET Subject = 'About something else' WHERE rowid = 2",
        ("message_subject",),
    ),
    Mutation(
        "a mail from another customer",
        "UPDATE EmailMessage SET FromAddress = (SELECT Email FROM Contact WHERE Email <>"
        " FromAddress) WHERE rowid = 1",
        ("message_addresses",),
    ),
    Mutation(
        "a wrong writer",
        "UPDATE EmailMessage SET FromAddress = (SELECT Email FROM User WHERE Email <> FromAddress)"
        " WHERE Id = {outgoing}",
        ("mail_made_by_its_agent", "message_by_owner"),
    ),
    Mutation(
        "an order entered by somebody who comes later",
        'UPDATE "Order" SET CreatedById = (SELECT Id FROM User ORDER BY CreatedDate DESC LIMIT 1)'
        " WHERE rowid = 1",
        ("order_entered_by_employed",),
    ),
    Mutation(
        "a return that comes in on a holiday",
        "UPDATE ReturnOrder SET ReceivedDate__c = (SELECT max(ActivityDate) FROM Holiday)"
        " || substr(ReceivedDate__c, 11) WHERE Id = (SELECT Id FROM ReturnOrder"
        " WHERE ReceivedDate__c IS NOT NULL ORDER BY CreatedDate LIMIT 1)",
        ("change_no_sooner_than_receipt", "return_received_on_working_day"),
    ),
    Mutation(
        "an unsigned mail",
        "UPDATE EmailMessage SET TextBody = replace(TextBody, FromName, 'Your team') WHERE Id ="
        " {outgoing}",
        ("message_signed",),
    ),
    Mutation(
        "a product name taken out of a description and its thread",
        f"UPDATE EmailMessage SET TextBody = replace(TextBody, ({PRODUCT_OF_CASE}"
        f" EmailMessage.ParentId), 'them') WHERE ParentId = {EMAIL_CASE}; UPDATE \"Case\" SET"
        f" Description = replace(Description, ({PRODUCT_OF_CASE} \"Case\".Id), 'them') WHERE Id ="
        f" {EMAIL_CASE}",
        ("thread_names_facts",),
    ),
    Mutation(
        "a customer's name taken out of a description",
        'UPDATE "Case" SET Description = replace(Description, (SELECT Name FROM Contact WHERE Id'
        " = ContactId), 'me') WHERE rowid = 1",
        ("thread_names_facts",),
    ),
    Mutation(
        "a chat before its case",
        "UPDATE LiveChatTranscript SET StartTime = '2010-01-01T00:00:00.000+0000' WHERE Id ="
        f" {CHAT}",
        ("chat_of_case", "chat_taken_or_missed"),
    ),
    Mutation(
        "a chat of another owner",
        "UPDATE LiveChatTranscript SET OwnerId = (SELECT Id FROM User WHERE Id <> OwnerId) WHERE"
        f" Id = {CHAT}",
        ("chat_of_case",),
    ),
    Mutation(
        "a missed chat with words",
        f"UPDATE LiveChatTranscript SET Status = 'Missed' WHERE Id = {CHAT}",
        ("chat_taken_or_missed",),
    ),
    Mutation(
        "a wait that no clock shows",
        f"UPDATE LiveChatTranscript SET WaitTime = WaitTime + 60 WHERE Id = {CHAT}",
        ("chat_taken_or_missed",),
    ),
    Mutation(
        "a chat that names no product",
        'UPDATE LiveChatTranscript SET Body = replace(Body, (SELECT p.Name FROM "Case" c JOIN'
        " OrderItem i ON i.Id = c.OrderItemId__c JOIN Product2 p ON p.Id = i.Product2Id WHERE c.Id"
        f" = CaseId), 'it') WHERE Id = {CHAT}",
        ("chat_names_product",),
    ),
    Mutation(
        "a chat line by a stranger",
        "UPDATE LiveChatTranscript SET Body = replace(Body, ' (Agent):', ' Senior (Agent):') WHERE"
        f" Id = {CHAT}",
        ("chat_lines",),
    ),
    Mutation(
        "a chat line without a speaker",
        f"UPDATE LiveChatTranscript SET Body = Body || char(10) || 'bye then' WHERE Id = {CHAT}",
        ("chat_lines",),
    ),
    Mutation(
        "a call planned before anybody had the case",
        "UPDATE Task SET CreatedDate = '2000-01-01T00:00:00.000+0000' WHERE rowid = 1",
        ("task_of_owner",),
    ),
    Mutation(
        "a note before anybody had the case",
        "UPDATE CaseComment SET CreatedDate = '2000-01-01T00:00:00.000+0000' WHERE rowid = 1",
        ("work_in_hand",),
    ),
    Mutation(
        "an archived article without a day of it",
        "UPDATE Knowledge__kav SET PublishStatus = 'Archived' WHERE rowid = 1",
        ("article_archived",),
    ),
    Mutation(
        "an article that is a draft",
        "UPDATE Knowledge__kav SET PublishStatus = 'Draft' WHERE rowid = 1",
        ("article_online",),
    ),
    Mutation(
        "a real e-mail domain",
        "UPDATE User SET Username = 'someone@gmail.com' WHERE rowid = 1",
        ("privacy",),
    ),
    Mutation(
        "a real phone number",
        "UPDATE Contact SET Description = 'Call (303) 555-2233 after six.' WHERE rowid = 1",
        ("privacy",),
    ),
    Mutation(
        "a card number in a mail",
        "UPDATE EmailMessage SET TextBody = TextBody || ' 4111 1111 1111 1111' WHERE rowid = 2",
        ("privacy",),
    ),
    Mutation(
        "a phone that is not 555-01xx",
        "UPDATE Contact SET Phone = '(303) 555-2233' WHERE rowid = 1",
        ("Contact.format", "privacy"),
    ),
    Mutation(
        "somebody who leads themselves",
        "UPDATE User SET ManagerId = Id WHERE rowid = 2",
        ("user_manager",),
    ),
    Mutation(
        "an open case of somebody who left",
        "UPDATE User SET IsActive = 0, LastModifiedDate = LastLoginDate WHERE Id = (SELECT OwnerId"
        ' FROM "Case" WHERE ClosedDate IS NULL LIMIT 1)',
        ("open_case_of_active", "queue_member"),
    ),
    Mutation(
        "somebody who writes and sells before they come",
        "UPDATE User SET CreatedDate = m.Last, LastModifiedDate = m.Last, SystemModstamp = m.Last"
        " FROM (SELECT max(MessageDate) AS Last FROM EmailMessage) m WHERE Email = (SELECT"
        " FromAddress FROM EmailMessage WHERE NOT Incoming ORDER BY MessageDate LIMIT 1)",
        ("mail_of_employed", "order_entered_by_employed"),
    ),
    Mutation(
        "an account that is used after it was switched off",
        "UPDATE User SET IsActive = 0, LastModifiedDate = CreatedDate, SystemModstamp = CreatedDate"
        " WHERE Id = (SELECT Id FROM User WHERE LastLoginDate > CreatedDate"
        ' AND Id NOT IN (SELECT OwnerId FROM "Case")'
        " AND Id NOT IN (SELECT UserOrGroupId FROM GroupMember)"
        " AND Id NOT IN (SELECT ManagerId FROM User WHERE ManagerId IS NOT NULL) LIMIT 1)",
        ("switched_off_after_last_login",),
    ),
    Mutation(
        "a member twice in a group",
        "UPDATE GroupMember SET UserOrGroupId = (SELECT UserOrGroupId FROM GroupMember WHERE rowid"
        " = 1), GroupId = (SELECT GroupId FROM GroupMember WHERE rowid = 1) WHERE rowid = 2",
        ("queue_member",),
    ),
    Mutation(
        "a trail without a beginning",
        "DELETE FROM CaseHistory WHERE Field = 'created' AND rowid < 10",
        ("trail_creation",),
    ),
    Mutation(
        "a status that follows from none",
        "UPDATE CaseHistory SET OldValue = 'Closed' WHERE Id = (SELECT Id FROM CaseHistory WHERE"
        " Field = 'Status' AND OldValue = 'New' LIMIT 1)",
        ("trail_chain",),
    ),
    Mutation(
        "an escalation that the trail lacks",
        "DELETE FROM CaseHistory WHERE Id = (SELECT Id FROM CaseHistory WHERE Field = 'IsEscalated'"
        " LIMIT 1)",
        ("trail_priority",),
    ),
    Mutation(
        "a file of no case",
        f"DELETE FROM ContentDocumentLink WHERE ContentDocumentId = {CHAT_FILE}",
        ("file_of_case",),
    ),
    Mutation(
        "a file without a version",
        "DELETE FROM ContentVersion WHERE rowid = 1",
        ("file_version",),
    ),
    Mutation(
        "a mail without the attachment that came with it",
        "UPDATE EmailMessage SET HasAttachment = 0 WHERE HasAttachment",
        ("mail_has_attachment",),
    ),
    Mutation(
        "a file that came with nothing",
        "UPDATE ContentDocument SET CreatedDate = '2030-01-01T00:00:00.000+0000' WHERE Id ="
        f" {CHAT_FILE}",
        ("file_by_mail_or_chat", "file_version", "file_of_case"),
    ),
    Mutation(
        "a missing table",
        "DROP TABLE Issue__c",
        (
            "Issue__c.format",
            "Issue__c.Id.unique",
            "Issue__c.Name.unique",
            "Issue__c.CreatedById.resolves",
            "Issue__c.LastModifiedById.resolves",
            "Case.IssueId__c.resolves",
        ),
    ),
    Mutation("a dropped column", "ALTER TABLE Contact DROP COLUMN Title", ("Contact.format",)),
    Mutation(
        "a dropped unique column",
        "ALTER TABLE Pricebook2 DROP COLUMN Name",
        ("Pricebook2.format", "Pricebook2.Name.unique"),
    ),
)
CHOSEN = {
    "unsold": (
        '(SELECT Id FROM Product2 WHERE Id NOT IN (SELECT i.Product2Id FROM "Case" c JOIN OrderItem'
        " i ON i.Id = c.OrderItemId__c) AND rowid > 1)"
    ),
    "outgoing": "(SELECT Id FROM EmailMessage WHERE NOT Incoming)",
}


@pytest.fixture(scope="module")
def smaller(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A shoe company that is checked quickly, since every fault has a check of its own."""
    return generate(RunRequest("shoes", scale=0.05), tmp_path_factory.mktemp("smaller") / "shoes")


@pytest.fixture(scope="module")
def schema() -> Schema:
    """The schema of the shoe company."""
    return load_schema(companies_folder().parent / "service_cloud")


def findings_of(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """What all verifiers of the list find in an org."""
    for verifier in ORG_VERIFIERS:
        yield from verifier(db, schema)


def findings_after(sql: str, smaller: FinishedRun, schema: Schema) -> Mapping[str, Finding]:
    """The findings on a copy of the org in which that SQL was run, by the invariants' names.

    Raises where the SQL changed nothing.
    """
    with (
        closing(sqlite3.connect(":memory:")) as db,
        closing(sqlite3.connect(smaller.folder / "org.sqlite")) as whole,
    ):
        whole.backup(db)
        before = db.serialize()
        db.executescript(sql)
        assert (db.serialize() != before) == bool(sql)
        return {finding.name: finding for finding in findings_of(db, schema)}


def broken_after(sql: str, smaller: FinishedRun, schema: Schema) -> Mapping[str, Finding]:
    """Those of the findings that tell of a broken invariant."""
    found = findings_after(sql, smaller, schema)
    return {name: finding for name, finding in found.items() if finding.broken}


def test_the_untouched_copy_breaks_nothing(
    small_shoes: FinishedRun,
    schema: Schema,
    tmp_path: Path,
) -> None:
    """A copy that nobody touched is right, and every invariant was tried on at least one record."""
    shutil.copy(small_shoes.folder / "org.sqlite", tmp_path / "org.sqlite")
    report = check_org(tmp_path, schema)
    assert report.right
    assert [finding.name for finding in report.findings if not finding.tried] == []
    found = findings_after("", small_shoes, schema)
    assert list(found.values()) == list(report.findings)


@pytest.mark.parametrize(
    "mutation",
    MUTATIONS,
    ids=lambda mutation: mutation.name.replace(" ", "_"),
)
def test_one_fault_breaks_what_speaks_of_it_and_nothing_else(
    mutation: Mutation,
    smaller: FinishedRun,
    schema: Schema,
) -> None:
    """A single fault is reported by exactly the invariants that speak of it, with examples."""
    broken = broken_after(mutation.sql.format(**CHOSEN), smaller, schema)
    assert set(broken) == set(mutation.breaks)
    assert all(finding.examples for finding in broken.values())


def test_every_invariant_of_the_schema_is_shown_to_break(schema: Schema) -> None:
    """Each invariant in `_invariants.yaml` is broken by some mutation of the table."""
    shown = {name for mutation in MUTATIONS for name in mutation.breaks}
    assert {rule.name for rule in schema.invariants} - shown == set()


def test_every_reference_is_watched(smaller: FinishedRun, schema: Schema) -> None:
    """A dangling id in any reference field is found by that field's own invariant."""
    fields = [
        (item.name, field.name)
        for item in schema.objects
        for field in item.fields
        if field.reference or (field.holds_ids and schema.has(field.holds_ids))
    ]
    sql = "; ".join(
        f'UPDATE "{name}" SET "{field}" = \'{NOBODY}\' WHERE rowid = 1' for name, field in fields
    )
    broken = broken_after(sql, smaller, schema)
    assert {f"{name}.{field}.resolves" for name, field in fields} - set(broken) == set()


def test_every_unique_field_is_watched(smaller: FinishedRun, schema: Schema) -> None:
    """A value that stands twice in any unique field is found by that field's own invariant."""
    fields = [
        (item.name, field.name) for item in schema.objects for field in item.fields if field.unique
    ]
    doubled = [item for item in schema.objects if any(field.unique for field in item.fields)]
    sql = "; ".join(twin_of_the_first(item) for item in doubled)
    broken = broken_after(sql, smaller, schema)
    assert {f"{name}.{field}.unique" for name, field in fields} - set(broken) == set()


def twin_of_the_first(item: ObjectType) -> str:
    """SQL that adds the first record of an object type once more, under another id."""
    columns = [f'"{field.name}"' for field in item.fields if field.name != "Id"]
    names = ", ".join(columns)
    return (
        f'INSERT INTO "{item.name}" (Id, {names}) SELECT \'{NOBODY}\', {names} FROM "{item.name}"'
        " WHERE rowid = 1"
    )


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, Schema]]:
    """An empty table of boxes with ids and unique names, and their schema."""
    names = 'Name: {type: string, x-unique: true, x-source: {sequence: "Box {}"}}'
    write_object(tmp_path / "toy", "Box", names)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Box (Id, Name)")
        yield db, load_schema(tmp_path / "toy")


def found_in(
    boxes: tuple[sqlite3.Connection, Schema], *rows: tuple[str, str]
) -> dict[str, Finding]:
    """The findings on boxes of these ids and names, by the invariants' names."""
    db, schema = boxes
    db.executemany("INSERT INTO Box VALUES (?, ?)", rows)
    return {finding.name: finding for finding in verify_integrity(db, schema)}


def test_ids_that_stand_twice_are_counted(boxes: tuple[sqlite3.Connection, Schema]) -> None:
    """Each record but the first of an id is an offence, the id its example."""
    found = found_in(boxes, ("a", "1"), ("b", "2"), ("b", "3"), ("b", "4"))["Box.Id.unique"]
    assert (found.tried, found.broken, set(found.examples)) == (4, 2, {"b"})


def test_ids_are_told_apart_by_case_and_names_are_not(
    boxes: tuple[sqlite3.Connection, Schema],
) -> None:
    """Two ids may differ in case alone; two unique names may not."""
    found = found_in(boxes, ("aA", "Tent"), ("aa", "TENT"))
    assert (found["Box.Id.unique"].broken, found["Box.Name.unique"].broken) == (0, 1)


PEOPLE = (
    "Phone: {type: string, x-source: {constant: a}}\n"
    "Size: {type: integer, x-source: {constant: 1}}\n"
    "FriendId: {type: string, x-source: {reference: Firm}}"
)
REAL_PHONE = "(303) 745-2233"


@pytest.mark.parametrize(("field", "broken"), [("Phone", 1), ("Size", 0), ("FriendId", 0)])
def test_privacy_is_asked_of_texts_alone(field: str, broken: int, tmp_path: Path) -> None:
    """A real number is found in a text; numbers and references aren't read."""
    write_object(tmp_path / "toy", "Firm")
    write_object(tmp_path / "toy", "Person", PEOPLE)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Person (Id, Phone, Notes, Size, FriendId)")
        db.execute(f"INSERT INTO Person (Id, {field}) VALUES ('a', ?)", (REAL_PHONE,))
        found = next(verify_org_privacy(db, load_schema(tmp_path / "toy")))
    assert (found.tried, found.broken) == (broken, broken)


def test_an_invariant_that_cannot_be_tried_is_broken(schema: Schema) -> None:
    """On a file without any table every invariant counts as broken, none raises, and what has no
    texts has nothing private.
    """
    with closing(sqlite3.connect(":memory:")) as db:
        findings = list(findings_of(db, schema))
    assert len(findings) > 100
    assert {finding.name for finding in findings if not finding.broken} == {"privacy"}
    assert all("can't be tried" in example for found in findings for example in found.examples)
