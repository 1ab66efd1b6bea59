"""A standard object that orgweave didn't know is one YAML file of facts, beside its object type."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from orgweave.crm.build import crm_objects
from orgweave.crm.describe import described
from orgweave.crm.facts import Catalog, load_catalog, shipped
from orgweave.crm.field import CrmObject
from orgweave.crm.order import load_order
from orgweave.export.metadata_xml import field_xml, permission_set_xml
from orgweave.export.objects import export_objects, loaded
from schemas.loader import load_schema
from schemas.model import Schema
from tests.toys import write_object

OPPORTUNITY = """
required: [Name, StageName, CloseDate]
load_rank: 0
fields:
  AccountId: {on_delete: cascade, child_name: Deals}
  StageName: {restricted: true, default: Prospecting, more_values: [Closed Lost]}
  Probability: {create_only: true}
  Forecast: {not_loaded: the CRM works it out}
"""
FIELDS = """
Name: {type: string, x-source: {sequence: "Deal {}"}}
AccountId: {type: string, x-source: {reference: Account, by: uniform}}
StageName: {type: string, enum: [Prospecting, Won], x-source: {choice: [Prospecting, Won]}}
CloseDate: {type: string, format: date, x-source: {range: [period.start, period.end]}}
Probability: {type: integer, x-source: {range: [0, 100]}}
Forecast: {type: string, x-source: {constant: Best Case}}
Amount: {type: number, x-source: {range: [10, 100]}}
Source__c: {type: string, x-unique: true, x-source: {sequence: "S-{}"}}
"""


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    """Accounts and their opportunities."""
    folder = tmp_path_factory.mktemp("toy")
    write_object(folder, "Account", 'Name: {type: string, x-source: {sequence: "Firm {}"}}')
    write_object(folder, "Opportunity", FIELDS, prefix="006")
    write_object(folder, "Zoo", 'Name: {type: string, x-source: {sequence: "Zoo {}"}}')
    return load_schema(folder)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The shipped facts and one file more."""
    folder = tmp_path_factory.mktemp("facts")
    (folder / "Opportunity.yaml").write_text(OPPORTUNITY)
    return load_catalog(folder, shipped())


@pytest.fixture(scope="module")
def opportunity(schema: Schema, catalog: Catalog) -> CrmObject:
    """The object that comes of it."""
    return crm_objects(schema, catalog)["opportunity"]


def test_describe_tells_of_it(schema: Schema, catalog: Catalog, opportunity: CrmObject) -> None:
    """Describe has its fields with the CRM's rules, and its parent the name of its records."""
    told = described(opportunity, "/services/data/v59.0", writable=True)
    fields = {field["name"]: field for field in told["fields"]}  # type: ignore[attr-defined]
    assert told["keyPrefix"] == "006"
    assert not fields["Name"]["nillable"] and fields["Amount"]["type"] == "currency"
    assert fields["StageName"]["restrictedPicklist"] and fields["StageName"]["defaultedOnCreate"]
    values = [value["value"] for value in fields["StageName"]["picklistValues"]]
    assert values == ["Prospecting", "Won", "Closed Lost"]
    children = crm_objects(schema, catalog)["account"].child_relationships
    assert [child.name for child in children] == ["Deals"]


def test_writing_follows_its_rules(opportunity: CrmObject) -> None:
    """What has a default isn't demanded, what can be given once only can't be changed, and a
    deleted account takes its opportunities with it.
    """
    demanded = {field.name for field in opportunity.fields.values() if field.required}
    assert demanded == {"Name", "CloseDate"}
    probability = opportunity.field("Probability")
    assert probability.createable and not probability.updateable
    assert opportunity.field("AccountId").on_delete == "cascade"


def test_it_takes_its_place_in_the_load_order(schema: Schema, catalog: Catalog) -> None:
    """It stands behind its account whatever its rank, and by its rank before others."""
    assert load_order(schema, catalog) == ("Account", "Opportunity", "Zoo")
    assert [found.name for found in export_objects(schema, catalog)] == [
        "Account",
        "Opportunity",
        "Zoo__c",
    ]


SERVICE = ("Asset", "Entitlement", "ServiceContract", "WorkOrder", "WorkOrderLineItem")
"""What is added first to an org that is about service."""


def test_objects_of_service_keep_their_own_names(tmp_path: Path) -> None:
    """Whoever adds one exports the CRM's object and its fields; only what ends so is custom."""
    field = "{type: string, x-source: {sequence: 'A {}'}}"
    for number, name in enumerate(SERVICE):
        fields = f"Name: {field}\nStatus: {field}\nNote__c: {field}"
        write_object(tmp_path, name, fields, prefix=f"0z{number}")
    for item in export_objects(load_schema(tmp_path), shipped()):
        assert item.name in SERVICE
        custom = [field.name for field in loaded(item) if field.name.endswith("__c")]
        assert custom == ["Note__c", "Synth_Id__c"]


def test_exports_take_it(schema: Schema, catalog: Catalog) -> None:
    """Its name is the CRM's own, only its custom fields need metadata, what isn't loaded stays out,
    and the permission set names it.
    """
    found = {one.name: one for one in export_objects(schema, catalog)}
    deal = found["Opportunity"]
    names = [field.name for field in loaded(deal)]
    assert "Forecast" not in names
    assert [name for name in names if name.endswith("__c")] == ["Source__c", "Synth_Id__c"]
    xml = ElementTree.fromstring(field_xml(deal.field("Source__c"), ""))
    assert {child.tag.partition("}")[2]: child.text for child in xml}["externalId"] == "true"
    assert "<object>Opportunity</object>" in permission_set_xml("Load", [deal], [], [])
