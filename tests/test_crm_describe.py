"""Describe told and describe read: the same field both ways, and what other CRMs tell."""

from pathlib import Path
from typing import Any

import pytest

from orgweave.crm.build import crm_objects
from orgweave.crm.describe import described, global_describe, parsed
from orgweave.crm.setup import deployed, filled_by_loaders
from schemas.errors import BadInput, CrmUnreachable
from schemas.loader import load_schema
from schemas.model import Schema

BASE = "/services/data/v59.0"
TOLD = (
    "name",
    "type",
    "length",
    "nillable",
    "createable",
    "updateable",
    "defaulted",
    "external_id",
    "id_lookup",
    "unique",
    "restricted",
    "required",
    "filterable",
    "groupable",
    "sortable",
    "auto_number",
    "reference_to",
)
"""What describe says of a field, by our names."""


@pytest.fixture(scope="module")
def schema() -> Schema:
    """The service organisation, set up to be loaded."""
    shipped = load_schema(Path(__file__).parent.parent / "schemas" / "service_cloud")
    return deployed(shipped, "Synth_Id__c")


def test_what_is_told_is_read_again(schema: Schema) -> None:
    """Every field of every object comes back from its describe as it was, as far as describe
    tells of it.
    """
    for ours in crm_objects(schema).values():
        theirs = parsed(described(ours, BASE, writable=True))
        assert theirs.createable == ours.createable
        assert list(theirs.fields) == list(ours.fields)
        for name, field in ours.fields.items():
            read = theirs.fields[name]
            assert [getattr(read, key) for key in TOLD] == [getattr(field, key) for key in TOLD]
            assert read.picklist == field.picklist


def test_nothing_is_writable_in_an_org_that_is_only_read(schema: Schema) -> None:
    """Neither objects nor fields can be created or changed; what they are stays the same."""
    told = described(crm_objects(schema)["case"], BASE, writable=False)
    fields: Any = told["fields"]
    assert not told["createable"] and not told["deletable"]
    assert not any(field["createable"] or field["updateable"] for field in fields)
    assert {field["name"] for field in fields if field["nameField"]} == {"CaseNumber"}


def test_the_global_describe_lists_all(schema: Schema) -> None:
    """It lists each object with the address of its own describe."""
    told: Any = global_describe(crm_objects(schema), BASE, writable=True)
    urls = {one["name"]: one["urls"]["describe"] for one in told["sobjects"]}
    assert urls["Profile"] == f"{BASE}/sobjects/Profile/describe"
    assert len(urls) == len(schema.objects)


def test_a_crm_may_tell_more_and_less() -> None:
    """Unknown keys and types are taken, and what an older API doesn't tell is usual; only active
    values of a picklist count; names are found in any case of letters.
    """
    values = [{"value": "Hot", "active": True, "label": "Hot!"}, {"value": "Old", "active": False}]
    field = {"name": "Rating", "type": "combobox", "picklistValues": values, "aiPrediction": False}
    found = parsed({"name": "Lead", "createable": True, "fields": [field]})
    rating = found.field("RATING")
    assert (rating.type, rating.values) == ("combobox", ("Hot",))
    assert rating.filterable and not rating.createable and not rating.required
    assert found.find("Score") is None and not found.takes("Score")


@pytest.mark.parametrize(
    "answer",
    [
        {"name": "Lead"},
        {"name": "Lead", "createable": True, "fields": [{"name": "Id"}]},
        {"name": "Lead", "createable": True, "fields": "none"},
    ],
)
def test_what_is_no_describe_is_told(answer: dict[str, object]) -> None:
    """An answer of another form is refused with the object and the first fault."""
    with pytest.raises(CrmUnreachable, match="describe of Lead can't be read"):
        parsed(answer)


def test_an_org_is_set_up_with_what_every_crm_has(schema: Schema) -> None:
    """Users have a profile, transcripts a visitor, and every object of ours the external id."""
    assert schema.object("User").field("ProfileId").reference == "Profile"
    assert schema.object("LiveChatTranscript").field("LiveChatVisitorId").reference
    assert schema.object("Issue__c").has("Synth_Id__c")
    assert schema.object("LiveChatVisitor").has("Synth_Id__c")
    assert not schema.object("Organization").has("Synth_Id__c")
    assert filled_by_loaders("User") == {"ProfileId"}
    assert filled_by_loaders("Account") == frozenset()


def test_an_org_may_lack_objects_and_fields() -> None:
    """What leads to a lacked object goes with it, and so does what the CRM has beside it."""
    ours = load_schema(Path(__file__).parent.parent / "schemas" / "service_cloud")
    found = deployed(ours, without=["LiveChatTranscript", "Issue__c", "Case.Priority"])
    names = {item.name for item in found.objects}
    assert not names & {"LiveChatTranscript", "LiveChatVisitor", "Issue__c"}
    assert not found.object("Case").has("IssueId__c")
    assert not found.object("Case").has("Priority")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"external_id": "Synth_Id"}, "ends in __c"),
        ({"external_id": "Sy nth__c"}, "ends in __c"),
        ({"without": ["Opportunity"]}, "has no such object type or field"),
        ({"without": ["Case.Rating"]}, "has no such object type or field"),
    ],
)
def test_what_no_org_can_be_set_up_with_is_told(given: dict[str, Any], says: str) -> None:
    """A name that no custom field can have, or that the schema hasn't got."""
    ours = load_schema(Path(__file__).parent.parent / "schemas" / "service_cloud")
    with pytest.raises(BadInput, match=says):
        deployed(ours, **given)
