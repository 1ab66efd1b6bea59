"""The metadata export: an SFDX project in which every custom field of the data exists, may be seen,
and is called as SOQL calls it.
"""

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orgweave.crm.build import crm_objects
from orgweave.export.metadata import write_metadata
from orgweave.export.objects import export_objects, loaded
from orgweave.export.registry import export
from orgweave.export.source import ExportSource
from pipeline.atomic import building
from pipeline.config import job_of
from pipeline.sql_tables import create_table
from tests.exports_org import stored
from tests.toys import toy_job, write_object

GOLDEN = Path(__file__).parent / "golden" / "metadata"
NAMESPACE = "{http://soap.sforce.com/2006/04/metadata}"
ORGS = pytest.mark.parametrize("org", ["odd", "clinic"])
Project = tuple[Path, Path]


@pytest.fixture(scope="session")
def projects(
    odd: Path,
    clinic: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Project]:
    """Run and metadata of both orgs."""
    return {
        name: (run, export(run, "metadata", tmp_path_factory.mktemp("metadata") / name).folder)
        for name, run in {"odd": odd, "clinic": clinic}.items()
    }


def tree(path: Path) -> ElementTree.Element:
    """A metadata file's root; fails where it isn't well-formed."""
    return ElementTree.fromstring(path.read_text(encoding="utf-8"))


def value(element: ElementTree.Element, name: str) -> str:
    """The text of a child element, empty where there is none."""
    return element.findtext(f"{NAMESPACE}{name}") or ""


def fields(project: Path) -> dict[str, ElementTree.Element]:
    """Custom fields by `Object.Field__c`."""
    return {
        f"{path.parent.parent.name}.{path.name.split('.')[0]}": tree(path)
        for path in project.rglob("*.field-meta.xml")
    }


def permitted(project: Path) -> set[str]:
    """The fields that a permission set shows."""
    return {
        value(one, "field")
        for path in project.rglob("*.permissionset-meta.xml")
        for one in tree(path).iter(f"{NAMESPACE}fieldPermissions")
        if (value(one, "readable"), value(one, "editable")) == ("true", "true")
    }


@ORGS
def test_every_custom_name_of_the_data_exists_and_may_be_seen(
    org: str,
    projects: dict[str, Project],
    tmp_path: Path,
) -> None:
    """Each `__c` column and object of the bulk files has its metadata; each such field has a
    permission or, being required, needs none.
    """
    run, project = projects[org]
    made, seen = fields(project), permitted(project)
    out = export(run, "bulk", tmp_path / "out").folder
    for line in (out / "order.txt").read_text().splitlines():
        file, name = line.split("\t")
        if name.endswith("__c"):
            assert (
                project / "force-app/main/default/objects" / name / f"{name}.object-meta.xml"
            ).is_file()
        with (out / file).open(encoding="utf-8", newline="") as data:
            for title in next(csv.reader(data)):
                parent, _, field = title.rpartition(".")
                column = (
                    f"{parent.removesuffix('__r')}__c"
                    if parent.endswith("__r")
                    else ""
                    if parent
                    else field
                )
                if column.endswith("__c"):
                    at = f"{name}.{column}"
                    assert at in made
                    assert (at in seen) != (value(made[at], "required") == "true")
    assert seen <= set(made)


@ORGS
def test_every_file_is_well_formed_and_called_as_it_says(
    org: str, projects: dict[str, Project]
) -> None:
    """Each XML file has the metadata namespace; a field's file bears its full name, an object's
    lookups name objects of the project or the CRM.
    """
    _, project = projects[org]
    paths = sorted(project.rglob("*.xml"))
    assert paths
    for path in paths:
        assert tree(path).tag.startswith(NAMESPACE)
        if path.name.endswith(".field-meta.xml"):
            assert value(tree(path), "fullName") == path.name.removesuffix(".field-meta.xml")


