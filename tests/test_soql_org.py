"""What queries know of the org itself, and of what only the CRM has: objects, derived fields, names
behind references, aliases in FROM, and scopes.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from orgweave.soql.engine import Engine
from pipeline.config import RunRequest, load_job
from schemas.errors import QueryRefused
from tests.soql_toys import CLOCK, Rows, ids, write_toys

USERS, CASES, TASKS = ids("005", 2), ids("500", 2), ids("00T", 1)
PRODUCT, BOOK, ENTRY, GROUP = (
    *ids("01t", 1),
    *ids("01s", 1),
    *ids("01u", 1),
    *ids("00G", 1),
)
SUMMARY = "The return window is 30 days."
ROWS: Rows = {
    "User": [{"Id": USERS[0], "Name": "Ann"}, {"Id": USERS[1], "Name": "Ben"}],
    "Group": [{"Id": GROUP, "Name": "Desk"}],
    "GroupMember": [{"Id": "011zz0000000001AAA", "GroupId": GROUP, "UserOrGroupId": USERS[0]}],
    "Account": [
        {"Id": ids("001", 2)[0], "Name": "Eve Ash", "LastName": "Ash"},
        {"Id": ids("001", 2)[1], "Name": "Ash"},
    ],
    "Case": [
        {"Id": CASES[0], "CaseNumber": "00001", "OwnerId": USERS[0], "CreatedById": USERS[1]},
        {"Id": CASES[1], "CaseNumber": "00002", "OwnerId": GROUP},
    ],
    "CaseHistory__c": [{"Id": "a02zz0000000001AAA", "CaseId__c": CASES[0]}],
    "Task": [{"Id": TASKS[0], "WhatId": CASES[0], "OwnerId": USERS[1]}],
    "Product2": [{"Id": PRODUCT, "Name": "Boot", "ProductCode": "B-1"}],
    "Pricebook2": [{"Id": BOOK, "Name": "Standard"}],
    "PricebookEntry": [{"Id": ENTRY, "Product2Id": PRODUCT, "Pricebook2Id": BOOK}],
    "Knowledge__kav": [{"Id": "ka0zz0000000001AAA", "Title": "Returns", "Summary": SUMMARY}],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over a service desk with two cases."""
    schema = load_job(RunRequest("shoes")).setting.schema
    path = tmp_path_factory.mktemp("org") / "org.sqlite"
    write_toys(path, schema, ROWS)
    made = Engine(path, schema, CLOCK)
    yield made
    made.close()


def values(record: Any) -> Any:
    """A record's values without its attributes, its parents' too."""
    if not isinstance(record, dict):
        return record
    return {name: values(value) for name, value in record.items() if name != "attributes"}


def only(engine: Engine, text: str) -> Any:
    """The values of the one record that a query finds."""
    (record,) = engine.query(text)
    return values(record)


def test_names_behind_references_to_several_types_stand_in_every_clause(engine: Engine) -> None:
    """A case's number is its name there, and can be grouped by, unlike the number by itself."""
    assert only(
        engine,
        "SELECT What.Name, Owner.Name FROM Task WHERE What.Name = '00001' AND Owner.Name LIKE 'B%'"
        " ORDER BY What.Name, Owner.Name",
    ) == {"What": {"Name": "00001"}, "Owner": {"Name": "Ben"}}
    assert only(
        engine,
        "SELECT What.Name, Owner.Name owner, COUNT(Id) tasks FROM Task"
        " GROUP BY What.Name, Owner.Name HAVING What.Name != null ORDER BY What.Name, Owner.Name",
    ) == {"Name": "00001", "owner": "Ben", "tasks": 1}


def test_entities_and_their_fields(engine: Engine) -> None:
    """EntityDefinition has a record an object type, FieldDefinition one a field."""
    entity = "SELECT QualifiedApiName, KeyPrefix, IsCustomizable FROM EntityDefinition"
    assert only(engine, f"{entity} WHERE QualifiedApiName = 'Case'") == {
        "QualifiedApiName": "Case",
        "KeyPrefix": "500",
        "IsCustomizable": True,
    }
    field = (
        "SELECT DataType, EntityDefinition.Label, IsNillable FROM FieldDefinition"
        " WHERE EntityDefinition.QualifiedApiName = 'Case' AND QualifiedApiName = '{}'"
    )
    assert only(engine, field.format("AccountId"))["DataType"] == "Lookup(Account)"
    assert only(engine, field.format("Subject")) == {
        "DataType": "Text(255)",
        "EntityDefinition": {"Label": "Case"},
        "IsNillable": True,
    }
    nested = "SELECT (SELECT QualifiedApiName FROM Fields WHERE IsCompound = true)"
    found = only(engine, f"{nested} FROM EntityDefinition WHERE DurableId = 'Contact'")
    assert found["Fields"]["records"][0]["QualifiedApiName"] == "MailingAddress"


def test_the_organization(engine: Engine) -> None:
    """An org has one Organization, a sandbox, also where no table holds it."""
    found = only(engine, "SELECT Id, Name, IsSandbox FROM Organization LIMIT 1")
    assert found == {"Id": "00Dzz0000000001EAA", "Name": "service_cloud", "IsSandbox": True}


