"""What a CRM says of the service organisation's object types and of a schema that is
no CRM.
"""

from pathlib import Path

import pytest

from orgweave.crm.build import crm_objects
from orgweave.crm.field import CrmObject
from schemas.loader import load_schema

SCHEMAS = Path(__file__).parent.parent / "schemas"


@pytest.fixture(scope="module")
def entities() -> dict[str, CrmObject]:
    """The service organisation's object types."""
    return crm_objects(load_schema(SCHEMAS / "service_cloud"))


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("Case.Id", "id"),
        ("Case.AccountId", "reference"),
        ("Contact.OwnerId", "reference"),
        ("Order.OwnerId", "reference"),
        ("Case.Subject", "string"),
        ("Case.Description", "textarea"),
        ("Case.Status", "picklist"),
        ("Case.IsClosed", "boolean"),
        ("Case.CreatedDate", "datetime"),
        ("Order.EffectiveDate", "date"),
        ("OrderItem.UnitPrice", "currency"),
        ("OrderItem.Quantity", "int"),
        ("Account.PersonEmail", "email"),
        ("Contact.MobilePhone", "phone"),
        ("EmailMessage.ToIds", "idlist"),
        ("CaseHistory__c.NewValue__c", "string"),
    ],
)
def test_types_come_from_the_schema(entities: dict[str, CrmObject], field: str, kind: str) -> None:
    """Formats, enums, lengths and references decide a field's type; a reference that is copied from
    another one is one too.
    """
    entity, name = field.lower().split(".")
    assert entities[entity].fields[name].type == kind


def test_what_may_be_done_with_a_field(entities: dict[str, CrmObject]) -> None:
    """Long texts can't be filtered, sorted or grouped; datetimes, prices and automatic numbers not
    grouped.
    """

    def allowed(entity: str, name: str) -> str:
        info = entities[entity].fields[name]
        return "".join(
            sign
            for sign, able in zip(
                "FSG",
                (info.filterable, info.sortable, info.groupable),
                strict=True,
            )
            if able
        )

    assert (
        allowed("case", "description")
        == allowed("account", "description")
        == allowed("emailmessage", "toids")
        == ""
    )
    assert (
        allowed("case", "createddate")
        == allowed("orderitem", "unitprice")
        == allowed("case", "casenumber")
        == "FS"
    )
    assert allowed("product2", "description") == "FS"
    assert (
        allowed("case", "status")
        == allowed("case", "accountid")
        == allowed("order", "effectivedate")
        == "FSG"
    )


def test_relationships_have_the_crms_names(entities: dict[str, CrmObject]) -> None:
    """`AccountId` leads to Account, `IssueId__c` to IssueId__r; children stand under their plural,
    `__r` behind a custom one; owners' have no name.
    """
    assert {one.relationship for one in entities["case"].parents.values()} == {
        "Account",
        "Contact",
        "Owner",
        "OrderItemId__r",
        "IssueId__r",
        "RecordType",
        "Parent",
        "PreviousCaseId__r",
        "CreatedBy",
        "LastModifiedBy",
    }
    assert set(entities["account"].children) == {
        "contacts",
        "cases",
        "orders",
        "livechattranscripts",
        "returnorders",
    }
    assert set(entities["case"].children) == {
        "casearticles",
        "casecomments",
        "contentdocumentlinks",
        "histories",
        "case_histories__r",
        "cases",
        "cases__r",
        "emailmessages",
        "livechattranscripts",
        "returnorders",
        "tasks",
    }
    assert {one.name for one in entities["pricebook2"].children.values()} == {
        "PricebookEntries",
        "Orders",
    }
    assert {one.name for one in entities["issue__c"].children.values()} == {"Cases__r"}
    assert set(entities["user"].children) == {"managedusers"}
    assert len(entities["user"].child_relationships) >= 5


def test_deletion_is_answerable_where_the_crm_has_it(entities: dict[str, CrmObject]) -> None:
    """Every record has IsDeleted, though no org keeps it; a user hasn't, for users are never
    deleted.
    """
    assert all(
        ("isdeleted" in entity.fields) == (name != "user") for name, entity in entities.items()
    )
    assert not entities["case"].fields["isdeleted"].stored


def test_names_of_records(entities: dict[str, CrmObject]) -> None:
    """A record is named by Name, or by what the CRM has instead."""
    assert {
        entities[name].name_field
        for name in ("account", "case", "knowledge__kav", "pricebookentry")
    } == {"Name", "CaseNumber", "Title"}


def test_a_schema_that_is_no_crm_has_entities_too() -> None:
    """The clinic's visits lead to their patients,
    and a patient's visits stand under their plural.
    """
    clinic = crm_objects(load_schema(SCHEMAS / "clinic"))
    assert clinic["appointment"].parents["patient"].target == "Patient"
    assert {one.entity for one in clinic["patient"].child_relationships} == {"Appointment"}
    assert "appointments" in clinic["practitioner"].children