@ORGS
def test_relationships_are_called_as_soql_calls_them(
    org: str, projects: dict[str, Project]
) -> None:
    """A lookup's children bear the name that the query engine gives them, less the `__r` that the
    CRM adds.
    """
    run, project = projects[org]
    made = fields(project)
    lookups = {at: one for at, one in made.items() if value(one, "type") == "Lookup"}
    assert lookups
    for one in export_objects(job_of(run).setting.schema):
        for child in one.child_relationships:
            if child.field.endswith("__c"):
                assert (
                    f"{value(lookups[f'{child.entity}.{child.field}'], 'relationshipName')}__r"
                    == child.name
                )
    if org == "odd":
        entity = crm_objects(job_of(run).setting.schema)["case"]
        assert entity.children["case_histories__r"].entity == "CaseHistory__c"
        assert value(lookups["CaseHistory__c.CaseId__c"], "relationshipName") == "Case_Histories"


def test_external_ids_are_on_every_object_that_takes_one(projects: dict[str, Project]) -> None:
    """Synth_Id__c is a unique, case-sensitive external id on all object types but Knowledge__kav,
    whose key is UrlName.
    """
    run, project = projects["odd"]
    made = fields(project)
    for one in export_objects(job_of(run).setting.schema):
        assert (f"{one.name}.Synth_Id__c" in made) == (one.name != "Knowledge__kav")
    found = made["Case.Synth_Id__c"]
    assert [
        value(found, name)
        for name in ("type", "length", "externalId", "unique", "caseSensitive", "required")
    ] == ["Text", "64", "true", "true", "true", "false"]


def test_case_status_has_all_values(projects: dict[str, Project]) -> None:
    """The value set replaces the org's, so it lists every status of the schema, and says that
    Closed closes.
    """
    _, project = projects["odd"]
    values = {
        value(one, "fullName"): value(one, "closed")
        for one in tree(
            project
            / "force-app/main/default/standardValueSets/CaseStatus.standardValueSet-meta.xml"
        )
        if one.tag.endswith("standardValue")
    }
    assert values == {
        "New": "false",
        "Working": "false",
        "Waiting on Customer": "false",
        "Escalated": "false",
        "Closed": "true",
    }


def test_value_sets_cover_the_data(projects: dict[str, Project]) -> None:
    """A standard picklist without values in the schema has those of the records: product families,
    case types.
    """
    run, project = projects["odd"]
    values = {
        value(one, "fullName")
        for one in tree(
            project
            / "force-app/main/default/standardValueSets/Product2Family.standardValueSet-meta.xml"
        )
    }
    assert {row["Family"] for row in stored(run, "Product2")} <= values


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_a_file_of_each_kind_is_the_golden_one(name: str, projects: dict[str, Project]) -> None:
    """An object, a lookup, an external id, a value set, a permission set and the project's own
    files are exactly the golden ones.
    """
    _, project = projects["odd"]
    found = [
        path
        for path in project.rglob(name)
        if name != "Synth_Id__c.field-meta.xml" or path.parent.parent.name == "Case"
    ]
    assert [path.read_text() for path in found] == [(GOLDEN / name).read_text()]


def test_what_not_every_org_has_is_a_package_of_its_own(projects: dict[str, Project]) -> None:
    """Chat and catalogs lie apart from what every org takes, each with its permission set, all
    listed in sfdx-project.json.
    """
    _, project = projects["odd"]
    listed = [
        one["path"]
        for one in json.loads((project / "sfdx-project.json").read_text())["packageDirectories"]
    ]
    assert listed == ["force-app", "commerce", "returns", "legacy-chat"]
    places = {
        at: path
        for path in listed
        for at in (one.name for one in (project / path / "main/default/objects").iterdir())
    }
    assert {name for name, place in places.items() if place == "legacy-chat"} == {
        "LiveChatVisitor",
        "LiveChatTranscript",
    }
    assert {name for name, place in places.items() if place == "commerce"} == {
        "ProductCatalog",
        "ProductCategory",
        "ProductCategoryProduct",
    }
    for name in re.findall(r"permset --name (\w+)", (project / "README.md").read_text()):
        assert len(list(project.rglob(f"{name}.permissionset-meta.xml"))) == 1