def test_no_search_finds_what_has_no_table(engine: Engine) -> None:
    """Objects that tell of the org are no records to search."""
    assert engine.search("FIND {Boot} RETURNING EntityDefinition(Id), Product2(Name)") != []
    assert engine.search("FIND {Lookup} RETURNING FieldDefinition(Id)") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT Name, ProductCode FROM PricebookEntry", {"Name": "Boot", "ProductCode": "B-1"}),
        ("SELECT Name FROM CaseHistory__c WHERE Name = 'ch-000001'", {"Name": "CH-000001"}),
        (
            "SELECT KnowledgeArticleId FROM Knowledge__kav",
            {"KnowledgeArticleId": "ka0zz0000000001AAA"},
        ),
        ("SELECT CreatedBy.Name FROM User WHERE Name = 'Ben'", {"CreatedBy": {"Name": "Ann"}}),
        (
            "SELECT CreatedBy.Name FROM Case WHERE CaseNumber = '00001'",
            {"CreatedBy": {"Name": "Ben"}},
        ),
        ("SELECT What.Name, What.Type FROM Task", {"What": {"Name": "00001", "Type": "Case"}}),
        ("SELECT Id, Who.Name FROM Task", {"Id": TASKS[0], "Who": None}),
        ("SELECT Name FROM Account WHERE IsPersonAccount = true", {"Name": "Eve Ash"}),
        ("SELECT IsPersonAccount FROM Account WHERE Name = 'Ash'", {"IsPersonAccount": False}),
        (
            "SELECT TYPEOF What WHEN Case THEN CaseNumber ELSE Name END FROM Task",
            {"What": {"CaseNumber": "00001"}},
        ),
        ("SELECT COUNT(Id) FROM Task WHERE What.Name = '00001'", {"expr0": 1}),
    ],
)
def test_what_only_the_crm_has(engine: Engine, text: str, found: Any) -> None:
    """Names and audit fields that no schema draws, and a record's name behind a reference."""
    assert only(engine, text) == found


def test_children_behind_the_name_of_their_parent(engine: Engine) -> None:
    """`FROM Account.Contacts` is `FROM Contacts`, and so it is behind an alias."""
    text = "SELECT (SELECT Task.Id FROM {}Tasks) FROM Case c WHERE CaseNumber = '00001'"
    plain = only(engine, text.format(""))
    assert plain["Tasks"]["totalSize"] == 1
    assert only(engine, text.format("Case.")) == plain == only(engine, text.format("c."))


def test_a_search_within_a_price_book(engine: Engine) -> None:
    """WITH PricebookId leaves the products of that book, and nothing else out."""
    for book, found in ((BOOK, ["Boot"]), ("01szz0000000009AAA", [])):
        for where in ("", " WHERE Name != 'Shoe'"):
            text = f"FIND {{boot}} RETURNING Product2(Name{where}) WITH PricebookId = '{book}'"
            assert [record["Name"] for record in engine.search(text)] == found


def test_a_snippet_of_an_article(engine: Engine) -> None:
    """WITH SNIPPET adds an excerpt to articles, and marks to the fields that were asked for."""
    text = "FIND {{window}} RETURNING Knowledge__kav({}) WITH SNIPPET (target_length=60)"
    (record,) = engine.search(text.format("Id, Title"))
    assert record["snippet.text"] == "The return <mark>window</mark> is 30 days."
    assert "highlight.Title" not in record


def test_versions_of_articles(engine: Engine) -> None:
    """KnowledgeArticleVersion has the articles without their custom fields, and is searched."""
    found = only(engine, "SELECT Title FROM KnowledgeArticleVersion WHERE Title = 'Returns'")
    assert found == {"Title": "Returns"}
    text = "FIND {windows} RETURNING KnowledgeArticleVersion(Title) WITH SNIPPET"
    (record,) = engine.search(text)
    assert record["Title"] == "Returns"
    assert record["snippet.text"] == "The return <mark>window</mark> is 30 days."
    everywhere = [str(record["Id"])[:3] for record in engine.search("FIND {window}")]
    assert everywhere == ["ka0"]
    with pytest.raises(QueryRefused, match="FAQ_Answer__c"):
        engine.query("SELECT FAQ_Answer__c FROM KnowledgeArticleVersion")


def test_aliases_in_from(engine: Engine) -> None:
    """Behind the object FROM may name relationships, of it or of one another."""
    text = (
        "SELECT t.Id, w.CaseNumber, o.Name FROM Task t, t.What w, w.Owner o"
        " WHERE o.Name = 'Ann' ORDER BY w.CaseNumber"
    )
    assert only(engine, text) == {
        "Id": TASKS[0],
        "What": {"CaseNumber": "00001", "Owner": {"Name": "Ann"}},
    }


@pytest.mark.parametrize(
    ("scope", "numbers"),
    [
        ("everything", ["00001", "00002"]),
        ("scopingRule", ["00001", "00002"]),
        ("Mine", ["00001"]),
        ("mine_and_my_groups", ["00001", "00002"]),
        ("delegated", []),
        ("team", []),
    ],
)
def test_scopes(engine: Engine, scope: str, numbers: list[str]) -> None:
    """Who asks is the org's first user; nothing here was shared with a team or delegated."""
    text = f"SELECT CaseNumber FROM Case USING SCOPE {scope} ORDER BY CaseNumber"
    assert [record["CaseNumber"] for record in engine.query(text)] == numbers
    assert engine.query(f"SELECT COUNT() FROM Case USING SCOPE {scope}").total == len(numbers)


def test_every_field_of_every_object_can_be_selected(engine: Engine) -> None:
    """FIELDS(ALL) is answered for each, whatever its fields are made of."""
    for entity in engine.entities.values():
        for record in engine.query(f"SELECT FIELDS(ALL) FROM {entity.name} LIMIT 1").page():
            stored = {field.name for field in entity.fields.values() if field.stored}
            assert stored <= record.keys(), entity.name
