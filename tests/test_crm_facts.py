"""What the CRM says of its objects is data: a YAML file an object, checked when it is read."""

from pathlib import Path

import pytest

from orgweave.crm.facts import SHIPPED, load_catalog, shipped
from schemas.errors import SchemaError
from schemas.loader import load_schema

SCHEMAS = Path(__file__).parent.parent / "schemas"


def written(folder: Path, name: str, text: str) -> Path:
    """A folder with one file of facts."""
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_every_shipped_file_is_read() -> None:
    """Each object of the folder is in the catalog under its file's name."""
    names = {path.stem for path in SHIPPED.glob("*.yaml") if not path.name.startswith("_")}
    assert names == set(shipped().objects)


def test_shipped_facts_are_of_fields_that_there_are() -> None:
    """Facts about an object that a shipped schema has name its own fields, or ones that the CRM
    adds: a misspelt name would be a fact about nothing.
    """
    schema = load_schema(SCHEMAS / "service_cloud")
    for item in schema.objects:
        facts = shipped().object(item.name)
        known = {field.name for field in item.fields} | set(facts.adds)
        # Old fields of ours, which other schemas of the CRM may well have.
        named = set(facts.fields) | set(
            facts.unique_together.fields if facts.unique_together else ()
        )
        assert not {name for name in named - known if not may_lack(item.name, name)}, item.name


def may_lack(name: str, field: str) -> bool:
    """Whether the CRM has a field that the shipped schema leaves out."""
    return (name, field) in {
        ("Account", "AccountSource"),
        ("Account", "Type"),
        ("Case", "Type"),
        ("Contact", "LeadSource"),
        ("Order", "Description"),
        ("Order", "Type"),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("requierd: [Name]", r"Deal.yaml: requierd: unknown key"),
        ("fields: {Name: {lenght: 3}}", r"Deal.yaml: fields.Name.lenght: unknown key"),
        ("fields: {AccountId: {on_delete: drop}}", r"Deal.yaml: fields.AccountId.on_delete"),
        ("package: sales", r"Deal.yaml: package: there is no sales"),
        ("comes_with: Account", r"Deal.yaml: comes_with and key_prefix go together"),
        ("unique_together: {fields: [Name], message: M}", r"Deal.yaml: unique_together.fields"),
        ("[", r"Deal.yaml: broken YAML"),
    ],
)
def test_wrong_facts_are_told_with_file_and_key(tmp_path: Path, text: str, says: str) -> None:
    """A fault names the file, the key, and what is wrong with it."""
    with pytest.raises(SchemaError, match=says):
        load_catalog(written(tmp_path, "Deal", text))


def test_a_folder_without_facts_is_told(tmp_path: Path) -> None:
    """An empty folder is no catalog."""
    with pytest.raises(SchemaError, match="holds no object"):
        load_catalog(tmp_path)


def test_a_file_replaces_what_was_known_of_its_object(tmp_path: Path) -> None:
    """A folder on top of the shipped facts says something else of one object and nothing of the
    others.
    """
    catalog = load_catalog(written(tmp_path, "Order", "required: [Name]"), shipped())
    assert catalog.object("Order").required == ("Name",)
    assert not catalog.field("Order", "OrderId").create_only
    assert catalog.object("Case") == shipped().object("Case")


def test_a_fields_own_facts_add_to_those_of_its_name() -> None:
    """Every OwnerId is filled by the CRM; a case's may also lead to a queue."""
    of_case = shipped().field("Case", "OwnerId")
    assert of_case.defaulted
    assert of_case.refers_to == ("Group", "User")
    assert shipped().field("Toy__c", "OwnerId").refers_to == ()


def test_what_every_crm_has_beside_an_object() -> None:
    """Users come with profiles and an organization, transcripts with visitors; no custom object is
    one of the CRM's own.
    """
    assert shipped().beside("User") == ("Organization", "Profile")
    assert shipped().beside("LiveChatTranscript") == ("LiveChatVisitor",)
    assert shipped().is_standard("Knowledge__kav")
    assert not shipped().is_standard("Issue__c")
    assert not shipped().is_standard("Patient")