def test_audit_fields_are_allowed(projects: dict[str, Project]) -> None:
    """The permission set grants CreateAuditFields, without which no record can be dated back."""
    _, project = projects["odd"]
    found = tree(
        project / "force-app/main/default/permissionsets/Synth_Load.permissionset-meta.xml"
    )
    assert [value(one, "name") for one in found.iter(f"{NAMESPACE}userPermissions")] == [
        "CreateAuditFields"
    ]


def test_a_schema_that_is_no_crms_becomes_custom_objects(projects: dict[str, Project]) -> None:
    """The clinic's Patient is Patient__c with a name of its own; a visit without one is numbered;
    types follow the schema.
    """
    _, project = projects["clinic"]
    base = project / "force-app/main/default/objects"
    assert {path.name for path in base.iterdir()} == {
        "Patient__c",
        "Practitioner__c",
        "Appointment__c",
        "VisitNote__c",
    }
    kinds = {at: value(one, "type") for at, one in fields(project).items()}
    assert (
        kinds["Patient__c.BirthDate__c"],
        kinds["Patient__c.ReminderBy__c"],
        kinds["Appointment__c.PatientId__c"],
    ) == ("Date", "Picklist", "Lookup")
    assert (kinds["VisitNote__c.Body__c"], kinds["Appointment__c.Minutes__c"]) == (
        "LongTextArea",
        "Number",
    )
    named = {
        name: value(
            tree(base / name / f"{name}.object-meta.xml").find(f"{NAMESPACE}nameField"), "type"
        )
        for name in ("Patient__c", "Appointment__c")
    }  # type: ignore[arg-type]
    assert named == {"Patient__c": "Text", "Appointment__c": "AutoNumber"}


def test_a_lookup_to_a_price_is_a_text(tmp_path: Path) -> None:
    """A custom field can't look up a PricebookEntry: such a field becomes a text for its id, which
    is told, and no relationship is left.
    """
    schema = tmp_path / "toy"
    write_object(schema, "PricebookEntry")
    write_object(
        schema,
        "Quote__c",
        "PriceId__c: {type: string, x-source: {reference: PricebookEntry, by: uniform}}",
    )
    job = toy_job(tmp_path)
    column = next(
        column
        for one in export_objects(job.setting.schema)
        if one.name == "Quote__c"
        for column in loaded(one)
        if column.name == "PriceId__c"
    )
    assert (column.target, column.holds_ids, column.length) == (None, "PricebookEntry", 18)
    with building(tmp_path / "org.sqlite") as db:
        for item in job.setting.schema.objects:
            db.execute(create_table(item))
        (tmp_path / "out").mkdir()
        setting, digest = job.setting, "0" * 64
        source = ExportSource(setting.profile, setting.schema, tmp_path / "org.sqlite", digest, db)
        notes = write_metadata(source, tmp_path / "out")
    assert (
        "left out: Quote__c.PriceId__c as a lookup: none may lead to PricebookEntry; it is a text"
        " that holds the id" in notes
    )
    assert value(fields(tmp_path / "out")["Quote__c.PriceId__c"], "type") == "Text"


def test_two_lookups_to_one_parent_have_two_names(tmp_path: Path) -> None:
    """Where an object looks a parent up twice, both relationships have valid names, the same in
    SOQL and metadata.
    """
    schema = tmp_path / "toy"
    write_object(schema, "Bed")
    write_object(
        schema,
        "Move",
        "FromId: {type: string, x-source: {reference: Bed, by: uniform}}\nIntoId: {type: string,"
        " x-source: {reference: Bed, by: uniform}}",
    )
    bed = next(
        one for one in export_objects(toy_job(tmp_path).setting.schema) if one.name == "Bed__c"
    )
    assert [child.name for child in bed.child_relationships] == [
        "Moves__r",
        "Moves_IntoId__r",
    ]
